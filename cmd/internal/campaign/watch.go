package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"xopt/cmd/faults"
	"xopt/internal/files/infile"
)

// Watch observes a campaign. It caches the files that it has read and the time of each worker's last heartbeat, and
// reads only new files. It is not safe for concurrent use.
type Watch struct {
	f     *Folder
	here  Process
	node  string // name of this machine in the campaign
	stale time.Duration
	now   func() time.Time // the observer's clock

	claims   []*Claim
	heads    map[string]bool // results files that were read
	damaged  map[string]error
	failures map[string]*Failure
	workers  map[string]*heard
	first    map[int]time.Time // time at which the observer first read each claim

	done    []bool
	tries   []int
	wrong   []bool
	count   int     // number of points done
	seconds float64 // total computation time of the points done
}

// NewWatch returns an observer. A worker is dead if its count does not change for the duration stale.
func NewWatch(f *Folder, stale time.Duration) *Watch {
	n := len(f.Points)
	return &Watch{f: f, here: thisProcess(), stale: stale, now: time.Now, heads: make(map[string]bool),
		damaged: make(map[string]error), failures: make(map[string]*Failure), workers: make(map[string]*heard),
		first: make(map[int]time.Time), done: make([]bool, n), tries: make([]int, n),
		wrong: make([]bool, n)}
}

// Look reads new files. It reads claims before results, so that it finds the results of every claim that it reads as
// released.
func (w *Watch) Look() error {
	for _, look := range []func() error{w.lookAtWorkers, w.lookAtClaims, w.lookAtResults, w.lookAtFailures} {
		if err := look(); err != nil {
			return fmt.Errorf("reading the folder of the campaign: %w", err)
		}
	}
	return nil
}

func (f *Folder) names(folder string) ([]string, error) {
	entries, err := os.ReadDir(f.path(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, faults.CampaignFolderMissing.Errorf("%s and its contents are missing; xopt campaign resume "+
			"creates it again and computes the missing points", f.path(folder))
	} else if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

func (w *Watch) lookAtWorkers() error {
	names, err := w.f.names(workersFolder)
	if err != nil {
		return err
	}
	for _, name := range names {
		id, ok := strings.CutSuffix(name, ".json")
		if h := w.workers[id]; !ok || h != nil && h.beat.Ended {
			continue
		}
		b, err := readJSON[Beat](w.f, workersFolder, name)
		if err != nil {
			continue // a live worker will rewrite the file
		}
		if h := w.workers[id]; h == nil || h.beat.Count != b.Count {
			w.workers[id] = &heard{beat: *b, at: w.now()}
		}
	}
	return nil
}

func (w *Watch) lookAtClaims() error {
	names, err := w.f.names(claimsFolder)
	if err != nil {
		return err
	}
	there := make(map[string]bool, len(names))
	for _, name := range names {
		there[name] = true
	}
	for {
		n := len(w.claims) + 1
		c, err := w.readClaim(n)
		if errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return err
		}
		w.claims = append(w.claims, c)
		w.first[n] = w.now()
	}
	for _, c := range w.claims {
		if c.ended == nil && there[filepath.Base(claimName(c.Number, endEnding))] {
			c.ended = w.readEnd(c.Number)
		}
		if c.ended == nil && c.Careful {
			c.at = w.readAt(c.Number)
		}
	}
	return nil
}

// readClaim reads a claim. A damaged claim has no points.
func (w *Watch) readClaim(n int) (*Claim, error) {
	c, err := readJSON[Claim](w.f, claimName(n, claimEnding))
	if c == nil {
		return nil, err
	}
	if err != nil {
		c = new(Claim)
	}
	c.Number, c.at = n, -1
	c.points = each(c.Points, len(w.f.Points))
	return c, nil
}

// readEnd reads the mark of a released claim; nil if it is not yet readable.
func (w *Watch) readEnd(n int) *ended {
	e, err := readJSON[ended](w.f, claimName(n, endEnding))
	if e != nil && err != nil {
		return &ended{} // the mark is damaged, but Look lists the results folder, too
	}
	return e
}

// readAt returns the point that a careful worker recorded last; -1 for none.
func (w *Watch) readAt(n int) int {
	text, err := infile.Read(w.f.path(claimName(n, atEnding)), maxFile)
	if err != nil {
		return -1
	}
	at, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || at < 0 || at >= len(w.f.Points) {
		return -1
	}
	return at
}

func (w *Watch) lookAtResults() error {
	names, err := w.f.names(resultsFolder)
	if err != nil {
		return err
	}
	for _, c := range w.claims { // a shared folder may not list the newest results yet
		if c.ended != nil {
			names = append(names, c.ended.Results...)
			c.ended.Results = nil
		}
	}
	for _, name := range names {
		if w.heads[name] || filepath.Ext(name) != resultEnding || name != filepath.Base(name) {
			continue
		}
		h, err := w.f.readHead(name)
		var damaged *DamagedError
		switch {
		case errors.As(err, &damaged):
			w.damaged[name] = err
			continue
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		w.heads[name] = true
		delete(w.damaged, name)
		for _, d := range h.Done {
			w.mark(d.N, d.Seconds)
		}
	}
	return nil
}

// mark marks a point as done.
func (w *Watch) mark(n int, seconds float64) {
	if !w.done[n] {
		w.done[n] = true
		w.count++
		w.seconds += seconds
	}
}

func (w *Watch) lookAtFailures() error {
	names, err := w.f.names(failedFolder)
	if err != nil {
		return err
	}
	for _, name := range names {
		if w.failures[name] != nil || filepath.Ext(name) != ".json" {
			continue
		}
		x, err := w.f.readFailure(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // resume removed the file
		} else if err != nil {
			return err
		}
		w.failures[name] = x
		w.tries[x.Point]++
		w.wrong[x.Point] = w.wrong[x.Point] || x.Wrong
	}
	return nil
}

// alive reports whether the worker of a claim may still be alive.
func (w *Watch) alive(c *Claim) bool {
	h := w.workers[c.Worker]
	switch {
	case c.By.gone(&w.here):
		return false
	case h == nil:
		return w.now().Sub(w.first[c.Number]) <= w.stale
	case h.beat.Ended:
		return false
	}
	return w.now().Sub(h.at) <= w.stale
}

// isOver reports whether a point needs no more work.
func (w *Watch) isOver(n int) bool { return w.done[n] || w.wrong[n] || w.tries[n] >= MaxTries }

// inHand returns, for each point, whether the point is in progress at a live worker.
func (w *Watch) inHand() []bool {
	list := make([]bool, len(w.f.Points))
	for _, c := range w.claims {
		if c.ended == nil && w.alive(c) {
			for _, n := range c.points {
				list[n] = !w.isOver(n)
			}
		}
	}
	return list
}

// waiting returns the free points, failed points last. others is the number of points in progress.
func (w *Watch) waiting() (free []int, others int) {
	var again []int
	for n, in := range w.inHand() {
		switch node := w.f.Points[n].Node; {
		case node != "" && node != w.node:
		case in:
			others++
		case w.isOver(n):
		case w.tries[n] > 0:
			again = append(again, n)
		default:
			free = append(free, n)
		}
	}
	return append(free, again...), others
}

// charge records a failure for each point that a dead worker had started but not finished.
func (w *Watch) charge() error {
	for _, c := range w.claims {
		by := fmt.Sprintf("%s%06d", chargedTo[1:], c.Number)
		if c.ended != nil || c.at < 0 || w.isOver(c.at) || w.alive(c) ||
			w.failures[fmt.Sprintf("%06d.%s.json", c.at, by)] != nil {
			continue
		}
		err := w.f.fail(&Failure{Point: c.at, Host: c.By.Host, How: "its worker ended or stopped responding"},
			by)
		if err != nil {
			return err
		}
	}
	return w.lookAtFailures()
}

package campaign

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"xopt/cmd/internal/progress"
	"xopt/internal/units"
)

// State is the progress of a campaign.
type State struct {
	All, Done int
	Failed    int // points that reported an error
	Aside     int // points given up after too many crashes
	Running   int // points in progress
	Waiting   int
	Seconds   float64       // total computation time of the completed points
	Left      time.Duration // time until all points are done, with the live workers; 0 if unknown
	Slots     int           // points computed concurrently
	Workers   []Beat        // live workers
	Lost      []Beat        // workers that died without a final heartbeat
	Failures  []Failure     // last failure of each failed or given-up point
	Damaged   []error       // damaged results files
	Cancelled bool
	Nodes     []string // nodes with unfinished points
}

// State returns the state at the last poll.
func (w *Watch) State() *State {
	s := &State{All: len(w.f.Points), Done: w.count, Seconds: w.seconds, Cancelled: w.f.Cancelled()}
	in := w.inHand()
	for n := range w.f.Points {
		if node := w.f.Points[n].Node; node != "" && !w.isOver(n) && !slices.Contains(s.Nodes, node) {
			s.Nodes = append(s.Nodes, node)
		}
		switch {
		case w.done[n]:
		case w.wrong[n]:
			s.Failed++
		case w.tries[n] >= MaxTries:
			s.Aside++
		case in[n]:
			s.Running++
		default:
			s.Waiting++
		}
	}
	last := make(map[int]*Failure)
	for _, name := range slices.Sorted(maps.Keys(w.failures)) {
		x := w.failures[name]
		if !w.done[x.Point] && w.isOver(x.Point) && (last[x.Point] == nil || x.Output != "") {
			last[x.Point] = x
		}
	}
	for _, n := range slices.Sorted(maps.Keys(last)) {
		s.Failures = append(s.Failures, *last[n])
	}
	for _, name := range slices.Sorted(maps.Keys(w.damaged)) {
		s.Damaged = append(s.Damaged, w.damaged[name])
	}
	for _, h := range w.workers {
		switch b := &h.beat; {
		case b.Ended:
		case b.By.gone(&w.here) || w.now().Sub(h.at) > w.stale:
			s.Lost = append(s.Lost, *b)
		default:
			s.Workers = append(s.Workers, *b)
			s.Slots += b.Slots
		}
	}
	byName(s.Workers)
	byName(s.Lost)
	if open := s.Running + s.Waiting; s.Done > 0 && s.Slots > 0 {
		s.Left = time.Duration(s.Seconds / float64(s.Done) * float64(open) / float64(s.Slots) * float64(time.Second))
	}
	return s
}

// byName sorts workers by their machines.
func byName(list []Beat) {
	slices.SortFunc(list, func(a, b Beat) int {
		return cmp.Or(strings.Compare(a.At(), b.At()), strings.Compare(a.Worker, b.Worker))
	})
}

// Lose marks workers as lost if the scheduler no longer runs them. Their files alone cannot show this. runs reports
// whether the scheduler runs a job on a node. If several workers belong to the same job and node, only the latest is
// alive.
func (s *State) Lose(runs func(job, node string) bool) {
	last := make(map[string]string) // by job and node
	for i := range s.Workers {
		b := &s.Workers[i]
		at := b.Job + " " + b.Node
		last[at] = max(last[at], b.Clock) // both times are from one clock
	}
	s.Workers = slices.DeleteFunc(s.Workers, func(b Beat) bool {
		if b.Job == "" || runs(b.Job, b.Node) && b.Clock == last[b.Job+" "+b.Node] {
			return false
		}
		s.Lost = append(s.Lost, b)
		s.Slots -= b.Slots
		return true
	})
	byName(s.Lost)
}

// Complete reports whether every point is done.
func (s *State) Complete() bool { return s.Done == s.All }

// IsOver reports whether workers have nothing left to do.
func (s *State) IsOver() bool { return s.Running+s.Waiting == 0 }

// maxInChunk is the maximum number of points per claim.
const maxInChunk = 10_000

// chunk returns the number of free points to claim: as many as fit the requested time, according to the measured times.
// It is at most half of an equal share among the live workers, so that all workers finish together. Without measured
// times, it is 1.
func (w *Watch) chunk(want time.Duration, free int) int {
	if w.count == 0 {
		return 1
	}
	slots := 0
	for _, h := range w.workers {
		if !h.beat.Ended && w.now().Sub(h.at) <= w.stale {
			slots += h.beat.Slots
		}
	}
	n := maxInChunk
	if mean := w.seconds / float64(w.count); mean > 0 {
		n = int(min(want.Seconds()/mean, maxInChunk))
	}
	half := 2 * max(1, slots)
	return max(1, min(n, (free+half-1)/half))
}

// WriteStatus prints the progress of a campaign.
func (f *Folder) WriteStatus(w io.Writer, s *State) {
	what := f.Kind
	if len(f.Files) > 0 {
		what += " of " + strings.Join(f.Files, " ")
	}
	percent, bar := progress.Bar(float64(s.Done) / float64(s.All))
	fmt.Fprintf(w, "%s: %s %s %d of %d points\n", what, percent, bar, s.Done, s.All)
	type row struct {
		what string
		n    int
	}
	rows := []row{{"done", s.Done}, {"failed", s.Failed}, {"given up", s.Aside}, {"running", s.Running},
		{"waiting", s.Waiting}}
	for _, r := range rows {
		fmt.Fprintf(w, "%-19s %*d\n", r.what, len(fmt.Sprint(s.All)), r.n)
	}
	if s.Done > 0 {
		fmt.Fprintf(w, "%-19s %s per point (measured mean)\n", "time", units.Time(s.Seconds/float64(s.Done)))
	}
	if s.Left > 0 {
		fmt.Fprintf(w, "%-19s about %s\n", "left", progress.RoundTime(s.Left))
	}
	for _, b := range s.Workers {
		fmt.Fprintf(w, "%-19s %d of %d cores used, %s at once\n", "worker on "+b.At(), b.Used, b.Given,
			units.Counted(b.Slots, "point", "points"))
	}
	for i := range s.Lost {
		if i == maxLost {
			fmt.Fprintf(w, "%s lost\n", units.Counted(len(s.Lost)-i, "more worker is", "more workers are"))
			break
		}
		b := &s.Lost[i]
		fmt.Fprintf(w, "%-19s lost: process %d on %s%s ended unexpectedly\n", "worker on "+b.At(),
			b.By.PID, b.By.Host, ofJob(b.Job))
	}
}

// maxLost is the maximum number of lost workers shown.
const maxLost = 5

// ofJob describes the job of a worker; "" for none.
func ofJob(job string) string {
	if job == "" {
		return ""
	}
	return ", job " + job + " of Slurm,"
}

package campaign

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// WorkOptions configure a worker.
type WorkOptions struct {
	Command func(args []string) *exec.Cmd // returns the command of a point with the given arguments
	Slots   int                           // number of concurrent points; 0 for as many as the cores allow
	Given   int                           // number of cores; 0 for the cores in this process's affinity
	// Node is the machine's name in the campaign, if points belong to nodes.
	Node string
	// Stop stops the worker when it is closed. The worker then claims no more points, and completes the points in
	// progress within Grace.
	Stop  <-chan struct{}
	Grace time.Duration
	// Idle is the maximum time to wait for points of other workers, which may die; 0 to wait until all points are done.
	Idle     time.Duration
	Job      string       // job of a scheduler, for readers only
	Note     func(string) // shows a note to the user
	Progress func(done, all int)
	// Full reports the start and the end of waiting for disk space; nil for none.
	Full func(full bool)
}

// pace contains the periods of a worker: between heartbeats, between polls of idle slots, and between writes of
// answers.
type pace struct{ beat, poll, flush time.Duration }

func (e *Engine) pace() pace {
	if e.Name == Local {
		return pace{beat: time.Second, poll: 200 * time.Millisecond, flush: 2 * time.Second}
	}
	return pace{beat: 5 * time.Second, poll: 5 * time.Second, flush: 15 * time.Second}
}

// worker is one process that works on a campaign.
type worker struct {
	f    *Folder
	o    WorkOptions
	pace pace
	id   string
	by   Process

	mu      sync.Mutex    // protects the following fields
	moved   chan struct{} // closed when points of this worker are done or released
	watch   *Watch
	beat    Beat
	written int          // number of results files
	failed  int          // number of failures recorded
	waiting atomic.Int32 // number of writes that wait for disk space
}

// Work computes points until all are done, [WorkOptions.Stop] is closed, the campaign is cancelled, or ctx ends. It
// always writes the results that it has computed.
func Work(ctx context.Context, f *Folder, o WorkOptions) (*State, error) {
	w := newWorker(f, o)
	if err := w.writeHeartbeat(false); err != nil { // if the folder is full, nothing is lost yet
		return nil, fmt.Errorf("joining the campaign: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var heart sync.WaitGroup
	finished := make(chan struct{})
	heart.Go(func() { w.live(finished, cancel) })
	o.Note(fmt.Sprintf("worker on %s: %d of %d cores used, up to %d points at once", w.by.Host,
		w.beat.Used, w.beat.Given, w.beat.Slots))
	errs := make([]error, w.beat.Slots)
	var slots sync.WaitGroup
	for i := range errs {
		slots.Go(func() {
			runtime.LockOSThread() // Linux kills a child when the thread that started the child ends
			defer runtime.UnlockOSThread()
			errs[i] = w.slot(ctx)
		})
	}
	slots.Wait()
	close(finished)
	heart.Wait()
	err := errors.Join(errs...)
	if e := w.writeHeartbeat(true); e != nil && !full(e) { // if the folder is full, the released claims suffice
		err = errors.Join(err, e)
	}
	if e := w.watch.Look(); e != nil {
		return nil, errors.Join(err, e)
	}
	return w.watch.State(), err
}

func newWorker(f *Folder, o WorkOptions) *worker {
	random := make([]byte, 4)
	_, _ = rand.Read(random) // never fails
	w := &worker{f: f, o: o, pace: f.Engine.pace(), by: thisProcess(), watch: NewWatch(f, f.Engine.Stale),
		moved: make(chan struct{})}
	w.id = fmt.Sprintf("%s-%d-%s", filepath.Base(w.by.Host), w.by.PID, hex.EncodeToString(random))
	f.prefix, w.watch.node = w.id, o.Node
	given := runtime.NumCPU() // cores in this process's affinity
	if o.Given > 0 {
		given = min(given, o.Given)
	}
	each := f.Cores
	if each == 0 {
		each = given
	}
	slots := o.Slots
	if slots == 0 {
		slots = max(1, given/each)
	}
	w.beat = Beat{Worker: w.id, By: w.by, Slots: slots, Used: min(given, slots*each), Given: given, Job: o.Job,
		Node: o.Node}
	return w
}

// writeHeartbeat writes the heartbeat of the worker.
func (w *worker) writeHeartbeat(ended bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.beat.Ended = ended
	return w.f.writeBeat(&w.beat)
}

// live writes heartbeats, and checks whether the campaign was cancelled.
func (w *worker) live(finished <-chan struct{}, cancel func()) {
	tick := time.NewTicker(w.pace.beat)
	defer tick.Stop()
	mute := false
	for {
		select {
		case <-finished:
			return
		case <-tick.C:
		}
		switch err := w.writeHeartbeat(false); {
		case err != nil: // the next write may succeed if the folder is full
			mute = true
		case mute: // other workers could not write heartbeats either
			mute = false
			w.hearAgain()
		}
		if w.f.Cancelled() {
			cancel()
		}
	}
}

// hearAgain restarts the silence timeout of all workers.
func (w *worker) hearAgain() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range w.watch.workers {
		h.at = w.watch.now()
	}
	for n := range w.watch.first {
		w.watch.first[n] = w.watch.now()
	}
}

// stopped reports whether the worker must not claim more points.
func (w *worker) stopped(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	case <-w.o.Stop:
		return true
	default:
		return w.f.Cancelled()
	}
}

// slot computes one point after another.
func (w *worker) slot(ctx context.Context) error {
	idle := time.Now()
	for !w.stopped(ctx) {
		moved := w.change()
		claim, others, err := w.claimNext(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case claim != nil:
			err := w.compute(ctx, claim)
			w.wake()
			if err != nil {
				return err
			}
			idle = time.Now()
			continue
		case others == 0, w.o.Idle > 0 && time.Since(idle) > w.o.Idle:
			return nil
		}
		select {
		case <-ctx.Done():
		case <-w.o.Stop:
		case <-moved:
		case <-time.After(w.poll()):
		}
	}
	return nil
}

// minPoll is the minimum polling period of an idle worker in a shared folder.
const minPoll = time.Second

// poll returns the polling period of a slot without a free point: approximately the computation time of a point.
func (w *worker) poll() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	poll := w.pace.poll
	if n := w.watch.count; n > 0 {
		mean := time.Duration(w.watch.seconds / float64(n) * float64(time.Second))
		poll = min(poll, max(minPoll, mean))
	}
	return poll
}

// change returns a channel that is closed when points of this worker are next done or released.
func (w *worker) change() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moved
}

// wake wakes the slots without a free point, because points of this worker are done or free.
func (w *worker) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.moved)
	w.moved = make(chan struct{})
}

// claimNext claims points; nil if no points are free. others is the number of points in progress.
func (w *worker) claimNext(ctx context.Context) (claim *Claim, others int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for ctx.Err() == nil {
		if err := w.watch.Look(); err != nil {
			return nil, 0, err
		}
		if err := w.patient(ctx, w.watch.charge); err != nil {
			return nil, 0, err
		}
		free, others := w.watch.waiting()
		if len(free) == 0 {
			return nil, others, nil
		}
		n := w.watch.chunk(w.f.Engine.ChunkTime, len(free))
		c := &Claim{Number: len(w.watch.claims) + 1, Worker: w.id, By: w.by, Careful: w.watch.careful(free[:n]),
			Made: time.Now().UTC().Format(time.RFC3339), points: free[:n]}
		first := false
		err := w.patient(ctx, func() (err error) { first, err = w.f.claim(c); return err })
		if err != nil {
			return nil, 0, err
		}
		if first {
			return c, others, nil
		}
	}
	return nil, 0, ctx.Err()
}

// slow is the duration of a point in seconds above which the cost of recording each point is negligible.
const slow = 0.5 // s

// careful reports whether a worker should record each point that it starts. It should do so if the mean duration of a
// point is unknown or at least slow, or if a worker died during one of the points.
func (w *Watch) careful(points []int) bool {
	if w.count == 0 || w.seconds/float64(w.count) >= slow {
		return true
	}
	used := make(map[int]bool)
	for _, c := range w.claims {
		if c.ended == nil {
			for _, n := range c.points {
				used[n] = true
			}
		}
	}
	for _, n := range points {
		if used[n] || w.tries[n] > 0 {
			return true
		}
	}
	return false
}

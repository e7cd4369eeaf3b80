package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"xopt/cmd/faults"
)

// inHand is a claim in progress at a slot.
type inHand struct {
	claim   *Claim
	new     results  // answers not yet written
	written []string // results files
	kept    []int    // unwritten points with a folder
	last    time.Time
}

// compute computes the points of a claim, and writes their answers.
func (w *worker) compute(ctx context.Context, claim *Claim) error {
	h := &inHand{claim: claim, last: time.Now()}
	todo := claim.points
	var err error
	for i := 0; i < len(todo) && err == nil && !w.stopped(ctx); i++ {
		var again bool
		again, err = w.point(ctx, h, todo[i])
		if again {
			todo = append(todo, todo[i])
		}
		if err == nil && (claim.Careful || time.Since(h.last) > w.pace.flush) {
			err = w.flush(ctx, h)
		}
	}
	if ctx.Err() != nil {
		err = nil
	}
	err = errors.Join(err, w.flush(ctx, h))
	if err != nil {
		return err
	}
	return w.patient(ctx, func() error { return w.f.release(claim, h.written) })
}

// point computes one point. again is true if the point crashed its process and may be retried.
func (w *worker) point(ctx context.Context, h *inHand, n int) (again bool, err error) {
	if h.claim.Careful {
		if err := w.patient(ctx, func() error { return w.f.noteAt(h.claim, n) }); err != nil {
			return false, err
		}
	}
	limited, cancel := w.withGracePeriod(ctx)
	defer cancel()
	p, begun := &w.f.Points[n], time.Now()
	out, err := w.retryWhenFull(limited, p)
	var died *diedError
	var failed *failedError
	switch {
	case limited.Err() != nil:
		return false, nil // another try may succeed
	case err != nil && w.isStopRequested(ctx):
		return false, nil // the signal to the worker may also have reached the point's processes
	case errors.As(err, &died):
		return w.note(ctx, &Failure{Point: n, How: died.how, Output: died.output})
	case errors.As(err, &failed):
		_, err := w.note(ctx, &Failure{Point: n, How: failed.said, Wrong: true})
		return false, err
	case err != nil:
		return false, err
	}
	seconds := time.Since(begun).Seconds()
	if err := h.new.add(p, out, seconds); err != nil {
		return false, err
	}
	if p.hasFolder() {
		h.kept = append(h.kept, n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch.mark(n, seconds)
	if w.o.Progress != nil {
		w.o.Progress(w.watch.count, len(w.f.Points))
	}
	return false, nil
}

// retryWhenFull runs the command of a point. It repeats a command that fails because the campaign's disk is full.
func (w *worker) retryWhenFull(ctx context.Context, p *Point) (out *Output, err error) {
	err = w.patient(ctx, func() error {
		var err error
		out, err = w.run(ctx, p)
		var failed *failedError
		if p.hasFolder() && errors.As(err, &failed) {
			if e := w.writeHeartbeat(false); e != nil && full(e) {
				return e
			}
		}
		return err
	})
	return out, err
}

// signalTime is the maximum time for the signal that ends a job to reach all processes of the job.
const signalTime = 300 * time.Millisecond

// isStopRequested reports whether the worker must stop. It waits up to signalTime for a signal that arrives late.
func (w *worker) isStopRequested(ctx context.Context) bool {
	if w.o.Stop == nil {
		return w.stopped(ctx)
	}
	select {
	case <-ctx.Done():
	case <-w.o.Stop:
	case <-time.After(signalTime):
	}
	return w.stopped(ctx)
}

// withGracePeriod returns a context that ends after the grace period of a stopped worker.
func (w *worker) withGracePeriod(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if w.o.Stop == nil {
		return ctx, cancel
	}
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-w.o.Stop:
		}
		select {
		case <-ctx.Done():
		case <-time.After(w.o.Grace):
			cancel()
		}
	}()
	return ctx, cancel
}

// note records a failure, and reports whether the point may be retried.
func (w *worker) note(ctx context.Context, x *Failure) (again bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed++
	x.Host = w.by.Host
	by := fmt.Sprintf("%s-%d", w.id, w.failed)
	err = w.patient(ctx, func() error { return w.f.fail(x, by) })
	if err != nil {
		return false, err
	}
	if err := w.watch.lookAtFailures(); err != nil {
		return false, err
	}
	return !w.watch.isOver(x.Point), nil
}

// flush writes the pending answers.
func (w *worker) flush(ctx context.Context, h *inHand) error {
	if len(h.new.done) == 0 {
		return nil
	}
	text, err := h.new.text(w.f, w.id, w.by.Host)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.written++
	name := fmt.Sprintf("%s-%06d%s", w.id, w.written, resultEnding)
	w.mu.Unlock()
	if err := w.patient(ctx, func() error { return w.f.putResult(name, text) }); err != nil {
		return faults.PointsNotWritten.Errorf("cannot write the results of %d points: %w",
			len(h.new.done), err)
	}
	err = w.f.forget(h.kept)
	h.written, h.last, h.new, h.kept = append(h.written, name), time.Now(), results{}, nil
	return err
}

// putResult writes a results file.
func (f *Folder) putResult(name string, text []byte) error {
	return f.put(resultsFolder+"/"+name, text)
}

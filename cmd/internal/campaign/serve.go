package campaign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"xopt/internal/files/infile"
)

// Task is a point that a worker asks a process for.
type Task struct {
	*Point
	// Kept is what an earlier process has kept of where it was with the point, before it was ended; nil for nothing.
	// A point that takes long should call Keep after each time Every: it is for whoever goes on with it, and the
	// answer must not depend on it.
	Kept  []byte
	Every time.Duration
	Keep  func(text []byte) error
}

// Serve computes the points that a worker asks this process for, until it asks no more or ends.
func Serve(ctx context.Context, f *Folder, compute func(context.Context, *Task) (json.RawMessage, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	asked := make(chan *request)
	go func() {
		defer cancel() // the worker has ended: nobody waits for the answer
		defer close(asked)
		for lines := json.NewDecoder(os.Stdin); ; {
			q := new(request)
			if lines.Decode(q) != nil || q.Point < 0 || q.Point >= len(f.Points) {
				return
			}
			select {
			case asked <- q:
			case <-ctx.Done():
				return
			}
		}
	}()
	to := os.NewFile(answersAt, "answers")
	if to == nil {
		return errors.New("this process was not started by a worker")
	}
	syscall.CloseOnExec(answersAt)
	defer to.Close()
	answers := json.NewEncoder(to)
	for q := range asked {
		r, err := f.answer(ctx, q, compute)
		if err != nil {
			return err
		}
		if err := answers.Encode(r); err != nil {
			return fmt.Errorf("answering for a point: %w", err)
		}
	}
	return nil
}

// answer computes a point. The error is that ctx has ended.
func (f *Folder) answer(ctx context.Context, q *request,
	compute func(context.Context, *Task) (json.RawMessage, error)) (*reply, error) {
	p := &f.Points[q.Point]
	f.prefix = q.Worker // what this process leaves unfinished is the worker's
	t := &Task{Point: p, Kept: f.kept(p), Every: q.Every}
	r := &reply{Point: q.Point, Kept: t.Kept != nil}
	t.Keep = func(text []byte) error {
		r.Kept = true
		return f.keep(p, text)
	}
	answer, err := compute(ctx, t)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if r.Answer = answer; err != nil {
		r.Answer, r.Error = nil, err.Error()
	}
	return r, nil
}

// keptName is the file of where a point is.
func keptName(n int) string { return filepath.Join(keptFolder, fmt.Sprintf("%06d", n)) }

// keep keeps where the computation of a point is: a line with the hash of what follows.
func (f *Folder) keep(p *Point, text []byte) error {
	return f.put(keptName(p.N), append([]byte(sumOf(append([]byte(p.Hash), text...))+"\n"), text...))
}

// kept is where an earlier process was with a point; nil where there is nothing to go on from, and where that is
// damaged: then the point is computed from its beginning.
func (f *Folder) kept(p *Point) []byte {
	text, err := infile.Read(f.path(keptName(p.N)), maxFile)
	if err != nil {
		return nil
	}
	sum, text, ok := bytes.Cut(text, []byte{'\n'})
	if !ok || string(sum) != sumOf(append([]byte(p.Hash), text...)) {
		return nil
	}
	return text
}

// forget takes away where points were that are done.
func (f *Folder) forget(points []int) error {
	for _, n := range points {
		if err := os.Remove(f.path(keptName(n))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("taking away a checkpoint: %w", err)
		}
	}
	return nil
}

package xeval

import (
	"context"
	"fmt"

	"xopt/deploy/trace"
)

// Timeline collects the data for a drawing of the first runs of rules (Gayen 2008, Figs. 4.2 to 4.9). It has a line for
// each file marked with *, and the triggers, starts and finishes of each rule.
type Timeline struct {
	Lines []Line
	Until int64 // latest finish of the shown runs in ps
	file  *File
	runs  int
	first [][]int // first line, by block and rule
}

// Line is a line of a timeline.
type Line struct {
	Name  string
	Marks []Mark
}

// Mark is an event on a line. For a run, it has the number of the run, from 0; for a file, -1.
type Mark struct {
	Time int64 // ps
	Run  int
}

// maxMarks is the maximum number of events of a file on a timeline.
const maxMarks = 10_000

// NewTimeline returns a timeline of the first runs of each rule of a file.
func NewTimeline(f *File, runs int) *Timeline {
	t := &Timeline{file: f, runs: runs}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		for j := range b.Ports {
			for _, e := range b.Ports[j].Events {
				if e.Shown {
					t.Lines = append(t.Lines, Line{Name: e.File})
				}
			}
		}
		var first []int
		for j := range b.Rules {
			first = append(first, len(t.Lines))
			name := b.Name
			if len(b.Rules) > 1 {
				name += " " + RuleName(j)
			}
			for _, what := range []string{"trigger", "start", "finish"} {
				if what != "finish" || len(b.Rules[j].Outputs) > 0 {
					t.Lines = append(t.Lines, Line{Name: name + " " + what})
				}
			}
		}
		t.first = append(t.first, first)
	}
	return t
}

// Add adds a run. It is suitable for Options.Each.
func (t *Timeline) Add(r *Run) error {
	if r.Number >= uint64(t.runs) {
		return nil
	}
	at := t.first[r.Block][r.Rule]
	times := []int64{r.Trigger, r.Start, r.Finish}
	if r.Output == NoOutput {
		times = times[:2]
	}
	for i, time := range times {
		t.Lines[at+i].Marks = append(t.Lines[at+i].Marks, Mark{time, int(r.Number)})
		t.Until = max(t.Until, time)
	}
	return nil
}

// Refuse removes the finishes of rules that do not match their trace. It removes all marks of a rule whose waits do
// not match.
func (t *Timeline) Refuse(r *Result) {
	t.Until = 0
	for i := range r.Blocks {
		for j := range r.Blocks[i].Rules {
			x, at := &r.Blocks[i].Rules[j], t.first[i][j]
			for l := range 2 + min(1, len(t.file.Blocks[i].Rules[j].Outputs)) {
				if x.WaitUnfit != "" || l == 2 && x.Unfit != "" {
					t.Lines[at+l].Marks = nil
				}
				for _, m := range t.Lines[at+l].Marks {
					t.Until = max(t.Until, m.Time)
				}
			}
		}
	}
}

// Events adds the events of marked files in the time range of the added runs.
func (t *Timeline) Events(ctx context.Context, table trace.Table) error {
	at := 0
	for i := range t.file.Blocks {
		b := &t.file.Blocks[i]
		for j := range b.Ports {
			for _, e := range b.Ports[j].Events {
				if !e.Shown {
					continue
				}
				if err := t.events(ctx, table, e.File, &t.Lines[at]); err != nil {
					return fmt.Errorf("drawing %s: %w", e.File, err)
				}
				at++
			}
		}
		for j := range b.Rules {
			at += 2 + min(1, len(b.Rules[j].Outputs))
		}
	}
	return nil
}

// events adds the events of one file.
func (t *Timeline) events(ctx context.Context, table trace.Table, file string, line *Line) error {
	streams, err := table.Header().Find(file)
	if err != nil {
		return err
	}
	r, err := table.Open(streams...)
	if err != nil {
		return err
	}
	defer r.Close()
	c := trace.NewCursor(r)
	for len(line.Marks) < maxMarks {
		e, err := c.Next()
		if e == nil || err != nil || e.Time > t.Until {
			return err
		}
		line.Marks = append(line.Marks, Mark{e.Time, -1})
	}
	return ctx.Err()
}

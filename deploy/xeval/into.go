package xeval

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"xopt/deploy/trace"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// Output selects the additional outputs of an evaluation.
type Output struct {
	Folder   string // folder for the .ts files with the times of every run; "" for none
	Timeline int    // number of runs of each rule on the timeline; 0 for no timeline
}

// EvaluateInto evaluates rules and writes the times of their runs into a folder. If requested, it returns a timeline of
// the first runs. It writes nothing if rules do not match the trace.
func EvaluateInto(ctx context.Context, rules *File, table trace.Table, o Output) (r *Result, line *Timeline,
	err error) {
	var each []func(*Run) error
	if o.Folder != "" {
		var rec *Recorder
		if rec, err = NewRecorder(o.Folder, rules, table.Header()); err != nil {
			return nil, nil, err
		}
		each = append(each, rec.Add)
		defer func() {
			if err != nil {
				err = errors.Join(err, rec.Abort())
				return
			}
			err = rec.Close()
		}()
	}
	if o.Timeline > 0 {
		line = NewTimeline(rules, o.Timeline)
		each = append(each, line.Add)
	}
	r, err = Evaluate(ctx, rules, table, Options{Each: func(run *Run) error {
		for _, add := range each {
			if err := add(run); err != nil {
				return err
			}
		}
		return nil
	}})
	if err == nil && o.Folder != "" && len(r.Unfit()) > 0 {
		err = fault.RulesDoNotFit.Errorf("xopt wrote nothing to %s, because rules do not fit the trace: %s", o.Folder,
			strings.Join(r.Unfit(), "; "))
	}
	if err == nil && line != nil {
		line.Refuse(r)
		err = line.Events(ctx, table)
	}
	return r, line, err
}

// Block returns the index of a block in a file of rules; -1 if no block has the name.
func (f *File) Block(name string) int {
	return slices.IndexFunc(f.Blocks, func(b Block) bool { return b.Name == name })
}

// OtherTimes identifies the times of another run: the folder that xeval wrote, and the block that they replace.
type OtherTimes struct {
	Folder string
	Block  int
}

// SubstituteInto writes the events of a block to a folder. The times come from another run.
func SubstituteInto(ctx context.Context, rules *File, table trace.Table, from OtherTimes, folder string) (*Substitution,
	error) {
	b := &rules.Blocks[from.Block]
	var times []*Times
	defer func() {
		for _, t := range times {
			_ = t.Close() // an error after reading is irrelevant
		}
	}()
	for i := range b.Rules {
		t, err := OpenTimes(from.Folder, b.Name, i, len(b.Rules[i].Outputs), 1)
		if err != nil {
			return nil, &TimesError{err}
		}
		times = append(times, t)
	}
	w, err := NewSubstituteWriter(folder, b)
	if err != nil {
		return nil, err
	}
	done, err := Substitute(ctx, &rules.Blocks[from.Block], table, times, w.Emit)
	if err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return done, w.Close()
}

// TimesError reports times that cannot be read.
type TimesError struct{ Err error }

func (e *TimesError) Error() string { return e.Err.Error() }
func (e *TimesError) Unwrap() error { return e.Err }

// Misfit returns an error if rules do not match the trace. The notes contain the reason for each rule.
func (r *Result) Misfit() error {
	if n := len(r.Unfit()); n > 0 {
		return fault.RulesDoNotFit.Errorf("%s not fit the trace, so some times are unknown (-): the notes explain "+
			"why, and what to do", units.Counted(n, "rule does", "rules do"))
	}
	return nil
}

// WriteJSON writes a result as JSON.
func (r *Result) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r)
}

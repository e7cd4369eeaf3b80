package main

import (
	"bytes"
	"strings"
	"testing"

	"xopt/cmd/faults"
	"xopt/deploy/program"
	deployrun "xopt/deploy/run"
	"xopt/mapper/result"
)

// TestRunEnough: runs that are too short are repeated with more elements, at most twice, and one note counts them.
func TestRunEnough(t *testing.T) {
	for _, short := range []int{0, 1, 2, 5} {
		var notes bytes.Buffer
		a := newApp(&bytes.Buffer{}, &notes)
		f := &deployCommand{app: a, Deploy: &a.settings.Deploy}
		runs := 0
		_, err := f.runEnough(program.Options{}, func(o program.Options, _ deployrun.Options) (attempt, error) {
			m := &deployrun.Measurement{}
			m.Steady = &result.SteadyPart{}
			if runs++; runs <= short {
				m.Steady.Short, m.Steady.Enough = "others ran", o.Elements+1000
			}
			return attempt{run: m}, nil
		}, deployrun.Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, id := min(short, moreAttempts), string(faults.MoreElements)
		if runs != 1+again || strings.Count(notes.String(), id) != min(again, 1) ||
			strings.Count(notes.String(), "others ran") != min(again, 1) {
			t.Errorf("%d short runs: %d runs; %s", short, runs, notes.String())
		}
	}
}

package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xopt/internal/testkit"
	"xopt/mapper/result"
)

// TestSignals checks that the signals of a run agree, although the simulation computes them independently. The
// reassembled trace of a state machine's register gives the cycles of each state, the utilization, the mean and the
// histogram. With a condition, and after a trigger, it gives the values of the same cycles of the complete trace.
func TestSignals(t *testing.T) {
	testkit.Long(t, "it builds a simulation")
	testkit.Tools(t, "verilator", "g++", "cc")
	dir := t.TempDir()
	t.Chdir(dir)
	typedLine(t, 0, "examples", "queens")
	out := filepath.Join(dir, "r.json")
	typedLine(t, 0, "deploy", "queens/app.x", "queens/hybrid.x", "queens/hardware.x", "--elements", "64", "--sink",
		"ways", "--set", "top.n=6", "-o", out, "--measure", `
		t: measure trace(entries=1000000) at queens[2]:state
		r: measure trace(entries=1000000) at queens[2]:row
		s: measure states at queens[2]
		u: measure util at queens[2]:(state == ATTACK_CHECK)
		m: measure mean at queens[2]:row
		h: measure hist at queens[2]:row when queens[2]:(state == 2)
		a: measure sum value at queens[2]:row after queens[2]:(state == SEND)
		first: measure trace(entries=3) at queens[2]:row when queens[2]:(state == 2)`, "--waves", "w.vcd")
	q := queriesIn(t, out)
	cycles := uint64(q["m"].Total.Samples.Samples)
	state, row := values(t, q["t"], cycles), values(t, q["r"], cycles)
	byState, byRow := make(map[float64]uint64), make(map[float64]uint64)
	rows, behind, sent := 0.0, 0.0, false
	for i := range state {
		byState[state[i]]++
		rows += row[i]
		if state[i] == 2 {
			byRow[row[i]]++
		}
		if sent = sent || state[i] == 8; sent {
			behind += row[i]
		}
	}
	reported := uint64(0)
	for i, s := range q["s"].Cycles.Machines[0].States {
		if byState[float64(i)] != s.Cycles {
			t.Errorf("state %s has %d cycles, in the trace %d", s.State, s.Cycles, byState[float64(i)])
		}
		reported += s.Cycles
	}
	if reported != cycles {
		t.Errorf("%d cycles in states, %d in all", reported, cycles)
	}
	near := func(what string, got *float64, want float64) {
		if got == nil || math.Abs(float64(*got)-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s is %v, in the trace %g", what, got, want)
		}
	}
	near("util", q["u"].Total.Value, float64(byState[2])/float64(cycles))
	near("mean", q["m"].Total.Value, rows/float64(cycles))
	near("sum behind the trigger", q["a"].Total.Value, behind)
	bins := uint64(0)
	for _, b := range q["h"].Total.Samples.Bins {
		if uint64(b.Elements) != byRow[float64(b.From)] {
			t.Errorf("row %g in %g cycles, in the trace %d", b.From, b.Elements, byRow[float64(b.From)])
		}
		bins += uint64(b.Elements)
	}
	if bins != byState[2] || bins == 0 {
		t.Errorf("the histogram is of %d cycles, want %d", bins, byState[2])
	}
	if n := len(q["first"].Trace); n != 3 || q["first"].Lost != 0 && q["first"].Trace[0].Stops {
		t.Errorf("%d entries: %+v", n, q["first"].Trace)
	}
	waves, err := os.ReadFile("w.vcd")
	if err != nil || !strings.Contains(string(waves), "$var wire 4 ! t $end") {
		t.Errorf("%.200s, error %v", waves, err)
	}
	typedLine(t, 0, "report", out, "--trace", "timeline.json")
	if text, err := os.ReadFile("timeline.json"); err != nil || !json.Valid(text) ||
		!strings.Contains(string(text), `"cat":"signal"`) {
		t.Errorf("the timeline has no signals, error %v", err)
	}
}

// queriesIn returns the measurements in a result file, by label.
func queriesIn(t *testing.T, path string) map[string]*result.Query {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := result.Decode(path, f)
	if err != nil {
		t.Fatal(err)
	}
	q := make(map[string]*result.Query)
	for i := range r.Measured.Queries {
		q[r.Measured.Queries[i].Name] = &r.Measured.Queries[i]
	}
	return q
}

// values returns the value in each cycle of a trace.
func values(t *testing.T, q *result.Query, cycles uint64) []float64 {
	t.Helper()
	list := make([]float64, cycles)
	for i, e := range q.Trace {
		to := cycles
		if i+1 < len(q.Trace) {
			to = q.Trace[i+1].Index
		}
		if i == 0 && e.Index != 0 || to <= e.Index || q.Lost > 0 {
			t.Fatalf("entry %d of %s is of cycle %d, the next of %d; %d lost", i, q.Name, e.Index, to, q.Lost)
		}
		for c := e.Index; c < to; c++ {
			list[c] = float64(e.Value)
		}
	}
	return list
}

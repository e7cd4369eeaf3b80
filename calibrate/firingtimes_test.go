package calibrate

import (
	"math"
	"slices"
	"strings"
	"testing"

	"xopt/deploy/run"
	"xopt/mapper/result"
)

// frames returns a run with the given logged times by frame.
func frames(lost uint64, logs ...[]result.Logged) *run.Measurement {
	m := &run.Measurement{Taps: []run.TapMeasurement{{Lost: lost}}}
	for _, l := range logs {
		m.Frames = append(m.Frames, run.FrameData{Logs: [][]result.Logged{l}})
	}
	return m
}

func entries(from, n int, value float64) []result.Logged {
	list := make([]result.Logged, n)
	for i := range list {
		list[i] = result.Logged{Index: uint64(from + i), Value: value}
	}
	return list
}

// TestInRows: the first windows do not count, and a log that has lost firings is in pieces.
func TestInRows(t *testing.T) {
	warm := [][]result.Logged{entries(0, 100, 9), entries(100, 100, 9)}
	complete := inRows(frames(0, append(warm, entries(200, 100, 1), entries(300, 100, 1))...))
	if len(complete) != 1 || len(complete[0]) != 200 || complete[0][0] != 1 {
		t.Errorf("%d rows, want one of 200", len(complete))
	}
	torn := inRows(frames(5, append(warm, entries(200, 100, 1), entries(305, 100, 1), entries(500, 10, 1))...))
	if len(torn) != 2 || len(torn[0]) != 100 || len(torn[1]) != 100 {
		t.Errorf("%d rows, want two of 100, and not that of 10", len(torn))
	}
}

// asGood is the slowdown of an undisturbed kernel.
func asGood([]float64) float64 { return 1 }

// TestTimesInUndisturbed: the times of a run in a slow phase are corrected to undisturbed times.
func TestTimesInUndisturbed(t *testing.T) {
	slow := timedRun{rows: [][]float64{{3e-6, 6e-6}}, probes: [][]float64{{2}, {3}, {3}}}
	rows := undisturbedTimes([]timedRun{slow}, func(probes []float64) float64 { return probes[0] })
	if len(rows) != 1 || math.Abs(rows[0][0]-1e-6) > 1e-15 || math.Abs(rows[0][1]-2e-6) > 1e-15 {
		t.Errorf("%v, want 1e-6 and 2e-6", rows)
	}
}

// TestDistribution: the cost of timing is subtracted, and if nothing is left there are no times.
func TestDistribution(t *testing.T) {
	var row []float64
	for i := range 1000 {
		row = append(row, 1e-6+1e-7*float64(i%3))
	}
	x := timed{runs: 1, clean: []timedRun{{rows: [][]float64{row}}}, rough: []timedRun{{rows: [][]float64{{9}}}}}
	d, why := x.distribution(1e-6, asGood)
	if why != "" || math.Abs(d.Mean()-1e-6) > 1e-9 || math.Abs(d.Max()-d.Min()-2e-7) > 1e-12 {
		t.Errorf("mean %g, from %g to %g, %q, want 1e-6 and as wide as before", d.Mean(), d.Min(), d.Max(), why)
	}
	long := slices.Clone(row)
	long[500] = 1 // a stall of the machine is in few pieces
	y := timed{runs: 1, clean: []timedRun{{rows: [][]float64{long}}}}
	if d, _ := y.distribution(1e-6, asGood); d.Min() < 0.8e-6 || d.Max() < 0.9 || d.LeftOut != 0 {
		t.Errorf("with a stall, from %g to %g, and %d left out", d.Min(), d.Max(), d.LeftOut)
	}
	y.rough, y.clean = y.clean, nil
	if d, _ := y.distribution(1e-6, asGood); d.Max() > 1.3e-6 || d.LeftOut != 1 || d.Samples() != 999 {
		t.Errorf("with a stall in a disturbed run, up to %g, and %d left out", d.Max(), d.LeftOut)
	}
	long[1], long[2] = 1, 1
	if d, _ := y.distribution(1e-6, asGood); d.Max() < 0.9 || d.LeftOut != 0 {
		t.Errorf("with three in 1000 that are long, up to %g, and %d left out", d.Max(), d.LeftOut)
	}
	for _, c := range []struct {
		x       timed
		service float64
		want    string
	}{
		{timed{runs: 1, clean: x.clean}, 1e-7, "too short"},
		{timed{runs: 1}, 1e-6, "too few"},
		{timed{}, 1e-6, "time limit"},
		{timed{runs: 1, why: "it releases several firings at once"}, 1e-6, "several"},
	} {
		if d, why := c.x.distribution(c.service, asGood); d != nil || !strings.Contains(why, c.want) {
			t.Errorf("%+v: %+v, %q, want %q", c.x, d, why, c.want)
		}
	}
}

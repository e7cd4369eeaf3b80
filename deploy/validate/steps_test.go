package validate

import (
	"testing"
	"time"
)

// TestResumedSteps checks that the runs of an interrupted validation count in the progress of the next call.
func TestResumedSteps(t *testing.T) {
	last, of := 0, 0
	at := steps{done: -1, all: 8, report: func(done, all, _ int, _ time.Duration) { last, of = done, all }}
	at.next() // predicts a mapping of which 2 of 3 runs are known
	at.ran(2, 3)
	at.next() // predicts a mapping with 5 runs, more than were requested
	at.ran(5, 3)
	at.next() // the third run of the first mapping
	if last != 7 || of != 8 {
		t.Errorf("step %d of %d, want 7 of 8", last, of)
	}
}

// TestRunTimes checks the estimate of the remaining time: of runs until the sources have sent their elements from the
// predicted throughput, and then from completed runs.
func TestRunTimes(t *testing.T) {
	d := threeKernels(t)
	source := d.Program.Kernels[0].Outputs[0].ElementBytes
	cases := []Case{{Predicted: 1e3 * source}, {Predicted: 2e3 * source}, {Predicted: 1e3 * source, Fail: "it crashed"}}
	o := Options{Runs: 2, Elements: 10000}
	o.fill(false)
	x := newRunTimes(d, cases, o) // 10 s and 5 s
	if got := x.left(cases, o); got != 30*time.Second {
		t.Errorf("before the first run, %v", got)
	}
	x.add(0, 40*time.Second)
	cases[0].Runs = []float64{1}
	if got := x.left(cases, o); got != 80*time.Second {
		t.Errorf("after a run of 4 times the predicted time, %v", got)
	}
	cases[1].Virtual, cases[0].Virtual = true, true
	if got := newRunTimes(d, cases, o).left(cases, o); got != 0 {
		t.Errorf("in virtual time, before the first run: %v", got)
	}
	y := newRunTimes(d, cases, o)
	y.add(0, 40*time.Second)
	if got := y.left(cases, o); got != 200*time.Second { // 3 and 4 simulations
		t.Errorf("with the simulations that divide the errors: %v", got)
	}
	if got := y.splitting(cases, 1, o); got != 120*time.Second {
		t.Errorf("after the first error is divided: %v", got)
	}
	window := Options{Runs: 2, Window: time.Second}
	window.fill(false)
	if got := newRunTimes(d, cases[1:2], window); got.each[0] != 1.5 {
		t.Errorf("windows of 1 s: %v", got.each)
	}
}

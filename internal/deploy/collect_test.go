package deploy

import (
	"math"
	"testing"
	"time"

	"xopt/internal/xlang"
)

// TestLogsAtTheEnd: the clock pair that a process takes at its end counts only when it is
// whole, and the last frame has all that is in the logs, whatever their clock says.
func TestLogsAtTheEnd(t *testing.T) {
	p := &plan{program: &xlang.Program{}, processes: []process{{name: "one"}}}
	p.taps = []tap{{Tap: Tap{Kind: Occupancy, Trace: 4}, at: processControlBytes}}
	r := &run{plan: p, mem: make([]byte, 2*processControlBytes)}
	r.collector = newCollector(r)
	c := r.collector
	if _, measured := r.tick(0); measured {
		t.Error("the clock of a process that has not started was measured")
	}
	r.store64(processTick0, 1000)
	r.store64(processNs0, 5000)
	r.store64(processTick1, 3000) // a tick of 1 ns
	r.store64(processNs1, 7000)
	r.begin = time.Now()
	r.end = r.begin.Add(time.Second)
	c.going, c.startTick = true, 1000

	near := func(what string, want float64) {
		t.Helper()
		if got := r.tickSeconds(0); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%s: a tick of %g s, want %g", what, got, want)
		}
	}
	near("at the start", 1e-9)
	r.store64(processTick2, 2000) // half of the pair at the end
	near("while it ends", 1e-9)
	r.store64(processNs2, 7000)
	near("before it is done", 1e-9)
	r.store32(processDone, 1)
	near("when it is done", 2e-9)

	for n := range uint64(3) { // one of them a second late
		at := p.taps[0].at + tapControlBytes + n*traceBytes
		r.store64(at, n)
		r.store64(at+8, 1000+n%2*1_000_000_000)
	}
	r.store64(p.taps[0].at+tapTraced, 3)
	c.finish()
	if len(c.frames) != 1 || len(c.frames[0].Logs[0]) != 3 {
		t.Errorf("of three values in a log the last frame has %+v", c.frames)
	}
}

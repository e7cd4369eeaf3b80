package run

import (
	"math"
	"testing"
	"time"

	"xopt/deploy/abi"
	"xopt/deploy/program"
)

// TestLogsAtTheEnd: the clock pair of a process's end counts only when it is complete. The last frame contains all
// log entries, whatever their clock.
func TestLogsAtTheEnd(t *testing.T) {
	p := &program.Description{Processes: []program.Process{{Name: "one"}}}
	p.Taps = []program.PlacedTap{{Tap: program.Tap{Kind: program.Occupancy, Trace: 4}, At: abi.ProcessBytes}}
	r := newRun(p, make([]byte, 2*abi.ProcessBytes), Options{})
	c := r.collector
	if _, measured := r.tick(0); measured {
		t.Error("the clock of a process that has not started was measured")
	}
	r.store64(abi.ProcessTick0, 1000)
	r.store64(abi.ProcessNs0, 5000)
	r.store64(abi.ProcessTick1, 3000) // a tick of 1 ns
	r.store64(abi.ProcessNs1, 7000)
	r.started = time.Now()
	r.ended = r.started.Add(time.Second)
	c.going, c.startTick = true, 1000

	near := func(what string, want float64) {
		t.Helper()
		if got := r.tickSeconds(0); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%s: a tick of %g s, want %g", what, got, want)
		}
	}
	near("at the start", 1e-9)
	r.store64(abi.ProcessTick2, 2000) // half of the pair at the end
	near("while it ends", 1e-9)
	r.store64(abi.ProcessNs2, 7000)
	near("before it is done", 1e-9)
	r.store32(abi.ProcessDone, 1)
	near("when it is done", 2e-9)

	for n := range uint64(3) { // one of them a second late
		at := p.Taps[0].LogAt() + n*abi.TraceBytes
		r.store64(at+abi.TraceIndex, n)
		r.store64(at+abi.TraceTick, 1000+n%2*1_000_000_000)
	}
	r.store64(p.Taps[0].At+abi.TapTraced, 3)
	c.finish()
	if len(c.frames) != 1 || len(c.frames[0].Logs[0]) != 3 {
		t.Errorf("of three values in a log the last frame has %+v", c.frames)
	}
}

// TestMostOfALog: a limited log keeps the first values of the run, and does not report the later ones as lost. An
// unlimited one keeps all.
func TestMostOfALog(t *testing.T) {
	p := &program.Description{Processes: []program.Process{{Name: "one"}}}
	p.Taps = []program.PlacedTap{{Tap: program.Tap{Kind: program.Occupancy, Trace: 4, Logged: 5}, At: abi.ProcessBytes},
		{Tap: program.Tap{Kind: program.Occupancy, Trace: 4}, At: 2 * abi.ProcessBytes}}
	r := newRun(p, make([]byte, 3*abi.ProcessBytes), Options{})
	c := r.collector
	r.store64(abi.ProcessTick0, 1000)
	r.store64(abi.ProcessNs0, 5000)
	r.started = time.Now()
	r.ended = r.started.Add(time.Second)
	c.going, c.startTick = true, 1000
	const rounds, each = 3, 3
	for n := range uint64(rounds * each) {
		for i := range p.Taps {
			at := p.Taps[i].LogAt() + n%4*abi.TraceBytes
			r.store64(at+abi.TraceIndex, n)
			r.store64(at+abi.TraceTick, 1000+n)
			r.store64(p.Taps[i].At+abi.TapTraced, n+1)
		}
		if n%each == each-1 {
			c.read(false)
		}
	}
	c.finish()
	for i, want := range []uint64{5, rounds * each} {
		got := c.frames[0].Logs[i]
		if uint64(len(got)) != want || c.taps[i].Lost != 0 {
			t.Errorf("log %d has %d values, want %d; %d are lost", i, len(got), want, c.taps[i].Lost)
		}
		for n, x := range got {
			if x.Index != uint64(n) {
				t.Errorf("value %d of log %d is of element %d", n, i, x.Index)
			}
		}
	}
}

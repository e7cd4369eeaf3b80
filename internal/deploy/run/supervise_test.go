package run

import (
	"testing"
	"time"

	"xopt/internal/deploy/abi"
	"xopt/internal/deploy/build"
)

// TestStillnessInVirtualTime: while a simulation goes on, however slowly, its FPGAs are given
// the cycles in which they find out that they have ended; one that does not go on any more, or
// in which nothing moves for long, has stalled.
func TestStillnessInVirtualTime(t *testing.T) {
	const stall, cycle = 10 * time.Second, 10_000 // ps
	begin := time.Now()
	fresh := func() *stillness {
		r := newRun(&build.Description{Virtual: true, FPGAs: []build.FPGA{{Name: "fpga", Period: cycle * 1e-12}}},
			make([]byte, 4096), Options{})
		return &stillness{r: r, since: begin}
	}
	look := func(s *stillness, seconds, cycles int) bool {
		s.r.store64(abi.RunNow, uint64(cycles)*cycle)
		return s.look(begin.Add(time.Duration(seconds)*time.Second), stall) != nil
	}
	s := fresh()
	for i := range 60 { // a busy machine
		if look(s, i, 64*(i+1)) {
			t.Fatalf("stalled after %d s, %d cycles on", i, 64*(i+1))
		}
	}
	if look(s, 61, quietCycles-1) || !look(s, 62, quietCycles+1) {
		t.Error("it has not stalled when nothing moved for many cycles, or before")
	}
	s = fresh()
	for i := range 30 {
		if over := look(s, i, 64*min(i+1, 5)); over != (i > 4+10) {
			t.Errorf("%d s: stalled %t, the simulation went on until 4 s", i, over)
		}
	}
}

package run

import (
	"testing"
	"time"

	"xopt/deploy/abi"
	"xopt/deploy/program"
)

// TestStillnessInVirtualTime: while a simulation progresses, however slowly, its FPGAs get the cycles for detecting
// their end. A simulation without progress, or without movement for long, has stalled.
func TestStillnessInVirtualTime(t *testing.T) {
	const stall, cycle = 10 * time.Second, 10_000 // ps
	begin := time.Now()
	fresh := func() *stillness {
		r := newRun(&program.Description{Virtual: true, FPGAs: []program.FPGA{{Name: "fpga", Period: cycle * 1e-12}}},
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

// TestStoppedMachine: of a time in which the supervisor had no turn only a part counts, for kernels had none either.
func TestStoppedMachine(t *testing.T) {
	const stall = 10 * time.Second
	begin := time.Now()
	for _, c := range []struct {
		seconds []int // after the begin, of each look
		stalled bool  // at the last
	}{
		{[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, true},
		{[]int{0, 1, 11}, false},
		{[]int{0, 60, 61, 62}, false},
		{[]int{0, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70}, true},
		{[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 40}, true},
	} {
		r := newRun(&program.Description{}, make([]byte, 4096), Options{})
		s := &stillness{r: r, since: begin}
		for i, seconds := range c.seconds {
			got := s.look(begin.Add(time.Duration(seconds)*time.Second), stall) != nil
			if last := i == len(c.seconds)-1; got != (last && c.stalled) {
				t.Errorf("looks at %v s: stalled %t at %d s", c.seconds[:i+1], got, seconds)
			}
		}
	}
}

// TestSlowStart: the time in which Linux starts processes is not a stall of kernels. An init function that does not
// return is one.
func TestSlowStart(t *testing.T) {
	const stall = 10 * time.Second
	p, err := program.Describe(stallDesign(t, "join x, y;", ""), program.Options{CPUs: 2})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	fresh := func(kernel uint32) *stillness {
		r := newRun(p, make([]byte, p.Bytes), Options{})
		for i := range p.Processes {
			r.store32(r.processAt(i)+abi.ProcessKernel, ^uint32(0))
		}
		r.store32(r.processAt(0)+abi.ProcessKernel, kernel)
		return &stillness{r: r, since: begin, calls: make([]uint64, len(p.Kernels))}
	}
	const none = ^uint32(0)
	for _, c := range []struct {
		name   string
		kernel uint32 // that the first process runs
		ends   int    // s until the failure
	}{{"no process runs a kernel", none, 61}, {"a kernel in its init function", 0, 11}} {
		s, f := fresh(c.kernel), (*Failure)(nil)
		for at := 0; f == nil && at < 100; at++ {
			if f = s.look(begin.Add(time.Duration(at)*time.Second), stall); f != nil && (at != c.ends ||
				f.Kind != "hang" || (f.Kernel != "") != (c.kernel != none)) {
				t.Errorf("%s: after %d s %+v, want a hang after %d s", c.name, at, f, c.ends)
			}
		}
		if f == nil {
			t.Errorf("%s: no failure", c.name)
		}
	}
}

package run

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"xopt/deploy/abi"
	"xopt/deploy/program"
)

// TestStillnessInVirtualTime: while a simulation progresses, however slowly, its FPGAs get the cycles for detecting
// their end. A simulation without progress, or without movement for long, has stalled.
func TestStillnessInVirtualTime(t *testing.T) {
	const stall, cycle = 10 * time.Second, 10_000 // ps
	start := time.Now()
	fresh := func() *stillness {
		r := newRun(&program.Description{Virtual: true, FPGAs: []program.FPGA{{Name: "fpga", Period: cycle * 1e-12}}},
			make([]byte, 4096), Options{})
		return &stillness{r: r, since: start, use: idleUse}
	}
	look := func(s *stillness, seconds, cycles int) bool {
		s.r.store64(abi.RunNow, uint64(cycles)*cycle)
		return s.look(start.Add(time.Duration(seconds)*time.Second), stall) != nil
	}
	s := fresh()
	for i := range 60 { // a busy machine
		if look(s, i, 64*(i+1)) {
			t.Fatalf("stalled after %d s, %d cycles on", i, 64*(i+1))
		}
	}
	if look(s, 61, quietCycles-1) {
		t.Error("it has stalled before quietCycles")
	}
	for i := 62; i < 80; i++ {
		if exceeded := look(s, i, quietCycles+i); exceeded != (i > 61+10) {
			t.Errorf("%d s: stalled %t, quietCycles were over after 61 s", i, exceeded)
		}
	}
	s = fresh() // in a turn of 10 * quietCycles
	s.r.store64(abi.RunSettled, 10*quietCycles*cycle)
	for i := range 100 {
		if exceeded := look(s, i, quietCycles*(i+1)/4); exceeded != (i > 42+10) {
			t.Fatalf("%d s: stalled %t, the turn and quietCycles were over after 42 s", i, exceeded)
		}
	}
	s = fresh()
	for i := range 30 {
		if exceeded := look(s, i, 64*min(i+1, 5)); exceeded != (i > 4+10) {
			t.Errorf("%d s: stalled %t, the simulation went on until 4 s", i, exceeded)
		}
	}
}

// idleUse returns a reading of processes that neither run nor wait.
func idleUse(now time.Time) processorUse { return processorUse{at: now} }

// TestKeptFromRunning: the time for which a process waited for a processor, or for which a processor stood still, is
// no stall, up to maxStalls limits. Waiting is no excuse for a process that has looked for work often.
func TestKeptFromRunning(t *testing.T) {
	const stall, kernel = 10 * time.Second, 0
	p, err := program.Describe(stallDesign(t, "join x, y;", ""), program.Options{CPUs: 2})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for _, c := range []struct {
		name    string
		kernel  uint32 // that the first process runs
		of      func(at float64) scheduled
		ready   bool
		ticks   float64 // per second
		failsAt int     // s
		kind    string
	}{
		{"it sleeps", none, func(float64) scheduled { return scheduled{} }, false, 1, 11, "deadlock"},
		{"it computes", kernel, func(at float64) scheduled { return scheduled{at, 0, 1} }, true, 1, 11, "hang"},
		{"it waits all the time", none, func(float64) scheduled { return scheduled{} }, true, 1, 61, "busy"},
		{"a kernel has 0.6 of a processor", kernel, func(at float64) scheduled {
			return scheduled{0.6 * at, 0.4 * at,
				uint64(100 * at)}
		}, true, 1, 16, "hang"},
		{"a kernel has 0.05 of a processor", kernel, func(at float64) scheduled {
			return scheduled{0.05 * at, 0.95 * at,
				uint64(10 * at)}
		}, true, 1, 61, "busy"},
		{"it looks for work between waits", none, func(at float64) scheduled {
			return scheduled{0.05 * at, 0.95 * at,
				uint64(10 * at)}
		}, true, 1, 11, "deadlock"},
		{"a processor stands still", none, func(float64) scheduled { return scheduled{} }, false, 0, 61, "busy"},
	} {
		r := newRun(p, make([]byte, p.Bytes), Options{})
		for i := range p.Processes {
			r.store32(r.processAt(i)+abi.ProcessKernel, none)
		}
		r.store32(abi.RunStart, 1)
		r.store32(r.processAt(0)+abi.ProcessKernel, c.kernel)
		s := &stillness{r: r, since: start, calls: make([]uint64, len(p.Kernels))}
		s.use = func(now time.Time) processorUse {
			at := now.Sub(start).Seconds()
			return processorUse{now, map[int]scheduled{0: c.of(at)}, map[int]bool{0: c.ready},
				map[string]float64{"cpu0": at, "cpu1": c.ticks * at}}
		}
		for at := 0; ; at++ {
			f := s.look(start.Add(time.Duration(at)*time.Second), stall)
			if f == nil && at < 100 {
				continue
			}
			if f == nil || f.Kind != c.kind || at != c.failsAt {
				t.Errorf("%s: after %d s %v, want a %s after %d s", c.name, at, f, c.kind, c.failsAt)
			}
			break
		}
	}
}

// TestHeldProcess: a process that is stopped for less than the stall limit does no harm, and one that stays stopped
// is a stall whose state names it.
func TestHeldProcess(t *testing.T) {
	t.Parallel()
	d := load(t, test1, "app.x arch.x", "map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store "+
		"} to proc[2];")
	prog, err := program.New(t.Context(), d, program.Options{CPUs: 2, Elements: 1 << 60},
		filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	m := strike(t, prog, 2, 1, syscall.SIGSTOP)
	if m == nil || m.Failure == nil || m.Failure.Kind != "hang" && m.Failure.Kind != "deadlock" {
		t.Fatalf("got %+v", m)
	}
	if s := m.Failure.State; len(s) != 2 || !strings.Contains(s[0]+s[1], "Linux state T") {
		t.Errorf("the state of the processes is %q", s)
	}
}

// none is the number of a kernel in a process that runs none.
const none = ^uint32(0)

// TestStoppedMachine: a time in which the supervisor did not run counts only in part, because kernels did not run
// either.
func TestStoppedMachine(t *testing.T) {
	const stall = 10 * time.Second
	start := time.Now()
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
		s := &stillness{r: r, since: start, use: idleUse}
		for i, seconds := range c.seconds {
			got := s.look(start.Add(time.Duration(seconds)*time.Second), stall) != nil
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
	start := time.Now()
	fresh := func(kernel uint32) *stillness {
		r := newRun(p, make([]byte, p.Bytes), Options{})
		for i := range p.Processes {
			r.store32(r.processAt(i)+abi.ProcessKernel, none)
		}
		r.store32(r.processAt(0)+abi.ProcessKernel, kernel)
		return &stillness{r: r, since: start, use: idleUse, calls: make([]uint64, len(p.Kernels))}
	}
	for _, c := range []struct {
		name    string
		kernel  uint32 // that the first process runs
		failsAt int    // s until the failure
	}{{"no process runs a kernel", none, 61}, {"a kernel in its init function", 0, 11}} {
		s, f := fresh(c.kernel), (*Failure)(nil)
		for at := 0; f == nil && at < 100; at++ {
			if f = s.look(start.Add(time.Duration(at)*time.Second), stall); f != nil && (at != c.failsAt ||
				f.Kind != "hang" || (f.Kernel != "") != (c.kernel != none)) {
				t.Errorf("%s: after %d s %+v, want a hang after %d s", c.name, at, f, c.failsAt)
			}
		}
		if f == nil {
			t.Errorf("%s: no failure", c.name)
		}
	}
}

package run

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"xopt/deploy/abi"
	"xopt/deploy/program"
)

// TestHostileMemory: whatever stands in shared memory, reading it ends, and nothing that is
// read there makes xopt fail.
func TestHostileMemory(t *testing.T) {
	d := load(t, test1, "app.x arch.x", "map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store "+
		"} to proc[2];")
	taps := append(program.Logs(program.StandardTaps(d.Program, 1), d.Program, 100),
		program.Tap{Kind: program.Record, Edge: 0, Bytes: 1 << 16}, program.Tap{Kind: program.Value, Edge: 1,
			Frame:     100,
			Histogram: &program.Bins{}},
		program.Tap{Kind: program.Boundary, Edge: 2, Frame: 10})
	source := rand.New(rand.NewPCG(1, 2))
	words := []func() uint64{
		source.Uint64,
		func() uint64 { return 0 },
		func() uint64 { return math.MaxUint64 },
		func() uint64 { return math.Float64bits(math.NaN()) },
		func() uint64 { return 1 << source.UintN(64) },
	}
	for round := range 40 {
		p, err := program.Describe(d, program.Options{CPUs: 2, Taps: taps,
			Growth: program.Growth{MaxBytes: 16 << 20, Policy: program.GrowthPolicy(round % 2)}})
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(p, make([]byte, p.Bytes), Options{Frame: 100 * time.Millisecond})
		r.begin = time.Now()
		r.end = r.begin.Add(time.Second)
		r.watch.begin()
		r.collector.begin()
		for at := 0; at+8 <= int(p.Controls); at += 8 {
			binary.LittleEndian.PutUint64(r.mem[at:], words[(round+source.IntN(1+round%3))%len(words)]())
		}
		for i := range p.Taps {
			for at := p.Taps[i].At; at < p.Taps[i].At+4096; at += 8 {
				binary.LittleEndian.PutUint64(r.mem[at:], words[(round+source.IntN(1+round%3))%len(words)]())
			}
		}
		r.collector.look(r.begin.Add(200 * time.Millisecond)) // it may come between two looks of the watcher
		r.grower.look(r.begin.Add(200 * time.Millisecond))
		r.stalled(time.Second, make([]uint64, len(p.Kernels)))
		r.brokenFence()
		r.message(0)
		if r.watch.look(r.begin) == nil && round%len(words) != 1 {
			t.Errorf("round %d: nothing was found", round)
		}
		f := r.inspect(nil)
		r.collector.finish()
		m := r.measure(f)
		for _, e := range m.Edges {
			if f != nil && (e.Elements != 0 || e.Left != 0 || e.Waits != 0) {
				t.Errorf("round %d: an edge is said to have carried %+v", round, e)
			}
		}
	}
}

// TestBusyMachine: seconds can pass between the moment of a look and the reading of what a kernel says that it has
// worked. It is not blamed for having worked on meanwhile.
func TestBusyMachine(t *testing.T) {
	d := load(t, test1, "app.x arch.x", "map { top } to proc[1];")
	p, err := program.Describe(d, program.Options{CPUs: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		busy  uint64 // ticks of 1 ns
		blame bool
	}{{4e9, false}, {60e9, true}} {
		r := newRun(p, make([]byte, p.Bytes), Options{})
		for i := range p.Processes {
			at := r.processAt(i)
			for word, value := range map[uint64]uint64{
				abi.ProcessTick0: 1e6, abi.ProcessNs0: 1e6, abi.ProcessTick1: 3e6, abi.ProcessNs1: 3e6,
			} {
				binary.LittleEndian.PutUint64(r.mem[at+word:], value)
			}
			binary.LittleEndian.PutUint32(r.mem[at+abi.ProcessKernel:], math.MaxUint32) // in none
		}
		began := time.Now()
		r.begin = began.Add(-5 * time.Second)
		r.watch.begin()
		binary.LittleEndian.PutUint64(r.mem[r.kernelAt(0)+abi.KernelBusy:], c.busy)
		if got := r.watch.findKernel(0); (got != nil) != c.blame {
			t.Errorf("a kernel that has worked for %d ns in 5 s: %v", c.busy, got)
		}
		if got := r.watch.look(r.begin.Add(time.Millisecond)); (got != nil) != c.blame {
			t.Errorf("the same, looked at with the time of 5 s before: %v", got)
		}
	}
}

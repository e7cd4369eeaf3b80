package run

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"xopt/deploy/abi"
	"xopt/deploy/program"
)

// TestHostileMemory: whatever stands in shared memory, reading it ends, and nothing that is
// read there makes xopt fail.
func TestHostileMemory(t *testing.T) {
	t.Parallel()
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
	for round := range 80 {
		p, err := program.Describe(d, program.Options{CPUs: 2, Taps: taps,
			Growth: program.Growth{MaxBytes: 16 << 20, Policy: program.GrowthPolicy(round % 2)}})
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(p, make([]byte, p.Bytes), Options{Frame: 100 * time.Millisecond})
		if exceeded := round%4 == 3; exceeded { // as the control of a run over hosts sees it
			p.Hosts = []program.Host{{Name: "first"}}
			r.parts = newParts(r, &Parts{})
			r.parts.on = make([]int, len(p.Processes))
			for _, x := range r.parts.list {
				x.clock.Add(0, 0, 0)
			}
		}
		r.started = time.Now()
		r.ended = r.started.Add(time.Second)
		r.watch.start()
		r.collector.start()
		for at := 0; at+8 <= int(p.Controls); at += 8 {
			binary.LittleEndian.PutUint64(r.mem[at:], words[(round+source.IntN(1+round%3))%len(words)]())
		}
		for i := range p.Taps {
			for at := p.Taps[i].At; at < p.Taps[i].At+4096; at += 8 {
				binary.LittleEndian.PutUint64(r.mem[at:], words[(round+source.IntN(1+round%3))%len(words)]())
			}
		}
		r.collector.look(r.started.Add(200 * time.Millisecond)) // it may come between two looks of the watcher
		r.grower.look(r.started.Add(200 * time.Millisecond))
		r.stalled(time.Second, make([]uint64, len(p.Kernels)))
		r.brokenFence()
		r.message(0)
		if r.watch.look(r.started) == nil && round%len(words) != 1 {
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
		checkNumbers(t, reflect.ValueOf(m), "measurement")
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

// checkNumbers looks for numbers in a measurement that are none, or that no run can have.
func checkNumbers(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			checkNumbers(t, v.Elem(), name)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			checkNumbers(t, v.Index(i), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "Squares" { // not a number if none were computed
				checkNumbers(t, v.Field(i), name+"."+v.Type().Field(i).Name)
			}
		}
	case reflect.Float64:
		// Means of no samples are NaN until displayed; Value taps contain whatever kernels send.
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) > 1e40 {
			t.Errorf("%s is %g", name, x)
		}
	case reflect.Uint64:
		if x := v.Uint(); x > 1<<63 {
			t.Errorf("%s is %d", name, x)
		}
	}
}

// TestImpossibleFigures: a kernel that overwrites one figure of a tap, a counter or a log ends the run with its name,
// and the figure is in no frame.
func TestImpossibleFigures(t *testing.T) {
	d := load(t, test1, "app.x arch.x", "map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store "+
		"} to proc[2];")
	p, err := program.Describe(d, program.Options{CPUs: 2, Taps: program.Logs(program.StandardTaps(d.Program, 1),
		d.Program, 100)})
	if err != nil {
		t.Fatal(err)
	}
	nan, inf := math.Float64bits(math.NaN()), math.Float64bits(math.Inf(1))
	less, huge := math.Float64bits(-1), math.Float64bits(1e300)
	slot := map[uint64][]uint64{abi.TapSlotWeight: {nan, inf, less, huge}, abi.TapSlotSum: {nan, inf, huge},
		abi.TapSlotSquares: {inf, less}, abi.TapSlotMin: {nan, math.Float64bits(math.Inf(-1))},
		abi.TapSlotMax: {nan, inf}, abi.TapSlotBelow: {nan, less}, abi.TapSlotAbove: {inf},
		abi.TapSlotSamples: {math.MaxUint64}, abi.TapSlotBinAt(0, 0): {nan, inf, less, huge}}
	for offset, values := range slot {
		for _, value := range values {
			for i := range p.Taps {
				x := &p.Taps[i]
				if x.Slots == 0 || x.Frame > 0 || offset >= abi.TapSlotBinAt(0, uint64(x.Bins.N)) {
					continue
				}
				r := newRun(p, make([]byte, p.Bytes), Options{Frame: 100 * time.Millisecond})
				at := x.SlotAt(0)
				r.store64(at+abi.TapSlotFrame, 1)
				r.store64(at+abi.TapSlotSamples, 5)
				if got := r.collector.slot(x, 0); got.Samples != 5 || r.watch.damage != nil {
					t.Fatalf("five samples in a slot: %+v, damage %v", got, r.watch.damage)
				}
				r.store64(at+offset, value)
				got := r.collector.slot(x, 0)
				if f := r.watch.damage; f == nil || f.kernel != x.Owner(p) || got.Samples != 0 {
					t.Errorf("word %d of a slot of tap %d is %#x: damage %v, %d samples", offset, i, value, f,
						got.Samples)
				}
			}
		}
	}
	for e := range p.Edges { // counters of waits
		for _, word := range []uint64{abi.RingWaits, abi.RingBlocked} {
			r := newRun(p, make([]byte, p.Bytes), Options{})
			r.store64(p.Edges[e].Control+word, math.MaxUint64)
			if f := r.watch.findEdge(e); f == nil || f.kernel != p.Edges[e].From {
				t.Errorf("word %d of edge %s is overwritten: %v", word, p.Edges[e].Name, f)
			}
		}
	}
}

// TestFaultOfItsProcess: no kernel is blamed for a fault in another process, and a part of a run over hosts names no
// kernel of another host.
func TestFaultOfItsProcess(t *testing.T) {
	d := load(t, test1, "app.x", threeHosts+"map { top.gen1, top.gen2 } to a[1]; map { top.sum, top.half, top.store } "+
		"to b;")
	p, err := program.Describe(d, program.Options{CPUs: 2})
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(p, make([]byte, p.Bytes), Options{})
	hostOf := func(k int) int { return p.Processes[p.Kernels[k].Process].Host }
	for i := range p.Processes {
		for n, k := range p.Order {
			r.store32(r.processAt(i)+abi.ProcessKernel, uint32(n))
			if got := r.kernelIn(i); got >= 0 && p.Kernels[got].Process != i || got < 0 && p.Kernels[k].Process == i {
				t.Errorf("process %d says it runs kernel %d: taken to run %d", i, k, got)
			}
		}
	}
	for host := range p.Hosts {
		r.watch.host = host
		for k := range p.Kernels {
			r.watch.damage = &damage{"something", k}
			f := r.watch.overwritten(-1)
			if want := hostOf(k) == host; (f.Kernel != "") != want {
				t.Errorf("host %d: memory of kernel %d of host %d is overwritten, blamed is %q", host, k, hostOf(k),
					f.Kernel)
			}
			for other := range p.Kernels {
				if hostOf(other) != host && strings.Contains(f.Text, p.Kernels[other].Name+" ") {
					t.Errorf("host %d names kernel %d of another: %s", host, other, f.Text)
				}
			}
		}
	}
	r.parts = newParts(r, &Parts{})
	for _, x := range r.parts.list {
		for k := range p.Kernels {
			if x.runs(p.Kernels[k].Name) != (hostOf(k) == x.host) {
				t.Errorf("host %d runs kernel %d: %v", x.host, k, x.runs(p.Kernels[k].Name))
			}
		}
	}
}

// TestBusyMachine: seconds can pass between the time of a look and the reading of a kernel's counters. The kernel is
// not blamed for its work meanwhile.
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
		r.started = began.Add(-5 * time.Second)
		r.watch.start()
		binary.LittleEndian.PutUint64(r.mem[r.kernelAt(0)+abi.KernelBusy:], c.busy)
		if got := r.watch.findKernel(0); (got != nil) != c.blame {
			t.Errorf("a kernel that has worked for %d ns in 5 s: %v", c.busy, got)
		}
		if got := r.watch.look(r.started.Add(time.Millisecond)); (got != nil) != c.blame {
			t.Errorf("the same, looked at with the time of 5 s before: %v", got)
		}
	}
}

// TestDamageDuringCheck: kernels run while xopt checks their memory. Damage at any moment of a check is never part of
// the state that the figures come from.
func TestDamageDuringCheck(t *testing.T) {
	d := load(t, test1, "app.x arch.x", "map { top } to proc[1];")
	p, err := program.Describe(d, program.Options{CPUs: 2})
	if err != nil {
		t.Fatal(err)
	}
	wrong := bytes.Repeat([]byte{0x41}, abi.PageBytes)
	for range 300 {
		file, mem, err := shareMemory(p.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(p, mem, Options{})
		r.started = time.Now()
		for i := range p.Processes {
			r.store32(r.processAt(i)+abi.ProcessKernel, math.MaxUint32) // in none
		}
		written := make(chan error, 1)
		go func() {
			_, err := file.WriteAt(wrong, int64(p.Edges[0].Writer))
			written <- err
		}()
		for r.watch.look(time.Now()) == nil {
		}
		if err := errors.Join(<-written, file.Close()); err != nil {
			t.Fatal(err)
		}
		r.watch.restore()
		if got := r.head(0); got != 0 {
			t.Errorf("edge %s is said to have carried %d elements", p.Edges[0].Name, got)
		}
		if err := unix.Munmap(mem); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
}

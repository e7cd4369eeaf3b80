package apps_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/xlang"
	"xopt/hdl"
	"xopt/internal/fault"
	"xopt/internal/testkit"
)

// heldBack maps jpeg such that entropy coding, on a core of its own, is slow and blocks the kernels on the FPGA before
// it.
func heldBack() string {
	return `
		map { top.read, top.cb, top.cr, top.write } to proc[1];
		map { top.luma.entropy } to proc[2];
		map { top.ysize, top.yout } to PCIX;
		map { top.convert, top.luma.dct, top.luma.quant, top.luma.zigzag } to fpga;
		buffer { top.luma.coef, top.luma.quantized, top.luma.ordered } = 8;
	` + strings.Replace(figuresX, `"200MB/s", gain=0.03857`, `"8MB/s", gain=0.03857`, 1)
}

// TestHardwareTaps compares the counts of hardware taps, as sent by the agent, with the words moved in the simulation.
// A tap must not slow a stream.
func TestHardwareTaps(t *testing.T) {
	testkit.Long(t, "it compiles simulations of larger designs")
	testkit.Tools(t, "verilator", "g++")
	t.Parallel()
	mapping := heldBack()
	app := apptest.App{Dir: "jpeg", Files: []string{"app.x", "hybrid.x"}, Elements: 2,
		Simulate: xsim.Options{FromProfile: true, Seed: 1}}
	d := app.Load(t, mapping)
	_, plain := app.Deploy(t, mapping, program.Options{})
	_, m := app.Deploy(t, mapping, program.Options{Taps: program.StandardTaps(d.Program, 0)})
	if plain.Hardware != nil || len(m.Hardware) == 0 {
		t.Fatalf("%d and %d taps in hardware", len(plain.Hardware), len(m.Hardware))
	}
	if plain.Seconds != m.Seconds {
		t.Errorf("the run takes %g s with taps in hardware, %g s without", m.Seconds, plain.Seconds)
	}
	const enabling = 3 // cycles until the agent has received the command
	queues := 0
	var cycles []uint64
	for _, h := range m.Hardware {
		edge := d.Program.Edges[h.Tap.Edge]
		if h.Tap.Kind == hdl.QueueTap {
			queues++
			cycles = append(cycles, h.Cycles-enabling)
			if h.Min != 0 || h.Max < 1 || !(h.Mean > 0) || h.Mean > float64(h.Max) {
				t.Errorf("%s: the queue holds %d to %d words, %g in the mean", edge.Name, h.Min, h.Max, h.Mean)
			}
			continue
		}
		size := d.Program.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes
		if moved := float64(h.Moved) * float64(h.Tap.Bytes); moved != float64(m.Edges[h.Tap.Edge].Elements)*size {
			t.Errorf("%s: the tap has counted %g bytes, the simulation %d elements of %g", edge.Name, moved,
				m.Edges[h.Tap.Edge].Elements, size)
		}
		cycles = append(cycles, h.Cycles)
	}
	if slices.Min(cycles) != slices.Max(cycles) {
		t.Errorf("the taps have counted %d to %d cycles", slices.Min(cycles), slices.Max(cycles))
	}
	for i := range m.Taps {
		x := &m.Taps[i]
		byFPGA := x.Kind != program.Service &&
			d.Program.Resources[d.Mapping.Place[d.Program.Edges[x.Edge].From]].Name == "fpga"
		if byFPGA && (x.Every != 1 || x.Total.Samples == 0) {
			t.Errorf("%s of %s: one element in %d is said to have been looked at, and %d were", x.Kind,
				d.Program.Edges[x.Edge].Name, x.Every, x.Total.Samples)
		}
	}
	checkSpent(t, m)
	// Taps that were not requested must be absent.
	one := slices.IndexFunc(d.Program.Edges, func(e xlang.Edge) bool { return e.Name == "top.luma.coef" })
	_, few := app.Deploy(t, mapping, program.Options{Taps: []program.Tap{{Kind: program.Occupancy, Edge: one}}})
	if len(few.Hardware) != 1 || few.Hardware[0].Tap.Kind != hdl.QueueTap || few.Hardware[0].Tap.Edge != one {
		t.Errorf("one queue was asked for, and %v is tapped", few.Hardware)
	}
	if queues != 3 {
		t.Errorf("%d queues were tapped, want those of luma.x, coef and quantized", queues)
	}
}

// checkSpent checks that every cycle of an FPGA is counted once for each of its kernels. The cycles in which an output
// waits for room must match those that the engine observed at its edge, except those in which words moved at another
// port.
func checkSpent(t *testing.T, m *run.Measurement) {
	t.Helper()
	if len(m.Spent) != 4 {
		t.Errorf("of %d kernels it is told where their cycles went, want 4", len(m.Spent))
	}
	for i := range m.Spent {
		s := &m.Spent[i]
		// The last kernels on cores may continue after the streams of the FPGA have ended.
		run, taps := uint64(math.Round(m.Seconds/10e-9)), m.Hardware[0].Cycles
		if s.Total() > run+64 || s.Total()+64 < taps {
			t.Errorf("kernel %d: %d cycles are reported, the taps have counted %d, the run had %d", s.Kernel, s.Total(),
				taps, run)
		}
		var frames uint64
		for _, f := range m.Frames {
			frames += f.Spent[i].Total()
		}
		if frames != s.Total() {
			t.Errorf("kernel %d: %d cycles are reported by frames, %d of the run", s.Kernel, frames, s.Total())
		}
		moved := uint64(0)
		for _, n := range s.Moved {
			moved = max(moved, n)
		}
		if s.Moving < moved || moved == 0 {
			t.Errorf("kernel %d moves %d words at a port in %d cycles", s.Kernel, moved, s.Moving)
		}
	}
}

// TestHardwareElements checks Little's law for occupancies and latencies of edges inside an FPGA and at its border.
// This compares two independent measurements: other taps count the elements over time inside, and the engine at the
// border.
func TestHardwareElements(t *testing.T) {
	testkit.Long(t, "it compiles simulations of larger designs")
	testkit.Tools(t, "verilator", "g++")
	t.Parallel()
	mapping := heldBack()
	app := apptest.App{Dir: "jpeg", Files: []string{"app.x", "hybrid.x"}, Elements: 2,
		Simulate: xsim.Options{FromProfile: true, Seed: 1}}
	d := app.Load(t, mapping)
	// Unsupported taps are reported.
	taps := append(program.StandardTaps(d.Program, 1), program.Tap{Kind: program.Value, Edge: 0},
		program.Tap{Kind: program.Occupancy, Edge: 0, Frame: 10},
		program.Tap{Kind: program.Latency, Path: []int{0, 1}}, program.Tap{Kind: program.Latency, Edge: 0, Trace: 10},
		program.Tap{Kind: program.Occupancy, Edge: 0, Histogram: &program.Bins{Width: 3, N: 10}})
	_, m := app.Deploy(t, mapping, program.Options{Taps: taps})
	for _, want := range []string{"xopt does not measure the value of top.luma.coef: ",
		"xopt does not measure the occupancy of top.luma.coef: ", "xopt does not measure the latency of " +
			"top.luma.coef->top.luma.quantized: ", "the histogram of the occupancy of top.luma.coef has the bins",
		"xopt does not log single elements of top.luma.coef"} {
		if !strings.Contains(strings.Join(fault.Texts(m.Notes), "\n"), want) {
			t.Errorf("the notes %q do not tell that %s", m.Notes, want)
		}
	}
	tap := func(kind program.TapKind, e int) *run.TapMeasurement {
		return &m.Taps[slices.IndexFunc(m.Taps, func(x run.TapMeasurement) bool {
			return x.Kind == kind &&
				x.Edge == e
		})]
	}
	looked := 0
	for e, edge := range d.Program.Edges {
		from, to := d.Program.Resources[d.Mapping.Place[edge.From]].Name,
			d.Program.Resources[d.Mapping.Place[edge.To]].Name
		if from != "fpga" && to != "fpga" || m.Edges[e].Elements < 100 {
			continue
		}
		looked++
		stored := m.Edges[e].MeanOccupancy // in elements
		if from == to {                    // in words, including those of incomplete elements
			i := slices.IndexFunc(m.Hardware, func(h run.HardwareTap) bool {
				return h.Tap.Edge == e &&
					h.Tap.Kind == hdl.QueueTap
			})
			words := d.Program.Kernels[edge.To].Inputs[edge.ToPort].ElementBytes / float64(m.Hardware[i].Tap.Bytes)
			stored = m.Hardware[i].Mean / words
			j := slices.IndexFunc(m.Hardware, func(h run.HardwareTap) bool {
				return h.Tap.Edge == e && h.Tap.Kind == hdl.ActivityTap && h.Tap.Put
			})
			if waited := 10e-9 * float64(m.Hardware[j].Waited); math.Abs(waited-m.Edges[e].Blocked) > 1e-12 {
				t.Errorf("%s: the tap has seen its writer wait %g s, the simulation %g s", edge.Name, waited,
					m.Edges[e].Blocked)
			}
		}
		latency, occupancy := tap(program.Latency, e), tap(program.Occupancy, e)
		for _, x := range []*run.TapMeasurement{latency, occupancy} {
			checkTap(t, x, edge.Name, m.Edges[e].Elements)
		}
		if little := latency.Total.Sum / m.Seconds; math.Abs(little-stored) > 0.02*stored+0.6 {
			t.Errorf("%s: the edge contains %.3f elements in the mean, and by Little's law %.3f", edge.Name, stored,
				little)
		}
		if edge.Name == "top.luma.quantized" && (occupancy.Total.Max < 7 || latency.Total.Max < 1e-5) {
			t.Errorf("%s is never full: %g elements and %g s at the most", edge.Name, occupancy.Total.Max,
				latency.Total.Max)
		}
	}
	if looked != 7 {
		t.Errorf("%d edges were looked at, want three inside the FPGA and four at its border", looked)
	}
}

// checkTap compares the sums of an edge's tap with its bins, its extremes and the number of elements.
func checkTap(t *testing.T, x *run.TapMeasurement, edge string, elements uint64) {
	t.Helper()
	s := &x.Total
	all := s.Below + s.Above
	for _, n := range s.Histogram {
		all += n
	}
	if s.Weight < float64(elements)-1 || s.Weight > float64(elements) || s.Samples == 0 {
		t.Errorf("%s of %s: %g of %d elements were looked at", x.Kind, edge, s.Weight, elements)
	}
	if all != s.Weight || s.Mean() < s.Min*(1-1e-9) || s.Mean() > s.Max*(1+1e-9) {
		t.Errorf("%s of %s: %g elements in bins, of %g, from %g to %g, %g in the mean", x.Kind, edge, all,
			s.Weight, s.Min, s.Max, s.Mean())
	}
	mean, low, high := s.Mean(), 0.0, 0.0
	for i, n := range s.Histogram {
		low += n * x.Bins.From(i) / s.Weight
		high += n * x.Bins.From(i+1) / s.Weight
	}
	if s.Below+s.Above == 0 && (mean < low*(1-1e-9) || mean > high*(1+1e-9)) {
		t.Errorf("%s of %s: the mean is %g, by the bins from %g to %g", x.Kind, edge, mean, low, high)
	}
}

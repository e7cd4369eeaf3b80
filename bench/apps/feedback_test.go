package apps_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// xorshift32 returns the next number of the sources' generator.
func xorshift32(x uint32) uint32 {
	x ^= x << 13
	x ^= x >> 17
	return x ^ x<<5
}

const firstRandom = uint32(2463534242) ^ 2654435761 // for seed 1

// agcOutput returns the output of agc, computed by a plain program without kernels.
func agcOutput(blocks int) []byte {
	const samples, maximum = 4096, 32767
	var out []byte
	random, phase, gain := firstRandom, uint32(0), int64(1<<16)
	gains := []int64{gain, gain}
	for b := range blocks {
		strength, sum := int32(200)<<(b/40*5%8), int64(0)
		for range samples {
			random = xorshift32(random)
			phase += 0x01a36e2f
			wave := int32(phase >> 16)
			if wave >= 32768 {
				wave = 65535 - wave
			}
			x := (wave*2 - 32767 + int32(random>>20) - 2048) * strength >> 15
			y := max(min(int64(x)*gains[b]>>16, maximum), -maximum)
			sum += max(y, -y)
			out = binary.LittleEndian.AppendUint32(out, uint32(y))
		}
		gain += gain * (8000 - sum/samples) >> 15
		gain = max(min(gain, 1<<26), 256)
		gains = append(gains, gain)
	}
	return out
}

// iirOutput returns the output of iir, computed by a plain program sample by sample.
func iirOutput(blocks int) []byte {
	const samples, delay, maximum = 1024, 4096, 1<<23 - 1
	var out []byte
	var back [delay]int64
	random, low := firstRandom, int64(0)
	for n := range blocks * samples {
		random = xorshift32(random)
		x := int64(0)
		if n/samples%32 < 8 {
			x = int64(int32(random) >> 9)
		}
		y := max(min(x+back[n%delay], maximum), -maximum)
		low += (y - low) * 24000 >> 15
		back[n%delay] = low * 27000 >> 15
		out = binary.LittleEndian.AppendUint32(out, uint32(y))
	}
	return out
}

// TestAGC compares the loop between kernels with a plain program, in any mapping.
func TestAGC(t *testing.T) {
	t.Parallel()
	const blocks = 250
	want := agcOutput(blocks)
	app := apptest.App{Dir: "agc", Elements: blocks}
	app.Agree(t, 6, want)
	got, m := app.Deploy(t, "map { top.signal, top.filter, top.store } to proc[1]; map { top.multiply, top.detect } "+
		"to proc[2];", program.Options{})
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes of output are not the %d wanted", len(got), len(want))
	}
	for _, e := range m.Edges {
		if e.Initial > 0 && (e.Initial != 2 || e.Left != 2 || e.Elements != blocks) {
			t.Errorf("the edge back carried %+v", e)
		}
	}
	// The level settles: the effect of the signal's strength disappears after some blocks.
	for _, b := range []int{39, 79, 119} {
		sum := int64(0)
		for i := range 4096 {
			y := int64(int32(binary.LittleEndian.Uint32(got[4*(4096*b+i):])))
			sum += max(y, -y)
		}
		if level := sum / 4096; level < 7000 || level > 9000 {
			t.Errorf("block %d has level %d, want about 8000", b, level)
		}
	}
}

// TestIIR compares the filter with a plain program, in any mapping onto cores.
func TestIIR(t *testing.T) {
	t.Parallel()
	const blocks = 600
	apptest.App{Dir: "iir", Elements: blocks}.Agree(t, 6, iirOutput(blocks))
}

// TestHybridIIR is TestIIR with the lowpass filter in Verilog, on an FPGA across the loop.
func TestHybridIIR(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	t.Parallel()
	const blocks = 40
	app := apptest.App{Dir: "iir", Files: []string{"app.x", "hybrid.x"}, Elements: blocks,
		Simulate: xsim.Options{Seed: 3}}
	want := iirOutput(blocks)
	got, m := app.Deploy(t, "map { top.source, top.mix, top.store } to proc[1]; map { top.damp } to fpga;",
		program.Options{})
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes of output are not the %d wanted", len(got), len(want))
	}
	for _, e := range m.Edges {
		if e.Left != e.Initial {
			t.Errorf("the run has left %+v", e)
		}
	}
}

// TestFeedbackPredicted compares the predictions of both applications with runs in virtual time with the same, measured
// times. Loops are within a core and across cores. The latency between cores is 0.15 us with spinning and 39 us with
// sleeping.
func TestFeedbackPredicted(t *testing.T) {
	t.Parallel()
	figures := map[string]string{
		"agc": `impl Signal on C (time="8.4us", scv=0.06); impl Multiply on C (time="3.55us", scv=0.012);
			impl Detect on C (time="0.74us", scv=0.004); impl LoopFilter on C (time="5ns", scv=1);
			impl Store on C (time="20ns", scv=0.3);`,
		"iir": `impl Source on C (time="5.67us", scv=0.005); impl Mix on C (time="1.18us", scv=0.02);
			impl Damp on C (time="1.77us", scv=0.03); impl Store on C (time="5ns", scv=1);`,
	}
	const spinning, sleeping = "0.15us", "39us"
	for _, c := range []struct {
		app, maps, latency string
		long               bool
	}{
		{"iir", "map { top.source, top.mix, top.store } to proc[1]; map { top.damp } to proc[2];", spinning, false},
		{"iir", "map { top.source, top.mix, top.store } to proc[1]; map { top.damp } to proc[2];", sleeping, true},
		{"iir", "map { top.source, top.store } to proc[1]; map { top.mix, top.damp } to proc[2];", spinning, true},
		{"iir", oneCore, spinning, true},
		{"agc", "map { top.signal, top.filter, top.store } to proc[1]; map { top.multiply, top.detect } to proc[2];",
			sleeping, false},
		{"agc", "map { top.signal, top.filter, top.store } to proc[1]; map { top.multiply, top.detect } to proc[2];",
			spinning, true},
		{"agc", "map { top.signal, top.store } to proc[1]; map { top.multiply, top.detect, top.filter } to proc[2];",
			sleeping, true},
	} {
		if c.long && testing.Short() {
			continue
		}
		app := apptest.App{Dir: c.app, Set: map[string]string{"mem.latency": c.latency}}
		d := app.Load(t, c.maps+figures[c.app])
		_, predicted := flowtest.Solve(t, d.Problem, d.Mapping)
		prog, _, err := xsim.Build(t.Context(), d, program.Options{Elements: 3000},
			xsim.Options{FromProfile: true, Seed: 1}, "")
		if err != nil {
			t.Fatal(err)
		}
		m, err := run.Well(t.Context(), prog, run.Options{})
		if rerr := prog.Remove(); rerr != nil {
			t.Error(rerr)
		}
		if err != nil {
			t.Fatal(err)
		}
		off := predicted.Throughput/m.Throughput - 1
		t.Logf("%s, %s, %s: %.4g MB/s predicted, %.4g MB/s in virtual time: %+.2f %%", c.app, c.maps, c.latency,
			predicted.Throughput/1e6, m.Throughput/1e6, 100*off)
		const maximum = 0.05
		if math.Abs(off) > maximum {
			t.Errorf("%s: %.4g bytes/s predicted, %.4g simulated", c.app, predicted.Throughput, m.Throughput)
		}
	}
}

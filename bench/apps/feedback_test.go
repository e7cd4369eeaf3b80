package apps_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"xopt/internal/deploy/build"
	"xopt/internal/testkit"
	"xopt/internal/testkit/apptest"
	"xopt/internal/xsim"
)

// xorshift32 is the generator of the sources.
func xorshift32(x uint32) uint32 {
	x ^= x << 13
	x ^= x >> 17
	return x ^ x<<5
}

const firstRandom = uint32(2463534242) ^ 2654435761 // of seed 1

// agcOutput is what agc writes: the same, by a plain program that has no kernels.
func agcOutput(blocks int) []byte {
	const samples, most = 4096, 32767
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
			y := max(min(int64(x)*gains[b]>>16, most), -most)
			sum += max(y, -y)
			out = binary.LittleEndian.AppendUint32(out, uint32(y))
		}
		gain += gain * (8000 - sum/samples) >> 15
		gain = max(min(gain, 1<<26), 256)
		gains = append(gains, gain)
	}
	return out
}

// iirOutput is what iir writes: the same, by a plain program, sample by sample.
func iirOutput(blocks int) []byte {
	const samples, delay, most = 1024, 4096, 1<<23 - 1
	var out []byte
	var back [delay]int64
	random, low := firstRandom, int64(0)
	for n := range blocks * samples {
		random = xorshift32(random)
		x := int64(0)
		if n/samples%32 < 8 {
			x = int64(int32(random) >> 9)
		}
		y := max(min(x+back[n%delay], most), -most)
		low += (y - low) * 24000 >> 15
		back[n%delay] = low * 27000 >> 15
		out = binary.LittleEndian.AppendUint32(out, uint32(y))
	}
	return out
}

// TestAGC: the loop between kernels computes what a plain program does, in any mapping.
func TestAGC(t *testing.T) {
	t.Parallel()
	const blocks = 250
	want := agcOutput(blocks)
	app := apptest.App{Dir: "agc", Elements: blocks}
	app.Agree(t, 6, want)
	got, m := app.Deploy(t, "map { top.signal, top.filter, top.store } to proc[1]; map { top.multiply, top.detect } "+
		"to proc[2];", build.Options{})
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes of output are not the %d wanted", len(got), len(want))
	}
	for _, e := range m.Edges {
		if e.Initial > 0 && (e.Initial != 2 || e.Left != 2 || e.Elements != blocks) {
			t.Errorf("the edge back carried %+v", e)
		}
	}
	// The level settles: what the signal's strength does to it is gone after some blocks.
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

// TestIIR: the filter computes what a plain program does, in any mapping onto cores.
func TestIIR(t *testing.T) {
	t.Parallel()
	const blocks = 600
	apptest.App{Dir: "iir", Elements: blocks}.Agree(t, 6, iirOutput(blocks))
}

// TestHybridIIR: the same with the lowpass filter in Verilog, on an FPGA across the loop.
func TestHybridIIR(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	t.Parallel()
	const blocks = 40
	app := apptest.App{Dir: "iir", Files: []string{"app.x", "hybrid.x"}, Elements: blocks,
		Simulate: xsim.Options{Seed: 3}}
	want := iirOutput(blocks)
	got, m := app.Deploy(t, "map { top.source, top.mix, top.store } to proc[1]; map { top.damp } to fpga;",
		build.Options{})
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes of output are not the %d wanted", len(got), len(want))
	}
	for _, e := range m.Edges {
		if e.Left != e.Initial {
			t.Errorf("the run has left %+v", e)
		}
	}
}

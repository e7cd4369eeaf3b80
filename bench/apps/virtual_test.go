package apps_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// figuresX contains assumed figures for jpeg on cores. Those on an FPGA at 100 MHz follow from the words that move in
// every cycle.
const figuresX = `
impl Read on C (mu="900MB/s", scv=0.1);
impl RGB2YCbCr on C (mu="300MB/s", gain=1, scv=0.1);
impl DCT on C (mu="60MB/s", gain=2, scv=0.5);
impl Quantize on C (mu="250MB/s", gain=1, scv=0.1);
impl ZigZag on C (mu="700MB/s", gain=1, scv=0.1);
impl top.luma.entropy on C (mu="200MB/s", gain=0.03857, scv=1);
impl top.cb.entropy on C (mu="200MB/s", gain=0.02519, scv=1);
impl top.cr.entropy on C (mu="200MB/s", gain=0.00932, scv=1);
impl Write on C (mu="100MB/s", scv=0.1);
impl RGB2YCbCr on fpga (mu="300MB/s", gain=1, scv=0);
impl DCT on fpga (mu="100MB/s", gain=2, scv=0);
impl Quantize on fpga (mu="200MB/s", gain=1, scv=0);
impl ZigZag on fpga (mu="200MB/s", gain=1, scv=0);
route Read.size[*] = 0.00001;
route Read.rgb = 0.99996;
route RGB2YCbCr.y = 1/3;
route RGB2YCbCr.cb = 1/3;
route RGB2YCbCr.cr = 1/3;
`

// TestVirtualModel compares runs in virtual time with the flow network. With service times drawn from figures, random
// mappings to cores and an FPGA must have the predicted throughput, whatever limits it. The same seed must give the
// same result.
func TestVirtualModel(t *testing.T) {
	testkit.Long(t, "it compiles simulations of larger designs")
	testkit.Tools(t, "verilator", "g++")
	for seed, c := range []struct{ bandwidth, width string }{{"640MB/s", ""}, {"100MB/s", ""}, {"2GB/s", ""},
		{"2GB/s", "8"}} {
		t.Run(c.bandwidth+c.width, func(t *testing.T) {
			t.Parallel()
			app := apptest.App{Dir: "jpeg", Files: []string{"app.x", "hybrid.x"},
				Set: map[string]string{"PCIX.bandwidth": c.bandwidth, "mem.bandwidth": "5GB/s", "fpga.width": c.width}}
			if c.width != "" {
				app.Set["fpga.clock"] = "20MHz"
			}
			plain := app.Load(t, "")
			random := rand.New(rand.NewPCG(uint64(seed), 3))
			mapping := apptest.RandomMapping(plain, random, false)
			if c.width != "" { // streams of a byte per cycle limit the first kernel on the FPGA
				mapping = "map { top.read, top.luma.zigzag, top.luma.entropy, top.cb, top.cr, top.write } to " +
					"proc[1]; map { top.convert, top.luma.dct, top.luma.quant } to fpga;"
			}
			d := app.Load(t, mapping+figuresX)
			_, want := flowtest.Solve(t, d.Problem, d.Mapping)
			if c.width != "" && math.Abs(want.Throughput/20e6-1) > 1e-4 {
				t.Errorf("%.6g bytes/s predicted, want 20 MB/s", want.Throughput)
			}
			var got [2]float64
			for i := range got {
				prog, _, err := xsim.Build(context.Background(), d, program.Options{Elements: math.MaxInt64},
					xsim.Options{FromProfile: true, Seed: 5}, "")
				if err != nil {
					t.Fatal(err)
				}
				m, err := run.Well(context.Background(), prog, run.Options{Time: 60 * time.Millisecond,
					Frame: 20 * time.Millisecond})
				if rerr := prog.Remove(); rerr != nil {
					t.Error(rerr)
				}
				if err != nil {
					t.Fatal(err)
				}
				for e, edge := range d.Program.Edges {
					if len(d.Program.Kernels[edge.From].Inputs) == 0 {
						for _, f := range m.Frames[1:3] {
							got[i] += float64(f.Edges[e].Sent) * d.Problem.Application.Edges[e].ElementBytes / 40e-3
						}
					}
				}
			}
			if math.Abs(got[0]/want.Throughput-1) > 0.02 || got[0] != got[1] {
				t.Errorf("%.6g and %.6g bytes/s simulated, %.5g predicted; limited by %v", got[0], got[1],
					want.Throughput, want.Bottlenecks[0])
			}
		})
	}
}

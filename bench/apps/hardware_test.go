package apps_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/flow"
	"xopt/hdl"
	"xopt/internal/deploy/build"
	"xopt/internal/deploy/run"
	"xopt/internal/design"
	"xopt/internal/rtl"
	"xopt/internal/testkit"
	"xopt/internal/testkit/apptest"
	"xopt/internal/xlang"
	"xopt/internal/xsim"
)

// TestHybridMappings: with kernels on an FPGA, too, every mapping gives the same bytes as
// one core does.
func TestHybridMappings(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	picturePath := filepath.Join(t.TempDir(), "in.ppm")
	if err := os.WriteFile(picturePath, ppm(picture(0, 101, 67)), 0o644); err != nil {
		t.Fatal(err)
	}
	fixed := []string{"fixed.x", "arch.x"}
	for _, c := range []struct {
		app   apptest.App
		times int
	}{
		{apptest.App{Dir: "jpeg", Input: picturePath}, 3},
		{apptest.App{Dir: "des", Elements: 3000}, 1},
		{apptest.App{Dir: "veritas", Files: fixed, Elements: 2}, 1},
		{apptest.App{Dir: "blastn", Elements: 200, Set: map[string]string{"top.planted": "0.1"}}, 2},
		{apptest.App{Dir: "broadcast", Elements: 300}, 2},
		// cores and FPGA depend on each other in a circle (Gayen 2008, Fig. 3.26)
		{apptest.App{Dir: "test1", Elements: 50}, 2},
	} {
		t.Run(c.app.Dir, func(t *testing.T) {
			t.Parallel()
			if c.app.Dir != "test1" {
				testkit.Long(t, "it compiles a simulation for each mapping")
			}
			want, _ := c.app.Deploy(t, oneCore, build.Options{})
			app := c.app
			app.Files = []string{"app.x", "hybrid.x"}
			if c.app.Files != nil {
				app.Files[0] = c.app.Files[0]
			}
			app.Simulate.Quantum = 1 // data cross the border a cycle late
			app.Agree(t, 1, want)
			if !testing.Short() {
				app.Simulate.Quantum = 0
				app.Agree(t, c.times, want)
			}
		})
	}
}

// TestBroadcastHardware: a port that feeds several edges, on the FPGA, across its border, and
// from a core to it: the same bytes, and the model that the run confirms.
func TestBroadcastHardware(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	app := apptest.App{Dir: "broadcast", Elements: 300}
	want, _ := app.Deploy(t, oneCore, build.Options{})
	app.Files = []string{"app.x", "hybrid.x"}
	mappings := []struct{ fpga, cores string }{
		{"top.scale, top.sum, top.peak", "top.source, top.store"}, // two inside, one to a core
		{"top.scale", "top.source, top.store, top.sum, top.peak"}, // three to cores
		{"top.sum, top.peak", "top.source, top.scale, top.store"}, // two from a core, one beside
	}
	sizes := []string{"", "buffer { top.tosum, top.topeak } = 1; buffer { top.raw } = 64;"}
	if testing.Short() { // each is a simulation to compile
		mappings, sizes = mappings[:1], sizes[1:]
	}
	for _, c := range mappings {
		for _, buffers := range sizes {
			mapping := fmt.Sprintf("map { %s } to fpga; map { %s } to proc[1]; %s", c.fpga, c.cores, buffers)
			got, m := app.Deploy(t, mapping, build.Options{Taps: build.StandardTaps(app.Load(t, mapping).Program, 0)})
			if !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes of output differ from the %d wanted", mapping, len(got), len(want))
			}
			for e, x := range m.Edges {
				if x.Elements != app.Elements || x.Left != 0 {
					t.Errorf("%s: edge %d carried %d elements, and %d are left; want %d", mapping, e, x.Elements,
						x.Left, app.Elements)
				}
			}
		}
	}
}

// twin is a kernel in C and in Verilog.
type twin struct {
	dir, block string
	set        map[string]string // configs of the block
	fixed      string            // an input that takes one element only
	files      []string          // nil for app.x and arch.x
	slow       bool              // it takes more cycles than words
}

// TestTwins feeds kernels in Verilog and in C the same random data: what they send must be
// the same bytes, whatever stalls there are at any port.
func TestTwins(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	cache := rtl.UserCache(t.Context())
	fixed := []string{"fixed.x", "arch.x"}
	for _, x := range []twin{
		{dir: "jpeg", block: "RGB2YCbCr"}, {dir: "jpeg", block: "DCT"}, {dir: "jpeg", block: "ZigZag"},
		{dir: "jpeg", block: "Quantize"}, {dir: "jpeg", block: "Quantize", set: map[string]string{"quality": "13",
			"chroma": "1"}},
		{dir: "jpeg", block: "Quantize", set: map[string]string{"quality": "100"}},
		{dir: "des", block: "Initial"}, {dir: "des", block: "Round", fixed: "k"}, {dir: "des", block: "Final"},
		{dir: "test1", block: "HALF"},
		{dir: "blastn", block: "Bloom", fixed: "f", slow: true},
		{dir: "veritas", block: "Convert", files: fixed, slow: true}, {dir: "veritas", block: "ZeroPad", files: fixed},
		{dir: "veritas", block: "CoreFFT", files: fixed, slow: true},
		{dir: "veritas", block: "LowPass", files: fixed}, {dir: "veritas", block: "CoreIFFT", files: fixed, slow: true},
		{dir: "veritas", block: "Chopper", files: fixed},
	} {
		t.Run(x.block+fmt.Sprint(len(x.set), x.set["quality"]), func(t *testing.T) {
			t.Parallel()
			if x.block != "HALF" && x.block != "ZigZag" && x.block != "Round" {
				testkit.Long(t, "it compiles a simulation of each kernel")
			}
			x.compare(t, cache)
		})
	}
}

// twinElements is how many elements each kernel takes.
const twinElements = 300

func (x twin) compare(t *testing.T, cache *rtl.Cache) {
	dir := t.TempDir()
	d, k := x.program(t, dir)
	kernel := &d.Program.Kernels[k]
	prog, err := build.New(context.Background(), d, build.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.Well(context.Background(), prog, run.Options{})
	if rerr := prog.Remove(); rerr != nil {
		t.Error(rerr)
	}
	if err != nil || m.Failure != nil {
		t.Fatal(err, m)
	}
	fpga := xsim.AnyFPGA()
	module, err := fpga.Open(context.Background(), cache, d.Program, k)
	if err != nil {
		t.Fatal(err)
	}
	simulation, err := cache.Simulate(context.Background(), module)
	if err != nil {
		t.Fatal(err)
	}
	for seed, stall := range []float64{0, 0.5, 0.9, 0.1} {
		var feeds []rtl.Feed
		for _, p := range kernel.Inputs {
			feeds = append(feeds, rtl.Feed{Port: p.Name, Input: true, Element: int(p.ElementBytes),
				File: filepath.Join(dir, p.Name), Stall: stall})
		}
		for i, p := range kernel.Outputs {
			feeds = append(feeds, rtl.Feed{Port: p.Name, Element: int(p.ElementBytes), File: filepath.Join(dir,
				p.Name+".out"), Stall: stall * float64(i+1) / float64(len(kernel.Outputs))})
		}
		r, err := simulation.Run(context.Background(), feeds, rtl.Options{Once: true, Seed: uint64(seed + 1),
			Quiet: 5000})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Streams {
			if s.Input {
				continue
			}
			want, err := os.ReadFile(filepath.Join(dir, s.Name+".out"))
			if err != nil {
				t.Fatal(err)
			}
			element := kernel.Outputs[slices.IndexFunc(kernel.Outputs,
				func(p xlang.Port) bool { return p.Name == s.Name })].ElementBytes
			if s.Wrong || s.Compared != uint64(len(want)) || len(want) == 0 ||
				s.Elements*uint64(element) != s.Compared {
				t.Errorf("with stalls in %g of the cycles, %s: %d elements, %d of %d bytes are equal", stall, s.Name,
					s.Elements, s.Compared, len(want))
			}
		}
		if stall == 0 && !x.slow { // a word of the widest stream in every cycle, but for filling the pipeline
			words := uint64(0)
			for _, s := range r.Streams {
				words = max(words, s.Words)
			}
			if r.LastMove > words+300 {
				t.Errorf("%d words took %d cycles", words, r.LastMove)
			}
		}
	}
}

// program is the block between sources that send random data and sinks that write what
// comes, all in C. The data lie in files of the ports' names.
func (x twin) program(t *testing.T, dir string) (*design.Design, int) {
	app := apptest.App{Dir: x.dir, Files: x.files}.Load(t, "")
	var block *xlang.Kernel
	for i := range app.Program.Kernels {
		if app.Program.Kernels[i].Block == x.block {
			block = &app.Program.Kernels[i]
			break
		}
	}
	random := rand.New(rand.NewPCG(7, uint64(len(x.block))))
	out := &xlang.Program{Top: "top", Platforms: app.Program.Platforms, Linktypes: app.Program.Linktypes,
		Resources: app.Program.Resources[:1], Impls: app.Program.Impls}
	under := *block
	under.Name, under.Config = "top.kernel", xlang.Values{}
	for name, v := range block.Config {
		if text, ok := x.set[name]; ok {
			v.Text = text
			if _, err := fmt.Sscan(text, &v.Number); err != nil {
				t.Fatal(err)
			}
		}
		under.Config[name] = v
	}
	out.Kernels = []xlang.Kernel{under}
	add := func(code string, port xlang.Port, file string) int {
		name := fmt.Sprintf("Port%d", len(out.Kernels))
		text := strings.NewReplacer("BLOCK", name, "SIZE", fmt.Sprint(int(port.ElementBytes))).Replace(code)
		path := filepath.Join(dir, name+".c")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		port.Name = "p"
		k := xlang.Kernel{Name: "top." + strings.ToLower(name), Block: name,
			Config: xlang.Values{"file": {Text: file, Quoted: true, Type: "STRING"}}}
		if strings.Contains(code, "_go(") {
			k.Outputs = []xlang.Port{port}
		} else {
			k.Inputs = []xlang.Port{port}
		}
		out.Kernels = append(out.Kernels, k)
		out.Impls = append(out.Impls, xlang.Impl{Block: name, Platform: "C",
			Attrs: xlang.Values{"src": {Text: path, Quoted: true}}, Dir: dir})
		return len(out.Kernels) - 1
	}
	for i, p := range block.Inputs {
		data := make([]byte, twinElements*int(p.ElementBytes))
		if p.Name == x.fixed {
			data = data[:int(p.ElementBytes)]
		}
		for j := range data {
			data[j] = byte(random.Uint32())
		}
		path := filepath.Join(dir, p.Name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		out.Edges = append(out.Edges, xlang.Edge{Name: p.Name, From: add(fileSource, p, path), To: 0, ToPort: i})
	}
	for i, p := range block.Outputs {
		out.Edges = append(out.Edges, xlang.Edge{Name: p.Name + ".out", From: 0, FromPort: i,
			To: add(fileSink, p, filepath.Join(dir, p.Name+".out"))})
	}
	for k := range out.Kernels {
		out.Maps = append(out.Maps, xlang.Map{Kernel: k, Edge: -1})
	}
	d, err := design.New(out, design.Options{Purpose: design.ForCheck})
	if err != nil {
		t.Fatal(err)
	}
	return d, 0
}

const fileSource = `#include <stdio.h>
#include "X_BLOCK.h"
void X_BLOCK_init(X_BLOCK *d) { if (!(d->state = fopen(d->config.file, "rb"))) X_fail("cannot read"); }
int X_BLOCK_go(X_BLOCK *d) {
    unsigned char element[SIZE];
    if (fread(element, SIZE, 1, d->state) != 1)
        return 1;
    __builtin_memcpy(X_BLOCK_p(d, 1), element, SIZE);
    X_BLOCK_p_send(d, 1);
    return 0;
}
void X_BLOCK_destroy(X_BLOCK *d) { fclose(d->state); }
`

const fileSink = `#include <stdio.h>
#include "X_BLOCK.h"
void X_BLOCK_init(X_BLOCK *d) { if (!(d->state = fopen(d->config.file, "wb"))) X_fail("cannot write"); }
void X_BLOCK_push(X_BLOCK *d) {
    for (; X_BLOCK_p_avail(d) > 0; X_BLOCK_p_release(d, 1))
        if (fwrite(X_BLOCK_p(d), SIZE, 1, d->state) != 1)
            X_fail("cannot write");
}
void X_BLOCK_destroy(X_BLOCK *d) { fclose(d->state); }
`

// figuresX are figures for jpeg on cores, assumed, and on an FPGA at 100 MHz, as they
// follow from the words that move in every cycle.
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

// TestVirtualModel holds runs in virtual time against the flow network: with service times
// drawn from figures the throughput of random mappings to cores and an FPGA is what is
// predicted, whatever limits it, and the same again from the same seed.
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
			if c.width != "" { // streams of a byte in a cycle limit the first kernel on the FPGA
				mapping = "map { top.read, top.luma.zigzag, top.luma.entropy, top.cb, top.cr, top.write } to " +
					"proc[1]; map { top.convert, top.luma.dct, top.luma.quant } to fpga;"
			}
			d := app.Load(t, mapping+figuresX)
			n, err := flow.NewNetwork(d.Problem, d.Mapping)
			if err != nil {
				t.Fatal(err)
			}
			want, err := flow.Fast{}.Solve(context.Background(), n)
			if err != nil {
				t.Fatal(err)
			}
			if c.width != "" && math.Abs(want.Throughput/20e6-1) > 1e-4 {
				t.Errorf("%.6g bytes/s predicted, want 20 MB/s", want.Throughput)
			}
			var got [2]float64
			for i := range got {
				prog, _, err := xsim.Build(context.Background(), d, build.Options{Elements: math.MaxInt64},
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

// heldBack maps jpeg so that entropy coding, on a core of its own, is slow and holds back the
// kernels on the FPGA before it.
func heldBack() string {
	return `
		map { top.read, top.cb, top.cr, top.write } to proc[1];
		map { top.luma.entropy } to proc[2];
		map { top.ysize, top.yout } to PCIX;
		map { top.convert, top.luma.dct, top.luma.quant, top.luma.zigzag } to fpga;
		buffer { top.luma.coef, top.luma.quantized, top.luma.ordered } = 8;
	` + strings.Replace(figuresX, `"200MB/s", gain=0.03857`, `"8MB/s", gain=0.03857`, 1)
}

// TestHardwareTaps: what the taps in hardware have counted, and the agent has sent, is what
// the simulation has moved, word for word; and a tap cannot slow a stream.
func TestHardwareTaps(t *testing.T) {
	testkit.Long(t, "it compiles simulations of larger designs")
	testkit.Tools(t, "verilator", "g++")
	mapping := heldBack()
	app := apptest.App{Dir: "jpeg", Files: []string{"app.x", "hybrid.x"}, Elements: 2,
		Simulate: xsim.Options{FromProfile: true, Seed: 1}}
	d := app.Load(t, mapping)
	_, plain := app.Deploy(t, mapping, build.Options{})
	_, m := app.Deploy(t, mapping, build.Options{Taps: build.StandardTaps(d.Program, 0)})
	if plain.Hardware != nil || len(m.Hardware) == 0 {
		t.Fatalf("%d and %d taps in hardware", len(plain.Hardware), len(m.Hardware))
	}
	if plain.Seconds != m.Seconds {
		t.Errorf("the run takes %g s with taps in hardware, %g s without", m.Seconds, plain.Seconds)
	}
	const enabling = 3 // cycles that the agent takes to be told
	queues := 0
	var cycles []uint64
	for _, h := range m.Hardware {
		edge := d.Program.Edges[h.Tap.Edge]
		if h.Tap.Kind == hdl.QueueTap {
			queues++
			cycles = append(cycles, h.Cycles-enabling)
			if h.Least != 0 || h.Most < 1 || !(h.Mean > 0) || h.Mean > float64(h.Most) {
				t.Errorf("%s: the queue holds %d to %d words, %g in the mean", edge.Name, h.Least, h.Most, h.Mean)
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
		byFPGA := x.Kind != build.Service &&
			d.Program.Resources[d.Mapping.Place[d.Program.Edges[x.Edge].From]].Name == "fpga"
		if byFPGA && (x.Every != 1 || x.Total.Samples == 0) {
			t.Errorf("%s of %s: one element in %d is said to have been looked at, and %d were", x.Kind,
				d.Program.Edges[x.Edge].Name, x.Every, x.Total.Samples)
		}
	}
	// What is not asked for is not there.
	one := slices.IndexFunc(d.Program.Edges, func(e xlang.Edge) bool { return e.Name == "top.luma.coef" })
	_, few := app.Deploy(t, mapping, build.Options{Taps: []build.Tap{{Kind: build.Occupancy, Edge: one}}})
	if len(few.Hardware) != 1 || few.Hardware[0].Tap.Kind != hdl.QueueTap || few.Hardware[0].Tap.Edge != one {
		t.Errorf("one queue was asked for, and %v is tapped", few.Hardware)
	}
	if queues != 3 {
		t.Errorf("%d queues were tapped, want those of luma.x, coef and quantized", queues)
	}
}

// TestHardwareElements: occupancies and latencies of edges inside an FPGA, and at its border,
// obey Little's law, which holds each of the two ways of measuring against the other: what
// edges held through time is counted by other taps inside, and by the engine at the border.
func TestHardwareElements(t *testing.T) {
	testkit.Long(t, "it compiles simulations of larger designs")
	testkit.Tools(t, "verilator", "g++")
	mapping := heldBack()
	app := apptest.App{Dir: "jpeg", Files: []string{"app.x", "hybrid.x"}, Elements: 2,
		Simulate: xsim.Options{FromProfile: true, Seed: 1}}
	d := app.Load(t, mapping)
	// What hardware cannot do is said.
	taps := append(build.StandardTaps(d.Program, 1), build.Tap{Kind: build.Value, Edge: 0},
		build.Tap{Kind: build.Occupancy, Edge: 0, Frame: 10},
		build.Tap{Kind: build.Latency, Path: []int{0, 1}}, build.Tap{Kind: build.Latency, Edge: 0, Trace: 10},
		build.Tap{Kind: build.Occupancy, Edge: 0, Histogram: &build.Bins{Width: 3, N: 10}})
	_, m := app.Deploy(t, mapping, build.Options{Taps: taps})
	for _, want := range []string{"the value of top.luma.coef is not measured",
		"the occupancy of top.luma.coef is not measured", "the latency of top.luma.coef->top.luma.quantized is not " +
			"measured", "the histogram of the occupancy of top.luma.coef has the bins", "one by one: top.luma.coef"} {
		if !strings.Contains(strings.Join(m.Notes, "\n"), want) {
			t.Errorf("the notes %q do not tell that %s", m.Notes, want)
		}
	}
	tap := func(kind build.TapKind, e int) *run.TapMeasurement {
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
		held := m.Edges[e].MeanOccupancy // in elements
		if from == to {                  // in words, those of elements that are not whole among them
			i := slices.IndexFunc(m.Hardware, func(h run.HardwareTap) bool {
				return h.Tap.Edge == e &&
					h.Tap.Kind == hdl.QueueTap
			})
			words := d.Program.Kernels[edge.To].Inputs[edge.ToPort].ElementBytes / float64(m.Hardware[i].Tap.Bytes)
			held = m.Hardware[i].Mean / words
			j := slices.IndexFunc(m.Hardware, func(h run.HardwareTap) bool {
				return h.Tap.Edge == e && h.Tap.Kind == hdl.ActivityTap && h.Tap.Put
			})
			if waited := 10e-9 * float64(m.Hardware[j].Waited); math.Abs(waited-m.Edges[e].Blocked) > 1e-12 {
				t.Errorf("%s: the tap has seen its writer wait %g s, the simulation %g s", edge.Name, waited,
					m.Edges[e].Blocked)
			}
		}
		latency, occupancy := tap(build.Latency, e), tap(build.Occupancy, e)
		for _, x := range []*run.TapMeasurement{latency, occupancy} {
			s := &x.Total
			all := s.Below + s.Above
			for _, n := range s.Histogram {
				all += n
			}
			if s.Weight < float64(m.Edges[e].Elements)-1 || s.Weight > float64(m.Edges[e].Elements) || s.Samples == 0 {
				t.Errorf("%s of %s: %g of %d elements were looked at", x.Kind, edge.Name, s.Weight, m.Edges[e].Elements)
			}
			if all != s.Weight || s.Mean() < s.Min*(1-1e-9) || s.Mean() > s.Max*(1+1e-9) {
				t.Errorf("%s of %s: %g elements in bins, of %g, from %g to %g, %g in the mean", x.Kind, edge.Name, all,
					s.Weight, s.Min, s.Max, s.Mean())
			}
			mean, low, high := s.Mean(), 0.0, 0.0
			for i, n := range s.Histogram {
				low += n * x.Bins.From(i) / s.Weight
				high += n * x.Bins.From(i+1) / s.Weight
			}
			if s.Below+s.Above == 0 && (mean < low*(1-1e-9) || mean > high*(1+1e-9)) {
				t.Errorf("%s of %s: the mean is %g, by the bins from %g to %g", x.Kind, edge.Name, mean, low, high)
			}
		}
		if little := latency.Total.Sum / m.Seconds; math.Abs(little-held) > 0.02*held+0.6 {
			t.Errorf("%s: the edge holds %.3f elements in the mean, and by Little's law %.3f", edge.Name, held, little)
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

package calibrate

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"xopt/calibrate/faults"
	"xopt/deploy/abi"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/internal/fault"
)

// fiveKernels is a pipeline of kernels with elements of 128 bytes.
var fiveKernels = flowtest.X{Files: []string{}, More: `#include "std.x"
block G { output UNSIGNED8[128] y; };
block F { input UNSIGNED8[128] x; output UNSIGNED8[128] y; };
block S { input UNSIGNED8[128] x; };
block top { G g; F dct; F zigzag; F rle; S s; g -> dct; dct -> zigzag; zigzag -> rle; rle -> s; };
use top;
platform C { impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc });
`}

// TestImplausibleCosts: a cost of moving elements that is impossible on this machine is limited to the bound. The
// measured value is stored beside it.
func TestImplausibleCosts(t *testing.T) {
	d := fiveKernels.Design(t, design.Options{Purpose: design.ForCheck})
	figure := func(v float64) *profile.Figure {
		return &profile.Figure{Value: v, N: 9, CI95: [2]float64{0.9 * v, 1.1 * v}}
	}
	of := func(dct, zigzag, rle float64, line float64) *profile.Profile {
		p := &profile.Profile{Schema: profile.Schema, Links: []profile.Link{{Linktype: "memory", Where: betweenCores,
			TransferCost: figure(20e-9), Bandwidth: figure(1e10),
			Distance: &profile.Distance{Windows: 9, Good: line, Undisturbed: 1}}}}
		for name, send := range map[string]float64{"dct": dct, "zigzag": zigzag, "rle": rle} {
			p.Kernels = append(p.Kernels, profile.Kernel{Block: "F", Instance: "top." + name, Platform: "C",
				ServiceRate: figure(1e9), SendCost: figure(send), ReceiveCost: &profile.Figure{N: 9}})
		}
		return p
	}
	const ringBound = 3 * (20e-9 + 128/1e10) / 128
	for _, c := range []struct {
		name                   string
		dct, zigzag, rle, line float64
		want                   float64 // of dct; 0 for unchanged
	}{
		{"as it was found", 2.96e-9, 0.0102e-9, 0.02e-9, 0, ringBound},
		{"above the ring alone", 2.96e-9, 2e-9, 2e-9, 0, ringBound},
		{"one element at a time between far cores", 0.9e-9, 0.7e-9, 0.7e-9, 60e-9, 0},
		{"far above its peers", 1.3e-9, 0.01e-9, 0.02e-9, 60e-9, 0}, // [combine] decides by its error
		{"plausible", 0.3e-9, 0.2e-9, 0.01e-9, 0, 0},
	} {
		p := of(c.dct, c.zigzag, c.rle, c.line)
		again := bound(d, p)
		for i := range p.Kernels {
			k := &p.Kernels[i]
			if k.Instance != "top.dct" {
				continue
			}
			want := c.want
			if want == 0 {
				want = c.dct
			}
			changed := k.SendCost.Bounded > 0
			if diff := k.SendCost.Value/want - 1; diff > 1e-9 || diff < -1e-9 || changed != (c.want > 0) ||
				changed && (k.SendCost.Bounded != c.dct || k.Doubt == "" || len(again) == 0) {
				t.Errorf("%s: %+v, doubt %q, %v", c.name, *k.SendCost, k.Doubt, again)
			}
		}
		var file bytes.Buffer
		if err := p.Encode(&file); err != nil {
			t.Fatal(err)
		}
		if _, err := profile.Read(c.name, strings.NewReader(file.String())); err != nil {
			t.Error(err)
		}
	}
	p := of(2.96e-9, 0, 0, 0)
	p.Links = nil
	if again := bound(d, p); again != nil {
		t.Errorf("without a measured link: %v", again)
	}
}

// TestAbsurdWindows: windows that are impossible or far from the others are omitted and counted. A kernel with
// mostly such windows has no rate and a warning. One that is always too fast keeps its rate as a bound.
func TestAbsurdWindows(t *testing.T) {
	machine := &reference{}
	probes := make([]float64, abi.Probes)
	for i := range probes {
		probes[i] = nearBytes / 30e9 // the caches deliver 120 GB/s
	}
	machine.probes = []probeTimes{{probes, 0}}
	usual := around(1e9, 0.01, 12)
	absurd := []float64{89e3, 26.9e9, 300e9, 5e6}
	for _, c := range []struct {
		name    string
		rates   []float64
		value   float64
		absurd  int
		refused bool
	}{
		{"usual", usual, 1e9, 0, false},
		{"slowed", append(around(1e9, 0.01, 12), 0.3e9, 0.2e9), 1e9, 0, false},
		{"some absurd", append(around(1e9, 0.01, 12), absurd...), 1e9, 4, false},
		{"impossible", append(around(30e9, 0.01, 12), 150e9, 160e9), 30e9, 2, false},
		{"most absurd", append(around(1e9, 0.01, 4), 89e3, 26.9e9, 5e6, 1e5, 300e6/8, 11e9, 2e4, 3e3), 0, 0, true},
		{"does not touch", around(300e9, 0.01, 12), 300e9, 0, false},
	} {
		x := ran(1, c.rates...)
		for i := range x.windows {
			x.windows[i].run = i / 4
		}
		r := &kernelRun{clean: x, machine: machine}
		r.pool = &pool{runs: []*kernelRun{r}}
		rate, _ := r.rate()
		g := r.own()
		counted := rate.N == len(c.rates)-c.absurd && g.absurd == c.absurd
		if math.Abs(rate.Value-c.value) > 0.02*c.value || g.refused != c.refused || !c.refused && !counted {
			t.Errorf("%s: %g B/s of %d windows, %d absurd, refused: %v", c.name, rate.Value, rate.N, g.absurd,
				g.refused)
		}
		var report Report
		r.nameAbsurd("top.f", &report)
		var ids []fault.ID
		for _, n := range slices.Concat(report.Warnings, report.Notes) {
			ids = append(ids, n.ID)
		}
		want := map[bool][]fault.ID{true: {faults.WindowsLeftOut}}[c.absurd > 0]
		if c.refused {
			want = []fault.ID{faults.WindowsDisagree}
		}
		if !slices.Equal(ids, want) {
			t.Errorf("%s: %v, want %v", c.name, ids, want)
		}
	}
	links := []profile.Link{{Linktype: "mem", Samples: []profile.LinkSample{{Windows: 12}, {Windows: 14, Absurd: 2}}},
		{Linktype: "bus", Samples: []profile.LinkSample{{Windows: 12}}}}
	if n := nameAbsurdLinks(links); len(n) != 1 || n[0].ID != faults.WindowsLeftOut ||
		!strings.Contains(n[0].Text, "2 of 26") {
		t.Errorf("windows of links: %v", n)
	}
	seconds := []float64{1e-6, 1.1e-6, 1e-6, 1e-3, 1e-9, 1e-1, 1e-11}
	if counts, agree := plausible(seconds, 0); agree {
		t.Errorf("messages of a link agree: %v", counts)
	}
	if err := disagree(seconds, make([]bool, len(seconds)), 64); fault.Of(err) != faults.WindowsDisagree {
		t.Error(err)
	}
}

// TestImpossibleRates: a rate at which no kernel can touch its elements becomes a bound from below, with a warning that
// names the kernel; kernels in hardware, and rates that caches deliver, stay.
func TestImpossibleRates(t *testing.T) {
	rate := func(v float64) *profile.Figure {
		return &profile.Figure{Value: v, N: 9, CI95: [2]float64{0.1 * v, 10 * v}, Windows: []float64{v}}
	}
	p := &profile.Profile{Schema: profile.Schema, Reference: &profile.Reference{Windows: 9, Probes: []profile.Probe{
		{Name: "near vectors", Good: nearBytes / 30e9, Undisturbed: 1}}}, Kernels: []profile.Kernel{
		{Block: "S", Instance: "top.s", Platform: "C", ServiceRate: rate(188.9e9)},
		{Block: "F", Instance: "top.f", Platform: "C", ServiceRate: rate(20e9)},
		{Block: "S", Instance: "top.s", Platform: "HDL", How: "simulated", ServiceRate: rate(188.9e9)},
	}}
	const maximum = nearSlack * 30e9
	for range 2 { // a profile that was bounded before is named again
		warnings := boundRates(p)
		f := p.Kernels[0].ServiceRate
		if low, high, ok := f.Interval(); ok || math.Abs(f.Value/maximum-1) > 1e-9 || !f.AtLeast ||
			f.Bounded != 188.9e9 {
			t.Fatalf("%+v, between %g and %g", f, low, high)
		}
		if len(warnings) != 1 || !strings.HasPrefix(warnings[0].Text, "top.s ") {
			t.Errorf("warnings: %q", warnings)
		}
	}
	if f := p.Kernels[1].ServiceRate; f.Value != 20e9 || f.AtLeast || math.Abs(f.CI95[1]/maximum-1) > 1e-9 {
		t.Errorf("a plausible rate became %+v", f)
	}
	if f := p.Kernels[2].ServiceRate; f.Value != 188.9e9 || f.AtLeast {
		t.Errorf("hardware became %+v", f)
	}
	var file bytes.Buffer
	if err := p.Encode(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := profile.Read("rates", &file); err != nil {
		t.Error(err)
	}
	source, err := os.ReadFile("../deploy/runtime/reference.c")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), "NEAR_FLOATS = 1024,") || !strings.Contains(string(source),
		"NEAR_PASSES = 160,") {
		t.Error("the probe reads another number of bytes than nearBytes")
	}
}

package calibrate

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"

	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
)

// TestImplausibleCosts: a cost of moving elements that the ring and the caches of the machine cannot cost, or that is
// far above that of kernels with equal elements, is pulled to the bound and keeps what was measured.
func TestImplausibleCosts(t *testing.T) {
	d := flowtest.X{Files: []string{}, More: `#include "std.x"
block G { output UNSIGNED8[128] y; };
block F { input UNSIGNED8[128] x; output UNSIGNED8[128] y; };
block S { input UNSIGNED8[128] x; };
block top { G g; F dct; F zigzag; F rle; S s; g -> dct; dct -> zigzag; zigzag -> rle; rle -> s; };
use top;
platform C { impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc });
`}.Design(t, design.Options{Purpose: design.ForCheck})
	figure := func(v float64) *profile.Figure {
		return &profile.Figure{Value: v, N: 9, CI95: [2]float64{0.9 * v, 1.1 * v}}
	}
	of := func(dct, zigzag, rle float64, line float64) *profile.Profile {
		p := &profile.Profile{Schema: profile.Schema, Links: []profile.Link{{Linktype: "memory", Where: betweenCores,
			TransferCost: figure(20e-9), Bandwidth: figure(1e10),
			Distance: &profile.Distance{Windows: 9, Good: line, GoodTime: 1}}}}
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
		{"far above its peers", 1.3e-9, 0.01e-9, 0.02e-9, 60e-9, ringBound},
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

// TestImpossibleRates: a rate at which no kernel can touch its elements becomes a bound from below, with a warning that
// names the kernel; kernels in hardware, and rates that caches deliver, stay.
func TestImpossibleRates(t *testing.T) {
	rate := func(v float64) *profile.Figure {
		return &profile.Figure{Value: v, N: 9, CI95: [2]float64{0.1 * v, 10 * v}, Windows: []float64{v}}
	}
	p := &profile.Profile{Schema: profile.Schema, Reference: &profile.Reference{Windows: 9, Faces: []profile.Face{
		{Name: "near vectors", Good: nearBytes / 30e9, GoodTime: 1}}}, Kernels: []profile.Kernel{
		{Block: "S", Instance: "top.s", Platform: "C", ServiceRate: rate(188.9e9)},
		{Block: "F", Instance: "top.f", Platform: "C", ServiceRate: rate(20e9)},
		{Block: "S", Instance: "top.s", Platform: "HDL", How: "simulated", ServiceRate: rate(188.9e9)},
	}}
	const most = nearSlack * 30e9
	for range 2 { // a profile that was bounded before is named again
		warnings := boundRates(p)
		f := p.Kernels[0].ServiceRate
		if low, high, ok := f.Interval(); ok || math.Abs(f.Value/most-1) > 1e-9 || !f.AtLeast || f.Bounded != 188.9e9 {
			t.Fatalf("%+v, between %g and %g", f, low, high)
		}
		if len(warnings) != 1 || !strings.HasPrefix(warnings[0].Text, "top.s ") {
			t.Errorf("warnings: %q", warnings)
		}
	}
	if f := p.Kernels[1].ServiceRate; f.Value != 20e9 || f.AtLeast || math.Abs(f.CI95[1]/most-1) > 1e-9 {
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
		t.Error("the face reads another number of bytes than nearBytes")
	}
}

package calibrate

import (
	"bytes"
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

package calibrate

import (
	"math"
	"testing"

	"xopt/flow/design"
	"xopt/flow/profile"
)

// TestCombine: a precise cost stays, also where it differs from the others. A wide one moves to the costs of kernels
// with equal elements, so that two calibrations agree. Costs that runs refined, and those of hardware, stay as they
// are; and estimates start from measurements, so that a second estimate changes nothing.
func TestCombine(t *testing.T) {
	d := fiveKernels.Design(t, design.Options{Purpose: design.ForCheck})
	const ns = 1e-9
	cost := func(value, err float64) *profile.Figure {
		return &profile.Figure{Value: math.Max(0, value), N: 9, Measured: &profile.Estimate{Value: value, Error: err}}
	}
	of := func(dct float64, link bool) *profile.Profile {
		rate := &profile.Figure{Value: 1e9, N: 9, CI95: [2]float64{0.9e9, 1.1e9}}
		p := &profile.Profile{Schema: profile.Schema, Kernels: []profile.Kernel{
			{Instance: "top.g", SendCost: cost(0.05*ns, 0.005*ns), CoLocationCost: cost(0.02*ns, 0.005*ns)},
			{Instance: "top.dct", SendCost: cost(dct, 0.3*ns), CoLocationCost: cost(26*ns, 30*ns)},
			{Instance: "top.zigzag", SendCost: cost(0.06*ns, 0.005*ns), CoLocationCost: cost(0.03*ns, 0.005*ns)},
			{Instance: "top.rle", SendCost: cost(0.5*ns, 0.01*ns), CoLocationCost: cost(0.9*ns, 0.01*ns)},
			{Instance: "top.s", ReceiveCost: &profile.Figure{Value: 7 * ns, Refined: []string{"r"},
				Measured: &profile.Estimate{Value: ns, Error: ns}}},
			{Instance: "top.s", How: "simulated", ReceiveCost: cost(3*ns, ns)},
		}}
		for i := range p.Kernels {
			p.Kernels[i].ServiceRate, p.Kernels[i].Platform = rate, "C"
		}
		if link {
			p.Links = []profile.Link{{Linktype: "memory", Where: betweenCores,
				TransferCost: &profile.Figure{Value: 20 * ns}, Bandwidth: &profile.Figure{Value: 1e10}}}
		}
		combine(d, p)
		return p
	}
	low, high := of(0, true), of(0.287*ns, true)
	for i, want := range []float64{0.05 * ns, 0, 0.06 * ns, 0.5 * ns} {
		for _, p := range []*profile.Profile{low, high} {
			f := p.Kernels[i].SendCost
			from, to, ok := f.Interval()
			if want > 0 && math.Abs(f.Value/want-1) > 0.1 || !ok || f.Value < from || f.Value > to || !(from > 0) {
				t.Errorf("%s: %+v, want %g", p.Kernels[i].Instance, *f, want)
			}
		}
	}
	a, b := low.Kernels[1].SendCost, high.Kernels[1].SendCost
	if b.Value-a.Value > 0.05*ns || a.Value < 0.02*ns || b.CI95[0] > a.Value {
		t.Errorf("two measurements of one cost, 0 and 0.287 ns/B, give %g and %g", a.Value, b.Value)
	}
	if f := low.Kernels[1].CoLocationCost; f.Value > ns || f.CI95[1] < ns {
		t.Errorf("co-location of 26 ± 60 ns/B beside kernels with 0.02 to 0.9 is %+v", *f)
	}
	if f := low.Kernels[3].CoLocationCost; math.Abs(f.Value/(0.9*ns)-1) > 0.05 {
		t.Errorf("a precise co-location of 0.9 ns/B is %+v", *f)
	}
	if x, y := low.Kernels[4].ReceiveCost.Value, low.Kernels[5].ReceiveCost.Value; x != 7*ns || y != 3*ns {
		t.Errorf("the refined cost became %g, that of hardware %g", x, y)
	}
	before := *a
	combine(d, low)
	if math.Abs(a.Value/before.Value-1) > 1e-12 {
		t.Errorf("estimated twice: %g, then %g", before.Value, a.Value)
	}
	if f := of(0.287*ns, false).Kernels[1].SendCost; f.Value != 0.287*ns {
		t.Errorf("without a link: %g", f.Value)
	}
	if err := high.Validate(); err != nil {
		t.Error(err)
	}
}

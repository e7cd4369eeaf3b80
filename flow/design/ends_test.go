package design

import (
	"context"
	"slices"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/profile"
)

// endsProfile returns a profile with an interval for every cost.
func endsProfile() *profile.Profile {
	figure := func(value, low, high float64) *profile.Figure {
		return &profile.Figure{Value: value, N: 9, CI95: [2]float64{low, high}}
	}
	return &profile.Profile{
		Kernels: []profile.Kernel{
			{Block: "S", Platform: "C", ServiceRate: figure(2e8, 2e8, 2e8), SendCost: figure(1e-9, -1e-9, 3e-9)},
			{Block: "T", Platform: "C", ServiceRate: figure(1e8, 1e8, 1e8), ReceiveCost: figure(2e-9, 1e-9, 4e-9),
				CoLocationCost: figure(5e-9, 4e-9, 6e-9), Contention: &profile.Contention{
					Pressure: figure(5, 4, 7), Slowdown: []profile.Slowdown{{Level: 5, Times: *figure(1.2, 0.9, 1.5)},
						{Level: 10, Times: *figure(1.3, 1.1, 1.4)}}}},
		},
		Links: []profile.Link{{Linktype: "memory", Bandwidth: figure(1e9, 5e8, 2e9),
			TransferCost: figure(1e-8, 0, 2e-8)}},
		Sharing: []profile.Sharing{{Platform: "C", Processes: "core", Wait: "auto", Scheduler: "other",
			Model: "conserving", SwitchCost: figure(1e-8, 5e-9, 2e-8)}},
	}
}

// TestEndsFromProfile: the 95 % intervals of every cost of a profile, of links, and of contention affect the ends of
// the throughput. Costs are not below 0, and figures in the files have no interval.
func TestEndsFromProfile(t *testing.T) {
	const text = `
#include "std.x"
block S { output UNSIGNED8 y; };
block T { input UNSIGNED8 x; };
block top { S src; T sink; src.y -> sink.x; };
resource a is C;
resource b is C;
resource m is memory ({ a, b });
platform C { impl S (src="s.c"); impl T (src="t.c"); };
map { top.src } to a;
map { top.sink } to b;
`
	p := endsProfile()
	d := mustLower(t, Options{Purpose: ForMapping, Profile: FromProfile("p.json", p, nil)}, text)
	if got := d.Problem.Figures[0][0].SendInterval; got != (flow.Interval{Low: 0, High: 3e-9}) {
		t.Errorf("sending costs %+v", got)
	}
	if got := d.Problem.Figures[1][1].CoLocationInterval; got != (flow.Interval{Low: 4e-9, High: 6e-9}) {
		t.Errorf("co-location costs %+v", got)
	}
	arch := &d.Problem.Architecture
	if got := arch.Resources[0].Sharing.SwitchInterval; got != (flow.Interval{Low: 5e-9, High: 2e-8}) {
		t.Errorf("switching costs %+v", got)
	}
	if got := arch.Links[0].Sharing.TransferInterval; got != (flow.Interval{Low: 0, High: 2e-8}) {
		t.Errorf("a transfer costs %+v", got)
	}
	ends := d.Problem.Figures[1][1].ContentionEnds
	good, bad := ends[flow.Good], ends[flow.Bad]
	if good == nil || bad == nil || good.Pressure != 4 || bad.Pressure != 7 || good.At(5) != 1 || good.At(10) != 1.1 ||
		bad.At(5) != 1.5 || bad.At(10) != 1.5 {
		t.Errorf("contention is %+v to %+v", good, bad)
	}
	n, err := flow.NewNetwork(d.Problem, d.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	s, err := flow.Fast{}.Solve(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	e, err := n.Uncertainty(s)
	if err != nil {
		t.Fatal(err)
	}
	// The sink limits and, with all figures bad, the link: a transfer has one byte here.
	for _, x := range []struct{ got, want float64 }{
		{s.Throughput, 1 / (1e-8 + 2e-9)}, {e.Throughput[flow.Bad], 1 / (2e-9 + 2e-8)},
		{e.Throughput[flow.Good], 1 / (1e-8 + 1e-9)},
	} {
		if x.want *= flow.DefaultMaxUtilization; relativeDifference(x.got, x.want) > 1e-9 {
			t.Errorf("%g, want %g", x.got, x.want)
		}
	}
	if got := n.Limits[e.Possible[0]].Name; len(e.Possible) != 1 || got != "m" {
		t.Errorf("what may limit is %v, %s", e.Possible, got)
	}
	if len(d.Problem.Figures[1][1].CostsAssumed) != 0 || len(e.Assumed) != 0 {
		t.Error("an end is assumed of intervals that are of use")
	}
	p.Kernels[1].CoLocationCost.CI95[1] = 5e-6
	wide := mustLower(t, Options{Purpose: ForMapping, Profile: FromProfile("p.json", p, nil)}, text)
	if f := &wide.Problem.Figures[1][1]; !slices.Equal(f.CostsAssumed, []flow.Part{flow.CoLocation}) ||
		relativeDifference(f.CoLocationInterval.High, 10*(1e-8+5e-9)-1e-8) > 1e-9 {
		t.Errorf("of a cost that reaches to 500 times the kernel's own time it is %+v", f.CoLocationInterval)
	}
	stated := mustLower(t, Options{Purpose: ForMapping, Profile: FromProfile("p.json", p, nil)},
		strings.Replace(text, "a is C", `a is C (switch="1us")`, 1)+`impl T on C (mu="100MB/s");`)
	if f := &stated.Problem.Figures[1][1]; f.ReceiveInterval != (flow.Interval{}) ||
		f.ContentionEnds[flow.Bad] != nil ||
		stated.Problem.Architecture.Resources[0].Sharing.SwitchInterval != (flow.Interval{}) {
		t.Errorf("stated figures have %+v", f)
	}
}

package flow

import (
	"context"
	"testing"
)

func TestParseSharingRule(t *testing.T) {
	for _, r := range SharingRules() {
		if got, err := ParseSharingRule(r.String()); err != nil || got != r {
			t.Errorf("%s is read as %s: %v", r, got, err)
		}
	}
	for _, c := range []struct {
		allowed []SharingRule
		want    string
	}{
		{nil, `"fair"; expected conserving, equal, area or bulk`},
		{ResourceSharingRules(), `"fair"; expected conserving, equal or area`},
		{LinkSharingRules(), `"fair"; expected conserving, equal or bulk`},
		{CommonSharingRules(), `"fair"; expected conserving or equal`},
		{[]SharingRule{Equal}, `"fair"; expected equal`},
	} {
		if _, err := ParseSharingRule("fair", c.allowed...); err == nil || err.Error() != c.want {
			t.Errorf("the error is %v, want %s", err, c.want)
		}
	}
	if _, err := ParseSharingRule("area", LinkSharingRules()...); err == nil {
		t.Error("a link may share by area")
	}
}

// switching returns two kernels on one core at 1 MB/s each, with their own switching cost. Each firing of a
// byte costs the core 1 us.
func switching(own float64, isKnown bool, at Interval) *Problem {
	f := Figures{Available: true, ServiceRate: 1e6, SwitchCost: own, SwitchKnown: isKnown, SwitchInterval: at}
	p := &Problem{MaxUtilization: 1, Figures: [][]Figures{{f}, {f}}}
	p.Application.Kernels = []Kernel{{Name: "a", Gain: 1}, {Name: "b", Gain: 1}}
	p.Application.Edges = []Edge{{Name: "e", From: 0, To: 1, Routing: 1, ElementBytes: 1}}
	p.Architecture.Resources = []Resource{{Name: "core", Sharing: Sharing{SwitchCost: 1e-6}}}
	return p
}

// TestMeasuredZeroSwitchCost: a measured switching cost of 0 is the limit of ever smaller ones; only an absent
// one is replaced by the core's. An interval that reaches 0 contains its estimate.
func TestMeasuredZeroSwitchCost(t *testing.T) {
	solve := func(p *Problem) (*Network, *Solution) {
		t.Helper()
		n, err := NewNetwork(p, &Mapping{Place: []int{0, 0}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		return n, s
	}
	for _, x := range []struct {
		own     float64
		isKnown bool
		want    float64
	}{{0, true, 5e5}, {1e-18, true, 5e5}, {0, false, 2.5e5}} {
		if _, s := solve(switching(x.own, x.isKnown, Interval{})); !near(s.Throughput, x.want, 1e-9) {
			t.Errorf("own cost %g, known %v: %g bytes/s, want %g", x.own, x.isKnown, s.Throughput, x.want)
		}
	}
	n, s := solve(switching(1e-8, true, Interval{0, 2e-8}))
	e, err := n.Uncertainty(s)
	if err != nil {
		t.Fatal(err)
	}
	if !(e.Throughput[Bad] < s.Throughput && s.Throughput < e.Throughput[Good]) ||
		!near(e.Throughput[Good], 5e5, 1e-9) {
		t.Errorf("%g bytes/s is not in %g to %g", s.Throughput, e.Throughput[Bad], e.Throughput[Good])
	}
}

// TestUnderSharing: the cost of a kernel's turns counts under every rule by which kernels take turns; a link with a
// cost of transfers keeps it under conserving sharing.
func TestUnderSharing(t *testing.T) {
	p := switching(1e-8, true, Interval{}).UnderSharing(Equal)
	if !p.OwnSwitchCost(0, 0) {
		t.Error("the cost of a kernel's turns does not count under equal sharing")
	}
	if !p.UnderSharing(Conserving).OwnSwitchCost(0, 0) {
		t.Error("the cost of a kernel's turns does not count under conserving sharing")
	}
	p.Architecture.Links = []Link{{Sharing: Sharing{Rule: Equal, TransferCost: 1e-6}}}
	if got := p.UnderSharing(Conserving).Architecture.Links[0].Sharing.Rule; got != Bulk {
		t.Errorf("a link with a cost of transfers shares by %s", got)
	}
}

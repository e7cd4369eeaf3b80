package design

import (
	"testing"

	"xopt/calibrate/profile"
	"xopt/flow"
)

func measuredFigure(v float64) *profile.Figure { return &profile.Figure{Value: v} }

// TestProfileLookup prefers what is nearer: the instance, the resource, the near
// platform.
func TestProfileLookup(t *testing.T) {
	p := FromProfile("dir/a.profile.json", &profile.Profile{Machine: profile.Machine{CPU: "X"},
		Kernels: []profile.Kernel{
			{Block: "F", Platform: "C", ServiceRate: measuredFigure(1),
				Routing: map[string]profile.Figure{"y": *measuredFigure(.2)}},
			{Block: "F", Platform: "Near", ServiceRate: measuredFigure(2), Gain: measuredFigure(.5)},
			{Block: "F", Resource: "proc[2]", ServiceRate: measuredFigure(3)},
			{Instance: "top.f", Platform: "C", ServiceRate: measuredFigure(4), Area: &profile.Area{BRAM: 7},
				Routing: map[string]profile.Figure{"y": *measuredFigure(.3)}},
		}, Links: []profile.Link{
			{Linktype: "bus", Bandwidth: measuredFigure(10)}, {Linktype: "pci", Bandwidth: measuredFigure(20)},
			{Link: "PCI2", Bandwidth: measuredFigure(30), TransferCost: measuredFigure(1)},
		}}, nil)
	for _, c := range []struct {
		kernel, resource string
		platforms        []string
		want             float64
	}{
		{"top.g", "proc[1]", []string{"C"}, 1}, {"top.g", "proc[1]", []string{"Near", "C"}, 2},
		{"top.g", "proc[2]", []string{"Near", "C"}, 3},
		{"top.f", "proc[2]", []string{"Near", "C"}, 4},
	} {
		f, ok := p.Kernel(c.kernel, "F", c.resource, c.platforms)
		if !ok || f.ServiceRate != c.want {
			t.Errorf("%s on %s %v: %v, %v, want %g", c.kernel, c.resource, c.platforms, f.ServiceRate, ok, c.want)
		}
	}
	if f, _ := p.Kernel("top.f", "F", "proc[1]", []string{"C"}); !f.HasArea || f.Area[flow.BRAM] != 7 || f.Gain >= 0 ||
		f.ServiceSCV >= 0 {
		t.Errorf("figures are %+v", f)
	}
	if _, ok := p.Kernel("top.h", "H", "proc[1]", []string{"C"}); ok {
		t.Error("a block that was not measured has figures")
	}
	if x, ok := p.Routing("top.f", "F", "y"); !ok || x != .3 {
		t.Errorf("routing of the instance is %g", x)
	}
	if x, ok := p.Routing("top.g", "F", "y"); !ok || x != .2 {
		t.Errorf("routing of the block is %g", x)
	}
	for _, c := range []struct {
		link, linktype string
		want           float64
	}{{"A", "bus", 10}, {"B", "pci", 20}, {"PCI2", "pci", 30}} {
		types := []string{"bus"}
		if c.linktype == "pci" {
			types = []string{"pci", "bus"}
		}
		if l, ok := p.Link(c.link, types); !ok || l.Bandwidth != c.want {
			t.Errorf("bandwidth of %s is %v", c.link, l.Bandwidth)
		}
	}
	if got := p.Describe(); got != "a.profile.json, X" {
		t.Errorf("described as %q", got)
	}
}

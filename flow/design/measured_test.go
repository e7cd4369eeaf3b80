package design

import (
	"math"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/profile"
)

func measuredFigure(v float64) *profile.Figure { return &profile.Figure{Value: v} }

// TestProfileLookup prefers the nearer entry: the instance, the resource, the near platform.
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
		if f := p.Kernel(c.kernel, "F", c.resource, c.platforms); f == nil || f.ServiceRate.Value != c.want {
			t.Errorf("%s on %s %v: %+v, want %g", c.kernel, c.resource, c.platforms, f, c.want)
		}
	}
	if f := p.Kernel("top.f", "F", "proc[1]", []string{"C"}); f.Area == nil || areaOf(f.Area)[flow.BRAM] != 7 {
		t.Errorf("figures are %+v", f)
	}
	if p.Kernel("top.h", "H", "proc[1]", []string{"C"}) != nil {
		t.Error("a block that was not measured has figures")
	}
	if x, _, ok := p.Routing("top.f", "F", "y"); !ok || x != .3 {
		t.Errorf("routing of the instance is %g", x)
	}
	if x, _, ok := p.Routing("top.g", "F", "y"); !ok || x != .2 {
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

// TestSimulatedFigures: figures of hardware from its simulation are simulated: its rate, gain and routing.
func TestSimulatedFigures(t *testing.T) {
	measured := &profile.Profile{Machine: profile.Machine{CPU: "X"},
		Conditions: &profile.Conditions{Disturbed: "others used a processor"},
		Kernels: []profile.Kernel{
			{Block: "S", Platform: "C", ServiceRate: measuredFigure(4e6)},
			{Block: "F", Platform: "FPGA", ServiceRate: measuredFigure(2e6), Gain: measuredFigure(2),
				Routing: map[string]profile.Figure{"y": {Value: 0.25}, "z": {Value: 0.75}}, How: "RTL simulation"},
			{Block: "T", Platform: "C", ServiceRate: measuredFigure(4e6)}}}
	d := mustLower(t, Options{Profile: FromProfile("p.json", measured, nil)}, `
#include "std.x"
block S { output UNSIGNED8 y; };
block F { input UNSIGNED8 x; output UNSIGNED8 y, z; };
block T { input UNSIGNED8 x; };
block top { S s; F f; T t; T u; s.y -> f.x; f.y -> t.x; f.z -> u.x; };
platform C { impl S (src="s.c"); impl T (src="t.c"); };
platform FPGA: HDL { impl F (src="f.v"); };
resource a is C;
resource fpga is FPGA;
resource bus1 is bus ({ a, fpga }, bandwidth="1GB/s");
map { top.s, top.t, top.u } to a;
map { top.f } to fpga;
`)
	count := make(map[flow.Origin]int)
	for _, c := range d.Citations(d.Mapping) {
		count[c.Origin] += c.Figures
		if c.Origin == flow.Simulated && (c.Profile || !strings.HasPrefix(c.Note, "simulated: p.json")) {
			t.Errorf("a simulated figure is of the machine: %+v", c)
		}
	}
	// of F its rate, its gain and two fractions; three kernels on cores; the bus;
	// how the kernels on a share it, and the edges the bus
	if count[flow.Simulated] != 4 || count[flow.Measured] != 3 || count[flow.Assumed] != 3 {
		t.Errorf("figures by origin: %v", count)
	}
}

// TestLinkMeasuredFarApart checks that the bandwidth is the measured one if the cores were farther apart than beside
// the kernels. Only the upper end of its interval follows the distance, and the note has the factor.
func TestLinkMeasuredFarApart(t *testing.T) {
	p := &profile.Profile{Reference: &profile.Reference{Distance: &profile.Distance{Good: 20e-9, FarApart: 120e-9}},
		Kernels: []profile.Kernel{{Block: "S", Platform: "C", ServiceRate: measuredFigure(4e6)},
			{Block: "T", Platform: "C", ServiceRate: measuredFigure(4e6)}},
		Links: []profile.Link{{Linktype: "memory", Distance: &profile.Distance{Good: 120e-9},
			Bandwidth: &profile.Figure{Value: 1.8e9, N: 9, CI95: [2]float64{0.9e9, 2.6e9}}}}}
	d := mustLower(t, Options{Profile: FromProfile("p.json", p, nil)}, `
#include "std.x"
block S { output UNSIGNED8 y; };
block T { input UNSIGNED8 x; };
block top { S s; T t; s.y -> t.x; };
platform C { impl S (src="s.c"); impl T (src="t.c"); };
resource proc[2] is C;
resource mem is memory ({ proc });
map { top.s } to proc[1];
map { top.t } to proc[2];
`)
	l := &d.Problem.Architecture.Links[0]
	if l.Bandwidth != 1.8e9 || l.Low != 0.9e9 || math.Abs(l.High-6*2.6e9) > 1 || l.Origin != flow.Measured {
		t.Errorf("the link is %+v", l)
	}
	if !strings.Contains(l.Note, "the distance between the cores was 6 times the distance") {
		t.Errorf("the note is %q", l.Note)
	}
	far := d.In(&MachineState{Distance: 120e-9})
	if b := far.Architecture.Links[0].Bandwidth; b != 1.8e9 {
		t.Errorf("with distant cores, as measured, the bandwidth is %g", b)
	}
}

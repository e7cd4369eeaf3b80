package design

import (
	"math"
	"testing"

	"xopt/flow"
	"xopt/flow/profile"
)

// TestIn: kernels are slower according to their probes, and crossing costs more with the distance of the cores.
// Unmeasured kernels have the costs of the others, and nothing changes if undisturbed.
func TestIn(t *testing.T) {
	d := &Design{Problem: &flow.Problem{Figures: [][]flow.Figures{
		{{ServiceRate: 1e9, SendCost: 1e-10, CoLocationCost: 1e-10}}, {{ServiceRate: 2e9}}, {{ServiceRate: 3e9}}},
		Architecture: flow.Architecture{Links: []flow.Link{{Bandwidth: 8e9}}}}}
	d.state.reference = &profile.Reference{Distance: &profile.Distance{Good: 30e-9, FarApart: 110e-9}}
	d.state.kernel(0, 0, &profile.Kernel{SendFar: &profile.Figure{Value: 4e-10},
		Undisturbed: &profile.Undisturbed{Sensitivity: map[string]float64{"near vectors": 0.5}}})
	d.state.kernel(1, 0, &profile.Kernel{ReceiveFar: &profile.Figure{Value: 2e-10}})
	d.state.link(0, &LinkFigures{Far: &profile.LinkFar{Slowdown: 3}})
	same := d.In(&MachineState{Slow: [][]float64{make([]float64, 6)}, Distance: 30e-9})
	if f := same.Figures[0][0]; f.ServiceRate != 1e9 || f.SendCost != 1e-10 ||
		same.Architecture.Links[0].Bandwidth != 8e9 {
		t.Errorf("in good time the figures are %+v", f)
	}
	slow := d.In(&MachineState{Slow: [][]float64{{0, 0, 0.2, 0, 0, 0}}, Distance: 70e-9}) // half way
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9*want }
	if f := slow.Figures[0][0]; !near(f.ServiceRate, 1e9/math.Exp(0.1)) || !near(f.SendCost, 3e-10) ||
		!near(f.ReceiveCost, 1e-10) || !near(f.CoLocationCost, 1e-10*math.Exp(0.1)) {
		t.Errorf("slowed figures are %+v", f)
	}
	if f := slow.Figures[1][0]; f.ServiceRate != 2e9 || !near(f.ReceiveCost, 1e-10) || !near(f.SendCost, 2e-10) {
		t.Errorf("a kernel that was not measured far apart has %+v", f)
	}
	if f := slow.Figures[2][0]; f.ServiceRate != 3e9 || f.SendCost != 0 {
		t.Errorf("a figure that was stated has become %+v", f)
	}
	if b := slow.Architecture.Links[0].Bandwidth; !near(b, 4e9) {
		t.Errorf("the link carries %g", b)
	}
	if d.Problem.Figures[0][0].SendCost != 1e-10 || d.Problem.Architecture.Links[0].Bandwidth != 8e9 {
		t.Error("the design itself has changed")
	}
}

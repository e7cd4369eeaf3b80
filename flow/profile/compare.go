package profile

import (
	"maps"
	"math"
	"slices"
)

// Difference is one figure that two profiles both hold.
type Difference struct {
	Kernel, What string // "top.fft", "service rate"
	A, B         Figure
	// Agree reports whether their 95 % intervals meet; of few windows, their spreads.
	Agree bool
}

// Relative is B over A, less one; +Inf from nothing to something.
func (d *Difference) Relative() float64 {
	if d.A.Value == d.B.Value {
		return 0
	}
	return d.B.Value/d.A.Value - 1
}

// Compare lists the figures that two profiles hold of the same kernels on the same
// platforms.
func Compare(a, b *Profile) []Difference {
	var list []Difference
	for i := range a.Kernels {
		x := &a.Kernels[i]
		j := slices.IndexFunc(b.Kernels, func(k Kernel) bool {
			return k.Instance == x.Instance && k.Block == x.Block && k.Platform == x.Platform &&
				k.Resource == x.Resource
		})
		if j < 0 {
			continue
		}
		y := &b.Kernels[j]
		name := x.Instance
		if name == "" {
			name = x.Block
		}
		add := func(what string, f, g *Figure) {
			if f == nil || g == nil {
				return
			}
			list = append(list, Difference{Kernel: name, What: what, A: *f, B: *g, Agree: meet(f, g)})
		}
		add("service rate", x.ServiceRate, y.ServiceRate)
		add("gain", x.Gain, y.Gain)
		add("service scv", x.ServiceSCV, y.ServiceSCV)
		add("bytes of a firing", x.FiringBytes, y.FiringBytes)
		add("co-location cost", x.CoLocationCost, y.CoLocationCost)
		add("switch cost", x.SwitchCost, y.SwitchCost)
		add("receive cost", x.ReceiveCost, y.ReceiveCost)
		add("send cost", x.SendCost, y.SendCost)
		for _, port := range slices.Sorted(maps.Keys(x.Routing)) {
			f, g := x.Routing[port], Figure{}
			if v, ok := y.Routing[port]; ok {
				g = v
				add("routing of "+port, &f, &g)
			}
		}
	}
	return list
}

// rounding is the relative difference that two equal figures may have.
const rounding = 1e-9

// meet reports whether two intervals, or what there is in their place, have a value in common.
func meet(f, g *Figure) bool {
	slack := rounding * math.Max(math.Abs(f.Value), math.Abs(g.Value))
	fromF, toF := f.Spread()
	fromG, toG := g.Spread()
	return fromF <= toG+slack && fromG <= toF+slack
}

package profile

import (
	"maps"
	"math"
	"slices"
)

// Difference is the comparison of a figure in two profiles.
type Difference struct {
	Kernel, What string // such as "top.fft" and "service rate", or a platform and "sharing rule"
	A, B         Figure
	Rules        [2]string // the sharing rules, in place of A and B
	// Agree reports whether the 95 % intervals of A and B overlap or, with few windows, their ranges.
	Agree bool
}

// Relative returns B/A - 1; 0 if both are equal, +Inf if only A is 0.
func (d *Difference) Relative() float64 {
	if d.A.Value == d.B.Value {
		return 0
	}
	return d.B.Value/d.A.Value - 1
}

// Exceeds reports whether the relative difference of the two values is larger than relative. It returns true for
// different sharing rules.
func (d *Difference) Exceeds(relative float64) bool {
	return d.Rules[0] != d.Rules[1] || math.Abs(d.Relative()) > relative
}

// Compare lists the figures that two profiles have in common: figures of the same kernels on the same platforms, and of
// cores with the same type of sharing.
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
	return append(list, compareSharing(a, b)...)
}

// compareSharing lists the sharing rules and the switch costs of cores with the same type of sharing.
func compareSharing(a, b *Profile) (list []Difference) {
	for i := range a.Sharing {
		x := &a.Sharing[i]
		j := slices.IndexFunc(b.Sharing, func(s Sharing) bool {
			return s.Platform == x.Platform && s.Processes == x.Processes && s.Wait == x.Wait &&
				s.Scheduler == x.Scheduler
		})
		if j < 0 {
			continue
		}
		y := &b.Sharing[j]
		list = append(list, Difference{Kernel: x.Platform, What: "sharing rule", Rules: [2]string{x.Model, y.Model},
			Agree: x.Model == y.Model})
		if x.SwitchCost != nil && y.SwitchCost != nil {
			list = append(list, Difference{Kernel: x.Platform, What: "switch cost of a firing", A: *x.SwitchCost,
				B: *y.SwitchCost, Agree: meet(x.SwitchCost, y.SwitchCost)})
		}
	}
	return list
}

// rounding is the maximum relative difference at which two figures count as equal.
const rounding = 1e-9

// meet reports whether the intervals or ranges of two figures overlap.
func meet(f, g *Figure) bool {
	slack := rounding * math.Max(math.Abs(f.Value), math.Abs(g.Value))
	fromF, toF := f.Spread()
	fromG, toG := g.Spread()
	return fromF <= toG+slack && fromG <= toF+slack
}

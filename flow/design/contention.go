package design

import (
	"slices"

	"xopt/flow"
	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// contentionOf converts the measured memory contention of a kernel; it returns nil if there is none.
func contentionOf(k *profile.Kernel) *flow.Contention {
	if k.Contention == nil || k.Contention.Pressure == nil && len(k.Contention.Slowdown) == 0 {
		return nil
	}
	c := &flow.Contention{Pressure: valueOr(k.Contention.Pressure, 0)}
	for i := range k.Contention.Slowdown {
		s := &k.Contention.Slowdown[i]
		c.Curve = append(c.Curve, flow.Slowdown{Level: s.Level, Times: s.Times.Value})
	}
	return c
}

// contentionEnds returns the contention at the ends of the 95 % confidence intervals. A figure without an interval
// keeps its value, and curves remain increasing.
func contentionEnds(k *profile.Kernel) (ends [flow.NumEnds]*flow.Contention) {
	c := contentionOf(k)
	if c == nil {
		return ends
	}
	pressure := flow.Interval{Low: c.Pressure, High: c.Pressure}
	if x := intervalOf(k.Contention.Pressure); x != (flow.Interval{}) {
		pressure = x
	}
	good, bad := &flow.Contention{Pressure: pressure.Low}, &flow.Contention{Pressure: pressure.High}
	minimum, maximum := 1.0, 1.0
	for i := range c.Curve {
		s := &k.Contention.Slowdown[i]
		x := flow.Interval{Low: s.Times.Value, High: s.Times.Value}
		if existing := intervalOf(&s.Times); existing != (flow.Interval{}) {
			x = existing
		}
		minimum, maximum = max(minimum, x.Low), max(maximum, x.High)
		good.Curve = append(good.Curve, flow.Slowdown{Level: s.Level, Times: minimum})
		bad.Curve = append(bad.Curve, flow.Slowdown{Level: s.Level, Times: maximum})
	}
	ends[flow.Good], ends[flow.Bad] = good, bad
	return ends
}

// memories finds the cores that share a memory: cores that are connected by links of the linktype memory, directly or
// through other cores. It does nothing if no kernel has measured contention.
func (b *builder) memories() {
	measured := false
	for k := range b.p.Figures {
		for r := range b.p.Figures[k] {
			measured = measured || b.p.Figures[k][r].Contention != nil
		}
	}
	if !measured {
		return
	}
	of := make([]int, len(b.prog.Resources))
	for r := range of {
		of[r] = r
	}
	for l := range b.prog.Links {
		link := &b.prog.Links[l]
		if b.rootLinktype(link.Linktype) != "memory" {
			continue
		}
		first := -1
		for _, r := range link.Endpoints {
			if IsFPGA(b.prog, r) {
				continue
			}
			if first < 0 {
				first = of[r]
				continue
			}
			joined := of[r]
			for q := range of {
				if of[q] == joined {
					of[q] = first
				}
			}
		}
	}
	for r, memory := range of {
		if others := slices.Index(of, memory) != r || slices.Contains(of[r+1:], memory); others {
			b.p.Architecture.Resources[r].Memory = "memory of " + b.prog.Resources[memory].Name
		}
	}
}

// rootLinktype returns the linktype at the root of a linktype's ancestry.
func (b *builder) rootLinktype(name string) string {
	for range b.prog.Linktypes {
		i := slices.IndexFunc(b.prog.Linktypes, func(t xlang.Type) bool { return t.Name == name })
		if i < 0 || b.prog.Linktypes[i].Base == "" {
			break
		}
		name = b.prog.Linktypes[i].Base
	}
	return name
}

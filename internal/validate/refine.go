package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"xopt/calibrate/profile"
	"xopt/flow"
	"xopt/internal/design"
)

// Learnt is what mappings that were run tell beside the figures of kernels alone.
type Learnt struct {
	// SwitchCost is what each firing costs more than was predicted when kernels share a
	// core, in s. It may be below nothing, by what was predicted at the most.
	SwitchCost float64
	// CrossingCost is what each element costs more at each end of an edge between
	// cores, in s; at least 0.
	CrossingCost float64
	Cases        int
}

// observation is what one case tells: excess = switch·firings + crossing·ends, all for
// a byte out of the sources, and total, the time that the core took for it.
type observation struct{ excess, firings, ends, total float64 }

// Learn fits the two costs to the core that limits each case: least squares of relative
// differences between the time that a byte takes there and what was predicted. It needs
// three cases.
func Learn(ctx context.Context, d *design.Design, cases []Case) (Learnt, error) {
	var seen []observation
	present := 0.0 // switch cost in force
	for i := range cases {
		c := &cases[i]
		if c.Fail != "" || !(c.Measured > 0) {
			continue
		}
		n, err := flow.NewNetwork(d.Problem, c.Mapping)
		if err != nil {
			return Learnt{}, fmt.Errorf("predicting mapping %s: %w", c.Name, err)
		}
		s, err := flow.Fast{}.Solve(ctx, n)
		if err != nil {
			return Learnt{}, fmt.Errorf("predicting mapping %s: %w", c.Name, err)
		}
		core := 0
		for r := range s.Resources {
			if s.Resources[r].Utilization > s.Resources[core].Utilization {
				core = r
			}
		}
		if d.Problem.Architecture.Resources[core].Sharing.Rule != flow.Conserving {
			continue
		}
		present = d.Problem.Architecture.Resources[core].Sharing.SwitchCost
		x := observation{total: 1 / c.Measured}
		x.excess = x.total - s.Resources[core].Utilization/s.Throughput
		for k, at := range c.Mapping.Place {
			if at != core {
				continue
			}
			if s.Resources[core].Members > 1 {
				x.firings += n.Firings(s, k) / s.Throughput
			}
		}
		for e, edge := range d.Problem.Application.Edges {
			from, to := c.Mapping.Place[edge.From], c.Mapping.Place[edge.To]
			if from != to && (from == core || to == core) {
				x.ends += s.EdgeFlow[e] / edge.ElementBytes / s.Throughput
			}
		}
		seen = append(seen, x)
	}
	const fewest = 3
	if len(seen) < fewest {
		return Learnt{}, fmt.Errorf("%d mappings were measured on work-conserving cores, but %d are needed to learn "+
			"from", len(seen), fewest)
	}
	l := fitCosts(seen, -present)
	l.Cases = len(seen)
	return l, nil
}

// fitCosts solves the least squares of two unknowns, the first at least least, the
// second at least 0: the optimum without bounds if it keeps them, else the better of
// those on a bound.
func fitCosts(seen []observation, least float64) Learnt {
	var ff, fe, ee, fy, ey float64
	for _, x := range seen {
		f, e, y := x.firings/x.total, x.ends/x.total, x.excess/x.total
		ff, fe, ee, fy, ey = ff+f*f, fe+f*e, ee+e*e, fy+f*y, ey+e*y
	}
	square := func(l Learnt) float64 {
		sum := 0.0
		for _, x := range seen {
			r := (x.excess - l.SwitchCost*x.firings - l.CrossingCost*x.ends) / x.total
			sum += r * r
		}
		return sum
	}
	var candidates []Learnt
	if det := ff*ee - fe*fe; det > 1e-12*ff*ee {
		l := Learnt{SwitchCost: (fy*ee - ey*fe) / det, CrossingCost: (ey*ff - fy*fe) / det}
		if l.SwitchCost >= least && l.CrossingCost >= 0 {
			return l
		}
	}
	if ff > 0 {
		candidates = append(candidates, Learnt{SwitchCost: max(least, fy/ff)})
	}
	if ee > 0 {
		candidates = append(candidates, Learnt{SwitchCost: least, CrossingCost: max(0, (ey-least*fe)/ee)})
	}
	best := Learnt{}
	for _, c := range candidates {
		if square(c) < square(best) {
			best = c
		}
	}
	return best
}

// Apply returns a profile with what was learnt in it: the switch cost of the platforms of
// the design's cores, and the costs of taking from and sending to other cores.
func (l Learnt) Apply(d *design.Design, p *profile.Profile) *profile.Profile {
	out := *p
	out.Sharing, out.Kernels = slices.Clone(p.Sharing), slices.Clone(p.Kernels)
	done := make(map[string]bool)
	for r := range d.Program.Resources {
		res, model := &d.Program.Resources[r], &d.Problem.Architecture.Resources[r]
		if done[res.Platform] || model.Sharing.Rule != flow.Conserving {
			continue
		}
		done[res.Platform] = true
		cost := profile.Figure{Value: max(0, model.Sharing.SwitchCost+l.SwitchCost)}
		want := profile.Sharing{Platform: res.Platform, Processes: res.Config["processes"].Text,
			Wait: res.Config["wait"].Text, Scheduler: res.Config["scheduler"].Text, Model: flow.Conserving.String()}
		i := slices.IndexFunc(out.Sharing, func(s profile.Sharing) bool {
			return s.Platform == want.Platform && s.Processes == want.Processes && s.Wait == want.Wait &&
				s.Scheduler == want.Scheduler
		})
		if i < 0 {
			out.Sharing = append(out.Sharing, want)
			i = len(out.Sharing) - 1
		}
		out.Sharing[i].SwitchCost = &cost
	}
	if l.CrossingCost == 0 {
		return &out
	}
	for i := range out.Kernels {
		k := slices.IndexFunc(d.Problem.Application.Kernels,
			func(k flow.Kernel) bool { return k.Name == out.Kernels[i].Instance })
		if k < 0 {
			continue
		}
		var in, out1 []float64 // bytes of elements
		for _, e := range d.Problem.Application.Edges {
			if e.To == k {
				in = append(in, e.ElementBytes)
			}
			if e.From == k {
				out1 = append(out1, e.ElementBytes)
			}
		}
		out.Kernels[i].ReceiveCost = dearer(out.Kernels[i].ReceiveCost, l.CrossingCost, in)
		out.Kernels[i].SendCost = dearer(out.Kernels[i].SendCost, l.CrossingCost, out1)
	}
	return &out
}

// dearer adds a cost for each element to one for each byte, over edges with elements of
// these sizes.
func dearer(f *profile.Figure, cost float64, sizes []float64) *profile.Figure {
	if len(sizes) == 0 {
		return f
	}
	sum := 0.0
	for _, s := range sizes {
		sum += cost / s
	}
	added := profile.Figure{Value: sum / float64(len(sizes))}
	if f != nil {
		added.Value += f.Value
	}
	return &added
}

// Again predicts the mappings of cases anew, with the figures of another design of the
// same application and architecture.
func Again(ctx context.Context, d *design.Design, cases []Case) ([]Case, error) {
	out := slices.Clone(cases)
	for i := range out {
		c := &out[i]
		measured := c.Edges
		c.Edges, c.Bottleneck = nil, nil
		if err := c.predict(ctx, d); err != nil {
			return nil, fmt.Errorf("predicting mapping %s: %w", c.Name, err)
		}
		if len(measured) != len(c.Edges) {
			return nil, errors.New("the design belongs to another application")
		}
		for e := range measured {
			c.Edges[e].Measured = measured[e].Measured
		}
		for k := range c.Queues {
			c.Queues[k].Measured, c.Queues[k].Buffer = cases[i].Queues[k].Measured, cases[i].Queues[k].Buffer
		}
		if err := c.sizesAgain(ctx, d); err != nil {
			return nil, fmt.Errorf("predicting mapping %s: %w", c.Name, err)
		}
		if c.Fail == "" {
			if err := c.explain(ctx, d); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

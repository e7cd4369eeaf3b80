package validate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/units"
)

// Culprit is the figure that explains most of the error of a case: without it, or with what the
// run has in its place, the prediction comes nearest to what was measured.
type Culprit struct {
	Figure string  // in words, with its value
	Left   float64 // the error that is left then
}

// maxOf is how much of an error a figure must explain to be named.
const maxOf = 0.5

// suspect is a figure with what it would be by the run.
type suspect struct {
	text   string
	kernel string // whose service rate it is; "" for another figure
	apply  func(*flow.Problem)
}

// figureReasons are predictions of a case with one figure changed at a time.
type figureReasons struct {
	list []reason
	slow map[string]float64 // the error left with the service rate of a kernel as the run has it
}

// best is the figure that leaves the least error, where that is less than there is.
func (f *figureReasons) best(err float64) []reason {
	var best []reason
	least := math.Abs(err)
	for _, r := range f.list {
		if left := math.Abs(r.left); left < least {
			best, least = []reason{r}, left
		}
	}
	return best
}

// figureReasons predicts a case anew with one figure changed at a time.
func (c *Case) figureReasons(ctx context.Context, d *design.Design) (*figureReasons, error) {
	found := &figureReasons{slow: make(map[string]float64)}
	if c.costs == nil {
		return found, nil
	}
	for _, s := range c.suspects(d) {
		p := *d.Problem
		p.Figures = slices.Clone(p.Figures)
		p.Architecture.Resources = slices.Clone(p.Architecture.Resources)
		s.apply(&p)
		n, err := flow.NewNetwork(&p, c.Mapping)
		if err != nil {
			return nil, fmt.Errorf("predicting with another %s: %w", s.text, err)
		}
		x, err := (flow.Fast{}).Solve(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("predicting with another %s: %w", s.text, err)
		}
		left := (x.Throughput - c.Measured) / c.Measured
		if s.kernel != "" {
			found.slow[s.kernel] = left
			if s.kernel == c.Slow && math.Abs(c.SlowPart) > muchSlower {
				continue // told as what the sharing model lacks
			}
		}
		found.list = append(found.list, reason{s.text, left})
	}
	return found, nil
}

// suspects lists the figures that the prediction of a case rests on: costs, which may be
// nothing, and service rates, which the run measured with all costs.
func (c *Case) suspects(d *design.Design) []suspect {
	var list []suspect
	switched := make(map[int]bool)
	for i := range c.network.Stations {
		st := &c.network.Stations[i]
		if st.Kind != flow.KernelStation {
			continue
		}
		k, r := st.Kernel, c.Mapping.Place[st.Kernel]
		parts, lambda := &c.solution.Stations[i].Parts, c.solution.Stations[i].ArrivalRate
		if design.IsFPGA(d.Program, r) || !(lambda > 0) {
			continue
		}
		f := &d.Problem.Figures[k][r]
		where := d.Program.Kernels[k].Name + " on " + d.Program.Resources[r].Name
		change := func(set func(*flow.Figures)) func(*flow.Problem) {
			return func(p *flow.Problem) {
				p.Figures[k] = slices.Clone(p.Figures[k])
				set(&p.Figures[k][r])
			}
		}
		perByte := func(v float64) string { return fmt.Sprintf("%.3g ns/B", v*1e9) }
		for _, x := range []struct {
			what string
			part flow.Part
			cost float64
			set  func(*flow.Figures)
		}{
			{"co-location cost", flow.CoLocation, f.CoLocationCost, func(f *flow.Figures) { f.CoLocationCost = 0 }},
			{"receive cost", flow.Receiving, f.ReceiveCost, func(f *flow.Figures) { f.ReceiveCost = 0 }},
			{"send cost", flow.Sending, f.SendCost, func(f *flow.Figures) { f.SendCost = 0 }},
			{"memory contention", flow.Contended, parts[flow.Contended] / lambda,
				func(f *flow.Figures) { f.Contention = nil }},
		} {
			if parts[x.part] > 0 {
				list = append(list, suspect{fmt.Sprintf("%s of %s, %s", x.what, where, perByte(x.cost)), "",
					change(x.set)})
			}
		}
		others := (parts[flow.CoLocation] + parts[flow.Receiving] + parts[flow.Sending] +
			parts[flow.Contended]) / lambda
		if took := median(c.costs[k]) - others; took > 0 && f.ServiceRate > 0 && !math.IsInf(f.ServiceRate, 1) {
			list = append(list, suspect{fmt.Sprintf("service rate of %s: %s in the figures, %s in the run", where,
				units.Rate(f.ServiceRate), units.Rate(1/took)), d.Program.Kernels[k].Name,
				change(func(f *flow.Figures) { f.ServiceRate = 1 / took })})
		}
		if cost := d.Problem.Architecture.Resources[r].Sharing.SwitchCost; cost > 0 && parts[flow.Switching] > 0 &&
			!switched[r] {
			switched[r] = true
			list = append(list, suspect{fmt.Sprintf("cost of a switch on %s, %s", d.Program.Resources[r].Name,
				units.Time(cost)), "",
				func(p *flow.Problem) { p.Architecture.Resources[r].Sharing.SwitchCost = 0 }})
		}
	}
	return list
}

// receiveCosts takes in what each byte took each kernel in a run, in s, with all costs.
func (c *Case) receiveCosts(d *design.Design, busy, in, out []float64) {
	if c.costs == nil {
		c.costs = make([][]float64, len(busy))
	}
	for k := range busy {
		bytes := in[k]
		if len(d.Program.Kernels[k].Inputs) == 0 {
			bytes = out[k]
		}
		if bytes > 0 && busy[k] > 0 {
			c.costs[k] = append(c.costs[k], busy[k]/bytes)
		}
	}
}

package validate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"xopt/flow"
	"xopt/flow/design"
)

// Learned is a figure for one part of the time of a kernel or core, learned from runs.
type Learned struct {
	Kernel   string // "" for a platform
	Platform string
	// Part is flow.Compute (the time of the kernel alone), flow.CoLocation, flow.Receiving, flow.Sending or
	// flow.Switching.
	Part flow.Part
	// Was is the value in the profile. Is is the learned value with its 95 % interval, in s per byte or, for switching,
	// in s per firing.
	Was, Is, Low, High float64
	Mappings, Runs     int

	resource int // one resource of the platform
}

// Factor returns the learned value divided by the value of the profile.
func (l *Learned) Factor() float64 { return l.Is / l.Was }

// learnable returns the parts that can be learned from kernel times. If runs do not distinguish two parts, xopt prefers
// the part that comes first in this list.
func learnable() []flow.Part {
	return []flow.Part{flow.Compute, flow.CoLocation, flow.Receiving, flow.Sending}
}

// kernelTime contains the measured and predicted time of one kernel in one mapping.
type kernelTime struct {
	measured, predicted float64               // s per byte, without switching
	own                 float64               // predicted s per byte of the kernel alone
	bytes               map[flow.Part]float64 // bytes to which a part applies, per input byte; for Compute, its time
	was                 map[flow.Part]float64 // cost of each part in s per byte
	runs, resource      int
}

// group contains the times of one kernel on one platform.
type group struct {
	kernel   int
	platform string
	rows     []kernelTime
}

// minOwn is the minimum fraction of a kernel's time that must be its own time. Below this fraction, costs dominate the
// measurement.
const minOwn = 0.1

// collectTimes collects the times of kernels on cores that have measured figures, over all mappings.
func collectTimes(ctx context.Context, d *design.Design, ran []Ran) ([]group, error) {
	var groups []group
	for i := range ran {
		n, s, err := solvedWith(ctx, d.Problem, ran[i].Mapping)
		if err != nil {
			return nil, err
		}
		for st := range n.Stations {
			station, state := &n.Stations[st], &s.Stations[st]
			if station.Kind != flow.KernelStation || !(state.ArrivalRate > 0) {
				continue
			}
			k := station.Kernel
			at := ran[i].Mapping.Place[k]
			if !(ran[i].Busy[k] > 0) || design.IsFPGA(d.Program, at) ||
				d.Problem.Figures[k][at].Origin != flow.Measured {
				continue
			}
			platform := d.Program.Resources[at].Platform
			g := slices.IndexFunc(groups, func(g group) bool { return g.kernel == k && g.platform == platform })
			if g < 0 {
				g = len(groups)
				groups = append(groups, group{kernel: k, platform: platform})
			}
			groups[g].rows = append(groups[g].rows, measuredTime(d.Problem, n, s, st, &ran[i]))
		}
	}
	return groups, nil
}

// measuredTime returns the measured and predicted time of a kernel in a mapping.
func measuredTime(p *flow.Problem, n *flow.Network, s *flow.Solution, st int, ran *Ran) kernelTime {
	k, state := n.Stations[st].Kernel, &s.Stations[st]
	at := n.Mapping.Place[k]
	f := &p.Figures[k][at]
	x := kernelTime{measured: ran.Busy[k], predicted: busyOf(state) / state.ArrivalRate, runs: ran.Runs, resource: at,
		own: state.Parts[flow.Compute] / state.ArrivalRate, bytes: make(map[flow.Part]float64),
		was: map[flow.Part]float64{flow.CoLocation: f.CoLocationCost, flow.Receiving: f.ReceiveCost,
			flow.Sending: f.SendCost}}
	x.bytes[flow.Compute] = (state.Parts[flow.Compute] + state.Parts[flow.Contended]) / state.ArrivalRate
	if s.Resources[at].Members > 1 {
		x.bytes[flow.CoLocation] = 1
	}
	for e, edge := range p.Application.Edges {
		if n.Mapping.Place[edge.From] == n.Mapping.Place[edge.To] {
			continue
		}
		if edge.To == k {
			x.bytes[flow.Receiving] += s.EdgeFlow[e] / state.ArrivalRate
		}
		if edge.From == k {
			x.bytes[flow.Sending] += s.EdgeFlow[e] / state.ArrivalRate
		}
	}
	return x
}

// scale returns the mean predicted time per byte. learn fits costs in this unit, so that the costs have similar
// magnitudes.
func (g *group) scale() float64 { return g.mean(func(x *kernelTime) float64 { return x.predicted }) }

// mean returns the mean of a value of the rows.
func (g *group) mean(of func(*kernelTime) float64) float64 {
	sum := 0.0
	for i := range g.rows {
		sum += of(&g.rows[i])
	}
	return sum / float64(len(g.rows))
}

// parts returns the parts that a group of rows can determine: the parts with a non-zero amount in some row. They
// include the kernel's own time unless other costs dominate it.
func (g *group) parts() []flow.Part {
	var list []flow.Part
	for _, part := range learnable() {
		if part == flow.Compute && slices.ContainsFunc(g.rows, func(x kernelTime) bool {
			return !(x.own > 0) || x.own < minOwn*x.predicted
		}) {
			continue
		}
		if slices.ContainsFunc(g.rows, func(x kernelTime) bool { return x.bytes[part] > 0 }) {
			list = append(list, part)
		}
	}
	return list
}

// learn returns the learned parts of a group: the parts that improve the prediction of mappings that are omitted from
// the fit.
func (g *group) learn(d *design.Design, level float64) []Learned {
	parts, scale := g.parts(), g.scale()
	if len(parts) == 0 || !(scale > 0) {
		return nil
	}
	var rows [][]float64
	var y []float64
	runs := 0
	for i := range g.rows {
		x := &g.rows[i]
		row := make([]float64, len(parts))
		for a, part := range parts {
			row[a] = x.bytes[part] / x.measured
			if part != flow.Compute {
				row[a] *= scale
			}
		}
		rows, y, runs = append(rows, row), append(y, 1-x.predicted/x.measured), runs+x.runs
	}
	columns, f := bestOf(rows, y, level)
	var list []Learned
	for i, a := range columns {
		l := Learned{Kernel: d.Program.Kernels[g.kernel].Name, Platform: g.platform, Part: parts[a],
			Mappings: len(rows), Runs: runs, resource: g.rows[0].resource}
		unit := scale
		if parts[a] == flow.Compute {
			unit = g.own()
			l.Was = unit
		} else {
			l.Was = g.rows[0].was[parts[a]]
		}
		half := f.half(i, chance)
		l.Is, l.Low, l.High = l.Was+unit*f.coefficient[i], l.Was+unit*(f.coefficient[i]-half),
			l.Was+unit*(f.coefficient[i]+half)
		if list = append(list, l); parts[a] == flow.Compute && l.Low < minOwn*l.Was {
			return nil // costs hide the kernel's own time
		}
	}
	for i := range list { // costs are not negative
		l := &list[i]
		l.Is, l.Low, l.High = max(0, l.Is), max(0, l.Low), max(0, l.High)
	}
	return list
}

// own returns the kernel's mean time per byte without other costs.
func (g *group) own() float64 { return g.mean(func(x *kernelTime) float64 { return x.own }) }

// chance is the significance level: the probability that runs without a real difference change a figure.
const chance = 0.05

// learnAll learns the figures of kernels, and then the figures of switching, from the mappings that ran. It corrects
// the level of each test for the number of tests (Bonferroni).
func learnAll(ctx context.Context, d *design.Design, ran []Ran) ([]Learned, error) {
	groups, err := collectTimes(ctx, d, ran)
	if err != nil {
		return nil, err
	}
	platforms := switching(d)
	tests := len(platforms)
	for i := range groups {
		tests += len(groups[i].parts())
	}
	level := chance / float64(max(1, tests))
	var list []Learned
	for i := range groups {
		list = append(list, groups[i].learn(d, level)...)
	}
	x := switchingRuns{with(d, list), ran, level}
	for _, platform := range platforms {
		l, err := x.learn(ctx, d, platform)
		if err != nil {
			return nil, err
		}
		if l != nil {
			list = append(list, *l)
		}
	}
	return list, nil
}

// switching returns the platforms whose cores have a switching cost that no X file states.
func switching(d *design.Design) []string {
	var list []string
	for r := range d.Program.Resources {
		x := &d.Program.Resources[r]
		v, ok := x.Config["switch"]
		stated := ok && !v.Pos.InLibrary() && (v.IsNumber || v.Text != "")
		if d.Problem.Architecture.Resources[r].Sharing.Rule == flow.Conserving && !stated &&
			!slices.Contains(list, x.Platform) {
			list = append(list, x.Platform)
		}
	}
	return list
}

// switchingRuns contains the runs for learning switching costs, the problem with the learned figures of kernels, and
// the significance level.
type switchingRuns struct {
	refined *flow.Problem
	ran     []Ran
	level   float64
}

// learn estimates the additional cost of each firing on a shared core of a platform, from the runs that such a core
// limits. The throughput includes this cost, but the times of kernels do not.
func (x *switchingRuns) learn(ctx context.Context, d *design.Design, platform string) (*Learned, error) {
	p, ran := x.refined, x.ran
	var rows [][]float64
	var y []float64
	amount := 0.0 // predicted amount of switching, as counted by switched
	l := Learned{Platform: platform, Part: flow.Switching}
	for i := range ran {
		n, s, err := solvedWith(ctx, p, ran[i].Mapping)
		if err != nil {
			return nil, err
		}
		core := 0
		for r := range s.Resources {
			if s.Resources[r].Utilization > s.Resources[core].Utilization {
				core = r
			}
		}
		if d.Program.Resources[core].Platform != platform || s.Resources[core].Members < 2 ||
			!limitedBy(n, s, core) {
			continue
		}
		l.resource, l.Was = core, p.Architecture.Resources[core].Sharing.SwitchCost
		sum := 0.0
		for k, at := range ran[i].Mapping.Place {
			if at == core {
				sum += switched(n, s, k) * ran[i].Measured / s.Throughput
			}
		}
		rows, y = append(rows, []float64{sum}), append(y, 1-ran[i].Measured/s.Throughput)
		amount, l.Runs = amount+sum, l.Runs+ran[i].Runs
	}
	if len(rows) == 0 || !(amount > 0) {
		return nil, nil
	}
	unit := float64(len(rows)) / amount // s per firing that would use all time of a core
	for i := range rows {
		rows[i][0] *= unit
	}
	_, f := bestOf(rows, y, x.level)
	if f == nil {
		return nil, nil
	}
	half := f.half(0, chance)
	l.Is, l.Low, l.High = l.Was+unit*f.coefficient[0], l.Was+unit*(f.coefficient[0]-half),
		l.Was+unit*(f.coefficient[0]+half)
	if !(l.Is > 0) || math.IsInf(l.Is, 0) {
		return nil, nil // the kernels took too long, so switching is not the cause
	}
	l.Low, l.Mappings = max(0, l.Low), len(rows)
	return &l, nil
}

// switched returns the switching rate of a kernel at a solution, in firings/s. If a kernel has its own switching cost,
// switched returns the rate with the same total cost at the core's cost per firing. One factor then applies to both
// costs.
func switched(n *flow.Network, s *flow.Solution, k int) float64 {
	r := n.Mapping.Place[k]
	own, each := n.Problem.Figures[k][r].SwitchCost, n.Problem.Architecture.Resources[r].Sharing.SwitchCost
	if !(n.Problem.OwnSwitchCost(k, r) && each > 0) {
		return n.Firings(s, k)
	}
	return own / each * s.Stations[k].ArrivalRate
}

// limitedBy reports whether a core is the bottleneck.
func limitedBy(n *flow.Network, s *flow.Solution, core int) bool {
	return len(s.Bottlenecks) > 0 && slices.ContainsFunc(s.Bottlenecks[0].Limits, func(l int) bool {
		return n.Limits[l].Resource == core && n.Limits[l].Link < 0 && n.Limits[l].Cycle == nil
	})
}

// solvedWith predicts a mapping.
func solvedWith(ctx context.Context, p *flow.Problem, m *flow.Mapping) (*flow.Network, *flow.Solution, error) {
	n, s, err := p.Solve(ctx, m)
	if err != nil {
		return nil, nil, fmt.Errorf("predicting a mapping that ran: %w", err)
	}
	return n, s, nil
}

package design

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/xlang"
)

const (
	balanceRounds = 4    // of changes to the copies; the cores of several units depend on each other
	balanceGain   = 0.01 // relative gain in throughput below which the stated mapping is kept
	balanceLoss   = 0.01 // part of a core's load that rounding to batches may add
	longestRound  = 16   // batches
	fewestBatches = 5    // of each other copy, for one batch of a copy whose core has no time left

	// A batch of copies lasts for batchTime in seconds at most, so that the others wait for it only this long. It lasts
	// for batchCosts times the cost of a batch at least.
	batchTime  = 100e-6
	batchCosts = 100
)

// fitting chooses what a mapping leaves open about copies.
type fitting struct {
	ctx  context.Context
	opt  Options
	prog *xlang.Program
	d    *Design
}

// fit returns the design of a program with copies after it has chosen their batches: the numbers that the mapping does
// not state, and their length. Without figures, it returns d.
func fit(ctx context.Context, prog *xlang.Program, opt Options, d *Design) (*Design, error) {
	isCopied := func(m xlang.Map) bool { return len(m.Copies) > 1 }
	if d.Mapping == nil || len(d.Missing) > 0 || !slices.ContainsFunc(prog.Maps, isCopied) {
		return d, nil
	}
	x := &fitting{ctx, opt, prog, d}
	if err := x.balance(); err != nil {
		return nil, err
	}
	if err := x.shorten(); err != nil {
		return nil, err
	}
	return x.d, nil
}

// balance chooses the numbers of batches of copies for which the mapping states none, so that they balance the loads of
// their cores. Free copies claim batches, so a run balances the cores, too (docs/copies.md). It keeps equal numbers if
// others do not improve the throughput by balanceGain.
func (x *fitting) balance() error {
	loads, first := loadsOf(x.ctx, x.d)
	highest := first * (1 + balanceGain)
	next, current, best := *x.prog, x.d, x.d
	for range balanceRounds {
		maps := balancedMaps(next.Maps, current, &loads)
		if slices.EqualFunc(next.Maps, maps, sameTurns) {
			break
		}
		next.Maps = maps
		var err error
		if current, err = build(x.ctx, &next, x.opt); err != nil {
			return err
		}
		var throughput float64
		if loads, throughput = loadsOf(x.ctx, current); throughput > highest {
			kept := next
			x.prog, best, highest = &kept, current, throughput
		}
	}
	if best != x.d {
		x.d = best
		x.d.noteBalance()
	}
	return nil
}

// shorten limits the length of batches.
func (x *fitting) shorten() error {
	loads, throughput := loadsOf(x.ctx, x.d)
	if throughput == 0 {
		return nil
	}
	duration := batchTime
	if x.opt.Profile != nil {
		if divide, collect, ok := x.opt.Profile.CopiesCost(); ok {
			duration = max(duration, batchCosts*(divide+collect))
		}
	}
	limits := x.d.batchLimits(&loads, duration)
	if len(limits) == 0 {
		return nil
	}
	next := *x.prog
	next.Maps = slices.Clone(next.Maps)
	for i := range next.Maps {
		if m := &next.Maps[i]; m.Kernel >= 0 {
			m.MaxBatch = limits[x.prog.Kernels[m.Kernel].Name]
		}
	}
	notes := x.d.Notes
	d, err := build(x.ctx, &next, x.opt)
	if err != nil {
		return err
	}
	d.Notes = notes
	x.d = d
	return nil
}

// batchLimits returns, by the declared name of the kernel at which a stream divides, the number of firings that last
// for the given time in seconds, with the firings of the kernels behind it in the same copy. It has no entry if the
// batch is not longer, if keys select the copies, or if the number is unknown.
func (d *Design) batchLimits(loads *copyLoads, duration float64) map[string]int {
	limits := make(map[string]int)
	for k := range d.Program.Kernels {
		x := d.Program.Kernels[k].Replica
		if x == nil || !x.Entry || x.Key >= 0 || loads.firings[k] == 0 {
			continue
		}
		busy := 0.0
		for j := range d.Program.Kernels {
			if y := d.Program.Kernels[j].Replica; y != nil && y.Unit == x.Unit && y.Index == x.Index {
				busy += loads.kernels[j]
			}
		}
		n := duration * loads.firings[k] / busy
		if n >= float64(x.Batch) || busy == 0 {
			continue
		}
		limit := max(x.MinBatch, int(n))
		if was := limits[x.Of]; was == 0 || limit < was {
			limits[x.Of] = limit
		}
	}
	return limits
}

func sameTurns(a, b xlang.Map) bool {
	return slices.EqualFunc(a.Copies, b.Copies, func(x, y xlang.Copy) bool { return x.Turns == y.Turns })
}

// copyLoads contains the loads of a mapping's kernels and of its resources, in parts of the time, and the firings/s of
// the kernels at which a stream divides into copies.
type copyLoads struct{ kernels, resources, firings []float64 }

// loadsOf returns the loads and the throughput in bytes/s of the mapping of a design; zero if it is infeasible.
func loadsOf(ctx context.Context, d *Design) (copyLoads, float64) {
	var x copyLoads
	n, err := flow.NewNetwork(d.Problem, d.Mapping)
	if err != nil {
		return x, 0
	}
	s, err := (flow.Fast{}).Solve(ctx, n)
	if err != nil {
		return x, 0
	}
	x.kernels, x.firings = make([]float64, len(d.Program.Kernels)), make([]float64, len(d.Program.Kernels))
	for i := range n.Stations {
		if k := n.Stations[i].Kernel; n.Stations[i].Kind == flow.KernelStation {
			x.kernels[k] += s.Stations[i].Share
			if bytes := firingBytes(d.Program, k); bytes > 0 {
				x.firings[k] = s.Stations[i].ArrivalRate / bytes
			}
		}
	}
	for r := range s.Resources {
		x.resources = append(x.resources, s.Resources[r].Utilization)
	}
	return x, s.Throughput
}

// firingBytes returns the bytes that a kernel consumes in a firing, or sends if it is a source. It returns 0 unless the
// stream divides at the kernel.
func firingBytes(p *xlang.Program, k int) float64 {
	kernel := &p.Kernels[k]
	if kernel.Replica == nil || !kernel.Replica.Entry {
		return 0
	}
	if len(kernel.Inputs) == 0 {
		return kernel.Outputs[0].ElementBytes * float64(max(1, kernel.Emits[0].Elements))
	}
	bytes := 0.0
	for e := range p.Edges {
		if edge := &p.Edges[e]; edge.To == k && edge.Shared {
			bytes += kernel.Inputs[edge.ToPort].ElementBytes * float64(kernel.Consumes(edge.ToPort))
		}
	}
	return bytes
}

// balancedMaps returns map statements with the numbers of batches that balance the loads of a design.
func balancedMaps(maps []xlang.Map, d *Design, loads *copyLoads) []xlang.Map {
	maps = slices.Clone(maps)
	if len(loads.kernels) == 0 {
		return maps
	}
	turns := make(map[int][]int) // by unit
	for i := range maps {
		m := &maps[i]
		if len(m.Copies) < 2 || !m.Copies[0].Open {
			continue
		}
		if _, done := turns[m.Unit]; !done {
			turns[m.Unit] = d.balancedTurns(m, loads)
		}
		if list := turns[m.Unit]; list != nil {
			m.Copies = slices.Clone(m.Copies)
			for c := range m.Copies {
				m.Copies[c].Turns = list[c]
			}
		}
	}
	return maps
}

// balancedTurns returns the numbers of batches of the copies in a unit that balance the loads of their cores; nil if
// they are not on cores with conserving sharing. It updates the loads of the cores, for the following units.
func (d *Design) balancedTurns(m *xlang.Map, loads *copyLoads) []int {
	n := len(m.Copies)
	work, beside, shares := make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range d.Program.Kernels {
		x := d.Program.Kernels[k].Replica
		if x == nil || x.Unit != m.Unit {
			continue
		}
		shares[x.Index] = float64(x.Own()) / float64(len(x.Turns))
		work[x.Index] += loads.kernels[k]
	}
	for i, c := range m.Copies {
		r := &d.Problem.Architecture.Resources[c.Resource]
		if shares[i] == 0 || r.Sharing.Rule != flow.Conserving {
			return nil
		}
		beside[i] = max(0, loads.resources[c.Resource]-work[i])
		work[i] /= shares[i]
	}
	balanced, level := flow.BalanceShares(beside, work)
	if balanced == nil {
		return nil
	}
	turns := flow.RoundShares(balanced, work, level, balanceLoss, longestRound)
	if slices.Contains(turns, 0) { // every copy gets some batches
		for i := range turns {
			turns[i] = max(1, fewestBatches*turns[i])
		}
	}
	round := 0
	for _, n := range turns {
		round += n
	}
	for i, c := range m.Copies {
		loads.resources[c.Resource] = beside[i] + work[i]*float64(turns[i])/float64(round)
	}
	return turns
}

// noteBalance notes the numbers of batches that the mapping does not state.
func (d *Design) noteBalance() {
	for k := range d.Program.Kernels {
		x := d.Program.Kernels[k].Replica
		if x == nil || x.Index > 0 || d.Program.Kernels[k].Replica.Own()*x.Count == len(x.Turns) {
			continue
		}
		var parts []string
		for c := range x.Count {
			copied := d.Program.Kernels[k+c].Replica
			parts = append(parts, fmt.Sprint(copied.Own()))
		}
		d.Notes = append(d.Notes, faults.CopiesBalanced.Notef("copies of %s: the mapping states no numbers of "+
			"batches; predictions use %s, which balance the cores", x.Of, strings.Join(parts, ":")))
	}
}

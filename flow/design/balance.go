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
	balanceRounds = 4    // maximum number of changes to the copies; the loads of several units depend on each other
	balanceGain   = 0.01 // relative gain in throughput below which balance keeps the stated mapping
	balanceLoss   = 0.01 // fraction of a core's load that rounding to batches may add
	longestRound  = 16   // maximum number of batches in a round
	fewestBatches = 5    // batches of each other copy per batch of a copy whose core has no time left
)

// balance chooses the numbers of batches of copies for which the mapping states no numbers. The chosen numbers balance
// the loads of the copies' cores. A run also balances the cores, because idle copies claim batches (docs/copies.md). d
// is the design of the program with equal numbers. balance returns d if figures are missing, or if other numbers
// improve the throughput by less than balanceGain.
func balance(ctx context.Context, prog *xlang.Program, opt Options, d *Design) (*Design, error) {
	isOpen := func(m xlang.Map) bool { return m.Open && len(m.Copies) > 1 }
	if d.Mapping == nil || len(d.Missing) > 0 || !slices.ContainsFunc(prog.Maps, isOpen) {
		return d, nil
	}
	loads, first := loadsOf(ctx, d)
	highest := first * (1 + balanceGain)
	next, current, best := *prog, d, d
	for range balanceRounds {
		maps := balancedMaps(next.Maps, current, &loads)
		if slices.EqualFunc(next.Maps, maps, sameTurns) {
			break
		}
		next.Maps = maps
		var err error
		if current, err = build(ctx, &next, opt); err != nil {
			return nil, err
		}
		var throughput float64
		if loads, throughput = loadsOf(ctx, current); throughput > highest {
			best, highest = current, throughput
		}
	}
	if best != d {
		best.noteBalance()
	}
	return best, nil
}

func sameTurns(a, b xlang.Map) bool {
	return slices.EqualFunc(a.Copies, b.Copies, func(x, y xlang.Copy) bool { return x.Turns == y.Turns })
}

// copyLoads contains the loads of a mapping's kernels and of its resources, as fractions of the time.
type copyLoads struct{ kernels, resources []float64 }

// loadsOf returns the loads and the throughput in bytes/s of the mapping of a design. Both are zero if the mapping is
// infeasible.
func loadsOf(ctx context.Context, d *Design) (copyLoads, float64) {
	var x copyLoads
	_, s, err := d.Solve(ctx, d.Mapping)
	if err != nil {
		return x, 0
	}
	x.kernels = make([]float64, len(d.Program.Kernels))
	for k := range x.kernels {
		x.kernels[k] = s.Stations[k].Share // the first stations are the kernels, in order
	}
	for r := range s.Resources {
		x.resources = append(x.resources, s.Resources[r].Utilization)
	}
	return x, s.Throughput
}

// Solve returns the network of a mapping and its solution with unlimited buffers. The error is an error of
// [flow.NewNetwork] or [flow.Fast.Solve], such as ErrInfeasible.
func (d *Design) Solve(ctx context.Context, m *flow.Mapping) (*flow.Network, *flow.Solution, error) {
	return d.Problem.Solve(ctx, m)
}

// EdgeFlow returns the predicted flow of each edge with unlimited buffers, in bytes/s. It returns nil for a design
// without a mapping and for an infeasible mapping.
func (d *Design) EdgeFlow(ctx context.Context) []float64 {
	if d == nil || d.Mapping == nil {
		return nil
	}
	_, s, err := d.Solve(ctx, d.Mapping)
	if err != nil {
		return nil
	}
	return s.EdgeFlow
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
		if !m.Open || len(m.Copies) < 2 { // a caller may have removed the copies
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

// balancedTurns returns the numbers of batches of the copies in a unit that balance the loads of their cores. It
// returns nil unless all copies are on cores with conserving sharing. It updates the loads of the cores for the next
// call.
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
	if slices.Contains(turns, 0) { // every copy has at least one batch
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

// noteBalance adds a note with the numbers of batches that the mapping does not state.
func (d *Design) noteBalance() {
	for k := range d.Program.Kernels {
		x := d.Program.Kernels[k].Replica
		if x == nil || x.Index > 0 || x.Own()*x.Count == len(x.Turns) {
			continue
		}
		var parts []string
		for c := range x.Count {
			parts = append(parts, fmt.Sprint(d.Program.Kernels[k+c].Replica.Own()))
		}
		d.Notes = append(d.Notes, faults.CopiesBalanced.Notef("copies of %s: the mapping states no numbers of "+
			"batches, so predictions use the ratio %s, which balances the cores", x.Of, strings.Join(parts, ":")))
	}
}

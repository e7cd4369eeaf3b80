package buffers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/queueing/maxplus"
	"xopt/queueing/sdf"
)

// VerifiedOf solves a mapping. It returns the network, the solution, and the sizes of [Verified].
func VerifiedOf(ctx context.Context, p *flow.Problem, m *flow.Mapping) (*flow.Network, *flow.Solution, []Size,
	error) {
	n, s, err := p.Solve(ctx, m)
	if err != nil {
		return nil, nil, nil, err
	}
	sizes, err := Verified(ctx, n, s)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("sizing buffers: %w", err)
	}
	return n, s, sizes, nil
}

// Verified returns the verified recommended sizes of a mapping. It checks the sizes of [Recommend] by exact analysis if
// all counts and times are static, else by simulation. It enlarges sizes with which the throughput loses more than 1 %.
// If neither check is possible, it returns the sizes and levels of the closed forms.
func Verified(ctx context.Context, n *flow.Network, s *flow.Solution) ([]Size, error) {
	sizes, err := recommend(ctx, n.Problem, n.Flows, flow.NewOperation(n, s))
	if err == nil && Verifiable(n) {
		err = verify(ctx, n, s, sizes)
	}
	doubt(n.Problem, sizes)
	return sizes, err
}

// Verifiable reports whether a mapping is small enough for the verification of its sizes.
func Verifiable(n *flow.Network) bool {
	return len(n.Problem.Application.Kernels) <= maxVerified &&
		firings(&n.Problem.Application, n.Flows) <= MaxFirings
}

// verify checks sizes by exact analysis or, if that is impossible, by simulation.
func verify(ctx context.Context, n *flow.Network, s *flow.Solution, sizes []Size) error {
	proven, err := prove(ctx, n, s, sizes)
	if err != nil || proven {
		return err
	}
	return simulate(ctx, n, s, sizes)
}

const (
	// maxVerified is the maximum number of kernels of a mapping for a verification, because a search verifies every
	// candidate.
	maxVerified = 200
	// verifyEvents is the minimum number of events of a simulation, and stationEvents is the minimum per station. If
	// sizes seem too small, the simulation has maxVerifyEvents events, so that the filling of buffers has little
	// effect. verifySeed is the seed of the random draws.
	verifyEvents, stationEvents, maxVerifyEvents = 60_000, 2_000, 400_000
	verifySeed                                   = 1
	// enlargements limits the number of times an exact analysis doubles sizes.
	enlargements = 24
	// plenty is the initial factor of the sizes in the reference simulation. The verification divides the factor by 4
	// until the buffers fill within maxSettled events.
	plenty     = 64
	maxSettled = 1 << 21
	// alike is the maximum factor by which the verification enlarges all sizes equally. For larger factors, an edge
	// whose writer waits for less than the fraction seldom of the time keeps its closed-form size, if that size
	// suffices.
	alike, seldom = 8, 0.01
	// maxShrinks limits the simulations that try to reduce enlarged sizes.
	maxShrinks = 40
)

// prove replaces sizes by the exact minimum sizes above the floors. [NewFront] computes the same sizes. If there are
// too many choices, prove checks the closed-form sizes by exact analysis. It reports whether the sizes are proven.
func prove(ctx context.Context, n *flow.Network, s *flow.Solution, sizes []Size) (bool, error) {
	graph, err := Static(n)
	var inexact *Inexact
	if errors.As(err, &inexact) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("proving sizes: %w", err)
	}
	floors := floor(n, s, false)
	front, err := graph.above(ctx, floors, sdf.FrontOptions{Keep: 1 - keptLoss, Evals: exactEvals, Work: exactWork})
	if err != nil {
		return false, ctx.Err() // a loop with too few initial elements deadlocks with any sizes
	}
	if front.Exact && len(front.Points) > 0 {
		graph.store(&front.Points[len(front.Points)-1], front.Max, floors, sizes)
		return true, nil
	}
	maximum := graph.rate(front.Max)
	elements := make([]float64, len(sizes))
	for range enlargements {
		for e := range sizes {
			elements[e] = sizes[e].Elements
		}
		if kept, err := graph.Throughput(elements); err == nil && kept >= (1-keptLoss)*maximum*(1-exactRounding) {
			for e := range sizes {
				sizes[e].Level = Proven
				if sizes[e].Reason != "" {
					sizes[e].Reason += "; "
				}
				sizes[e].Reason += fmt.Sprintf("exact: keeps %s %% of the throughput", keptPercent(kept/maximum))
			}
			return true, nil
		}
		for e := range sizes {
			sizes[e].Elements, sizes[e].By, sizes[e].Reason = 1+2*sizes[e].Elements, byExact, ""
		}
	}
	return false, nil
}

// store stores the sizes of an exact point.
func (x *Exact) store(p *sdf.Point, maximum sdf.Period, floors []Minimum, sizes []Size) {
	runs := slices.ContainsFunc(floors, func(l Minimum) bool { return l.Why == whyRuns })
	why := "exact: the least memory that keeps 99 %% of the throughput (here %s %%)"
	if runs {
		why = "exact: the least memory that keeps 99 %% of the throughput (here %s %%) and has space for batches"
	}
	why = fmt.Sprintf(why, keptPercent(x.rate(p.Period)/x.rate(maximum)))
	for e := range sizes {
		y := &sizes[e]
		y.Elements, y.By, y.Level, y.Reason, y.pair = floors[e].Elements, byExact, Proven, why, nil
		if c := x.Channel[e]; c >= 0 {
			y.Elements = float64(p.Capacities[c])
		}
		if floors[e].Why == whyRuns && y.Elements == floors[e].Elements {
			y.By, y.Reason = byBatches, whyRuns+"; "+why
		}
	}
}

// keptPercent formats a fraction in percent, rounded down.
func keptPercent(part float64) string { return short(math.Floor(1e4*part*(1+exactRounding)) / 100) }

// exactEvals limits the number of choices of sizes in the search for the least memory. exactWork limits the total work
// of this search.
const (
	exactEvals = 300
	exactWork  = 1 << 24
)

// These are the reasons for an enlarged size and for an exact size.
const (
	bySimulation = "simulation"
	byExact      = "exact"
)

// simulate verifies sizes by simulation. If the throughput is more than 1 % below the throughput with much larger
// sizes, it enlarges all sizes. It then reduces the sizes one by one while they preserve the throughput. The lower
// limit is the size that the edge's two kernels need. If enlargement is not enough, the closed-form sizes remain.
func simulate(ctx context.Context, n *flow.Network, s *flow.Solution, sizes []Size) error {
	model, err := Network(n, s, Setting{})
	if err != nil {
		return nil // the sizes keep their level
	}
	sim, err := model.Simulator()
	if err != nil {
		return fmt.Errorf("simulating recommended sizes: %w", err)
	}
	link, transfers := model.transfers()
	if transfers > maxSettled {
		unsure(sizes, fmt.Sprintf("not simulated: %d transfers of %s need more than %d events",
			settledTransfers, model.Net.Stations[link].Name, maxSettled))
		return nil
	}
	events := func(n int) int64 { return model.Events(max(int64(n), int64(transfers))) }
	v := verification{ctx: ctx, sim: sim, sizes: sizes, times: make([]float64, len(sizes)),
		elements: make([]int, len(sizes)), events: events(max(verifyEvents, stationEvents*len(model.Net.Stations)))}
	v.multiply(pairs)
	kept, err := v.run((1 - keptLoss) * s.Throughput)
	if err != nil {
		return err
	}
	if kept >= (1-keptLoss)*s.Throughput && v.unsettled == "" { // no sizes exceed the flow bound
		v.settle()
		return nil
	}
	filled := v.unsettled == ""
	v.waited = v.blocked
	maximum, err := v.largeThroughput()
	if err == nil && !filled && v.unsettled == "" && maximum < (1-keptLoss)*s.Throughput { // the goal was too high
		v.multiply(pairs)
		if kept, err = v.run((1 - keptLoss) * maximum); err == nil {
			filled, v.waited, v.unsettled = v.unsettled == "", v.blocked, ""
		}
	}
	switch {
	case err != nil || maximum == 0 && v.unsettled == "": // deadlock at any size: the flows into a join do not balance
		return err
	case v.unsettled != "":
		unsure(sizes, "not simulated: "+v.unsettled)
		return nil
	case filled && kept >= (1-keptLoss)*maximum:
		v.multiply(pairs)
		v.settle()
		return nil
	}
	v.events = events(maxVerifyEvents) // a longer simulation decides
	return v.enlarge()
}

// enlarge finds the smallest common factor of all sizes that preserves the throughput, and reduces the sizes that do
// not need this factor.
func (v *verification) enlarge() error {
	maximum, err := v.largeThroughput()
	if err != nil {
		return err
	}
	if v.unsettled != "" {
		unsure(v.sizes, "not simulated: "+v.unsettled)
		return nil
	}
	goal := (1 - keptLoss) * maximum
	var waited []float64 // by edge: fraction of time in which its writer waited with the closed-form size
	for times := 1.0; times <= plenty; times *= 2 {
		v.multiply(times)
		kept, err := v.run(goal)
		if err != nil {
			return err
		}
		if times == 1 {
			waited = v.blocked
		}
		if kept < goal || v.unsettled != "" {
			continue
		}
		if times > alike {
			if err = v.unblocked(goal, times, waited); err != nil {
				return err
			}
		}
		if err = v.shrinkAll(goal); err != nil {
			return err
		}
		v.settle()
		return nil
	}
	unsure(v.sizes, "a simulation with the recommended sizes loses more than 1 % of the throughput")
	return nil
}

// unsure adds why, the explanation of their heuristic level, to the reasons of all sizes.
func unsure(sizes []Size, why string) {
	for e := range sizes {
		// The reason of a closed-form size states its purpose. The simulation shows that the size does not achieve this
		// purpose.
		reason := strings.Replace(sizes[e].Reason, "keeps 99 %", "to keep 99 %", 1)
		sizes[e].Reason = reason + "; " + why
	}
}

// pairs is a special factor that selects the size that would be sufficient if only the edge's two kernels existed.
const pairs = 0

// settle stores the sizes of the last simulation.
func (v *verification) settle() {
	for e := range v.sizes {
		if v.sim.Edge[e] < 0 {
			continue
		}
		x := &v.sizes[e]
		switch {
		case v.times[e] == pairs && x.pair != nil:
			*x = *x.pair
		case v.times[e] > 1:
			x.Reason = fmt.Sprintf("with only %s on this edge, a simulation loses more than 1 %% of the throughput",
				elementsOf(x.Elements))
			if !v.alone[e] {
				x.Reason = fmt.Sprintf("enlarged from %s together with the other sizes, because a simulation with the "+
					"original sizes loses more than 1 %% of the throughput", elementsOf(x.Elements))
			}
			x.Elements, x.By = float64(v.size(e)), bySimulation
		}
		x.Level = max(x.Level, Simulated)
	}
}

// verification compares sizes with a simulation.
type verification struct {
	ctx      context.Context
	sim      *Simulation
	sizes    []Size
	times    []float64 // by edge: factor of its size in the next simulation; see pairs
	elements []int
	events   int64
	// blocked contains, by edge, the fraction of time in which its writer waited in the last simulation.
	blocked []float64
	// unsettled is the reason why the last simulation was too short; "" if it was long enough.
	unsettled string
	// alone reports, by edge, whether the edge's closed-form size was insufficient while all other sizes were at least
	// their final sizes.
	alone []bool
	// waited contains, by edge, the fraction of time in which its writer waited with the sizes of pairs.
	waited []float64
	tries  int // remaining simulations for the reduction of sizes
}

// size returns the size of an edge in the next simulation.
func (v *verification) size(e int) int {
	x := &v.sizes[e]
	if v.times[e] == pairs {
		if x.pair != nil {
			return int(math.Min(x.pair.Elements, maxElementsTried))
		}
		return int(math.Min(x.Elements, maxElementsTried))
	}
	return int(math.Min(math.Ceil(v.times[e]*x.Elements), maxElementsTried))
}

// multiply sets the factor of all sizes; see pairs.
func (v *verification) multiply(times float64) {
	for e := range v.times {
		v.times[e] = times
	}
}

// largeThroughput returns the throughput with sizes enlarged by the largest factor at which buffers fill within the
// limit of events. If no factor permits this, v.unsettled contains the reason.
func (v *verification) largeThroughput() (float64, error) {
	for times := float64(plenty); ; times /= 4 {
		v.multiply(times)
		maximum, err := v.run(0)
		if err != nil || v.unsettled == "" || times == 1 {
			return maximum, err
		}
	}
}

// run returns the throughput with the current sizes; 0 after a deadlock. It ends early if a kernel lags so far that the
// goal cannot be reached.
func (v *verification) run(goal float64) (float64, error) {
	for e := range v.elements {
		v.elements[e] = v.size(e)
	}
	out, err := v.sim.settled(v.ctx, v.elements, maxplus.Options{Events: v.events, Seed: verifySeed}, maxSettled,
		goal)
	if err != nil {
		return 0, err
	}
	v.unsettled, v.blocked = out.Unsettled, out.Blocked
	return out.Throughput.Value, nil
}

// unblocked finds the edges whose writers hardly waited with the closed-form sizes. It reduces the sizes of all these
// edges to their closed-form sizes at once.
func (v *verification) unblocked(goal, times float64, waited []float64) error {
	for e := range v.times {
		if waited[e] < seldom {
			v.times[e] = 1
		}
	}
	kept, err := v.run(goal)
	if err == nil && (kept < goal || v.unsettled != "") {
		v.multiply(times)
	}
	return err
}

// shrinkAll makes enlarged sizes as small as the goal permits, in descending order of memory. For each edge it tries
// the size that its two kernels need, then the closed-form size, then doubled sizes. It tries consecutive edges
// together if their writers hardly waited with the sizes of pairs.
func (v *verification) shrinkAll(goal float64) error {
	var order []int
	for e, times := range v.times {
		before := v.size(e)
		if v.times[e] = pairs; v.size(e) != before {
			order = append(order, e)
		}
		v.times[e] = times
	}
	bytes := func(e int) float64 {
		return float64(v.size(e)) * v.sim.flow.Problem.Application.Edges[e].ElementBytes
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bytes(b), bytes(a)) })
	v.alone, v.tries = make([]bool, len(v.sizes)), maxShrinks
	for i := 0; i < len(order); {
		next := i + 1
		for next < len(order) && v.waited[order[next-1]] < seldom && v.waited[order[next]] < seldom {
			next++
		}
		if err := v.shrink(order[i:next], goal); err != nil {
			return err
		}
		i = next
	}
	v.unsettled = ""
	return nil
}

// shrink makes the sizes of edges as small as the goal permits. It tries all edges at once. If this fails, it tries
// each half of the edges. If smaller sizes never increase the throughput, the result is the same as for one edge at a
// time.
func (v *verification) shrink(edges []int, goal float64) error {
	if len(edges) == 0 || v.tries <= 0 {
		return nil
	}
	enough, err := v.enough(edges, pairs, goal)
	if enough || err != nil {
		return err
	}
	if half := len(edges) / 2; half > 0 {
		if err = v.shrink(edges[:half], goal); err != nil {
			return err
		}
		return v.shrink(edges[half:], goal)
	}
	e := edges[0]
	for factor := 1.0; factor < v.times[e] && v.tries > 0 && !enough && err == nil; factor *= 2 {
		enough, err = v.enough(edges, factor, goal)
		v.alone[e] = v.alone[e] || !enough // the closed-form size has the factor 1
	}
	return err
}

// enough reports whether the throughput reaches goal if the sizes of edges are their closed-form sizes multiplied by
// factor. If so, the edges keep these sizes.
func (v *verification) enough(edges []int, factor, goal float64) (bool, error) {
	v.tries--
	before := slices.Clone(v.times)
	for _, e := range edges {
		v.times[e] = factor
	}
	kept, err := v.run(goal)
	if err == nil && kept >= goal && v.unsettled == "" {
		return true, nil
	}
	copy(v.times, before)
	return false, err
}

package buffers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/internal/units"
	"xopt/queueing/maxplus"
)

// explorer searches for sizes by simulation. All simulations of a search use the same random draws, so that only the
// sizes cause differences. Without shared servers, a larger buffer never delays any event.
type explorer struct {
	ctx         context.Context
	sim         *Simulation
	o           FrontOptions
	floor       []Minimum
	floors      []int     // elements of floor, by edge
	bytes       []float64 // bytes of an element, by edge
	rings       *flow.Rings
	used        []bool  // whether data flows on an edge
	classes     [][]int // edges with a flow; all edges of a class have the same size
	tried       map[string]*trial
	all         []*trial // all trials, in order
	simulations int
	seeds       int                // number of seeds of each trial
	events      int64              // number of events of all trials
	large       *trial             // the trial whose throughput is the reference
	references  map[int64]*Outcome // outcomes of the sizes of large, by the number of events of each seed
	path        []*trial           // trials of the climb from the minimum sizes
	limited     string             // limit that ended the search early; "" for none
	wide        bool               // some service times vary more than exponential times, or copies work in turns
}

// trial contains the sizes of one simulation and its results.
type trial struct {
	sizes   []int
	memory  float64
	value   float64 // throughput in bytes/s; 0 after a deadlock
	blocked []float64
	full    []int // the full edges of the cycle that deadlocked
	// unsettled is the reason why a simulation was too short; "" if every simulation was long enough.
	unsettled string
	early     bool      // see [Outcome.Early]
	fresh     []float64 // throughput in bytes/s, by seed that the search has not used
}

const (
	// searchSeeds is the number of seeds of each trial. searchStream separates these seeds from the seeds of
	// [Simulation.Steady].
	searchSeeds  = 3
	searchStream = 1 << 40
	freshStream  = 1 << 41
	// searchEvents limits the events of all trials of a search. For wide service times, the limit rises to the events
	// of wideTrials trials. allTrials limits the number of trials. choiceShare is the fraction of both limits for the
	// choice of sizes. The remainder is for the other points of the front.
	searchEvents = 1 << 25
	wideTrials   = 64
	allTrials    = 600
	choiceShare  = 0.6
	// climbTrials is the minimum number of remaining trials for a climb from the minimum sizes.
	climbTrials = 150
	// fillLimit is the maximum factor by which the search extends a trial while its buffers still fill.
	fillLimit = 8
	// maxDoublings limits the number of times that the search doubles the sizes of the reference. maxElementsTried
	// limits every size.
	maxDoublings     = 6
	maxElementsTried = 1 << 30
	// worthIt is the minimum relative gain of throughput that counts as an improvement.
	worthIt = 2e-4
	// togetherGain is the minimum ratio of the gain of all tried classes together to the best gain of one class at
	// which the search raises all tried classes.
	togetherGain = 3
	// climbWidth is the number of classes that each step tries: the classes whose writers wait longest.
	climbWidth = 5
	// climbTo is the fraction of the maximum throughput at which the front ends.
	climbTo = 0.999
	// fineness is the relative step between large tried sizes.
	fineness = 1. / 32
	// smallPart is a fraction of the total memory. If few trials remain, descend skips classes with less memory.
	smallPart = 0.01
)

func newExplorer(ctx context.Context, sim *Simulation, floor []Minimum, o FrontOptions) *explorer {
	x := &explorer{ctx: ctx, sim: sim, o: o, floor: floor, rings: flow.NewRings(sim.flow.Problem),
		tried: make(map[string]*trial), seeds: 1}
	if sim.varies {
		x.seeds = searchSeeds
	}
	for e, l := range floor {
		x.floors = append(x.floors, int(l.Elements))
		x.bytes = append(x.bytes, sim.flow.Problem.Application.Edges[e].ElementBytes)
		x.used = append(x.used, sim.Edge[e] >= 0)
	}
	x.classify()
	return x
}

// classify finds the classes of edges, and sets the minimum size of each class.
func (x *explorer) classify() {
	classes := x.sim.symmetric()
	if classes == nil {
		for e := range x.floors {
			classes = append(classes, []int{e})
		}
	}
	for _, class := range classes {
		if !x.used[class[0]] {
			continue
		}
		x.classes = append(x.classes, class)
		minimum := 0
		for _, e := range class {
			minimum = max(minimum, x.floors[e])
		}
		for _, e := range class {
			x.floors[e] = minimum
		}
	}
}

// equal raises the sizes of all edges in a class to the largest size in the class, and to at least the minimum size of
// each edge.
func (x *explorer) equal(sizes []int) []int {
	list := slices.Clone(sizes)
	for e := range list {
		list[e] = max(list[e], x.floors[e])
	}
	for _, class := range x.classes {
		size := 0
		for _, e := range class {
			size = max(size, list[e])
		}
		x.set(list, class, size)
	}
	return list
}

func (x *explorer) set(sizes []int, class []int, size int) {
	for _, e := range class {
		sizes[e] = size
	}
}

func (x *explorer) memory(sizes []int) float64 {
	return x.rings.Memory(x.sim.flow.Mapping, func(e int) float64 { return float64(sizes[e]) })
}

// affordable returns the number of remaining trials within a fraction of the search's limits.
func (x *explorer) affordable(part float64) int {
	trial := max(1, x.o.Events) * int64(x.seeds)
	left := (part*float64(x.maxEvents()) - float64(x.events)) / float64(trial)
	return int(min(left, part*float64(x.maxTrials())-float64(len(x.all))))
}

func (x *explorer) maxEvents() int64 {
	if x.wide {
		return max(searchEvents, wideTrials*x.o.Events*int64(x.seeds))
	}
	return searchEvents
}

func (x *explorer) maxTrials() int {
	if x.o.trials > 0 {
		return x.o.trials
	}
	return allTrials
}

// exhausted reports whether no trials remain within a fraction of the search's limits. It records the reached limit.
func (x *explorer) exhausted(part float64) bool {
	if x.affordable(part) > 0 {
		return false
	}
	if x.limited == "" {
		x.limited = fmt.Sprintf("%s simulated events", units.Count(float64(x.maxEvents())))
		if float64(len(x.all)) > part*float64(x.maxTrials())-1 {
			x.limited = fmt.Sprintf("%d simulated choices of sizes", x.maxTrials())
		}
	}
	return true
}

// try simulates sizes, or returns the earlier trial of the same sizes. If buffers still fill at the end, try reduces
// the throughput by the largest lag of a kernel.
func (x *explorer) try(sizes []int) (*trial, error) {
	key := fmt.Sprint(sizes)
	if t := x.tried[key]; t != nil {
		return t, nil
	}
	t := &trial{sizes: slices.Clone(sizes), memory: x.memory(sizes), blocked: make([]float64, len(sizes))}
	for i := range x.seeds {
		out, err := x.settled(sizes, x.o.Seed*seedStride+searchStream+uint64(i))
		if err != nil {
			return nil, err
		}
		if out.Stopped != "" {
			if len(out.StoppedOn) == 0 {
				return nil, faults.NeverMoves.Errorf("the simulation deadlocks with any buffer sizes: %s",
					out.Stopped)
			}
			t.value, t.full = 0, out.StoppedOn
			break
		}
		t.value += out.Throughput.Value * (1 - out.Behind) / float64(x.seeds)
		for e, b := range out.Blocked {
			t.blocked[e] += b / float64(x.seeds)
		}
		if t.unsettled == "" {
			t.unsettled, t.early = out.Unsettled, out.Early
		}
	}
	x.tried[key] = t
	x.all = append(x.all, t)
	return t, nil
}

// settled simulates sizes with a seed, and extends the simulation while buffers still fill.
func (x *explorer) settled(sizes []int, seed uint64) (*Outcome, error) {
	out, err := x.sim.Settled(x.ctx, sizes, maxplus.Options{Events: x.o.Events, Seed: seed}, fillLimit*x.o.Events)
	if err == nil {
		x.simulations++
		x.events += max(out.Events, x.o.Events)
	}
	return out, err
}

// tryLarge returns a trial with large buffers. It doubles the sizes of start until the throughput no longer rises, or
// until the buffers no longer fill within a simulation.
func (x *explorer) tryLarge(start []int) (*trial, error) {
	sizes := x.equal(start)
	best, err := x.try(sizes)
	for range maxDoublings {
		if err != nil {
			return nil, err
		}
		for e := range sizes {
			sizes[e] = min(2*sizes[e], maxElementsTried)
		}
		var t *trial
		if t, err = x.try(sizes); err == nil && (t.value <= best.value*(1+worthIt) || t.unsettled != "") {
			break
		}
		best = t
	}
	if err == nil && best.early {
		return nil, fmt.Errorf("%w (xopt eval recommends sizes without a search)", &Unfilled{best.unsettled})
	}
	if err == nil && best.value == 0 {
		err = faults.NeverMoves.Errorf("the simulation deadlocks with any buffer sizes: the flows into a join do not " +
			"balance (check the gain and routing of the kernels before the joins)")
	}
	return best, err
}

// scaled searches the line from the minimum sizes to the sizes of a trial. It returns approximately the smallest sizes
// that reach a target throughput.
func (x *explorer) scaled(top *trial, goal float64, trials float64) (*trial, error) {
	at, err := x.try(x.between(top, 0))
	if err != nil || at.value >= goal {
		return at, err
	}
	low, high := -scaledRange, 0. // binary logarithms of the factor
	for best := top; ; {
		if high-low <= fineness || x.exhausted(trials) {
			return best, nil
		}
		middle := (low + high) / 2
		if at, err = x.try(x.between(top, math.Exp2(middle))); err != nil {
			return nil, err
		}
		if at.value >= goal {
			best, high = at, middle
		} else {
			low = middle
		}
		if at.memory == best.memory && at != best {
			return best, nil
		}
	}
}

// scaledRange is the binary logarithm of the range of factors in a line search.
const scaledRange = 16.

// between returns the sizes at a relative position on the line from the minimum sizes to the sizes of a trial; part may
// exceed 1.
func (x *explorer) between(t *trial, part float64) []int {
	sizes := slices.Clone(x.floors)
	for e := range sizes {
		sizes[e] += int(min(math.Round(part*float64(t.sizes[e]-x.floors[e])), maxElementsTried))
	}
	return sizes
}

// climb raises sizes from the minimum until the throughput reaches goal. Each step chooses the largest gain per byte of
// memory. climb returns all trials on its path.
func (x *explorer) climb(goal float64) ([]*trial, error) {
	at, err := x.try(slices.Clone(x.floors))
	if err != nil {
		return nil, err
	}
	path := []*trial{at}
	for before := len(x.all); len(x.all) < before+climbTrials && at.value < goal; {
		var next *trial
		if next, err = x.step(at); err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		at = next
		path = append(path, at)
	}
	return path, nil
}

// step tries larger sizes on the edges whose writers wait longest. It returns nil if no writer waits.
func (x *explorer) step(at *trial) (*trial, error) {
	raise := func(edges ...int) []int {
		sizes := slices.Clone(at.sizes)
		for _, class := range x.classes {
			if slices.ContainsFunc(edges, func(e int) bool { return slices.Contains(class, e) }) {
				x.set(sizes, class, sizes[class[0]]+max(1, sizes[class[0]]/4))
			}
		}
		return sizes
	}
	if len(at.full) > 0 { // deadlock
		return x.try(raise(at.full...))
	}
	edges := x.waitedFor(at)
	if len(edges) == 0 {
		return nil, nil
	}
	edges = edges[:min(len(edges), climbWidth)]
	var best *trial
	worth := 0.0
	for _, e := range edges {
		t, err := x.try(raise(e))
		if err != nil {
			return nil, err
		}
		if w := (t.value - at.value) / (t.memory - at.memory); t.value > at.value*(1+worthIt) && w > worth {
			best, worth = t, w
		}
	}
	together, err := x.try(raise(edges...))
	if err != nil {
		return nil, err
	}
	if best == nil || together.value-at.value > togetherGain*(best.value-at.value) {
		return together, nil // no single class has a significant gain
	}
	return best, nil
}

// waitedFor returns the edges whose writers wait for space, one of each class, in descending order of the wait.
func (x *explorer) waitedFor(t *trial) []int {
	var edges []int
	for _, class := range x.classes {
		longest := class[0]
		for _, e := range class {
			if t.blocked[e] > t.blocked[longest] {
				longest = e
			}
		}
		if t.blocked[longest] > 0 {
			edges = append(edges, longest)
		}
	}
	slices.SortFunc(edges, func(a, b int) int { return cmp.Or(cmp.Compare(t.blocked[b], t.blocked[a]), a-b) })
	return edges
}

// descend reduces the memory while the throughput reaches the goal. It reduces one class after another, in descending
// order of memory. It assumes that the throughput does not fall as sizes grow, and bisects each size. If it has used
// its share of the trials, it returns the best trial.
func (x *explorer) descend(at *trial, goal, part float64) (*trial, error) {
	const passes = 3
	for range passes {
		before := at
		order := slices.Clone(x.classes)
		space := func(class []int) float64 {
			return float64(len(class)*(at.sizes[class[0]]-x.floors[class[0]])) * x.bytes[class[0]]
		}
		slices.SortStableFunc(order, func(a, b []int) int { return cmp.Compare(space(b), space(a)) })
		for _, class := range order {
			if space(class) < smallPart*at.memory && x.affordable(part) < climbTrials {
				continue
			}
			low, high := x.floors[class[0]], at.sizes[class[0]]
			for low < high && !x.exhausted(part) {
				middle := (low + high) / 2
				if wide := float64(max(1, low)); float64(high) > 4*wide {
					middle = int(math.Sqrt(wide * float64(high)))
				}
				sizes := slices.Clone(at.sizes)
				x.set(sizes, class, middle)
				t, err := x.try(sizes)
				if err != nil {
					return nil, err
				}
				if t.value >= goal {
					at, high = t, middle
				} else {
					low = middle + 1
				}
				if float64(high-low) < fineness*float64(low) {
					break
				}
			}
		}
		if at == before {
			break
		}
	}
	return at, nil
}

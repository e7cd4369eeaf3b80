package buffers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"xopt/queueing/maxplus"
)

// explorer looks for sizes by simulation. All simulations of a search have the same draws, so that
// they differ by the sizes alone: more room never makes anything later where no server is shared.
type explorer struct {
	ctx         context.Context
	sim         *Simulation
	o           FrontOptions
	floor       []Least
	least       []int     // of floor
	bytes       []float64 // of an element, by edge
	used        []bool    // whether anything flows on an edge
	tried       map[string]*trial
	all         []*trial // that were tried, in their order
	simulations int
}

// trial is what a simulation said of sizes.
type trial struct {
	sizes   []int
	memory  float64
	value   float64 // bytes/s; 0 where it came to a stop
	blocked []float64
	full    []int // where it came to a stop, the full edges of the circle
	// unsettled says why the simulation did not go on for long enough; "" where it did.
	unsettled string
}

func newExplorer(ctx context.Context, sim *Simulation, floor []Least, o FrontOptions) *explorer {
	x := &explorer{ctx: ctx, sim: sim, o: o, floor: floor, tried: make(map[string]*trial)}
	for e, l := range floor {
		x.least = append(x.least, int(l.Elements))
		x.bytes = append(x.bytes, sim.flow.Problem.Application.Edges[e].ElementBytes)
		x.used = append(x.used, sim.Edge[e] >= 0)
	}
	return x
}

func (x *explorer) memory(sizes []int) float64 {
	sum := 0.0
	for e, n := range sizes {
		sum += float64(n) * x.bytes[e]
	}
	return sum
}

// try simulates sizes, once.
func (x *explorer) try(sizes []int) (*trial, error) {
	key := fmt.Sprint(sizes)
	if t := x.tried[key]; t != nil {
		return t, nil
	}
	out, err := x.sim.Run(x.ctx, sizes, maxplus.Options{Events: x.o.Events, Seed: x.o.Seed})
	if err != nil {
		return nil, err
	}
	x.simulations++
	t := &trial{sizes: slices.Clone(sizes), memory: x.memory(sizes), value: out.Throughput.Value,
		blocked: out.Blocked, full: out.StoppedOn,
		unsettled: out.Unsettled}
	if out.Stopped != "" && len(t.full) == 0 {
		return nil, errors.New("the simulation came to a stop that no buffer size prevents: " + out.Stopped)
	}
	x.tried[key] = t
	x.all = append(x.all, t)
	return t, nil
}

// most is the throughput with large buffers: those of start, twice as large until that brings nothing, or
// until they do not fill while a simulation goes on. All that is compared later has as many events.
func (x *explorer) most(start []int) (*trial, error) {
	sizes := slices.Clone(start)
	for e := range sizes {
		sizes[e] = max(sizes[e], x.least[e])
	}
	if err := x.settle(sizes); err != nil {
		return nil, err
	}
	best, err := x.try(sizes)
	for range mostDoublings {
		if err != nil {
			return nil, err
		}
		for e := range sizes {
			sizes[e] = min(2*sizes[e], maxElementsTried)
		}
		if err := x.settle(sizes); err != nil {
			return nil, err
		}
		var t *trial
		if t, err = x.try(sizes); err == nil && (t.value <= best.value*(1+worthIt) || t.unsettled != "") {
			break
		}
		best = t
	}
	if err == nil && best.value == 0 {
		err = errors.New("the simulation comes to a stop at any size: the flows into a join do not balance")
	}
	return best, err
}

// settle finds how many events it takes until buffers with the given sizes do not fill any more. What was
// tried with fewer is forgotten. Where the limit is not enough, events stay as they are.
func (x *explorer) settle(sizes []int) error {
	t, err := x.try(sizes)
	if err != nil || t.unsettled == "" {
		return err
	}
	out, err := x.sim.Settled(x.ctx, sizes, maxplus.Options{Events: x.o.Events, Seed: x.o.Seed}, comparedLimit)
	if err != nil || out.Unsettled != "" {
		return err
	}
	x.o.Events = out.Events
	clear(x.tried)
	x.all = nil
	return nil
}

const (
	mostDoublings    = 6
	maxElementsTried = 1 << 30
	// worthIt is how much more throughput, relatively, counts as more.
	worthIt = 2e-4
	// togetherGain is from how many times the gain of the best edge on all are raised together.
	togetherGain = 3
	// climbWidth is how many edges are tried at each step, those whose writers wait longest.
	climbWidth = 5
	// How many simulations there have been at the most when the climb, the points of the front, and the
	// last way down to the choice end with what they have.
	climbTrials, frontTrials, allTrials = 300, 600, 900
	// climbTo is the part of the most throughput that the front goes up to.
	climbTo = 0.999
)

// climb goes up from the least sizes until the throughput is what is asked for, by whatever brings
// most for its memory, and returns all that it passed.
func (x *explorer) climb(goal float64) ([]*trial, error) {
	at, err := x.try(slices.Clone(x.least))
	if err != nil {
		return nil, err
	}
	path := []*trial{at}
	for x.simulations < climbTrials && at.value < goal {
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

// step tries the edges where most is waited for; nil where nobody waits.
func (x *explorer) step(at *trial) (*trial, error) {
	raise := func(edges ...int) []int {
		sizes := slices.Clone(at.sizes)
		for _, e := range edges {
			sizes[e] += max(1, sizes[e]/4)
		}
		return sizes
	}
	if len(at.full) > 0 { // it came to a stop
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
		return together, nil // none alone brings anything, or little
	}
	return best, nil
}

// waitedFor are the edges where writers wait for room, the longest first.
func (x *explorer) waitedFor(t *trial) []int {
	var edges []int
	for e, b := range t.blocked {
		if b > 0 && x.used[e] {
			edges = append(edges, e)
		}
	}
	slices.SortStableFunc(edges, func(a, b int) int {
		switch {
		case t.blocked[a] > t.blocked[b]:
			return -1
		case t.blocked[a] < t.blocked[b]:
			return 1
		}
		return 0
	})
	return edges
}

// descend makes sizes smaller, one edge after the other, those of most memory first, as far as the
// goal is kept. Throughput does not fall as sizes grow, so that each is found by halving.
// It ends with what it has after a number of simulations.
func (x *explorer) descend(at *trial, goal float64, trials int) (*trial, error) {
	const passes = 3
	for range passes {
		before := at
		order := make([]int, 0, len(at.sizes))
		for e := range at.sizes {
			if x.used[e] {
				order = append(order, e)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch p, q := float64(at.sizes[a])*x.bytes[a], float64(at.sizes[b])*x.bytes[b]; {
			case p > q:
				return -1
			case p < q:
				return 1
			}
			return 0
		})
		for _, e := range order {
			low, high := x.least[e], at.sizes[e]
			for low < high && x.simulations < trials {
				sizes := slices.Clone(at.sizes)
				sizes[e] = (low + high) / 2
				t, err := x.try(sizes)
				if err != nil {
					return nil, err
				}
				if t.value >= goal {
					at, high = t, sizes[e]
				} else {
					low = sizes[e] + 1
				}
			}
		}
		if at == before {
			break
		}
	}
	return at, nil
}

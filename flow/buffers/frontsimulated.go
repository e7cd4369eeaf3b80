package buffers

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// simulated explores sizes by simulation.
func (x *explorer) simulated(start []int) (*Front, error) {
	var err error
	if x.large, err = x.tryLarge(start); err != nil {
		return nil, err
	}
	front := &Front{Unsettled: x.large.unsettled}
	chosen, err := x.choose(front)
	if err != nil {
		return nil, err
	}
	found := []*trial{chosen}
	for _, keep := range []float64{.98, .95, .9, .8, .7, .5, .99, .995, .999} {
		if keep == x.o.Keep || keep > x.o.Keep && x.affordable(1) < climbTrials/4 || x.exhausted(1) {
			continue
		}
		top := chosen
		if keep > x.o.Keep {
			top = x.large
		}
		t, err := x.minFor(top, keep*x.large.value, 1)
		if err != nil {
			return nil, err
		}
		if t.value >= keep*x.large.value {
			found = append(found, t)
		}
	}
	if err := x.fill(front, found, chosen); err != nil {
		return nil, err
	}
	if err := x.fromStart(front, start); err != nil {
		return nil, err
	}
	return front, x.densify(front)
}

// choose returns the trial with the least memory that preserves the requested fraction of the maximum throughput. The
// maximum is over all tried sizes, because the largest sizes may not be the fastest. On a shared server, more buffer
// space may let a kernel run while another kernel needs the server more urgently.
func (x *explorer) choose(front *Front) (*trial, error) {
	const rounds = 3
	keep := x.o.Keep
	if x.sim.varies {
		keep = 1 - chosenLoss*(1-keep)
	}
	for round := 1; ; round++ {
		goal := keep * x.large.value
		t, err := x.minFor(x.large, goal, choiceShare)
		if err != nil {
			return nil, err
		}
		if t, front.Minimal, err = x.prove(t, goal); err != nil {
			return nil, err
		}
		best := x.best()
		if round == rounds || best.value <= x.large.value*(1+worthIt) {
			return x.better(t), nil
		}
		if exceeds, err := x.exceeds(best); err != nil || !exceeds {
			return x.better(t), err
		}
		x.large = best
	}
}

// exceeds reports whether the sizes of a trial certainly have a higher throughput than the reference. It uses new
// draws, because the search has selected the sizes for its own draws.
func (x *explorer) exceeds(t *trial) (bool, error) {
	parts, err := x.fractionsOfMax(t, freshSeeds)
	if err != nil {
		return false, err
	}
	mean, deviation := meanOf(parts)
	return mean-steadyOneSided*deviation > 1+worthIt, nil
}

// chosenLoss is the fraction of the permitted loss that the search may use. The remainder is a margin, so that other
// draws confirm the sizes.
const chosenLoss = 0.8

// minFor finds approximately the least memory that reaches a target throughput. It starts from sizes that reach the
// target. It reduces these sizes along the line to the minimum sizes, and then class by class. If trials are cheap, it
// also climbs from the minimum sizes.
func (x *explorer) minFor(top *trial, goal, part float64) (*trial, error) {
	if top.value < goal {
		return top, nil
	}
	t, err := x.scaled(top, goal, part)
	if err != nil {
		return nil, err
	}
	if t, err = x.descend(t, goal, part); err != nil || x.affordable(part) < climbTrials/2 {
		return t, err
	}
	if x.path == nil && x.affordable(part) >= climbTrials {
		if x.path, err = x.climb(x.large.value * max(x.o.Keep, climbTo)); err != nil {
			return nil, err
		}
	}
	for _, at := range x.path {
		if at.value < goal {
			continue
		}
		other, err := x.descend(at, goal, part)
		if err != nil {
			return nil, err
		}
		if other.memory < t.memory {
			t = other
		}
		break
	}
	return t, nil
}

// best returns the settled trial with the highest throughput.
func (x *explorer) best() *trial {
	best := x.large
	for _, t := range x.all {
		if t.value > best.value && t.unsettled == "" {
			best = t
		}
	}
	return best
}

// byMemory sorts by memory, then by descending throughput.
func byMemory(a, b *trial) int {
	return cmp.Or(cmp.Compare(a.memory, b.memory), cmp.Compare(b.value, a.value))
}

// better returns the trial with the highest throughput among the trials that need no more memory than t.
func (x *explorer) better(t *trial) *trial {
	for _, other := range x.all {
		if other.memory <= t.memory && other.value > t.value {
			t = other
		}
	}
	return t
}

// freshSeeds is the number of seeds that confirm a choice.
const freshSeeds = steadySeeds

// fractionsOfMax simulates the sizes of t with a number of seeds that the search has not used. For each seed, it
// returns the throughput as a fraction of the throughput with large buffers.
func (x *explorer) fractionsOfMax(t *trial, seeds int) ([]float64, error) {
	var parts []float64
	for _, one := range []*trial{x.large, t} {
		for i := len(one.fresh); i < seeds && (i == 0 || x.sim.varies); i++ {
			out, err := x.settled(one.sizes, x.o.Seed*seedStride+freshStream+uint64(i))
			if err != nil {
				return nil, err
			}
			one.fresh = append(one.fresh, out.Throughput.Value*(1-out.Behind))
		}
	}
	for i, v := range t.fresh {
		parts = append(parts, v/x.large.fresh[i])
	}
	return parts, nil
}

// proveTrials limits the number of trials of prove.
const proveTrials = 400

// proveChoices is the number of choices of sizes above which prove does not start, because it would probably exceed
// proveTrials.
const proveChoices = 5 * proveTrials

// prove searches for less memory, in ascending order of memory. From each choice of sizes with too little throughput,
// it adds one element to each edge whose writer waited. Other changes have no effect, so the search either finds the
// minimum or proves that found is the minimum. prove reports whether the result is proven.
func (x *explorer) prove(found *trial, goal float64) (*trial, bool, error) {
	if found.memory <= x.memory(x.floors) {
		return found, true, nil // no smaller sizes exist
	}
	if x.choices(found) > proveChoices {
		return found, false, nil
	}
	first, err := x.try(slices.Clone(x.floors))
	if err != nil {
		return nil, false, err
	}
	waiting := &trials{first}
	seen := map[*trial]bool{first: true}
	for range proveTrials {
		if waiting.Len() == 0 {
			return found, x.determinate(), nil
		}
		at := heap.Pop(waiting).(*trial)
		if at.memory >= found.memory {
			return found, x.determinate(), nil
		}
		if at.value >= goal {
			return at, x.determinate(), nil
		}
		edges := x.waitedFor(at)
		for _, e := range at.full {
			if !slices.Contains(edges, e) {
				edges = append(edges, e)
			}
		}
		for _, e := range edges {
			sizes := slices.Clone(at.sizes)
			if x.raise(sizes, e); x.memory(sizes) >= found.memory {
				continue
			}
			t, err := x.try(sizes)
			if err != nil {
				return nil, false, err
			}
			if !seen[t] {
				seen[t] = true
				heap.Push(waiting, t)
			}
		}
		if len(seen) > proveTrials {
			break
		}
	}
	return found, false, nil
}

// raise adds an element to the size of every edge in the class of edge e.
func (x *explorer) raise(sizes []int, e int) {
	for _, class := range x.classes {
		if slices.Contains(class, e) {
			x.set(sizes, class, sizes[e]+1)
			return
		}
	}
}

// choices returns the number of combinations of sizes up to the sizes of found.
func (x *explorer) choices(found *trial) float64 {
	n := 1.0
	for _, class := range x.classes {
		n *= float64(found.sizes[class[0]] - x.floors[class[0]] + 1)
	}
	return n
}

// determinate reports whether a larger buffer never delays any event, because no server is shared.
func (x *explorer) determinate() bool { return len(x.sim.Net.Servers) == 0 }

// trials is a priority queue of trials, with the least memory first.
type trials []*trial

func (t trials) Len() int           { return len(t) }
func (t trials) Less(i, j int) bool { return t[i].memory < t[j].memory }
func (t trials) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }

// Push implements [heap.Interface].
func (t *trials) Push(x any) { *t = append(*t, x.(*trial)) }

// Pop implements [heap.Interface].
func (t *trials) Pop() any {
	old := *t
	x := old[len(old)-1]
	*t = old[:len(old)-1]
	return x
}

// fill computes the points of a front with seeds that the search has not used. It chooses the least memory for which
// [Simulation.Steady] confirms the requested fraction of the throughput.
func (x *explorer) fill(front *Front, found []*trial, chosen *trial) error {
	maximum, err := x.reference(0)
	if err != nil {
		return err
	}
	front.Seeds = freshSeeds
	front.refer(maximum)
	slices.SortStableFunc(found, byMemory)
	found = slices.CompactFunc(found, func(a, b *trial) bool { return slices.Equal(a.sizes, b.sizes) })
	front.Chosen = -1
	for _, t := range found {
		parts, err := x.fractionsOfMax(t, freshSeeds)
		if err != nil {
			return err
		}
		mean, deviation := meanOf(parts)
		p := FrontPoint{Sizes: t.sizes, Memory: t.memory, Throughput: min(1, mean) * front.Max}
		sure := mean - steadyOneSided*deviation
		if mean+steadyOneSided*deviation < x.o.Keep-worthIt {
			front.Insufficient = max(front.Insufficient, t.memory)
		}
		if x.wide { // confirmed extends these simulations until they decide
			sure = mean
		}
		if front.Chosen < 0 && (sure >= x.o.Keep-worthIt || t == chosen) {
			confirmed, err := x.confirmed(front, t)
			if err != nil {
				return err
			}
			if confirmed {
				less, err := x.smaller(front, chosen, t)
				if err != nil {
					return err
				}
				front.Minimal = front.Minimal && less == chosen
				front.Chosen = len(front.Points)
				if less == t {
					p.Throughput = front.Confirmed.Throughput.Value
				} else {
					front.add(FrontPoint{Sizes: less.sizes, Memory: less.memory,
						Throughput: front.Confirmed.Throughput.Value})
				}
			}
		}
		front.add(p)
	}
	if front.Chosen < 0 {
		if err := x.enlarge(front, chosen); err != nil {
			return err
		}
	}
	if maximum.Unsettled != "" {
		front.Unsettled = maximum.Unsettled
	}
	if front.Insufficient >= front.Points[front.Chosen].Memory {
		front.Insufficient = 0
	}
	front.thin()
	return nil
}

// smaller returns the trial with the least memory that a longer simulation confirms. t is confirmed, and chosen is not.
// smaller bisects the best trials between chosen and t, so that a lower target does not need more memory than a higher
// target.
func (x *explorer) smaller(front *Front, chosen, t *trial) (*trial, error) {
	list := slices.Clone(x.all)
	slices.SortStableFunc(list, byMemory)
	var better []*trial
	maximum := x.o.Keep * x.large.value
	for _, one := range list {
		if one.memory > chosen.memory && one.memory < t.memory && one.value > maximum && one.unsettled == "" {
			better, maximum = append(better, one), one.value
		}
	}
	for len(better) > 0 {
		middle := len(better) / 2
		before := *front
		confirmed, err := x.confirmed(front, better[middle])
		if err != nil {
			return nil, err
		}
		if confirmed {
			t, better = better[middle], better[:middle]
		} else {
			before.Insufficient = front.Insufficient
			*front, better = before, better[middle+1:]
		}
	}
	return t, nil
}

// refer stores the reference: the throughput with large buffers.
func (f *Front) refer(maximum *Outcome) {
	f.Max, f.MaxInterval = maximum.Throughput.Value, [2]float64{maximum.Throughput.Low, maximum.Throughput.High}
}

// add adds a point with more memory than all earlier points. It removes earlier points whose throughput is not lower.
func (f *Front) add(p FrontPoint) {
	for n := len(f.Points); n > 0 && f.Points[n-1].Throughput >= p.Throughput*(1-worthIt); n-- {
		if f.Chosen == n-1 {
			return
		}
		f.Points = f.Points[:n-1]
		if f.Chosen == n {
			f.Chosen = n - 1
		}
	}
	f.Points = append(f.Points, p)
}

// decideLimit limits the events that confirmed simulates with each seed.
const decideLimit = 2 * confirmLimit

// confirm simulates sizes by the rule of [Simulation.Steady], with at least the given number of events per
// seed.
func (x *explorer) confirm(sizes []int, events int64) (*Outcome, error) {
	x.simulations++
	rule := ConfirmRule(x.o.Seed)
	if events > rule.Events {
		rule.Events, rule.Limit = events, events
	}
	return x.sim.Steady(x.ctx, sizes, rule)
}

// reference returns the outcome of the reference sizes, with the given number of events per seed.
func (x *explorer) reference(events int64) (*Outcome, error) {
	if out := x.references[events]; out != nil {
		return out, nil
	}
	out, err := x.confirm(x.large.sizes, events)
	if x.references == nil {
		x.references = make(map[int64]*Outcome)
	}
	x.references[events] = out
	return out, err
}

// confirmed reports whether sizes preserve the requested fraction of the throughput, and stores the results. For each
// seed, it computes the ratio to the throughput with large buffers and the same draws. If the interval of these ratios
// contains the requested fraction, the sizes are undecided. For undecided sizes with wide service times, or with copies
// that work in turns, confirmed extends all seeds, up to decideLimit. Sizes that remain undecided are not confirmed.
func (x *explorer) confirmed(front *Front, t *trial) (bool, error) {
	for events := int64(0); ; {
		maximum, err := x.reference(events)
		if err != nil {
			return false, err
		}
		out, err := x.confirm(t.sizes, events)
		if err != nil {
			return false, err
		}
		var parts []float64
		for i, v := range out.Seeds {
			parts = append(parts, v/maximum.Seeds[min(i, len(maximum.Seeds)-1)])
		}
		mean, deviation := meanOf(parts)
		keep, low, high := x.o.Keep-worthIt, mean-steadyOneSided*deviation, mean+steadyOneSided*deviation
		front.refer(maximum)
		front.Confirmed, front.Low, front.Unsettled = out, min(1, low)*front.Max, out.Unsettled
		kept := out.Unsettled == "" && min(1, low)*front.Max >= keep*front.Max
		if high < keep {
			front.Insufficient = max(front.Insufficient, t.memory)
		}
		next := 2 * max(maximum.Events, out.Events) / int64(len(out.Seeds))
		if kept || high < keep || out.Unsettled != "" || !x.wide || next > decideLimit {
			return kept, nil
		}
		events = next
	}
}

// enlarge enlarges chosen sizes until a longer simulation confirms them. The steps grow. enlarge then bisects the last
// step until the step is no longer than the first step.
func (x *explorer) enlarge(front *Front, chosen *trial) error {
	const steps, step, moreSteps = 7, 1.25, 8
	front.Minimal = false
	above := &trial{sizes: slices.Clone(chosen.sizes)} // at least 1.25 times the minimum sizes, so that these also grow
	for e, minimum := range x.floors {
		above.sizes[e] = max(above.sizes[e], minimum+(minimum+3)/4)
	}
	scaled := func(by float64) *trial {
		sizes := x.between(above, by)
		for e := range sizes {
			sizes[e] = min(sizes[e], max(x.large.sizes[e], chosen.sizes[e]))
		}
		return &trial{sizes: sizes, memory: x.memory(sizes)}
	}
	t, low, high := &trial{sizes: chosen.sizes}, 1., 0. // high is 0 until larger sizes are confirmed
	for i := 0; i <= steps+moreSteps && high == 0; i++ {
		by := math.Pow(step, float64(min(i, steps))) * math.Exp2(float64(max(0, i-steps)))
		next := scaled(by)
		if slices.Equal(next.sizes, t.sizes) {
			continue
		}
		t = next
		confirmed, err := x.confirmed(front, t)
		if err != nil {
			return err
		}
		if confirmed {
			high = by
		} else {
			low = by
		}
	}
	for high > low*step*(1+exactRounding) {
		middle := math.Sqrt(low * high)
		less := scaled(middle)
		before := *front
		confirmed, err := x.confirmed(front, less)
		if err != nil {
			return err
		}
		if confirmed {
			t, high = less, middle
		} else {
			*front, low = before, middle
		}
	}
	if high == 0 {
		t = &trial{sizes: x.large.sizes, memory: x.memory(x.large.sizes)}
		if _, err := x.confirmed(front, t); err != nil {
			return err
		}
	}
	t, err := x.smaller(front, chosen, t)
	if err != nil {
		return err
	}
	if t.memory > chosen.memory {
		front.Enlarged = chosen.memory
	}
	p := FrontPoint{Sizes: t.sizes, Memory: t.memory, Throughput: front.Confirmed.Throughput.Value}
	for n := len(front.Points); n > 0 && (front.Points[n-1].Memory >= p.Memory ||
		front.Points[n-1].Throughput >= p.Throughput); n-- {
		front.Points = front.Points[:n-1]
	}
	front.Chosen = len(front.Points)
	front.Points = append(front.Points, p)
	return nil
}

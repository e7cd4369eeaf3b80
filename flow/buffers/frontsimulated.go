package buffers

import (
	"container/heap"
	"math"
	"slices"

	"xopt/queueing/maxplus"
)

// simulated explores sizes by simulation.
func (x *explorer) simulated(start []int) (*Front, error) {
	large, err := x.most(start)
	if err != nil {
		return nil, err
	}
	front := &Front{Most: large.value, Unsettled: large.unsettled}
	path, err := x.climb(large.value * max(x.o.Keep, climbTo))
	if err != nil {
		return nil, err
	}
	found := slices.DeleteFunc(slices.Clone(path), func(t *trial) bool { return t.value == 0 })
	top := path[len(path)-1]
	if top.value < x.o.Keep*large.value { // the steps were not enough
		top = large
	}
	for _, keep := range []float64{.5, .7, .8, .9, .95, .98, .99, .995, .999} {
		from := top
		for _, t := range path {
			if t.value >= keep*large.value {
				from = t
				break
			}
		}
		if from.value < keep*large.value || x.simulations >= frontTrials {
			continue
		}
		t, err := x.descend(from, keep*large.value, frontTrials)
		if err != nil {
			return nil, err
		}
		found = append(found, t)
	}
	chosen, err := x.chooseOfBest(front, top)
	if err != nil {
		return nil, err
	}
	if front.Unsettled == "" {
		front.Unsettled = chosen.unsettled
	}
	front.fill(append(found, chosen), chosen)
	for i := range front.Points {
		front.Most = max(front.Most, front.Points[i].Throughput)
	}
	return front, nil
}

// chooseOfBest chooses sizes that keep a part of the most that any had. That is not always what the
// largest have: on a shared server more room may let a kernel have its turn when another needs it more.
func (x *explorer) chooseOfBest(front *Front, top *trial) (*trial, error) {
	const rounds = 3
	for round := 1; ; round++ {
		if best := x.best(); best.value > front.Most*(1+worthIt) {
			front.Most, top = best.value, best
		}
		chosen, err := x.choose(front, top)
		if err != nil || round == rounds || x.best().value <= front.Most*(1+worthIt) {
			return chosen, err
		}
	}
}

// best is the trial with the most throughput.
func (x *explorer) best() *trial {
	best := x.all[0]
	for _, t := range x.all {
		if t.value > best.value {
			best = t
		}
	}
	return best
}

// choose finds the least memory that keeps what is asked for, and makes sure of it with draws that
// the search has not seen.
func (x *explorer) choose(front *Front, top *trial) (*trial, error) {
	const rounds = 3
	goal, before := x.o.Keep*front.Most, x.simulations
	var t *trial
	for range rounds {
		var err error
		if top.value < goal {
			break
		}
		if t, err = x.descend(top, goal, allTrials+x.simulations-before); err != nil {
			return nil, err
		}
		if t, front.Least, err = x.prove(t, goal); err != nil {
			return nil, err
		}
		t = x.better(t)
		if front.Low, err = x.low(front, t); err != nil {
			return nil, err
		}
		short := x.o.Keep*front.Most - front.Low
		if short <= worthIt*front.Most {
			return t, nil
		}
		goal += short
	}
	return x.sure(front, top)
}

// sure finds, of all that were tried, the least memory that surely keeps what is asked for, by halving
// those whose throughput grows with their memory; top where none does.
func (x *explorer) sure(front *Front, top *trial) (*trial, error) {
	front.Least = false
	var list []*trial
	for _, t := range x.sorted() {
		if n := len(list); t.value >= x.o.Keep*front.Most && (n == 0 || t.value > list[n-1].value) {
			list = append(list, t)
		}
	}
	low, high := 0, len(list)
	for low < high {
		middle := (low + high) / 2
		at, err := x.low(front, list[middle])
		if err != nil {
			return nil, err
		}
		if at >= front.Most*(x.o.Keep-worthIt) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	if low < len(list) {
		top = list[low]
	}
	var err error
	front.Low, err = x.low(front, top)
	return top, err
}

// sorted are all that were tried, the least memory first.
func (x *explorer) sorted() []*trial {
	list := slices.Clone(x.all)
	slices.SortStableFunc(list, byMemory)
	return list
}

// byMemory puts less memory first, and of as much more throughput.
func byMemory(a, b *trial) int {
	switch {
	case a.memory < b.memory, a.memory == b.memory && a.value > b.value:
		return -1
	case a.memory > b.memory, a.value < b.value:
		return 1
	}
	return 0
}

// better is the trial of as much memory, or less, with the most throughput.
func (x *explorer) better(t *trial) *trial {
	for _, other := range x.all {
		if other.memory <= t.memory && other.value > t.value {
			t = other
		}
	}
	return t
}

// freshSeeds are those that a choice is made sure of with, and oneSided the quantile of Student's t for
// 95 % to one side and one degree of freedom less.
const (
	freshSeeds = 5
	oneSided   = 2.132
)

// low is the throughput that sizes have at the least, with 95 % confidence.
func (x *explorer) low(front *Front, t *trial) (float64, error) {
	front.Seeds = freshSeeds
	var values [freshSeeds]float64
	mean := 0.0
	for i := range values {
		out, err := x.sim.Run(x.ctx, t.sizes, maxplus.Options{Events: x.o.Events, Seed: x.o.Seed + 1 + uint64(i)})
		if err != nil {
			return 0, err
		}
		x.simulations++
		values[i] = out.Throughput.Value
		mean += values[i] / freshSeeds
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return mean - oneSided*math.Sqrt(squares/(freshSeeds-1)/freshSeeds), nil
}

// proveTrials is how many sizes are tried, at the most, to find less memory than was found or to prove
// that there is none.
const proveTrials = 400

// proveChoices is from how many choices of sizes on it is not tried: most of them would be.
const proveChoices = 5 * proveTrials

// prove looks for less memory, the least first: from each choice of sizes that does not keep enough
// it goes on with one element more on each edge that a writer waited for. Others would change
// nothing, so that it passes the least sizes of all, or proves that those given are. It reports
// whether it came to an end.
func (x *explorer) prove(found *trial, goal float64) (*trial, bool, error) {
	if found.memory <= x.memory(x.least) {
		return found, true, nil // there are none
	}
	if x.choices(found) > proveChoices {
		return found, false, nil
	}
	first, err := x.try(slices.Clone(x.least))
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
			if sizes[e]++; x.memory(sizes) >= found.memory {
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

// choices is how many choices of sizes there are up to those found.
func (x *explorer) choices(found *trial) float64 {
	n := 1.0
	for e, size := range found.sizes {
		if x.used[e] {
			n *= float64(size - x.least[e] + 1)
		}
	}
	return n
}

// determinate reports whether more room never makes anything later: no server is shared.
func (x *explorer) determinate() bool { return len(x.sim.Net.Servers) == 0 }

// trials are those that wait to be gone on from, the least memory first.
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

// fill keeps what no other has more throughput than for as little memory, and the chosen one.
func (f *Front) fill(found []*trial, chosen *trial) {
	slices.SortStableFunc(found, byMemory)
	most := 0.0
	for _, t := range found {
		if t.value <= most*(1+worthIt) && t != chosen || len(f.Points) > 0 && t != chosen &&
			t.memory == f.Points[len(f.Points)-1].Memory {
			continue
		}
		if t == chosen {
			f.Chosen = len(f.Points)
			if n := len(f.Points); n > 0 && slices.Equal(f.Points[n-1].Sizes, t.sizes) {
				f.Chosen = n - 1
				continue
			}
		}
		most = max(most, t.value)
		f.Points = append(f.Points, FrontPoint{Sizes: t.sizes, Memory: t.memory, Throughput: t.value})
	}
	f.thin()
}

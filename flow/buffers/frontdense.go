package buffers

import (
	"fmt"
	"math"
	"slices"
)

const (
	// densePoints is the number of points of a simulated front at which densify stops.
	densePoints = 28
	// denseEvents limits the simulated events of densify, so that densify lasts at most some seconds.
	denseEvents = 1 << 22
	// denseSeeds is the number of seeds of each added point. This number is sufficient, because the simulations of the
	// reference use the same draws.
	denseSeeds = 2
)

// densify adds points to a simulated front, so that the front shows the throughput as a curve of memory. It selects
// trials of the search, and sizes on the line from the minimum sizes to the reference sizes. It simulates these sizes
// with seeds that the search has not used. It does not change existing points.
func (x *explorer) densify(front *Front) error {
	candidates := append(pareto(x.all), x.line()...)
	for limit := x.events + denseEvents; len(front.Points) < densePoints && x.events < limit; {
		at := front.widest(candidates)
		if at < 0 {
			return nil
		}
		t := candidates[at]
		candidates = slices.Delete(candidates, at, at+1)
		parts, err := x.fractionsOfMax(t, denseSeeds)
		if err != nil {
			return err
		}
		mean, _ := meanOf(parts)
		front.insert(FrontPoint{Sizes: t.sizes, Memory: t.memory, Throughput: min(1, mean) * front.Max}, x.o.Keep)
	}
	return nil
}

// line returns sizes between the minimum sizes and the reference sizes that the search has not tried. The steps grow
// with the distance from the minimum sizes.
func (x *explorer) line() (list []*trial) {
	const steps, octaves = 64, 8.
	seen := make(map[string]bool)
	for i := range steps {
		sizes := x.between(x.large, math.Exp2(octaves*(float64(i)/steps-1)))
		key := fmt.Sprint(sizes)
		if !seen[key] && x.tried[key] == nil {
			list = append(list, &trial{sizes: sizes, memory: x.memory(sizes)})
		}
		seen[key] = true
	}
	return list
}

// pareto returns settled trials in ascending order of memory. The throughput of each trial exceeds the throughput of
// the previous trial by more than the fraction worthIt.
func pareto(all []*trial) (list []*trial) {
	value := 0.
	for _, t := range slices.SortedStableFunc(slices.Values(all), byMemory) {
		if t.value > value*(1+worthIt) && t.unsettled == "" {
			list, value = append(list, t), t.value
		}
	}
	return list
}

// widest returns the index of the candidate that best divides a wide step of the front, or -1 if no step is wide
// enough.
func (f *Front) widest(candidates []*trial) int {
	first, last := &f.Points[0], &f.Points[len(f.Points)-1]
	all := max(math.Log(last.Memory/first.Memory), worthIt)
	at, best := -1, 0.
	for i, t := range candidates {
		j := f.index(t.memory)
		score := 0.
		switch {
		case j < len(f.Points) && f.Points[j].Memory == t.memory:
		case j == 0:
			score = math.Log(first.Memory/t.memory) / all
		case j == len(f.Points):
			if last.Throughput < f.Max*(1-worthIt) {
				score = math.Log(t.memory/last.Memory) / all
			}
		default:
			low, high := &f.Points[j-1], &f.Points[j]
			gain := (high.Throughput - low.Throughput) / f.Max
			if gain <= 2*worthIt {
				break
			}
			nearer := math.Log(min(t.memory/low.Memory, high.Memory/t.memory))
			score = nearer/all + gain*nearer/math.Log(high.Memory/low.Memory)
		}
		if score > best {
			at, best = i, score
		}
	}
	return at
}

// index returns the number of points with less memory.
func (f *Front) index(memory float64) int {
	at := 0
	for at < len(f.Points) && f.Points[at].Memory < memory {
		at++
	}
	return at
}

// insert adds a point in order of memory. The point must have more throughput than all points with less memory, and
// less throughput than all points with more memory. A point with less memory than the chosen point must not preserve
// the fraction keep of the throughput, because its sizes are not confirmed.
func (f *Front) insert(p FrontPoint, keep float64) {
	at := f.index(p.Memory)
	switch {
	case !(p.Throughput > 0),
		at > 0 && p.Throughput <= f.Points[at-1].Throughput*(1+worthIt),
		at < len(f.Points) && (f.Points[at].Memory == p.Memory ||
			p.Throughput >= f.Points[at].Throughput*(1-worthIt)),
		at <= f.Chosen && p.Throughput >= keep*f.Max:
		return
	}
	f.Points = slices.Insert(f.Points, at, p)
	if at <= f.Chosen {
		f.Chosen++
	}
}

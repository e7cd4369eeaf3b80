package sdf

import (
	"fmt"
	"math/rand/v2"
)

// twinExplore executes a graph event by event until a state repeats, and returns the throughput of the period. This is
// the direct definition of self-timed execution (Ghamarian 2006). The graph must be connected and bounded, and some
// actor's time above 0.
func twinExplore(g *Graph, q []int64) Period {
	stored, claimed := make([]int64, len(g.Channels)), make([]int64, len(g.Channels))
	for i := range g.Channels {
		stored[i] = g.Channels[i].Initial
	}
	running := make([][]int64, len(g.Actors)) // remaining times of the firings of each actor
	fires := func(a int) bool {
		if n := g.Actors[a].Concurrent; n > 0 && int64(len(running[a])) >= n {
			return false
		}
		for i := range g.Channels {
			c := &g.Channels[i]
			if c.To == a && stored[i] < c.Consumed {
				return false
			}
			if c.From == a && c.Capacity > 0 && stored[i]+claimed[i]+c.Produced > c.Capacity {
				return false
			}
		}
		return true
	}
	seen := make(map[string][2]int64)
	var now, count int64 // count: ended firings of actor 0
	for {
		for again := true; again; {
			again = false
			for a := range g.Actors {
				for fires(a) {
					again = true
					for i := range g.Channels {
						c := &g.Channels[i]
						if c.To == a { // the room is held until the end
							stored[i] -= c.Consumed
							claimed[i] += c.Consumed
						}
						if c.From == a {
							claimed[i] += c.Produced
						}
					}
					running[a] = append(running[a], g.Actors[a].Time)
					if g.Actors[a].Time == 0 {
						count += endFirings(g, running, stored, claimed, 0)
					}
				}
			}
		}
		key := fmt.Sprint(stored, claimed, running)
		if at, ok := seen[key]; ok {
			return period((now-at[0])*q[0], count-at[1])
		}
		seen[key] = [2]int64{now, count}
		step := int64(-1)
		for _, left := range running {
			for _, t := range left {
				if step < 0 || t < step {
					step = t
				}
			}
		}
		if step < 0 {
			return Period{} // a deadlock
		}
		now += step
		count += endFirings(g, running, stored, claimed, step)
	}
}

// endFirings advances the time and ends the firings that are due. It returns the number of those of actor 0.
func endFirings(g *Graph, running [][]int64, stored, claimed []int64, step int64) int64 {
	count := int64(0)
	for a := range running {
		left := running[a][:0]
		for _, t := range running[a] {
			if t > step {
				left = append(left, t-step)
				continue
			}
			if a == 0 {
				count++
			}
			for i := range g.Channels {
				c := &g.Channels[i]
				if c.To == a {
					claimed[i] -= c.Consumed
				}
				if c.From == a {
					claimed[i] -= c.Produced
					stored[i] += c.Produced
				}
			}
		}
		running[a] = left
	}
	return count
}

// twinCycleMean returns the maximum cycle mean of the homogeneous graph with an arc for every token (Lee and
// Messerschmitt 1987): the period of an iteration. It raises the ratio to that of a longer cycle, found by
// Bellman-Ford, until there is none.
func twinCycleMean(g *Graph, q []int64) float64 {
	type link struct {
		from, to int
		delay    int64
	}
	var links []link
	first := make([]int64, len(q)+1)
	for a, n := range q {
		first[a+1] = first[a] + n
	}
	add := func(from, to int, produced, consumed, initial int64) {
		for n := range q[to] * consumed { // token n that an iteration of the reader consumes
			reader := n / consumed
			made := n - initial // number of the token among the produced ones
			writer, delay := int64(0), int64(0)
			for made < 0 {
				made += produced * q[from]
				delay++
			}
			writer = made / produced
			links = append(links, link{int(first[from] + writer), int(first[to] + reader), delay})
		}
	}
	for a := range g.Actors {
		if n := g.Actors[a].Concurrent; n > 0 {
			add(a, a, 1, 1, n)
		}
	}
	for _, c := range g.Channels {
		add(c.From, c.To, c.Produced, c.Consumed, c.Initial)
		if c.Capacity > 0 {
			add(c.To, c.From, c.Consumed, c.Produced, c.Capacity-c.Initial)
		}
	}
	time := make([]float64, first[len(q)])
	for a := range q {
		for i := first[a]; i < first[a+1]; i++ {
			time[i] = float64(g.Actors[a].Time)
		}
	}
	ratio := 0.0
	for {
		distance, by := make([]float64, len(time)), make([]int, len(time))
		last := -1
		for range len(time) + 1 {
			last = -1
			for i, l := range links {
				if d := distance[l.from] + time[l.from] - ratio*float64(l.delay); d > distance[l.to]+1e-9 {
					distance[l.to], by[l.to], last = d, i, l.to
				}
			}
			if last < 0 {
				return ratio
			}
		}
		for range time {
			last = links[by[last]].from
		}
		sum, delays := 0.0, int64(0)
		for at := last; ; {
			l := links[by[at]]
			sum += time[l.from]
			delays += l.delay
			if at = l.from; at == last {
				break
			}
		}
		ratio = sum / float64(delays)
	}
}

// randomGraph draws a consistent, connected graph. The channels of a tree lead anywhere. Others lead forward, or back
// with initial tokens.
func randomGraph(r *rand.Rand, actors, extra int, maximum int64) *Graph {
	g := &Graph{}
	q := make([]int64, actors)
	for a := range actors {
		q[a] = 1 + r.Int64N(maximum)
		g.Actors = append(g.Actors, Actor{Name: fmt.Sprintf("a%d", a), Time: r.Int64N(9), Concurrent: 1 + r.Int64N(2)})
	}
	g.Actors[0].Time++
	join := func(from, to int, back bool) {
		common := GCD(q[from], q[to])
		k := 1 + r.Int64N(2)
		c := Channel{Name: fmt.Sprintf("e%d", len(g.Channels)), From: from, To: to,
			Produced: k * q[to] / common, Consumed: k * q[from] / common, Bytes: 1 + r.Int64N(4)}
		if back {
			c.Initial = c.Consumed*q[to]*r.Int64N(2) + r.Int64N(2*c.Consumed) + 1
		} else if r.IntN(4) == 0 {
			c.Initial = r.Int64N(c.Consumed + 1)
		}
		g.Channels = append(g.Channels, c)
	}
	for a := 1; a < actors; a++ {
		join(r.IntN(a), a, false)
	}
	for range extra {
		from, to := r.IntN(actors), r.IntN(actors)
		join(from, to, from >= to)
	}
	return g
}

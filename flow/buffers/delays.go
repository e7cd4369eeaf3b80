package buffers

import (
	"context"
	"fmt"
	"math"
	"slices"

	"xopt/flow"
)

// delays computes the number of elements that wait on one branch for data of another branch. The branches start at a
// common kernel and meet in a join. The common kernel executes the firings that the long branch needs for its first
// round. Meanwhile the short branch receives the elements of these firings. If counts depend on data, delays uses their
// means, so the size may be too small. A run enlarges such a buffer if necessary. delays also counts the transfers that
// must fill on a branch without a flush time.
//
// For static counts, [MinStatic] is exact. delays keeps its sizes unless a link of the mapping waits for full
// transfers.
type delays struct {
	problem  *flow.Problem
	flows    *flow.Flows
	mapping  *flow.Mapping // nil without a mapping
	consumes []float64     // by edge: elements that a firing of its reader consumes together
	static   []Minimum
	in, out  [][]int
	need     []float64 // by kernel: firings until the current edge has the elements of one round
	block    []float64 // by kernel: minimum number of firings whose elements a later kernel consumes together
	got      []float64 // by edge: elements that arrive from the firings of a fork
	reach    []bool    // by kernel: whether it leads to the current join
	meet     []int     // by kernel: nearest kernel on all its paths to the join
	rank     []int     // by kernel: position in the order of the flows
	likely   bool      // use a number of firings that at most one round in a million exceeds
	bulky    bool      // a link of the mapping waits for full transfers
	work     int       // kernels visited, for all joins and forks
}

// delaysWork limits the number of visited kernels. Without a limit, the computation would take hours for an application
// with many joins behind many forks.
const delaysWork = 50_000_000

func newDelays(p *flow.Problem, flows *flow.Flows, m *flow.Mapping, inputs []float64, static []Minimum) *delays {
	n := len(p.Application.Kernels)
	d := &delays{problem: p, flows: flows, mapping: m, consumes: inputs, static: static, in: make([][]int, n),
		out: make([][]int, n), need: make([]float64, n),
		block: make([]float64, n), got: make([]float64, len(p.Application.Edges)),
		reach: make([]bool, n), meet: make([]int, n), rank: make([]int, n)}
	for e := range p.Application.Edges {
		edge := &p.Application.Edges[e]
		if !flows.Back[e] && flows.Grain(e).Sends > 0 {
			d.in[edge.To], d.out[edge.From] = append(d.in[edge.To], e), append(d.out[edge.From], e)
		}
	}
	for i, k := range flows.Order {
		d.rank[k] = i
	}
	d.bulky = m != nil && slices.ContainsFunc(m.Route, func(route []int) bool {
		return slices.ContainsFunc(route, func(l int) bool {
			link := &p.Architecture.Links[l]
			return link.Sharing.TransferBytes > 0 && link.Flush == 0
		})
	})
	return d
}

// raise raises the sizes by the elements that wait at every join. It returns the error of ctx.
func (d *delays) raise(ctx context.Context, all []Minimum) error {
	for k := range d.problem.Application.Kernels {
		for _, j := range d.problem.Application.Kernels[k].Joins {
			if len(j.Ports) < 2 {
				continue
			}
			if err := d.join(ctx, all, k, &j); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// join computes the number of elements that wait at one join of kernel k.
func (d *delays) join(ctx context.Context, all []Minimum, k int, j *flow.Join) error {
	ends := d.edgesInto(j)
	if len(ends) < 2 || !slices.ContainsFunc(ends, func(e int) bool { return !d.exact(e, ends[0]) }) {
		return nil
	}
	if d.work += d.rank[k]; d.work > delaysWork {
		d.tooMany(all, ends)
		return nil
	}
	for _, fork := range d.forks(k) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.work += 2 * (len(ends) + 1) * (d.rank[k] - d.rank[fork]); d.work > delaysWork {
			d.tooMany(all, ends)
			return nil
		}
		d.likely = true
		likely, by := d.longest(fork, k, ends)
		if by < 0 {
			continue
		}
		d.forward(fork, k, likely)
		for _, e := range ends {
			if e != by && !d.exact(e, by) {
				all[e].Likely = math.Max(all[e].Likely, forgiving(d.got[e]))
			}
		}
		d.likely = false
		longest, by := d.longest(fork, k, ends)
		d.forward(fork, k, longest)
		for _, e := range ends {
			if e == by || d.exact(e, by) {
				continue
			}
			n := longest
			all[e].raise(forgiving(d.got[e]), false, func() string {
				app := &d.problem.Application
				return fmt.Sprintf("%g elements arrive during the %g firings of %s before %s receives data on %s",
					math.Ceil(d.got[e]),
					math.Ceil(n), app.Kernels[fork].Name, app.Kernels[k].Name, app.Edges[by].Name)
			})
		}
	}
	return nil
}

// tooMany marks the sizes of the edges into a join as unknown, because the search exceeded its limit.
func (d *delays) tooMany(all []Minimum, ends []int) {
	for _, e := range ends {
		all[e].Unknown = "the application has too many joins and forks to compute the delay of each branch; a run " +
			"may enlarge the buffer"
	}
}

// longest returns the number of firings of a fork after which all edges have received the elements of one round. It
// also returns the index of the edge that is last to receive its elements.
func (d *delays) longest(fork, join int, ends []int) (firings float64, by int) {
	by = -1
	for _, e := range ends {
		if n := d.firings(fork, join, e); n > firings {
			firings, by = n, e
		}
	}
	return firings, by
}

// forgiving rounds a count up, unless its fraction is within the rounding error.
func forgiving(x float64) float64 { return math.Ceil(x - math.Min(meanRounding*x, 0.5)) }

// exact reports whether the sizes of both edges are exact.
func (d *delays) exact(a, b int) bool {
	return !d.bulky && len(d.static) > 0 && d.static[a].Elements > 0 && d.static[b].Elements > 0
}

// edgesInto returns the edges that lead to the ports of a join. It omits edges that close a cycle, edges without a
// flow, and ports with several edges.
func (d *delays) edgesInto(j *flow.Join) []int {
	var ends []int
	for _, p := range j.Ports {
		for _, e := range p.Edges {
			if !d.flows.Back[e] && d.flows.Grain(e).Sends > 0 && len(p.Edges) == 1 {
				ends = append(ends, e)
			}
		}
	}
	return ends
}

// forks returns the kernels from which disjoint paths lead to a kernel.
func (d *delays) forks(join int) []int {
	clear(d.reach)
	d.reach[join], d.meet[join] = true, join
	var forks []int
	for i := d.rank[join] - 1; i >= 0; i-- {
		k := d.flows.Order[i]
		ways, meet := 0, -1
		for _, e := range d.out[k] {
			to := d.problem.Application.Edges[e].To
			if !d.reach[to] {
				continue
			}
			ways++
			if meet < 0 {
				meet = to
			} else {
				meet = d.common(meet, to)
			}
		}
		if ways == 0 {
			continue
		}
		d.reach[k], d.meet[k] = true, meet
		if ways > 1 && meet == join {
			forks = append(forks, k)
		}
	}
	return forks
}

// common returns the nearest kernel that is on all paths from both kernels to the join.
func (d *delays) common(a, b int) int {
	for a != b {
		if d.rank[a] < d.rank[b] {
			a = d.meet[a]
		} else {
			b = d.meet[b]
		}
	}
	return a
}

// firings returns the number of firings of a fork after which edge last has received the elements of one round. The
// edge is on a path to kernel join. firings returns 0 if the fork does not reach the edge.
func (d *delays) firings(fork, join, last int) float64 {
	app := &d.problem.Application
	for i := d.rank[fork]; i < d.rank[join]; i++ {
		d.need[d.flows.Order[i]], d.block[d.flows.Order[i]] = 0, 0
	}
	for i := d.rank[join] - 1; i >= d.rank[fork]; i-- {
		k := d.flows.Order[i]
		if !d.reach[k] {
			continue
		}
		for _, e := range d.out[k] {
			to := app.Edges[e].To
			elements := 0.0
			switch {
			case e == last:
				elements = d.consumes[e]
			case to != join && d.rank[to] < d.rank[join] && d.need[to] > 0:
				elements = d.need[to] * d.consumes[e]
			default:
				continue
			}
			grain := d.consumes[e]
			if e != last {
				grain *= d.block[to]
			}
			elements, grain = d.fullTransfers(e, elements, grain)
			d.block[k] = divisor(integerOr1(grain/d.flows.Grain(e).Sends), d.block[k])
			elements -= float64(app.Edges[e].Initial)
			d.need[k] = math.Max(d.need[k], forgiving(d.until(e, elements)))
		}
	}
	return d.need[fork]
}

// until returns the number of firings of an edge's writer that send the given number of elements. If a firing sends an
// element only with probability q, n elements need n/q firings on average (negative binomial distribution). The
// probability that they need more than n/q·(1 + 4.75·√((1-q)/n) + 11·(1-q)/n) firings is below one in a million. For a
// source, until assumes a regular output, because a source sends on its ports in turns.
func (d *delays) until(e int, elements float64) float64 {
	sends := d.flows.Grain(e).Sends
	through := sends * d.flows.Grain(e).Gathers // elements that result from the firings
	firings := elements / sends
	edge := &d.problem.Application.Edges[e]
	if d.likely && through < 1-integerTolerance && elements > 0 && edge.Emits == 0 && len(d.in[edge.From]) > 0 {
		firings *= 1 + 4.75*math.Sqrt((1-through)/elements) + 11*(1-through)/elements
	}
	return firings
}

// fullTransfers returns the number of elements to send so that the given number arrives over links that wait for full
// transfers. It also returns the new grain. In the worst case each link retains an incomplete transfer of its own size,
// minus the part that fits the grain of the next consumer.
func (d *delays) fullTransfers(e int, elements, grain float64) (float64, float64) {
	if d.mapping == nil {
		return elements, grain
	}
	for _, l := range slices.Backward(d.mapping.Route[e]) {
		link := &d.problem.Architecture.Links[l]
		if link.Sharing.TransferBytes > 0 && link.Flush == 0 {
			bulk := link.BulkElements(d.problem.Application.Edges[e].ElementBytes)
			elements, grain = elements+bulk-divisor(grain, bulk), bulk
		}
	}
	return elements, grain
}

// integerOr1 returns x if it is an integer, else 1.
func integerOr1(x float64) float64 {
	if n := math.Round(x); n >= 1 && math.Abs(x-n) <= countRounding*n {
		return n
	}
	return 1
}

// forward computes the number of elements that arrive on every edge that leads to a join during the given number of
// firings of a fork.
func (d *delays) forward(fork, join int, firings float64) {
	app := &d.problem.Application
	for _, k := range d.flows.Order[d.rank[fork] : d.rank[join]+1] {
		for _, e := range d.in[k] {
			d.got[e] = 0
		}
	}
	for _, k := range d.flows.Order[d.rank[fork]:d.rank[join]] {
		n := firings
		if k != fork {
			n = math.Inf(1)
			for _, e := range d.in[k] {
				if d.got[e] > 0 {
					n = math.Min(n, math.Floor(d.got[e]/d.consumes[e]*(1+countRounding)))
				}
			}
			if math.IsInf(n, 1) {
				continue
			}
		}
		for _, e := range d.out[k] {
			d.got[e] = n*d.flows.Grain(e).Sends + float64(app.Edges[e].Initial)
		}
	}
}

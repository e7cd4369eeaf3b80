package predict

import (
	"math"
	"slices"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/mapper"
	"xopt/mapper/result"
)

// latencyLoad is the part of the throughput at which latency is told: at all of it the
// bottleneck's queue has no bound.
const latencyLoad = mapper.OperatingLoad

// latency finds the path from a source to a sink that takes longest in the mean, as a search
// does ([mapper.Paths]).
func (b *builder) latency() {
	paths, at := mapper.NewPaths(b.design.Problem, b.network.Flows), flow.NewOperation(b.network, b.solution)
	mean, worst, last := paths.Longest(at, latencyLoad)
	if last < 0 || !(mean > 0) {
		return
	}
	l := &result.Latency{Load: latencyLoad, Seconds: result.Number(mean), Worst: result.Number(worst)}
	for k := last; k >= 0; k = paths.Before(at, k, latencyLoad) {
		l.Kernels = append(l.Kernels, b.design.Problem.Application.Kernels[k].Name)
	}
	slices.Reverse(l.Kernels)
	b.out.Latency = l
}

// iteration adds how often an application with static counts goes through an iteration.
func (b *builder) iteration() {
	app := &b.design.Problem.Application
	g := buffers.Counts(app, b.network.Flows)
	if g == nil || !g.Whole {
		return
	}
	q, err := g.Repetition()
	if err != nil {
		return // the flows have their say on what does not fit together
	}
	x := &result.Iteration{}
	rate := 0.0
	for k := range app.Kernels {
		fires := b.network.Firings(b.solution, k)
		if !(fires > 0) {
			continue
		}
		of := fires / float64(q[k])
		if rate > 0 && math.Abs(of/rate-1) > iterationRounding {
			return // parts that do not go along with each other
		}
		rate = of
		x.Firings = append(x.Firings, result.Firing{Kernel: app.Kernels[k].Name, Times: q[k]})
	}
	x.Rate = result.Number(rate)
	if rate > 0 {
		b.out.Iteration = x
	}
}

// iterationRounding is what rates of kernels of one iteration may differ by, relative.
const iterationRounding = 1e-9

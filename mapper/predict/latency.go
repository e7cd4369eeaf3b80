package predict

import (
	"math"
	"slices"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/mapper"
	"xopt/mapper/result"
)

// latencyLoad is the fraction of the throughput at which latency is computed. At full throughput, the bottleneck's
// queue grows without bound.
const latencyLoad = mapper.OperatingLoad

// latency adds the path with the largest mean latency from a source to a sink, computed as in searches
// ([mapper.Paths]).
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

// iteration adds the iteration and its rate, for an application with static counts.
func (b *builder) iteration() {
	app := &b.design.Problem.Application
	g := buffers.Counts(app, b.network.Flows)
	if g == nil || !g.Complete {
		return
	}
	q, err := g.Repetition()
	if err != nil {
		return // the solver of the flow reports the inconsistency
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
			return // parts with independent rates
		}
		rate = of
		x.Firings = append(x.Firings, result.Firing{Kernel: app.Kernels[k].Name, Times: q[k]})
	}
	x.Rate = result.Number(rate)
	if rate > 0 {
		b.out.Iteration = x
	}
}

// iterationRounding is the permitted relative difference between the iteration rates of kernels.
const iterationRounding = 1e-9

package predict

import (
	"slices"

	"xopt/flow"
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

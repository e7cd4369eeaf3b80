package predict

import (
	"math"

	"xopt/flow/buffers"
	"xopt/mapper/result"
)

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

package mapper

import (
	"math"
	"math/rand/v2"
)

// Weights of goals other than throughput in annealing, in units of log throughput.
const (
	missBase   = 0.5  // penalty for a violated limit
	missWeight = 20.0 // weight of the logarithm of a violation
	missQueues = 10.0 // penalty for a mapping too slow to compute its latency and buffers at the goal's rate
	areaWeight = 2.0  // weight of one full FPGA
	spread     = 0.05 // penalty for an even load, so that resources become empty
)

// scalarization combines the objectives into the energy that a descent minimizes. With several objectives, each descent
// uses new random weights, so that one search finds all parts of the front.
type scalarization struct {
	plain  bool // throughput is the only goal
	queues bool // latency or buffers are part of the goal
	weight []float64
	values []float64
	ideal  []float64 // lowest term found for each objective
}

func newScalarization(g *Goal) scalarization {
	n := max(1, len(g.Objectives))
	w := scalarization{plain: g.Plain(), queues: g.MaxLatency > 0 || g.MaxBuffer > 0 || g.needs(Latency) ||
		g.needs(Buffers),
		weight: make([]float64, n), values: make([]float64, n), ideal: make([]float64, n)}
	for i := range w.ideal {
		w.weight[i], w.ideal[i] = 1, math.Inf(1)
	}
	return w
}

// draw draws new weights if there are several objectives. Some draws give one objective almost the entire weight.
func (w *scalarization) draw(rng *rand.Rand) {
	if len(w.weight) < 2 {
		return
	}
	sum := 0.0
	for i := range w.weight {
		w.weight[i] = rng.ExpFloat64()
		sum += w.weight[i]
	}
	alone := rng.IntN(4 * len(w.weight))
	for i := range w.weight {
		w.weight[i] /= sum
		if alone < len(w.weight) {
			w.weight[i] = 0.01
			if i == alone {
				w.weight[i] = 1
			}
		}
	}
}

// wanted returns the energy of the scorer's mapping for goals other than throughput alone. It offers mappings that meet
// the limits to the incumbent pool. throughput must be positive.
func (c *chain) wanted(throughput float64) float64 {
	g, w := c.goal, &c.scalar
	c.nearest.fastest = max(c.nearest.fastest, throughput)
	short := 0.0
	if g.MinThroughput > 0 && throughput < g.MinThroughput*(1-sameThroughput) {
		short += missBase + missWeight*math.Log(g.MinThroughput/throughput)
	}
	m := c.pool.meter.measure(c.scorer, g.MinThroughput, w.queues && short == 0)
	if w.queues && (short > 0 || math.IsInf(float64(m.Buffers), 1)) {
		short += missQueues
	} else {
		if w.queues {
			c.nearest.see(&m)
		}
		if latency := float64(m.Latency); g.MaxLatency > 0 && latency > g.MaxLatency {
			short += missBase + missWeight*math.Log(latency/g.MaxLatency)
		}
		if buffer := float64(m.Buffer); g.MaxBuffer > 0 && buffer > g.MaxBuffer {
			short += missBase + missWeight*math.Log(buffer/g.MaxBuffer)
		}
	}
	if short == 0 {
		c.consider(&m, throughput)
	}
	if w.queues && short >= missQueues { // latency and buffers are infinite
		m.Latency, m.Buffers = 1, 1
	}
	sum, maximum := 0.0, math.Inf(-1)
	for i := range w.weight {
		o := g.First()
		if len(g.Objectives) > 0 {
			o = g.Objectives[i]
		}
		t := term(&m, o, throughput, c.scorer.Imbalance())
		if len(w.weight) == 1 {
			sum, maximum = 0, t
			break
		}
		if short == 0 {
			w.ideal[i] = math.Min(w.ideal[i], t)
		}
		if !math.IsInf(w.ideal[i], 1) {
			t -= w.ideal[i]
		}
		// The Chebyshev distance also finds nonconvex parts of a front.
		sum += w.weight[i] * t
		maximum = math.Max(maximum, w.weight[i]*t)
	}
	return maximum + 0.1*sum + short - loadWeight*math.Log(throughput)
}

// term returns the contribution of an objective to the energy.
func term(m *Measures, o Objective, throughput, imbalance float64) float64 {
	switch o {
	case Latency, Buffers, Energy:
		return math.Log(m.Value(o, throughput) + math.SmallestNonzeroFloat64)
	case AreaUse:
		return areaWeight * float64(m.Area)
	case Cores, Cost:
		return math.Log(m.Value(o, throughput)) - spread*imbalance
	}
	return loadWeight*imbalance - math.Log(throughput)
}

// consider offers a mapping that meets the limits to the incumbent pool.
func (c *chain) consider(m *Measures, throughput float64) {
	value := 0.0
	if o := c.goal.First(); o != Throughput {
		value = m.Value(o, throughput)
	}
	if c.tally.best == 0 || value < c.tally.value*(1-sameThroughput) || value == c.tally.value &&
		throughput > c.tally.best*(1+sameThroughput) {
		c.tally.rose(throughput, value)
	}
	if c.pool.wants(throughput, value) {
		c.offer(throughput, value)
	}
	if !c.goal.Several() {
		return
	}
	for i, o := range c.goal.Objectives {
		c.scalar.values[i] = m.Value(o, throughput)
	}
	c.pool.offerFront(c.scorer, throughput, value, c.scalar.values)
}

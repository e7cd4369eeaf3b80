package calibrate

import (
	"math"
	"slices"
	"sort"
)

// A cost that is measured as the difference of two much larger times has a wide interval. Kernels of one application on
// one machine have similar costs. Therefore, a hierarchical model (Gelman et al., Bayesian Data Analysis, 2013, chapter
// 5) estimates the costs of all kernels jointly. In this model, costs have a common distribution, and measurement
// errors are normally distributed. The estimate is near a precise measurement, but moves from an imprecise measurement
// towards the costs of other kernels.

// estimated is a measured cost with its standard error and the predictors (scales) of the cost, all in a common unit.
type estimated struct {
	value, err float64
	scales     [2]float64
}

// posterior contains the median and the 95 % credible interval of a cost, given all measurements.
type posterior struct{ median, low, high float64 }

// hyper is one candidate for the common distribution: the logarithm of a cost has Student's t distribution with 3
// degrees of freedom. Its center is the logarithm of the weighted sum of the scales. Because of its heavy tails, the
// estimates of precise outliers remain near their measurements.
type hyper struct {
	weights [2]float64
	spread  float64 // spread of the logarithm
	prior   float64 // logarithm of the prior density of this candidate
}

// hyperPrior is the prior of the common distribution: the expected weights of the scales, and the candidate spreads.
type hyperPrior struct {
	center  [2]float64 // expected weights; a weight of 0 excludes its scale
	spreads []float64  // candidates of hyper.spread
}

const (
	// weightSteps is the number of candidates for each weight on either side of the expected weight. weightStep is the
	// ratio of neighboring candidates. In two of three cases, a weight differs from its expected value by a factor of
	// at most 3.
	weightSteps, weightStep = 5, 2
	weightDeviation         = 1.1 // standard deviation of the logarithm of a weight
	// The grid of costs extends for decades on either side of the scales, with perDecade points per decade.
	decades, perDecade = 4, 24
	nearPoints         = 81 // points within nearErrors standard errors of the measured value
	nearErrors         = 6
)

// candidates returns all candidates for the common distribution, with their prior densities.
func (p *hyperPrior) candidates() (list []hyper) {
	steps := func(center float64) []float64 {
		if center == 0 {
			return []float64{0}
		}
		var out []float64
		for i := -weightSteps; i <= weightSteps; i++ {
			out = append(out, center*math.Pow(weightStep, float64(i)))
		}
		return out
	}
	density := func(w, center float64) float64 {
		if center == 0 {
			return 0
		}
		x := math.Log(w/center) / weightDeviation
		return -x * x / 2
	}
	for _, a := range steps(p.center[0]) {
		for _, b := range steps(p.center[1]) {
			for _, s := range p.spreads {
				list = append(list, hyper{[2]float64{a, b}, s, density(a, p.center[0]) + density(b, p.center[1])})
			}
		}
	}
	return list
}

// density returns the probability density of the logarithm of a cost. logCenter is the logarithm of the weighted sum of
// its scales.
func (h *hyper) density(logCost, logCenter float64) float64 {
	x := (logCost - logCenter) / h.spread
	q := 1 + x*x/3
	return 2 / (math.Pi * math.Sqrt(3) * q * q * h.spread)
}

func (h *hyper) logCenter(x *estimated) float64 {
	return math.Log(h.weights[0]*x.scales[0] + h.weights[1]*x.scales[1])
}

// grid contains the logarithms of possible costs of a kernel, and for each the likelihood of the measurement times the
// length of the grid interval.
type grid struct{ logs, likelihood []float64 }

func gridOf(x *estimated) grid {
	scale := x.scales[0] + x.scales[1]
	var g grid
	for i := -decades * perDecade; i <= decades*perDecade; i++ {
		g.logs = append(g.logs, math.Log(scale)+float64(i)*math.Ln10/perDecade)
	}
	for i := range nearPoints {
		if v := x.value + nearErrors*x.err*(2*float64(i)/(nearPoints-1)-1); v > 0 {
			g.logs = append(g.logs, math.Log(v))
		}
	}
	slices.Sort(g.logs)
	g.logs = slices.Compact(g.logs)
	square := func(l float64) float64 {
		z := (math.Exp(l) - x.value) / x.err
		return z * z / 2
	}
	nearest := math.Inf(1) // subtracted, so that the likelihood does not underflow to 0 at every point
	for _, l := range g.logs {
		nearest = min(nearest, square(l))
	}
	for i, l := range g.logs {
		before, after := g.logs[max(i-1, 0)], g.logs[min(i+1, len(g.logs)-1)]
		g.likelihood = append(g.likelihood, math.Exp(nearest-square(l))*(after-before)/2)
	}
	return g
}

// together estimates all costs jointly with the hierarchical model. Standard errors must be above 0.
func (p *hyperPrior) together(list []estimated) []posterior {
	candidates := p.candidates()
	grids, evidence := make([]grid, len(list)), make([][]float64, len(list))
	logs := make([]float64, len(candidates)) // logarithm of the probability of each candidate
	for c := range candidates {
		logs[c] = candidates[c].prior
	}
	for i := range list {
		x := &list[i]
		grids[i], evidence[i] = gridOf(x), make([]float64, len(candidates))
		again := slices.Contains(list[:i], *x) // instances of one block share a measurement
		for c := range candidates {
			h, sum := &candidates[c], 0.0
			center := h.logCenter(x)
			for j, l := range grids[i].logs {
				sum += grids[i].likelihood[j] * h.density(l, center)
			}
			evidence[i][c] = max(sum, math.SmallestNonzeroFloat64)
			if !again {
				logs[c] += math.Log(evidence[i][c])
			}
		}
	}
	highest := slices.Max(logs)
	out := make([]posterior, len(list))
	for i := range list {
		x, g := &list[i], grids[i]
		mass := make([]float64, len(g.logs))
		for c := range candidates {
			h, weight := &candidates[c], math.Exp(logs[c]-highest)/evidence[i][c]
			if weight == 0 {
				continue
			}
			center := h.logCenter(x)
			for j, l := range g.logs {
				mass[j] += weight * g.likelihood[j] * h.density(l, center)
			}
		}
		out[i] = g.posterior(mass)
	}
	return out
}

// posterior returns the median and the 95 % interval of a distribution on the points of a grid. mass contains the
// probability of each point, up to a common factor.
func (g *grid) posterior(mass []float64) posterior {
	for j := 1; j < len(mass); j++ {
		mass[j] += mass[j-1]
	}
	total := mass[len(mass)-1]
	quantile := func(q float64) float64 {
		j := min(sort.SearchFloat64s(mass, q*total), len(mass)-1)
		if j == 0 {
			return math.Exp(g.logs[0])
		}
		part := (q*total - mass[j-1]) / (mass[j] - mass[j-1])
		return math.Exp(g.logs[j-1] + part*(g.logs[j]-g.logs[j-1]))
	}
	return posterior{quantile(0.5), quantile(0.025), quantile(0.975)}
}

// movingPrior is the prior of the cost of sending or receiving an element through memory. The scales are the time of a
// message and the time of the element's bytes.
var movingPrior = hyperPrior{center: [2]float64{0.2, 0.3}, spreads: []float64{0.4, 0.8, 1.4}}

// coLocationPrior is the prior of the cost of co-location. The scale is the time of a firing alone.
var coLocationPrior = hyperPrior{center: [2]float64{0.03, 0}, spreads: []float64{0.8, 1.5, 2.2}}

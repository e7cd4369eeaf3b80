package mapper

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"xopt/flow"
)

// multiples rounds up lower bounds on the maximum load of mappings. If all loads on a resource or link are multiples of
// a unit, so are their sums. The maximum load of a mapping is then a multiple of one of these units. For example, no
// mapping has a maximum load of 83.5 ms if all service times are multiples of 4 ms.
type multiples []struct { // one for each resource and link that can have a load
	unit float64
	sum  float64 // sum of all loads, and hence an upper bound on the load of the resource or link
}

// multiplePrecision is the relative tolerance within which a load counts as a multiple of a unit. maxMultiple is the
// maximum number of units in a load.
const (
	multiplePrecision = 1e-10
	maxMultiple       = 1e5
)

// newMultiples returns the units of all resources and links. It returns nil if a resource or link has loads without a
// common unit, or if maximum loads are not sums of loads.
func newMultiples(s *space, scorer *flow.Scorer, works flow.LoadCoefficients) multiples {
	p := s.problem
	if !scorer.Additive() {
		return nil
	}
	var units multiples
	add := func(loads []float64) bool {
		unit := unitOf(loads)
		if unit > 0 {
			units = append(units, struct{ unit, sum float64 }{unit, floats.Sum(loads)})
		}
		return unit >= 0
	}
	var carrying []float64 // the same on each core
	for e := range p.Application.Edges {
		for l := range p.Architecture.Links {
			sends, receives := works.Carrying(e, []int{l}, 0, 0)
			carrying = append(carrying, sends, receives)
		}
	}
	for r := range p.Architecture.Resources {
		if p.Architecture.Resources[r].Sharing.Rule != flow.Conserving ||
			!add(append(coreLoads(s, works, r), carrying...)) {
			return nil
		}
	}
	for l := range p.Architecture.Links {
		if p.Architecture.Links[l].Sharing.Rule != flow.Conserving {
			return nil
		}
		var loads []float64
		for e := range p.Application.Edges {
			loads = append(loads, works.Link(e, l))
		}
		if !add(loads) {
			return nil
		}
	}
	return units
}

// coreLoads returns all loads that kernels and edges can add to a core, except the load of transferring data on links.
func coreLoads(s *space, works flow.LoadCoefficients, core int) []float64 {
	var loads []float64
	p := s.problem
	for u, kernels := range s.units {
		if !s.isIn[u][core] {
			continue
		}
		for _, k := range kernels {
			alone, shared := works.Kernel(k, core)
			loads = append(loads, alone, shared)
		}
	}
	for e := range p.Application.Edges {
		for _, k := range []int{p.Application.Edges[e].From, p.Application.Edges[e].To} {
			if s.isIn[s.unitOf[k]][core] {
				loads = append(loads, works.EdgeLoad(e, k, core))
			}
		}
	}
	return loads
}

// unitOf returns the largest unit of which all loads are multiples, by Euclid's algorithm. It returns 0 if all loads
// are 0, and -1 if there is no unit.
func unitOf(loads []float64) float64 {
	unit, maximum := 0.0, 0.0
	for _, load := range loads {
		if load < 0 || math.IsInf(load, 1) {
			return -1
		}
		maximum = math.Max(maximum, load)
		for rest := load; rest > maximum/maxMultiple/2; {
			unit, rest = rest, math.Abs(unit-math.Round(unit/rest)*rest)
		}
	}
	unit = maximum / math.Max(1, math.Round(maximum/unit)) // remove the rounding errors of the subtractions
	for _, load := range loads {
		if n := math.Round(load / unit); load > 0 && (n > maxMultiple ||
			math.Abs(load-n*unit) > multiplePrecision*math.Max(load, unit)) {
			return -1
		}
	}
	return unit
}

// above returns the lowest possible maximum load of a mapping that is at least low.
func (m multiples) above(low float64) float64 {
	minimum := math.Inf(1)
	for _, x := range m {
		if x.sum >= low*(1-multiplePrecision) {
			n := math.Ceil(low/x.unit*(1-2*multiplePrecision) - multiplePrecision)
			minimum = math.Min(minimum, n*x.unit)
		}
	}
	if math.IsInf(minimum, 1) {
		return low
	}
	return math.Max(low, minimum*(1-2*multiplePrecision))
}

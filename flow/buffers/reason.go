package buffers

import (
	"fmt"
	"strconv"

	"xopt/flow"
	"xopt/internal/units"
)

// These are the reasons for sizes, in one or two words.
const (
	byLeast     = "least"
	byMoving    = "in flight"
	byVariation = "variation"
	byTurns     = "turns"
	byBatches   = "batches"
)

// reason returns the reason for the size of an edge, which is its largest component, in one or two words and in one
// line.
func (s *Sizer) reason(e int, x *parts, minimum Minimum) (by, line string) {
	edge := &s.problem.Application.Edges[e]
	switch {
	case x.min >= x.elements():
		if minimum.Likely > minimum.Elements {
			return byLeast, "minimum size for all rounds except one in a million: " + minimum.Why
		}
		return byLeast, "minimum size: " + minimum.Why
	case x.moving >= x.vary && x.moving >= x.bridge:
		return byMoving, s.underWay(e)
	case x.vary >= x.bridge:
		return byVariation, fmt.Sprintf("keeps 99 %% for a service-time variance of %s; headroom %s %%",
			short(s.variance(e, x.pair)), short(100*(1-s.busy(e, x.pair))))
	case x.bridge == float64(edge.Round) && edge.Shared:
		return byTurns, "two batches for each of the copies"
	case x.bridge == float64(edge.Round):
		return byTurns, "two batches of a copy, to cover the turns of the other copies"
	case s.at.Resource(edge.From) == s.at.Resource(edge.To):
		return byTurns, fmt.Sprintf("%s us of scheduling rounds: %d kernels share the core", short(s.bridged(e, x)),
			s.members[s.at.Resource(edge.From)])
	}
	for _, r := range []int{s.at.Resource(edge.From), s.at.Resource(edge.To)} {
		if s.problem.Architecture.Resources[r].Sharing.Rule == flow.AreaOnly {
			return byBatches, fmt.Sprintf("covers %s us: exchanges with the simulated %s, and scheduling rounds on "+
				"cores", short(s.bridged(e, x)), s.problem.Architecture.Resources[r].Name)
		}
	}
	return byBatches, fmt.Sprintf("covers %s us: batches and scheduling rounds between cores", short(s.bridged(e, x)))
}

// bridged returns the time in microseconds in which the flow of an edge fills the buffer space that the runtime needs.
func (s *Sizer) bridged(e int, x *parts) float64 {
	return 1e6 * x.bridge / (s.at.EdgeRate(e) / s.problem.Application.Edges[e].ElementBytes)
}

// underWay describes the elements that an edge contains while both ends and the links are busy.
func (s *Sizer) underWay(e int) string {
	app := &s.problem.Application
	edge, grain := &app.Edges[e], s.flows.Grain(e)
	line := fmt.Sprintf("%s sends %s while %s consumes %s", app.Kernels[edge.From].Name, elementsOf(grain.Brings),
		app.Kernels[edge.To].Name, elementsOf(grain.Consumes))
	for _, l := range s.at.Route(e) {
		link := &s.problem.Architecture.Links[l]
		if bulk := link.BulkElements(edge.ElementBytes); bulk > 1 {
			line += fmt.Sprintf("; two transfers of %s, of %s each", link.Name, elementsOf(bulk))
		} else {
			line += "; two elements on " + link.Name
		}
	}
	return line
}

// elementsOf formats a number of elements with three significant digits.
func elementsOf(n float64) string {
	if n == 1 {
		return "1 element"
	}
	return short(n) + " elements"
}

// short formats a number with three significant digits, but keeps all digits before the decimal point.
func short(x float64) string {
	if x == float64(int64(x)) {
		return strconv.FormatInt(int64(x), 10)
	}
	return units.Digits(x, 3)
}

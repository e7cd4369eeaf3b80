package buffers

import (
	"context"
	"math"

	"xopt/flow"
)

// Level is the degree of confidence in a size.
type Level uint8

// These are the levels, weakest first.
const (
	Heuristic Level = iota // computed from means and variances only
	Simulated              // preserves the throughput in an event simulation
	Proven                 // exact: element counts and times are static
)

// String returns "heuristic", "simulated" or "proven".
func (l Level) String() string {
	switch l {
	case Heuristic:
		return "heuristic"
	case Simulated:
		return "simulated"
	case Proven:
		return "proven"
	}
	return "unknown"
}

// Size is the recommended size of an edge.
type Size struct {
	Elements float64
	By       string // decisive reason in one or two words
	Level    Level
	Reason   string // reason in one line
	Minimum  Minimum

	pair *Size // size that suffices for the edge's two kernels alone; nil if this size is not smaller
}

// Recommend uses closed forms to return the recommended size of every edge of a mapping at its throughput.
func Recommend(ctx context.Context, p *flow.Problem, flows *flow.Flows, o Operation) ([]Size, error) {
	sizes, err := recommend(ctx, p, flows, o)
	if err == nil {
		doubt(p, sizes)
	}
	return sizes, err
}

// doubt lowers the level of sizes with unknown element counts to Heuristic.
func doubt(p *flow.Problem, sizes []Size) {
	for e, why := range unknownMeetings(p) {
		if why == "" && e < len(sizes) {
			why = sizes[e].Minimum.Unknown
		}
		if why != "" && e < len(sizes) && sizes[e].Level != Proven {
			sizes[e].Level = Heuristic
			sizes[e].Reason += "; " + why
		}
	}
}

func recommend(ctx context.Context, p *flow.Problem, flows *flow.Flows, o Operation) ([]Size, error) {
	m := &flow.Mapping{Place: make([]int, len(p.Application.Kernels)), Route: make([][]int, len(p.Application.Edges))}
	for k := range m.Place {
		m.Place[k] = o.Resource(k)
	}
	for e := range m.Route {
		m.Route[e] = o.Route(e)
	}
	s, err := newSizer(ctx, p, flows)
	if err != nil {
		return nil, err
	}
	s.SetOperation(o)
	leasts, err := minSizes(ctx, p, flows, m)
	if err != nil {
		return nil, err
	}
	sizes := make([]Size, len(p.Application.Edges))
	for e, minimum := range leasts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sizes[e] = s.sized(e, minimum, false)
		if pair := s.sized(e, minimum, true); pair.Elements < sizes[e].Elements {
			sizes[e].pair = &pair
		}
	}
	return sizes, nil
}

// sized computes the size of an edge by closed forms, with its reason.
func (s *Sizer) sized(e int, minimum Minimum, pair bool) Size {
	x := s.parts(e, pair)
	x.min = math.Max(x.min, math.Max(minimum.Elements, minimum.Likely))
	size := Size{Elements: x.elements(), Minimum: minimum}
	size.By, size.Reason = s.reason(e, &x, minimum)
	return size
}

package buffers

import (
	"errors"
	"math"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/internal/fault"
	"xopt/queueing/sdf"
)

// MaxFirings limits the firings in one iteration of an application. For more firings, xopt neither simulates sizes nor
// analyzes them exactly. A simulation needs several iterations, and sizing runs many simulations.
const MaxFirings = 100_000

// maxAtOnce limits the elements of a firing or transfer in a simulation. A buffer for more elements is practically
// unlimited.
const maxAtOnce = 1 << 29

// iterations is the minimum number of iterations in a simulation.
const iterations = 4

// Unsimulated is the error for a mapped application that cannot be simulated. Why is the reason.
type Unsimulated struct{ Why error }

func (e *Unsimulated) Error() string { return e.Why.Error() }

func (e *Unsimulated) Unwrap() error { return e.Why }

// firings returns the number of firings of all kernels in one iteration of the static part of an application. The
// result is at most [math.MaxInt64]. It is 0 if there is no iteration.
func firings(app *flow.Application, flows *flow.Flows) int64 {
	g := Counts(app, flows)
	if g == nil {
		return 0
	}
	q, err := g.Repetition()
	if errors.Is(err, sdf.ErrTooLarge) {
		return math.MaxInt64
	}
	sum := int64(0)
	for _, n := range q { // each number is below 2^40
		sum += n
	}
	return sum
}

// simulable returns an *[Unsimulated] error if a firing or transfer moves too many elements, or an iteration
// has too many firings.
func (m *Model) simulable() error {
	p := m.flow.Problem
	app := &p.Application
	refuse := func(id fault.ID, format string, args ...any) error { return &Unsimulated{id.Errorf(format, args...)} }
	m.Firings = firings(app, m.flow.Flows)
	switch {
	case m.Firings == math.MaxInt64:
		return refuse(fault.TooManyFirings, "one iteration has too many firings to count (xopt simulates at most "+
			"%d firings)", MaxFirings)
	case m.Firings > MaxFirings:
		return refuse(fault.TooManyFirings, "one iteration has %d firings, but xopt simulates at most %d firings",
			m.Firings, MaxFirings)
	}
	for e := range app.Edges {
		edge := &app.Edges[e]
		if !m.flows(e) {
			continue
		}
		if n := m.perFiring(e); n > maxAtOnce {
			return refuse(faults.TooManyElements, "a firing of %s sends %.0f elements on %s, but a simulation "+
				"supports at most %d elements", app.Kernels[edge.From].Name, n, edge.FromPort, maxAtOnce)
		}
		for _, l := range m.flow.Mapping.Route[e] {
			link := &p.Architecture.Links[l]
			if n := link.BulkElements(edge.ElementBytes); n > maxAtOnce {
				return refuse(faults.TooManyElements, "%s moves %.0f elements of %s at once, but a simulation "+
					"supports at most %d elements", link.DeclaredName(), n, edge.Name, maxAtOnce)
			}
		}
	}
	for k := range app.Kernels {
		for _, j := range app.Kernels[k].Joins {
			if n := m.combinations(j); n > maxCombinations && m.copiesBefore(j) == 1 && !m.hasIntegerShares(j) {
				return refuse(faults.TooManyElements, "a join of %s can consume from %.0f combinations of edges, but "+
					"a simulation supports at most %d combinations", app.Kernels[k].Name, n, maxCombinations)
			}
		}
		for _, g := range m.groups(k) {
			for i, e := range g.edges {
				if g.consumes[i] > maxAtOnce {
					return refuse(faults.TooManyElements, "a firing of %s consumes %.0f elements of %s, but a "+
						"simulation supports at most %d elements", app.Kernels[k].Name, g.consumes[i],
						app.Edges[e].ToPort, maxAtOnce)
				}
			}
		}
	}
	return nil
}

// Events returns the number of events of a simulation: the requested number, or more if a few complete iterations need
// more.
func (m *Model) Events(events int64) int64 { return max(events, iterations*m.Firings) }

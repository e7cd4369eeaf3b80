package buffers

import (
	"errors"
	"math"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/internal/fault"
	"xopt/queueing/sdf"
)

// MostFirings is how many firings one iteration of an application may have that is simulated, or whose
// recommended sizes are held against an exact analysis: a simulation needs a few iterations before it
// says anything, and many simulations are made.
const MostFirings = 100_000

// mostAtOnce bounds the elements that a firing moves in a simulation, and those of one transfer: of buffers
// that are so large none has an end any more.
const mostAtOnce = 1 << 29

// iterations is how many of them a simulation goes through at the least.
const iterations = 4

// Unsimulated says why a mapped application cannot be simulated.
type Unsimulated struct{ Why error }

// Error says why.
func (e *Unsimulated) Error() string { return e.Why.Error() }

// Unwrap returns the reason.
func (e *Unsimulated) Unwrap() error { return e.Why }

// firings are those of one iteration of the static part of an application, all kernels together; 0
// where it has none. More than can be counted are [math.MaxInt64].
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
	for _, n := range q { // each below 2^40
		sum += n
	}
	return sum
}

// simulable is an error, an *[Unsimulated], where what a firing or a transfer moves, or what an iteration
// fires, is more than a simulation deals with.
func (m *Model) simulable() error {
	p := m.flow.Problem
	app := &p.Application
	refuse := func(id fault.ID, format string, args ...any) error { return &Unsimulated{id.Errorf(format, args...)} }
	m.Firings = firings(app, m.flow.Flows)
	switch {
	case m.Firings == math.MaxInt64:
		return refuse(fault.TooManyFirings, "one iteration has too many firings to count; at most %d are simulated",
			MostFirings)
	case m.Firings > MostFirings:
		return refuse(fault.TooManyFirings, "one iteration has %d firings, more than the %d that are simulated",
			m.Firings, MostFirings)
	}
	for e := range app.Edges {
		edge := &app.Edges[e]
		if !m.flows(e) {
			continue
		}
		if n := m.perFiring(e); n > mostAtOnce {
			return refuse(faults.TooManyElements, "a firing of %s sends %.0f elements on %s, more than the %d that a "+
				"simulation supports", app.Kernels[edge.From].Name, n, edge.FromPort, mostAtOnce)
		}
		for _, l := range m.flow.Mapping.Route[e] {
			link := &p.Architecture.Links[l]
			if n := link.BulkElements(edge.ElementBytes); n > mostAtOnce {
				return refuse(faults.TooManyElements, "%s moves %.0f elements of %s at once, more than the %d that a "+
					"simulation supports", link.DeclaredName(), n, edge.Name, mostAtOnce)
			}
		}
	}
	for k := range app.Kernels {
		for _, j := range app.Kernels[k].Joins {
			if n := m.combinations(j); n > mostCombinations && m.copiesBefore(j) == 1 && !m.wholeShares(j) {
				return refuse(faults.TooManyElements, "a join of %s can take from %.0f combinations of edges, more "+
					"than the %d that a simulation supports", app.Kernels[k].Name, n, mostCombinations)
			}
		}
		for _, g := range m.groups(k) {
			for i, e := range g.edges {
				if g.takes[i] > mostAtOnce {
					return refuse(faults.TooManyElements, "a firing of %s takes %.0f elements of %s, more than the %d "+
						"that a simulation supports", app.Kernels[k].Name, g.takes[i], app.Edges[e].ToPort, mostAtOnce)
				}
			}
		}
	}
	return nil
}

// Events are those of a simulation that is to have so many, or what a few iterations have.
func (m *Model) Events(events int64) int64 { return max(events, iterations*m.Firings) }

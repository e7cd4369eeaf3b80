package buffers

import (
	"context"
	"fmt"
	"math"

	"xopt/flow"
	"xopt/internal/units"
)

// Minimum is the minimum size of an edge. With a smaller size, data does not flow, or stops after some time.
type Minimum struct {
	Elements float64 // at least 1
	Why      string  // reason in one line, such as "one firing of top.j consumes 100 elements of b"
	// Sure is the part of Elements that does not depend on data. It covers two transfers, the elements that a join
	// consumes, the elements that a firing always sends, and the initial elements. A size below Sure is an error. A
	// size between Sure and Elements causes a warning. SureWhy is the reason for Sure.
	Sure    float64
	SureWhy string
	// Likely is a larger size for counts that depend on random data: if firings are independent, at most one round in a
	// million needs more than Likely elements. Likely is 0 for other counts.
	Likely float64
	// Shared reports whether a larger buffer on another edge may suffice instead, because only the combination of small
	// sizes deadlocks ([StaticGraph.Stuck]).
	Shared bool
	// Alone is the number of elements that the edge needs even if all other edges are large. AloneWhy is the reason for
	// Alone.
	Alone    float64
	AloneWhy string
	// Unknown is the reason why a run may need more than Elements; "" if Elements is sufficient.
	Unknown string
	// Slows reports whether data also flows with fewer elements, but in incomplete transfers that wait for the flush
	// time of a link.
	Slows bool
}

// TooSmall returns an error text if the size of an edge is certainly too small; "" otherwise.
func (x *Minimum) TooSmall(edge string, given int) string {
	if float64(given) >= x.Sure {
		return ""
	}
	return fmt.Sprintf("buffer of %s has space for %s, but the minimum is %s: %s", edge, units.Elements(given),
		units.Elements(x.Sure), x.SureWhy)
}

// MayStop returns a warning if data may stop with the given size of an edge; "" otherwise.
func (x *Minimum) MayStop(edge string, given int) string {
	if float64(given) >= x.Elements || x.Shared {
		return ""
	}
	if x.Slows {
		return fmt.Sprintf("buffer of %s has space for %s, but data waits for the flush time with fewer than %s: %s",
			edge, units.Elements(given), units.Elements(x.Elements), x.Why)
	}
	return fmt.Sprintf("buffer of %s has space for %s, but the application may deadlock with fewer than %s: %s",
		edge, units.Elements(given), units.Elements(x.Elements), x.Why)
}

// itsInitial returns the reason for a size that is due to the initial elements.
func itsInitial(n int) string {
	return "its " + units.Counted(n, "initial element", "initial elements")
}

// raise raises the size to at least k, and records the reason.
func (x *Minimum) raise(k float64, sure bool, why func() string) {
	if k > x.Alone {
		x.Alone, x.AloneWhy = k, why()
	}
	if sure && k > x.Sure {
		x.Sure, x.SureWhy = k, why()
	}
	if k > x.Elements {
		x.Elements, x.Why, x.Shared, x.Slows = k, why(), false, false
	}
}

// MinSizes returns the minimum sizes of all edges for a mapping or, if m is nil, for the application alone. If flows
// is nil because gains and routing are unknown, it returns only the parts that are certain.
func MinSizes(p *flow.Problem, flows *flow.Flows, m *flow.Mapping) []Minimum {
	all, _ := minSizes(context.Background(), p, flows, m) // never canceled
	return all
}

// minSizes is like [MinSizes], with a context.
func minSizes(ctx context.Context, p *flow.Problem, flows *flow.Flows, m *flow.Mapping) ([]Minimum, error) {
	app := &p.Application
	all := make([]Minimum, len(app.Edges))
	consumes := joined(app)
	for e := range all {
		all[e] = Minimum{Elements: 1, Why: "an element", Sure: 1, SureWhy: "an element", Alone: 1,
			AloneWhy: "an element"}
		all[e].firing(app, e, consumes[e], float64(app.Edges[e].Emits), true)
	}
	if flows != nil {
		for e := range all {
			if app.Edges[e].Emits == 0 {
				all[e].firing(app, e, consumes[e], flows.Grain(e).Brings, false)
			}
		}
	}
	static, _ := MinStatic(app, flows) // all are 0 if no iteration can be simulated
	for e, x := range static {
		if x.Alone > 0 {
			all[e].raise(x.Alone, true, func() string { return x.AloneWhy })
		}
		if x.Shared && x.Elements > all[e].Elements {
			all[e].Elements, all[e].Why, all[e].Shared = x.Elements, x.Why, true
		}
	}
	if flows != nil {
		if err := newDelays(p, flows, m, consumes, static).raise(ctx, all); err != nil {
			return nil, err
		}
	}
	if m == nil {
		return all, nil
	}
	for e := range all {
		for _, l := range m.Route[e] {
			link := &p.Architecture.Links[l]
			if bulk := link.BulkElements(app.Edges[e].ElementBytes); bulk > 1 {
				before := all[e].Elements
				all[e].raise(2*bulk, link.Flush == 0, func() string {
					return fmt.Sprintf("two transfers of %s with %g elements each: one transfer fills while the other "+
						"transfer moves", link.DeclaredName(), bulk)
				})
				all[e].Slows = all[e].Slows || link.Flush > 0 && 2*bulk > before
			}
		}
	}
	return all, nil
}

// joined returns, by edge, the number of elements that a firing of its reader consumes together. This number is the
// count in the join statement if no other edge leads to the same port, else 1.
func joined(app *flow.Application) []float64 {
	consumes := make([]float64, len(app.Edges))
	for e := range consumes {
		consumes[e] = 1
	}
	for k := range app.Kernels {
		for _, j := range app.Kernels[k].Joins {
			for _, p := range j.Ports {
				if len(p.Edges) == 1 {
					n := p.Bytes / app.Edges[p.Edges[0]].ElementBytes
					if complete := math.Round(n); math.Abs(n-complete) <= countRounding*complete {
						n = complete
					}
					consumes[p.Edges[0]] = math.Max(1, math.Ceil(n))
				}
			}
		}
	}
	return consumes
}

// firing raises the size to the minimum for the firings at both ends. The writer sends p elements at once, and needs
// space for all p elements before it starts. The reader consumes c elements at once. With d initial elements, the two
// kernels deadlock if the size is below
//
//	p + c - gcd(p, c) + d mod gcd(p, c)
//
// The buffer also needs space for the d initial elements (Lee and Messerschmitt 1987).
func (x *Minimum) firing(app *flow.Application, e int, consumes, sends float64, sure bool) {
	edge := &app.Edges[e]
	initial := float64(edge.Initial)
	sends = math.Max(1, sends)
	g := divisor(consumes, sends)
	x.raise(consumes+sends-g+math.Mod(initial, g), sure, func() string {
		from, to := app.Kernels[edge.From].Name, app.Kernels[edge.To].Name
		switch {
		case sends == 1:
			return fmt.Sprintf("one firing of %s consumes %g elements of %s", to, consumes, edge.ToPort)
		case consumes == 1:
			return fmt.Sprintf("one firing of %s sends %g elements on %s", from, sends, edge.FromPort)
		}
		return fmt.Sprintf("one firing of %s sends %g elements and one firing of %s consumes %g elements", from, sends,
			to, consumes)
	})
	x.raise(initial, sure, func() string { return itsInitial(edge.Initial) })
}

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/predict"
	"xopt/internal/result"
	"xopt/internal/units"
	"xopt/internal/view"
	"xopt/mapper"
)

// sweptMapping is the best mapping at a point, in words and by the names of what is placed.
type sweptMapping struct {
	where  string
	places result.SweptMapping
}

// searchPoint searches one design; nil where there is no mapping. Of mappings that tie it takes the one
// of the point before, or the first that was the best anywhere: only what is better is another.
func (a *app) searchPoint(ctx context.Context, d *design.Design, sweep *sweeping, i int,
	p *result.SweptPoint) (*sweptMapping, error) {
	goal := sweep.goal
	found, err := a.findPoint(ctx, d, goal, i)
	if err != nil {
		return nil, err
	}
	if found == nil {
		p.Proof, p.Bottleneck = noMapping()
		return nil, nil
	}
	found.best = *sweep.keepTied(d, i, &found.best)
	told, err := tell(ctx, d, found.best.Mapping)
	if err != nil {
		return nil, err
	}
	told.fill(p, goal, found)
	return &sweptMapping{placed(d, found.best.Mapping), placesOf(d, found.best.Mapping)}, nil
}

// noMapping is what is said of a point where no mapping is feasible: of its proof, and of what limits it.
func noMapping() (proof, bottleneck string) { return "-", "no mapping is feasible" }

// toldPoint is what is told of a mapping at a point.
type toldPoint struct {
	Throughput result.Number `json:"throughput"`
	Bottleneck string        `json:"bottleneck"`
	Stale      int           `json:"stale,omitempty"` // figures
}

// tell works out what is told of a mapping.
func tell(ctx context.Context, d *design.Design, m *flow.Mapping) (*toldPoint, error) {
	n, err := flow.NewNetwork(d.Problem, m)
	if err != nil {
		return nil, err
	}
	s, err := flow.Fast{}.Solve(context.WithoutCancel(ctx), n) // of what was found until an interrupt
	if err != nil {
		return nil, err
	}
	x := &toldPoint{Throughput: result.Number(s.Throughput), Bottleneck: strings.Join(s.Limiting(n), ", ")}
	for _, c := range d.Citations(m) {
		if c.Stale != "" {
			x.Stale += c.Figures
		}
	}
	return x, nil
}

// fill fills in a point, whose best mapping was found so.
func (x *toldPoint) fill(p *result.SweptPoint, goal mapper.Goal, found *foundPoint) {
	p.Throughput, p.Bottleneck, p.Stale = x.Throughput, x.Bottleneck, x.Stale
	if o := goal.First(); o != mapper.Throughput {
		c := result.Candidate{Throughput: x.Throughput, Measures: predict.MeasuresOf(&found.best.Measures)}
		p.Objective = view.ObjectiveOf(&c, o.String())
	}
	switch {
	case found.optimal:
		p.Proof = "optimal"
	case found.bound > 0:
		p.Proof = "within " + units.Percent(found.bound/found.best.Throughput-1)
	default:
		p.Proof = "not proven"
	}
}

// foundPoint is what a search has found at a point.
type foundPoint struct {
	best    mapper.Candidate
	optimal bool
	bound   float64 // B/s; 0 for none
}

// findPoint searches one design, or takes what a campaign has found; nil where there is no mapping.
func (a *app) findPoint(ctx context.Context, d *design.Design, goal mapper.Goal, i int) (*foundPoint, error) {
	if x, err := a.answer(i); err != nil {
		return nil, err
	} else if x != nil {
		return answeredPoint(d, x)
	}
	found, err := mapper.Search(ctx, d.Problem, d.Constraints, mapper.Options{Seed: a.settings.Seed,
		Threads: max(1, a.settings.Threads), MaxEvals: a.settings.Evals, Top: 1, Goal: goal})
	var none *mapper.NoMappingError
	switch {
	case errors.As(err, &none):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("searching mappings: %w", err)
	}
	return &foundPoint{best: found.Candidates[0], optimal: found.Optimal(), bound: found.Bound}, nil
}

// keepTied is the mapping of the point before, or the first of the mappings that were the best at
// other points, where it ties with the best at this point; else the best.
func (s *sweeping) keepTied(d *design.Design, i int, best *mapper.Candidate) *mapper.Candidate {
	for _, at := range s.preferred(i) {
		if at >= len(s.done.Places) {
			continue // kept by an earlier version
		}
		m := mappingOf(d, &s.done.Places[at])
		if m == nil {
			continue
		}
		if tied, ok := mapper.Tie(d.Problem, d.Constraints, s.goal, m, best); ok {
			return tied
		}
	}
	return best
}

// preferred are the mappings that are preferred to others that tie with them at a point, the first most: numbers in
// Places.
func (s *sweeping) preferred(i int) []int {
	var order []int
	if last := s.list[len(s.list)-1]; i%len(last.values) > 0 && s.done.Points[i-1].Mapping >= 0 {
		order = append(order, s.done.Points[i-1].Mapping)
	}
	for m := range s.done.Places {
		order = append(order, m)
	}
	return order
}

// placesOf names what a mapping places, and the links of its routes.
func placesOf(d *design.Design, m *flow.Mapping) result.SweptMapping {
	var x result.SweptMapping
	for k, at := range m.Place {
		x.Place = append(x.Place, result.Placement{Kernel: d.Program.Kernels[k].Name,
			Resource: d.Program.Resources[at].Name})
	}
	for e, route := range m.Route {
		if len(route) == 0 {
			continue
		}
		r := result.Route{Edge: d.Program.Edges[e].Name}
		for _, l := range route {
			r.Links = append(r.Links, d.Problem.Architecture.Links[l].Name)
		}
		x.Routes = append(x.Routes, r)
	}
	return x
}

// mappingOf finds what is named; nil where it is not there.
func mappingOf(d *design.Design, x *result.SweptMapping) *flow.Mapping {
	m := &flow.Mapping{Place: make([]int, len(d.Program.Kernels)), Route: make([][]int, len(d.Program.Edges))}
	resources, links := make(map[string]int), make(map[string]int)
	for r := range d.Program.Resources {
		resources[d.Program.Resources[r].Name] = r
	}
	for l := range d.Problem.Architecture.Links {
		links[d.Problem.Architecture.Links[l].Name] = l
	}
	places := make(map[string]string)
	for _, p := range x.Place {
		places[p.Kernel] = p.Resource
	}
	routes := make(map[string][]string)
	for _, r := range x.Routes {
		routes[r.Edge] = r.Links
	}
	if len(places) != len(m.Place) {
		return nil
	}
	for k := range m.Place {
		at, ok := resources[places[d.Program.Kernels[k].Name]]
		if !ok {
			return nil
		}
		m.Place[k] = at
	}
	for e := range m.Route {
		for _, name := range routes[d.Program.Edges[e].Name] {
			l, ok := links[name]
			if !ok {
				return nil
			}
			m.Route[e] = append(m.Route[e], l)
		}
	}
	return m
}

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"xopt/cmd/internal/report"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/predict"
	"xopt/mapper/result"
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
	found, err := a.findPoint(ctx, d, sweep, i)
	if err != nil {
		return nil, err
	}
	if found == nil {
		p.Proof, p.Bottleneck = noMapping()
		return nil, nil
	}
	if found.answer != nil { // of a campaign, with copies: its program is not made again
		found.answer.Told.fill(p, goal, found)
		return &sweptMapping{found.answer.Where, *found.answer.Mapping}, nil
	}
	d = found.design
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
		p.Objective = report.ObjectiveOf(&c, o.String())
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

// foundPoint is the result of the search at a point.
type foundPoint struct {
	best    mapper.Candidate
	design  *design.Design // of the mapping: with copies of kernels, a program of its own
	answer  *sweptAnswer   // of a campaign, where kernels run in copies; else nil
	optimal bool
	bound   float64 // B/s; 0 for none
}

// findPoint searches one design, or takes what a campaign has found; nil where there is no mapping.
func (a *app) findPoint(ctx context.Context, d *design.Design, sweep *sweeping, i int) (*foundPoint, error) {
	if x, err := a.answer(i); err != nil {
		return nil, err
	} else if x != nil {
		return answeredPoint(d, x)
	}
	s := &searching{files: sweep.files, design: d, goal: sweep.goal}
	var err error
	s.found, err = mapper.Search(ctx, d.Problem, d.Constraints, mapper.Options{Seed: a.settings.Seed,
		Threads: max(1, a.settings.Threads), MaxEvals: a.settings.Evals, Top: 1, Goal: s.goal})
	var none *mapper.NoMappingError
	switch {
	case errors.As(err, &none):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("searching mappings: %w", err)
	}
	if err := a.searchCopies(ctx, s); err != nil {
		return nil, err
	}
	return &foundPoint{best: s.found.Candidates[0], design: s.design, optimal: s.found.Optimal(),
		bound: s.found.Bound}, nil
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
	x := result.SweptMapping{Turns: turnsOf(d)}
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

// turnsOf is the number of batches that each copy of a kernel takes in a round; nil without copies.
func turnsOf(d *design.Design) map[string]int {
	var turns map[string]int
	for k := range d.Program.Kernels {
		if x := &d.Program.Kernels[k]; x.Replica != nil {
			if turns == nil {
				turns = make(map[string]int)
			}
			turns[x.Name] = x.Replica.Own()
		}
	}
	return turns
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
	if len(places) != len(m.Place) || !maps.Equal(x.Turns, turnsOf(d)) {
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

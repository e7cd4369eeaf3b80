package sweep

import (
	"context"
	"maps"
	"strings"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper/result"
)

// inWords returns the text of a mapping: the kernels on each resource.
func inWords(d *design.Design, m *flow.Mapping) string {
	var parts []string
	for r := range d.Program.Resources {
		var names []string
		for k, at := range m.Place {
			if at == r {
				names = append(names, d.Program.Kernels[k].Name)
			}
		}
		if len(names) > 0 {
			parts = append(parts, d.Program.Resources[r].Name+": "+strings.Join(design.Ranges(names), " "))
		}
	}
	return strings.Join(parts, "; ")
}

// placesOf returns the placement and routes of a mapping, by name.
func placesOf(d *design.Design, m *flow.Mapping) result.SweptMapping {
	x := result.SweptMapping{Turns: turnsOf(d)}
	for k := range d.Program.Kernels {
		if r := d.Program.Kernels[k].Replica; r != nil {
			if x.Units == nil {
				x.Units = make(map[string]int)
			}
			x.Units[r.Of] = r.Unit
		}
	}
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

// turnsOf returns the number of batches that each copy processes in one round; nil without copies.
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

// indexed returns the indices of a design's resources by name, and the names of a mapping's resources by kernel.
func indexed(d *design.Design, x *result.SweptMapping) (resources map[string]int, places map[string]string) {
	resources, places = make(map[string]int), make(map[string]string)
	for r := range d.Program.Resources {
		resources[d.Program.Resources[r].Name] = r
	}
	for _, p := range x.Place {
		places[p.Kernel] = p.Resource
	}
	return resources, places
}

// mappingOf converts a stored mapping with names to a mapping of a design; nil if the design lacks one of the names.
func mappingOf(d *design.Design, x *result.SweptMapping) *flow.Mapping {
	m := &flow.Mapping{Place: make([]int, len(d.Program.Kernels)), Route: make([][]int, len(d.Program.Edges))}
	resources, places := indexed(d, x)
	links := make(map[string]int)
	for l := range d.Problem.Architecture.Links {
		links[d.Problem.Architecture.Links[l].Name] = l
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

// recreate returns the design of a mapping with copies, given the design of a point without copies. It returns nil if
// the point lacks a kernel or resource, or does not permit the copies.
func (s *Sweep) recreate(ctx context.Context, plain *design.Design, x *result.SweptMapping) *design.Design {
	resources, places := indexed(plain, x)
	q := *plain.Program
	q.Maps = nil
	for k := range q.Kernels {
		of := q.Kernels[k].Name
		m := xlang.Map{Kernel: k, Edge: -1, Unit: x.Units[of]}
		names := []string{of}
		for i := 0; x.Turns[xlang.CopyName(of, i)] > 0; i++ {
			names = append(names[:i], xlang.CopyName(of, i))
			m.Copies = append(m.Copies, xlang.Copy{Turns: x.Turns[names[i]]})
		}
		for i, name := range names {
			at, ok := resources[places[name]]
			if !ok {
				return nil
			}
			if i == 0 {
				m.Resource = at
			}
			if m.Copies != nil {
				m.Copies[i].Resource = at
			}
		}
		q.Maps = append(q.Maps, m)
	}
	if _, err := q.Replicate(); err != nil {
		return nil
	}
	d, err := s.Policy.Lower(ctx, &q)
	if err != nil {
		return nil
	}
	return d
}

package xlang

import (
	"fmt"
	"slices"

	"xopt/flow/faults"
	"xopt/internal/units"
)

// statements resolves routes, maps, buffers and constraints.
func (e *elaborator) statements() {
	mapped := make(map[string]*mappedThings) // by file if each file has its own mapping, else by ""
	for _, u := range e.units {
		if e.stopped() {
			return
		}
		e.checkNamed(u.stmt)
		switch s := u.stmt.(type) {
		case *routeStmt:
			e.routeStatement(s)
		case *mapStmt:
			if s.Kind == "map" {
				file := ""
				if e.opt.Mappings {
					file = s.Pos.Filename
				}
				if mapped[file] == nil {
					mapped[file] = &mappedThings{make(map[int]Map), make(map[int]Map)}
				}
				e.mapStatement(s, mapped[file].kernels, mapped[file].edges)
			} else {
				e.constraint(s)
			}
		case *bufferStmt:
			e.bufferStatement(s)
		case *groupStmt:
			g := Group{Kernels: e.kernelRefs(s.What.Refs), Pos: position(s.Pos)}
			if s.Kind == "together" {
				e.program.Together = append(e.program.Together, g)
			} else {
				e.program.Separate = append(e.program.Separate, g)
			}
		}
	}
}

// checkNamed reports a statement that names neither kernels nor edges.
func (e *elaborator) checkNamed(stmt any) {
	switch s := stmt.(type) {
	case *mapStmt:
		if len(s.What.Refs) == 0 {
			e.failf(faults.NamesNothing, position(s.Pos), form(s.Kind), "%s lists no kernel and no edge", s.Kind)
		}
	case *groupStmt:
		if len(s.What.Refs) == 0 {
			e.failf(faults.NamesNothing, position(s.Pos), form(s.Kind), "%s lists no kernel", s.Kind)
		}
	case *bufferStmt:
		if s.What != nil && len(s.What.Refs) == 0 {
			e.failf(faults.NamesNothing, position(s.Pos), form("buffer"), "buffer lists no edge")
		}
	}
}

// kernelRefs resolves references to kernels. Hierarchical blocks and arrays refer to all of their leaf kernels.
func (e *elaborator) kernelRefs(refs []thing) []int {
	return e.resolve(refs, e.kernels, e.edges, "%s is an edge, not a kernel")
}

// edgeRefs resolves references to edges.
func (e *elaborator) edgeRefs(refs []thing) []int {
	return e.resolve(refs, e.edges, e.kernels, "%s is a kernel, not an edge")
}

// resolve resolves references to either kernels or edges. It reports references to the other kind.
func (e *elaborator) resolve(refs []thing, of, other *pathIndex, mistaken string) []int {
	var out []int
	for i := range refs {
		if e.stopped() {
			break
		}
		r, wrong := &refs[i].From, false
		var found []int
		var err *mistake
		switch {
		case refs[i].To != nil && of == e.edges:
			found, err = e.between(&refs[i])
		case refs[i].To != nil:
			wrong = true
		default:
			if found, err = of.find(e, r); err == nil && found == nil {
				at, _ := other.find(e, r)
				wrong = at != nil
			}
		}
		switch {
		case err != nil:
			e.fail(err)
		case wrong:
			e.failf(faults.MapOfWrongKind, position(r.Pos), "map kernels to a resource, and edges to links", mistaken,
				quote(refs[i].String()))
		case found == nil && refs[i].To == nil:
			e.unknownName(r, of)
		}
		out = append(out, found...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// unknownName reports a reference to a kernel or edge that does not exist.
func (e *elaborator) unknownName(r *ref, of *pathIndex) {
	if e.isUnread(r) || e.program.Top == "" {
		return
	}
	name := r.String()
	hint := didYouMean(name, of.roots)
	if r.Segments[0].Name != e.program.Top {
		if full := e.program.Top + "." + name; slices.Contains(of.roots, full) {
			hint = "did you mean " + full + "?"
		}
	}
	what := "unknown kernel "
	if of == e.edges {
		what = "unknown edge "
	}
	e.diags.add(faults.UnknownResource, position(r.Pos), what+quote(name), hint)
}

// mappedThings contains the kernels and edges that are already mapped.
type mappedThings struct{ kernels, edges map[int]Map }

// mapStatement maps kernels to one resource, or edges to links.
func (e *elaborator) mapStatement(s *mapStmt, mappedKernel, mappedEdge map[int]Map) {
	pos := position(s.Pos)
	var links []int
	var resources []int
	if s.Turns != nil || len(s.Copies) > 0 || len(s.To) == 1 && isRange(&s.To[0]) {
		e.mapCopies(s, mappedKernel)
		return
	}
	for i := range s.To {
		r := &s.To[i]
		if l, ok := e.linkIndex[r.String()]; ok {
			links = append(links, l)
			continue
		}
		found, ok := e.findResources(r)
		if !ok && !e.isUnread(r) {
			declared := append(keys(e.resourceArray), keys(e.linkIndex)...)
			hint := didYouMean(r.Segments[0].Name, declared)
			if len(declared) == 0 {
				hint = "the files declare no resource: add the file with the architecture, such as arch.x"
			}
			e.diags.add(faults.UnknownResource, position(r.Pos), "unknown resource or link "+quote(r.String()), hint)
			return
		}
		if found == nil {
			return
		}
		resources = append(resources, found...)
	}
	switch {
	case len(links) == 0 && len(resources) == 0:
		e.needsResource(s, s.To)
	case len(links) > 0 && len(resources) > 0:
		e.failf(faults.MapOfWrongKind, pos, "map kernels to a resource, and edges to links", "map names both a "+
			"resource and a link")
	case len(resources) > 1:
		e.failf(faults.MapToSeveral, pos, "name one resource, such as "+e.program.Resources[resources[0]].Name+"; or "+
			"write & between the resources for a copy on each", "map names %d resources", len(resources))
	case len(links) > 0:
		e.mapEdges(s, links, mappedEdge)
	default:
		for _, k := range e.kernelRefs(s.What.Refs) {
			m := Map{Kernel: k, Edge: -1, Resource: resources[0], Pos: pos}
			if old, ok := mappedKernel[k]; ok {
				if old.Resource != m.Resource || old.Copies != nil {
					was := e.program.Resources[old.Resource].Name
					if old.Copies != nil {
						was = fmt.Sprintf("%d copies, the first on %s", len(old.Copies), was)
					}
					e.mappedTwice(pos, old.Pos, fmt.Sprintf("kernel %s is mapped to %s, but is already mapped to %s",
						e.program.Kernels[k].Name, e.program.Resources[m.Resource].Name, was), "map each kernel once")
				}
				continue
			}
			mappedKernel[k] = m
			e.program.Maps = append(e.program.Maps, m)
		}
	}
}

func (e *elaborator) mapEdges(s *mapStmt, links []int, mapped map[int]Map) {
	for _, edge := range e.edgeRefs(s.What.Refs) {
		m := Map{Kernel: -1, Edge: edge, Links: links, Pos: position(s.Pos)}
		if old, ok := mapped[edge]; ok {
			if !slices.Equal(old.Links, links) {
				e.mappedTwice(m.Pos, old.Pos, fmt.Sprintf("edge %s is mapped to two different routes",
					e.program.Edges[edge].Name), "map each edge once")
			}
			continue
		}
		mapped[edge] = m
		e.program.Maps = append(e.program.Maps, m)
	}
}

// mappedTwice reports a kernel or an edge that two statements map. If two files both contain a mapping, it reports one
// error, regardless of the number of kernels.
func (e *elaborator) mappedTwice(pos, earlier Pos, what, hint string) {
	if pos.File != earlier.File {
		pair := [2]string{pos.File, earlier.File}
		if e.twoMappings[pair] {
			return
		}
		e.twoMappings[pair] = true
		hint = fmt.Sprintf("%s and %s both contain a mapping: name only one of these files", earlier.File, pos.File)
	}
	e.diags.addRelated(faults.MappedTwice, pos, earlier, what, hint)
}

// constraint reads a fix or forbid statement.
func (e *elaborator) constraint(s *mapStmt) {
	p := Place{Kernels: e.kernelRefs(s.What.Refs), Pos: position(s.Pos)}
	if s.Turns != nil || len(s.Copies) > 0 {
		e.failf(faults.CopiesMisplaced, p.Pos, "separate the resources by commas; a constraint on a kernel applies "+
			"to each of its copies", "%s cannot state the number of copies", s.Kind)
	}
	for i := range s.To {
		r := &s.To[i]
		if t := e.types[r.String()]; t != nil && t.decl.kind == "platform" {
			for j := range e.program.Resources {
				if e.types[e.program.Resources[j].Platform].derives(t.decl.name) {
					p.Resources = append(p.Resources, j)
				}
			}
			continue
		}
		p.Resources = append(p.Resources, e.resourceRefs(r)...)
	}
	if s.Kind == "fix" && len(p.Resources) == 0 {
		e.needsResource(s, s.To)
	}
	slices.Sort(p.Resources)
	p.Resources = slices.Compact(p.Resources)
	if s.Kind == "fix" {
		e.program.Fixes = append(e.program.Fixes, p)
	} else {
		e.program.Forbids = append(e.program.Forbids, p)
	}
}

func (e *elaborator) bufferStatement(s *bufferStmt) {
	refs := []thing{}
	if s.What != nil {
		refs = s.What.Refs
	} else {
		refs = append(refs, *s.One)
	}
	v, err := s.Value.eval(e.program.TopConfig)
	if err != nil {
		e.fail(err)
		return
	}
	_, perr := units.ParseSize(v.Text)
	switch {
	case v.IsNumber && v.Quoted && v.Number > 0:
		e.failf(faults.WrongConfigValue, v.Pos,
			fmt.Sprintf(`write %[1]s for elements, or a size such as "%[1]sB" or "%[1]sKiB"`, v.Text),
			`buffer size "%s" has no unit`, v.Text)
		return
	case v.IsNumber && v.Quoted || !v.IsNumber && perr != nil: // package design checks other sizes
		e.failf(faults.WrongConfigValue, v.Pos, `expected a number of elements, or a size such as "64KiB"`,
			"buffer size is %s", quote(v.Text))
		return
	}
	for _, edge := range e.edgeRefs(refs) {
		e.program.Buffers = append(e.program.Buffers, Buffer{Edge: edge, Value: v, Pos: position(s.Pos)})
	}
}

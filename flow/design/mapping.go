package design

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// place reads the placement of kernels in the files. If two statements place a kernel on different resources, the error
// names both positions.
func (b *builder) place() {
	b.d.Place = make([]int, len(b.prog.Kernels))
	at := make([]xlang.Pos, len(b.prog.Kernels))
	for k := range b.d.Place {
		b.d.Place[k] = -1
	}
	for _, m := range b.prog.Maps {
		if m.Kernel < 0 {
			continue
		}
		if was := b.d.Place[m.Kernel]; was >= 0 && was != m.Resource {
			b.diag.errorf(faults.MappedTwice, m.Pos, "kernel %s is mapped to %s and to %s",
				b.prog.Kernels[m.Kernel].Name, b.prog.Resources[was].Name,
				b.prog.Resources[m.Resource].Name).Relate(at[m.Kernel], "keep one of the two map statements")
		}
		b.d.Place[m.Kernel], at[m.Kernel] = m.Resource, m.Pos
	}
}

// maps completes the mapping in the files, if there is one.
func (b *builder) maps() {
	var unplaced []int
	for k, r := range b.d.Place {
		if r < 0 {
			unplaced = append(unplaced, k)
		}
	}
	placed := len(b.d.Place) - len(unplaced)
	if b.opt.Purpose == ForSearch && placed > 0 {
		b.notef(faults.MapAsHint, "the files map %d of %d kernels, but a search may place these kernels elsewhere (to "+
			"keep kernels on a resource R, write fix { … } to R;)", placed, len(b.d.Place))
	}
	if len(unplaced) > 0 {
		b.incomplete(unplaced)
		return
	}
	given := make([]*xlang.Map, len(b.prog.Edges))
	for i := range b.prog.Maps {
		m := &b.prog.Maps[i]
		if m.Kernel >= 0 {
			continue
		}
		if was := given[m.Edge]; was != nil && !slices.Equal(was.Links, m.Links) {
			b.diag.errorf(faults.MappedTwice, m.Pos, "edge %s is mapped to %s and to %s", b.prog.Edges[m.Edge].Name,
				b.linkNames(was.Links), b.linkNames(m.Links)).Relate(was.Pos, "keep one of the two map statements")
		}
		given[m.Edge] = m
	}
	mapping := &flow.Mapping{Place: slices.Clone(b.d.Place), Route: make([][]int, len(b.prog.Edges))}
	routes := flow.NewRoutes(&b.p.Architecture)
	b.crossed = make([]int, len(b.p.Architecture.Links))
	for _, byDefault := range []bool{false, true} { // edges without a route avoid the links of edges with a route
		for e := range b.prog.Edges {
			if byDefault != (given[e] == nil) {
				continue
			}
			b.route(mapping, routes, e, given[e])
			for _, l := range mapping.Route[e] {
				b.crossed[l]++
			}
		}
	}
	b.reportChoices()
	if len(b.d.Unmapped) == 0 {
		b.d.Mapping = mapping
	}
}

// incomplete reports the kernels without a resource at the position of the last map statement. If there is no map
// statement, incomplete reports that there is no mapping.
func (b *builder) incomplete(unplaced []int) {
	if len(b.prog.Resources) == 0 {
		return
	}
	statement := b.placing(unplaced)
	var pos xlang.Pos
	var files []string
	for i := range b.prog.Maps {
		m := &b.prog.Maps[i]
		if pos = m.Pos; !slices.Contains(files, pos.File) {
			files = append(files, pos.File)
		}
	}
	if len(files) == 0 {
		b.unmapped(fault.NoMapping, pos, "add a file with a mapping, such as NAME.1.map.x, which xopt search writes; "+
			"or write map statements: "+statement, "the files contain no mapping: none of the %d kernels is placed",
			len(b.d.Place))
		return
	}
	verb, them := "are", "them"
	if len(unplaced) == 1 {
		verb, them = "is", "it"
	}
	var names []string
	for _, k := range unplaced {
		names = append(names, b.prog.Kernels[k].Name)
	}
	b.unmapped(fault.NoMapping, pos, "place "+them+", for example: "+statement,
		"the mapping in %s is incomplete: %d of %d kernels %s not placed: %s", strings.Join(files, ", "), len(unplaced),
		len(b.d.Place), verb, units.Some(names, maxNamed))
}

// maxNamed limits the number of kernels that a message about an incomplete mapping names.
const maxNamed = 12

// placing returns map statements that place each given kernel on the first resource with an implementation. It prefers
// the resources of the mapping.
func (b *builder) placing(kernels []int) string {
	if len(kernels) > maxNamed {
		return "map { … } to " + b.anyResource() + ";"
	}
	var order []int // resources
	on := make(map[int][]string)
	for _, k := range kernels {
		r := b.placeFor(k)
		if on[r] == nil {
			order = append(order, r)
		}
		on[r] = append(on[r], b.prog.Kernels[k].Name)
	}
	var statements []string
	for _, r := range order {
		statements = append(statements, fmt.Sprintf("map { %s } to %s;", strings.Join(on[r], ", "),
			b.prog.Resources[r].Name))
	}
	return strings.Join(statements, " ")
}

// placeFor returns the resource that a message proposes for a kernel.
func (b *builder) placeFor(k int) int {
	available := b.p.Figures[k]
	for _, r := range b.d.Place {
		if r >= 0 && available[r].Available {
			return r
		}
	}
	return max(0, slices.IndexFunc(available, func(f flow.Figures) bool { return f.Available }))
}

// unmapped records a reason why there is no complete mapping. If the purpose requires a complete mapping, unmapped also
// reports an error.
func (b *builder) unmapped(id fault.ID, pos xlang.Pos, hint, format string, args ...any) {
	b.d.Unmapped = append(b.d.Unmapped, fmt.Sprintf(format, args...)+"\n  "+hint)
	if b.opt.Purpose == ForMapping || b.opt.Purpose == ForDeploy {
		b.diag.errorf(id, pos, format, args...).Hint = hint
	}
}

// route assigns to an edge the route in the files or, if there is none, the fastest of the routes with the fewest hops.
func (b *builder) route(mapping *flow.Mapping, routes *flow.Routes, e int, given *xlang.Map) {
	edge, resources := &b.prog.Edges[e], b.prog.Resources
	from, to := mapping.Place[edge.From], mapping.Place[edge.To]
	if given != nil {
		way, leads := b.resolveLinks(given.Links, from, to)
		switch {
		case from == to && b.prog.Edges[e].Origin > 0: // edges to other copies may cross the given links
			return
		case from == to:
			b.unmapped(faults.EdgeOnLink, given.Pos, "remove the edge from the map statement",
				"edge %s stays inside %s and crosses no link", edge.Name, resources[from].Name)
		case !leads:
			b.unmapped(faults.NoLink, given.Pos, "routes between the two resources: "+
				b.choices(routes.Between(from, to)), "edge %s leads from %s to %s, but the route %s does not connect "+
				"these resources", edge.Name, resources[from].Name, resources[to].Name, b.declaredNames(given.Links))
		}
		mapping.Route[e] = way
		return
	}
	if from == to {
		return
	}
	fewest := routes.Shortest(from, to)
	if len(fewest) == 0 {
		b.unmapped(faults.NoLink, edge.Pos, "place its kernels on one resource, or declare a link between the two "+
			"resources", "edge %s leads from %s to %s, but no link connects these resources",
			edge.Name, resources[from].Name, resources[to].Name)
		return
	}
	fastest := b.p.Architecture.Fastest(fewest, b.crossed, b.isFree)
	mapping.Route[e] = fewest[fastest]
	if len(fewest) == 1 {
		return
	}
	c := choice{routes: b.choices(fewest), used: b.linkNames(fewest[fastest]),
		other: b.linkNames(fewest[(fastest+1)%len(fewest)]), unknown: b.unknownBandwidths(fewest)}
	b.chosen[c] = append(b.chosen[c], edge.Name)
}

// choice is a set of routes between two resources. used is the route of the edges for which the mapping states no
// route, and other is another route of the set. unknown contains the names of the links with an unknown bandwidth.
type choice struct{ routes, used, other, unknown string }

// isFree reports whether a link is a memory with unknown bandwidth. Such a link counts as faster than other links,
// because kernels on cores that share a memory communicate through it.
func (b *builder) isFree(link *flow.Link) bool { return !(link.Bandwidth > 0) && b.isMemory(link) }

// isMemory reports whether a link is declared as a memory.
func (b *builder) isMemory(link *flow.Link) bool {
	return slices.ContainsFunc(b.prog.Links, func(l xlang.Link) bool {
		return l.Name == link.DeclaredName() && b.rootLinktype(l.Linktype) == "memory"
	})
}

// unknownBandwidths names the links of routes that have an unknown bandwidth.
func (b *builder) unknownBandwidths(routes [][]int) string {
	var names []string
	for _, route := range routes {
		for _, l := range route {
			link := &b.p.Architecture.Links[l]
			if !(link.Bandwidth > 0) && !slices.Contains(names, link.DeclaredName()) {
				names = append(names, link.DeclaredName())
			}
		}
	}
	return strings.Join(names, ", ")
}

// reportChoices adds a note for every set of routes from which the mapping does not select a route.
func (b *builder) reportChoices() {
	byRoutes := func(x, y choice) int {
		return cmp.Or(strings.Compare(x.routes, y.routes), strings.Compare(x.used, y.used))
	}
	for _, c := range slices.SortedFunc(maps.Keys(b.chosen), byRoutes) {
		edges, use := b.chosen[c], "the fastest, "+c.used
		if c.unknown != "" {
			use = fmt.Sprintf("%s (the bandwidth of %s is unknown)", c.used, c.unknown)
		}
		b.notef(faults.RouteChosen, "edges with several routes (%s) use %s: %s (to choose another route: map { %s } "+
			"to %s;)",
			c.routes, use, units.Some(edges, 12), edges[0], c.other)
	}
}

// resolveLinks converts a sequence of declared links to a route from one resource to another. It selects the directions
// of full-duplex links. A path may cross a full-duplex link in either direction, or in both.
func (b *builder) resolveLinks(links []int, from, to int) (route []int, ok bool) {
	if len(links) == 0 {
		return nil, false
	}
	routes := [][]int{nil}
	for _, l := range links {
		var longer [][]int
		for _, r := range routes {
			for _, way := range ways(b.directions[l]) {
				longer = append(longer, slices.Concat(r, way))
			}
		}
		routes = longer
	}
	for _, r := range routes {
		if b.p.Architecture.Joins(r, from, to) {
			return r, true
		}
	}
	return nil, false
}

// ways returns the ways to cross a declared link: each direction alone, then two directions in sequence.
func ways(directions []int) [][]int {
	var all [][]int
	for _, d := range directions {
		all = append(all, []int{d})
	}
	for _, d := range directions {
		for _, e := range directions {
			if d != e {
				all = append(all, []int{d, e})
			}
		}
	}
	return all
}

// declaredNames returns the names of links, given their indices among the declared links.
func (b *builder) declaredNames(links []int) string {
	names := make([]string, len(links))
	for i, l := range links {
		names[i] = b.prog.Links[l].Name
	}
	return strings.Join(names, ", ")
}

// linkNames returns the names in the X files of the links of a route.
func (b *builder) linkNames(route []int) string {
	names := make([]string, len(route))
	for i, l := range route {
		names[i] = b.p.Architecture.Links[l].DeclaredName()
	}
	return strings.Join(names, ", ")
}

func (b *builder) choices(routes [][]int) string {
	if len(routes) == 0 {
		return "none"
	}
	names := make([]string, len(routes))
	for i, r := range routes {
		names[i] = b.linkNames(r)
	}
	return strings.Join(names, " | ")
}

func (b *builder) anyResource() string {
	if len(b.prog.Resources) == 0 {
		return "proc[1]"
	}
	return b.prog.Resources[0].Name
}

// constraints converts the statements fix, forbid, together and apart. A kernel in two fix statements must satisfy both
// statements.
func (b *builder) constraints() {
	kernels, resources := len(b.prog.Kernels), len(b.prog.Resources)
	c := &flow.Constraints{Fixed: make([][]int, kernels), Forbidden: make([][]int, kernels)}
	fixedAt := make([]*xlang.Pos, kernels)
	for i := range b.prog.Fixes {
		f := &b.prog.Fixes[i]
		for _, k := range f.Kernels {
			if fixedAt[k] == nil {
				c.Fixed[k] = unique(f.Resources)
				fixedAt[k] = &f.Pos
				continue
			}
			both := slices.DeleteFunc(unique(f.Resources), func(r int) bool { return !slices.Contains(c.Fixed[k], r) })
			if len(both) == 0 {
				b.diag.errorf(faults.FixedApart, f.Pos, "two statements fix kernel %s, but they have no resource in "+
					"common", b.prog.Kernels[k].Name).Relate(*fixedAt[k], "keep one of the two fix statements")
				continue
			}
			c.Fixed[k], fixedAt[k] = both, &f.Pos
		}
	}
	for _, f := range b.prog.Forbids {
		for _, k := range f.Kernels {
			c.Forbidden[k] = unique(append(c.Forbidden[k], f.Resources...))
		}
	}
	for _, g := range b.prog.Together {
		c.Together = append(c.Together, unique(g.Kernels))
	}
	for _, g := range b.prog.Separate {
		c.Separate = append(c.Separate, unique(g.Kernels))
	}
	b.d.Constraints = c
	b.allowed = make([][]bool, kernels)
	for k := range b.allowed {
		b.allowed[k] = make([]bool, resources)
		for r := range b.allowed[k] {
			b.allowed[k][r] = (c.Fixed[k] == nil || slices.Contains(c.Fixed[k], r)) && !slices.Contains(c.Forbidden[k],
				r)
		}
	}
}

// unique returns the distinct numbers in ascending order.
func unique(list []int) []int {
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

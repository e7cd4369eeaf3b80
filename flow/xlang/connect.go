package xlang

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"xopt/flow/faults"
	"xopt/internal/fault"
)

// suppressed is a port whose missing edge is not reported, because another error is the cause.
type suppressed struct {
	port  leafPort
	input bool
}

// endpoint is one end of an edge: ports of leaf kernels, or a slot of a port of the
// enclosing block.
type endpoint struct {
	leaves []leafPort
	typ    portType
	own    *instancePort
	slot   int
	name   string
}

// connect creates the edges of one edge statement.
func (e *elaborator) connect(in *instance, s *edgeStmt, config Values) {
	if e.portsSeen > maxPorts {
		e.fail(&mistake{faults.TooLarge, position(s.Pos), fmt.Sprintf("the edges connect more than %d ports",
			maxPorts), "use fewer edges or smaller arrays"})
		return
	}
	before := len(e.diags)
	from, okFrom := e.resolveEnd(in, &s.From, true, config)
	reported := len(e.diags)
	to, okTo := e.resolveEnd(in, &s.To, false, config)
	e.portsSeen += len(from) + len(to)
	if !okFrom && reported > before {
		e.diags = e.diags[:reported] // report one error per edge
	}
	if !okFrom || !okTo {
		e.suppress(from, false)
		e.suppress(to, true)
		return
	}
	n := max(len(from), len(to))
	if len(from) != n && len(from) != 1 || len(to) != n && len(to) != 1 {
		e.fail(&mistake{faults.PortCountsDiffer, position(s.Pos), fmt.Sprintf("edge cannot connect %d output "+
			"ports to %d input ports", len(from), len(to)), "name equally many ports at both ends, or one at one end"})
		e.suppress(from, false)
		e.suppress(to, true)
		return
	}
	label := s.Label
	if label == "" {
		label = s.From.String() + arrow + s.To.String()
	}
	stored, err := e.initialOf(in, s, config, from[0], to[0])
	if err != nil {
		e.fail(err)
	}
	made := 0
	total := 0
	for i := range n {
		a, b := from[min(i, len(from)-1)], to[min(i, len(to)-1)]
		total += max(1, len(a.leaves)) * max(1, len(b.leaves))
	}
	for i := range n {
		a, b := &from[min(i, len(from)-1)], &to[min(i, len(to)-1)]
		if a.own == nil && len(a.leaves) == 0 || b.own == nil && len(b.leaves) == 0 {
			// The port has no connection inside its block; checkThrough reports this.
			e.suppress(from, false)
			e.suppress(to, true)
			return
		}
		if a.typ.name != b.typ.name {
			e.fail(&mistake{faults.TypesDiffer, position(s.Pos), fmt.Sprintf("edge cannot lead from %s of type %s "+
				"to %s of type %s", a.name, a.typ.name, b.name, b.typ.name), "declare both ports with the same type"})
			e.suppress(from, false)
			e.suppress(to, true)
			return
		}
		switch {
		case a.own != nil && b.own != nil:
			e.fail(&mistake{faults.EdgeThroughBlock, position(s.Pos), "edge cannot connect an input directly to " +
				"an output of block " + quote(in.block.name), "put an instance between the ports, or remove the block"})
		case a.own != nil:
			a.own.slots[a.slot] = append(a.own.slots[a.slot], b.leaves...)
		case b.own != nil:
			b.own.slots[b.slot] = append(b.own.slots[b.slot], a.leaves...)
		default:
			for _, x := range a.leaves {
				for _, y := range b.leaves {
					made++
					name := in.name + "." + label
					if total > 1 {
						name = fmt.Sprintf("%s[%d]", name, made)
					}
					if !e.addEdge(name, x, y, stored, position(s.Pos)) {
						return
					}
				}
			}
		}
	}
}

// addEdge adds an edge between kernels, up to the maximum number.
func (e *elaborator) addEdge(name string, from, to leafPort, stored initial, pos Pos) bool {
	if len(e.program.Edges) >= maxEdges {
		e.fail(&mistake{faults.TooLarge, pos, fmt.Sprintf("the application has more than %d edges", maxEdges),
			"use fewer edges or smaller arrays"})
		return false
	}
	e.program.Edges = append(e.program.Edges, Edge{Name: name, From: from.kernel, To: to.kernel, FromPort: from.port,
		ToPort: to.port, Initial: stored.elements, InitialValues: stored.values, InitialPos: stored.pos, Pos: pos})
	return true
}

func (e *elaborator) suppress(ends []endpoint, input bool) {
	for _, x := range ends {
		for _, p := range x.leaves {
			e.excused[suppressed{p, input}] = true
		}
		if x.own != nil {
			x.own.slots[x.slot] = append(x.own.slots[x.slot], leafPort{-1, -1})
		}
	}
}

// suppressPort prevents errors about a missing edge at a port to which an invalid edge probably leads.
func (e *elaborator) suppressPort(p *instancePort) {
	for _, slot := range p.slots {
		for _, leaf := range slot {
			e.excused[suppressed{leaf, p.input}] = true
		}
	}
}

// resolveEnd resolves one end of an edge statement.
func (e *elaborator) resolveEnd(in *instance, r *ref, from bool, config Values) ([]endpoint, bool) {
	first := &r.Segments[0]
	if _, ok := in.children[first.Name]; !ok {
		if at := slices.IndexFunc(in.ports, func(p instancePort) bool { return p.name == first.Name }); at >= 0 &&
			len(r.Segments) == 1 {
			return e.ownEnds(in, at, first, from, config)
		}
		if !e.unread[first.Name] {
			existing := append(keys(in.children), in.portNames(from)...)
			e.fail(&mistake{faults.UnknownInstance, position(first.Pos), "block " + in.block.name +
				" has no instance " + quote(first.Name), didYouMean(first.Name, existing)})
		}
		return nil, false
	}
	instances := []*instance{in}
	i := 0
	for ; i < len(r.Segments); i++ {
		seg := &r.Segments[i]
		var next []*instance
		for _, at := range instances {
			child, ok := at.children[seg.Name]
			if !ok {
				next = nil
				break
			}
			if len(child.instances) == 0 {
				return nil, false // addChildren or checkBlock has reported an error
			}
			chosen, err := e.choose(seg.Index, indexed{name: seg.Name, n: len(child.instances),
				isArray: child.isArray}, position(seg.Pos), config)
			if err != nil {
				e.fail(err)
				return nil, false
			}
			for _, c := range chosen {
				next = append(next, child.instances[c])
			}
		}
		if next == nil {
			break
		}
		instances = next
	}
	switch len(r.Segments) - i {
	case 0:
		return e.onlyPort(instances, r, from)
	case 1:
		return e.namedPort(instances, &r.Segments[i], from, config)
	}
	seg := &r.Segments[i]
	e.fail(&mistake{faults.UnknownInstance, position(seg.Pos), "block " + instances[0].block.name +
		" has no instance " + quote(seg.Name), didYouMean(seg.Name, keys(instances[0].children))})
	return nil, false
}

// ownEnds returns slots of a port of the enclosing block.
func (e *elaborator) ownEnds(in *instance, at int, seg *segment, from bool, config Values) ([]endpoint, bool) {
	p := &in.ports[at]
	if p.input != from {
		way := map[bool]string{true: "input", false: "output"}
		e.fail(&mistake{faults.WrongDirection, position(seg.Pos), fmt.Sprintf("%s port %s of block %s cannot be "+
			"at this end of an edge inside the block", way[p.input], quote(p.name), in.block.name), "reverse the edge"})
		return nil, false
	}
	slots, err := e.choose(seg.Index, p.slotsBy(), position(seg.Pos), config)
	if err != nil {
		e.fail(err)
		return nil, false
	}
	var out []endpoint
	for _, s := range slots {
		out = append(out, endpoint{own: p, slot: s, typ: p.typ, name: p.name})
	}
	return out, true
}

// onlyPort returns the only input or output port of each instance. It reports an error if an instance has several such
// ports or none.
func (e *elaborator) onlyPort(instances []*instance, r *ref, from bool) ([]endpoint, bool) {
	var out []endpoint
	for _, in := range instances {
		var found []*instancePort
		for i := range in.ports {
			if in.ports[i].input != from {
				found = append(found, &in.ports[i])
			}
		}
		way := map[bool]string{true: "output", false: "input"}[from]
		switch {
		case len(found) == 0 && len(in.block.ports) > 0 && e.hasUnreadPort(in.block):
			return nil, false
		case len(found) != 1 || found[0].isArray:
			hint := "declare an " + way + " port in the block of the instance"
			if len(found) > 0 {
				hint = "write " + r.String() + "." + found[0].name
			}
			e.fail(&mistake{faults.SeveralPorts, position(r.Pos), fmt.Sprintf("%s has %d %s ports, but the edge "+
				"needs exactly one", quote(r.String()), len(found), way), hint})
			for _, p := range found {
				e.suppressPort(p)
			}
			return nil, false
		}
		out = append(out, endpoint{leaves: found[0].slots[0], typ: found[0].typ,
			name: r.String() + "." + found[0].name})
	}
	return out, true
}

// hasUnreadPort reports whether a port declaration of the block could not be read.
func (e *elaborator) hasUnreadPort(b *blockDecl) bool {
	return slices.ContainsFunc(b.ports, func(p *portsStmt) bool { return p.Type.Name == "" })
}

func (e *elaborator) namedPort(instances []*instance, seg *segment, from bool, config Values) ([]endpoint, bool) {
	var out []endpoint
	for _, in := range instances {
		at := slices.IndexFunc(in.ports, func(p instancePort) bool { return p.name == seg.Name })
		if at < 0 {
			if !e.unread[seg.Name] && !e.hasUnreadPort(in.block) {
				e.fail(&mistake{fault.UnknownPort, position(seg.Pos), "block " + in.block.name + " has no port " +
					quote(seg.Name), didYouMean(seg.Name, in.portNames(!from))})
			}
			for i := range in.ports {
				if in.ports[i].input != from {
					e.suppressPort(&in.ports[i])
				}
			}
			return nil, false
		}
		p := &in.ports[at]
		if p.input == from {
			e.suppressPort(p)
			way := map[bool]string{true: "starts at input", false: "ends at output"}
			e.fail(&mistake{faults.WrongDirection, position(seg.Pos), fmt.Sprintf("edge %s port %s of block %s",
				way[p.input], quote(p.name), in.block.name), "edges lead from output ports to input ports"})
			return nil, false
		}
		slots, err := e.choose(seg.Index, p.slotsBy(), position(seg.Pos), config)
		if err != nil {
			e.fail(err)
			e.suppressPort(p)
			return nil, false
		}
		for _, s := range slots {
			out = append(out, endpoint{leaves: p.slots[s], typ: p.typ, name: in.name + "." + p.name})
		}
	}
	return out, true
}

// checkThrough reports ports of hierarchical blocks that have no connection inside the block.
func (e *elaborator) checkThrough(in *instance) {
	for i := range in.ports {
		p := &in.ports[i]
		for s := range p.slots {
			if len(p.slots[s]) == 0 {
				e.fail(&mistake{fault.PortUnconnected, p.pos, fmt.Sprintf("port %s is not connected inside block "+
					"%s", quote(p.name), in.block.name), fmt.Sprintf("connect it inside block %s: %s",
					in.block.name, map[bool]string{true: p.name + " -> INSTANCE.PORT;", false: "INSTANCE.PORT -> " +
						p.name + ";"}[p.input])})
				for _, child := range in.children {
					for _, inner := range child.instances {
						for j := range inner.ports {
							if inner.ports[j].input == p.input {
								e.suppressPort(&inner.ports[j])
							}
						}
					}
				}
			}
			p.slots[s] = slices.DeleteFunc(p.slots[s], func(l leafPort) bool { return l.kernel < 0 })
		}
	}
}

// maxCompared is the maximum number of kernels that connectHint searches for a free port.
const maxCompared = 1000

// connectHint returns a statement that connects a port of a kernel. If possible, the statement uses a free port in the
// same block with the same element type.
func (e *elaborator) connectHint(k int, p Port, input bool, seen map[suppressed]bool) string {
	name := e.program.Kernels[k].Name
	own := lastSegment(name)
	around := strings.TrimSuffix(strings.TrimSuffix(name, own), ".")
	const anyPort = "INSTANCE.PORT"
	other := anyPort
	for o := range e.program.Kernels[:min(len(e.program.Kernels), maxCompared)] {
		kernel := &e.program.Kernels[o]
		last := lastSegment(kernel.Name)
		if o == k || strings.TrimSuffix(strings.TrimSuffix(kernel.Name, last), ".") != around {
			continue
		}
		ports := kernel.Inputs
		if input {
			ports = kernel.Outputs
		}
		for i := range ports {
			if x := (suppressed{leafPort{o, i}, !input}); ports[i].Type == p.Type && !seen[x] && !e.excused[x] &&
				other == anyPort {
				other = last + "." + ports[i].Name
			}
		}
	}
	from, to := own+"."+p.Name, other
	if input {
		from, to = to, from
	}
	return fmt.Sprintf("connect it inside %s: %s -> %s;", around, from, to)
}

// checkTwice reports the first edge that connects the same ports as an earlier edge.
func (e *elaborator) checkTwice() {
	type ends struct{ from, to leafPort }
	copies := e.program.Copies()
	broadcast := make(map[leafPort]bool) // ports that feed several edges
	for i, edge := range e.program.Edges {
		if copies[i] {
			broadcast[leafPort{edge.From, edge.FromPort}] = true
		}
	}
	first := make(map[ends]Pos)
	for _, edge := range e.program.Edges {
		x := ends{leafPort{edge.From, edge.FromPort}, leafPort{edge.To, edge.ToPort}}
		if !broadcast[x.from] {
			continue
		}
		old, ok := first[x]
		if !ok {
			first[x] = edge.Pos
			continue
		}
		from, to := &e.program.Kernels[edge.From], &e.program.Kernels[edge.To]
		e.diags.addRelated(faults.EdgeTwice, edge.Pos, old, fmt.Sprintf("two edges connect port %s of %s to port %s "+
			"of %s",
			from.Outputs[edge.FromPort].Name, from.Name,
			to.Inputs[edge.ToPort].Name, to.Name), "remove one of the two edges")
		return
	}
}

// checkConnected reports ports of kernels that have no edge.
func (e *elaborator) checkConnected() {
	seen := make(map[suppressed]bool)
	for _, edge := range e.program.Edges {
		seen[suppressed{leafPort{edge.From, edge.FromPort}, false}] = true
		seen[suppressed{leafPort{edge.To, edge.ToPort}, true}] = true
	}
	for k := range e.program.Kernels {
		if e.stopped() {
			return
		}
		kernel := &e.program.Kernels[k]
		for i, p := range kernel.Inputs {
			if x := (suppressed{leafPort{k, i}, true}); !seen[x] && !e.excused[x] && !e.unread[baseName(p.Name)] {
				e.failf(fault.PortUnconnected, kernel.Pos, e.connectHint(k, p, true, seen), "input port %s of %s is "+
					"not connected", quote(p.Name), kernel.Name)
			}
		}
		for i, p := range kernel.Outputs {
			if x := (suppressed{leafPort{k, i}, false}); !seen[x] && !e.excused[x] && !e.unread[baseName(p.Name)] {
				e.failf(fault.PortUnconnected, kernel.Pos, e.connectHint(k, p, false, seen), "output port %s of %s is "+
					"not connected", quote(p.Name), kernel.Name)
			}
		}
	}
}

func baseName(port string) string {
	name, _, _ := strings.Cut(port, "[")
	return name
}

func lastSegment(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// String formats the reference in X syntax.
func (r *ref) String() string {
	var b strings.Builder
	for i := range r.Segments {
		s := &r.Segments[i]
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s.Name)
		if s.Index != nil {
			b.WriteString(s.Index.String())
		}
	}
	return b.String()
}

// String formats the index in X syntax, with its brackets.
func (ix *index) String() string {
	switch {
	case ix.All:
		return "[*]"
	case ix.Hi != nil:
		return "[" + ix.Lo.String() + ".." + ix.Hi.String() + "]"
	}
	return "[" + ix.Lo.String() + "]"
}

// String formats the expression in X syntax.
func (x *expr) String() string {
	s := x.Head.String()
	for _, t := range x.Tail {
		s += t.Op + t.Term.String()
	}
	return s
}

func (t *term) String() string {
	s := t.Head.String()
	for _, f := range t.Tail {
		s += f.Op + f.Factor.String()
	}
	return s
}

func (f *factor) String() string {
	s := ""
	if f.Negative {
		s = "-"
	}
	switch {
	case f.Number != nil:
		return s + *f.Number
	case f.Name != nil:
		return s + *f.Name
	}
	return s + "(" + f.Sub.String() + ")"
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

package timetrial

import (
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// name returns a dotted name as written.
func (t *pathTree) name() string { return strings.Join(t.Parts, "") }

// target resolves the target of a measurement; false after an error.
func (c *checker) target(m *Measurement, t *targetTree) bool {
	switch {
	case len(t.Via) > 0:
		return c.pathTarget(m, t)
	case t.To != nil:
		m.Target.Text = t.At.name() + " -> " + t.To.name()
		if found, ok := c.linkTarget(m, t); found {
			return ok
		}
		from, isFrom := c.edgesAt(&t.At, false)
		to, isTo := c.edgesAt(t.To, true)
		if !isFrom || !isTo {
			return false
		}
		return c.only(m, t, slices.DeleteFunc(from, func(e int) bool { return !slices.Contains(to, e) }))
	}
	m.Target.Text = t.At.name()
	if edges := c.labeled(t.At.name()); len(edges) > 0 {
		return c.only(m, t, edges)
	}
	in, out := c.attached(t.At.name())
	if len(in) > 0 {
		m.Target.Reader = true
		return c.only(m, t, in)
	}
	if len(out) > 0 {
		return c.only(m, t, out)
	}
	if kernel, point := c.testpoint(t.At.name()); point != "" {
		return c.pointTarget(m, t, kernel, point)
	}
	if found, ok := c.linkTarget(m, t); found {
		return ok
	}
	c.unknown(&t.At)
	return false
}

// testpoint returns the kernels and the testpoint for the name KERNEL.POINT; point is "" if there is none.
func (c *checker) testpoint(name string) (kernels []int, point string) {
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return nil, ""
	}
	for _, k := range c.kernels(name[:dot]) {
		if slices.ContainsFunc(c.program.Kernels[k].Testpoints, func(x xlang.Testpoint) bool {
			return x.Name == name[dot+1:]
		}) {
			kernels, point = append(kernels, k), name[dot+1:]
		}
	}
	return kernels, point
}

// pointTarget resolves a testpoint, which supports only rates; false after an error.
func (c *checker) pointTarget(m *Measurement, t *targetTree, kernels []int, point string) bool {
	if m.Type != Rate {
		c.fail(faults.NotOfTestpoints, t.Pos, "measure rate, or record a trace with deploy --trace (xopt "+
			"xeval computes the times between testpoints)", "%s is a testpoint, which has no %s", m.Target.Text,
			m.Type)
		return false
	}
	if len(kernels) > 1 {
		c.fail(faults.AmbiguousName, t.Pos, "name the kernel, such as "+c.program.Kernels[kernels[0]].Name+"."+point,
			"%s is a testpoint of %d kernels, such as %s and %s", m.Target.Text, len(kernels),
			c.program.Kernels[kernels[0]].Name, c.program.Kernels[kernels[1]].Name)
		return false
	}
	m.Target.Kernel, m.Target.Point = kernels[0], point
	return true
}

// kernelTarget finds the named kernel; false after an error.
func (c *checker) kernelTarget(m *Measurement, t *targetTree) bool {
	m.Target.Text = t.At.name()
	if t.To != nil || len(t.Via) > 0 {
		c.fail(faults.StatesOfEdge, t.Pos, "name a kernel, as in measure states at KERNEL",
			"cannot measure %s at an edge", m.Type)
		return false
	}
	switch list := c.kernels(t.At.name()); len(list) {
	case 1:
		m.Target.Kernel = list[0]
		return true
	case 0:
		var existing []string
		for k := range c.program.Kernels {
			name := c.program.Kernels[k].Name
			existing = append(existing, name, afterTop(name), c.program.Kernels[k].Block)
		}
		hint := "xopt check shows the kernels"
		if n := xlang.Nearest(t.At.name(), existing); n != "" {
			hint = "did you mean " + n + "?"
		}
		c.fail(faults.UnknownTarget, t.Pos, hint, "unknown kernel %s", t.At.name())
	default:
		var names []string
		for _, k := range list {
			names = append(names, c.program.Kernels[k].Name)
		}
		c.fail(faults.AmbiguousName, t.Pos, "name one of these kernels", "several kernels have the name %s: %s",
			t.At.name(), strings.Join(names, ", "))
	}
	return false
}

// only sets the target to the edge if there is exactly one, and reports an error otherwise.
func (c *checker) only(m *Measurement, t *targetTree, edges []int) bool {
	switch len(edges) {
	case 0:
		c.fail(fault.UnknownEdge, t.Pos, "xopt check shows the edges", "no edge leads from %s",
			strings.Replace(m.Target.Text, " ->", " to", 1))
		return false
	case 1:
		if m.Type == Size {
			c.fail(faults.SizesOfEdge, t.Pos, "measure the size of packets at a link, such as "+c.anyLink(),
				"cannot measure size at %s: all elements of an edge have the same size", m.Target.Text)
			return false
		}
		m.Target.Edges = edges
		return true
	}
	c.fail(faults.AmbiguousName, t.Pos, "name one of these edges", "%s has several edges: %s", m.Target.Text,
		c.names(edges))
	return false
}

func (c *checker) names(edges []int) string {
	var names []string
	for _, e := range edges {
		names = append(names, c.program.Edges[e].Name)
	}
	const shown = 8
	return strings.Join(units.First(names, shown, "and %d more"), ", ")
}

// matches reports whether a name is the full name, or the part of the full name after a dot.
func matches(full, name string) bool {
	return full == name || strings.HasSuffix(full, "."+name)
}

// labeled returns the edges with a label. A full match takes precedence over matches of the end. The declared name of
// an edge to or from copies of a kernel means the edges of all copies.
func (c *checker) labeled(name string) []int {
	var edges []int
	for e := range c.program.Edges {
		switch full := c.program.Edges[e].Name; {
		case full == name:
			return []int{e}
		case matches(full, name), matches(c.program.Edges[e].DeclaredName(), name):
			edges = append(edges, e)
		}
	}
	return edges
}

// attached returns the edges into and out of a kernel or port. A kernel is named by its instance or, if there is only
// one instance, by its block. A kernel's name means both its inputs and its outputs.
func (c *checker) attached(name string) (in, out []int) {
	kernel, port := name, ""
	kernels := c.kernels(kernel)
	if len(kernels) == 0 {
		if dot := strings.LastIndexByte(name, '.'); dot > 0 {
			kernel, port = name[:dot], name[dot+1:]
			kernels = c.kernels(kernel)
		}
	}
	is := func(p xlang.Port) bool {
		base, _, _ := strings.Cut(p.Name, "[")
		return port == "" || p.Name == port || base == port
	}
	for e, edge := range c.program.Edges {
		if slices.Contains(kernels, edge.To) && is(c.program.Kernels[edge.To].Inputs[edge.ToPort]) {
			in = append(in, e)
		}
		if slices.Contains(kernels, edge.From) && is(c.program.Kernels[edge.From].Outputs[edge.FromPort]) {
			out = append(out, e)
		}
	}
	return in, out
}

// kernels returns the kernels with a name. The declared name of a copied kernel means all copies.
func (c *checker) kernels(name string) []int {
	var byName, byBlock []int
	for k := range c.program.Kernels {
		switch kernel := &c.program.Kernels[k]; {
		case kernel.Name == name:
			return []int{k}
		case matches(kernel.Name, name), matches(kernel.Declared(), name):
			byName = append(byName, k)
		case kernel.Block == name:
			byBlock = append(byBlock, k)
		}
	}
	if len(byName) > 0 {
		return byName
	}
	return byBlock
}

// edgesAt returns the edges that end (if into is set) or start at a kernel or port; false after an error.
func (c *checker) edgesAt(t *pathTree, into bool) ([]int, bool) {
	in, out := c.attached(t.name())
	edges, way, other := out, "out of", "into"
	if into {
		edges, way, other = in, "into", "out of"
	}
	if len(edges) > 0 {
		return edges, true
	}
	if len(in)+len(out) > 0 {
		c.fail(fault.UnknownEdge, t.Pos, "write the edge's source first", "no edge leads %s %s, but edges lead %s it",
			way, t.name(), other)
		return nil, false
	}
	c.unknown(t)
	return nil, false
}

func (c *checker) unknown(t *pathTree) {
	var existing []string
	for e := range c.program.Edges {
		existing = append(existing, c.program.Edges[e].Name, afterTop(c.program.Edges[e].Name))
	}
	for k := range c.program.Kernels {
		kernel := &c.program.Kernels[k]
		for _, p := range slices.Concat(kernel.Inputs, kernel.Outputs) {
			existing = append(existing, kernel.Name+"."+p.Name, afterTop(kernel.Name)+"."+p.Name,
				kernel.Block+"."+p.Name)
		}
		for _, p := range kernel.Testpoints {
			existing = append(existing, kernel.Name+"."+p.Name, afterTop(kernel.Name)+"."+p.Name)
		}
	}
	for l := range c.program.Links {
		existing = append(existing, c.program.Links[l].Name)
	}
	hint := "xopt check shows the edges and ports"
	if n := xlang.Nearest(t.name(), existing); n != "" {
		hint = "did you mean " + n + "?"
	}
	c.fail(faults.UnknownTarget, t.Pos, hint, "unknown edge, port or kernel %s", t.name())
}

func afterTop(name string) string {
	if _, rest, ok := strings.Cut(name, "."); ok {
		return rest
	}
	return name
}

// pathTarget resolves the edges of A.out ... D.in; false after an error.
func (c *checker) pathTarget(m *Measurement, t *targetTree) bool {
	stops := append([]pathTree{t.At}, t.Via...)
	names := make([]string, len(stops))
	for i := range stops {
		names[i] = stops[i].name()
	}
	m.Target.Text = strings.Join(names, " ... ")
	if m.Type != Latency {
		c.fail(faults.PathWithoutLatency, t.Pos, "name one edge", "cannot measure %s on a path, only latency", m.Type)
		return false
	}
	first, ok := c.edgesAt(&stops[0], false)
	last, lok := c.edgesAt(&stops[len(stops)-1], true)
	if !ok || !lok {
		return false
	}
	var between [][]int
	for i := 1; i < len(stops)-1; i++ {
		in, out := c.attached(stops[i].name())
		if len(in)+len(out) == 0 {
			c.unknown(&stops[i])
			return false
		}
		between = append(between, append(in, out...))
	}
	s := pathSearch{program: c.program, last: last, between: between, leads: c.leading(last)}
	for _, e := range first {
		s.walk([]int{e}, 0)
	}
	switch {
	case len(s.found) == 0:
		c.fail(faults.NoPath, t.Pos, "xopt check shows the edges", "no path leads from %s",
			strings.ReplaceAll(m.Target.Text, " ... ", " to "))
		return false
	case len(s.found) > 1:
		c.fail(faults.SeveralPaths, t.Pos, "name a port on the path, as in A.out ... B.in ... D.in",
			"several paths lead from %s, such as (%s) and (%s)", strings.ReplaceAll(m.Target.Text, " ... ", " to "),
			c.names(s.found[0]), c.names(s.found[1]))
		return false
	}
	m.Target.Edges = s.found[0]
	return true
}

// leading reports for every edge whether a path leads from it to one of the last edges.
func (c *checker) leading(last []int) []bool {
	leads := make([]bool, len(c.program.Edges))
	queue := slices.Clone(last)
	for _, e := range last {
		leads[e] = true
	}
	for len(queue) > 0 {
		from := c.program.Edges[queue[0]].From
		queue = queue[1:]
		for e := range c.program.Edges {
			if c.program.Edges[e].To == from && !leads[e] {
				leads[e] = true
				queue = append(queue, e)
			}
		}
	}
	return leads
}

// pathSearch searches for paths until it has found two.
type pathSearch struct {
	program *xlang.Program
	leads   []bool
	last    []int
	between [][]int
	found   [][]int
	steps   int
}

// maxSteps is the maximum number of steps of the search. If the search ends there, it may miss paths.
const maxSteps = 1 << 20

func (s *pathSearch) walk(path []int, passed int) {
	at := path[len(path)-1]
	if s.steps++; len(s.found) > 1 || s.steps > maxSteps || !s.leads[at] {
		return
	}
	if passed < len(s.between) && slices.Contains(s.between[passed], at) {
		passed++
	}
	if passed == len(s.between) && slices.Contains(s.last, at) {
		s.found = append(s.found, slices.Clone(path))
		return
	}
	for e := range s.program.Edges {
		if s.program.Edges[e].From == s.program.Edges[at].To && !slices.Contains(path, e) {
			s.walk(append(path, e), passed)
		}
	}
}

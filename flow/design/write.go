package design

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"xopt/flow"
)

// maxLine is the maximum line length in columns of the lists in a written mapping.
const maxLine = 92

// WriteMapping writes a mapping as X code. The code restores the mapping when xopt reads it after the same application
// and architecture files. buffers contains the buffer size of each edge in elements; it may be nil. header is the text
// of the comment at the top; it may have several lines, or be empty.
//
// The code omits an edge whose route is the only shortest route. It names an edge without a label by its two ports.
func (d *Design) WriteMapping(w io.Writer, m *flow.Mapping, buffers map[int]int, header string) error {
	if len(m.Place) != len(d.Problem.Application.Kernels) {
		return fmt.Errorf("cannot write the mapping: only %d of %d kernels are placed", len(m.Place),
			len(d.Problem.Application.Kernels))
	}
	out := bufio.NewWriter(w)
	if header = strings.TrimSpace(header); header != "" {
		for line := range strings.SplitSeq(header, "\n") {
			fmt.Fprintln(out, strings.TrimRight("// "+line, " "))
		}
		fmt.Fprintln(out)
	}
	for r, res := range d.Problem.Architecture.Resources {
		var names []string
		for k, at := range m.Place {
			if x := &d.Program.Kernels[k]; at == r && x.Replica == nil && x.Instances < 2 {
				names = append(names, d.Problem.Application.Kernels[k].Name)
			}
		}
		writeMap(out, names, "to "+res.Name)
	}
	if err := d.writeCopies(out, m); err != nil {
		return err
	}
	if err := d.writeRoutes(out, m); err != nil {
		return err
	}
	d.writeBuffers(out, buffers)
	return out.Flush()
}

// OmitDeclared removes an edge's size from sizes if a file with kernels or resources states a different size, because a
// map file cannot change that statement. It returns the statements with the different sizes.
func (d *Design) OmitDeclared(sizes map[int]int) []string {
	other := make(map[string]bool) // files other than the map file to replace
	for i := range d.Program.Kernels {
		other[d.Program.Kernels[i].Pos.File] = true
	}
	for i := range d.Program.Resources {
		other[d.Program.Resources[i].Pos.File] = true
	}
	var omitted []string
	for _, b := range d.Program.Buffers {
		if other[b.Pos.File] && sizes[b.Edge] != d.Buffers[b.Edge] {
			delete(sizes, b.Edge)
			omitted = append(omitted, fmt.Sprintf("%s (%s:%d)", d.Program.Edges[b.Edge].Name, b.Pos.File, b.Pos.Line))
		}
	}
	return omitted
}

// writeRoutes writes map statements for the edges that would otherwise have another route. Edges with the same route
// share a statement.
func (d *Design) writeRoutes(out io.Writer, m *flow.Mapping) error {
	routes := flow.NewRoutes(&d.Problem.Architecture)
	byRoute := make(map[string][]string)
	routed := make(map[string]string) // routes of edges between copies that are one edge in X files
	var order []string
	for e, edge := range d.Problem.Application.Edges {
		from, to := m.Place[edge.From], m.Place[edge.To]
		if from == to {
			continue
		}
		shortest := routes.Shortest(from, to)
		var route []int
		if e < len(m.Route) {
			route = m.Route[e]
		}
		if len(route) == 0 {
			if len(shortest) == 0 {
				return fmt.Errorf("cannot write the mapping: no link connects %s and %s for edge %s",
					d.Problem.Architecture.Resources[from].Name, d.Problem.Architecture.Resources[to].Name, edge.Name)
			}
			route = shortest[0] // the default route of flow.Mapping
		}
		if len(shortest) == 1 && slices.Equal(route, shortest[0]) {
			continue
		}
		names := make([]string, len(route))
		for i, l := range route {
			names[i] = d.Problem.Architecture.Links[l].DeclaredName()
		}
		to2 := strings.Join(names, ", ")
		complete := d.Program.Edges[e].DeclaredName()
		if was, ok := routed[complete]; ok && was != to2 {
			return fmt.Errorf("cannot write the mapping: edges %s use routes %s and %s, but a map statement assigns "+
				"one route to all of them", complete, was, to2)
		} else if ok {
			continue
		}
		routed[complete] = to2
		if byRoute[to2] == nil {
			order = append(order, to2)
		}
		byRoute[to2] = append(byRoute[to2], complete)
	}
	for _, to := range order {
		writeMap(out, byRoute[to], "to "+to)
	}
	return nil
}

func (d *Design) writeBuffers(out io.Writer, buffers map[int]int) {
	maximum := make(map[string]int) // by declared edge: the largest size of its copies
	for e := range d.Problem.Application.Edges {
		complete := d.Program.Edges[e].DeclaredName()
		maximum[complete] = max(maximum[complete], buffers[e])
	}
	for e := range d.Problem.Application.Edges {
		complete := d.Program.Edges[e].DeclaredName()
		if n := maximum[complete]; n >= 1 {
			fmt.Fprintf(out, "buffer { %s } = %d;\n", complete, n)
		}
		maximum[complete] = 0
	}
}

// writeMap writes `map { names } tail;`, broken into lines of at most maxLine columns.
func writeMap(out io.Writer, names []string, tail string) {
	if len(names) == 0 {
		return
	}
	const word = "map { "
	line := word
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		if len(line)+len(name) > maxLine && strings.TrimSpace(line) != "" {
			fmt.Fprintln(out, strings.TrimRight(line, " "))
			line = strings.Repeat(" ", len(word))
		}
		line += name + " "
	}
	fmt.Fprintf(out, "%s} %s;\n", line, tail)
}

// writeCopies writes the copies of kernels, with the kernels of a unit together.
func (d *Design) writeCopies(out io.Writer, m *flow.Mapping) error {
	for k := range d.Program.Kernels {
		if n := d.Program.Kernels[k].Instances; n > 1 { // on one FPGA
			at := d.Problem.Architecture.Resources[m.Place[k]].Name
			writeMap(out, []string{d.Program.Kernels[k].Name}, "to "+at+strings.Repeat(" & "+at, n-1))
		}
	}
	places := make(map[int]string) // resources of the copies of each unit
	names := make(map[int][]string)
	var order []int
	for k := range d.Program.Kernels {
		x := d.Program.Kernels[k].Replica
		if x == nil || x.Index > 0 {
			continue
		}
		text := d.copyPlaces(k, m)
		if was, ok := places[x.Unit]; ok && was != text {
			return fmt.Errorf("cannot write the mapping: copies of %s run on %s, but other copies of their unit run "+
				"on %s", x.Of, text, was)
		} else if !ok {
			order = append(order, x.Unit)
		}
		places[x.Unit] = text
		names[x.Unit] = append(names[x.Unit], x.Of)
	}
	for _, unit := range order {
		writeMap(out, names[unit], "to "+places[unit])
	}
	return nil
}

// copyPlaces returns the resources of a kernel's copies in X syntax, such as "2 proc[1] & proc[2]". first is the first
// copy.
func (d *Design) copyPlaces(first int, m *flow.Mapping) string {
	x := d.Program.Kernels[first].Replica
	turns := make([]int, x.Count)
	for _, c := range x.Turns {
		turns[c]++
	}
	var parts []string
	for i, n := range turns {
		at := d.Problem.Architecture.Resources[m.Place[first+i]].Name
		if n > 1 {
			at = fmt.Sprintf("%d %s", n, at)
		}
		parts = append(parts, at)
	}
	return strings.Join(parts, " & ")
}

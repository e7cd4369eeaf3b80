package xlang

import (
	"slices"
	"strings"

	"xopt/internal/fault"
)

// arrow separates the two ports in the names of edges without a label.
const arrow = "->"

// edgeEnds finds edges by the ports at their ends.
type edgeEnds struct {
	spelled map[string][]int // edges without a label, by their names in messages
	names   []string         // some of these names, for suggestions
	from    map[leafPort][]int
}

func (e *elaborator) indexEnds() {
	if e.byEnds != nil {
		return
	}
	e.byEnds = &edgeEnds{spelled: make(map[string][]int), from: make(map[leafPort][]int)}
	for i := range e.program.Edges {
		edge := &e.program.Edges[i]
		e.byEnds.from[leafPort{edge.From, edge.FromPort}] = append(e.byEnds.from[leafPort{edge.From, edge.FromPort}], i)
		if strings.Contains(edge.Name, arrow) {
			e.byEnds.spelled[edge.Name] = append(e.byEnds.spelled[edge.Name], i)
			if len(e.byEnds.names) < maxSuggestions {
				e.byEnds.names = append(e.byEnds.names, edge.Name)
			}
		}
	}
}

// String formats a kernel or a labeled edge in X syntax, and other edges as in messages.
func (t *thing) String() string {
	s := t.From.String()
	if t.To != nil {
		s += arrow + t.To.String()
	}
	if t.Pick != nil {
		s += t.Pick.String()
	}
	return s
}

// between returns the edges with the given ends. In messages, the name of an edge without a label is top.a.y->b.x, in
// which the second end is relative to the block of the first end. Both ends may also be complete, as in top.a.y ->
// top.b.x. The kernel ports at its ends identify an edge.
func (e *elaborator) between(t *thing) ([]int, *mistake) {
	e.indexEnds()
	name := t.String()
	if found := e.byEnds.spelled[name]; found != nil {
		return found, nil
	}
	from, to, _ := strings.Cut(name, arrow)
	for at := 0; ; { // without the common prefix of both ends
		point := strings.IndexByte(from[at:], '.')
		if point < 0 || !strings.HasPrefix(to, from[:at+point+1]) {
			break
		}
		at += point + 1
		if found := e.byEnds.spelled[from+arrow+to[at:]]; found != nil {
			return found, nil
		}
	}
	found, err := e.joining(t)
	if err != nil {
		return nil, err
	}
	if found == nil && !e.isUnread(&t.From) && !e.isUnread(t.To) && e.program.Top != "" {
		return nil, &mistake{fault.UnknownEdge, position(t.From.Pos), "no edge leads from " + quote(t.From.String()) +
			" to " + quote(t.To.String()), didYouMean(name, e.byEnds.names)}
	}
	return found, nil
}

// joining returns the edges from some kernels' ports to other kernels' ports. The name of the second end is complete,
// or relative to a block that contains the first end.
func (e *elaborator) joining(t *thing) ([]int, *mistake) {
	if len(t.From.Segments) < 2 || t.Pick != nil {
		return nil, nil
	}
	fromPorts, err := e.kernelPorts(&t.From, false)
	if err != nil || fromPorts == nil {
		return nil, err
	}
	var wrong *mistake
	for depth := 0; depth < len(t.From.Segments)-1; depth++ {
		to := ref{Pos: t.To.Pos, Segments: append(slices.Clone(t.From.Segments[:depth]), t.To.Segments...)}
		toPorts, err := e.kernelPorts(&to, true)
		if err != nil {
			wrong = err
			continue
		}
		var out []int
		for _, p := range fromPorts {
			for _, i := range e.byEnds.from[p] {
				if slices.Contains(toPorts, leafPort{e.program.Edges[i].To, e.program.Edges[i].ToPort}) {
					out = append(out, i)
				}
			}
		}
		if out != nil {
			return out, nil
		}
	}
	return nil, wrong
}

// kernelPorts resolves KERNEL.port. Without an index, the name of an array refers to the entire array.
func (e *elaborator) kernelPorts(r *ref, input bool) ([]leafPort, *mistake) {
	n := len(r.Segments)
	if n < 2 {
		return nil, nil
	}
	kernels, err := e.kernels.find(e, &ref{Pos: r.Pos, Segments: r.Segments[:n-1]})
	if err != nil {
		return nil, err
	}
	var out []leafPort
	last := &r.Segments[n-1]
	for _, k := range kernels {
		ports := e.program.Kernels[k].Outputs
		if input {
			ports = e.program.Kernels[k].Inputs
		}
		var named []int
		isArray := false
		for i, p := range ports {
			if baseName(p.Name) == last.Name {
				named = append(named, i)
				isArray = strings.HasSuffix(p.Name, "]")
			}
		}
		if named == nil {
			continue
		}
		chosen, err := e.choose(last.Index, indexed{last.Name, len(named), isArray, true}, position(last.Pos),
			e.program.TopConfig)
		if err != nil {
			return nil, err
		}
		for _, c := range chosen {
			out = append(out, leafPort{k, named[c]})
		}
	}
	return out, nil
}

package xlang

import (
	"fmt"
	"slices"
	"strconv"

	"xopt/flow/faults"
)

// maxTurns limits the batches in a round of turns.
const maxTurns = 4096

// isRange reports whether a reference names several elements of an array, such as proc[1..4] or proc[*].
func isRange(r *ref) bool {
	ix := r.Segments[len(r.Segments)-1].Index
	return ix != nil && (ix.All || ix.Hi != nil)
}

// mapCopies maps kernels to several resources. The kernels form a unit, and a copy of the unit runs on each resource.
func (e *elaborator) mapCopies(s *mapStmt, mapped map[int]Map) {
	pos := position(s.Pos)
	if len(s.To) > 1 {
		e.failf(faults.MapSeparators, pos, "write & between the resources of copies: map { top.fir } to proc[1] & "+
			"proc[2];", "map separates resources by commas and by &")
		return
	}
	items := append([]copyItem{{Pos: s.To[0].Pos, Turns: s.Turns, On: s.To[0]}}, s.Copies...)
	var copies []Copy
	isOpen := !slices.ContainsFunc(items, func(c copyItem) bool { return c.Turns != nil })
	round := 0
	for i := range items {
		turns, ok := e.turns(&items[i])
		if _, link := e.linkIndex[items[i].On.String()]; link {
			e.failf(faults.MapOfWrongKind, position(items[i].On.Pos), "map copies of kernels to resources, and edges "+
				"to one route", "copies cannot run on %s, which is a link", items[i].On.String())
			return
		}
		on := e.resourceRefs(&items[i].On)
		e.needsResource(s, []ref{items[i].On})
		if !ok || len(on) == 0 {
			return
		}
		for _, r := range on {
			copies = append(copies, Copy{Resource: r, Turns: turns, Pos: position(items[i].Pos)})
			round += turns
		}
	}
	if round > maxTurns {
		e.failf(faults.TooLarge, pos, "use smaller numbers of batches", "the copies process %d batches in one round "+
			"of turns, but at most %d are possible", round, maxTurns)
		return
	}
	if len(copies) == 1 {
		if items[0].Turns != nil {
			e.failf(faults.CopiesMisplaced, position(items[0].Pos), "omit the number of batches, or name a "+
				"resource for each copy, such as proc[1] & proc[2]",
				"the number %s has no effect, because a single copy receives all batches", *items[0].Turns)
			return
		}
		copies = nil // a single copy with all turns
	}
	e.copied++
	first := e.firstOf(copies, &items[0].On)
	for _, k := range e.kernelRefs(s.What.Refs) {
		m := Map{Kernel: k, Edge: -1, Resource: first, Copies: copies, Unit: e.copied, Open: isOpen && copies != nil,
			Pos: pos}
		if old, ok := mapped[k]; ok {
			e.mappedTwice(pos, old.Pos, fmt.Sprintf("kernel %s is mapped twice", e.program.Kernels[k].Name),
				"name all copies of a kernel in one map statement")
			continue
		}
		mapped[k] = m
		e.program.Maps = append(e.program.Maps, m)
	}
}

// firstOf returns the resource of the first copy or, without copies, the named resource.
func (e *elaborator) firstOf(copies []Copy, on *ref) int {
	if len(copies) > 0 {
		return copies[0].Resource
	}
	return e.resourceRefs(on)[0]
}

// turns returns the number of batches that a copy processes in a round, or false after an error.
func (e *elaborator) turns(c *copyItem) (int, bool) {
	if c.Turns == nil {
		return 1, true
	}
	n, err := strconv.Atoi(*c.Turns)
	if err != nil || n < 1 || n > maxTurns {
		e.failf(faults.WrongConfigValue, position(c.Pos), fmt.Sprintf("write a whole number of batches from 1 to %d, "+
			"such as 2 proc[1]", maxTurns), "the relative number of batches of a copy is %s",
			*c.Turns)
		return 0, false
	}
	return n, true
}

// Copies reports for each edge whether it repeats an earlier edge of the same output port. A port that feeds several
// edges sends every element on each of them (a broadcast), but its output counts once. The edges to the copies of a
// kernel ([Program.Replicate]) divide the output of their port, so none of them repeats another edge.
func (p *Program) Copies() []bool {
	type port struct{ kernel, port int }
	first := make(map[port]int, len(p.Edges)) // original edge, before the kernels were copied
	copies := make([]bool, len(p.Edges))
	for e := range p.Edges {
		at, origin := port{p.Edges[e].From, p.Edges[e].FromPort}, e
		if p.Edges[e].Origin > 0 {
			origin = p.Edges[e].Origin - 1
		}
		was, seen := first[at]
		if copies[e] = seen && (was != origin || !p.Edges[e].Shared); !seen {
			first[at] = origin
		}
	}
	return copies
}

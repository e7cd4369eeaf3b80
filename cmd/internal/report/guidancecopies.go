package report

import (
	"fmt"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// uneven is from what difference on, as a part of the run, copies of a kernel do not work equally long.
const uneven = 0.1

// atCopies says what to do about an edge to copies of a kernel, or from them, whose writer waits for space; "" of other
// edges. Copies take batches in a fixed round of turns, so that all go as fast as the slowest can for its turns: behind
// it, a larger buffer only fills later.
func atCopies(r *result.Result, edge string) string {
	at := indexOf(r.Edges, func(e *result.Edge) bool { return e.Name == edge })
	if at < 0 {
		return ""
	}
	for _, name := range []string{r.Edges[at].To, r.Edges[at].From} {
		k := indexOf(r.Kernels, func(k *result.Kernel) bool { return k.Name == name })
		if k < 0 || r.Kernels[k].CopyOf == "" {
			continue
		}
		most, least := busiest(r, r.Kernels[k].CopyOf)
		if most == nil {
			continue
		}
		if !turnsMatter(most, least) {
			return fmt.Sprintf("the copies of %s take turns, and wait for each other where their times vary: enlarge "+
				"the buffers of all of them alike, buffer { %s } = …;", r.Kernels[k].CopyOf, declaredEdge(edge))
		}
		return fmt.Sprintf("a larger buffer does not help: the copies of %s take turns, and wait for %s, which worked "+
			"%s of the run, and %s %s: change their turns (2 proc[1] & proc[2]), or run with --unordered where order "+
			"does not matter", r.Kernels[k].CopyOf, most.Kernel, units.Percent(float64(most.Utilization)), least.Kernel,
			units.Percent(float64(least.Utilization)))
	}
	return ""
}

// turnsMatter reports whether copies do not work equally long: by a part of the run, or, where they work little,
// because one takes more firings than another.
func turnsMatter(most, least *result.MeasuredKernel) bool {
	const more = 1.5
	return most.Utilization-least.Utilization >= uneven ||
		float64(most.Utilization) > more*float64(least.Utilization) &&
			float64(most.Firings) > more*float64(least.Firings)
}

// busiest are the copies of a kernel that worked most and least; nil where a run has none.
func busiest(r *result.Result, of string) (most, least *result.MeasuredKernel) {
	for i := range r.Measured.Kernels {
		x := &r.Measured.Kernels[i]
		k := indexOf(r.Kernels, func(k *result.Kernel) bool { return k.Name == x.Kernel })
		if k < 0 || r.Kernels[k].CopyOf != of {
			continue
		}
		if most == nil || x.Utilization > most.Utilization {
			most = x
		}
		if least == nil || x.Utilization < least.Utilization {
			least = x
		}
	}
	return most, least
}

// declaredEdge is the name of an edge as it is declared, which buffer statements know: of one of those to or from
// copies, such as top.e#2, that of all of them. Names in X files have no #.
func declaredEdge(name string) string {
	name, _, _ = strings.Cut(name, "#")
	return name
}

// indexOf is the first of a list for which something holds; -1 for none.
func indexOf[T any](list []T, holds func(*T) bool) int {
	for i := range list {
		if holds(&list[i]) {
			return i
		}
	}
	return -1
}

package mapper

import (
	"fmt"
	"strings"

	"xopt/internal/units"
)

// shownLeftOut is the maximum number of names in one reason.
const shownLeftOut = 4

// leftOut lists the placements that implementations and constraints permit but the search space excludes, with the
// reasons. The reasons are missing links between resources, and kernels that are larger than an FPGA. A proof of
// optimality does not cover these placements.
func (s *space) leftOut() []string {
	var texts []string
	if pairs := s.unjoined(); len(pairs) > 0 {
		texts = append(texts, fmt.Sprintf("the architecture has no link %s: the search omits mappings that need "+
			"such a link (declare the link if the machine has it)",
			listed(pairs, " or ")))
	}
	var large []string
	for u, kernels := range s.units {
		for _, r := range s.tooLarge[u] {
			large = append(large, fmt.Sprintf("%s on %s", s.problem.Application.Kernels[kernels[0]].Name,
				s.problem.Architecture.Resources[r].Name))
		}
	}
	if len(large) > 0 {
		texts = append(texts, fmt.Sprintf("not enough area for %s: the search omits these placements",
			listed(large, ", ")))
	}
	return texts
}

// unjoined lists the pairs of resources that some mapping would need to connect, but that no link connects. It lists
// one pair of resources per pair of classes.
func (s *space) unjoined() []string {
	type pair struct{ from, to int }
	n := len(s.class)
	without := make(map[pair]bool) // pairs of classes without a link
	example := make(map[pair]pair)
	var order []pair
	for a := range n {
		for b := range n {
			if a == b || len(s.routes.Between(a, b)) > 0 {
				continue
			}
			if p := (pair{s.class[a], s.class[b]}); !without[p] {
				without[p], example[p] = true, pair{a, b}
				order = append(order, p)
			}
		}
	}
	if len(order) == 0 {
		return nil
	}
	needed := make(map[pair]bool)
	for _, edge := range s.problem.Application.Edges {
		u, v := s.unitOf[edge.From], s.unitOf[edge.To]
		if u == v || len(needed) == len(order) {
			continue
		}
		for _, p := range order {
			if s.isIn[u][p.from] && s.isIn[v][p.to] {
				needed[p] = true
			}
		}
	}
	var names []string
	for _, p := range order {
		if needed[p] {
			x := example[p]
			names = append(names, fmt.Sprintf("from %s to %s", s.problem.Architecture.Resources[x.from].Name,
				s.problem.Architecture.Resources[x.to].Name))
		}
	}
	return names
}

// listed joins names. It replaces those beyond shownLeftOut by their number.
func listed(names []string, separator string) string {
	n := units.Shown(len(names), shownLeftOut)
	if n == len(names) {
		return strings.Join(names, separator)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}

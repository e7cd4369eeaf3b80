package report

import (
	"fmt"
	"strings"

	"xopt/mapper/result"
)

// doubts are reasons not to trust the answer.
func doubts(r *result.Result) []Fact {
	list := wrongFigures(r)
	if r.ProfileDisturbed != "" && predicts(r) {
		list = append(list, Fact{"Profile", "disturbed", "when it was measured: " + r.ProfileDisturbed})
	}
	if m := r.Measured; m != nil && m.Disturbed != "" {
		list = append(list, Fact{"Machine", "disturbed", "in the run: " + m.Disturbed})
	}
	return list
}

// wrongFigures are figures that are not those of the kernels at hand.
func wrongFigures(r *result.Result) []Fact {
	var list []Fact
	if len(r.Mismatched) > 0 {
		note := "its output there differs from that on a core, so it is not placed there: "
		if r.MismatchAllowed {
			note = "its output there differs from that on a core: "
		}
		list = append(list, Fact{"Mismatch", where(r.Mismatched), note + reasons(r.Mismatched)})
	}
	if len(r.Stale) > 0 {
		list = append(list, Fact{"Stale figures", where(r.Stale), reasons(r.Stale) + "; measure them again with: " +
			r.Remeasure})
	}
	return list
}

// maxNamed is how many kernels, or reasons, are told.
const maxNamed = 3

func where(list []result.Doubted) string {
	var names []string
	for i, x := range list {
		if i == maxNamed {
			names = append(names, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		names = append(names, x.Kernel+" on "+strings.Join(x.Resources, ", "))
	}
	return strings.Join(names, "; ")
}

func reasons(list []result.Doubted) string {
	var texts []string
	seen := make(map[string]bool)
	for _, x := range list {
		if !seen[x.Why] {
			seen[x.Why] = true
			texts = append(texts, x.Why)
		}
	}
	if len(texts) > maxNamed {
		texts = append(texts[:maxNamed], fmt.Sprintf("and %d more reasons", len(texts)-maxNamed))
	}
	return strings.Join(texts, "; ")
}

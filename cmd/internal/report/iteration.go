package report

import (
	"fmt"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// mostFirings is how many kernels of an iteration are named.
const mostFirings = 8

// iteration says how often an application with static counts goes through an iteration.
func (p *script) iteration(x *result.Iteration) {
	if x != nil {
		rate, fires := iterationWords(x)
		p.lead("Iterations", "%s; %s", rate, fires)
	}
}

// iterationWords are how many iterations there are, and what one is.
func iterationWords(x *result.Iteration) (rate, fires string) {
	var parts []string
	for i, f := range x.Firings {
		if i == mostFirings {
			parts = append(parts, fmt.Sprintf("%d more", len(x.Firings)-mostFirings))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d", f.Kernel, f.Times))
	}
	return units.Count(float64(x.Rate)) + "/s", "one fires " + strings.Join(parts, ", ")
}

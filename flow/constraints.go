package flow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Constraints are the user's restrictions on a mapping, in addition to the restrictions of the problem. The zero value
// contains none.
type Constraints struct {
	// Fixed contains, for each kernel, the allowed resources; nil allows all resources.
	Fixed [][]int
	// Forbidden contains, for each kernel, the forbidden resources.
	Forbidden [][]int
	// Together contains groups of kernels that must share a resource.
	Together [][]int
	// Separate contains groups of kernels that must all run on different resources.
	Separate [][]int
}

// Fault is a requirement that a mapping violates, in words.
type Fault struct {
	Kernels []int
	Text    string
}

// Check returns all violated constraints, and all reasons why a mapping is infeasible.
func (c *Constraints) Check(p *Problem, m *Mapping) []Fault {
	var faults []Fault
	if _, err := NewNetwork(p, m); err != nil {
		var infeasible *InfeasibleError
		if !errors.As(err, &infeasible) {
			return []Fault{{Text: err.Error()}}
		}
		for _, v := range infeasible.Violations {
			f := Fault{Text: v.Text}
			if v.Kernel >= 0 {
				f.Kernels = []int{v.Kernel}
			}
			faults = append(faults, f)
		}
	}
	if len(m.Place) != len(p.Application.Kernels) {
		return faults
	}
	name := func(k int) string { return p.Application.Kernels[k].Name }
	on := func(k int) string { return p.Architecture.Resources[m.Place[k]].Name }
	for k, r := range m.Place {
		if r < 0 || r >= len(p.Architecture.Resources) {
			return faults
		}
		if len(c.Fixed) > 0 && c.Fixed[k] != nil && !slices.Contains(c.Fixed[k], r) {
			faults = append(faults, Fault{[]int{k}, fmt.Sprintf("kernel %s runs on %s, but is fixed to %s", name(k),
				on(k), ResourceNames(p, c.Fixed[k]))})
		}
		if len(c.Forbidden) > 0 && slices.Contains(c.Forbidden[k], r) {
			faults = append(faults, Fault{[]int{k}, fmt.Sprintf("kernel %s runs on %s, which is forbidden for it",
				name(k), on(k))})
		}
	}
	for _, g := range c.Together {
		for _, k := range g[min(1, len(g)):] {
			if m.Place[k] != m.Place[g[0]] {
				faults = append(faults, Fault{[]int{g[0], k},
					fmt.Sprintf("kernels %s and %s must be together, but run on %s and %s", name(g[0]), name(k),
						on(g[0]), on(k))})
			}
		}
	}
	for _, g := range c.Separate {
		for i, k := range g {
			for _, other := range g[:i] {
				if m.Place[k] == m.Place[other] {
					faults = append(faults, Fault{[]int{other, k},
						fmt.Sprintf("kernels %s and %s must be apart, but both run on %s", name(other), name(k),
							on(k))})
				}
			}
		}
	}
	return faults
}

// ResourceNames returns the names of some resources of a problem as a list in words.
func ResourceNames(p *Problem, resources []int) string {
	names := make([]string, len(resources))
	for i, r := range resources {
		names[i] = p.Architecture.Resources[r].Name
	}
	return strings.Join(names, " or ")
}

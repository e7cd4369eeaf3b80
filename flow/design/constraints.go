package design

import (
	"slices"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/xlang"
)

// constraints lowers fix, forbid, together and apart. A kernel that is fixed
// twice must satisfy both.
func (b *builder) constraints() {
	kernels, resources := len(b.prog.Kernels), len(b.prog.Resources)
	c := &flow.Constraints{Fixed: make([][]int, kernels), Forbidden: make([][]int, kernels)}
	fixedAt := make([]*xlang.Pos, kernels)
	for i := range b.prog.Fixes {
		f := &b.prog.Fixes[i]
		for _, k := range f.Kernels {
			if fixedAt[k] == nil {
				c.Fixed[k] = unique(f.Resources)
				fixedAt[k] = &f.Pos
				continue
			}
			both := slices.DeleteFunc(unique(f.Resources), func(r int) bool { return !slices.Contains(c.Fixed[k], r) })
			if len(both) == 0 {
				b.diag.conflict(faults.FixedApart, f.Pos, *fixedAt[k], "keep one", "kernel %s is fixed to two places "+
					"that have no resource in common", b.prog.Kernels[k].Name)
				continue
			}
			c.Fixed[k], fixedAt[k] = both, &f.Pos
		}
	}
	for _, f := range b.prog.Forbids {
		for _, k := range f.Kernels {
			c.Forbidden[k] = unique(append(c.Forbidden[k], f.Resources...))
		}
	}
	for _, g := range b.prog.Together {
		c.Together = append(c.Together, unique(g.Kernels))
	}
	for _, g := range b.prog.Apart {
		c.Apart = append(c.Apart, unique(g.Kernels))
	}
	b.d.Constraints = c
	b.allowed = make([][]bool, kernels)
	for k := range b.allowed {
		b.allowed[k] = make([]bool, resources)
		for r := range b.allowed[k] {
			b.allowed[k][r] = (c.Fixed[k] == nil || slices.Contains(c.Fixed[k], r)) && !slices.Contains(c.Forbidden[k],
				r)
		}
	}
}

// unique returns the numbers in ascending order, each once.
func unique(list []int) []int {
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

package predict

import (
	"slices"

	"xopt/flow/design"
	"xopt/mapper/result"
)

// Add takes the kernels and edges into a result that a design has besides: copies, of which its candidates have others
// than those of the design that the result is of.
func Add(r *result.Result, d *design.Design) {
	all := Describe(d)
	for _, k := range all.Kernels {
		if !slices.ContainsFunc(r.Kernels, func(x result.Kernel) bool {
			return x.Name == k.Name && x.Copies == k.Copies
		}) {
			r.Kernels = append(r.Kernels, k)
		}
	}
	for _, e := range all.Edges {
		if !slices.ContainsFunc(r.Edges, func(x result.Edge) bool {
			return x.Name == e.Name && x.From == e.From && x.To == e.To
		}) {
			r.Edges = append(r.Edges, e)
		}
	}
	for _, n := range d.Notes {
		if !slices.Contains(r.Notes, n) {
			r.Notes = append(r.Notes, n)
		}
	}
}

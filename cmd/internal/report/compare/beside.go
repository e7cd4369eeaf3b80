package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/cmd/internal/report"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// Alike returns an error if two results are of different applications: if one has kernels or edges that the other
// lacks. Copies of a kernel count as the kernel, and copies of an edge as the edge.
func Alike(a, b *result.Result) error {
	if len(a.Kernels) == 0 || len(b.Kernels) == 0 {
		return nil
	}
	var parts []string
	for _, x := range []struct {
		what  string
		names func(*result.Result) []string
	}{{"kernel", kernelNames}, {"edge", edgeNames}} {
		first, second := x.names(a), x.names(b)
		for _, y := range []struct {
			where string
			names []string
		}{{"first", without(first, second)}, {"second", without(second, first)}} {
			if len(y.names) > 0 {
				parts = append(parts, fmt.Sprintf("only the %s has %s", y.where, some(x.what, y.names)))
			}
		}
		if len(parts) > 0 { // edges follow from kernels
			break
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return faults.DifferentApplications.Errorf("the results are of different applications: %s", strings.Join(parts,
		"; "))
}

func kernelNames(r *result.Result) []string {
	var names []string
	for i := range r.Kernels {
		names = append(names, r.Kernels[i].Declared())
	}
	return distinct(names)
}

func edgeNames(r *result.Result) []string {
	var names []string
	kernels := make(map[string]string)
	for i := range r.Kernels {
		kernels[r.Kernels[i].Name] = r.Kernels[i].Declared()
	}
	for i := range r.Edges {
		e := &r.Edges[i]
		name, from, to := e.Name, e.From, e.To
		if kernels[from] != "" && kernels[to] != "" && (kernels[from] != from || kernels[to] != to) {
			name, _, _ = strings.Cut(name, "#")
			from, to = kernels[from], kernels[to]
		}
		names = append(names, fmt.Sprintf("%s from %s.%s to %s.%s", name, from, e.FromPort, to, e.ToPort))
	}
	return distinct(names)
}

// distinct returns names in their order, each once.
func distinct(names []string) []string {
	seen := make(map[string]bool, len(names))
	return slices.DeleteFunc(names, func(n string) bool {
		before := seen[n]
		seen[n] = true
		return before
	})
}

// copies reports the kernels whose numbers of copies differ.
func (d *Difference) copies(a, b *result.Result) {
	count := func(r *result.Result) map[string]int {
		n := make(map[string]int)
		for i := range r.Kernels {
			n[r.Kernels[i].Declared()]++
		}
		return n
	}
	before, after := count(a), count(b)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if x, y := before[name], after[name]; x != y && y > 0 {
			d.remark(faults.CopiesChanged, "copies of %s: %d, then %d", name, x, y)
		}
	}
}

// without lists those of some names that are not among others.
func without(names, others []string) []string {
	there := make(map[string]bool, len(others))
	for _, n := range others {
		there[n] = true
	}
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return there[n] })
}

// some names a few things.
func some(what string, names []string) string {
	const most = 3
	if len(names) > most {
		return fmt.Sprintf("%ss %s and %d more", what, strings.Join(names[:most], ", "), len(names)-most)
	}
	if len(names) > 1 {
		what += "s"
	}
	return what + " " + strings.Join(names, ", ")
}

// besides puts what one result predicts beside what the other has measured, of the same
// mapping.
func (d *Difference) besides(a, b *result.Result) {
	predicted, run := a, b
	if a.Measured != nil && b.Measured == nil {
		predicted, run = b, a
	}
	if predicted.Measured != nil || run.Measured == nil || len(predicted.Candidates) == 0 {
		return
	}
	if m := run.Measured; m.Disturbed != "" {
		d.remark(faults.RunDisturbed, "the machine was disturbed in the run: %s", m.Disturbed)
	}
	for i := range predicted.Candidates {
		c := &predicted.Candidates[i]
		if predict.SamePlaces(c, run.Measured) {
			d.Beside, d.BesideOf = predict.Compare(c, run.Measured), c.Name
			d.remark(faults.CandidateRan, "the mapping that ran is candidate %s of the prediction; its throughput was "+
				"%s", c.Name, report.Basis(c))
			return
		}
	}
	d.remark(faults.MappingNotPredicted, "the mapping that ran is not one of the %d predicted ones: nothing is "+
		"compared; predict it with xopt eval", len(predicted.Candidates))
}

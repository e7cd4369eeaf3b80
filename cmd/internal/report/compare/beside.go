package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/cmd/internal/report"
	"xopt/internal/safetext"
	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// content is a kind of figures in results.
type content struct {
	name  string
	holds bool
}

// contents returns the kinds of figures that diff compares, and whether a result contains them. Another function
// compares profiles, kernel by kernel.
func contents(r *result.Result) []content {
	return []content{{"points of a sweep", r.Sweep != nil && len(r.Sweep.Points) > 0},
		{"runs of a validation", r.Validation != nil}, {predictedMappings, len(r.Candidates) > 0},
		{oneRun, r.Measured != nil}}
}

// Kinds of figures that diff compares.
const predictedMappings, oneRun = "predicted mappings", "a run"

// Comparable returns an error if two results have no kind of figures in common.
func Comparable(a, b *result.Result) error {
	shared := a.Profile != nil && b.Profile != nil || isBeside(a, b) || isBeside(b, a)
	var names [2][]string
	y := contents(b)
	for i, x := range contents(a) {
		shared = shared || x.holds && y[i].holds
		if x.holds {
			names[0] = append(names[0], x.name)
		}
		if y[i].holds {
			names[1] = append(names[1], x.name)
		}
	}
	if shared || len(names[0])+len(names[1]) == 0 {
		return nil
	}
	origin := func(i int) string { return cmp.Or(strings.Join(names[i], " and "), "no figures") }
	return faults.DifferentKinds.Errorf("the results have no comparable figures: the first result has %s, "+
		"and the second result has %s (compare results of the same command)", origin(0), origin(1))
}

// unshared adds the kinds of figures that only one of the two results contains. Diff does not compare these figures.
func (d *Difference) unshared(a, b *result.Result) {
	y := contents(b)
	for i, x := range contents(a) {
		if x.holds == y[i].holds || (isBeside(a, b) || isBeside(b, a)) && (x.name == predictedMappings ||
			x.name == oneRun) {
			continue
		}
		d.Unlike = append(d.Unlike, fmt.Sprintf("%s: only in the %s result, not compared", x.name,
			map[bool]string{true: "first", false: "second"}[x.holds]))
	}
}

// isBeside reports whether diff compares one result's predictions with the other result's run.
func isBeside(predicted, run *result.Result) bool {
	return predicted.Measured == nil && run.Measured != nil && len(predicted.Candidates) > 0
}

// Alike returns an error if two results belong to different applications: one result has kernels or edges that the
// other result lacks. Copies count as the kernel or edge that they copy.
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
				parts = append(parts, fmt.Sprintf("only the %s result has %s", y.where, some(x.what, y.names)))
			}
		}
		if len(parts) > 0 { // edges depend on kernels
			break
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return faults.DifferentApplications.Errorf("the results are of different applications: %s (compare results of "+
		"one application)", strings.Join(parts,
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

// distinct removes duplicate names and preserves the order.
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
			d.remark(faults.CopiesChanged, "the number of copies of %s changed from %d to %d", name, x, y)
		}
	}
}

// without returns the names that are not among others.
func without(names, others []string) []string {
	there := make(map[string]bool, len(others))
	for _, n := range others {
		there[n] = true
	}
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return there[n] })
}

// some lists a few names and counts the remaining names.
func some(what string, names []string) string {
	const maximum = 3
	if len(names) > maximum {
		return fmt.Sprintf("%ss %s", what, units.Some(names, maximum))
	}
	if len(names) > 1 {
		what += "s"
	}
	return what + " " + strings.Join(names, ", ")
}

// besides compares the prediction of one result with the run of the other result, for the same mapping.
func (d *Difference) besides(a, b *result.Result) {
	predicted, run := a, b
	if isBeside(b, a) {
		predicted, run = b, a
	}
	if !isBeside(predicted, run) {
		return
	}
	if m := run.Measured; m.Disturbed != "" {
		d.remark(faults.RunDisturbed, "the machine was disturbed during the run: %s", m.Disturbed)
	}
	for i := range predicted.Candidates {
		c := &predicted.Candidates[i]
		if predict.SamePlaces(c, run.Measured) {
			d.Comparisons, d.BesideOf = predict.Compare(c, run.Measured), c.Name
			d.remark(faults.CandidateRan, "the mapping that ran is candidate %s of the prediction; its throughput was "+
				"%s", c.Name, report.Basis(c))
			return
		}
	}
	d.remark(faults.MappingNotPredicted, "the mapping that ran is not one of the %d predicted mappings, so xopt "+
		"does not compare them; compare the run with: %s", len(predicted.Candidates), evaluation(run))
}

// evaluation returns the command that predicts the mapping of a run, with the files, profile and settings of its
// command line.
func evaluation(run *result.Result) string {
	line := []string{"xopt", "eval"}
	for _, x := range run.Inputs {
		if slices.Contains(run.Command, x.Path) {
			line = append(line, x.Path)
		}
	}
	for i, arg := range run.Command {
		if (arg == "--profile" || arg == "--set") && i+1 < len(run.Command) {
			line = append(line, arg, run.Command[i+1])
		}
	}
	return safetext.ShellLine(append(line, "--json")) + " > predicted.result.json"
}

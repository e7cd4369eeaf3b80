package report

import (
	"cmp"
	"fmt"
	"strings"

	"xopt/calibrate"
	"xopt/cmd/faults"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/units"
)

// NodeNotes returns notes on omitted and doubtful results of each node of a campaign. It also reports whether anything
// was omitted. budget is the campaign's budget; "" for none.
func NodeNotes(list []profile.Measured, budget string) (notes []string, lacks bool) {
	doubts := false
	for i := range list {
		n, p := &list[i], list[i].Profile
		if text := p.Disturbance(); text != "" {
			notes = append(notes, faults.MachineDisturbed.Textf("warning: node %s was disturbed: %s", n.Node, text))
			doubts = true
		}
		if x := Extrapolated(p); len(x) > 0 {
			notes = append(notes, faults.MachineSlow.Textf("warning: node %s was slow in all windows of %s: the "+
				"undisturbed rates of these kernels are extrapolated", n.Node, strings.Join(design.Ranges(x), ", ")))
		}
		var unsure []calibrate.Doubt
		for j := range p.Kernels {
			if k := &p.Kernels[j]; k.Doubt != "" {
				unsure = append(unsure, calibrate.Doubt{Kernel: cmp.Or(k.Instance, k.Block), Why: k.Doubt})
			}
		}
		for _, x := range calibrate.Doubts(unsure) {
			notes = append(notes, fmt.Sprintf("note: node %s: %s", n.Node, x))
			doubts = true
		}
		if c := p.Conditions; c != nil && c.Incomplete != "" {
			notes = append(notes, faults.ProfileIncomplete.Textf("warning: the profile of node %s is incomplete: %s",
				n.Node, c.Incomplete))
			lacks = true
		}
	}
	switch {
	case lacks && budget != "":
		notes = append(notes, faults.LongerBudget.Textf("note: to measure the missing figures, submit the campaign "+
			"to a new folder with a --budget above %s", budget))
	case lacks || doubts:
		notes = append(notes, faults.MeasureAgain.Textf("note: to measure the doubtful figures again, submit the "+
			"campaign to a new folder when the nodes are quiet"))
	}
	return notes, lacks
}

// TypeHead returns the line above the figures of a machine type.
func TypeHead(y *profile.Type, number int) string {
	m := &y.Machine
	words := []string{m.CPU, units.Counted(m.Cores, "core", "cores"), m.Kernel}
	if y.Caches != "" {
		words = append(words, y.Caches)
	}
	alike := "no differences between nodes"
	switch {
	case len(y.Nodes) == 1:
		alike = "no other node to compare"
	case len(y.Odd) > 0:
		var odd []string
		for _, o := range y.Odd {
			odd = append(odd, o.Node)
		}
		alike = "odd nodes: " + strings.Join(odd, ", ")
	}
	return fmt.Sprintf("Type %d: %s; %s, %s", number, strings.Join(words, ", "),
		units.Counted(len(y.Nodes), "node", "nodes"), alike)
}

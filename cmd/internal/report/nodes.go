package report

import (
	"fmt"
	"math"

	"xopt/flow/profile"
)

// Nodes are the nodes of a cluster by types of machines, with those that are not like the others of their type; for
// each of these, the figures that differ.
func Nodes(types []profile.Type) []Part {
	t := &Table{ID: "nodes", Title: "Nodes by type of machine; measured", Columns: []Column{name("node"),
		name("type"), number("figures"), number("that\ndiffer"), number("largest\nchange"), name("figure"),
		name("verdict")},
		Note: fmt.Sprintf("A node is odd if a figure differs from that of the typical node of its type by more than "+
			"%.0f %% (assumed), and their 95 %% intervals do not meet. The typical node differs least from the others.",
			100*profile.OddChange)}
	parts := []Part{{Table: t}}
	for i := range types {
		y := &types[i]
		typical := &y.Nodes[y.Typical]
		for j := range y.Nodes {
			n := &y.Nodes[j]
			verdict := "alike"
			if j == y.Typical {
				verdict = "typical"
			}
			var odd *profile.Odd
			for k := range y.Odd {
				if y.Odd[k].Node == n.Node {
					odd, verdict = &y.Odd[k], "ODD"
				}
			}
			all := profile.Speeds(typical.Profile, n.Profile)
			cells := []Cell{text(n.Node), text(fmt.Sprint(i + 1)), digits(float64(len(all)), 6)}
			if odd == nil {
				cells = append(cells, digits(0.0, 4), signed(most(all)), text(""), text(verdict))
				t.add(cells...)
				continue
			}
			d := &odd.Differ[0]
			cells = append(cells, digits(float64(len(odd.Differ)), 6), signed(d.Relative()),
				text(d.What+" of "+d.Kernel),
				text(verdict))
			t.add(cells...).Hot = true
			parts = append(parts, Part{Table: Differences(typical.Node, n.Node, odd.Differ)})
		}
	}
	return parts
}

// most is the largest change of a list, with its sign.
func most(list []profile.Difference) float64 {
	largest := 0.
	for i := range list {
		if r := list[i].Relative(); math.Abs(r) > math.Abs(largest) {
			largest = r
		}
	}
	return largest
}

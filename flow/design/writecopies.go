package design

import (
	"fmt"
	"io"
	"strings"

	"xopt/flow"
)

// writeCopies maps kernels that run in copies, those of a unit together.
func (d *Design) writeCopies(out io.Writer, m *flow.Mapping) error {
	for k := range d.Program.Kernels {
		if n := d.Program.Kernels[k].Instances; n > 1 { // on one FPGA
			at := d.Problem.Architecture.Resources[m.Place[k]].Name
			writeList(out, "map", []string{d.Program.Kernels[k].Name}, "to "+at+strings.Repeat(" & "+at, n-1))
		}
	}
	places := make(map[int]string) // of each unit: where its copies run
	names := make(map[int][]string)
	var order []int
	for k := range d.Program.Kernels {
		x := d.Program.Kernels[k].Replica
		if x == nil || x.Index > 0 {
			continue
		}
		text := d.copyPlaces(k, m)
		if was, ok := places[x.Unit]; ok && was != text {
			return fmt.Errorf("writing a mapping: copies of %s run on %s, but those of its unit on %s", x.Of, text, was)
		} else if !ok {
			order = append(order, x.Unit)
		}
		places[x.Unit] = text
		names[x.Unit] = append(names[x.Unit], x.Of)
	}
	for _, unit := range order {
		writeList(out, "map", names[unit], "to "+places[unit])
	}
	return nil
}

// copyPlaces is where the copies of a kernel run, given the first of them: "2 proc[1] & proc[2]".
func (d *Design) copyPlaces(first int, m *flow.Mapping) string {
	x := d.Program.Kernels[first].Replica
	turns := make([]int, x.Count)
	for _, c := range x.Turns {
		turns[c]++
	}
	var parts []string
	for i, n := range turns {
		at := d.Problem.Architecture.Resources[m.Place[first+i]].Name
		if n > 1 {
			at = fmt.Sprintf("%d %s", n, at)
		}
		parts = append(parts, at)
	}
	return strings.Join(parts, " & ")
}

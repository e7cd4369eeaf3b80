package tgff

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Write writes a file in the format of TGFF.
func (f *File) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	for i := range f.Graphs {
		g := &f.Graphs[i]
		period := "APERIODIC"
		if g.Period > 0 {
			period = "PERIOD " + strconv.FormatFloat(g.Period, 'g', -1, 64)
		}
		fmt.Fprintf(b, "@TASK_GRAPH %d {\n\t%s\n\n", g.ID, period)
		for _, t := range g.Tasks {
			fmt.Fprintf(b, "\tTASK %s\tTYPE %d\n", t.Name, t.Type)
		}
		fmt.Fprintln(b)
		for _, a := range g.Arcs {
			fmt.Fprintf(b, "\tARC %s\tFROM %s  TO  %s TYPE %d\n", a.Name, g.Tasks[a.From].Name, g.Tasks[a.To].Name,
				a.Type)
		}
		for _, d := range g.Deadlines {
			fmt.Fprintf(b, "\tHARD_DEADLINE %s ON %s AT %s\n", d.Name, g.Tasks[d.Task].Name,
				strconv.FormatFloat(d.At, 'g', -1, 64))
		}
		fmt.Fprint(b, "}\n\n")
	}
	for _, t := range f.Tables {
		fmt.Fprintf(b, "@%s %d {\n# %s\n", t.Name, t.ID, strings.Join(t.Columns, "  "))
		for _, row := range t.Rows {
			for _, v := range row {
				fmt.Fprintf(b, "  %g", v)
			}
			fmt.Fprintln(b)
		}
		fmt.Fprint(b, "}\n\n")
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing task graphs: %w", err)
	}
	return nil
}

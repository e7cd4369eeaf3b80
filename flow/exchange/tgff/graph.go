package tgff

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"xopt/flow/faults"
)

// File is the content of a .tgff file.
type File struct {
	Graphs []Graph
	Tables []Table
}

// Graph is one task graph. Each task runs once per period, after the data of all its arcs have arrived.
type Graph struct {
	ID        int
	Tasks     []Task
	Arcs      []Arc
	Period    float64 // period in the file's unit of time; 0 for an aperiodic graph
	Deadlines []Deadline
}

// Deadline is the time after the start of a period by which a task must end, in the file's unit.
type Deadline struct {
	Name string
	Task int // index into Graph.Tasks
	At   float64
}

// Task is a node of a [Graph]. Type selects the row with its time in the tables of processing elements.
type Task struct {
	Name string
	Type int
}

// Arc is an edge between tasks, given as indices into Graph.Tasks. Type selects the row with its size in a
// communication table.
type Arc struct {
	Name     string
	From, To int
	Type     int
}

// Table is a table of attributes by type, such as the times of a processing element by task type.
type Table struct {
	Name    string // "PE", "COMMUN"
	ID      int
	Columns []string // names of the columns; the first column is "type"
	Rows    [][]float64
}

// Column returns, by type, the values of the first column that has one of the given names.
func (t *Table) Column(names ...string) (map[int]float64, bool) {
	for _, name := range names {
		for c, column := range t.Columns {
			if c == 0 || column != name {
				continue
			}
			values := make(map[int]float64)
			for _, row := range t.Rows {
				if c < len(row) {
					values[int(row[0])] = row[c]
				}
			}
			return values, true
		}
	}
	return nil, false
}

// check returns an error for a graph with a cycle.
func (g *Graph) check() error {
	waits := make([]int, len(g.Tasks))
	for _, a := range g.Arcs {
		waits[a.To]++
	}
	var ready []int
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	done := 0
	for ; len(ready) > 0; done++ {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, a := range g.Arcs {
			if a.From == i {
				if waits[a.To]--; waits[a.To] == 0 {
					ready = append(ready, a.To)
				}
			}
		}
	}
	if done < len(g.Tasks) {
		return faults.DirectedCycle.Errorf("task graph %d has a cycle, expected an acyclic graph", g.ID)
	}
	return nil
}

// Times returns the execution time of each type of task on a processing element, or false if the table contains no
// times. It omits types that the column valid excludes.
func (t *Table) Times() (map[int]float64, bool) {
	times, ok := t.Column("exec_time", "task_time", "time")
	if !ok {
		return nil, false
	}
	if valid, ok := t.Column("valid"); ok {
		for typ, v := range valid {
			if v == 0 {
				delete(times, typ)
			}
		}
	}
	return times, true
}

// Sizes returns the size in bytes of arcs of each type, from the first communication table that has sizes; nil if there
// is none. Sizes converts columns in bits to bytes.
func (f *File) Sizes() map[int]float64 {
	for i := range f.Tables {
		t := &f.Tables[i]
		if !strings.HasPrefix(t.Name, "COMM") && !strings.HasPrefix(t.Name, "TRANS") {
			continue
		}
		if column, ok := t.Column("bits"); ok {
			for k := range column {
				column[k] /= 8
			}
			return column
		}
		if column, ok := t.Column("bytes", "quantity", "size", "volume", strings.ToLower(t.Name)); ok {
			return column
		}
	}
	return nil
}

// Write writes a file in the TGFF format.
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
		return fmt.Errorf("cannot write the task graphs: %w", err)
	}
	return nil
}

package tgff

import (
	"xopt/flow/faults"
)

// File is what a .tgff file holds.
type File struct {
	Graphs []Graph
	Tables []Table
}

// Graph is one task graph: each task runs once in a period, when all of its arcs have
// brought their data.
type Graph struct {
	ID        int
	Tasks     []Task
	Arcs      []Arc
	Period    float64 // in the file's unit of time; 0 for an aperiodic graph
	Deadlines []Deadline
}

// Deadline is the time after the start of a period by which a task has to end, in the file's unit.
type Deadline struct {
	Name string
	Task int // index into Graph.Tasks
	At   float64
}

// Task is a node. Type is the row in the tables of processing elements that tells its
// time.
type Task struct {
	Name string
	Type int
}

// Arc is an edge between tasks, indices into Graph.Tasks. Type is the row in a table of
// communication that tells its size.
type Arc struct {
	Name     string
	From, To int
	Type     int
}

// Table is a table of attributes by type, such as what a processing element takes for
// each type of task.
type Table struct {
	Name    string // "PE", "COMMUN"
	ID      int
	Columns []string // the first is "type"
	Rows    [][]float64
}

// Column returns the values of the first column with one of the given names, by type.
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

// check reports what is wrong with a graph: arcs that lead nowhere, or in a circle.
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
		return faults.DirectedCycle.Errorf("task graph %d has a cycle", g.ID)
	}
	return nil
}

package cutbound

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"

	"xopt/mapper/simplex"
)

// Trees returns tree rows that every mapping with a maximum load at or below a target satisfies, but that the linear
// relaxation violates. They strengthen the model for other solvers.
func (p *Problem) Trees(ctx context.Context, target int64) []Row {
	const rounds = 40
	s := New(p, 0, target)
	if p.excludesUnit(target) {
		return nil
	}
	t := s.newTry(target)
	for range rounds {
		if t.solve(ctx) != simplex.Solved || t.separate(s) == 0 {
			break
		}
	}
	s.keep(t)
	return s.at.Cuts
}

// MPSScale is the objective value of WriteMPS for a load of One. It is large because solvers print few digits.
const MPSScale = 1000

// WriteMPS writes the problem as a mixed-integer program in free MPS format. The program minimizes the maximum load,
// scaled by MPSScale, and limits it to the target. The columns are:
//   - L: the maximum load
//   - z_U_C_R: whether unit U is on resource R of kind C
//   - x_E: whether edge E connects different resources
//   - w_E: whether edge E connects different kinds of resources
//
// WriteMPS numbers equal resources by their first units, to exclude symmetric mappings. rows contains tree rows for the
// target.
func (p *Problem) WriteMPS(w io.Writer, target int64, rows []Row) error {
	m := &mps{p: p, target: target, entries: make(map[string][]entry)}
	m.places()
	m.loads()
	m.edges()
	for _, name := range rows {
		if r, ok := p.numbers(name, target, p.separatePairs()); ok && name.Rule == Spread {
			m.tree(&r)
		}
	}
	return m.write(w)
}

// mps is the program that WriteMPS builds: rows in order, and columns with their entries.
type mps struct {
	p       *Problem
	target  int64
	rows    []mpsRow
	columns []string
	entries map[string][]entry
}

type mpsRow struct {
	kind  byte // E, L or G
	right float64
}

type entry struct {
	row   int
	value float64
}

func (m *mps) row(kind byte, right float64) int {
	m.rows = append(m.rows, mpsRow{kind, right})
	return len(m.rows) - 1
}

func (m *mps) add(row int, column string, value float64) {
	if value == 0 {
		return
	}
	if _, ok := m.entries[column]; !ok {
		m.columns = append(m.columns, column)
	}
	m.entries[column] = append(m.entries[column], entry{row, value})
}

func z(u, c, r int) string { return fmt.Sprintf("z_%d_%d_%d", u, c, r) }
func x(e int) string       { return fmt.Sprintf("x_%d", e) }
func across(e int) string  { return fmt.Sprintf("w_%d", e) }

// copies returns the number of a kind's resources that a unit may use: one more than the number that earlier units may
// use.
func (m *mps) copies(u, c int) int {
	if !m.p.allowed(u, c, m.target) {
		return 0
	}
	n := int64(1)
	for v := range u {
		if m.p.allowed(v, c, m.target) {
			n++
		}
	}
	return int(min(n, m.p.Kinds[c].Many))
}

// places adds the rows that place each unit on one resource, and the rows for units that constraints separate.
func (m *mps) places() {
	for u := range m.p.Units {
		row := m.row('E', 1)
		for c := range m.p.Kinds {
			for r := range m.copies(u, c) {
				m.add(row, z(u, c, r), 1)
			}
		}
	}
	for _, pair := range m.p.Separate {
		for c := range m.p.Kinds {
			for r := range min(m.copies(pair[0], c), m.copies(pair[1], c)) {
				row := m.row('L', 1)
				m.add(row, z(pair[0], c, r), 1)
				m.add(row, z(pair[1], c, r), 1)
			}
		}
	}
}

// loads adds the rows that limit the loads of units, resources and links.
func (m *mps) loads() {
	p := m.p
	for u := range p.Units {
		row := m.row('L', 0)
		for c := range p.Kinds {
			for r := range m.copies(u, c) {
				m.add(row, z(u, c, r), load(p.Kinds[c].Load[u]))
			}
		}
		m.add(row, "L", -1)
	}
	for c := range p.Kinds {
		for l := range p.Kinds[c].Limits {
			limit := &p.Kinds[c].Limits[l]
			for r := range int(min(p.Kinds[c].Many, int64(p.Units))) {
				row := m.row('L', load(limit.Max))
				for u := range p.Units {
					if r < m.copies(u, c) {
						m.add(row, z(u, c, r), load(limit.Need[u]))
					}
				}
				if limit.Max == 0 {
					m.add(row, "L", -1)
				}
			}
		}
	}
	for s := range p.Sets {
		row := m.row('L', 0)
		for e := range p.Edges {
			m.add(row, x(e), load(p.Sets[s].Any[e]))
			m.add(row, across(e), load(p.Sets[s].Across[e]-p.Sets[s].Any[e]))
		}
		m.add(row, "L", -float64(p.Sets[s].Links))
	}
}

// edges adds the rows that cut an edge if exactly one of its ends is on a resource or on a kind.
func (m *mps) edges() {
	p := m.p
	for e, edge := range p.Edges {
		for c := range p.Kinds {
			ends := [2]int{edge.A, edge.B}
			for i, u := range ends {
				v := ends[1-i]
				for r := range m.copies(u, c) {
					row := m.row('G', 0)
					m.add(row, x(e), 1)
					m.add(row, z(u, c, r), -1)
					if r < m.copies(v, c) {
						m.add(row, z(v, c, r), 1)
					}
				}
				if !p.needsAcross(e) {
					continue
				}
				row := m.row('G', 0)
				m.add(row, across(e), 1)
				for r := range m.copies(u, c) {
					m.add(row, z(u, c, r), -1)
				}
				for r := range m.copies(v, c) {
					m.add(row, z(v, c, r), 1)
				}
			}
		}
	}
}

// tree adds a tree row.
func (m *mps) tree(r *row) {
	at := m.row('G', 0)
	for i, column := range r.column {
		if first := m.p.cut(0); column >= first {
			m.add(at, x(column-first), load(r.value[i]))
			continue
		}
		u, c := column/len(m.p.Kinds), column%len(m.p.Kinds)
		for copy := range m.copies(u, c) {
			m.add(at, z(u, c, copy), load(r.value[i]))
		}
	}
}

func (m *mps) write(to io.Writer) error {
	w := bufio.NewWriter(to)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	fmt.Fprintln(w, "NAME mapping FREE\nROWS\n N load")
	for i, r := range m.rows {
		fmt.Fprintf(w, " %c r%d\n", r.kind, i)
	}
	fmt.Fprintln(w, "COLUMNS")
	fmt.Fprintf(w, " L load %d\n", MPSScale)
	for _, e := range m.entries["L"] {
		fmt.Fprintf(w, " L r%d %s\n", e.row, number(e.value))
	}
	for _, complete := range []bool{true, false} {
		if complete {
			fmt.Fprintln(w, " M1 'MARKER' 'INTORG'")
		} else {
			fmt.Fprintln(w, " M2 'MARKER' 'INTEND'")
		}
		for _, c := range m.columns {
			if c == "L" || (c[0] == 'z') != complete {
				continue
			}
			for _, e := range m.entries[c] {
				fmt.Fprintf(w, " %s r%d %s\n", c, e.row, number(e.value))
			}
		}
	}
	fmt.Fprintln(w, "RHS")
	for i, r := range m.rows {
		if r.right != 0 {
			fmt.Fprintf(w, " RHS r%d %s\n", i, number(r.right))
		}
	}
	fmt.Fprintln(w, "BOUNDS")
	for _, c := range m.columns {
		maximum := 1.0
		if c == "L" {
			maximum = load(m.target)
		}
		fmt.Fprintf(w, " UP BND %s %s\n", c, number(maximum))
	}
	fmt.Fprintln(w, "ENDATA")
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing a model: %w", err)
	}
	return nil
}

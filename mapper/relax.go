package mapper

import (
	"math"
	"slices"

	"xopt/flow"
)

// assignment is the linear relaxation of where units go, in the classes of interchangeable
// resources, with L to be least:
//
//	Σ_c x_uc = 1                          every unit is somewhere
//	Σ_u w_uc x_uc ≤ m_c L                 classes that share time
//	Σ_c w_uc x_uc ≤ L                     a unit is on one resource
//	Σ_u a_uc x_uc ≤ m_c A_c               areas
//	y_e ≥ x_uc - x_vc, x_vc - x_uc        an edge between u and v crosses between classes
//	Σ_e w_el y_e ≤ L                      a link that every way between classes takes
//
// It is as good as the bound of the relaxation's multipliers, and better where links limit.
// Columns are at least 0; column 0 is L.
type assignment struct {
	columns int
	rows    []assignmentRow
}

// assignmentRow is lower ≤ Σ value·x[column] ≤ upper.
type assignmentRow struct {
	column       []int
	value        []float64
	lower, upper float64
}

func (a *assignment) row(lower, upper float64) *assignmentRow {
	a.rows = append(a.rows, assignmentRow{lower: lower, upper: upper})
	return &a.rows[len(a.rows)-1]
}

func (r *assignmentRow) add(column int, value float64) {
	if value != 0 {
		r.column, r.value = append(r.column, column), append(r.value, value)
	}
}

// newAssignment writes the relaxation down, with loads in units of one.
func newAssignment(s *space, works flow.LoadCoefficients, r *relaxation, unit float64) *assignment {
	a := &assignment{columns: 1}
	x := make([][]int, r.units) // -1 where a unit may not go
	inf := math.Inf(1)
	for u := range r.units {
		one := a.row(1, 1)
		x[u] = make([]int, len(r.many))
		for c, w := range r.work[u] {
			x[u][c] = -1
			if !math.IsInf(w, 1) {
				x[u][c] = a.columns
				a.columns++
				one.add(x[u][c], 1)
			}
		}
	}
	for c, m := range r.many {
		if r.timed[c] {
			row := a.row(-inf, 0)
			row.add(0, -m)
			for u := range x {
				if x[u][c] >= 0 {
					row.add(x[u][c], r.work[u][c]/unit)
				}
			}
			continue
		}
		for kind, have := range s.problem.Architecture.Resources[slices.Index(r.of, c)].Area {
			if math.IsInf(have, 1) || have == 0 {
				continue
			}
			row := a.row(-inf, m)
			for u := range x {
				if x[u][c] >= 0 {
					row.add(x[u][c], r.area[u][c][kind]/have)
				}
			}
		}
	}
	for u := range x {
		row := a.row(-inf, 0)
		row.add(0, -1)
		for c := range x[u] {
			if x[u][c] >= 0 {
				row.add(x[u][c], r.work[u][c]/unit)
			}
		}
	}
	a.links(s, works, r, x, unit)
	return a
}

// links adds the rows of crossings, where a link is on every way between classes.
func (a *assignment) links(s *space, works flow.LoadCoefficients, r *relaxation, x [][]int, unit float64) {
	var always []int
	for l := range s.problem.Architecture.Links {
		if s.problem.Architecture.Links[l].Sharing.Rule != flow.Equal && s.between(l, r) {
			always = append(always, l)
		}
	}
	if len(always) == 0 || len(r.many) < 2 {
		return
	}
	crossing := make([]int, len(s.problem.Application.Edges))
	for e, edge := range s.problem.Application.Edges {
		u, v := s.unitOf[edge.From], s.unitOf[edge.To]
		if crossing[e] = -1; u == v {
			continue
		}
		crossing[e] = a.columns
		a.columns++
		for c := range r.many {
			for _, ends := range [][2]int{{u, v}, {v, u}} {
				if x[ends[0]][c] < 0 {
					continue
				}
				row := a.row(math.Inf(-1), 0)
				row.add(x[ends[0]][c], 1)
				if x[ends[1]][c] >= 0 {
					row.add(x[ends[1]][c], -1)
				}
				row.add(crossing[e], -1)
			}
		}
	}
	for _, l := range always {
		row := a.row(math.Inf(-1), 0)
		row.add(0, -1)
		for e, column := range crossing {
			if column >= 0 {
				row.add(column, works.Link(e, l)/unit)
			}
		}
	}
}

// between reports whether every way between resources of unlike classes takes a link.
func (s *space) between(l int, r *relaxation) bool {
	for a := range s.class {
		for b := range s.class {
			if r.of[a] == r.of[b] {
				continue
			}
			for _, way := range s.routes.Between(a, b) {
				if !slices.Contains(way, l) {
					return false
				}
			}
		}
	}
	return true
}

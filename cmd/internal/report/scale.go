package report

import (
	"math"
	"slices"

	"xopt/internal/units"
)

// noLimit is a rate in bytes/s that nothing has: one that is stated so is meant as no limit, and
// has no part in choosing a unit.
const noLimit = 1e15

// scaleOf is the unit in which values are shown side by side, in tables and in charts: the one that
// suits the median of those above 0. A single giant, such as a bandwidth that is not a limit, does
// not turn the others into fractions.
func scaleOf(unit string, values ...float64) units.Scale {
	known := slices.DeleteFunc(slices.Clone(values), func(v float64) bool {
		return !(v > 0) || math.IsInf(v, 1) || v >= noLimit
	})
	if len(known) == 0 {
		return units.ScaleFor(unit)
	}
	slices.Sort(known)
	return units.ScaleFor(unit, known[(len(known)-1)/2])
}

// prefixed reports whether a unit has prefixes, so that a scale is chosen for it.
func prefixed(unit string) bool {
	return slices.Contains([]string{"B/s", "B", "s", "s/B", "J", "Hz"}, unit)
}

// tiny reports whether a value has no digits to show in a scale: it is shown in a prefix of its own, not
// as 5.743e-05.
func tiny(s units.Scale, v float64) bool { return v != 0 && math.Abs(s.Of(v)) < 1e-4 }

// scaled chooses the prefix of every unit of the table, one for all its columns, and words the cells
// that show a figure of their column. It returns the table.
func (t *Table) scaled() *Table {
	values := make(map[string][]float64)
	for i := range t.Columns {
		for r := range t.Rows {
			if c := &t.Rows[r].Cells[i]; c.scaled && !t.Columns[i].each {
				values[t.Columns[i].Unit] = append(values[t.Columns[i].Unit], c.Value)
			}
		}
	}
	for i := range t.Columns {
		column := &t.Columns[i]
		if !prefixed(column.Unit) {
			continue
		}
		scale := scaleOf(column.Unit, values[column.Unit]...)
		if !column.each && column.Shown == "" {
			column.Shown = scale.Unit()
		}
		for r := range t.Rows {
			c := &t.Rows[r].Cells[i]
			switch {
			case !c.scaled:
			case (column.each || tiny(scale, c.Value)) && finite(c.Value):
				own := units.ScaleFor(column.Unit, c.Value)
				c.Text, c.Unit = c.Text+own.Format(c.Value), own.Unit()
			default:
				c.Text += scale.Format(c.Value)
			}
		}
	}
	return t
}

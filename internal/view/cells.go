package view

import (
	"fmt"
	"math"

	"xopt/internal/report"
	"xopt/internal/units"
)

func text(s string) Cell { return Cell{Text: s} }

// percent is a fraction, shown as a percentage.
func percent(v report.Number) Cell {
	return Cell{Text: units.Percent(float64(v)), Value: float64(v), Valued: true}
}

// bar is a utilization.
func bar(v report.Number) Cell {
	c := percent(v)
	c.Bar = math.Min(1, math.Max(0, float64(v)))
	return c
}

// signed is a difference.
func signed(v float64) Cell {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Cell{Text: "-"}
	}
	return Cell{Text: units.Change(v, 2), Value: v, Valued: true}
}

func whole(v float64) Cell {
	if math.IsInf(v, 1) {
		return Cell{Text: "unlimited", Value: v, Valued: true}
	}
	return Cell{Text: fmt.Sprintf("%.0f", v), Value: v, Valued: true}
}

func compact(v float64) Cell { return Cell{Text: units.Count(v), Value: v, Valued: true} }

// scaledColumn shows values of one unit in one scale, from a row on.
type scaledColumn struct {
	scale units.Scale
	unit  string
}

func scaleOf(unit string, values ...float64) scaledColumn {
	var used []float64
	for _, v := range values {
		if !math.IsInf(v, 0) {
			used = append(used, v)
		}
	}
	return scaledColumn{units.ScaleFor(unit, used...), unit}
}

func (s scaledColumn) column(name string) Column {
	return Column{Name: s.scale.Heading(name), Unit: s.unit, Number: true}
}

func (s scaledColumn) cell(v report.Number) Cell {
	return Cell{Text: s.scale.Format(float64(v)), Value: float64(v), Valued: true}
}

// marked adds where a figure comes from.
func (c Cell) marked(origin string) Cell {
	c.Origin = origin
	return c
}

func (s scaledColumn) of(v report.Number) float64 { return s.scale.Of(float64(v)) }

// name is a column of names, number of plain numbers.
func name(s string) Column         { return Column{Name: s} }
func number(s, unit string) Column { return Column{Name: s, Unit: unit, Number: true} }

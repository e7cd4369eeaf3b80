package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/internal/units"
)

// name returns a text column.
func name(s string) Column { return Column{Name: s} }

// number returns a column of plain numbers or percentages, without a unit prefix.
func number(s string) Column { return Column{Name: s, Number: true} }

// counted returns a column of counts, such as elements.
func counted(s, unit string) Column { return Column{Name: s, Unit: unit, Shown: unit, Number: true} }

// rate, size and time return columns whose values share a unit prefix (see [Table.scaled]).
func rate(s string) Column { return Column{Name: s, Unit: "B/s", Number: true} }
func size(s string) Column { return Column{Name: s, Unit: "B", Number: true} }
func time(s string) Column { return Column{Name: s, Unit: "s", Number: true} }

// in returns the column with another unit.
func (c Column) in(unit string) Column {
	c.Unit = unit
	return c
}

// own returns the column with a separate unit prefix for each cell, for values of very different sizes.
func (c Column) own() Column {
	c.each = true
	return c
}

// spare marks the column as omittable. A narrow terminal drops the column with the lowest order first.
func (c Column) spare(order int) Column {
	c.Spare = order
	return c
}

// detail hides the column in terminals.
func (c Column) detail() Column {
	c.Detail = true
	return c
}

// fold wraps the text of cells at a width in characters.
func (c Column) fold(width int) Column {
	c.Fold = width
	return c
}

// about sets the explanation of the column.
func (c Column) about(meaning string) Column {
	c.Meaning = meaning
	return c
}

func text(s string) Cell { return Cell{Text: s} }

// dash returns a cell without a figure.
func dash() Cell { return Cell{Text: "-"} }

// yesNo returns the answer to the question of a column.
func yesNo(is bool) Cell {
	if is {
		return text("yes")
	}
	return text("no")
}

// endCells returns the ends of an interval, or dashes for nil.
func endCells[T real](x *[2]T) (from, to Cell) {
	if x == nil {
		return dash(), dash()
	}
	return figure(x[0]), figure(x[1])
}

// none returns a cell without a figure; it is empty in CSV.
func none() Cell { return Cell{Text: "-", blank: true} }

// value returns a cell with a figure and its text.
func value(s string, v float64) Cell { return Cell{Text: s, Value: v, Valued: true} }

// real is the type constraint of figures.
type real interface{ ~float64 }

// figure returns a cell with a value in the unit of its column.
func figure[T real](v T) Cell { return Cell{Value: float64(v), Valued: true, scaled: true} }

// figureOrDash returns a figure. It returns a dash for 0 where 0 is not a valid value.
func figureOrDash[T real](v T) Cell {
	if v == 0 {
		return dash()
	}
	return figure(v)
}

// some returns a figure, or a dash for nil or NaN.
func some[T real](v *T) Cell {
	if v == nil || math.IsNaN(float64(*v)) {
		return dash()
	}
	return figure(*v)
}

// percent formats a fraction as a percentage.
func percent[T real](v T) Cell {
	c := value(units.Percent(float64(v)), float64(v))
	return c.split()
}

// split separates the number and the unit of a text.
func (c Cell) split() Cell {
	if n := len(c.Text) - len(" %"); n > 0 && c.Text[n:] == " %" {
		c.Text, c.Unit = c.Text[:n], "%"
	}
	return c
}

// part formats a fraction as an unsigned percentage with as many digits as [signed].
func part[T real](v T) Cell {
	if !finite(float64(v)) {
		return percent(v)
	}
	return Cell{Text: units.Share(float64(v)), Unit: "%", Value: float64(v), Valued: true}
}

// bar shows a utilization as a percentage and as a bar.
func bar[T real](v T) Cell { return percent(v).bar() }

// bar adds a bar for the value.
func (c Cell) bar() Cell {
	c.Bar = math.Min(1, math.Max(0, c.Value))
	return c
}

// signed shows a relative difference with its sign.
func signed[T real](v T) Cell {
	if !finite(float64(v)) {
		return dash()
	}
	return value(units.Change(float64(v)), float64(v)).split()
}

// errorCell shows the error (predicted - measured) / measured in percent.
func errorCell[T real](v T) Cell {
	if !finite(float64(v)) {
		return dash()
	}
	return value(units.Error(float64(v)), float64(v)).split()
}

// minGain is the smallest gain shown. Smaller gains are rounding errors.
const minGain = 1e-6

// gain shows a relative gain, or a dash if there is none.
func gain[T real](v T) Cell {
	if v < minGain {
		return Cell{Text: "-", Value: float64(v), Valued: true}
	}
	return signed(v)
}

// saturated is the utilization above which a row is marked as the bottleneck.
const saturated = 0.999

// hot reports whether a utilization marks a bottleneck.
func hot[T real](utilization T) bool { return utilization > saturated }

// rho shows a utilization as a number with three digits and as a bar.
func rho[T real](v T) Cell { return digits(v, 3).bar() }

// integer shows an integer with all its digits.
func integer[T real | ~int | ~uint64](v T) Cell {
	if math.IsInf(float64(v), 1) {
		return value("unlimited", float64(v))
	}
	return value(fmt.Sprintf("%.0f", float64(v)), float64(v))
}

// compact shows a number with a prefix such as k or M.
func compact[T real](v T) Cell { return value(units.Count(float64(v)), float64(v)) }

// twoDigits and oneDigit are the relative widths of an interval above which a cell shows only two digits or one digit
// of the value.
const twoDigits, oneDigit = 0.1, 1

// supported returns the value. It rounds an estimate to the digits that the interval supports.
func (c *Cell) supported() float64 {
	if !c.estimate || c.Interval == nil || c.Value == 0 || !finite(c.Value) {
		return c.Value
	}
	n := 3
	switch width := (c.Interval[1] - c.Interval[0]) / math.Abs(c.Value); {
	case width > oneDigit:
		n = 1
	case width > twoDigits:
		n = 2
	}
	return units.Rounded(c.Value, n, math.Round)
}

// digits shows a number with n significant digits, and with all digits before the decimal point.
func digits[T real](v T, n int) Cell { return value(units.Digits(float64(v), n), float64(v)) }

// decimals shows a number with n digits after the decimal point.
func decimals[T real](v T, n int) Cell { return value(fmt.Sprintf("%.*f", n, float64(v)), float64(v)) }

// from sets the origin of the figure. Figures derived from the graph have no origin.
func (c Cell) from(origin string) Cell {
	if origin != flow.Derived.String() {
		c.Origin = origin
	}
	return c
}

// before puts words before the figure, such as "≥ ".
func (c Cell) before(words string) Cell {
	c.Text = words + c.Text
	return c
}

// Fraction returns the decimal point of a number and everything after it.
func Fraction(number string) string {
	if i := strings.IndexByte(number, '.'); i >= 0 {
		return number[i:]
	}
	return ""
}

// withInterval adds the confidence interval to a figure.
func (c Cell) withInterval(low, high float64) Cell {
	c.Interval = &[2]float64{low, high}
	return c
}

// alone returns a figure with its own unit prefix, for columns without a unit.
func alone[T real](v T, unit string) Cell {
	if !finite(float64(v)) {
		return Cell{Text: units.ScaleFor(unit).Format(float64(v)), Value: float64(v), Valued: true, si: unit}
	}
	s := units.ScaleFor(unit, float64(v))
	return Cell{Text: s.Format(float64(v)), Unit: s.Unit(), Value: float64(v), Valued: true, si: unit}
}

// noLimit is a rate in bytes/s that no real resource reaches. Files state such rates to mean "no limit". The choice of
// units ignores them.
const noLimit = 1e15

// scaleOf returns the unit for a group of values in a table or chart: the unit of the median of the positive values. A
// single huge value, such as an unlimited bandwidth, therefore does not turn the other values into fractions.
func scaleOf(unit string, values ...float64) units.Scale {
	existing := slices.DeleteFunc(slices.Clone(values), func(v float64) bool {
		return !(v > 0) || math.IsInf(v, 1) || v >= noLimit
	})
	if len(existing) == 0 {
		return units.ScaleFor(unit)
	}
	slices.Sort(existing)
	return units.ScaleFor(unit, existing[(len(existing)-1)/2])
}

// prefixed reports whether a unit can have a prefix.
func prefixed(unit string) bool {
	return slices.Contains([]string{"B/s", "B", "s", "s/B", "J", "Hz"}, unit)
}

// tiny reports whether a value has no significant digits in a scale. Such a value gets its own prefix instead of text
// like 5.743e-05.
func tiny(s units.Scale, v float64) bool { return v != 0 && math.Abs(s.Of(v)) < 1e-4 }

// scaled chooses a common prefix for each unit of the table and sets the texts of the cells. It returns the table.
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
				c.Text, c.Unit = c.Text+own.Format(c.supported()), own.Unit()
			default:
				c.Text += scale.Format(c.supported())
			}
		}
	}
	return t
}

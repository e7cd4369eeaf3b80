package report

import (
	"fmt"
	"math"
	"strings"
)

// Style distinguishes a series of a chart by its color. Dashes and symbols distinguish it for color-blind readers and
// in gray prints.
type Style struct {
	Color  string    // #rrggbb
	Dashes []float64 // lengths of dashes and gaps in points; nil for a solid line
	Symbol string    // circle, rect, triangle, diamond
}

// palette returns seven of the eight colors of Okabe and Ito, which color-blind readers can distinguish (M. Okabe, K.
// Ito, "Color Universal Design", 2008). Yellow is omitted, because it is hardly visible on white.
func palette() []string {
	return []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a7a7a"}
}

// Neutral is the color of items that are not a series, such as clouds of points and boxes.
const Neutral = "#7a7a7a"

// faint is the color of background lines. It is visible on white and on black.
const faint = "#a9b1b8"

// StyleOf returns the style of a series by its index. The first 28 styles are distinct.
func StyleOf(i int) Style {
	colors, symbols := palette(), []string{"circle", "rect", "triangle", "diamond"}
	dashes := [][]float64{nil, {8, 4}, {2, 3}, {8, 3, 2, 3}}
	return Style{Color: colors[i%len(colors)], Dashes: dashes[i%len(dashes)], Symbol: symbols[i%len(symbols)]}
}

// Styles returns the styles of a chart's series. The series of a mapping has the style of that mapping on the whole
// page.
func (c *Chart) Styles() []Style {
	list := make([]Style, len(c.Series))
	next := 0
	for i := range c.Series {
		switch s := &c.Series[i]; {
		case s.Faint:
			list[i] = Style{Color: faint, Symbol: "circle"}
		case s.Hatched:
			list[i] = StyleOf(next - 1)
		case s.Kind == Area:
			list[i] = Style{Color: Neutral, Symbol: "rect"}
		case s.Mapping > 0:
			list[i] = StyleOf(s.Mapping - 1)
		case s.Kind == Markers:
			list[i] = Style{Color: "", Symbol: "diamond"} // in the color of text
		default:
			list[i] = StyleOf(next)
			next++
		}
	}
	return list
}

// nearly is the relative spread below which values count as equal. An axis that showed only the range of such values
// would magnify the spread.
const nearly = 0.01

// Range returns an axis range around nearly equal values, so that rounding errors do not look like differences. ok is
// false for values that are not nearly equal.
func (a *Axis) Range(values []float64) (low, high float64, ok bool) {
	if a.Log || len(a.Categories) > 0 || len(values) < 2 {
		return 0, 0, false
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = math.Min(low, v), math.Max(high, v)
	}
	largest := math.Max(math.Abs(low), math.Abs(high))
	if largest == 0 || high-low >= nearly*largest {
		return 0, 0, false
	}
	const parts = 10 // the axis extends by largest/parts on each side
	step := math.Pow(10, math.Floor(math.Log10(largest/parts)))
	return math.Floor((low-largest/parts)/step) * step, math.Ceil((high+largest/parts)/step) * step, true
}

// IsInteger reports whether an axis has only integer values, such as numbers of cores.
func (a *Axis) IsInteger(values []float64) bool {
	for _, v := range values {
		if v != math.Trunc(v) {
			return false
		}
	}
	return !a.Log && len(values) > 0
}

// Split divides the name of an axis into the quantity and the unit, such as "throughput" and "MB/s".
func (a *Axis) Split() (name, unit string) {
	if i := strings.LastIndex(a.Name, " ("); i >= 0 && strings.HasSuffix(a.Name, ")") {
		return a.Name[:i], a.Name[i+2 : len(a.Name)-1]
	}
	return a.Name, ""
}

// Values returns the coordinates of all series.
func (c *Chart) Values() (x, y []float64) {
	for i := range c.Series {
		x, y = append(x, c.Series[i].X...), append(y, c.Series[i].Y...)
		if c.Series[i].Kind == Spans {
			x = append(x, c.Series[i].Top...)
		} else {
			y = append(y, c.Series[i].Top...)
		}
		for _, b := range c.Series[i].Boxes {
			y = append(y, b[:]...)
		}
	}
	return x, y
}

// Remarks returns the notes below a chart.
func (c *Chart) Remarks() []string {
	var list []string
	if c.Note != "" {
		list = append(list, c.Note)
	}
	xs, ys := c.Values()
	for _, of := range []struct {
		axis   *Axis
		values []float64
	}{{&c.X, xs}, {&c.Y, ys}} {
		if _, _, ok := of.axis.Range(of.values); ok && !alike(of.values) {
			name, _ := of.axis.Split()
			list = append(list, fmt.Sprintf("All values of %s differ by less than %g %%.", name, 100*nearly))
		}
	}
	return list
}

// alike reports whether all values are equal.
func alike(values []float64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

// MappingColor returns the color of a candidate's points by its number from 1. The first six candidates have distinct
// colors. All other candidates have the color [Neutral].
func MappingColor(number int) string {
	if number < 1 || number >= len(palette()) {
		return Neutral
	}
	return palette()[number-1]
}

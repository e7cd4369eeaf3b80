package report

import (
	"cmp"
	"fmt"
	"slices"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// Maximum numbers of lines in a chart over frames.
const (
	standOut   = 3  // highlighted lines
	background = 40 // lines in the background
)

// framed is the input of the charts over frames of a run.
type framed struct {
	m      *result.Measured
	at     []float64 // start times of frames
	x      Axis
	scaled func(float64) float64 // converts a rate in B/s to the unit of y
	y      Axis
}

// frames shows rates, utilizations and queue lengths over time (Lancaster 2011, Figs. 6.4, 6.7, 6.11).
func frames(m *result.Measured) []Part {
	if len(m.Frames) < 2 {
		return nil
	}
	var all []float64
	for _, f := range m.Frames {
		for _, e := range f.Edges {
			all = append(all, e.Rate)
		}
	}
	scale, times := scaleOf("B/s", all...), scaleOf("s", m.Frames[len(m.Frames)-1].End)
	d := &framed{m: m, x: Axis{Name: times.Heading("time")}, y: Axis{Name: scale.Heading("rate")}, scaled: scale.Of}
	for _, f := range m.Frames {
		d.at = append(d.at, times.Of(f.Start))
	}
	parts := []Part{{Chart: d.boxes()}, {Chart: d.rates()}}
	for _, c := range []*Chart{d.busy(), d.occupancyChart()} {
		if len(c.Series) > 0 {
			parts = append(parts, Part{Chart: c})
		}
	}
	return parts
}

// boxes shows the rate of every edge over all frames as box plots.
func (d *framed) boxes() *Chart {
	chart := &Chart{ID: "frame-rates", Title: fmt.Sprintf("Rates over %d frames; %s", len(d.m.Frames), how(d.m)),
		X: Axis{Name: "edge"}, Y: d.y, Note: "Box: quartiles. Whiskers: the most distant values within 1.5 box " +
			"lengths of the box."}
	box := Series{Name: "frames", Kind: Boxes}
	for e := range d.m.Edges {
		values := make([]float64, len(d.m.Frames))
		for i, f := range d.m.Frames {
			if e < len(f.Edges) {
				values[i] = f.Edges[e].Rate
			}
		}
		b := result.NewBox(values)
		box.Boxes = append(box.Boxes, [5]float64{d.scaled(b.Low), d.scaled(b.Q1), d.scaled(b.Median),
			d.scaled(b.Q3), d.scaled(b.High)})
		chart.X.Categories = append(chart.X.Categories, d.m.Edges[e].Edge)
	}
	chart.Series = []Series{box}
	return chart
}

// steps returns a line through the frames that have a value.
func (d *framed) steps(name string, value func(*result.MeasuredFrame) (float64, bool)) Series {
	line := Series{Name: name, Kind: Steps}
	for i := range d.m.Frames {
		if y, ok := value(&d.m.Frames[i]); ok {
			line.X, line.Y = append(line.X, d.at[i]), append(line.Y, y)
		}
	}
	return line
}

// falling returns the indices below n, sorted by decreasing figures.
func falling(n int, figure func(int) float64) []int {
	return sortedIndices(n, func(a, b int) int { return cmp.Compare(figure(b), figure(a)) })
}

// sortedIndices returns the indices below n in the order of compare. Equal indices keep their order.
func sortedIndices(n int, compare func(a, b int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}

// pick returns the elements of a list at the given indices. It ignores indices beyond the end of the list.
func pick[T any](list []T, indices []int) (picked []T) {
	for _, i := range indices {
		if i < len(list) {
			picked = append(picked, list[i])
		}
	}
	return picked
}

// rates charts the rates of edges, starting with the edges to the busiest kernels.
func (d *framed) rates() *Chart {
	c := &Chart{ID: "frame-throughput", Title: "Rates by frame; " + how(d.m), X: d.x, Y: d.y}
	for _, e := range falling(len(d.m.Edges), func(e int) float64 { return d.m.Edges[e].Utilization }) {
		line := d.steps(d.m.Edges[e].Edge, func(f *result.MeasuredFrame) (float64, bool) {
			if e >= len(f.Edges) {
				return 0, false
			}
			return d.scaled(f.Edges[e].Rate), true
		})
		if len(line.Y) == len(d.at) {
			c.Series = append(c.Series, line)
		}
	}
	return c.few("edges to the busiest kernels")
}

// busy charts the utilizations of the busiest kernels.
func (d *framed) busy() *Chart {
	c := &Chart{ID: "frame-busy", Title: "Utilization of kernels by frame; " + how(d.m), X: d.x,
		Y: Axis{Name: "utilization (%)"}}
	for _, k := range falling(len(d.m.Kernels), func(k int) float64 { return d.m.Kernels[k].Utilization }) {
		line := d.steps(d.m.Kernels[k].Kernel, func(f *result.MeasuredFrame) (float64, bool) {
			if k >= len(f.Kernels) {
				return 0, false
			}
			// A call that continues into the next frame can raise the utilization of a frame above 100 %.
			return 100 * min(1, f.Kernels[k].Utilization), true
		})
		if len(line.Y) > 1 {
			c.Series = append(c.Series, line)
		}
	}
	if len(c.Series) > 0 {
		c.Limits = []Limit{{Name: "ρ = 1: fully utilized", Value: 100}}
	}
	return c.few("busiest kernels")
}

// occupancyChart charts the mean occupancies of the fullest queues.
func (d *framed) occupancyChart() *Chart {
	c := &Chart{ID: "frame-occupancy", Title: "Mean occupancy of queues by frame; " + how(d.m), X: d.x,
		Y: Axis{Name: "elements"}}
	for e := range d.m.Edges {
		occupancyChart := d.steps(d.m.Edges[e].Edge, func(f *result.MeasuredFrame) (float64, bool) {
			if e >= len(f.Edges) || f.Edges[e].Occupancy == nil {
				return 0, false
			}
			return *f.Edges[e].Occupancy, true
		})
		if len(occupancyChart.Y) > 1 {
			c.Series = append(c.Series, occupancyChart)
		}
	}
	slices.SortStableFunc(c.Series, func(a, b Series) int { return cmp.Compare(slices.Max(b.Y), slices.Max(a.Y)) })
	return c.few("fullest queues")
}

// few highlights the first lines and makes the next lines background. It omits all further lines.
func (c *Chart) few(named string) *Chart {
	if len(c.Series) <= standOut+1 {
		return c
	}
	left := len(c.Series) - units.Shown(len(c.Series), standOut+background)
	c.Series = c.Series[:len(c.Series)-left]
	for i := standOut; i < len(c.Series); i++ {
		c.Series[i].Faint = true
	}
	c.Note = fmt.Sprintf("In color: the %d %s. Gray: %d other lines (point at them for their names)", standOut, named,
		len(c.Series)-standOut)
	if left > 0 {
		c.Note += fmt.Sprintf("; %d more lines are not drawn", left)
	}
	c.Note += "."
	return c
}

package report

import (
	"cmp"
	"math"
	"slices"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// Limits of the chart of the first firings: it shows at most maxGanttRows kernels, until one of them has fired maxSpans
// times. The chart below it shows the maxFills fullest buffers.
const (
	maxGanttRows = 24
	maxSpans     = 60
	maxFills     = 8
)

// logged is the input of the charts of the first firings.
type logged struct {
	on      map[string]string // resources by kernel
	in, out map[string][]*result.MeasuredEdge
	firings map[string][]result.Logged
}

// ganttID is the ID of the chart of the first firings. fillsID is the ID of the buffer chart below it.
const ganttID, fillsID = "gantt", "fills"

// gantt charts the first recorded firings of each kernel by resource, with the cause of each stall. A second chart
// shows the fullest buffers in the same time window. It returns nil without records.
func gantt(r *result.Result) []*Chart {
	m := r.Measured
	l := &logged{on: make(map[string]string), in: make(map[string][]*result.MeasuredEdge),
		out: make(map[string][]*result.MeasuredEdge), firings: make(map[string][]result.Logged)}
	first, last := math.Inf(1), math.Inf(1)
	for i := range m.Kernels {
		if k := &m.Kernels[i]; len(k.Log) > 0 {
			l.firings[k.Kernel] = k.Log
			first = math.Min(first, k.Log[0].Time-k.Log[0].Value)
			last = math.Min(last, k.Log[min(len(k.Log), maxSpans)-1].Time)
		}
	}
	var rows []string
	for _, x := range r.Architecture {
		for _, p := range m.Place {
			if p.Resource == x.Name && len(l.firings[p.Kernel]) > 0 {
				l.on[p.Kernel], rows = p.Resource, append(rows, p.Kernel)
			}
		}
	}
	if len(rows) == 0 || !(last > first) {
		return nil
	}
	of := make(map[string]*result.MeasuredEdge)
	for i := range m.Edges {
		of[m.Edges[i].Edge] = &m.Edges[i]
	}
	for i := range r.Edges {
		if x := &r.Edges[i]; of[x.Name] != nil {
			l.out[x.From], l.in[x.To] = append(l.out[x.From], of[x.Name]), append(l.in[x.To], of[x.Name])
		}
	}
	rows = rows[:min(len(rows), maxGanttRows)]
	slices.Reverse(rows) // the first row is at the top
	charts := []*Chart{l.chart(rows, first, last, how(m))}
	if c := fills(m, first, last); len(c.Series) > 0 {
		charts = append(charts, c)
	}
	return charts
}

// windowOf returns the axis of a time window.
func windowOf(scale units.Scale, first, last float64) Axis {
	return Axis{Name: scale.Heading("time"), Window: scale.Of(last - first)}
}

// fills charts the fullest buffers in a time window: the filled fraction of each buffer after each send.
func fills(m *result.Measured, first, last float64) *Chart {
	scale := scaleOf("s", last-first)
	c := &Chart{ID: fillsID, Title: "The fullest buffers during the first firings; " + how(m),
		X: windowOf(scale, first, last), Y: Axis{Name: "fill level after a send (%)"}}
	means := make(map[string]float64) // by series
	for i := range m.Edges {
		e := &m.Edges[i]
		s, sum := Series{Name: e.Edge, Kind: Steps}, 0.0
		for _, x := range e.Log {
			if x.Time < first || x.Time > last || e.Capacity == 0 {
				continue
			}
			full := 100 * math.Min(1, (x.Value+1)/float64(e.Capacity))
			s.X, s.Y, sum = append(s.X, scale.Of(x.Time-first)), append(s.Y, full), sum+full
		}
		if n := len(s.Y); n > 0 {
			s.X, s.Y = append(s.X, scale.Of(last-first)), append(s.Y, s.Y[n-1])
			means[s.Name], c.Series = sum/float64(n), append(c.Series, s)
		}
	}
	slices.SortStableFunc(c.Series, func(x, y Series) int { return cmp.Compare(means[y.Name], means[x.Name]) })
	c.Series = c.Series[:min(len(c.Series), maxFills)]
	return c
}

// chart draws rows of kernels in a time window.
func (l *logged) chart(rows []string, first, last float64, how string) *Chart {
	scale := scaleOf("s", last-first)
	c := &Chart{ID: ganttID, Title: "The first firings of the run, by kernel and resource; " + how,
		X: windowOf(scale, first, last), Note: "White: another kernel of the core works, or the cause is unknown."}
	series := []Series{works: {Name: "works", Kind: Spans}, waitsForSpace: {Name: "waits for space", Kind: Spans},
		waitsForInput: {Name: "waits for input", Kind: Spans}}
	for row, k := range rows {
		c.Y.Categories = append(c.Y.Categories, k+" on "+l.on[k])
		add := func(s *Series, from, to float64) {
			if from, to = math.Max(from, first), math.Min(to, last); to > from {
				s.X, s.Top = append(s.X, scale.Of(from-first)), append(s.Top, scale.Of(to-first))
				s.Y = append(s.Y, float64(row))
			}
		}
		before := first
		for _, f := range l.firings[k] {
			start := f.Time - f.Value
			if cause := l.stall(k, before, start); cause != unknownStall {
				add(&series[cause], before, start)
			}
			add(&series[works], start, f.Time)
			if before = f.Time; before > last {
				break
			}
		}
	}
	for _, s := range series {
		if len(s.X) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	return c
}

// States of a kernel, as indices of series.
const (
	works = iota
	waitsForSpace
	waitsForInput
	unknownStall
)

// stall returns the cause of the gap between two firings of a kernel. The cause is unknown if the core ran another
// kernel.
func (l *logged) stall(kernel string, from, to float64) int {
	others := 0.0
	for k, list := range l.firings {
		if k == kernel || l.on[k] != l.on[kernel] {
			continue
		}
		for _, f := range list {
			if f.Time-f.Value > to {
				break
			}
			others += math.Max(0, math.Min(f.Time, to)-math.Max(f.Time-f.Value, from))
		}
	}
	const half = 0.5
	if others > half*(to-from) {
		return unknownStall
	}
	for _, e := range l.out[kernel] { // the next element that was sent filled the buffer
		at := slices.IndexFunc(e.Log, func(x result.Logged) bool { return x.Time >= to })
		if at >= 0 && e.Capacity > 0 && e.Log[at].Value >= float64(e.Capacity-1) {
			return waitsForSpace
		}
	}
	if len(l.in[kernel]) > 0 {
		return waitsForInput
	}
	return unknownStall
}

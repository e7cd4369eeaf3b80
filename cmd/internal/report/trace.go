package report

import (
	"slices"
	"strings"

	"xopt/deploy/trace"
	"xopt/internal/units"
)

// Trace describes a trace and its contents.
func Trace(h *trace.Header, list []trace.Summary) []Part {
	p := &script{}
	what := h.Application
	if what == "" {
		what = "of an unnamed application"
	}
	p.lead("Trace", "%s, times %s", what, h.Origin)
	events := uint64(0)
	for i := range list {
		for _, n := range list[i].Events {
			events += n
		}
	}
	length := ""
	if h.Seconds > 0 {
		length = " of a run of " + units.Time(h.Seconds)
	}
	p.lead("Events", "%s%s", units.Counted(int(events), "event", "events"), length)
	for _, x := range h.ByOrigin() {
		p.lead("Times of", "%s: %s", strings.Join(first(x.Kernels, maxNamed), ", "), x.Origin)
	}
	if h.Command != "" {
		p.lead("Command", "%s", h.Command)
	}
	p.show(traceEdges(h, list), tracePoints(h, list))
	for _, x := range h.Unpassed {
		p.add("note: testpoint %s is declared but was never reached", x)
	}
	for _, x := range h.Left {
		p.add("note: \"%s\" events of %s: %s are missing in the trace", x.Stream.Kind, h.Series[x.Stream.Series].Name,
			units.Counted(int(x.Events), "event", "events"))
	}
	return p.parts
}

// traceEdges lists the edges in a trace, or the ends of edges.
func traceEdges(h *trace.Header, list []trace.Summary) *Table {
	t := &Table{ID: "trace-edges", Title: "Edges, times " + shortOrigin(h.Origin), Columns: []Column{name("edge"),
		number("sent"), number("arrived"), number("consumed"),
		time("travel").about("mean time from the send of an element until it is available"),
		time("wait").about("mean time from the availability of an element until it is consumed"),
		time("first event"), time("last event")}}
	stored := slices.ContainsFunc(list, func(s trace.Summary) bool { return s.Data > 0 })
	if stored {
		t.Columns = append(t.Columns, size("data").about("bytes of the stored elements, starting with the first"))
	}
	for i := range list {
		s := &list[i]
		if h.Series[s.Series].IsPoint() {
			continue
		}
		mean := func(v float64, n uint64) Cell {
			if n == 0 {
				return dash()
			}
			return figure(v)
		}
		row := []Cell{text(h.Series[s.Series].Name), integer(s.Events[trace.Out]), integer(s.Events[trace.Available]),
			integer(s.Events[trace.In]), mean(s.Travel, s.Travels), mean(s.Wait, s.Waits), figure(s.First),
			figure(s.Last)}
		if stored {
			row = append(row, figure(float64(s.Data)))
		}
		t.add(row...)
	}
	return t.scaled()
}

func tracePoints(h *trace.Header, list []trace.Summary) *Table {
	t := &Table{ID: "trace-points", Title: "Testpoints, times " + shortOrigin(h.Origin), Columns: []Column{
		name("testpoint"), number("passed"), time("first"), time("last"),
		time("mean gap").about("mean time between successive passes")}}
	for i := range list {
		s := &list[i]
		if !h.Series[s.Series].IsPoint() {
			continue
		}
		n, gap := s.Events[trace.Point], dash()
		if n > 1 {
			gap = figure((s.Last - s.First) / float64(n-1))
		}
		if n == 0 {
			t.add(text(h.Series[s.Series].Name), integer(n), dash(), dash(), dash())
			continue
		}
		t.add(text(h.Series[s.Series].Name), integer(n), figure(s.First), figure(s.Last), gap)
	}
	return t.scaled()
}

// shortOrigin returns an origin without the file name.
func shortOrigin(s string) string {
	short, _, _ := strings.Cut(s, ":")
	return short
}

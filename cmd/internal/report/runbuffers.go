package report

import (
	"fmt"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// runPaths is how long elements took from sources to sinks.
func runPaths(m *result.Measured) *Table {
	t := &Table{ID: "run-paths", Title: "Latency from source to sink: measured, from when an element is sent to " +
		"when what was made of it is released, along the path with the most edges",
		Columns: []Column{name("from"), name("to"), number("edges").spare(1), time("mean"),
			time("p50").about("the median"),
			time("p99").about("99 % take at most this long"), time("p99.9").about("99.9 % take at most this long"),
			time("longest").detail(),
			number("samples").spare(2)}}
	for i := range m.Paths {
		p := &m.Paths[i]
		mean, longest, samples := dash(), dash(), whole(0)
		if d := p.Latency; d != nil {
			mean, longest, samples = figure(d.Mean), figure(d.Max), whole(d.Samples)
		}
		t.add(text(p.From), text(p.To), whole(len(p.Edges)), mean, some(p.P50), some(p.P99), some(p.P999), longest,
			samples)
	}
	t.Note = "(quantiles are known to 1/4 of their value, because there are four bins per octave; they are omitted " +
		"where fewer than three samples lie above)"
	return t.scaled()
}

// runGrown is which buffers grew while the run went on.
func runGrown(m *result.Measured) *Table {
	t := &Table{ID: "run-grown", Title: "Buffers that grew during the run",
		Columns: []Column{name("edge"), time("at"), number("from"), number("to"), size("all buffers"), name("why")}}
	if m.Buffers == nil {
		return t
	}
	for _, g := range m.Buffers.Grown {
		t.add(text(g.Edge), figure(g.Time), whole(g.From), whole(g.To), figure(g.All), text(g.Why))
	}
	return t.scaled()
}

// buffersText is what the buffers of a run took, and where their sizes are from.
func buffersText(b *result.MeasuredBuffers) (value, note string) {
	value = units.Size(float64(b.Start))
	if b.Most > b.Start {
		value += ", then up to " + units.Size(float64(b.Most))
	}
	note = fmt.Sprintf("of memory in whole pages, of which %s were used", units.Size(float64(b.Touched)))
	if b.Sizes != "" {
		note += "; sizes: " + b.Sizes
	}
	return value, note
}

// grownStatements are statements that give buffers the sizes that they have grown to.
func grownStatements(b *result.MeasuredBuffers) []string {
	var list []string
	for _, g := range b.Last() {
		list = append(list, fmt.Sprintf("buffer { %s } = %d;", declaredEdge(g.Edge), g.To))
	}
	return list
}

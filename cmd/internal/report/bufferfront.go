package report

import (
	"fmt"
	"slices"
	"strings"

	sizes "xopt/flow/buffers"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// IDs of the chart of the front and of its latency chart, which are also the names of their files.
const (
	BufferFrontID   = "buffer-front"
	BufferLatencyID = "buffer-latency"
)

// KeepsWords describes the throughput that the chosen sizes preserve. It writes "may not keep" if neither a proof nor
// other seeds confirm this throughput.
func KeepsWords(f *result.BufferFront) string {
	keep := "keep"
	if !f.Kept() {
		keep = "may not keep"
	}
	maximum := units.Rate(float64(f.Max))
	if x := f.MaxInterval; x != nil && x[1]-x[0] > 2*minHalf*f.Max {
		maximum += " ± " + plusMinus(float64((x[1]-x[0])/2/f.Max))
	}
	return fmt.Sprintf("%s in total %s %s of the throughput with large buffers (%s)",
		units.Size(float64(f.Points[f.Chosen].Memory)), keep, units.Percent(float64(f.Keep)), maximum)
}

// chosenWords describes the throughput with the chosen sizes.
func chosenWords(f *result.BufferFront) string {
	at := &f.Points[f.Chosen]
	s := "throughput with these sizes is " + units.Rate(float64(at.Throughput))
	if f.Level == "proven" {
		s = "the " + s
	} else {
		s = "the simulated " + s
	}
	if at.Throughput < f.Max {
		s += ", " + units.Percent(float64(at.Throughput/f.Max)) + " of the maximum"
	}
	return s
}

// bufferFrontNotes describes the throughput with the chosen sizes and its certainty.
func bufferFrontNotes(f *result.BufferFront) []string {
	keeps := chosenWords(f)
	if l := f.Longer; l != nil && l.Throughput > 0 && l.Interval != nil {
		keeps += "; simulation error ± " + plusMinus(float64((l.Interval[1]-l.Interval[0])/2/l.Throughput)) +
			", in addition to the error of the figures"
	}
	if f.Max < lessThanBound*f.Bound {
		keeps += fmt.Sprintf("; larger buffers do not raise the throughput above %s of the flow bound (%s)",
			units.Percent(float64(f.Max/f.Bound)), units.Rate(float64(f.Bound)))
	}
	minimum, above := MinMemory(f), ""
	if floors := floorsAbove(f); floors > 0 {
		above = fmt.Sprintf("%s a floor above the minimum size, because the simulation does not include "+
			"batches and scheduling rounds (--ideal omits the floors)", edgesHave(floors))
	}
	if f.Level == "proven" {
		return append([]string{keeps,
			minimum + "; counts and times are static, so all figures except latency are exact"},
			noteList(above)...)
	}
	if f.Enlarged > 0 {
		keeps += fmt.Sprintf("; xopt enlarged the sizes, because a longer simulation did not confirm the result of "+
			"the search (%s)",
			units.Size(float64(f.Enlarged)))
	}
	if x := f.Recommended; x != nil {
		keeps += fmt.Sprintf("; the recommended sizes need less memory (%s), but are not confirmed: they keep %s of "+
			"the maximum throughput, or at least %s with 95 %% confidence",
			units.Size(float64(x.Memory)), units.Percent(float64(min(1, x.Throughput/f.Max))),
			units.Percent(float64(min(1, f.RecommendedLow/f.Max))))
	}
	notes := []string{keeps, fmt.Sprintf("%s, not exact: %s", f.Level, f.Why)}
	notes = append(append(notes, f.Doubts...), fmt.Sprintf("%s; with %d other seeds: at least %s of the maximum "+
		"throughput (95 %% confidence)",
		minimum, f.Seeds, units.Percent(float64(min(1, f.Low/f.Max)))))
	notes = append(append(notes, noteList(above)...), fmt.Sprintf("%s of %s events", count(f.Simulations, "simulation"),
		units.Count(float64(f.Events))))
	if f.Limited != "" {
		notes = append(notes, fmt.Sprintf("the search for sizes stopped at its limit, %s: smaller sizes may suffice",
			f.Limited))
	}
	return append(notes, noteList(noLatency(f))...)
}

// MinMemory describes the certainty of the least memory.
func MinMemory(f *result.BufferFront) string {
	above := ""
	if floorsAbove(f) > 0 {
		above = " above the floors for batches and turns"
	}
	switch {
	case f.Minimal && f.Level == "proven":
		return fmt.Sprintf("proven: less memory%s is not enough", above)
	case f.Minimal:
		return fmt.Sprintf("proven for the draws of seed %d: less memory%s is not enough", f.Seed, above)
	case !f.Kept():
		return fmt.Sprintf("none of the sizes tried%s reliably keeps %s of the throughput with seeds other than %d",
			above, units.Percent(float64(f.Keep)), f.Seed)
	}
	minimum := fmt.Sprintf("the least memory found%s with seed %d", above, f.Seed)
	if x := f.Insufficient; x > 0 {
		minimum += fmt.Sprintf("; %s is too little memory; with other seeds, a size between these two may suffice",
			units.Size(float64(x)))
	}
	return minimum
}

// lessThanBound is the fraction of the flow bound below which the output states that even large buffers do not reach
// the bound.
const lessThanBound = 0.99

// noteList returns a list that contains the note, or nil if the note is empty.
func noteList(note string) []string {
	if note == "" {
		return nil
	}
	return []string{note}
}

// floorsAbove counts the edges whose floor is above their minimum size.
func floorsAbove(f *result.BufferFront) int {
	n := 0
	for i := range f.Edges {
		if f.Edges[i].Floor > f.Edges[i].Min {
			n++
		}
	}
	return n
}

// edgesHave returns a phrase with a number of edges and the matching verb.
func edgesHave(n int) string {
	if n == 1 {
		return "1 edge has"
	}
	return count(n, "edge") + " have"
}

// noLatency explains why points have no latency; "" if all points have one.
func noLatency(f *result.BufferFront) string {
	growing, none := 0, 0
	for i := range f.Points {
		switch l := f.Points[i].Latency; {
		case l == nil:
			none++
		case l.Growing:
			growing++
		}
	}
	switch {
	case none > 0:
		return "no latency: no element reached a sink in the simulations"
	case growing > 0:
		return "\"-\": the latency was still growing at the end of the simulation, because saturating sources fill " +
			"the buffers"
	}
	return ""
}

// bufferFront adds the front of throughput and memory.
func (p *script) bufferFront(c *result.Candidate) {
	f := c.BufferFront
	p.lead("Buffers", "%s", KeepsWords(f))
	for _, n := range bufferFrontNotes(f) {
		p.lead("", "%s", n)
	}
	p.show(BufferFrontTable(f), chosenBuffers(f), sources(c))
}

// bufferFront returns the front and the chosen sizes for a page.
func bufferFront(c *result.Candidate) []Part {
	f := c.BufferFront
	if f == nil {
		return nil
	}
	var parts []Part
	if len(f.Points) > 1 {
		for _, chart := range BufferFrontCharts(f) {
			parts = append(parts, Part{Chart: chart})
		}
	}
	parts = append(parts, tableParts(chosenBuffers(f), BufferFrontTable(f))...)
	for _, note := range bufferFrontNotes(f) {
		parts = append(parts, Part{Text: upper(note) + "."})
	}
	return parts
}

// BufferFrontTable returns the front as a table.
func BufferFrontTable(f *result.BufferFront) *Table {
	what := "the least memory found"
	if f.Level == "proven" {
		what = "less memory reduces the throughput"
	}
	t := &Table{ID: BufferFrontID, Title: "Memory versus throughput and latency: " + what, Figures: f.Level,
		Columns: []Column{size("memory"), rate("throughput"),
			number("of maximum").about("relative to the throughput with large buffers"),
			time("latency at 100 %").about("median latency from source to sink with saturating sources, simulated"),
			time("p99").about("99th percentile"), name("").about("the chosen sizes"),
			name("elements").detail().about("size of each edge")}}
	for i := range f.Points {
		p := &f.Points[i]
		median, p99 := dash(), dash()
		if l := p.Latency; l != nil && !l.Growing {
			median, p99 = figure(l.P50), figure(l.P99)
		}
		row := t.add(figure(p.Memory), figure(p.Throughput), percent(min(1, p.Throughput/f.Max)), median, p99,
			text(choice(f, i)), text(elementsOf(f, p)))
		row.Hot = i == f.Chosen
	}
	return t.scaled()
}

// choice marks the chosen point. It also marks points with less memory that reach the target only with the seeds of the
// search.
func choice(f *result.BufferFront, i int) string {
	unsure := "may not keep " + units.Percent(float64(f.Keep))
	switch {
	case i == f.Chosen && !f.Kept():
		return "chosen; " + unsure
	case i == f.Chosen:
		return "chosen"
	case i < f.Chosen && f.Level != "proven" && f.Points[i].Throughput >= f.Keep*f.Max:
		return unsure
	}
	return ""
}

// elementsOf lists the size of each edge.
func elementsOf(f *result.BufferFront, p *result.BufferPoint) string {
	var parts []string
	for e, n := range p.Elements {
		parts = append(parts, fmt.Sprintf("%s %d", f.Edges[e].Edge, n))
	}
	return strings.Join(parts, ", ")
}

func chosenBuffers(f *result.BufferFront) *Table {
	t := &Table{ID: "buffer-sizes", Title: "The chosen sizes", Figures: f.Level, Columns: []Column{name("edge"),
		counted("size", "elements"), size("memory"),
		counted("least", "elements").about("minimum size without deadlock"),
		counted("floor", "elements").about("smallest size that the search tries: the minimum size, plus space for " +
			"batches and scheduling rounds"),
		counted("recommended", "elements").spare(1), name("reason for the floor").spare(2)}}
	for i := range f.Edges {
		e := &f.Edges[i]
		t.add(text(e.Edge), integer(e.Elements), figure(e.Bytes), integer(e.Min), integer(e.Floor),
			integer(e.Recommended),
			text(e.Why))
	}
	return t.scaled()
}

// decade is the ratio of the largest to the smallest value above which an axis is logarithmic. memoryRange is the ratio
// for the axis of memory.
const (
	decade      = 10
	memoryRange = 20
)

// fewPoints returns the front with at most n points: the two ends, the chosen point, and the points that spread the
// throughput most evenly. all is the table of the front.
func fewPoints(f *result.BufferFront, all *Table, n int) *Table {
	if n = units.Shown(len(all.Rows), n); n == len(all.Rows) {
		return all
	}
	throughputs := make([]float64, len(f.Points))
	for i := range f.Points {
		throughputs[i] = float64(f.Points[i].Throughput)
	}
	keep := sizes.Spread(throughputs, f.Chosen, n)
	t := *all
	t.Rows = make([]Row, len(keep))
	for i, row := range keep {
		t.Rows[i] = all.Rows[row]
	}
	t.Note = fmt.Sprintf("(%d of %d rows are shown)", n, len(all.Rows))
	return &t
}

// BufferFrontCharts returns the charts of the front: the throughput as a step function of memory, and the latency.
func BufferFrontCharts(f *result.BufferFront) []*Chart {
	var memory, rates, waits []float64
	for i := range f.Points {
		p := &f.Points[i]
		memory, rates = append(memory, float64(p.Memory)), append(rates, float64(p.Throughput))
		if p.Latency != nil {
			waits = append(waits, float64(p.Latency.P99))
		}
	}
	bytes, rate, wait := scaleOf("B", memory...), scaleOf("B/s", rates...), scaleOf("s", waits...)
	decades := slices.Max(memory) > memoryRange*slices.Min(memory)
	front := &Chart{ID: BufferFrontID, Title: "Throughput versus the memory of all buffers, " + f.Level,
		X: Axis{Name: bytes.Heading("memory"), Log: decades}, Y: Axis{Name: rate.Heading("throughput")},
		Limits: []Limit{{Name: units.Percent(float64(f.Keep)) + " of the maximum",
			Value: rate.Of(float64(f.Keep * f.Max))}}}
	late := &Chart{ID: BufferLatencyID, Title: "p99 latency versus the memory of all buffers, simulated",
		X: Axis{Name: bytes.Heading("memory"), Log: decades}, Y: Axis{Name: wait.Heading("latency at 100 % load"),
			Log: len(waits) > 0 && slices.Max(waits) > decade*slices.Min(waits)}}
	mark := "chosen: " + units.Size(float64(f.Points[f.Chosen].Memory))
	line, chosen := Series{Name: "throughput", Kind: Steps}, Series{Name: mark, Kind: Markers}
	lateLine, lateChosen := Series{Name: "p99 latency", Kind: Line}, Series{Name: mark, Kind: Markers}
	for i := range f.Points {
		p := &f.Points[i]
		x, y := bytes.Of(float64(p.Memory)), rate.Of(float64(p.Throughput))
		line.X, line.Y = append(line.X, x), append(line.Y, y)
		if i == f.Chosen {
			chosen.X, chosen.Y = append(chosen.X, x), append(chosen.Y, y)
		}
		if l := p.Latency; l != nil && !l.Growing {
			w := wait.Of(float64(l.P99))
			lateLine.X, lateLine.Y = append(lateLine.X, x), append(lateLine.Y, w)
			if i == f.Chosen {
				lateChosen.X, lateChosen.Y = append(lateChosen.X, x), append(lateChosen.Y, w)
			}
		}
	}
	front.Series = []Series{line, chosen}
	late.Series = []Series{lateLine, lateChosen}
	if len(lateLine.X) < 2 {
		return []*Chart{front}
	}
	return []*Chart{front, late}
}

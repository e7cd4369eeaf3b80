package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// withBuffersRate returns the throughput with finite buffers, or states that the mapping deadlocks.
func withBuffersRate(w *result.WithBuffers) string {
	if w.Stopped != "" {
		return "deadlocks"
	}
	return units.Rate(float64(w.Throughput))
}

// withBuffersNotes describes the basis of the throughput with finite buffers, and the loss.
func withBuffersNotes(c *result.Candidate) []string {
	w := c.WithBuffers
	what := fmt.Sprintf("%s of the flow bound, which assumes unlimited buffers; ",
		units.Percent(float64(min(1, w.Throughput/c.Unlimited()))))
	switch {
	case w.Exact():
		what += "exact, because counts and times are static"
	case w.Stopped != "" && w.Interval == nil:
		what = "proven: an iteration cannot finish, because " + w.Stopped
	case w.Stopped == "":
		what += fmt.Sprintf("simulated: %s events, seed %d", units.Count(float64(w.Events)), w.Seed)
		if half := (w.Interval[1] - w.Interval[0]) / 2; w.Throughput > 0 {
			what += ", simulation error ± " + plusMinus(float64(half/w.Throughput))
		}
	default:
		what = fmt.Sprintf("the mapping deadlocks after %s simulated firings, seed %d: %s",
			units.Count(float64(w.Events)), w.Seed, w.Stopped)
	}
	notes := []string{what, fmt.Sprintf("buffers as %s, %s in total%s", w.Sizes, units.Size(float64(w.Memory)),
		simulatedServices(w))}
	if w.Unsettled != "" {
		notes = append(notes, "heuristic, from a short simulation: "+w.Unsettled)
	}
	if worst := w.Worst(); worst != nil {
		notes = append(notes, fmt.Sprintf("the buffer of %s reduces the throughput most: if only this buffer were %d "+
			"times as large, the throughput would be %s (%s)",
			worst.Edge, result.EnlargedTimes, units.Rate(float64(worst.Enlarged)),
			units.Change(float64(worst.Enlarged/w.Throughput-1))))
	}
	if l := w.Latency; l != nil && l.Growing {
		notes = append(notes, "latency from source to sink: still growing at the end of the simulation, because "+
			"saturating sources were filling the buffers")
	} else if l != nil {
		simulated := ""
		if w.Exact() {
			simulated = "; simulated"
		}
		notes = append(notes, fmt.Sprintf("latency from source to sink: median %s, p99 %s, p99.9 %s, with "+
			"saturating sources%s", units.Time(float64(l.P50)), units.Time(float64(l.P99)), units.Time(float64(l.P999)),
			simulated))
	}
	return notes
}

// enlargedGain shows the gain from a larger buffer. If the simulation cannot distinguish the gain from zero, it shows
// the interval.
func enlargedGain(w *result.WithBuffers, e *result.BufferedEdge) Cell {
	gain := float64(e.Enlarged/w.Throughput - 1)
	if w.Interval == nil || e.Enlarged > w.Interval[1] {
		return signed(max(0, gain))
	}
	if math.Abs(gain) < minHalf {
		return signed(0.0)
	}
	return value("within ± "+plusMinus(max(float64((w.Interval[1]-w.Interval[0])/2/w.Throughput), -gain)), 0)
}

// minHalf is the smallest half-width of a confidence interval that is shown.
const minHalf = 1e-4

// plusMinus formats the half-width of a confidence interval in percent, at least minHalf.
func plusMinus(half float64) string {
	if half > 1 {
		return "more than 100 %"
	}
	return units.Percent(max(half, minHalf))
}

// simulatedServices describes the distributions of simulated service times, if they differ from the figures.
func simulatedServices(w *result.WithBuffers) string {
	var parts []string
	if w.Measured > 0 {
		parts = append(parts, count(w.Measured, "kernel")+" with measured distributions")
	}
	if w.Exponential > 0 {
		parts = append(parts, count(w.Exponential, "kernel")+" with unknown variation, simulated as exponential")
	}
	if len(parts) == 0 {
		return ""
	}
	return "; " + strings.Join(parts, ", ")
}

// withBuffers adds the throughput with finite buffers.
func (p *script) withBuffers(c *result.Candidate) {
	if c.WithBuffers == nil || c.WithBuffers.Edges == nil {
		return
	}
	notes := withBuffersNotes(c)
	p.lead("Buffered", "%s, %s", withBuffersRate(c.WithBuffers), notes[0])
	for _, n := range notes[1:] {
		p.lead("", "%s", n)
	}
}

// withBuffers lists the simulated buffers and their costs.
func withBuffers(c *result.Candidate) *Table {
	w := c.WithBuffers
	if w == nil || w.Edges == nil {
		return nil
	}
	title := "Finite buffers, simulated: sizes and costs"
	if w.Exact() {
		title = "Finite buffers: sizes and costs (exact, except the waits of writers, which are simulated)"
	}
	t := &Table{ID: "with-buffers", Title: title, Ranking: "longest waits",
		Columns: []Column{name("edge"), counted("size", "elements"), size("memory"),
			number("blocked").about("share of the time in which the writer waits for space")}}
	worst := w.Worst()
	tried := slices.ContainsFunc(w.Edges, func(e result.BufferedEdge) bool { return e.Enlarged > 0 })
	if tried {
		t.Columns = append(t.Columns, rate("if larger").about(fmt.Sprintf(
			"throughput if this buffer alone were %d times as large", result.EnlargedTimes)),
			number("expected gain"))
	}
	for i := range w.Edges {
		e := &w.Edges[i]
		rate, brings := dash(), dash()
		if e.Enlarged > 0 && w.Throughput > 0 {
			rate, brings = figure(e.Enlarged), enlargedGain(w, e)
		}
		row := t.add(text(e.Edge), integer(e.Elements), figure(e.Bytes), bar(e.Blocked))
		if tried {
			row.Cells = append(row.Cells, rate, brings)
		}
		row.Hot, row.Load = e == worst, float64(e.Blocked)
	}
	return t.scaled()
}

// waits reports whether a writer waits for space in the simulation of a candidate.
func waits(c *result.Candidate) bool {
	return c.WithBuffers != nil && slices.ContainsFunc(c.WithBuffers.Edges,
		func(e result.BufferedEdge) bool { return e.Blocked >= minShown })
}

// minShown is the fraction of time above which a terminal shows the blocking of an edge.
const minShown = 1e-3

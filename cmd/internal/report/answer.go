package report

import (
	"strings"

	"xopt/mapper/result"
)

// answer is the best mapping: drawn, its next bottlenecks, its buffers, its code.
func answer(r *result.Result) Section {
	s := Section{ID: "answer", Title: "The answer"}
	if len(r.Candidates) == 0 {
		if m := r.Measured; m != nil && len(m.Place) > 0 {
			s.Title = "The mapping"
			s.Parts = append(s.Parts, Part{Drawing: runDrawing(r)})
		}
		return s
	}
	c := &r.Candidates[0]
	s.Parts = append(s.Parts, Part{Drawing: mappingDrawings(r)})
	s.Parts = append(append(s.Parts, tableParts(steps(c), intervals(r))...), buffers(c)...)
	s.Parts = append(s.Parts, bufferFront(c)...)
	s.Parts = append(s.Parts, tableParts(withBuffers(c), estimates(c))...)
	if c.Code != "" {
		s.Parts = append(s.Parts, Part{Code: &Code{ID: "code", Title: "The mapping in X", Text: c.Code}})
	}
	return s
}

// shownSteps is how many bottlenecks after another are told.
const shownSteps = 4

// steps are the bottlenecks, and what resolving each would bring.
func steps(c *result.Candidate) *Table {
	t := &Table{ID: "bottlenecks", Title: "Bottlenecks, one after the other", Figures: "predicted",
		Columns: []Column{number(""), name("bottleneck"), rate("throughput"), rate("throughput once removed"),
			number("gain").about("how much more the throughput is once the bottleneck is removed"), name("shared by")}}
	for i := range c.Bottlenecks[:min(len(c.Bottlenecks), shownSteps)] {
		b := &c.Bottlenecks[i]
		next, brings := dash(), dash()
		if i+1 < len(c.Bottlenecks) {
			then := c.Bottlenecks[i+1].Throughput
			next, brings = figure(then), signed(then/b.Throughput-1)
		}
		row := t.add(whole(i+1), text(LimitNames(c.Bottlenecks, i)+perhapsWords(b.Perhaps)), figure(b.Throughput),
			next, brings, text(sharers(b)))
		row.Hot = i == 0
	}
	return t.scaled()
}

// sharers tells who shares what limits a step.
func sharers(b *result.Step) string {
	var parts []string
	for i := range b.Limits {
		l := &b.Limits[i]
		by := shared(l)
		if by != "" && len(b.Limits) > 1 {
			by = l.Name + ": " + by
		}
		if by != "" {
			parts = append(parts, by)
		}
	}
	return strings.Join(parts, "; ")
}

package report

import (
	"fmt"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// searched tells how the candidates were found.
func searched(r *result.Result) Section {
	s := Section{ID: "search", Title: "Search"}
	x := r.Search
	if x == nil {
		return s
	}
	t := &Table{ID: "search-facts", Title: "How it was searched", Columns: []Column{name(""), name("")}}
	add := func(label, value string) { t.add(text(label), text(value)) }
	add("method", methodName(x.Method))
	if w := wanted(x); w != "" {
		add("wanted", w)
	}
	add("ended", x.Status)
	bound := "no bound was proven: how much better another mapping could be is not known"
	switch {
	case x.Optimal:
		bound = "0 %: " + x.Status
	case x.Bound > 0 && len(r.Candidates) > 0:
		bound = fmt.Sprintf("%s: no mapping exceeds %s%s",
			units.Percent(x.Gap(r.Candidates[0].Throughput)), units.Rate(float64(x.Bound)), boundBy(x))
	}
	add("distance from the bound", bound)
	proofFacts(r, add)
	if x.Runs > 1 {
		add("resumed", fmt.Sprintf("%d runs: evaluations and time are of all of them", x.Runs))
	}
	add("placements in the space", shortNumber(x.Placements))
	for _, x := range x.LeftOut {
		add("left out of it", x)
	}
	add("mappings scored", fmt.Sprint(x.Evals))
	if x.ProofNodes > 0 {
		add("nodes of branch and bound", fmt.Sprint(x.ProofNodes))
	}
	add("time (measured here)", units.Time(x.Seconds))
	if x.Seconds > 0 {
		add("scored per second (measured here)", units.Count(float64(x.Evals)/x.Seconds))
	}
	add("seed, threads", fmt.Sprintf("%d, %d", x.Seed, x.Threads))
	s.Parts = append(s.Parts, Part{Table: t})
	if len(x.History) > 0 {
		var rates []float64
		for _, h := range x.History {
			rates = append(rates, float64(h.Throughput))
		}
		scale := scaleOf("B/s", rates...)
		line := Series{Name: "best so far", Kind: Steps}
		for _, h := range x.History {
			line.X, line.Y = append(line.X, h.Seconds), append(line.Y, scale.Of(float64(h.Throughput)))
		}
		line.X, line.Y = append(line.X, x.Seconds), append(line.Y, line.Y[len(line.Y)-1])
		var limits []Limit
		if x.Bound > 0 && !x.Optimal {
			limits = append(limits, Limit{"proven bound", scale.Of(float64(x.Bound)), false})
		}
		s.Parts = append(s.Parts, Part{Chart: &Chart{ID: "history", Limits: limits,
			Title: "Best throughput over time, predicted",
			X:     Axis{Name: "time (s)"}, Y: Axis{Name: scale.Heading("throughput")}, Series: []Series{line}}})
	}
	if len(x.Course) > 1 {
		accept, heat := Series{Name: "moves accepted", Kind: Line}, Series{Name: "temperature", Kind: Line}
		for _, m := range x.Course {
			accept.X, accept.Y = append(accept.X, m.Seconds), append(accept.Y, 100*float64(m.Acceptance))
			heat.X, heat.Y = append(heat.X, m.Seconds), append(heat.Y, float64(m.Temperature))
		}
		s.Parts = append(s.Parts,
			Part{Chart: &Chart{ID: "acceptance", Title: "Moves accepted", X: Axis{Name: "time (s)"},
				Y: Axis{Name: "of the moves (%)"}, Series: []Series{accept}}},
			Part{Chart: &Chart{ID: "temperature", Title: "Temperature", X: Axis{Name: "time (s)"},
				Y: Axis{Name: "of the throughput"}, Series: []Series{heat}}})
	}
	return s
}

// wholeTolerance is the relative distance of a certificate in whole numbers from the bound that it shows.
const wholeTolerance = 1e-5

// provenMost returns the throughput that a search has proven no mapping to exceed.
func provenMost(r *result.Result) result.Number {
	if r.Search.Optimal {
		return r.Candidates[0].Throughput
	}
	return r.Search.Bound
}

// proofFacts says what the bound is worth: what it leaves out, what shows it, and what another solver said.
func proofFacts(r *result.Result, add func(label, value string)) {
	x := r.Search
	if len(r.Candidates) > 0 && !x.Optimal && x.Gap(r.Candidates[0].Throughput) > wideGap {
		for _, x := range x.Weak {
			add("left out by the bound", x)
		}
	}
	if c := x.Certificate; c != nil {
		what := "of a weaker bound than this"
		if len(r.Candidates) > 0 && c.Throughput <= provenMost(r)*(1+wholeTolerance) {
			what = "that no mapping exceeds " + units.Rate(float64(provenMost(r)))
		}
		add("certificate in the result file", what)
	}
	if v := x.Solver; v != nil && v.Bound > 0 {
		add("bound by "+strings.TrimSpace(v.Name+" "+v.Version), fmt.Sprintf("%s, in %s (measured here)",
			units.Rate(float64(v.Bound)), units.Time(v.Seconds)))
	}
}

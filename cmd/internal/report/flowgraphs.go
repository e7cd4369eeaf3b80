package report

import (
	"fmt"
	"math"
	"strings"

	"xopt/bench/flowgraphs"
	"xopt/internal/units"
)

// FlowGraphStudy returns four tables: the figures of all graphs, the limits and the gains of each graph, and the
// examples that cannot be measured.
func FlowGraphStudy(s *flowgraphs.Study) []*Table {
	return []*Table{flowGraphSummary(s), flowGraphLimits(s), flowGraphGains(s), flowGraphsSkipped(s)}
}

// goalAgreement is the fraction of graphs on which the named limit should agree with the experiment.
const goalAgreement = 0.95

// flowGraphSummary compares the figures of a study with its goals.
func flowGraphSummary(s *flowgraphs.Study) *Table {
	x := s.Summary()
	t := &Table{ID: "flow-graphs", Title: fmt.Sprintf("All %d flow graphs (measured)", len(s.Graphs)),
		Columns: []Column{name("figure"), name("value"), name("goal")}}
	add := func(what, value, goal string) { t.add(text(what), text(value), text(goal)) }
	add("graphs with a named limit (the rates of the other graphs vary too much)", fmt.Sprint(x.Named), "-")
	add("named limit agrees with the experiment", units.Percent(x.Agreement), units.Percent(goalAgreement))
	add("predicted effect of additional work, median error", points(x.SlowedError), "-")
	add("gain of a pinning by the model, median error", points(x.PinnedError), "-")
	add("graphs with an advised change", fmt.Sprint(x.Applied), "-")
	add("stated gain of an advised change, median difference to another comparison", points(x.GainError), "5 points")
	add("advised changes that made the graph significantly slower", fmt.Sprint(x.Slower), "0")
	add("change of the rate by the performance counters, median", units.Change(x.Cost), "-2 %")
	return t
}

// points formats a difference of relative changes in percentage points.
func points(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.1f points", 100*v)
}

// flowGraphLimits compares the limits with the effects of additional work.
func flowGraphLimits(s *flowgraphs.Study) *Table {
	t := &Table{ID: "flow-graph-limits", Title: "Limits, and effects of additional work in the busiest block and " +
		"in another block", Columns: []Column{name("flow graph"), number("blocks"), number("items/s"), name("limit"),
		name("busiest block"), number("busy").about("processor time of its thread, or of all threads relative to the " +
			"processors"), number("work").about("processor time per second added to the busiest block"),
		number("predicted"), number("measured"), number("other: predicted"), number("measured"),
		name("agrees").about("yes if the measured effects match the named limit")}}
	for i := range s.Graphs {
		g := &s.Graphs[i]
		row := []Cell{text(g.Name), digits(float64(g.Blocks), 3), compact(g.Rate), text(string(g.Limit.Kind)),
			text(g.Limit.Block), tenths(g.Limit.Busy)}
		for k := range 2 {
			if k >= len(g.Slowed) {
				row = append(row, dash(), dash())
				continue
			}
			x := &g.Slowed[k]
			if k == 0 {
				row = append(row, percent(x.Work))
			}
			row = append(row, signed(x.Predicted), signed(x.Measured.Mean))
		}
		t.add(append(row, yesNo(g.Agrees))...)
	}
	return t.orNil()
}

// flowGraphGains lists the gains of pinnings and of the advised changes.
func flowGraphGains(s *flowgraphs.Study) *Table {
	t := &Table{ID: "flow-graph-gains", Title: "Gains of settings", Columns: []Column{name("flow graph"),
		name("pinnings: predicted / measured"), name("advised change"), number("stated"),
		number("again").about("gain in another comparison, with both graphs in turns"),
		name("95 % confidence\ninterval"), number("counters").about("change of the rate by the performance counters"),
		number("others").about("processors that other programs used")}}
	for i := range s.Graphs {
		g := &s.Graphs[i]
		var pins []string
		for _, p := range g.Pinnings {
			pins = append(pins, units.Change(p.Predicted)+" / "+units.Change(p.Measured))
		}
		row := []Cell{text(g.Name), text(strings.Join(pins, ", "))}
		if g.Change == "" {
			row = append(row, dash(), dash(), dash(), dash())
		} else {
			row = append(row, text(g.Change), signed(g.Promised.Mean), signed(g.Gain.Mean),
				text(changeInterval(g.Gain)))
		}
		t.add(append(row, signed(g.Cost.Mean), digits(g.Others, 2))...)
	}
	return t.orNil()
}

// flowGraphsSkipped lists the examples that cannot be measured.
func flowGraphsSkipped(s *flowgraphs.Study) *Table {
	t := &Table{ID: "flow-graphs-skipped", Title: "Sampled examples that cannot be measured",
		Columns: []Column{name("example"), name("reason")}}
	for _, x := range s.Skipped {
		t.add(text(x.Name), text(x.Reason))
	}
	return t.orNil()
}

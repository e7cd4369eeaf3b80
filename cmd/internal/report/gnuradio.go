package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xopt/deploy/gnuradio"
	"xopt/internal/units"
)

// FlowGraphMeasured shows the measurement of a flow graph of GNU Radio: the rate, the limit, and the figures of the
// blocks. Without full, it shows only the busiest blocks.
func FlowGraphMeasured(m *gnuradio.Measurement, full bool) []Part {
	p := &script{}
	p.lead("Rate", "%s", itemRate(m.Rate, &m.Sink))
	p.lead("Limit", "%s", limitText(m))
	p.lead("How sure", "GNU Radio %s on %s, %s, measured in %s", m.GNURadio, count(len(m.CPUs), "processor"),
		count(len(m.Blocks), "block"), units.Time(m.Seconds))
	if m.Others > gnuradio.MaxOthers {
		p.lead("", "other programs used %.2f processors: measure again on a quiet machine", m.Others)
	}
	if len(m.Replaced) > 0 {
		p.lead("Replaced", "%s, by null sources at full speed or null sinks", listed(m.Replaced))
	}
	if m.Unthrottled {
		p.lead("Throttle", "removed: throttle blocks copy their input at full speed")
	}
	p.show(flowGraphBlocks(m, full))
	if full {
		p.show(flowGraphTrials(m))
		p.add("Performance counters change the rate by %s (%s). Rates and shares come from runs without counters.",
			units.Change(m.Cost.Mean), changeInterval(m.Cost))
	}
	for _, n := range m.Notes {
		p.add("note: %s", n.Text)
	}
	return p.parts
}

// itemRate formats a rate at a sink, with its interval.
func itemRate(e gnuradio.Estimate, s *gnuradio.Sink) string {
	if e.Mean == 0 {
		return "no item reached " + s.Name + " in the windows (use a longer --run-time)"
	}
	text := fmt.Sprintf("%s at %s, measured", perSecond(e.Mean), s.Name)
	if e.N > 1 && e.Mean > 0 {
		text += fmt.Sprintf(" (±%s)", units.Percent((e.High-e.Low)/2/e.Mean))
	}
	return text
}

// perSecond formats a rate of items.
func perSecond(v float64) string {
	s := units.Count(v)
	if s != "" && strings.Contains("kMGT", s[len(s)-1:]) {
		return s + "items/s"
	}
	return s + " items/s"
}

// limitText describes the limit of a flow graph.
func limitText(m *gnuradio.Measurement) string {
	l := m.Limit()
	switch l.Kind {
	case gnuradio.LimitThrottle:
		return fmt.Sprintf("the throttle %s at %s; without it (--unthrottle), the graph could be faster", l.Block,
			perSecond(l.Rate))
	case gnuradio.LimitHardware:
		return fmt.Sprintf("the hardware of %s: no thread is busy for more than %s of the time", l.Block,
			units.Percent(l.Busy))
	case gnuradio.LimitThread:
		at, load := m.ByShare()[0], m.Load()
		s := fmt.Sprintf("%s: its thread is busy for %s of the time, and waits for a processor for %s", l.Block,
			units.Percent(load.Shares[at]), units.Percent(m.Figures[at].Queued))
		if sum := load.Sum() / load.Processors; sum > l.Busy && len(m.Slowed) > 1 {
			other := &m.Slowed[1]
			s += fmt.Sprintf("; all threads use %s of the processors, but additional work in %s changes the rate by "+
				"only %s", units.Percent(sum), other.Block, units.Change(other.Measured.Mean))
		}
		return s
	case gnuradio.LimitProcessors:
		of := "them"
		if m.Others > gnuradio.MaxOthers {
			of = "the time that other programs leave"
		}
		return fmt.Sprintf("the processors: the threads use %s of %s, mainly %s", units.Percent(l.Busy), of, l.Block)
	}
	busiest := fmt.Sprintf("the busiest thread, %s, is busy %s of the time", l.Block, units.Percent(l.Busy))
	switch l.Kind {
	case gnuradio.LimitIdle:
		return "the source or the messages, for which all blocks wait: " + busiest
	case gnuradio.LimitUnsteady:
		return "unknown, because the rate varies too much: " + busiest
	}
	return "waiting between the blocks: " + busiest
}

// flowGraphBlocks lists the blocks, the busiest first.
func flowGraphBlocks(m *gnuradio.Measurement, full bool) *Table {
	t := &Table{ID: "blocks", Title: "Blocks", Figures: "measured", Columns: []Column{name("block"),
		number("busy").about("processor time of the thread per second"),
		time("per item").own().about("processor time of the thread per item of the busiest input, or of the output " +
			"of a source"),
		number("items/s"), number("items in\na call")}}
	if full {
		t.Columns = append(t.Columns, number("queued").about("time in which the thread waits for a processor"),
			number("input\nfull").about("mean fill of the fullest input buffer"),
			number("output\nfull").about("mean fill of the fullest output buffer"), time("cost of\nan item").own(),
			time("cost of\na call").own())
	}
	order := m.ByShare()
	const short = 8
	if !full && len(order) > short {
		t.Title = fmt.Sprintf("The %d busiest of %d blocks", short, len(order))
		order = order[:short]
	}
	for _, i := range order {
		f := &m.Figures[i]
		calls, items := dash(), compact(f.Items)
		if f.Items == 0 && f.IsIncomplete() {
			items = dash()
		}
		if f.Calls > 0 {
			calls = digits(f.Items/f.Calls, 3)
		}
		row := []Cell{text(m.Blocks[i].Label()), tenths(f.Share.Mean), figureOrDash(f.PerItem), items, calls}
		if full {
			row = append(row, tenths(f.Queued), fullest(f.InFull), fullest(f.OutFull), figureOrDash(f.ItemCost),
				figureOrDash(f.CallCost))
		}
		t.add(row...)
	}
	return t.scaled()
}

func fullest(fills []float64) Cell {
	if len(fills) == 0 {
		return dash()
	}
	return tenths(slices.Max(fills))
}

// tenths shows a fraction in percent with one decimal.
func tenths(v float64) Cell {
	return Cell{Text: fmt.Sprintf("%.1f", 100*v), Unit: "%", Value: v, Valued: true}
}

// flowGraphTrials lists the settings that ran in turns with the unchanged graph.
func flowGraphTrials(m *gnuradio.Measurement) *Table {
	return adviceTable("trials", "Settings tried", m.Settings())
}

// adviceTable lists changes with their gains.
func adviceTable(id, title string, list []gnuradio.Advice) *Table {
	t := &Table{ID: id, Title: title, Columns: []Column{name("change").fold(28), number("gain"),
		name("95 % confidence\ninterval"), name("origin"), name("--change").about("name for xopt gnuradio apply")}}
	for i := range list {
		a := &list[i]
		t.add(text(a.Text), signed(a.Gain.Mean), text(changeInterval(a.Gain)), text(a.Origin), text(a.Name))
	}
	return t.orNil()
}

// changeInterval formats the 95 % confidence interval of a relative change.
func changeInterval(e gnuradio.Estimate) string {
	if e.N < 2 {
		return "-"
	}
	return units.Change(e.Low) + " to " + units.Change(e.High)
}

// FlowGraphAdvice shows the limit of a measured flow graph, and the changes that make it faster, the best first. apply
// is the command that applies the best change. x is the experiment; nil for none.
func FlowGraphAdvice(m *gnuradio.Measurement, x *gnuradio.Experiment, apply string, full bool) []Part {
	p := &script{}
	p.lead("Limit", "%s", limitText(m))
	p.lead("Rate", "%s", itemRate(m.Rate, &m.Sink))
	if x != nil {
		p.lead("Experiment", "%s", experimentVerdict(m, x))
	}
	list, limit := m.All(), m.Limit().Kind
	if limit.IsFixed() {
		list = m.Settings()
	}
	why, do := m.Obstacle()
	switch best := m.Best(); {
	case limit == gnuradio.LimitUnsteady && m.Others <= gnuradio.MaxOthers:
		p.lead("To do", "measure longer (--run-time)")
	case best != nil && !limit.IsFixed():
		p.lead("To do", "%s: %s (%s), %s; %s", best.Text, units.Change(best.Gain.Mean), changeInterval(best.Gain),
			best.Origin, apply)
	case do == "" && len(list) > 0 && list[0].Name == "" && list[0].Gain.Mean > gnuradio.Worth:
		p.lead("To do", "%s; faster blocks would gain more", why)
	default:
		p.lead("To do", "%s: %s", cmp.Or(do, "nothing"), why)
	}
	const short = 8
	if !full {
		list = list[:min(short, len(list))]
	}
	p.show(adviceTable("changes", "Changes, the best first; a copy needs a block without state", list))
	if x != nil {
		p.show(experimentTable(x))
	}
	return p.parts
}

// experimentVerdict describes whether an experiment confirms the limit of a flow graph.
func experimentVerdict(m *gnuradio.Measurement, x *gnuradio.Experiment) string {
	const work = "additional work in two blocks "
	switch {
	case x.Agrees(m.Limit().Kind, len(m.CPUs)):
		return work + "confirms the limit (last table)"
	case x.Others > gnuradio.MaxOthers:
		return fmt.Sprintf("inconclusive, because other programs used %.2f processors: verify again on a quiet machine",
			x.Others)
	case !x.IsConclusive():
		return "inconclusive, because the intervals are wide (last table): verify again, with a longer --run-time"
	}
	return work + "does not confirm the limit (last table): measure again, with a longer --run-time"
}

// experimentTable compares the predicted and measured effects of slowing blocks down.
func experimentTable(x *gnuradio.Experiment) *Table {
	t := &Table{ID: "slowed", Title: "Experiment: additional work in the thread of one block", Columns: []Column{
		name("slowed block"), number("work").about("added processor time per second"), number("predicted\nchange"),
		number("measured\nchange"), name("95 % confidence\ninterval")}}
	for i := range x.Cases {
		c := &x.Cases[i]
		t.add(text(c.Block), percent(c.Work), signed(c.Predicted), signed(c.Measured.Mean),
			text(changeInterval(c.Measured)))
	}
	return t.orNil()
}

// FlowGraphsCompared shows the rates of two flow graphs that ran in turns.
func FlowGraphsCompared(c *gnuradio.Comparison, names [2]string) []Part {
	p := &script{}
	verdict := "the difference is not significant"
	switch {
	case c.Gain.Low > 0:
		verdict = names[1] + " is faster"
	case c.Gain.High < 0:
		verdict = names[1] + " is slower"
	}
	p.lead("Gain", "%s (%s, 95 %% confidence interval of %s), measured: %s", units.Change(c.Gain.Mean),
		changeInterval(c.Gain), count(c.Gain.N, "pair"), verdict)
	for i := range names {
		p.lead(map[int]string{0: "Rates"}[i], "%s: %s", names[i], itemRate(c.Means[i], &c.Sinks[i]))
	}
	if c.Others > gnuradio.MaxOthers {
		p.lead("How sure", "other programs used up to %.2f processors: compare again on a quiet machine", c.Others)
	}
	if c.Interrupted {
		p.lead("", "interrupted: the gain is that of the complete pairs")
	}
	return p.parts
}

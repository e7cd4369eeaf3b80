package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"xopt/deploy/xeval"
	"xopt/internal/units"
)

// RuleParts shows the results of production rules on a trace (Gayen 2008, Figs. 4.16 and 4.18). origin is the origin of
// the times in the trace.
func RuleParts(r *xeval.Result, origin string) []Part {
	t := &Table{ID: "rules", Ranking: "longest times", Title: "Waits and executions of each run of the rules, " +
		origin + "; ± is half the width of the 95 % confidence interval of the mean",
		Columns: []Column{name("block"), name("rule").spare(2), number("runs"),
			time("wait").about("mean time from the arrival of all inputs of a run to the consumption of the last " +
				"input"),
			name("wait ±").spare(1), time("wait p99").about("99th percentile of the waits").spare(3),
			time("execution").about("mean time from the consumption of the last input until the last output is sent"),
			name("execution ±").spare(1), time("p50").spare(5).about("the median"),
			time("p99").spare(4).about("99th percentile of the executions"),
			time("maximum").detail(), name("as written").detail()}}
	for i := range r.Blocks {
		b := &r.Blocks[i]
		for j := range b.Rules {
			x := &b.Rules[j]
			median, maximum := dash(), dash()
			if x.Execution.N > 0 {
				median, maximum = figure(x.Execution.P50), figure(x.Execution.Max)
			}
			row := t.add(text(b.Name), text(x.Name), integer(x.Runs()), meanTime(&x.Wait), half(&x.Wait), p99(&x.Wait),
				meanTime(&x.Execution), half(&x.Execution), median, p99(&x.Execution), maximum, text(x.Text))
			row.Load = float64(x.Runs()) * (x.Wait.Mean + x.Execution.Mean)
		}
	}
	parts := tableParts(t.scaled(), choices(r))
	for i := range r.Blocks {
		for j := range r.Blocks[i].Rules {
			x := &r.Blocks[i].Rules[j]
			parts = append(parts, ruleHistogram(fmt.Sprintf("execution-%d-%d", i+1, j+1), "Execution of "+
				r.Blocks[i].Name+", "+x.Name, &x.Execution)...)
			parts = append(parts, ruleHistogram(fmt.Sprintf("wait-%d-%d", i+1, j+1), "Wait of "+r.Blocks[i].Name+", "+
				x.Name, &x.Wait)...)
		}
	}
	return parts
}

func meanTime(s *xeval.Statistics) Cell {
	if s.N == 0 {
		return dash()
	}
	return figure(s.Mean).withInterval(s.Low, s.High)
}

func p99(s *xeval.Statistics) Cell {
	if s.N == 0 {
		return dash()
	}
	return figure(s.P99)
}

// half returns the half-width of the confidence interval of a mean.
func half(s *xeval.Statistics) Cell {
	if s.N < 2 || s.Mean == 0 {
		return dash()
	}
	return percent((s.High - s.Low) / 2 / s.Mean)
}

// choices shows how many runs each conjunction of a rule started or ended, if there are several conjunctions.
func choices(r *xeval.Result) *Table {
	t := &Table{ID: "choices", Title: "Inputs that triggered runs, and outputs that ended them", Columns: []Column{
		name("block"), name("rule"), name("side"),
		number("conjunction").about("position of the conjunction in this side of the rule"), number("runs"),
		percents("share").about("share of the runs of the rule")}}
	for i := range r.Blocks {
		for j := range r.Blocks[i].Rules {
			x := &r.Blocks[i].Rules[j]
			for side, counts := range [][]uint64{x.Inputs, x.Outputs} {
				for c, n := range counts {
					if len(counts) > 1 {
						t.add(text(r.Blocks[i].Name), text(x.Name), text([]string{"inputs", "outputs"}[side]),
							integer(c+1),
							integer(n), share(float64(n)/float64(max(x.Runs(), 1))).bar())
					}
				}
			}
		}
	}
	return t.orNil()
}

// ruleHistogram charts the times of a rule; nil if all times are equal.
func ruleHistogram(id, title string, s *xeval.Statistics) []Part {
	if len(s.Bins) < 2 {
		return nil
	}
	scale := scaleOf("s", s.Mean)
	first := s.Bins[0].From
	c := &Chart{ID: id, Title: title,
		X: Axis{Name: scale.Unit(), Log: first > 0 && s.Bins[len(s.Bins)-1].To > decade*first},
		Y: Axis{Name: "share of the runs up to this time (%)"}}
	line := Series{Name: title, Kind: Steps}
	sum := uint64(0)
	for _, b := range s.Bins {
		line.X, line.Y = append(line.X, scale.Of(b.From)), append(line.Y, 100*float64(sum)/float64(s.N))
		sum += b.N
	}
	last := s.Bins[len(s.Bins)-1]
	line.X, line.Y = append(line.X, scale.Of(last.To)), append(line.Y, 100)
	c.Series = []Series{line}
	return []Part{{Chart: c}}
}

// Symbols for successive runs on a timeline (Gayen 2008, Fig. 4.5), and the symbol for an event.
const (
	runSigns  = "+x*o#@%&"
	eventSign = '|'
)

// RuleTimeline draws a timeline for a terminal. Its lines have width characters.
func RuleTimeline(t *xeval.Timeline, width int) string {
	names := 0
	for i := range t.Lines {
		names = max(names, utf8.RuneCountInString(t.Lines[i].Name))
	}
	const minimum = 20
	cells := max(width-names-2, minimum)
	var b strings.Builder
	until := max(t.Until, 1)
	for i := range t.Lines {
		line := []rune(strings.Repeat("·", cells))
		for _, m := range t.Lines[i].Marks {
			sign := eventSign
			if m.Run >= 0 {
				sign = rune(runSigns[m.Run%len(runSigns)])
			}
			line[min(cells-1, max(0, int(float64(m.Time)/float64(until)*float64(cells-1)+0.5)))] = sign
		}
		fmt.Fprintf(&b, "%-*s  %s\n", names, t.Lines[i].Name, string(line))
	}
	stop := units.Time(float64(t.Until) * 1e-12)
	fmt.Fprintf(&b, "%*s  0%*s\n", names, "", cells-1, stop)
	return "\nTimeline: | an event; + the first run of a rule, x the second, then * o # @ % &\n" + b.String()
}

// TimelineChart draws a timeline for a page.
func TimelineChart(t *xeval.Timeline) *Chart {
	scale := scaleOf("s", float64(t.Until)*1e-12)
	c := &Chart{ID: "timeline-chart", Title: "Timeline of the rules", X: Axis{Name: scale.Unit()}}
	for i := range t.Lines {
		c.Y.Categories = append(c.Y.Categories, t.Lines[i].Name)
		s := Series{Name: t.Lines[i].Name, Kind: Points}
		for _, m := range t.Lines[i].Marks {
			s.X, s.Y = append(s.X, scale.Of(float64(m.Time)*1e-12)), append(s.Y, float64(i))
			label := "event"
			if m.Run >= 0 {
				label = fmt.Sprintf("run %d", m.Run+1)
			}
			s.Labels = append(s.Labels, label)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

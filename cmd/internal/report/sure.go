package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/flow/profile"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/result"
)

// failedSuffix marks failed assertions.
const failedSuffix = " FAILED"

// asserted summarizes the assertions of a run; "" if there are none.
func asserted(m *result.Measured) (value, note string) {
	var failed, unknown, notes []string
	for i := range m.Assertions {
		a := &m.Assertions[i]
		switch {
		case !a.Holds:
			failed = append(failed, a.Name)
			notes = append(notes, fmt.Sprintf("%s failed in %d of %s", a.Name, a.Failed, count(int(a.Frames), "frame")))
		case a.Frames == 0:
			unknown = append(unknown, a.Name)
		}
	}
	all := len(m.Assertions)
	if all == 0 {
		return "", ""
	}
	if len(unknown) > 0 {
		notes = append(notes, strings.Join(unknown, ", ")+" could not be evaluated")
	}
	notes = units.First(notes, maxNamed, "and %d more")
	switch {
	case len(failed) > 0:
		value = fmt.Sprintf("%d of %d"+failedSuffix, len(failed), all)
	case len(unknown) == all:
		value = "unknown"
	case len(unknown) > 0:
		value = fmt.Sprintf("%d of %d hold", all-len(unknown), all)
	default:
		value = "all hold"
		notes = append(notes, count(all, "assertion")+" tested in the run")
	}
	return value, strings.Join(notes, "; ")
}

// tied returns the number of leading candidates with equal throughput, if throughput is the only objective.
func tied(r *result.Result) int {
	if r.Search == nil || len(r.Candidates) == 0 || wanted(r.Search) != "" || r.Search.Robust != nil || isRaced(r) {
		return 0
	}
	n := slices.IndexFunc(r.Candidates, func(c result.Candidate) bool { return !c.Ties(&r.Candidates[0]) })
	if n < 0 {
		return len(r.Candidates)
	}
	return n
}

// tieNames lists the tied candidates, such as "1 and 2" or "1 to 5".
func tieNames(r *result.Result, n int) string {
	if n == 2 {
		return r.Candidates[0].Name + " and " + r.Candidates[1].Name
	}
	return r.Candidates[0].Name + " to " + r.Candidates[n-1].Name
}

// tieUnlikes describes the differences between the first candidate and the candidates that tie with it.
func tieUnlikes(r *result.Result, n int) []string {
	var list []string
	for i := 1; i < n && i <= maxDoubts; i++ {
		if s := unlike(&r.Candidates[0], &r.Candidates[i]); s != "" {
			list = append(list, fmt.Sprintf("candidate %s has %s", r.Candidates[i].Name, s))
		}
	}
	return list
}

// minUnlike is the relative difference above which the figures of tied candidates differ.
const minUnlike = 0.01

// unlike describes the differences between a candidate and the first candidate, which has the same throughput.
func unlike(first, c *result.Candidate) string {
	var list []string
	for _, d := range differences(first, c) {
		list = append(list, d.words)
	}
	return strings.Join(list, ", ")
}

// difference is one difference from the first candidate. It records whether the difference is an improvement.
type difference struct {
	better bool
	words  string
}

// differences returns the differences between a candidate and the first candidate, which has the same throughput.
func differences(first, c *result.Candidate) (list []difference) {
	differs := func(a, b result.Number) bool { return a > b*(1+minUnlike) || b > a*(1+minUnlike) }
	add := func(better bool, format string, args ...any) {
		list = append(list, difference{better, fmt.Sprintf(format, args...)})
	}
	if len(first.Bottlenecks) > 1 && len(c.Bottlenecks) > 1 {
		if a, b := first.Bottlenecks[1].Throughput, c.Bottlenecks[1].Throughput; differs(a, b) {
			add(b > a, "a throughput of %s after its bottleneck is removed, not "+
				"%s", units.Rate(float64(b)), units.Rate(float64(a)))
		}
	}
	if a, b := first.Latency, c.Latency; a != nil && b != nil && differs(a.Seconds, b.Seconds) {
		add(b.Seconds < a.Seconds, "a latency of %s, not %s", units.Time(float64(b.Seconds)),
			units.Time(float64(a.Seconds)))
	}
	if a, b := result.Number(first.BufferBytes()), result.Number(c.BufferBytes()); a > 0 && b > 0 && differs(a, b) &&
		checked(first) == checked(c) {
		add(b < a, "buffers of %s, not %s", units.Size(float64(b)), units.Size(float64(a)))
	}
	if a, b := inUseCount(first), inUseCount(c); a != b {
		add(b < a, "%s in use, not %d", count(b, "resource"), a)
	}
	return list
}

// tieGains describes the gains and losses of tied candidates that are better than the first candidate in at least one
// figure.
func tieGains(r *result.Result, n int) []string {
	var list []string
	for i := 1; i < n && len(list) < maxDoubts; i++ {
		var gains, losses []string
		for _, d := range differences(&r.Candidates[0], &r.Candidates[i]) {
			if d.better {
				gains = append(gains, d.words)
			} else {
				losses = append(losses, d.words)
			}
		}
		if len(gains) == 0 {
			continue
		}
		s := "candidate " + r.Candidates[i].Name + " gains " + strings.Join(gains, ", ")
		if len(losses) > 0 {
			s += "; it loses: " + strings.Join(losses, ", ")
		}
		list = append(list, s)
	}
	return list
}

// checked reports whether a simulation or an exact analysis verified the buffer sizes of a candidate.
func checked(c *result.Candidate) bool {
	for i := range c.Queues {
		if x := c.Queues[i].Recommended; x != nil && (x.Level == "simulated" ||
			x.Level == "proven") {
			return true
		}
	}
	return false
}

// robustFacts returns the results of the first candidate in a robust ranking.
func robustFacts(r *result.Result) []Fact {
	if r.Search == nil || r.Search.Robust == nil || len(r.Candidates) == 0 || r.Candidates[0].Robustness == nil {
		return nil
	}
	s := r.Search.Robust
	return []Fact{{"Robust", units.Rate(float64(r.Candidates[0].Robustness.Low)),
		strings.TrimSuffix(fmt.Sprintf("%s of the throughput. %s", quantileName(float64(s.Quantile)),
			strings.Join(rivals(r), " ")), ".")}}
}

// quantileName names a quantile, such as 5th percentile.
func quantileName(q float64) string { return fmt.Sprintf("%.3gth percentile", 100*q) }

// doubtName names the figure to measure more precisely.
func doubtName(d *result.Doubt) string {
	switch {
	case d.Cost != "" && d.Link != "":
		return "the cost of a transfer of " + d.Link
	case d.Cost != "" && d.Block == "":
		return "the " + d.Cost + " cost of " + d.Platform
	case d.Cost != "":
		return "the " + d.Cost + " cost of " + d.Block + " on " + d.Platform
	case d.Link != "":
		return "the bandwidth of " + d.Link
	}
	return d.Block + " on " + d.Platform
}

// alikeDraws reports whether the draws do not distinguish a candidate from the first candidate.
func alikeDraws(x *result.Robustness) bool { return x.Decide != nil || x.Same > 0.5 }

// rivals lists the candidates that the draws do not distinguish from the first candidate, and the measurement that
// would rank them.
func rivals(r *result.Result) []string {
	var list []string
	for i := 1; i < len(r.Candidates) && len(list) < maxDoubts; i++ {
		x, name := r.Candidates[i].Robustness, r.Candidates[i].Name
		switch {
		case x == nil || !alikeDraws(x):
		case x.Decide == nil:
			list = append(list, fmt.Sprintf("Candidates 1 and %s cannot be distinguished: they tie in %s of the "+
				"draws, and candidate 1 is ahead in %s.", name,
				units.Percent(float64(x.Same)), units.Percent(float64(x.Behind))))
		default:
			list = append(list, fmt.Sprintf("Candidates 1 and %s cannot be distinguished: candidate 1 is ahead in %s "+
				"of the draws, and they tie in %s. Measure %s more precisely: this figure causes %s of the "+
				"uncertainty of the order.", name, units.Percent(float64(x.Behind)), units.Percent(float64(x.Same)),
				doubtName(x.Decide), units.Percent(float64(x.Decide.Part))))
		}
	}
	if len(list) == 0 && len(r.Candidates) > 1 {
		list = append(list, "No other candidate is better than candidate 1 in more than 5 % of the draws.")
	}
	return list
}

// maxDoubts is the maximum number of rivals listed in a terminal.
const maxDoubts = 3

// robust adds a description of the candidates that the draws do not distinguish from the first candidate.
func (p *script) robust(r *result.Result) {
	s := r.Search.Robust
	exact := ""
	if s.Exact > 0 {
		exact = fmt.Sprintf("; %s treated as exact", count(s.Exact, "figure"))
	}
	doubt := ""
	if s.Doubt > 0 {
		doubt = fmt.Sprintf("; figures without an interval: assumed error of up to %.3g %%",
			100*float64(s.Doubt))
	}
	if s.Assumed > 0 {
		doubt += fmt.Sprintf("; %s from too few windows: assumed error of up to %.3g %%",
			count(s.Assumed, "figure"), 100*mapper.MeasuredDoubt)
	}
	if s.Unusable > 0 {
		doubt += fmt.Sprintf("; %s with too wide an interval: assumed to be within a factor of 2 to %d",
			count(s.Unusable, "figure"), profile.WidestFactor)
	}
	p.add("Ranked by the %s of the throughput over %d random draws of %s within their 95 %% confidence intervals%s%s.",
		quantileName(float64(s.Quantile)), s.Samples, count(s.Uncertain, "figure"), doubt, exact)
	for _, rival := range rivals(r) {
		p.add("%s", rival)
	}
}

// ties merges coincident lines of a chart into one line with all names, because only the last line would be visible.
func (c *Chart) ties() {
	const and = " and "
	var list []Series
	for i := range c.Series {
		s := &c.Series[i]
		at := -1
		for j := range list {
			if s.Kind == Line && list[j].Kind == Line && list[j].hides(s) {
				at = j
			}
		}
		if at < 0 {
			list = append(list, *s)
			continue
		}
		list[at].Name += and + s.Name
	}
	c.Series = list
	for i := range list {
		if strings.Contains(list[i].Name, and) {
			c.Note = strings.TrimPrefix(c.Note+" One line represents "+list[i].Name+", which have the same values.",
				" ")
		}
	}
}

// hides reports whether a series hides another series, because both have the same points.
func (s *Series) hides(o *Series) bool {
	if len(s.X) != len(o.X) || len(s.X) == 0 {
		return false
	}
	same := func(a, b float64) bool { return math.Abs(a-b) <= hidden*math.Abs(a) }
	for i := range s.X {
		if !same(s.X[i], o.X[i]) || !same(s.Y[i], o.Y[i]) {
			return false
		}
	}
	return true
}

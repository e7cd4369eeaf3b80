package report

import (
	"fmt"
	"slices"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// shownMembers is the number of members of a bottleneck that are named. A single further member is named, too.
const shownMembers = 3

// shared lists the members of a limit with their fractions of its load, which sum to 100 %; "" if no two members share
// it.
func shared(l *result.Limit) string {
	if l.Cycle != nil {
		return turning(l)
	}
	if len(l.Members) < 2 {
		return ""
	}
	return members(l)
}

// turning describes a limiting cycle: its rate, the fraction of its time in each member, and the gain from one more
// initial element.
func turning(l *result.Limit) string {
	c := l.Cycle
	s := fmt.Sprintf("%s every %s", count(c.Initial, "initial element"), units.Time(float64(c.Every)))
	of, rest := members(l), 1.0
	for _, p := range l.Parts {
		rest -= float64(p)
	}
	if rest >= minShownPart {
		of += fmt.Sprintf(", latency of links %.0f %%", 100*rest)
	}
	return s + " (" + strings.TrimPrefix(of, ", ") + ")"
}

// minShownPart is the fraction of a cycle's time above which the latency of its links is shown.
const minShownPart = 0.005

// hastened describes two changes that accelerate a limiting cycle: one more initial element, or 10 % more speed of the
// kernel with the largest gain. It returns "" if neither change has a gain. initial reports whether an initial element
// has a gain.
func hastened(c *result.Candidate) (ways string, initial bool) {
	if len(c.Bottlenecks) == 0 {
		return "", false
	}
	b := &c.Bottlenecks[0]
	for i := range b.Limits {
		l := &b.Limits[i]
		if l.Cycle == nil || l.Cycle.MoreOn == "" {
			continue
		}
		var list []string
		if gain := units.Change(float64(l.Cycle.More/b.Throughput - 1)); gain != units.Change(0) {
			initial = true
			list = append(list, fmt.Sprintf("one more initial element on %s would give a throughput of %s "+
				"(%s)", l.Cycle.MoreOn,
				units.Rate(float64(l.Cycle.More)), gain))
		}
		var best *result.Station
		for j := range c.Stations {
			x := &c.Stations[j]
			if !x.IsLink && slices.Contains(l.Members, x.Name) && x.TenPercent >= minGain &&
				(best == nil || x.TenPercent > best.TenPercent) {
				best = x
			}
		}
		if best != nil {
			list = append(list, fmt.Sprintf("making %s 10 %% faster would give %s throughput", best.Name,
				units.Change(float64(best.TenPercent))))
		}
		return strings.Join(list, "; "), initial
	}
	return "", false
}

// members lists the members of a limit with their fractions.
func members(l *result.Limit) string {
	total := 0.0
	for _, p := range l.Parts {
		total += float64(p)
	}
	var parts []string
	for i, m := range l.Members {
		if l.Cycle != nil && i < len(l.Parts) {
			total = 1 // the complete time of the cycle, including the latency of links
		}
		if total > 0 && i < len(l.Parts) {
			m += fmt.Sprintf(" %.0f %%", 100*float64(l.Parts[i])/total)
		}
		parts = append(parts, m)
	}
	return strings.Join(first(parts, shownMembers), ", ")
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// shownMembers is how many of those that share a bottleneck are named, where there are more
// than one more.
const shownMembers = 3

// shared tells who shares a limit, and what part of its load each has: the parts of all add up
// to 100 %, at any throughput. It is "" where no two share it.
func shared(l *result.Limit) string {
	if l.Cycle != nil {
		return turning(l)
	}
	if len(l.Members) < 2 {
		return ""
	}
	return members(l)
}

// turning tells how fast a cycle turns, who takes how much of its time, and what one more initial
// element brings.
func turning(l *result.Limit) string {
	c := l.Cycle
	s := fmt.Sprintf("%s every %s", count(c.Initial, "initial element"), units.Time(float64(c.Every)))
	of, rest := members(l), 1.0
	for _, p := range l.Parts {
		rest -= float64(p)
	}
	if rest >= leastPassing {
		of += fmt.Sprintf(", latency of links %.0f %%", 100*rest)
	}
	return s + " (" + strings.TrimPrefix(of, ", ") + ")"
}

// leastPassing is from what part of the time of a cycle on the latency of links is told.
const leastPassing = 0.005

// hastened tells what would make the cycle faster that limits a candidate: one more initial
// element, or the kernel of it that brings most when it is a tenth faster.
func hastened(c *result.Candidate) string {
	if len(c.Bottlenecks) == 0 {
		return ""
	}
	b := &c.Bottlenecks[0]
	for i := range b.Limits {
		l := &b.Limits[i]
		if l.Cycle == nil || l.Cycle.MoreOn == "" {
			continue
		}
		s := fmt.Sprintf("one more initial element on %s gives %s (%s)", l.Cycle.MoreOn,
			units.Rate(float64(l.Cycle.More)), units.Change(float64(l.Cycle.More/b.Throughput-1)))
		var best *result.Station
		for j := range c.Stations {
			x := &c.Stations[j]
			if !x.IsLink && slices.Contains(l.Members, x.Name) && x.TenPercent >= minGain &&
				(best == nil || x.TenPercent > best.TenPercent) {
				best = x
			}
		}
		if best != nil {
			s += fmt.Sprintf("; %s 10 %% faster gives %s", best.Name, units.Change(float64(best.TenPercent)))
		}
		return s
	}
	return ""
}

// members are those of a limit, with their parts of it.
func members(l *result.Limit) string {
	total := 0.0
	for _, p := range l.Parts {
		total += float64(p)
	}
	var parts []string
	for i, m := range l.Members {
		if i == shownMembers && len(l.Members) > shownMembers+1 {
			parts = append(parts, fmt.Sprintf("%d more", len(l.Members)-i))
			break
		}
		if l.Cycle != nil && i < len(l.Parts) {
			total = 1 // what passes without a member stays out
		}
		if total > 0 && i < len(l.Parts) {
			m += fmt.Sprintf(" %.0f %%", 100*float64(l.Parts[i])/total)
		}
		parts = append(parts, m)
	}
	return strings.Join(parts, ", ")
}

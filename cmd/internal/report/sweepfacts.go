package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// kneePart is the fraction of the highest throughput of a sweep that defines its knee.
const kneePart = 0.95

// maxWins is the maximum number of mappings whose best points are listed.
const maxWins = 4

// sweepFacts returns the answer of a sweep: the highest throughput and its point, the knee, and the points at which
// each mapping is best.
func sweepFacts(s *result.Sweep) []Fact {
	if s == nil {
		return nil
	}
	best := s.Best()
	if best < 0 {
		return nil
	}
	maximum, of, found := &s.Points[best], "", "in total"
	done, all := s.Computed()
	switch {
	case !maximum.Done():
		of, found = fmt.Sprintf("; none of %d points is done", all), "so far"
	case done < all:
		of, found = fmt.Sprintf("; %d of %d points are done", done, all), "so far"
	}
	label, value, rate := "Maximum throughput", units.Rate(float64(maximum.Throughput)), ""
	if s.Objective != "" {
		label, value, rate = "Best "+s.Objective, maximum.Objective, units.Rate(float64(maximum.Throughput))+" "
	}
	early := ""
	if maximum.Cut() {
		early = "; " + endedEarly
	}
	list := []Fact{{label, value, fmt.Sprintf("%s%s, at %s, mapping %s; limited by %s; %s%s%s", rate, withUnlimited,
		PointName(s, maximum), letter(maximum.Mapping), maximum.Bottleneck+possibleWords(maximum.Possible),
		pointRests(maximum),
		early, of)}}
	list = append(append(list, stalePoints(s)...), unfinishedPoints(s)...)
	if at := kneeOf(s); at >= 0 && at < best {
		p := &s.Points[at]
		list = append(list, Fact{"Knee", PointName(s, p), fmt.Sprintf("%s, the first point with at least %s of "+
			"the maximum throughput%s", units.Rate(float64(p.Throughput)), units.Percent(kneePart), of)})
	}
	return append(list, Fact{"Mappings", fmt.Sprintf("%d %s", len(s.Mappings), found), strings.Join(wins(s), "; ")})
}

// kneeOf returns the index of the first point with nearly the highest throughput. It returns -1 if several settings
// vary, or for an objective other than throughput.
func kneeOf(s *result.Sweep) int {
	best := s.Best()
	if best < 0 || len(s.Varied) != 1 || s.Objective != "" {
		return -1
	}
	return slices.IndexFunc(s.Points, func(p result.SweptPoint) bool {
		return p.Mapping >= 0 && p.Throughput >= kneePart*s.Points[best].Throughput
	})
}

// endedEarly marks a point whose search ended early.
const endedEarly = "its search ended early"

// unfinishedPoints counts the points whose search ended early.
func unfinishedPoints(s *result.Sweep) []Fact {
	n := 0
	for i := range s.Points {
		if s.Points[i].Cut() {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	_, all := s.Computed()
	return []Fact{{"Unfinished", fmt.Sprintf("%d of %d points", n, all), "their searches ended early: " +
		"better mappings may exist there"}}
}

// stalePoints counts the points whose throughput depends on stale figures, and names the first of these points.
func stalePoints(s *result.Sweep) []Fact {
	n, of := 0, ""
	for i := range s.Points {
		if p := &s.Points[i]; p.Stale > 0 {
			n++
			of = cmp.Or(of, PointName(s, p))
		}
	}
	if n == 0 {
		return nil
	}
	_, all := s.Computed()
	return []Fact{{"Stale", fmt.Sprintf("%d of %d points", n, all), "the sweep uses figures of other sources or " +
		"configs, first at " + of + "; to predict such a point, calibrate with its --set NAME=VALUE and another -o, " +
		"then search the point with the new profile"}}
}

// pointRests describes the basis of a point's throughput in the words of a search's answer.
func pointRests(p *result.SweptPoint) string {
	if len(p.Figures) == 0 { // an earlier version stored the point
		return "predicted"
	}
	return rests(&result.Candidate{Throughput: p.Throughput, Figures: p.Figures, Stale: p.Stale, Disturbed: p.Disturbed,
		Interval: p.Interval, IntervalAssumed: p.IntervalAssumed})
}

// wins lists the points at which each mapping is best.
func wins(s *result.Sweep) []string {
	var list []string
	for m := range s.Mappings {
		if m == units.Shown(len(s.Mappings), maxWins) {
			return append(list, fmt.Sprintf("and %d more mappings", len(s.Mappings)-m))
		}
		var at []*result.SweptPoint
		together := true // no point of another mapping lies between these points
		last := 0
		for i := range s.Points {
			if p := &s.Points[i]; p.Mapping == m {
				together = together && (len(at) == 0 || last == i-1)
				at, last = append(at, p), i
			}
		}
		switch n := len(at); {
		case n == 1 && len(s.Varied) == 1:
			list = append(list, fmt.Sprintf("%s at %s", letter(m), pointValue(s, at[0], 0)))
		case n == 0:
		case n == 1:
			list = append(list, fmt.Sprintf("%s at %s", letter(m), PointName(s, at[0])))
		case together && len(s.Varied) == 1:
			list = append(list, fmt.Sprintf("%s from %s", letter(m), pointRange(s, at[0], at[n-1])))
		default:
			list = append(list, fmt.Sprintf("%s at %d of %d points", letter(m), n, len(s.Points)))
		}
	}
	return list
}

// PointName names a point of a sweep by its values.
func PointName(s *result.Sweep, p *result.SweptPoint) string {
	var list []string
	for i := range s.Varied {
		list = append(list, s.Varied[i].Name+" = "+pointValue(s, p, i))
	}
	return strings.Join(list, ", ")
}

func pointValue(s *result.Sweep, p *result.SweptPoint, i int) string {
	c := swept(&s.Varied[i], p.Values[i])
	return c.String()
}

// pointRange names the values of the first setting at two points, in one unit.
func pointRange(s *result.Sweep, first, last *result.SweptPoint) string {
	x, unit, ok := quantity(&s.Varied[0], first.Values[0])
	y, _, isNumber := quantity(&s.Varied[0], last.Values[0])
	if !ok || !isNumber || !prefixed(unit) {
		return pointValue(s, first, 0) + " to " + pointValue(s, last, 0)
	}
	scale := scaleOf(unit, x, y)
	return fmt.Sprintf("%s to %s %s", scale.Format(x), scale.Format(y), scale.Unit())
}

// leads converts facts to leads for a terminal.
func leads(list []Fact) []Part {
	p := &script{}
	for _, f := range list {
		s := f.Value
		if f.Note != "" {
			s += ", " + f.Note
		}
		word := f.Label
		if len(word) > longestLead {
			word = word[strings.LastIndexByte(word, ' ')+1:]
			word = upper(word)
		}
		p.lead(word, "%s", s)
	}
	return p.parts
}

// longestLead is the maximum length of a lead word in characters.
const longestLead = 11

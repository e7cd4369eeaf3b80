package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/result"
)

func methodName(method string) string {
	switch method {
	case "anneal":
		return "simulated annealing"
	case "walk":
		return "random walks"
	case "mixed":
		return "annealing, other methods and branch and bound in turn"
	}
	return method
}

// shortNumber formats a large number as a power of ten.
func shortNumber(s string) string {
	if len(s) <= 7 {
		return s
	}
	return fmt.Sprintf("%s.%se%d", s[:1], s[1:3], len(s)-1)
}

// LimitNames names the limits of a step.
func LimitNames(steps []result.Step, i int) string {
	if i >= len(steps) {
		return "-"
	}
	var names []string
	for _, l := range steps[i].Limits {
		names = append(names, l.Name)
	}
	return strings.Join(numbered(names), " + ")
}

// manyNames is the number of names from which names that differ only in a number are merged.
const manyNames = 4

// numbered merges names that differ only in their first number into lists such as "top.pipe[1..6].fft on fpga".
func numbered(names []string) []string {
	if len(names) < manyNames {
		return names
	}
	var tails []string
	heads := make(map[string][]string)
	for _, name := range names {
		stop := strings.IndexByte(name, ']') + 1
		if stop == 0 {
			stop = len(name)
		}
		if heads[name[stop:]] == nil {
			tails = append(tails, name[stop:])
		}
		heads[name[stop:]] = append(heads[name[stop:]], name[:stop])
	}
	var out []string
	for _, tail := range tails {
		for _, head := range design.Ranges(heads[tail]) {
			out = append(out, head+tail)
		}
	}
	return out
}

// inUse names the resources with kernels.
func inUse(c *result.Candidate) string {
	var names []string
	for _, r := range c.Resources {
		if slices.ContainsFunc(c.Place, func(p result.Placement) bool { return p.Resource == r.Name }) {
			names = append(names, r.Name)
		}
	}
	return strings.Join(design.Ranges(names), ", ")
}

// moved describes how a candidate's placement differs from another candidate's: moved kernels, copies or routes.
func moved(c *result.Candidate, other *result.Candidate) string {
	if len(c.Place) == 0 || len(other.Place) == 0 { // a placement was not computed
		return ""
	}
	if kernels := len(c.Place); !slices.EqualFunc(c.Place, other.Place, func(x, y result.Placement) bool {
		return x.Kernel == y.Kernel
	}) {
		return map[int]string{-1: "without copies", 0: "other copies", 1: "with copies"}[cmp.Compare(kernels,
			len(other.Place))]
	}
	var to []string // resources in the order of their first moved kernel
	kernels := make(map[string][]string)
	n := 0
	for i, p := range c.Place {
		if p.Resource != other.Place[i].Resource {
			if kernels[p.Resource] == nil {
				to = append(to, p.Resource)
			}
			kernels[p.Resource] = append(kernels[p.Resource], p.Kernel)
			n++
		}
	}
	switch {
	case n == 0 && c != other && len(c.Routes) > 0:
		return "routes only"
	case n == 0:
		return ""
	case len(to) == 1 && n <= 2:
		return strings.Join(kernels[to[0]], ", ") + " to " + to[0]
	case n == 2:
		return fmt.Sprintf("%s to %s, %s to %s", kernels[to[0]][0], to[0], kernels[to[1]][0], to[1])
	}
	return fmt.Sprintf("%s to %s, and %d more kernels", kernels[to[0]][0], to[0], n-1)
}

// listed joins words as in a sentence: with commas, and "and" before the last.
func listed(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// wanted describes the objective and the limits of a search; "" for the highest throughput without limits.
func wanted(s *result.Search) string {
	var parts []string
	switch {
	case len(s.Objectives) > 1:
		parts = append(parts, "the Pareto front of "+listed(s.Objectives))
	case len(s.Objectives) == 1 && s.Objectives[0] != mapper.Throughput.String():
		parts = append(parts, "least "+s.Objectives[0])
	}
	if s.MinThroughput > 0 {
		parts = append(parts, "at least "+units.Rate(float64(s.MinThroughput)))
	}
	if s.MaxLatency > 0 {
		parts = append(parts, "latency up to "+units.Time(float64(s.MaxLatency)))
	}
	if s.MaxBuffer > 0 {
		parts = append(parts, "no buffer above "+units.Size(float64(s.MaxBuffer)))
	}
	return strings.Join(parts, "; ")
}

// rests describes the basis of a prediction. It includes the interval if known.
func rests(c *result.Candidate) string {
	s := Basis(c)
	if main := mainCost(c, largeCost); main != "" {
		s += "; " + main
	}
	scale := scaleOf("B/s", float64(c.Throughput))
	if x := c.Interval; x != nil && scale.Format(float64(x[0])) != scale.Format(float64(x[1])) {
		s += fmt.Sprintf("; %s to %s %s at the ends of their 95 %% confidence intervals", scale.Format(float64(x[0])),
			scale.Format(float64(x[1])), scale.Unit())
		if c.IntervalAssumed > 0 {
			s += "; " + assumedIntervals(c)
		}
	}
	return s
}

// largeCost is the fraction of the bottleneck's load from which the output names the largest cost other than computing.
const largeCost = 0.3

// majorCost is the corresponding fraction for the short answer.
const majorCost = 0.5

// mainCost names the largest component of the bottleneck's load other than the work of kernels; "" if none reaches the
// fraction minimum. If only the sum of one kind over all kernels reaches this fraction, mainCost names the sum.
func mainCost(c *result.Candidate, minimum float64) string {
	if len(c.Bottlenecks) == 0 || len(c.Bottlenecks[0].Limits) == 0 || c.Bottlenecks[0].Limits[0].Cycle != nil {
		return ""
	}
	limit := &c.Bottlenecks[0].Limits[0]
	total, largest, name := 0.0, 0.0, ""
	sums, kind := make(map[string]float64), "" // sums over the kernels, and the kind with the largest sum
	member := make(map[string]bool, len(limit.Members))
	for _, m := range limit.Members {
		member[m] = true
	}
	for i := range c.Stations {
		st := &c.Stations[i]
		if st.IsLink || st.On != limit.Name || !member[st.Name] {
			continue
		}
		for _, x := range st.Parts {
			v := float64(x.Value)
			total += v
			if x.Part == flow.Compute.String() || x.Part == flow.Unused.String() {
				continue
			}
			if v > largest {
				largest, name = v, fmt.Sprintf("the %s cost of %s", x.Part, st.Name)
			}
			if sums[x.Part] += v; kind == "" || sums[x.Part] > sums[kind] {
				kind = x.Part
			}
		}
	}
	if largest < minimum*total {
		largest, name = sums[kind], fmt.Sprintf("the %s cost of its kernels", kind)
	}
	if !(largest >= minimum*total) || !(largest > 0) {
		return ""
	}
	return fmt.Sprintf("%s of the load of %s is %s", units.Percent(largest/total), limit.Name, name)
}

// assumedIntervals names the kernels and links with measured intervals that are too wide to use. It also names the
// figures with these intervals, and their fractions of the bottleneck's load.
func assumedIntervals(c *result.Candidate) string {
	s := units.Counted(c.IntervalAssumed, "interval was", "intervals were") + " too wide and replaced by assumed values"
	var names []string
	for _, x := range c.IntervalAssumedOf {
		part := "does not load the bottleneck"
		if limit := possibleLimit(c, x.Name); limit != "" && x.Part == 0 {
			part = "loads " + limit + ", a possible bottleneck"
		} else if x.Part > 0 {
			part = units.Percent(float64(x.Part)) + " of the load of " + LimitNames(c.Bottlenecks, 0)
		}
		names = append(names, fmt.Sprintf("%s (%s)", x.Name, strings.Join(append(slices.Clone(x.Figures), part), ", ")))
	}
	if len(names) == 0 {
		return s
	}
	return s + ": " + strings.Join(first(names, shownMembers), ", ")
}

// possibleLimit names the possible bottleneck that a kernel or link loads; "" if there is none.
func possibleLimit(c *result.Candidate, name string) string {
	if len(c.Bottlenecks) == 0 {
		return ""
	}
	for _, limit := range c.Bottlenecks[0].Possible {
		if limit == name || slices.ContainsFunc(c.Stations, func(s result.Station) bool {
			return s.Name == name && (s.On == limit || s.Name+" on "+s.On == limit)
		}) {
			return limit
		}
	}
	return ""
}

// assumedNames names up to two assumed figures of a prediction that is mainly based on other figures; "" for none.
func assumedNames(c *result.Candidate) string {
	var names []string
	n, all := 0, 0
	for _, x := range c.Figures {
		all += x.Count
	}
	for _, x := range c.Citations {
		if x.Origin == flow.Assumed.String() {
			names, n = append(names, x.Of...), n+x.Figures
		}
	}
	if len(names) == 0 || 2*n > all {
		return ""
	}
	return "; assumed: " + someOf(names, n)
}

// someOf names up to two of n things and counts the remaining things. It never writes "1 more" in place of a single
// name.
func someOf(names []string, n int) string {
	named := min(2, len(names))
	if n == 3 {
		named = 1
	}
	if n == named {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:named], ", "), n-named)
}

// Basis counts the figures of a prediction by origin.
func Basis(c *result.Candidate) string {
	var parts []string
	for _, f := range c.Figures {
		parts = append(parts, fmt.Sprintf("%d %s", f.Count, f.Origin))
	}
	doubts := ""
	if c.Stale > 0 {
		doubts += fmt.Sprintf(", %d of them stale", c.Stale)
	}
	if c.IntervalAssumed > 0 {
		doubts += fmt.Sprintf(", %d of them with an assumed interval", c.IntervalAssumed)
	}
	if c.Disturbed > 0 {
		doubts += fmt.Sprintf(", %d measured on a disturbed machine", c.Disturbed)
	}
	switch len(parts) {
	case 0:
		return "predicted"
	case 1:
		if c.Figures[0].Count == 1 {
			return "predicted from " + parts[0] + " figure" + doubts
		}
	}
	return "predicted from " + listed(parts) + " figures" + doubts
}

package paper

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xopt/deploy/validate"
	"xopt/flow/profile"
	"xopt/internal/units"
)

// writeSizes writes the recommended sizes of the queues that were tapped: all that are certified, and of the others
// how many have which level, and why they are not certified.
func writeSizes(b *strings.Builder, studies []*Study) {
	var all []validate.Size
	var rows [][]string
	levels, why := make(map[string][]float64), make(map[string]int)
	above := make(map[string]int)
	for _, s := range studies {
		for i := range s.Sizes {
			q := &s.Sizes[i]
			all = append(all, q.Size)
			levels[q.Level] = append(levels[q.Level], q.OverMost(q.Recommended))
			if q.Measured > q.Recommended {
				above[q.Level]++
			}
			if q.Certified == 0 {
				why[q.Refused]++
				continue
			}
			rows = append(rows, []string{s.Name, q.Mapping, q.Edge, fmt.Sprintf("%.0f", q.Recommended),
				fmt.Sprintf("%.0f", q.Certified), fmt.Sprintf("%.0f", q.Measured),
				fmt.Sprintf("%.2f", q.OverMost(q.Certified)), q.verdict(), fmt.Sprint(q.Samples)})
		}
	}
	if len(all) == 0 {
		return
	}
	b.WriteString("\n## Recommended sizes\n\nIn elements, from the profile measured in between, beside the most " +
		"in the same tapped queues, and in mappings\nwith one kernel alone on its core, in which sizes can be " +
		"certified. Only a certified size is a bound.\n")
	var kinds [][]string
	for _, level := range slices.Sorted(maps.Keys(levels)) {
		x := levels[level]
		kinds = append(kinds, []string{level, fmt.Sprint(len(x)), fmt.Sprintf("%.2f", profile.MedianOf(x).Value),
			fmt.Sprint(above[level])})
	}
	table(b, []string{"level", "queues", "median of recommended over most measured", "measured above"}, kinds)
	if len(rows) > 0 {
		table(b, []string{"application", "mapping", "edge", "recommended", "certified", "most measured",
			"certified over most", "exceeded", "elements tapped"}, rows)
	}
	c := validate.Certify(all)
	if c.Queues == 0 {
		fmt.Fprintf(b, "\nCertified: none of %d queues.\n", len(all))
	} else {
		fmt.Fprintf(b, "\nCertified: %d queues, %d exceeded, median certified size over the largest queue seen %.2f.\n",
			c.Queues, c.Exceeded, c.Median)
	}
	if len(why) == 0 {
		return
	}
	b.WriteString("\nNot certified:\n\n")
	reasons := slices.SortedFunc(maps.Keys(why), func(x, y string) int {
		return cmp.Or(why[y]-why[x], cmp.Compare(x, y))
	})
	const most = 20
	for i, reason := range reasons {
		if i == most {
			fmt.Fprintf(b, "- and %d more reasons, in papers.json\n", len(reasons)-i)
			break
		}
		fmt.Fprintf(b, "- %d: %s\n", why[reason], reason)
	}
}

// verdict says whether there was more than what is certified, and what of the run the certificate could not know.
func (q *SizedQueue) verdict() string {
	switch {
	case !q.Exceeded():
		return "no"
	case q.Longest > q.Known:
		return fmt.Sprintf("yes: a firing on its core took %s, the longest of the profile %s", units.Time(q.Longest),
			units.Time(q.Known))
	}
	return "yes"
}

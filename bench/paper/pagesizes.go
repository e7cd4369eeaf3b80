package paper

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"xopt/flow/profile"
)

// writeSizes writes how the recommended sizes of the queues that were tapped did, by level.
func writeSizes(b *strings.Builder, studies []*Study) {
	levels := make(map[string][]float64)
	above := make(map[string]int)
	for _, s := range studies {
		for i := range s.Sizes {
			q := &s.Sizes[i]
			levels[q.Level] = append(levels[q.Level], q.OverMost(q.Recommended))
			if q.Measured > q.Recommended {
				above[q.Level]++
			}
		}
	}
	if len(levels) == 0 {
		return
	}
	b.WriteString("\n## Recommended sizes\n\nIn elements, from the profile measured in between, beside the most " +
		"in the same tapped queues.\n")
	var kinds [][]string
	for _, level := range slices.Sorted(maps.Keys(levels)) {
		x := levels[level]
		kinds = append(kinds, []string{level, fmt.Sprint(len(x)), fmt.Sprintf("%.2f", profile.MedianOf(x).Value),
			fmt.Sprint(above[level])})
	}
	table(b, []string{"level", "queues", "median of recommended over most measured", "measured above"}, kinds)
}

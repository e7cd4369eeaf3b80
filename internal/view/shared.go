package view

import (
	"fmt"
	"strings"

	"xopt/internal/result"
)

// shownMembers is how many of those that share a bottleneck are named, where there are more
// than one more.
const shownMembers = 3

// shared tells who shares a limit, and what part of its load each has: the parts of all add up
// to 100 %, at any throughput. It is "" where no two share it.
func shared(l *result.Limit) string {
	if len(l.Members) < 2 {
		return ""
	}
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
		if total > 0 && i < len(l.Parts) {
			m += fmt.Sprintf(" %.0f %%", 100*float64(l.Parts[i])/total)
		}
		parts = append(parts, m)
	}
	return strings.Join(parts, ", ")
}

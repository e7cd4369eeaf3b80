package compare

import (
	"fmt"

	"xopt/cmd/internal/report"
	"xopt/mapper/result"
)

// throughputSure tells how sure a change of a predicted throughput is: what the predictions rest on, and
// whether the intervals of what was measured tell them apart.
func throughputSure(x, y *result.Candidate) string {
	s := then(report.Basis(x), report.Basis(y))
	if p, q := x.Interval, y.Interval; p != nil && q != nil && x.Throughput != y.Throughput {
		if p[0] <= q[1] && q[0] <= p[1] {
			return s + "; their 95 % intervals overlap"
		}
		return s + "; their 95 % intervals do not overlap"
	}
	return s
}

// then tells something of before and after, once where it is the same.
func then(before, after string) string {
	if before == after {
		return before
	}
	return before + ", then " + after
}

// both tells of which results something was wrong, and what; "" for neither.
func both(first, second string) (whose, said string) {
	switch {
	case first != "" && first == second:
		return "both results", first
	case first != "" && second != "":
		return "both results", fmt.Sprintf("%s; then %s", first, second)
	case first != "":
		return "the first result", first
	case second != "":
		return "the second result", second
	}
	return "", ""
}

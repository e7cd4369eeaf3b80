package report

import (
	"strings"

	"xopt/mapper/result"
)

// Lengths of a reason, in characters.
const (
	shortReason = 80  // for the headline
	longReason  = 200 // for a cell of a table
)

// partialShort tells in a few words why a run did not end by itself. The whole reason, which names every kernel
// that waits, stands with what was measured.
func partialShort(m *result.Measured) string {
	switch {
	case len([]rune(m.Partial)) <= shortReason && !strings.Contains(m.Partial, "\n"):
		return m.Partial
	case m.FaultOf != "":
		return "ended by a fault of " + m.FaultOf + " (see below)"
	}
	return "the run did not end by itself; the reason is below"
}

// firstLine is the first line of a reason, cut where it is long.
func firstLine(s string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(line); len(r) > longReason {
		return string(r[:longReason]) + " …"
	}
	if rest != "" {
		return line + " …"
	}
	return line
}

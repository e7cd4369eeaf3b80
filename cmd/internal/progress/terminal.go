package progress

import (
	"os"
	"strconv"

	"golang.org/x/term"

	"xopt/internal/safetext"
)

// IsTerminal reports whether text that is written goes to a terminal.
func IsTerminal(w *safetext.Writer) bool {
	f, ok := w.Under().(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// TerminalWidth returns the width of the terminal that text is written to; 0 where there is none.
func TerminalWidth(w *safetext.Writer) int {
	if f, ok := w.Under().(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// LineWidth returns the width of the terminal that text is written to, or COLUMNS where there is none; 0 where that is
// not set.
func LineWidth(w *safetext.Writer) int {
	if n := TerminalWidth(w); n > 0 {
		return n
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 0
}

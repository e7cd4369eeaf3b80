package progress

import (
	"os"
	"strconv"

	"golang.org/x/term"

	"xopt/internal/safetext"
)

// IsTerminal reports whether output goes to a terminal.
func IsTerminal(w *safetext.Writer) bool {
	f, ok := w.Under().(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// TerminalWidth returns the width of the output's terminal; 0 without one.
func TerminalWidth(w *safetext.Writer) int {
	if f, ok := w.Under().(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// LineWidth returns the width of the output's terminal, or COLUMNS without one; 0 if that is not set.
func LineWidth(w *safetext.Writer) int {
	if n := TerminalWidth(w); n > 0 {
		return n
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 0
}

// Package text renders a report for a terminal: sentences wrapped to the width of the terminal, and tables with aligned
// decimal points. It does not depend on results. Its input consists of [report.Part] values with all words and figures.
package text

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"xopt/cmd/internal/report"
	"xopt/internal/fault"
	"xopt/internal/safetext"
)

// Style configures the output.
type Style struct {
	Color bool // only for a terminal, and without NO_COLOR
	Width int  // width of the terminal in characters; 0 to disable wrapping
	Full  bool // show all rows of long tables
	// Height is the number of lines of the terminal; 0 if unknown. Short answers assume at least screenLines.
	Height int
}

// Write writes parts from top to bottom. It replaces control characters in strings by question marks, because names
// and notes may come from hostile files.
func Write(w io.Writer, parts []report.Part, style Style) error {
	t := &writer{w: w, style: style}
	for i := range parts {
		t.part(&parts[i])
	}
	return t.err
}

// writer stores the first error of the underlying writer.
type writer struct {
	w     io.Writer
	style Style
	err   error
}

func (t *writer) part(p *report.Part) {
	switch {
	case p.Heading != "":
		t.printf("\n%s\n", t.bold(p.Heading))
	case p.Lead != nil:
		if p.Separate {
			t.printf("\n")
		}
		t.lead(p.Lead)
	case p.Text != "":
		if p.Separate {
			t.printf("\n")
		}
		t.paragraph(p.Text)
	case p.List != nil:
		t.list(p.List)
	case p.Table != nil:
		t.table(p.Table)
	}
}

// styled is text that may contain xopt's own escape sequences.
type styled string

func (t *writer) printf(format string, args ...any) {
	if t.err != nil {
		return
	}
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = safetext.Clean(s)
		}
	}
	_, t.err = fmt.Fprintf(t.w, format, args...)
}

func (t *writer) bold(s string) styled {
	if t.style.Color {
		return styled(pretty.Bold.Sprint(safetext.Clean(s)))
	}
	return styled(safetext.Clean(s))
}

// leadWidth is the column at which text starts after a lead.
const leadWidth = 12

// lead writes a line with a bold lead. It wraps and indents the text after the lead.
func (t *writer) lead(l *report.Lead) {
	width := utf8.RuneCountInString(l.Word)
	pad := strings.Repeat(" ", max(1, leadWidth-width))
	lines := t.fold(l.Text, max(leadWidth, width+1))
	t.printf("%s%s%s\n", t.bold(l.Word), pad, lines[0])
	for _, line := range lines[1:] {
		t.printf("%s%s\n", strings.Repeat(" ", leadWidth), line)
	}
}

func (t *writer) paragraph(s string) {
	for _, line := range t.fold(s, 0) {
		t.printf("%s\n", line)
	}
}

// list writes a heading and items. It indents continuation lines.
func (t *writer) list(l *report.List) {
	t.printf("\n%s\n", t.bold(l.Title))
	for _, item := range l.Items {
		for i, line := range t.fold(item, 4) {
			t.printf("  %s%s\n", "  "[:2*min(i, 1)], line)
		}
	}
}

// narrowest is the width below which text is not wrapped.
const narrowest = 40

// fold wraps text between words, given the width of its indent. A command at the end of the text has a line of its own,
// so that users can copy the command.
func (t *writer) fold(s string, indent int) []string {
	s, command := fault.CutCommand(s)
	lines := []string{s}
	if t.style.Width >= narrowest {
		lines = wrap(phrases(s), t.style.Width-indent)
	}
	if command != "" {
		lines = append(lines, command)
	}
	return lines
}

// Fold wraps a line between words at the given width, where possible. It does not change lines that fit, or indented
// lines, such as excerpts of files. A width below 40 disables wrapping.
func Fold(s string, width int) []string {
	if width < narrowest || utf8.RuneCountInString(s) <= width || strings.HasPrefix(s, " ") {
		return []string{s}
	}
	return wrap(phrases(s), width)
}

// phrases splits text into words. It keeps a number and its unit together.
func phrases(s string) []string {
	const longestUnit = 5
	var out []string
	number := false
	for _, w := range strings.Fields(s) {
		if number && utf8.RuneCountInString(w) <= longestUnit && !isNumber(w) {
			out[len(out)-1] += " " + w
			number = false
			continue
		}
		out = append(out, w)
		number = isNumber(w)
	}
	return out
}

func isNumber(s string) bool { return s != "" && s != "-" && strings.Trim(s, "0123456789.,+-e") == "" }

// wrap joins words with spaces into lines of at most the given width, where possible.
func wrap(words []string, width int) []string {
	var lines []string
	line, length := "", 0
	for _, w := range words {
		n := utf8.RuneCountInString(w)
		if line != "" && length+1+n > width {
			lines = append(lines, line)
			line, length = "", 0
		}
		if line != "" {
			line += " "
			length++
		}
		line += w
		length += n
	}
	return append(lines, line)
}

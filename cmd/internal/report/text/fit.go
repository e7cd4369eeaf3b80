package text

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"xopt/cmd/internal/report"
	"xopt/internal/units"
)

// The output of a command without --full, with its remarks, fits into this screen.
const (
	screenLines   = 25
	screenWidth   = 80
	maxRemarks    = 6 // lines of warnings and notes
	maxNotes      = 3 // lines of notes among the remarks; warnings are more important
	closingLines  = 1 // after an answer with remarks: the number of hidden remarks
	usualRows     = 4 // rows that a table keeps as long as there are other lines to remove
	usualAnswers  = 5 // lines with a lead word that an answer keeps as long as it has tables to remove
	fewestAnswers = 3 // lines with a lead word that an answer keeps in any case
)

// Brief fits the remarks and the answer of a command without --full into one screen. It counts what it hides.
type Brief struct {
	lock            sync.Mutex
	lines, notes    int  // printed lines of remarks, and of notes among them
	prints          bool // the latest remark is printed, and so are its indented lines
	warnings, other int  // hidden warnings and notes
	cut             bool // a printed remark has hidden lines
	// Closing is the number of other lines that follow the answer, such as written files and the next command.
	Closing int
}

// Shows counts a remark, and reports whether it is printed. Texts that are neither warnings nor notes are always
// printed.
func (b *Brief) Shows(text string) bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	warning, note := strings.HasPrefix(text, "warning: "), strings.HasPrefix(text, "note: ")
	part := strings.HasPrefix(text, "  ")
	if !warning && !note && !part {
		b.prints = true
		return true
	}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n += len(Fold(line, screenWidth))
	}
	fits := b.lines+n <= maxRemarks && (!note || b.notes+n <= maxNotes)
	switch {
	case part:
		fits = fits && b.prints
		b.cut = b.cut || b.prints && !fits
	case warning:
		fits = fits || b.lines == 0
		b.warnings += one(!fits)
	default:
		b.other += one(!fits)
	}
	if !part {
		b.prints = fits
	}
	if fits {
		b.lines += n
		b.notes += n * one(note)
	}
	return fits
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Rest counts the hidden remarks, and names the option that prints them; "" for none.
func (b *Brief) Rest() string {
	b.lock.Lock()
	defer b.lock.Unlock()
	var list []string
	if b.warnings > 0 {
		list = append(list, units.Counted(b.warnings, "more warning", "more warnings"))
	}
	if b.other > 0 {
		list = append(list, units.Counted(b.other, "more note", "more notes"))
	}
	if b.cut && len(list) == 0 {
		list = append(list, "more lines")
	}
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, ", ") + ": --full"
}

// Fit shortens an answer so that it fits into the screen with the remarks. It removes rows of tables, then lines with
// lead words from the end, then the text below tables, then tables. A line names the removed tables. It keeps the first
// lines, the closing lines, the first rows of a table that is the answer, and tables that the user requested.
func (b *Brief) Fit(parts []report.Part, style Style) []report.Part {
	b.lock.Lock()
	defer b.lock.Unlock()
	limit := max(screenLines, style.Height) - b.lines - b.Closing
	if b.lines+b.warnings+b.other > 0 {
		limit -= closingLines
	}
	fitted := fit(parts, style, limit)
	if !slices.Contains(fitted, hiddenTable) {
		return fitted
	}
	for i := len(parts) - 1; i >= 0; i-- { // removing the hidden tables first makes space for lines
		if t := parts[i].Table; t != nil && !hasTable(fitted, t.ID) {
			parts = withoutTable(slices.Clone(parts), i)
		}
	}
	return fit(parts, style, limit)
}

// fit removes the least important parts until the remaining parts fit, or all remaining parts are required.
func fit(parts []report.Part, style Style, limit int) []report.Part {
	for height(parts, style) > limit {
		fitted := shorter(parts)
		if fitted == nil {
			break
		}
		parts = fitted
	}
	return parts
}

// hasTable reports whether parts contain a table.
func hasTable(parts []report.Part, id string) bool {
	return slices.ContainsFunc(parts, func(p report.Part) bool { return p.Table != nil && p.Table.ID == id })
}

// height counts the printed lines of parts.
func height(parts []report.Part, style Style) int {
	var out bytes.Buffer
	_ = Write(&out, parts, style) // writing to a buffer cannot fail
	return bytes.Count(out.Bytes(), []byte{'\n'})
}

// shorter returns parts without the least important row, table or line; nil if all must remain.
func shorter(parts []report.Part) []report.Part {
	longest, last := -1, -1
	leads, closing, second := 0, false, false
	for i := range parts {
		if t := parts[i].Table; t != nil && !t.Requested && (longest < 0 ||
			len(t.Rows) >= len(parts[longest].Table.Rows)) {
			longest = i
		}
		closing = closing || parts[i].Separate
		if parts[i].Lead == nil || closing {
			continue
		}
		leads++
		if !second { // the second of two next steps is less important than the lines after this step
			last = i
			second = i > 0 && parts[i].Lead.Word == "" && parts[i-1].Lead != nil && parts[i-1].Lead.Word == report.ToDo
		}
	}
	t := &report.Table{} // without rows, if no table may be shortened
	if longest >= 0 {
		t = parts[longest].Table
	}
	rows, fewest := len(t.Rows), usualAnswers
	if t.Answer || longest < 0 {
		fewest = fewestAnswers
	}
	remains := t.Answer || rows > 1 // the last row of a table that is not the answer is less important than a line
	parts = slices.Clone(parts)
	switch {
	case rows > usualRows:
		parts[longest].Table = fewerRows(t)
	case leads > usualAnswers && (remains || rows == 0):
		return slices.Delete(parts, last, last+1)
	case rows > 0 && !t.Bare:
		parts[longest].Table = bare(t)
	case leads > fewest && (remains || rows == 0):
		return slices.Delete(parts, last, last+1)
	case rows > 1:
		parts[longest].Table = fewerRows(t)
	case longest >= 0 && !t.Answer:
		return withoutTable(parts, longest)
	default:
		return nil
	}
	return parts
}

// fewerRows returns a table without its least important rows.
func fewerRows(t *report.Table) *report.Table {
	short := *t
	short.Rows = t.Rows[:len(t.Rows)-1]
	for n := len(t.Rows) - 1; n > 0; n-- {
		if top, _ := t.Top(n); len(top.Rows) < len(t.Rows) {
			short.Rows = top.Rows
			break
		}
	}
	short.Hidden += len(t.Rows) - len(short.Rows)
	if !t.Bare {
		short.Note = fmt.Sprintf("(%s hidden; --full shows all)", units.Counted(short.Hidden, "row", "rows"))
	}
	return &short
}

// bare returns a table without the lines below it. Its caption refers to --full instead.
func bare(t *report.Table) *report.Table {
	short := *t
	short.Bare, short.Note = true, ""
	short.Figures = strings.TrimPrefix(t.Figures+"; shortened: --full", "; ")
	return &short
}

// withoutTable returns parts without a table. It replaces the first removed table by a line that names --full.
func withoutTable(parts []report.Part, i int) []report.Part {
	if slices.Contains(parts, hiddenTable) {
		return slices.Delete(parts, i, i+1)
	}
	parts[i] = hiddenTable
	return parts
}

// hiddenTable takes the place of the tables that do not fit into the screen.
var hiddenTable = report.Part{Text: "(hidden table: --full)"}

package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"xopt/internal/safetext"
	"xopt/internal/units"
)

// Style says how text is written.
type Style struct {
	Color bool // only on a terminal, and not where NO_COLOR is set
	Width int  // columns of the terminal; 0 for lines as long as they come
	Full  bool // every candidate and every row of long tables
}

// legend explains the letters behind figures, which [mark] writes.
const legend = "m measured, p published, a assumed"

// mark is the letter for an origin.
func mark(origin string) string {
	if origin == "" {
		return ""
	}
	return origin[:1]
}

// marked is a figure with the letter of its origin.
func marked(figure, origin string) string { return strings.TrimSpace(figure + " " + mark(origin)) }

// styled is text that holds escape sequences of our own, or may.
type styled string

// textWriter prints a result; the first error of the underlying writer is kept.
type textWriter struct {
	w     io.Writer
	style Style
	err   error
}

// printf prints; control characters in strings, which names and notes of a
// hostile file may hold, are printed as question marks.
func (t *textWriter) printf(format string, args ...any) {
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

func (t *textWriter) bold(s string) styled {
	if t.style.Color {
		return styled(text.Bold.Sprint(safetext.Clean(s)))
	}
	return styled(safetext.Clean(s))
}

// leadWidth is the column at which text after a lead word begins.
const leadWidth = 12

// lead prints a line that a bold word begins; what does not fit into the
// terminal goes on below, indented.
func (t *textWriter) lead(word, format string, args ...any) {
	pad := strings.Repeat(" ", max(0, leadWidth-utf8.RuneCountInString(word)))
	lines := t.fold(fmt.Sprintf(format, args...), leadWidth)
	t.printf("%s%s%s\n", t.bold(word), pad, lines[0])
	for _, line := range lines[1:] {
		t.printf("%s%s\n", strings.Repeat(" ", leadWidth), line)
	}
}

// remark prints a paragraph.
func (t *textWriter) remark(format string, args ...any) {
	for _, line := range t.fold(fmt.Sprintf(format, args...), 0) {
		t.printf("%s\n", line)
	}
}

// narrowest is the width below which text is no longer folded.
const narrowest = 40

// fold breaks text between words so that it fits beside an indent.
func (t *textWriter) fold(s string, indent int) []string {
	if t.style.Width < narrowest {
		return []string{s}
	}
	return wrap(phrases(s), t.style.Width-indent)
}

// phrases parts text into words; a number stays with its unit.
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

// wrap joins words by spaces into lines of at most the given width, where the
// words allow.
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

// wrapNames joins names by commas into lines of about the given width.
func wrapNames(names []string, width int) []string {
	words := slices.Clone(names)
	for i := range words[:max(0, len(words)-1)] {
		words[i] += ","
	}
	return wrap(words, width)
}

// grid is a table to be printed.
type grid struct {
	title    string
	headings []string // a unit in brackets at the end goes under the name
	rows     [][]string
	// spare are columns that may be left out where the terminal is too narrow,
	// the most dispensable first.
	spare []int
	// hot are rows that stand out on a terminal with colours.
	hot map[int]bool
	// load is the utilization of each row's station; where there are more rows
	// than anyone reads, those of the greatest are shown.
	load []float64

	numeric []bool // which columns hold numbers
}

// WriteTable prints one table, every row of it.
func WriteTable(w io.Writer, style Style, title string, headings []string, rows [][]string) error {
	style.Full = true
	t := &textWriter{w: w, style: style}
	t.table(title, headings, rows)
	return t.err
}

// table prints rows under headings; columns of numbers are right-aligned.
func (t *textWriter) table(title string, headings []string, rows [][]string) {
	t.grid(grid{title: title, headings: headings, rows: rows})
}

// grid prints a table, without the spare columns that the terminal has no room
// for, and says which those are.
func (t *textWriter) grid(g grid) {
	if len(g.rows) == 0 {
		return
	}
	all, which := len(g.rows), "first"
	switch {
	case t.style.Full:
	case len(g.load) == all && all > mostRows:
		g.busiest(shownRows)
		which = "busiest"
	case all > mostPlain:
		g.rows = g.rows[:mostPlain]
	}
	g = g.cleaned()
	g.align()
	var keep []int
	for i := range g.headings {
		keep = append(keep, i)
	}
	var left []string
	lines := t.draw(g, keep)
	for _, i := range g.spare {
		if t.style.Width == 0 || widest(lines) <= t.style.Width {
			break
		}
		keep = slices.DeleteFunc(keep, func(k int) bool { return k == i })
		name, unit := cutUnit(g.headings[i])
		left = append(left, cmp.Or(name, unit))
		lines = t.draw(g, keep)
	}
	t.printf("\n")
	for i, line := range t.fold(g.title, 0) {
		if i > 0 {
			t.printf("\n")
		}
		t.printf("%s", t.bold(line))
	}
	t.printf("\n")
	for _, line := range lines {
		t.printf("%s\n", styled(line))
	}
	if len(g.rows) < all {
		t.remark("(the %d %s of %d; --full shows all)", len(g.rows), which, all)
	}
	if len(left) > 0 {
		t.remark("(left out, for want of room: %s)", strings.Join(left, ", "))
	}
}

// A table of more than mostRows rows is cut to the shownRows that matter most, and one whose
// rows are all alike to the first mostPlain.
const (
	mostRows  = 60
	shownRows = 40
	mostPlain = 500
)

// busiest keeps the n rows of the greatest load, in their order.
func (g *grid) busiest(n int) {
	order := make([]int, len(g.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(g.load[b], g.load[a]) })
	order = order[:n]
	slices.Sort(order)
	rows, hot := make([][]string, n), make(map[int]bool)
	for i, r := range order {
		rows[i], hot[i] = g.rows[r], g.hot[r]
	}
	g.rows, g.hot = rows, hot
}

// columnScale is a scale that suits most values of a column: the one for its
// median. A single giant, such as a bandwidth that is no limit, does not turn the
// others into fractions.
func columnScale(unit string, values []float64) units.Scale {
	known := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !(v > 0) || math.IsInf(v, 1) })
	if len(known) == 0 {
		return units.ScaleFor(unit)
	}
	slices.Sort(known)
	return units.ScaleFor(unit, known[(len(known)-1)/2])
}

func widest(lines []string) int {
	w := 0
	for _, line := range lines {
		w = max(w, text.StringWidthWithoutEscSequences(line))
	}
	return w
}

// cutUnit parts a heading into name and unit.
func cutUnit(heading string) (name, unit string) {
	if name, unit, ok := strings.Cut(heading, " ("); ok && strings.HasSuffix(unit, ")") {
		return name, strings.TrimSuffix(unit, ")")
	}
	return heading, ""
}

// cleaned is a copy of a grid without control characters.
func (g grid) cleaned() grid {
	rows := make([][]string, len(g.rows))
	for i, row := range g.rows {
		rows[i] = make([]string, len(row))
		for j, cell := range row {
			rows[i][j] = safetext.Line(cell)
		}
	}
	g.rows = rows
	return g
}

// align finds the columns of numbers, and pads the fractions of those that have
// one unit, so that the decimal points stand below each other.
func (g *grid) align() {
	g.numeric = make([]bool, len(g.headings))
	for i := range g.headings {
		numeric, suffix, units := g.examine(i)
		g.numeric[i] = numeric
		if !numeric || units > 1 {
			continue
		}
		longest := 0
		for _, row := range g.rows {
			number, _, _ := strings.Cut(row[i], " ")
			longest = max(longest, len(fraction(number)))
		}
		for _, row := range g.rows {
			number, unit, marked := strings.Cut(row[i], " ")
			switch {
			case isNumber(number):
				row[i] = number + strings.Repeat(" ", longest-len(fraction(number)))
				if marked {
					row[i] += " " + unit
				}
			case !marked:
				row[i] += strings.Repeat(" ", suffix) // stands over the digits
			}
		}
	}
}

// examine reports whether a column holds numbers, how wide the widest unit or
// letter behind them is, its space included, and how many different units there
// are.
func (g *grid) examine(i int) (numeric bool, suffix, units int) {
	seen := make(map[string]bool)
	for _, row := range g.rows {
		number, unit, _ := strings.Cut(row[i], " ")
		switch number {
		case "", "-", "?", "unlimited", "unknown":
			continue
		}
		if !isNumber(number) || strings.ContainsAny(unit, " 0123456789") {
			return false, 0, 0
		}
		if unit != "" {
			suffix = max(suffix, 1+utf8.RuneCountInString(unit))
		}
		if len(unit) == 1 && strings.Contains("mpa", unit) {
			unit = ""
		}
		seen[unit] = true
	}
	return true, suffix, len(seen)
}

// fraction is the decimal point of a number and what follows it.
func fraction(number string) string {
	if i := strings.IndexByte(number, '.'); i >= 0 && isNumber(number) {
		return number[i:]
	}
	return ""
}

func isNumber(s string) bool {
	return s != "" && s != "-" && strings.Trim(s, "0123456789.,+-e") == ""
}

// draw renders some columns of a grid into lines.
func (t *textWriter) draw(g grid, keep []int) []string {
	tw := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	tw.SetStyle(style)
	names, unitRow := make(table.Row, len(keep)), make(table.Row, len(keep))
	configs := make([]table.ColumnConfig, len(keep))
	hasUnits := false
	for c, i := range keep {
		name, unit := cutUnit(g.headings[i])
		names[c], unitRow[c] = string(t.bold(name)), string(t.bold(unit))
		hasUnits = hasUnits || unit != ""
		configs[c].Number = c + 1
		if g.numeric[i] {
			configs[c].Align, configs[c].AlignHeader = text.AlignRight, text.AlignRight
		}
	}
	tw.AppendHeader(names)
	if hasUnits {
		tw.AppendHeader(unitRow)
	}
	tw.SetColumnConfigs(configs)
	for r, row := range g.rows {
		out := make(table.Row, len(keep))
		for c, i := range keep {
			out[c] = row[i]
			if t.style.Color && g.hot[r] && row[i] != "" {
				out[c] = text.FgRed.Sprint(row[i])
			}
		}
		tw.AppendRow(out)
	}
	lines := strings.Split(tw.Render(), "\n")
	rule := 1 // below the headings
	if hasUnits {
		rule = 2
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
		if i == rule {
			lines[i] = strings.TrimSuffix(lines[i], "──") // the padding of the last column
		}
	}
	return lines
}

package report_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/markdown"
	"xopt/cmd/internal/report/page"
	"xopt/cmd/internal/report/text"
	"xopt/internal/safetext"
	"xopt/internal/units"
)

// TestRenderersAgree renders the tables in every format, reads them back, and checks that each cell is the same.
func TestRenderersAgree(t *testing.T) {
	for _, of := range everyTable(t) {
		t.Run(of.name, func(t *testing.T) {
			seen := 0
			for i := range of.parts {
				if table := of.parts[i].Table; table != nil {
					seen++
					agree(t, table)
				}
			}
			if seen == 0 {
				t.Error("no tables")
			}
		})
	}
}

// readTable is a table as read back from a rendered form.
type readTable struct {
	heads []string
	rows  [][]string
}

// agree renders a table in every format, and compares.
func agree(t *testing.T, table *report.Table) {
	t.Helper()
	var inPage, inMarkdown, inCSV bytes.Buffer
	p := &report.Page{Sections: []report.Section{{ID: "s", Parts: []report.Part{{Table: table}}}}}
	for _, err := range []error{page.Write(&inPage, p, ""), markdown.Write(&inMarkdown, p),
		table.WriteCSV(&inCSV)} {
		if err != nil {
			t.Fatalf("%s: %v", table.ID, err)
		}
	}
	all := make([]int, len(table.Columns)) // columns
	for i := range all {
		all[i] = i
	}
	shown := readPage(inPage.String())
	if table.Columns[0].Heading() == "" {
		shown.heads[0] = "" // "#", for screen readers
	}
	same(t, table, "Markdown", shown, readMarkdown(inMarkdown.String()), all)
	for _, width := range []int{0, 132, 80, 50} {
		read, left := readText(t, table, width)
		same(t, table, fmt.Sprintf("terminal of width %d", width), shown, read, kept(t, table, left))
	}
	values, siUnits, origins := readCSV(t, table, inCSV.String())
	if len(values.rows) != len(shown.rows) {
		t.Fatalf("%s: %d rows in CSV, %d on the page", table.ID, len(values.rows), len(shown.rows))
	}
	for c := range table.Columns {
		column(t, table, c, values.heads[c])
		for r := range shown.rows {
			at := fmt.Sprintf("%s, row %d, %q", table.ID, r+1, shown.heads[c])
			if err := sameValue(table.Columns[c], siUnits[r][c], shown.rows[r][c], values.rows[r][c],
				origins[r][c]); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		}
	}
}

// same compares two readings of a table as text.
func same(t *testing.T, table *report.Table, where string, want, got *readTable, columns []int) {
	t.Helper()
	if len(got.rows) != len(want.rows) || len(got.heads) != len(columns) {
		t.Errorf("%s: %d rows of %d columns in %s, want %d of %d: %q %q", table.ID, len(got.rows), len(got.heads),
			where, len(want.rows), len(columns), got.heads, got.rows)
		return
	}
	for i, c := range columns {
		head := strings.NewReplacer("(", "", ")", "")
		if a, b := head.Replace(want.heads[c]), head.Replace(got.heads[i]); a != b {
			t.Errorf("%s: the page has the heading %q, %s %q", table.ID, want.heads[c], where, got.heads[i])
		}
		for r := range want.rows {
			if a, b := want.rows[r][c], got.rows[r][i]; a != b {
				t.Errorf("%s, row %d, %q: the page has %q, %s %q", table.ID, r+1, want.heads[c], a, where, b)
			}
		}
	}
}

// plain reduces white space to one space between words.
func plain(s string) string { return strings.Join(strings.Fields(safetext.Clean(s)), " ") }

// readPage reads the only table of a page.
func readPage(s string) *readTable {
	x := &readTable{}
	inner := func(s string) string {
		s = strings.ReplaceAll(s, "<sup", " <sup") // the letter of the origin
		return plain(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(s, "")))
	}
	footnotes := make(map[string]string)
	for _, m := range regexp.MustCompile(`(?s)<li id="([^"]*-note-[^"]*)">(.*?)</li>`).FindAllStringSubmatch(s, -1) {
		footnotes[m[1]] = m[2]
	}
	s = regexp.MustCompile(`<a class="ref" href="#([^"]*)">[^<]*</a>`).ReplaceAllStringFunc(s, func(a string) string {
		_, id, _ := strings.Cut(a, `href="#`)
		id, _, _ = strings.Cut(id, `"`)
		return footnotes[id]
	})
	head, body, _ := strings.Cut(s, "<tbody>")
	_, head, _ = strings.Cut(head, "<thead>")
	for _, m := range regexp.MustCompile(`(?s)<t[hd].*?</t[hd]>`).FindAllString(head, -1) {
		x.heads = append(x.heads, inner(m))
	}
	for _, m := range regexp.MustCompile(`(?s)<tr[^>]*>(.*?)</tr>`).FindAllStringSubmatch(body, -1) {
		var row []string
		for _, c := range regexp.MustCompile(`(?s)<td[^>]*>(.*?)</td>`).FindAllStringSubmatch(m[1], -1) {
			row = append(row, inner(c[1]))
		}
		x.rows = append(x.rows, row)
		if x.heads == nil { // no column has a name
			x.heads = make([]string, len(row))
		}
	}
	return x
}

// readMarkdown reads the only table of a page in Markdown.
func readMarkdown(s string) *readTable {
	x := &readTable{}
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") {
			continue
		}
		var row []string
		cell, escaped := "", false
		for _, r := range line[1:] {
			switch {
			case escaped:
				cell, escaped = cell+string(r), false
			case r == '\\':
				escaped = true
			case r == '|':
				row, cell = append(row, plain(html.UnescapeString(cell))), ""
			default:
				cell += string(r)
			}
		}
		if x.heads == nil {
			x.heads = row
		} else {
			x.rows = append(x.rows, row)
		}
	}
	return x
}

// leftOut matches the list of columns that do not fit on a terminal.
var leftOut = regexp.MustCompile(`(?s)Columns hidden at this width: (.*?)\.\s+` +
	`Widen\s+the\s+terminal\s+or\s+pipe\s+the\s+output\.\n`)

// readText reads a table written for a terminal, and its list of dropped columns.
func readText(t *testing.T, table *report.Table, width int) (x *readTable, left string) {
	t.Helper()
	var b bytes.Buffer
	alone := *table
	alone.Title, alone.Figures, alone.Note = "T", "", ""
	if err := text.Write(&b, []report.Part{{Table: &alone}}, text.Style{Width: width, Full: true}); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	if m := leftOut.FindStringSubmatch(s); m != nil {
		s, left = strings.Replace(s, m[0], "", 1), plain(m[1])
	}
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	rule := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "──") })
	start := rule - 1 // of the headings
	if rule > 2 && strings.HasPrefix(lines[rule-2], "T") == false || rule > 3 && lines[rule-3] != "" {
		start = rule - 2
	}
	heads, rows := lines[start:rule], lines[rule+1:]
	where := gutters(append(slices.Clone(heads), rows...))
	x = &readTable{heads: cut(heads[0], where)}
	for _, h := range heads[1:] {
		for i, more := range cut(h, where) {
			x.heads[i] = plain(x.heads[i] + " " + more)
		}
	}
	folds := slices.ContainsFunc(table.Columns, func(c report.Column) bool { return c.Fold > 0 })
	for _, line := range rows {
		row := cut(line, where)
		if folds && len(x.rows) > 0 && row[0] == "" { // continues the row above
			last := x.rows[len(x.rows)-1]
			for i := range row {
				last[i] = plain(last[i] + " " + row[i])
			}
			continue
		}
		x.rows = append(x.rows, row)
	}
	return x, left
}

// gutters returns the starts of columns: after at least two blanks in every line.
func gutters(lines []string) []int {
	var used []bool
	for _, line := range lines {
		for i, r := range []rune(line) {
			if i >= len(used) {
				used = append(used, false)
			}
			used[i] = used[i] || r != ' '
		}
	}
	begins := []int{0}
	empty := 0
	for i, u := range used {
		if u && empty >= 2 && i > empty {
			begins = append(begins, i)
		}
		if empty++; u {
			empty = 0
		}
	}
	return begins
}

// cut divides a line into its columns.
func cut(line string, begins []int) []string {
	r := []rune(line)
	var cells []string
	for i, from := range begins {
		to := len(r)
		if i+1 < len(begins) {
			to = min(to, begins[i+1])
		}
		cells = append(cells, plain(string(r[min(from, to):to])))
	}
	return cells
}

// kept returns the columns that a terminal shows, and checks that the dropped ones may be dropped, and are in order.
func kept(t *testing.T, table *report.Table, left string) []int {
	t.Helper()
	var shown, spare []int
	for i, c := range table.Columns {
		if c.Detail {
			continue
		}
		shown = append(shown, i)
		if c.Spare > 0 {
			spare = append(spare, i)
		}
	}
	slices.SortStableFunc(spare, func(a, b int) int { return table.Columns[a].Spare - table.Columns[b].Spare })
	named := ""
	for _, i := range spare {
		if left == named {
			break
		}
		if named != "" {
			named += ", "
		}
		named += strings.ReplaceAll(table.Columns[i].Name, "\n", " ")
		shown = slices.DeleteFunc(shown, func(k int) bool { return k == i })
	}
	if left != named {
		t.Errorf("%s: %q are named as left out, want the first of %q", table.ID, left, named)
	}
	return shown
}

// readCSV reads values, with the unit of each if its column has several, and its origin.
func readCSV(t *testing.T, table *report.Table, s string) (values *readTable, siUnits, origins [][]string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(s)).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", table.ID, err)
	}
	values = &readTable{}
	for r, row := range rows {
		var cells, in, from []string
		name := ""
		for i := range row {
			switch head := rows[0][i]; {
			case i > 0 && head == name+" unit":
				in[len(in)-1] = row[i]
			case i > 0 && head == name+" from":
				from[len(from)-1] = row[i]
			default:
				name = head
				cells, in, from = append(cells, plain(row[i])), append(in, ""), append(from, "")
			}
		}
		if len(cells) != len(table.Columns) {
			t.Fatalf("%s: %d columns in CSV, want %d: %q", table.ID, len(cells), len(table.Columns), rows[0])
		}
		if r == 0 {
			values.heads = cells
			continue
		}
		values.rows = append(values.rows, cells)
		siUnits, origins = append(siUnits, in), append(origins, from)
	}
	return values, siUnits, origins
}

// figureText matches a figure in text: an optional bounding word, the number, and its unit.
var figureText = regexp.MustCompile(`^(?:(?:≥|≤|about|each|mean|within) )?([+-]?[0-9.]+(?:e[+-]?[0-9]+)?)(?: (\S+))?`)

// sameValue compares a displayed figure with its value in SI units, to the displayed digits. valueUnit is the unit of
// the value if the CSV has a column for it.
func sameValue(c report.Column, valueUnit, shown, value, origin string) error {
	if valueUnit != "" {
		c.Unit = valueUnit
	}
	if origin != "" {
		letter := " " + origin[:1]
		if !strings.HasSuffix(shown, letter) {
			return fmt.Errorf("the page has %q, CSV the origin %q", shown, origin)
		}
		shown = strings.TrimSuffix(shown, letter)
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(v, 0) || shown == value || shown == "" || shown == "-" {
		if shown == "-" && value == "" { // no figure
			return nil
		}
		if shown != value && !strings.HasPrefix(shown, value+" (") { // words for readers, behind it
			return fmt.Errorf("the page has %q, CSV %q", shown, value)
		}
		return nil
	}
	m := figureText.FindStringSubmatch(shown)
	if m == nil {
		return fmt.Errorf("the page has the text %q, CSV the value %s", shown, value)
	}
	unit := m[2]
	if c.Shown != "" {
		unit = c.Shown
	}
	factor, si, err := unitOf(unit)
	if err != nil {
		return fmt.Errorf("%q: %w", shown, err)
	}
	if c.Unit != si && c.Unit != "" {
		return fmt.Errorf("%q is shown in a column of %s", shown, c.Unit)
	}
	if si != "" && c.Unit == "" {
		return fmt.Errorf("%q is shown, but the heading of %s in CSV has no unit", shown, value)
	}
	number, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return err
	}
	if unit == "times" { // a factor, and the words after it
		number--
	}
	mantissa, exponent, _ := strings.Cut(m[1], "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	last := math.Pow10(-len(decimals))
	if e, err := strconv.Atoi(exponent); err == nil {
		last *= math.Pow10(e)
	}
	if a := math.Abs(number); decimals == "" && exponent == "" && a >= 1e4 && si != "" { // three digits
		last = math.Pow10(int(math.Log10(a)) - 2)
	}
	if unit == "times" { // three digits
		last = math.Max(last, math.Pow10(int(math.Log10(v+1))-2))
	}
	if off := math.Abs(number*factor - v); off > last*factor*0.5000001+1e-12*math.Abs(v) {
		return fmt.Errorf("the page has %q, CSV %s: it is off by %g", shown, value, off)
	}
	return nil
}

// unitOf returns a unit's factor and SI unit, as parsed by package units; "" for numbers.
func unitOf(unit string) (factor float64, si string, err error) {
	switch unit {
	case "", "times", "times the present value", "bytes out/in":
		return 1, "", nil
	case "%", "points":
		return 0.01, "", nil
	case "elements", "elements/s", "bytes", "FPGAs", "$/h":
		return 1, unit, nil
	case "k", "M", "G", "T", "of": // of counts
		return map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "of": 1}[unit], "", nil
	}
	base := strings.TrimSuffix(unit, "/B")
	if perByte, ok := strings.CutSuffix(unit, "s/B"); ok {
		factor, err = units.ParseTime("1" + perByte + "s")
		return factor, "s/B", err
	}
	if joules, ok := strings.CutSuffix(base, "J"); ok { // with the prefixes of seconds
		factor, err = units.ParseTime("1" + joules + "s")
		return factor, "J" + strings.TrimPrefix(unit, base), err
	}
	for _, x := range []struct {
		si    string
		parse func(string) (float64, error)
	}{{"B/s", units.ParseRate}, {"B", units.ParseSize}, {"s", units.ParseTime}, {"Hz", units.ParseFrequency}} {
		if factor, err := x.parse("1" + unit); err == nil {
			return factor, x.si, nil
		}
	}
	return 0, "", fmt.Errorf("the unit %q is none that package units reads", unit)
}

// symbols matches names that need an explanation for readers who do not know the model.
var symbols = regexp.MustCompile(`[Α-ω²±]|^R$|\bscv\b|\bp[0-9]+\b|\.$|^gain$|^regret$|^excess$|^\+10 %|^95 %$`)

// column checks a heading: the displayed unit belongs to the CSV's unit, and a symbol is explained.
func column(t *testing.T, table *report.Table, i int, head string) {
	t.Helper()
	c := &table.Columns[i]
	if symbols.MatchString(c.Name) && c.Meaning == "" {
		t.Errorf("%s: the column %q has no meaning", table.ID, c.Name)
	}
	_, si, err := unitOf(c.Shown)
	if err != nil {
		t.Errorf("%s: %v", table.ID, err)
	}
	want := plain(strings.ReplaceAll(c.Name, "\n", " "))
	if c.Unit != "" {
		want += " (" + c.Unit + ")"
	} else if c.Shown == "%" {
		want += " (fraction)"
	}
	if want = plain(want); want == "" { // a file needs a heading, a page does not
		want = map[bool]string{true: "#", false: "what"}[c.Number]
		if i > 0 && !c.Number {
			want = "value"
		}
	}
	if head != want {
		t.Errorf("%s: CSV has the heading %q, want %q", table.ID, head, want)
	}
	if c.Shown != "" && si != c.Unit {
		t.Errorf("%s: the column %q is shown in %s, CSV has %q", table.ID, c.Name, c.Shown, c.Unit)
	}
}

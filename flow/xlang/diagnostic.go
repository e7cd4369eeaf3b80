package xlang

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"xopt/internal/fault"
	"xopt/internal/safetext"
)

// Diagnostic is one error or warning about an X file.
type Diagnostic struct {
	ID      fault.ID `json:"id"`
	Pos     Pos      `json:"at"`
	Message string   `json:"text"`
	Hint    string   `json:"hint,omitempty"`    // a correction; may be empty
	Related *Pos     `json:"related,omitempty"` // another relevant position, such as an earlier declaration
	Warning bool     `json:"warning,omitempty"` // a warning, not an error
	Subject string   `json:"-"`                 // the kernels or the link with a missing figure; "" for other errors
}

// Error returns "file:line:column: message (hint)".
func (d Diagnostic) Error() string {
	s := safetext.Cut(d.Message, maxShownText)
	if d.Pos.File != "" {
		s = fmt.Sprintf("%s:%d:%d: %s", d.Pos.File, d.Pos.Line, d.Pos.Column, s)
	}
	if d.Hint != "" {
		s += " (" + safetext.Cut(d.Hint, maxShownText) + ")"
	}
	return s
}

// Relate sets the hint, and adds another relevant position unless other is the zero Pos.
func (d *Diagnostic) Relate(other Pos, hint string) {
	d.Hint = hint
	if other != (Pos{}) {
		d.Related = &other
	}
}

// Diagnostics contains all errors and warnings about a set of files. It implements error.
type Diagnostics []Diagnostic

// Error joins the messages, one per line.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// MaxDiagnostics is the maximum number of reported errors. Reading stops after this number. A file with more errors is
// probably not an X file.
const MaxDiagnostics = 100

// full reports whether the maximum number of reported errors is reached.
func (ds *Diagnostics) full() bool { return len(*ds) >= MaxDiagnostics }

func (ds *Diagnostics) add(id fault.ID, pos Pos, message, hint string) {
	ds.addNew(Diagnostic{ID: id, Pos: pos, Message: message, Hint: hint})
}

func (ds *Diagnostics) addRelated(id fault.ID, pos, related Pos, message, hint string) {
	ds.addNew(Diagnostic{ID: id, Pos: pos, Message: message, Hint: hint, Related: &related})
}

// addNew adds a diagnostic unless the list contains the same message at the same position. For example, a block with an
// error may have many instances.
func (ds *Diagnostics) addNew(d Diagnostic) {
	repeats := func(o Diagnostic) bool { return o.Pos == d.Pos && o.Message == d.Message }
	if !ds.full() && !slices.ContainsFunc(*ds, repeats) {
		*ds = append(*ds, d)
	}
}

// sort sorts by file, in reading order, then by position.
func (ds Diagnostics) sort(files []string) {
	order := make(map[string]int)
	for i, f := range files {
		order[f] = i + 1
	}
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		if d := order[a.Pos.File] - order[b.Pos.File]; d != 0 {
			return d
		}
		if d := a.Pos.Line - b.Pos.Line; d != 0 {
			return d
		}
		return a.Pos.Column - b.Pos.Column
	})
}

// Render writes the diagnostics for users: position and message, the line with a caret under the position, and the
// hint.
func (ds Diagnostics) Render(w io.Writer, source func(file string) []byte) {
	for _, d := range ds {
		d.Message, d.Hint = safetext.Cut(d.Message, maxShownText), safetext.Cut(d.Hint, maxShownText)
		kind := "error"
		if d.Warning {
			kind = "warning"
		}
		if d.Pos.File == "" {
			fmt.Fprintf(w, "%s: %s\n", kind, fault.Tagged(d.Message, d.ID))
		} else {
			fmt.Fprintf(w, "%s:%d:%d: %s: %s\n", d.Pos.File, d.Pos.Line, d.Pos.Column, kind,
				fault.Tagged(d.Message, d.ID))
			renderLine(w, d.Pos, source)
		}
		if d.Hint != "" {
			fmt.Fprintf(w, "  %s\n", d.Hint)
		}
		if d.Related != nil {
			fmt.Fprintf(w, "  see %s:%d:%d\n", d.Related.File, d.Related.Line, d.Related.Column)
			renderLine(w, *d.Related, source)
		}
	}
	if ds.full() {
		fmt.Fprintf(w, "reading stopped after %d errors; the files may contain more errors\n", len(ds))
	}
}

// maxShownLine limits the shown part of a line around the position of an error. maxShownText limits the length of a
// message. Both are in characters.
const (
	maxShownLine = 160
	maxShownText = 1000
)

// longestLine is the maximum length in bytes of a line that is shown. A longer line is probably not text.
const longestLine = 1 << 16

func renderLine(w io.Writer, p Pos, source func(string) []byte) {
	if source == nil {
		return
	}
	text, ok := lineOf(source(p.File), p.Line)
	if !ok || len(text) > longestLine {
		return
	}
	line := []rune(strings.TrimRight(string(text), "\r"))
	if p.Column > len(line)+1 || p.Column < 1 {
		return
	}
	line, column := window(line, p.Column)
	var under strings.Builder
	for _, r := range line[:column-1] {
		if r == '\t' {
			under.WriteRune('\t')
		} else {
			under.WriteByte(' ')
		}
	}
	fmt.Fprintf(w, "    %s\n    %s^\n", printable(string(line)), under.String())
}

// window returns the part of a long line around a column, and the column within this part.
func window(line []rune, column int) ([]rune, int) {
	if len(line) <= maxShownLine {
		return line, column
	}
	from := max(0, min(column-1-maxShownLine/2, len(line)-maxShownLine))
	to := min(len(line), from+maxShownLine)
	part := slices.Clone(line[from:to])
	if from > 0 {
		part[0] = '…'
	}
	if to < len(line) {
		part[len(part)-1] = '…'
	}
	return part, column - from
}

// lineOf returns a line of a text, counted from 1, without its line end.
func lineOf(text []byte, number int) ([]byte, bool) {
	for ; number > 1; number-- {
		stop := bytes.IndexByte(text, '\n')
		if stop < 0 {
			return nil, false
		}
		text = text[stop+1:]
	}
	if stop := bytes.IndexByte(text, '\n'); stop >= 0 {
		text = text[:stop]
	}
	return text, number == 1
}

// printable replaces characters that could affect a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && !strconv.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

// longestQuoted is the maximum number of characters of a quoted word.
const longestQuoted = 80

func quote(s string) string { return "'" + printable(safetext.Cut(s, longestQuoted)) + "'" }

// Nearest returns the candidate with the most similar spelling, or "" if no candidate is similar enough. An inserted,
// deleted or moved letter costs less than a replaced letter. Among equally similar candidates, Nearest prefers the
// longest common prefix.
func Nearest(name string, candidates []string) string {
	type likeness struct{ edits, weight, prefix int }
	name = strings.ToLower(name)
	best, found := likeness{edits: max(1, len(name)/3)}, ""
	for i, c := range candidates {
		if i == maxSuggestions {
			break
		}
		if abs(len(c)-len(name)) > best.edits {
			continue
		}
		other := strings.ToLower(c)
		l := likeness{edits: distance(name, other, 1, 1)}
		if l.edits > best.edits {
			continue
		}
		l.weight, l.prefix = distance(name, other, 2, 3), commonPrefix(name, other)
		if found == "" || cmp.Or(l.edits-best.edits, l.weight-best.weight, best.prefix-l.prefix) < 0 {
			best, found = l, c
		}
	}
	return found
}

// commonPrefix returns the length in bytes of the common prefix of two names.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// maxSuggestions limits the number of candidates in the search for a similar name.
const maxSuggestions = 2000

// didYouMean returns a hint with the most similar candidate. If no candidate is similar, the hint lists the candidates.
func didYouMean(name string, candidates []string) string {
	if n := Nearest(name, candidates); n != "" {
		return "did you mean " + n + "?"
	}
	if len(candidates) == 0 {
		return ""
	}
	shown := slices.Sorted(slices.Values(candidates))
	shown = slices.Compact(shown)
	if len(shown) > 8 {
		shown = append(shown[:8:8], "…")
	}
	for i := range shown {
		shown[i] = safetext.Cut(shown[i], longestQuoted)
	}
	return "expected one of: " + strings.Join(shown, ", ")
}

// distance returns the edit distance. A swap of neighboring letters counts as one moved letter. edit is the cost of an
// inserted, deleted or moved letter, and replaced is the cost of a replaced letter.
func distance(a, b string, edit, replaced int) int {
	if len(a) > 64 || len(b) > 64 {
		return 64 * replaced
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i * edit
	}
	for j := range rows[0] {
		rows[0][j] = j * edit
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := replaced
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+edit, rows[i][j-1]+edit, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+edit)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

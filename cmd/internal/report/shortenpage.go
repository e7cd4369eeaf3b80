package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xopt/internal/units"
)

// Limits of tables, code and notes on a page. Result files and CSV tables contain everything.
const (
	maxRows  = 1000
	maxLines = 2000
	maxNotes = 100
)

// Brief returns the page with long tables and code shortened. Tables keep marked rows and the rows with the largest
// load. Code keeps its first lines. Each shortened item states how much is omitted and where to find it.
func (p *Page) Brief() *Page {
	q := *p
	if n := len(p.Warnings); n > maxNotes {
		q.Warnings = append(slices.Clone(p.Warnings[:maxNotes]), fmt.Sprintf("%d more notes are in the result file",
			n-maxNotes))
	}
	q.Sections = slices.Clone(p.Sections)
	for i := range q.Sections {
		s := &q.Sections[i]
		s.Parts = slices.Clone(s.Parts)
		for j := range s.Parts {
			if x := &s.Parts[j]; x.Table != nil {
				x.Table = x.Table.brief()
			} else if x.Code != nil {
				x.Code = x.Code.brief()
			}
		}
	}
	return &q
}

func (t *Table) brief() *Table {
	if len(t.Rows) <= maxRows {
		return t
	}
	q, which := t.Top(maxRows)
	if which != "" {
		q.Note = strings.TrimSpace(fmt.Sprintf("%s Shown: %s; --format csv, --plots and the result file contain all "+
			"rows.", t.Note, which))
	}
	return q
}

// Ranked reports whether the rows have loads to rank them by.
func (t *Table) Ranked() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Load > 0 })
}

// Top returns the table with its n most important rows in their original order. These are the marked rows and the rows
// with the largest load or, without loads, the first rows only. Top also returns a description of this choice. If only
// one row would be omitted, Top returns the complete table and an empty text.
func (t *Table) Top(n int) (top *Table, which string) {
	all := len(t.Rows)
	if n = units.Shown(all, n); n == all {
		return t, ""
	}
	q := *t
	if !t.Ranked() {
		q.Rows = t.Rows[:n]
		return &q, fmt.Sprintf("the first %d of %d rows", n, all)
	}
	order := sortedIndices(all, func(a, b int) int {
		x, y := &t.Rows[a], &t.Rows[b]
		if x.Hot != y.Hot {
			return map[bool]int{true: -1, false: 1}[x.Hot]
		}
		return cmp.Compare(y.Load, x.Load)
	})
	order = order[:n]
	slices.Sort(order)
	q.Rows = pick(t.Rows, order)
	if t.Ranking != "" {
		return &q, fmt.Sprintf("the %d of %d rows with the %s", n, all, t.Ranking)
	}
	return &q, fmt.Sprintf("the %d busiest of %d rows", n, all)
}

func (c *Code) brief() *Code {
	lines := strings.Count(c.Text, "\n")
	if lines <= maxLines {
		return c
	}
	q := *c
	stop := 0
	for range maxLines {
		stop += strings.IndexByte(c.Text[stop:], '\n') + 1
	}
	q.Title = fmt.Sprintf("%s (the first %d of %d lines)", c.Title, maxLines, lines)
	q.Text = c.Text[:stop] + fmt.Sprintf("// %d more lines are in the result file.\n", lines-maxLines)
	return &q
}

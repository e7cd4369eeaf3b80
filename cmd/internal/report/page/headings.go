package page

import "xopt/cmd/internal/report"

// entry is a line of the table of contents.
type entry struct{ ID, Title string }

// headings returns the entries of a section in the table of contents. Folded code has a separate list.
func headings(s report.Section) (list []entry) {
	for _, x := range s.Parts {
		switch {
		case x.Drawing != nil:
			list = append(list, entry{x.Drawing.ID, x.Drawing.Title})
		case x.Chart != nil:
			list = append(list, entry{x.Chart.ID, x.Chart.Title})
		case x.Table != nil:
			list = append(list, entry{x.Table.ID, x.Table.Title})
		case x.Code != nil && !x.Code.Folded:
			list = append(list, entry{x.Code.ID, x.Code.Title})
		}
	}
	return list
}

// heading returns the heading of a column, or "#" for a column of row numbers.
func heading(i int, c report.Column) string {
	if h := c.Heading(); h != "" || i > 0 || !c.Number {
		return h
	}
	return "#"
}

// headed reports whether a table has any headings.
func headed(t *report.Table) bool {
	for i := range t.Columns {
		if heading(i, t.Columns[i]) != "" {
			return true
		}
	}
	return false
}

// portrait is the maximum number of columns that fit a sheet in portrait orientation.
const portrait = 10

// wide reports whether a table is too wide for portrait orientation.
func wide(t *report.Table) bool { return len(t.Columns) > portrait }

// landscape prints all sheets of a page with a wide table in landscape orientation, so that readers need not turn
// single sheets. Two charts are then side by side.
const landscape = `@page { size: A4 landscape; }
@media print { .fact.long { grid-column: span 2; }
td:not(.n) { min-width: 6.5em !important; }
figure.chart { display: inline-block; vertical-align: top; width: 49.4%; } }
`

// isLandscape reports whether a page prints in landscape orientation.
func isLandscape(p *report.Page) bool {
	for _, s := range p.Sections {
		for _, x := range s.Parts {
			if x.Table != nil && wide(x.Table) {
				return true
			}
		}
	}
	return false
}

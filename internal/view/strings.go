package view

import "strings"

// FromText is a table of texts, until each of those that still come so is built here. A column whose
// texts are numbers, each with a unit or none, holds numbers; a unit stands in brackets at the end of
// a heading.
func FromText(title string, headings []string, rows [][]string) *Table {
	t := &Table{Title: title}
	for _, row := range rows {
		r := t.add()
		for _, s := range row {
			r.Cells = append(r.Cells, fromText(s))
		}
	}
	for i, h := range headings {
		c := Column{Name: h, Number: true}
		if n, unit, ok := strings.Cut(h, " ("); ok && strings.HasSuffix(unit, ")") {
			c.Name, c.Shown = n, strings.TrimSuffix(unit, ")")
		}
		for _, row := range t.Rows {
			x := &row.Cells[i]
			c.Number = c.Number && (x.Valued || strings.Contains("|-|?|unlimited|unknown|", "|"+x.Text+"|") ||
				x.Text == "")
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

func fromText(s string) Cell {
	number, unit, _ := strings.Cut(s, " ")
	if number == "" || number == "-" || strings.Trim(number, "0123456789.,+-e") != "" ||
		strings.ContainsAny(unit, " 0123456789") {
		return text(s)
	}
	return Cell{Text: number, Unit: unit, Valued: true}
}

package view

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteCSV writes all tables of a page, each with a line before it that begins with # and
// says which.
func WriteCSV(w io.Writer, p *Page) error {
	first := true
	for _, s := range p.Sections {
		for _, x := range s.Parts {
			if x.Table == nil {
				continue
			}
			if !first {
				if _, err := fmt.Fprintln(w); err != nil {
					return err
				}
			}
			first = false
			if _, err := fmt.Fprintf(w, "# %s\n", strings.ReplaceAll(x.Table.ID+": "+x.Table.Title, "\n",
				" ")); err != nil {
				return err
			}
			if err := x.Table.WriteCSV(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteCSV writes a table: plain numbers in SI units, each unit in its heading, and where
// figures come from in a column of their own.
func (t *Table) WriteCSV(w io.Writer) error {
	origin := make([]bool, len(t.Columns))
	for _, r := range t.Rows {
		for i, c := range r.Cells {
			origin[i] = origin[i] || c.Origin != ""
		}
	}
	var head []string
	for i := range t.Columns {
		field := t.Columns[i].field()
		head = append(head, field)
		if origin[i] {
			head = append(head, field+" from")
		}
	}
	rows := [][]string{head}
	for _, r := range t.Rows {
		var row []string
		for i, c := range r.Cells {
			c.Aside = ""
			text := c.String()
			if c.Valued && finite(c.Value) {
				text = strconv.FormatFloat(c.Value, 'g', -1, 64)
			}
			row = append(row, text)
			if origin[i] {
				row = append(row, c.Origin)
			}
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}

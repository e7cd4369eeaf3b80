package view

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteMarkdown writes a page's facts, tables and code as Markdown, long ones in brief; charts
// are in --plots.
func WriteMarkdown(w io.Writer, p *Page) error {
	p = p.Brief()
	markdown := markdownEscapes().Replace
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", markdown(p.Title))
	for _, f := range p.Facts {
		fmt.Fprintf(&b, "- **%s:** %s", markdown(f.Label), markdown(f.Value))
		if f.Note != "" {
			fmt.Fprintf(&b, " (%s)", markdown(f.Note))
		}
		b.WriteByte('\n')
	}
	for _, s := range p.Warnings {
		fmt.Fprintf(&b, "- note: %s\n", markdown(s))
	}
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "\n## %s\n", markdown(s.Title))
		if s.Intro != "" {
			fmt.Fprintf(&b, "\n%s\n", markdown(s.Intro))
		}
		for _, x := range s.Parts {
			switch {
			case x.Text != "":
				fmt.Fprintf(&b, "\n%s\n", markdown(x.Text))
			case x.Table != nil:
				x.Table.markdown(&b, markdown)
			case x.Code != nil && !x.Code.Folded:
				fmt.Fprintf(&b, "\n### %s\n\n", markdown(x.Code.Title))
				for line := range strings.Lines(x.Code.Text) {
					fmt.Fprintf(&b, "    %s", line)
				}
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownEscapes keep Markdown from reading names as its own.
func markdownEscapes() *strings.Replacer {
	return strings.NewReplacer("\\", `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "`", "\\`", "[",
		`\[`, "\n", " ")
}

func (t *Table) markdown(b *strings.Builder, markdown func(string) string) {
	fmt.Fprintf(b, "\n### %s\n\n|", markdown(t.Title))
	for _, c := range t.Columns {
		fmt.Fprintf(b, " %s |", markdown(c.Name))
	}
	b.WriteString("\n|")
	for _, c := range t.Columns {
		b.WriteString(map[bool]string{true: "---:|", false: "---|"}[c.Number])
	}
	b.WriteByte('\n')
	for _, r := range t.Rows {
		b.WriteByte('|')
		for _, c := range r.Cells {
			text := c.Text
			if c.Origin != "" {
				text += " " + c.Origin[:1]
			}
			fmt.Fprintf(b, " %s |", markdown(text))
		}
		b.WriteByte('\n')
	}
	if t.Note != "" {
		fmt.Fprintf(b, "\n%s\n", markdown(t.Note))
	}
}

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
	for i, c := range t.Columns {
		name, _, _ := strings.Cut(c.Name, " (")
		if c.Unit != "" {
			name += " (" + c.Unit + ")"
		} else {
			name = c.Name
		}
		head = append(head, name)
		if origin[i] {
			head = append(head, name+" from")
		}
	}
	rows := [][]string{head}
	for _, r := range t.Rows {
		var row []string
		for i, c := range r.Cells {
			text := c.Text
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

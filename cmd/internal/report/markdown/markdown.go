// Package markdown renders the page of a report as Markdown for issues, papers and documentation.
package markdown

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"xopt/cmd/internal/report"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
)

// Mark is the start of the line that names the command of a page.
const Mark = "Written by"

// Limits of a table on a page, in rows and characters. Save writes larger tables to separate files.
const (
	maxRows  = 20
	maxChars = 4000
)

// Write writes the facts, tables and code of a page as Markdown, and shortens long tables and code. It omits charts.
// --plots writes charts to files.
func Write(w io.Writer, p *report.Page) error {
	_, err := io.WriteString(w, render(p, nil))
	return err
}

// Save writes a page to a file. It writes large tables to CSV files next to it, such as page.edges.csv for page.md.
func Save(path string, p *report.Page) error {
	var err error
	text := render(p, func(t *report.Table) string {
		if t.ID == "" || len(t.Rows) <= maxRows && chars(t) <= maxChars {
			return ""
		}
		name := prefix(path) + t.ID + report.CSVEnding
		err = errors.Join(err, output.WriteFile(filepath.Join(filepath.Dir(path), name), t.WriteCSV))
		return name
	})
	return errors.Join(err, output.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}))
}

// Plan adds the files of Save to a plan. Before a measurement, the names of its tables are unknown. Therefore Plan
// checks all files that may have such names. An empty path stands for no page.
func Plan(plan *output.Plan, flag, path string) {
	if path == "" {
		return
	}
	folder := filepath.Dir(path)
	entries, _ := os.ReadDir(folder) // the plan reports a missing folder
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix(path)) && strings.HasSuffix(e.Name(), report.CSVEnding) {
			plan.AddWith(flag, filepath.Join(folder, e.Name()), path, output.FigurePage())
		}
	}
	plan.File(flag, path, output.FigurePage())
}

// prefix returns the common prefix of the CSV files of a page.
func prefix(path string) string { return strings.TrimSuffix(filepath.Base(path), ".md") + "." }

// chars returns the number of characters in a table.
func chars(t *report.Table) (n int) {
	for _, r := range t.Rows {
		for i := range r.Cells {
			n += len(r.Cells[i].String())
		}
	}
	return n
}

// render returns a page as Markdown. beside returns the name of the file for a table, or "" if the page contains the
// table. If beside is nil, the page contains all tables.
func render(p *report.Page, beside func(*report.Table) string) string {
	complete := p
	p = p.Brief()
	markdown := escapes().Replace
	var b strings.Builder
	if p.Maker != "" {
		fmt.Fprintf(&b, "<!-- %s %s; run it again to replace this page -->\n\n", Mark, p.Maker)
	}
	fmt.Fprintf(&b, "# %s\n\n", markdown(p.Title))
	if p.Summary != "" {
		fmt.Fprintf(&b, "%s\n\n", markdown(p.Summary))
	}
	if p.Command != "" {
		fmt.Fprintf(&b, "    %s\n\n", strings.ReplaceAll(p.Command, "\n", " "))
	}
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
	for i, s := range p.Sections {
		if s.Title != "" {
			fmt.Fprintf(&b, "\n## %s\n", markdown(s.Title))
		}
		if s.Intro != "" {
			fmt.Fprintf(&b, "\n%s\n", markdown(s.Intro))
		}
		for j := range s.Parts {
			// Files contain all rows, including those that Brief omits.
			if t := complete.Sections[i].Parts[j].Table; t != nil && beside != nil {
				if name := beside(t); name != "" {
					fmt.Fprintf(&b, "\n### %s\n\nTable: [%s](%s), %d rows.\n", markdown(t.Caption()), markdown(name),
						name, len(t.Rows))
					if t.Note != "" {
						fmt.Fprintf(&b, "\n%s\n", markdown(t.Note))
					}
					continue
				}
			}
			writePart(&b, &s.Parts[j], markdown)
		}
	}
	return safetext.Clean(b.String())
}

func writePart(b *strings.Builder, x *report.Part, markdown func(string) string) {
	switch {
	case x.Heading != "":
		fmt.Fprintf(b, "\n### %s\n", markdown(x.Heading))
	case x.Lead != nil:
		fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(markdown(x.Lead.Word+" "+x.Lead.Text)))
	case x.Text != "":
		fmt.Fprintf(b, "\n%s\n", markdown(x.Text))
	case x.List != nil:
		if x.List.Title != "" {
			fmt.Fprintf(b, "\n%s\n", markdown(x.List.Title))
		}
		b.WriteByte('\n')
		for _, item := range x.List.Items {
			fmt.Fprintf(b, "- %s\n", markdown(item))
		}
	case x.Table != nil:
		writeTable(b, x.Table, markdown)
	case x.Code != nil && !x.Code.Folded:
		fmt.Fprintf(b, "\n### %s\n\n", markdown(x.Code.Title))
		for line := range strings.Lines(x.Code.Text) {
			fmt.Fprintf(b, "    %s", line)
		}
	}
}

// escapes prevents the interpretation of names as Markdown.
func escapes() *strings.Replacer {
	return strings.NewReplacer("\\", `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "`", "\\`", "[",
		`\[`, "\n", " ")
}

func writeTable(b *strings.Builder, t *report.Table, markdown func(string) string) {
	fmt.Fprintf(b, "\n### %s\n\n|", markdown(t.Caption()))
	for _, c := range t.Columns {
		fmt.Fprintf(b, " %s |", markdown(c.Heading()))
	}
	b.WriteString("\n|")
	for _, c := range t.Columns {
		b.WriteString(map[bool]string{true: "---:|", false: "---|"}[c.Number])
	}
	b.WriteByte('\n')
	for _, r := range t.Rows {
		b.WriteByte('|')
		for _, c := range r.Cells {
			fmt.Fprintf(b, " %s |", markdown(c.Marked()))
		}
		b.WriteByte('\n')
	}
	if t.Note != "" {
		fmt.Fprintf(b, "\n%s\n", markdown(t.Note))
	}
}

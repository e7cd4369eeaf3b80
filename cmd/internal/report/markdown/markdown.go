// Package markdown renders a report's page as Markdown, for an issue, a paper or documentation.
package markdown

import (
	"fmt"
	"io"
	"strings"

	"xopt/cmd/internal/report"
)

// Mark is the first part of the line that names the command of a page.
const Mark = "Written by"

// Write writes a page's facts, tables and code as Markdown, with long ones cut. Charts are files of --plots.
func Write(w io.Writer, p *report.Page) error {
	p = p.Brief()
	markdown := escapes().Replace
	var b strings.Builder
	if p.Maker != "" {
		fmt.Fprintf(&b, "<!-- %s %s; run it again to replace this page -->\n\n", Mark, p.Maker)
	}
	fmt.Fprintf(&b, "# %s\n\n", markdown(p.Title))
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
	for _, s := range p.Sections {
		if s.Title != "" {
			fmt.Fprintf(&b, "\n## %s\n", markdown(s.Title))
		}
		if s.Intro != "" {
			fmt.Fprintf(&b, "\n%s\n", markdown(s.Intro))
		}
		for i := range s.Parts {
			writePart(&b, &s.Parts[i], markdown)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
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

// escapes prevents Markdown from interpreting names.
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

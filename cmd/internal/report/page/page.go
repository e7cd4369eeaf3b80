// Package page renders the page of a report as one self-contained HTML file. The file opens from disk without a network
// and can be printed. It has a light and a dark mode.
//
// Charts use Apache ECharts through go-echarts, and drawings use package graph. The file contains both.
package page

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"

	"xopt/cmd/internal/report"
	"xopt/internal/safetext"
)

//go:embed assets
var assets embed.FS

// data is the input of the template.
type data struct {
	*report.Page
	Version         string
	CSS             template.CSS
	Library, Script template.JS
	HasCharts       bool
}

// Write writes the page. version is the version of xopt.
func Write(w io.Writer, p *report.Page, version string) error {
	var err error
	text := func(names ...string) string {
		var b strings.Builder
		for _, name := range names {
			content, e := assets.ReadFile("assets/" + name)
			b.Write(content)
			err = errors.Join(err, e)
		}
		return b.String()
	}
	d := data{Page: p.Brief(), Version: version, CSS: template.CSS(text("page.css", "drawing.css"))}
	for _, s := range p.Sections {
		for _, part := range s.Parts {
			d.HasCharts = d.HasCharts || part.Chart != nil
		}
	}
	if isLandscape(d.Page) {
		d.CSS += landscape
	}
	scripts := []string{"drawing.js", "page.js"}
	if d.HasCharts {
		d.Library, scripts = template.JS(text("echarts.min.js")), append(scripts, "charts.js")
	}
	d.Script = template.JS(text(scripts...))
	html := text("page.html", "drawing.html")
	if err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	t, err := template.New("page").Funcs(template.FuncMap{
		"figure":  newFigure,
		"options": options,
		"said":    chartDataOf,
		"notes":   notes,
		"summary": summary,
		"percent": func(v float64) template.CSS { return template.CSS(fmt.Sprintf("%.1f%%", 100*v)) },
		"grid":    gridOf, "headings": headings, "heading": heading, "headed": headed, "wide": wide, "breaks": breaks,
	}).Parse(html)
	if err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	var shown, code bytes.Buffer
	if err := errors.Join(t.Execute(&shown, d), t.ExecuteTemplate(&code, "scripts", d)); err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	// Names and texts may come from untrusted files. The scripts are part of xopt.
	_, err = io.WriteString(w, safetext.Clean(strings.TrimRight(shown.String(), "\n"))+"\n"+code.String())
	return err
}

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
	text := func(name string) (string, error) {
		b, err := assets.ReadFile("assets/" + name)
		return string(b), err
	}
	d := data{Page: p.Brief(), Version: version}
	for _, s := range p.Sections {
		for _, part := range s.Parts {
			d.HasCharts = d.HasCharts || part.Chart != nil
		}
	}
	html, err := text("page.html")
	if err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	css, err := text("page.css")
	if err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	script, err := text("page.js")
	if err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	d.CSS, d.Script = template.CSS(css), template.JS(script)
	drawing, err := text("drawing.html")
	if err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	for _, x := range []struct {
		name string
		add  func(string)
	}{
		{"drawing.css", func(s string) { d.CSS += template.CSS(s) }},
		{"drawing.js", func(s string) { d.Script = template.JS(s) + d.Script }},
	} {
		more, err := text(x.name)
		if err != nil {
			return fmt.Errorf("writing a page: %w", err)
		}
		x.add(more)
	}
	if isLandscape(d.Page) {
		d.CSS += landscape
	}
	if d.HasCharts {
		library, err := text("echarts.min.js")
		if err != nil {
			return fmt.Errorf("writing a page: %w", err)
		}
		charts, err := text("charts.js")
		if err != nil {
			return fmt.Errorf("writing a page: %w", err)
		}
		d.Library, d.Script = template.JS(library), d.Script+template.JS(charts)
	}
	t, err := template.New("page").Funcs(template.FuncMap{
		"figure":  newFigure,
		"options": options,
		"said":    chartDataOf,
		"notes":   notes,
		"summary": summary,
		"percent": func(v float64) template.CSS { return template.CSS(fmt.Sprintf("%.1f%%", 100*v)) },
		"grid":    gridOf, "headings": headings, "heading": heading, "headed": headed, "wide": wide, "breaks": breaks,
	}).Parse(html + drawing)
	if err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	var shown, scripts bytes.Buffer
	if err := errors.Join(t.Execute(&shown, d), t.ExecuteTemplate(&scripts, "scripts", d)); err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	// Names and texts may come from untrusted files. The scripts are part of xopt.
	_, err = io.WriteString(w, safetext.Clean(strings.TrimRight(shown.String(), "\n"))+"\n"+scripts.String())
	return err
}

package main

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"xopt/calibrate/profile"
	"xopt/internal/output"
	"xopt/internal/view"
	"xopt/internal/view/markdown"
)

// figuresPage gathers what --md writes: all that a command measures and shows. It is nil where no page is
// asked for.
type figuresPage struct {
	path string
	view view.Figures
	seen *profile.Observation
}

// beginFigures begins the page that --md asks for; what it replaces is checked by the plan.
func (a *app) beginFigures(c *cobra.Command, args []string, title, about string) {
	if a.settings.Markdown == "" {
		return
	}
	a.figures = &figuresPage{path: a.settings.Markdown, seen: profile.Observe(), view: view.Figures{Title: title,
		About: about, Maker: c.CommandPath(), Command: shellLine(a.typed(c, args)), Version: version(),
		Machine: profile.ThisMachine()}}
}

// planFigures plans the page that --md asks for.
func (a *app) planFigures(plan *output.Plan) {
	if a.settings.Markdown != "" {
		plan.File("--md", a.settings.Markdown, output.FigurePage())
	}
}

// measured has the page show what the terminal shows.
func (a *app) measured(parts ...view.Part) {
	if a.figures != nil {
		a.figures.view.Parts = append(a.figures.view.Parts, parts...)
	}
}

// remark is a note that belongs to the figures, too.
func (a *app) remark(text string) {
	a.note("%s", text)
	if a.figures != nil {
		a.figures.view.Notes = append(a.figures.view.Notes, strings.TrimPrefix(text, "note: "))
	}
}

// endFigures writes the page, unless nothing was measured.
func (a *app) endFigures() error {
	f := a.figures
	if f == nil || len(f.view.Parts) == 0 {
		return nil
	}
	f.view.Surroundings = f.seen.End()
	page := f.view.Page()
	if err := output.WriteFile(f.path, func(w io.Writer) error { return markdown.Write(w, page) }); err != nil {
		return err
	}
	a.note("wrote %s", f.path)
	return nil
}

// benchmark has a command write its page.
func (a *app) benchmark(c *cobra.Command) *cobra.Command {
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		plan := a.plan()
		a.planFigures(plan)
		plan.Read(args...)
		if err := planned(plan); err != nil {
			return err
		}
		short := []rune(c.Short)
		a.beginFigures(c, args, strings.ToUpper(string(short[0]))+string(short[1:]), c.Long)
		err := run(c, args)
		a.working.end()
		return errors.Join(err, a.endFigures())
	}
	return c
}

// showBench prints what was measured, and on what: its figures as JSON where they are asked for.
func (a *app) showBench(figures any, tables ...*view.Table) error {
	a.working.end()
	var parts []view.Part
	for _, t := range tables {
		parts = append(parts, view.Part{Table: t})
	}
	a.measured(parts...)
	if a.settings.JSON {
		return a.printJSON(figures)
	}
	return a.showMachine(parts...)
}

// showMachine prints on which machine something was measured, and what.
func (a *app) showMachine(parts ...view.Part) error {
	m := profile.ThisMachine()
	return a.show(append([]view.Part{view.Machine(&m)}, parts...)...)
}

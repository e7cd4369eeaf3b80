package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"xopt/calibrate/fresh"
	"xopt/cmd/faults"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/markdown"
	"xopt/cmd/internal/settings"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
)

// figuresPage collects the measurements of a command for --md, --csv and --report. It is nil without these options.
type figuresPage struct {
	path string // file of --md; "" for none
	view report.Figures
	seen *profile.Observation
}

// beginFigures starts the pages of --md, --csv and --report. The plan checks the files that these pages replace.
func (a *app) beginFigures(c *cobra.Command, args []string, title, shows, about string) {
	if a.settings.Markdown == "" && a.settings.CSV == "" && a.settings.Report == "" {
		return
	}
	a.figures = &figuresPage{path: a.settings.Markdown, seen: profile.Observe(), view: report.Figures{Title: title,
		Shows: shows, About: about, Maker: c.CommandPath(), Command: safetext.ShellLine(a.typed(c, args)),
		Version: version(),
		Machine: profile.ThisMachine()}}
}

// planFigures adds the files of --md and --csv to the plan.
func (a *app) planFigures(plan *output.Plan) {
	markdown.Plan(plan, "--md", a.settings.Markdown)
	a.planTables(plan, output.Tables())
}

// measured adds parts to the page.
func (a *app) measured(parts ...report.Part) {
	if a.figures != nil {
		a.figures.view.Parts = append(a.figures.view.Parts, parts...)
	}
}

// remark prints a note and adds it to the page.
func (a *app) remark(text string) {
	a.note("%s", text)
	if a.figures != nil {
		a.figures.view.Notes = append(a.figures.view.Notes, strings.TrimPrefix(text, "note: "))
	}
}

// endFigures writes the pages and tables, unless there are no measurements.
func (a *app) endFigures() error {
	f := a.figures
	if f == nil || len(f.view.Parts) == 0 {
		return nil
	}
	f.view.Surroundings = f.seen.Stop()
	err := a.saveTables(report.TablesOf(f.view.Parts))
	if f.path != "" {
		err = errors.Join(err, a.written(f.path, markdown.Save(f.path, f.view.Page())))
	}
	return err
}

// showMachine prints the machine of measurements.
func (a *app) showMachine(parts ...report.Part) error {
	m := profile.ThisMachine()
	return a.show(append([]report.Part{report.Machine(&m)}, parts...)...)
}

// settleProfile chooses the profile of a command once, before the command reads any file. It chooses the profile that
// the user set, else the default profile of the first file that has one, else none.
func (a *app) settleProfile(files []string) {
	v := a.inForce["profile"]
	switch {
	case v == nil || a.role.Sealed():
		return
	case a.settings.Profile == settings.NoProfile:
		a.settings.Profile = ""
		return
	case a.settings.Profile != "":
		return
	}
	for _, f := range files {
		path := settings.DefaultProfile(f)
		if path == "" || v.Assign([]string{path}, "default profile of "+f) != nil { // no profile has such a name
			continue
		}
		a.settings.Profile, a.profileOf = path, f
		return
	}
}

// confirmProfile discards a default profile that describes none of a program's kernels, and warns about such a profile
// of --profile. newDesign reports a profile that cannot be read.
func (a *app) confirmProfile(p *xlang.Program) {
	path := a.settings.Profile
	if path == "" {
		return
	}
	var note string
	switch other, err := settings.ReadProfile("profile", path); {
	case err == nil && !fresh.Belongs(p, other) && a.profileOf != "":
		a.leaveProfile()
		note = faults.ProfileOfOthers.Textf("note: %s describes only kernels of another application (%s), so "+
			"xopt ignores it", path, other.SomeKernels())
	case err == nil && !fresh.Belongs(p, other):
		note = faults.ProfileOfOthers.Textf("warning: %s describes kernels of another application (%s), but "+
			"no kernel of %s; xopt uses only the other figures of this profile", path, other.SomeKernels(), p.Top)
	case a.profileOf != "":
		note = fmt.Sprintf("profile: %s, the default for %s; --profile none ignores it", path, a.profileOf)
	default:
		return
	}
	a.noteOnce([]string{note})
}

// leaveProfile discards the profile that settleProfile found.
func (a *app) leaveProfile() {
	_ = a.inForce["profile"].Reset() // no error: the default was parsed before
	a.settings.Profile, a.profileOf = "", ""
}

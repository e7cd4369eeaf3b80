package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/deploy/measure"
	"xopt/deploy/sources"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
	"xopt/internal/units"
)

// checkCommand is the command xopt check.
type checkCommand struct {
	*app
	*settings.Check
}

func (f *checkCommand) command() *cobra.Command {
	return &cobra.Command{
		Use:   "check APP.x [ARCH.x …]",
		Short: "check X files, and show the application and the machine",
		Long: `check reads X files and reports all errors, each with its line and a fix. Without errors,
it prints the application's graph, the machine, the rates of each kernel on each resource, and missing
figures. It accepts an application without a machine.

The sources of the kernels must exist. --build compiles each of them and checks that they define the
functions or streams of their blocks. --signals lists the state machines and streams of FPGA sources.`,
		Example: `xopt check app.x
xopt check app.x arch.x --build
xopt check app.x arch.x --signals`,
		Args:              options.MinArgs(1, "an X file"),
		ValidArgsFunction: completeX,
		RunE: func(c *cobra.Command, files []string) error {
			plan, name := f.plan(), baseName(files)+".check"
			f.planPage(plan, name)
			f.planTables(plan, output.Tables())
			plan.Read(append([]string{f.settings.Profile}, files...)...)
			if err := plan.Err(); err != nil {
				return err
			}
			d, err := f.design(c.Context(), files, design.ForCheck)
			if err != nil {
				return err
			}
			if err := f.checkSources(c.Context(), d.Program); err != nil {
				return err
			}
			if placed := func(r int) bool { return r >= 0 }; slices.ContainsFunc(d.Place, placed) {
				for _, why := range d.Unmapped {
					f.noteID(fault.NoMapping, "warning: %s", why)
				}
			}
			next := f.nextOfCheck(d, files)
			parts, short := report.Overview(d, next), report.ShortOverview(d, next)
			if f.Signals {
				list, err := xsim.SourceSignals(c.Context(), d.Program)
				if err != nil {
					return err
				}
				signals := report.Signals(list)
				parts, short = append(parts, signals...), append(short, signals...)
			}
			page := report.PageOf("Check of "+strings.Join(files, ", "), safetext.ShellLine(f.typed(c, files)),
				append([]report.Part{{Drawing: report.GraphOf(d)}}, parts...))
			page.WithProvenance(newResult(d, f.typed(c, files)))
			if err := errors.Join(f.saveTables(report.TablesOf(parts)), f.keepPage(name, page)); err != nil {
				return err
			}
			if f.settings.JSON {
				return report.Encoder(newResult(d, f.typed(c, files)))(f.stdout.JSON())
			}
			return f.answer(short, parts)
		},
	}
}

// nextOfCheck returns the next step after a check, including its command.
func (f *checkCommand) nextOfCheck(d *design.Design, files []string) string {
	typed := safetext.ShellLine(files)
	switch {
	case len(d.Problem.Architecture.Resources) == 0:
		return "add a file with an architecture: xopt check " + typed + " ARCH.x"
	case len(d.Missing) > 0:
		return fmt.Sprintf("add the missing figures below to the X files, or measure the kernels on this machine's "+
			"cores: xopt calibrate %s -o %s", typed,
			safetext.ShellWord(baseName(files)+settings.ProfileSuffix))
	case len(d.Stale) > 0:
		return fmt.Sprintf("nothing is missing, but figures of %s are stale; measure them again: %s",
			units.Counted(len(d.Stale), "kernel", "kernels"), d.MeasureCommand())
	}
	if f.settings.Profile != "" {
		typed += " --profile " + safetext.ShellWord(f.settings.Profile)
	}
	return "nothing is missing; find the best mapping: xopt search " + typed
}

// checkSources checks the sources that X files name. With --build, it compiles each separately.
func (f *checkCommand) checkSources(ctx context.Context, p *xlang.Program) (err error) {
	found := sources.Check(p)
	if f.Build {
		if found, err = sources.Build(ctx, p); err != nil {
			return err
		}
	}
	noteEach(f.app, "note: %s", found.Notes)
	if f.Build && len(found.Errors) == 0 {
		f.note("compiled the sources of %s separately: no errors",
			units.Counted(found.Built, "implementation", "implementations"))
	}
	return wrongSources(found)
}

// wrongSources returns the errors that a check of sources found; nil if none.
func wrongSources(found *sources.Checked) error {
	if len(found.Errors) == 0 {
		return nil
	}
	return renderedWith(found.Errors, func(file string) []byte {
		text, err := infile.Read(file, measure.MaxStatements)
		if err != nil {
			return nil // the error shows the location without its line
		}
		return text
	})
}

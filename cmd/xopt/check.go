package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/text"
	"xopt/flow/design"
	"xopt/internal/files/output"
)

// checkCommand shows what X files say.
func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check APP.x [ARCH.x …]",
		Short: "read X files, report every mistake in them, and show what they describe",
		Long: `check reads X files and reports every mistake in them, each with its line and a fix.
If there is none, it prints the application's graph, the machine, which kernel may run
where and how fast, and which figures are missing. An application may be checked without
a machine.

The kernels' sources must be there. With --build they are compiled, each alone, and must
define the functions, or have the streams, that their blocks need. With --signals the
sources for FPGAs are read, and their state machines and streams are listed.`,
		Example: `xopt check app.x
xopt check app.x arch.x --build
xopt check app.x arch.x --signals`,
		Args:              atLeast(1, "an X file"),
		ValidArgsFunction: completeX,
		RunE: func(c *cobra.Command, files []string) error {
			plan, name := a.plan(), baseName(files)+".check"
			a.planPage(plan, name)
			a.planTables(plan, output.Tables())
			plan.Read(append([]string{a.settings.Profile}, files...)...)
			if err := planned(plan); err != nil {
				return err
			}
			d, err := a.design(c.Context(), files, design.ForCheck)
			if err != nil {
				return err
			}
			if err := a.checkSources(c.Context(), d.Program, a.settings.Build); err != nil {
				return err
			}
			parts := report.Overview(d, a.nextOfCheck(d, files))
			if a.settings.Signals {
				signals, err := a.signals(c.Context(), d.Program)
				if err != nil {
					return err
				}
				parts = append(parts, report.Signals(signals)...)
			}
			page := report.PageOf("Check of "+strings.Join(files, ", "), shellLine(a.typed(c, files)), parts)
			page.WithProvenance(newResult(d, a.typed(c, files)))
			if err := errors.Join(a.saveTables(report.TablesOf(parts)), a.keepPage(name, page)); err != nil {
				return err
			}
			if a.settings.JSON {
				return newResult(d, a.typed(c, files)).Encode(a.stdout.JSON())
			}
			style := a.style()
			style.Full = a.settings.Full
			return text.Write(a.stdout, parts, style)
		},
	}
}

// nextOfCheck is what to do after a check, with the command to type.
func (a *app) nextOfCheck(d *design.Design, files []string) string {
	typed := shellLine(files)
	switch {
	case len(d.Problem.Architecture.Resources) == 0:
		return "add a file with an architecture: xopt check " + typed + " ARCH.x"
	case len(d.Missing) > 0:
		return fmt.Sprintf("give what is missing, listed below, in the X files, or measure the kernels on this "+
			"machine's cores: xopt calibrate %s -o %s", typed, shellWord(baseName(files)+profileSuffix))
	}
	if a.settings.Profile != "" {
		typed += " --profile " + shellWord(a.settings.Profile)
	}
	return "nothing is missing; find the best mapping: xopt search " + typed
}

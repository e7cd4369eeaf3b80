package main

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/compare"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
	"xopt/mapper/result"
)

// diffCommand returns xopt diff, which compares two results.
func (a *app) diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff BEFORE.result.json AFTER.result.json",
		Short: "compare two results, and mark significant differences",
		Long: `diff compares two results of one application, for example before and after a kernel was
optimized. It shows the change of predictions, mappings and measurements, and ~ for a change that is
not significant (Mann-Whitney U-test, 5 %). diff shows a prediction (search,
eval --json) and a run (deploy -o) of the same mapping side by side.`,
		Example: `xopt diff old.result.json new.result.json
xopt diff new.result.json run.result.json        prediction and run
xopt search app.x arch.x --profile old.profile.json -o old
xopt search app.x arch.x --profile new.profile.json -o new
xopt deploy app.x arch.x new.1.map.x -o run.result.json`,
		Args: options.ExactArgs(2, "two result files, before and after"),
		RunE: func(c *cobra.Command, args []string) error {
			plan, name := a.plan(), diffName(args[1])
			a.planPage(plan, name)
			a.planTables(plan, output.Tables())
			plan.Read(args...)
			if err := plan.Err(); err != nil {
				return err
			}
			before, err := result.ReadFile(args[0])
			if err != nil {
				return err
			}
			after, err := result.ReadFile(args[1])
			if err != nil {
				return err
			}
			if err := cmp.Or(compare.Alike(before, after), compare.Comparable(before, after)); err != nil {
				return fault.Usage(err)
			}
			d := compare.Results(before, after)
			made, err := result.Made(version(), a.typed(c, args), args)
			if err != nil {
				return err
			}
			if made.Inputs[0].SHA256 == made.Inputs[1].SHA256 {
				d.Same()
			}
			parts := d.Parts()
			page := report.PageOf("From "+args[0]+" to "+args[1], safetext.ShellLine(a.typed(c, args)),
				append(slices.Clone(parts), report.MovedDrawings(before, after)...))
			page.WithProvenance(made, before, after)
			err = errors.Join(a.keepPage(name, page), a.saveTables(report.TablesOf(parts)))
			if a.settings.JSON {
				return errors.Join(err, d.Encode(a.stdout.JSON(), version(), args[0], args[1]))
			}
			return errors.Join(err, a.answer(report.Narrow(d.Brief()), parts))
		},
	}
}

// diffName returns the name of a difference's page, derived from the second file.
func diffName(after string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(after), ".json"), ".result") + ".diff"
}

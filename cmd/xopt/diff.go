package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"xopt/internal/compare"
	"xopt/internal/view"
	"xopt/internal/view/text"
)

// diffCommand says what changed between two results.
func (a *app) diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff BEFORE.result.json AFTER.result.json",
		Short: "tell what changed between two results, and how sure that is",
		Long: `diff compares two result files of one application, for example before and after a kernel
was optimized: what is predicted, which kernels moved, and what was measured. A change that
the samples do not tell from chance (Mann-Whitney U-test, 5 %) is shown as ~.

Of a prediction (search, eval --json) and a run (deploy -o) of the same mapping it puts
one beside the other. Results of different applications are refused.`,
		Example: `xopt search app.x arch.x --profile old.profile.json -o old
xopt search app.x arch.x --profile new.profile.json -o new
xopt diff old.result.json new.result.json
xopt deploy app.x arch.x new.1.map.x -o run.result.json
xopt diff new.result.json run.result.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return &usageError{fmt.Errorf("want two result files, before and after, not %d", len(args))}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			before, err := readResult(args[0])
			if err != nil {
				return err
			}
			after, err := readResult(args[1])
			if err != nil {
				return err
			}
			if err := compare.Alike(before, after); err != nil {
				return &usageError{err}
			}
			return a.printDifference(compare.Results(before, after))
		},
	}
}

// printBeside prints what was predicted beside what was measured.
func (a *app) printBeside(d *compare.Difference) error {
	if len(d.Beside) == 0 {
		return nil
	}
	var rows [][]string
	for i := range d.Beside {
		b := &d.Beside[i]
		predicted, measured := b.Values()
		rows = append(rows, []string{b.What, predicted, measured, b.ErrorText()})
	}
	return text.WriteTable(a.stdout, view.FromText(fmt.Sprintf("Mapping %s: predicted beside measured; error is "+
		"(predicted - measured) / measured", d.BesideOf), []string{"", "predicted", "measured", "error"}, rows),
		a.style())
}

func (a *app) printDifference(d *compare.Difference) error {
	for _, s := range append(d.Remarks, d.Unlike...) {
		if _, err := fmt.Fprintln(a.stdout, s); err != nil {
			return err
		}
	}
	for _, x := range []struct {
		title string
		rows  []compare.Row
	}{{"Predicted", d.Predicted}, {"Measured: medians with 95 % intervals; ~ where the samples do not tell a change " +
		"from chance", d.Measured}} {
		if len(x.rows) == 0 {
			continue
		}
		var rows [][]string
		for _, r := range x.rows {
			rows = append(rows, []string{r.What, r.Before, r.After, r.Change, r.Confidence})
		}
		if err := text.WriteTable(a.stdout, view.FromText(x.title, []string{"", "before", "after", "change",
			"how sure"},
			rows), a.style()); err != nil {
			return err
		}
	}
	if err := a.printBeside(d); err != nil {
		return err
	}
	if len(d.Remarks)+len(d.Unlike)+len(d.Predicted)+len(d.Measured) == 0 {
		_, err := fmt.Fprintln(a.stdout, "the two results hold nothing that can be compared")
		return err
	}
	return nil
}

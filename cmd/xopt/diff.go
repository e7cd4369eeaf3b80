package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"xopt/internal/compare"
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
			return a.show(compare.Results(before, after).Parts()...)
		},
	}
}

// Package submit contains the command that prints the score of a mapping in the arena.
package submit

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/flow/design"
)

// Command returns the command xopt submit-check, which prints to out. read reads the design of X files.
func Command(out io.Writer, read func(context.Context, []string, design.Purpose) (*design.Design,
	error)) *cobra.Command {
	return &cobra.Command{
		Use:   "submit-check APP.x ARCH.x MAP.x",
		Short: "print the score of a mapping, as xbench arena compares it",
		Long: `submit-check prints the period and the throughput of a mapping with unlimited buffers. Resources may be
fully utilized (phi is 1). xbench arena compares these periods, and xbench arena --export writes X files.`,
		Example: "xopt submit-check app.x arch.x map.x",
		Args:    options.MinArgs(1, "X files with an application, an architecture and a mapping"),
		RunE: func(c *cobra.Command, files []string) error {
			d, err := read(c.Context(), files, design.ForMapping)
			if err != nil {
				return err
			}
			throughput, err := score(c.Context(), d)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(out, "period      %.10g s, in which each source fires once (computed)\n"+
				"throughput  %.10g B/s (computed)\n", d.FiringBytes()/throughput, throughput)
			return err
		},
	}
}

// score returns the throughput of a design's mapping in bytes/s, with a maximum utilization of 1. It returns an error
// for a mapping that violates a constraint.
func score(ctx context.Context, d *design.Design) (float64, error) {
	if bad := d.Constraints.Check(d.Problem, d.Mapping); len(bad) > 0 {
		return 0, faults.ConstraintNotMet.Errorf("constraint not met: %s", bad[0].Text)
	}
	d.Problem.MaxUtilization = 1
	_, s, err := d.Solve(ctx, d.Mapping)
	if err != nil {
		return 0, fmt.Errorf("scoring the mapping: %w", err)
	}
	return s.Throughput, nil
}

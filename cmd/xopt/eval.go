package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/settings"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/interrupt"
	"xopt/mapper"
	"xopt/mapper/copies"
	mapperfaults "xopt/mapper/faults"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// evalCommand is the command xopt eval.
type evalCommand struct {
	*app
	*settings.Eval
}

// command returns the command that predicts one mapping.
func (f *evalCommand) command() *cobra.Command {
	return &cobra.Command{
		Use:   "eval APP.x ARCH.x MAP.x",
		Short: "predict throughput, bottleneck and buffer sizes of one mapping",
		Long: `eval predicts the throughput of one mapping, names its bottleneck and the next
bottleneck, and sizes the buffers. The files together must describe the application, the machine and the
resource of every kernel. Files may include other files. xopt reads the files in the given order.`,
		Example: `xopt eval app.x arch.x map.x
xopt eval app.x arch.x map.x --set PCI.bandwidth=10MB/s     with a slow bus
xopt eval app.x arch.x map.x --figure FFT@fpga:mu=80MB/s    with a faster FFT
xopt eval app.x arch.x map.x --sharing equal                with the papers' sharing model`,
		Args:              options.MinArgs(1, "X files with an application, an architecture and a mapping"),
		ValidArgsFunction: completeX,
		RunE: func(c *cobra.Command, files []string) error {
			last := files[len(files)-1]
			name := strings.TrimSuffix(filepath.Base(last), ".x")
			plan := f.plan()
			f.planReport(plan, name)
			f.planTables(plan, output.Tables())
			if err := plan.Err(); err != nil {
				return err
			}
			s, err := solver(f.Engine)
			if err != nil {
				return err
			}
			stage, ctx := f.longWork("reading"), c.Context()
			defer stage.Stop()
			d, err := f.design(ctx, files, design.ForMapping)
			if err != nil {
				return err
			}
			stage.At("predicting")
			candidate, err := interrupt.Do(ctx, func() (*result.Candidate, error) {
				return predict.Mapping(ctx, d, d.Mapping, s, name)
			})
			if err != nil {
				return fmt.Errorf("scoring %s: %w", last, err)
			}
			stage.At("simulating the buffers")
			if candidate, err = f.withBuffers(ctx, d, candidate); err != nil {
				return err
			}
			lower := f.copyPolicy(mapper.Goal{}, files).Lower
			candidate.Copies, _ = copies.Advise(ctx, d, d.Mapping, candidate, lower) // an error only omits the advice
			if err := f.settings.AddRun(candidate); err != nil {
				return err
			}
			for _, f := range d.Constraints.Check(d.Problem, d.Mapping) {
				candidate.Warnings = append(candidate.Warnings, faults.ConstraintNotMet.Notef("constraint not met: %s",
					f.Text))
			}
			if m := d.Program.MapFiles(); len(m) == 1 {
				candidate.File = filepath.Base(m[0])
			}
			r := newResult(d, f.typed(c, files))
			r.Candidates = []result.Candidate{*candidate}
			if f.settings.Report != "" || f.settings.CSV != "" || f.settings.JSON { // the text shows no gains
				stage.At("computing the gain of changes")
				if err := f.complete(context.WithoutCancel(ctx), ctx, r, []*design.Design{d},
					[]*flow.Mapping{d.Mapping}); err != nil {
					return err
				}
			}
			stage.Stop()
			return errors.Join(f.keepReport(name, r), f.saveResultTables(r), f.print(r), stops(candidate))
		},
	}
}

// withBuffers adds the simulation with finite buffers to a prediction. After an interruption, a warning reports that
// the simulation is missing.
func (a *app) withBuffers(ctx context.Context, d *design.Design, predicted *result.Candidate) (*result.Candidate,
	error) {
	c, err := interrupt.Do(ctx, func() (*result.Candidate, error) {
		c := *predicted
		c.Queues, c.Warnings = slices.Clone(c.Queues), slices.Clone(c.Warnings)
		if c.Measures != nil {
			m := *c.Measures
			c.Measures = &m
		}
		sized, err := predict.Size(ctx, d, d.Mapping)
		if err != nil {
			return nil, err
		}
		sized.Verify(&c)
		return &c, sized.Limit(ctx, &c, a.settings.Seed)
	})
	if ctx.Err() == nil || err == nil {
		return c, err
	}
	a.code = exitInterrupted
	predicted.Warnings = append(predicted.Warnings, mapperfaults.BuffersNotSimulated.Notef("interrupted before the "+
		"end of the simulation with finite buffers"))
	return predicted, nil
}

// stops returns the error for a mapping that deadlocks with its buffers.
func stops(c *result.Candidate) error {
	if c.WithBuffers == nil || c.WithBuffers.Stopped == "" {
		return nil
	}
	return faults.BuffersTooSmall.Errorf("%s (xopt buffers finds sufficient sizes)", c.WithBuffers.WhyStopped())
}

func solver(name string) (flow.Solver, error) {
	switch name {
	case "fast":
		return flow.Fast{}, nil
	case "clp":
		if s := clpSolver(); s != nil {
			return s, nil
		}
		return nil, faults.NoCLP.Usagef("this xopt was built without CLP; install Debian's coinor-libclp-dev and " +
			"build with: go build -tags clp ./cmd/xopt")
	}
	return nil, fault.WrongValue("engine", name, "fast or clp")
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/plots"
	"xopt/cmd/internal/settings"
	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/interrupt"
	"xopt/internal/safetext"
	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

func (a *app) buffersCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "buffers APP.x ARCH.x MAP.x",
		Short: "find the smallest buffers that keep the throughput",
		Long: `buffers finds the smallest total buffer memory that keeps a share of a mapping's
throughput (--keep), and shows the throughput and latency with less memory. The answer is exact if all
counts and times are static: every kernel has emit or one port, a core of its own, and scv=0. Otherwise
buffers simulates the mapping with finite buffers, and checks the answer with other random numbers.
buffers ignores the sizes in the files. xopt eval shows the throughput with these sizes.`,
		Example: `xopt buffers app.x arch.x map.x
xopt buffers app.x arch.x map.x --keep 95% -o small.x      write a map file
xopt buffers app.x arch.x map.x --max-buffer-memory 64KiB  fail if the limit is too low
xopt deploy app.x arch.x small.x                           run with these sizes`,
		Args:              options.MinArgs(1, "X files with an application, an architecture and a mapping"),
		ValidArgsFunction: completeX,
		RunE: func(c *cobra.Command, files []string) error {
			last := files[len(files)-1]
			name := strings.TrimSuffix(filepath.Base(last), ".x")
			o, err := a.frontOptions()
			if err != nil {
				return err
			}
			if err := a.planFront(name, files); err != nil {
				return err
			}
			a.beginFigures(c, files, "Buffers of "+name, "This page shows the throughput of "+name+
				" for different total sizes of its buffers.", c.Long)
			stage := a.longWork("reading")
			defer stage.Stop()
			d, err := a.design(c.Context(), files, design.ForMapping)
			if err != nil {
				return err
			}
			stage.At("predicting")
			ctx := c.Context()
			candidate, err := interrupt.Do(ctx, func() (*result.Candidate, error) {
				return predict.Mapping(ctx, d, d.Mapping, flow.Fast{}, name)
			})
			if err != nil {
				return fmt.Errorf("scoring %s: %w", last, err)
			}
			stage.At("simulating buffer sizes")
			sized, err := interrupt.Do(ctx, func() (*predict.Sized, error) { return predict.Size(ctx, d, d.Mapping) })
			if err != nil {
				return err
			}
			sized.Verify(candidate)
			if candidate.BufferFront, err = front(ctx, sized, o); err != nil {
				return err
			}
			stage.Stop()
			r := newResult(d, a.typed(c, files))
			r.Candidates = []result.Candidate{*candidate}
			var code strings.Builder
			if err := d.WriteMapping(&code, d.Mapping, chosenSizes(candidate.BufferFront), ""); err != nil {
				return fmt.Errorf("writing the mapping for a report: %w", err)
			}
			r.Candidates[0].Code = code.String()
			err = errors.Join(a.saveFront(d, r), a.keepReport(name, r), a.print(r))
			a.measured(report.Terminal(r)...)
			if a.figures != nil {
				a.figures.view.Notes = append(a.figures.view.Notes, report.Remarks(r, false)...)
			}
			return errors.Join(err, a.endFigures())
		},
	}
}

// front searches for sizes. A memory limit that is too small is a usage error.
func front(ctx context.Context, sized *predict.Sized, o buffers.FrontOptions) (*result.BufferFront, error) {
	front, err := sized.BufferFront(ctx, o)
	var memory *buffers.MemoryError
	switch {
	case errors.As(err, &memory):
		return nil, fault.WrongOptionValue.Usagef("--max-buffer-memory: %s", memory.Text(units.Size, units.SizeUp))
	case err != nil:
		return nil, fmt.Errorf("choosing buffer sizes: %w", err)
	}
	return front, nil
}

// frontOptions returns the options that the flags set.
func (a *app) frontOptions() (buffers.FrontOptions, error) {
	f := &a.settings.Buffers
	o := buffers.FrontOptions{Seed: a.settings.Seed, Ideal: f.Ideal}
	var err error
	if o.Keep, err = settings.ParsePercent(f.Keep); err != nil {
		return o, fault.WrongOptionValue.Usagef("--keep: %w", err)
	}
	if f.MaxMemory != "" {
		if o.MaxMemory, err = units.ParseSize(f.MaxMemory); err != nil {
			return o, fault.WrongOptionValue.Usagef("--max-buffer-memory %s: %w", f.MaxMemory, err)
		}
	}
	return o, nil
}

// planFront checks the output files.
func (a *app) planFront(name string, files []string) error {
	p := a.plan()
	p.File("-o", a.settings.Buffers.Out, output.SizedMap())
	p.Folder("--plots", a.settings.Plots, plots.SetNames(report.BufferFrontID, report.BufferFrontID,
		report.BufferLatencyID)...)
	a.planReport(p, name)
	a.planFigures(p)
	p.Read(append([]string{a.settings.Profile}, files...)...)
	return p.Err()
}

// chosenSizes returns the chosen size of each edge.
func chosenSizes(front *result.BufferFront) map[int]int {
	sizes := make(map[int]int)
	for e, x := range front.Points[front.Chosen].Elements {
		sizes[e] = x
	}
	return sizes
}

// namedEdges is the maximum number of edges that a note names.
const namedEdges = 3

// saveFront writes the mapping with the chosen sizes, and the plots.
func (a *app) saveFront(d *design.Design, r *result.Result) error {
	front := r.Candidates[0].BufferFront
	var errs []error
	if path := a.settings.Buffers.Out; path != "" {
		sizes := chosenSizes(front)
		omitted := d.OmitDeclared(sizes)
		at := &front.Points[front.Chosen]
		keep := "keep"
		if !front.Kept() {
			keep = "may not keep"
		}
		header := fmt.Sprintf("Buffers that %s %s of the throughput: %s with %s in total (%s),\n%s.\nFound by: "+
			"%s\nwith xopt %s", keep, units.Percent(float64(front.Keep)), units.Rate(float64(at.Throughput)),
			units.Size(float64(at.Memory)), front.Level, report.MinMemory(front),
			safetext.ShellLine(r.Command), version())
		if len(omitted) > 0 {
			header += "\nSizes omitted because the X files state other sizes: " + units.Some(omitted, namedEdges)
		}
		err := output.WriteFile(path, func(w io.Writer) error { return d.WriteMapping(w, d.Mapping, sizes, header) })
		if err == nil {
			a.wrote = append(a.wrote, path)
			a.note("wrote %s", path)
		}
		if len(omitted) > 0 {
			a.noteID(faults.BufferOmitted, "note: %s omits the size of %s: the X files state another size (remove "+
				"their buffer statements and run the command again)", path, units.Some(omitted, namedEdges))
		}
		errs = append(errs, err)
	}
	if a.settings.Plots != "" {
		errs = append(errs, a.savePlots(report.BufferFrontTable(front), report.BufferFrontCharts(front)...))
	}
	return errors.Join(errs...)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/checkpoint"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/plots"
	"xopt/cmd/internal/settings"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/mapper"
	"xopt/mapper/predict"
	"xopt/mapper/result"
	"xopt/mapper/sweep"
)

// sweepCommand returns xopt sweep, which searches for the best mapping at every point of a range of configs.
func (a *app) sweepCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sweep APP.x ARCH.x --vary NAME=FROM..TO",
		Short: "find the best mapping at each point of a parameter range",
		Long: `sweep searches at each point of a range. It sets a config to values between two bounds,
in equal steps of the logarithm, or to each value of a list. Values of integer configs are rounded. The
name of a resource varies its count. A range from 0 shows whether the resource helps. With several --vary
options, sweep searches at all combinations. It prints the best throughput, its bottleneck, and the
points where another mapping becomes the best.

A sweep has one objective. After Ctrl-C or --time, sweep prints and saves the completed points, and
--resume continues. -o NAME writes NAME.result.json for xopt report.`,
		Example: `xopt sweep app.x arch.x --vary PCIX.bandwidth=10MB/s..1GB/s
xopt sweep app.x arch.x --vary fpga=0..2                 does an FPGA help?
xopt sweep app.x arch.x --vary PCIX.bandwidth=10MB/s..1GB/s --points 17 --csv bus.csv
xopt sweep app.x arch.x --vary top.pipes=1..3 --vary fpga.usable=0.5,0.8
xopt sweep app.x arch.x --vary top.lo.band=1,2
xopt sweep app.x arch.x --vary fpga=1..4 --vary PCIX.bandwidth=10MB/s..1GB/s --plots figures
xopt sweep app.x arch.x --vary proc=2..12 --objective cores --min-throughput 40MB/s`,
		Args:              options.MinArgs(1, "X files with an application and an architecture"),
		ValidArgsFunction: completeX,
		RunE:              a.orCampaign(a.sweep),
	}
}

// sweeping is a sweep with its options.
type sweeping struct {
	*sweep.Sweep
	files   []string
	flags   []string // flags that the answer depends on
	keep    *checkpoint.Saver
	design  *design.Design // design of the latest point
	partial *sweep.Answer  // answer of the interrupted point
}

// sweep searches at each point. It prints and writes the best mappings.
func (a *app) sweep(c *cobra.Command, files []string) error {
	s, err := a.prepareSweep(c.Context(), files)
	if err != nil {
		return err
	}
	if err := a.planSweep(files); err != nil {
		return err
	}
	if a.answers == nil {
		if err := s.Check(c.Context()); err != nil && c.Context().Err() == nil {
			return err
		}
	}
	work, all := a.longWork("searching point"), s.Points()
	defer work.Stop()
	if a.answers != nil {
		if err := a.joinSweep(c.Context(), s); err != nil {
			return err
		}
	}
	for i := len(s.Done.Points); i < all && c.Context().Err() == nil && !(s.Late() && i > 0); i++ {
		if err := a.sweepPoint(c.Context(), s, i); err != nil {
			return err
		}
		work.Step(max(i+1, len(s.Done.Points)), all)
	}
	work.Stop()
	if err := a.endSweep(c.Context(), s); err != nil {
		return err
	}
	var r *result.Result
	switch {
	case s.design != nil:
		r = newResult(s.design, a.typed(c, files))
	case len(s.Done.Points) > 0: // no point has a resource
		r = &result.Result{Schema: result.Schema, Tool: "xopt"}
		r.Stamp(version(), a.typed(c, files))
	}
	if r != nil { // nil if interrupted before the first point
		r.Sweep = s.Result()
		err = a.keepReport(sweepName(files), r)
		if out := (settings.SearchFiles{Name: a.settings.Out}); out.Name != "" {
			err = errors.Join(err, output.WriteFile(out.Result(), report.Encoder(r)))
			a.note("wrote %s", out.Result())
		}
	}
	switch {
	case !a.settings.JSON:
		err = errors.Join(err, a.answer(report.ShortSweep(s.Result()), report.Sweep(s.Result())))
	case r != nil:
		err = errors.Join(err, report.Encoder(r)(a.stdout.JSON()))
	}
	// Save results even if they cannot be printed.
	return errors.Join(err, a.saveSweep(s))
}

// prepareSweep parses the settings to vary.
func (a *app) prepareSweep(ctx context.Context, files []string) (*sweeping, error) {
	f := &a.settings.Sweep
	if len(f.Vary) == 0 {
		return nil, faults.OptionMissing.Usagef("--vary is required, such as --vary PCIX.bandwidth=10MB/s..1GB/s")
	}
	goal, err := a.settings.Goal()
	if err == nil && goal.Several() {
		err = faults.OneObjective.Errorf("a sweep optimizes one objective: set limits for the other objectives, or " +
			"search at each value with xopt search --set NAME=VALUE --objective throughput,cores")
	}
	if err != nil {
		return nil, fault.Usage(err)
	}
	s := &sweeping{files: files, flags: a.sweepLine(f)}
	var first []string // settings of the first point, which is checked first
	var read *design.Design
	s.Sweep = &sweep.Sweep{Given: a.settings.Set, Format: report.ObjectiveOf, Policy: a.copyPolicy(goal, files),
		BufferSeed: settings.EvalSeed,
		Search: mapper.Options{Seed: a.settings.Seed, Threads: max(1, a.settings.Threads), MaxEvals: a.settings.Evals,
			Top: 1, Goal: goal},
		Load: func(ctx context.Context, set []string) (*design.Design, error) {
			if a.settings.Set = set; read != nil && slices.Equal(set, first) {
				d := read
				read = nil
				return d, nil
			}
			p, source, err := a.program(ctx, files)
			switch {
			case err != nil:
				return nil, err
			case len(p.Resources) == 0 && slices.ContainsFunc(set, isZero):
				return nil, sweep.ErrNoResource
			}
			d, err := a.lower(ctx, p, source, files, design.ForSearch)
			if first == nil && err == nil {
				first, read = slices.Clone(set), d
			}
			return d, err
		}}
	s.Deadline = a.budget().Expiry()
	a.setBy = make(map[string]string)
	for _, text := range f.Vary {
		v, err := sweep.ParseVaried(text, f.Points)
		if err != nil {
			return nil, fault.Usage(err)
		}
		s.Varied = append(s.Varied, v)
		a.setBy[strings.TrimSpace(v.Name)] = "--vary"
	}
	if err := a.roundSteps(ctx, s, f.Points); err != nil {
		return nil, err
	}
	if s.Points() > sweep.MaxPoints {
		return nil, faults.TooManyPoints.Usagef("the sweep has more than %d points; use fewer values or a smaller "+
			"--points", sweep.MaxPoints)
	}
	return s, nil
}

// isZero reports whether a setting NAME=VALUE has the value 0.
func isZero(set string) bool { return strings.HasSuffix(set, "=0") }

// roundSteps rounds the values of configs declared as integers.
func (a *app) roundSteps(ctx context.Context, s *sweeping, points int) error {
	if !slices.ContainsFunc(s.Varied, func(v sweep.Varied) bool { return v.Plain() }) {
		return nil
	}
	a.settings.Set = s.Settings(0)
	p, _, err := a.program(ctx, s.files)
	if a.settings.Set = s.Given; err != nil {
		return err
	}
	for j := range s.Varied {
		if err := s.Varied[j].Round(p.SetTypes[strings.TrimSpace(s.Varied[j].Name)], points); err != nil {
			return fault.Usage(err)
		}
	}
	return nil
}

// sweepPoint searches at a point, unless the point is done.
func (a *app) sweepPoint(ctx context.Context, s *sweeping, i int) error {
	if i < len(s.Done.Points) {
		return nil
	}
	d, err := s.Design(ctx, i)
	switch {
	case errors.Is(err, sweep.ErrNoResource):
		s.AddNone(i)
		return nil
	case err != nil && ctx.Err() != nil && s.design != nil: // sweep prints the completed points
		return nil
	case err != nil:
		return err
	}
	s.design = d
	if s.keep == nil { // every point has the same files
		if err := a.resumeSweep(s, d); err != nil || len(s.Done.Points) > i {
			return err
		}
	}
	answer, err := s.Answer(ctx, d, i)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	if answer.Note != "" && len(a.remarked.New([]string{answer.Note})) > 0 {
		a.note("%s (first at %s)", answer.Note, s.Label(i))
	}
	if ctx.Err() != nil { // sweep prints the partial result but does not store it
		s.partial = answer
		return nil
	}
	if err := s.Add(ctx, answer); err != nil || s.keep == nil {
		return err
	}
	if err := s.keep.Save(&s.Done); err != nil {
		a.note("warning: %s", fault.Text(err))
	}
	return nil
}

// resumeSweep opens the checkpoint of a sweep and restores the points of an interrupted call.
func (a *app) resumeSweep(s *sweeping, d *design.Design) error {
	var err error
	path := baseName(s.files) + ".sweep.checkpoint.json"
	if s.keep, err = a.newSaver(path, "sweep", s.files, predict.Describe(d).Inputs, s.flags); err != nil {
		return err
	}
	if !a.settings.Resume {
		return nil
	}
	if err := s.keep.Read(&s.Done); err != nil {
		return err
	}
	a.note("%d of %d points are done already", len(s.Done.Points), s.Points())
	return nil
}

// endSweep writes the checkpoint of a sweep that ended early, or removes the checkpoint of a completed sweep.
func (a *app) endSweep(ctx context.Context, s *sweeping) error {
	why := ""
	switch {
	case ctx.Err() != nil:
		a.code, why = exitInterrupted, "interrupted"
	case len(s.Done.Points) < s.Points():
		why = "time limit reached"
	case s.keep == nil:
		return nil
	default:
		return s.keep.Close()
	}
	if s.keep != nil {
		if err := s.keep.Keep(&s.Done); err != nil {
			a.note("warning: %s", fault.Text(err))
		} else {
			a.note("%s with %d of %d points done; to continue: %s", why, len(s.Done.Points), s.Points(),
				s.keep.Resume())
		}
	}
	if s.partial == nil {
		return nil
	}
	if err := s.Add(ctx, s.partial); err != nil {
		return err
	}
	s.Done.Points[len(s.Done.Points)-1].Proof = result.Interrupted
	return nil
}

// sweepLine returns the flags that the answer of a sweep depends on.
func (a *app) sweepLine(f *settings.Sweep) []string {
	flags := append(a.scoreFlags(), a.goalFlags()...)
	for _, v := range f.Vary {
		flags = append(flags, "--vary", v)
	}
	return append(flags, "--copies", a.settings.Copies, "--points", fmt.Sprint(f.Points),
		"--evals", fmt.Sprint(a.settings.Evals), "--seed", fmt.Sprint(a.settings.Seed),
		"--threads", fmt.Sprint(a.settings.Threads))
}

func sweepName(files []string) string { return baseName(files) + ".sweep" }

// planSweep checks the output files of a sweep.
func (a *app) planSweep(files []string) error {
	p := a.plan()
	a.planTables(p, output.SweepTable(), report.SweepID+report.CSVEnding)
	a.planReport(p, sweepName(files))
	if a.settings.Out != "" {
		p.File("-o", settings.SearchFiles{Name: a.settings.Out}.Result(), output.Result())
	}
	p.Folder("--plots", a.settings.Plots, plots.SetNames(report.SweepID, report.SweepID)...)
	p.Read(append([]string{a.settings.Profile}, files...)...)
	return p.Err()
}

// saveSweep writes the table of a sweep to --csv, and the table and the chart to --plots.
func (a *app) saveSweep(s *sweeping) error {
	table := report.SweepTable(s.Result())
	var err error
	if report.InOneFile(a.settings.CSV) { // a single table needs no title line
		err = a.written(a.settings.CSV, output.WriteFile(a.settings.CSV, table.WriteCSV))
	} else {
		err = a.saveTables([]*report.Table{table})
	}
	if a.settings.Plots != "" {
		err = errors.Join(err, a.savePlots(table, report.SweepChart(s.Result())))
	}
	return err
}

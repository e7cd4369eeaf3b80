package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/deploy/validate"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/interrupt"
	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// validateCommand returns xopt validate, which compares predictions with real runs.
func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "validate APP.x ARCH.x [MAP.x …]",
		Short: "run mappings, and compare the measurements with predictions",
		Long: `validate searches for mappings, runs the best mappings and some random mappings (Beard 2013,
section 4.4) on this machine's cores, and compares measurements with predictions. It reports the
errors of the throughput and of the flow on each edge, the ranking, and the regret of the first candidate.

If the files contain mappings, validate runs them, and searches only with --best or --random. After
Ctrl-C it prints and saves completed runs, and --resume continues.

Runs alternate: each round runs every mapping once, in an order drawn with --seed. validate compares each
error with the machine's repeatability, and divides each significant error into its causes, the largest
first. The throughput is the throughput of the steady part of a run (see xopt deploy).

--refine FILE refines the profile by the runs, as xopt calibrate --refine does, and writes the refined
profile if it predicts held-out mappings better.

If a mapping uses an FPGA, all mappings run in virtual time (see xopt deploy). The causes of an error are
then kernels on cores, links, FPGAs and queues. --from profile draws service times from the profile
instead of timing kernels, so that the comparison is independent of this machine.`,
		Example: `xopt validate app.x arch.x --profile here.profile.json
xopt validate app.x arch.x found.1.map.x mine.x
xopt calibrate app.x arch.x -o here.profile.json`,
		Args: options.MinArgs(1, "X files with an application and an architecture"),
		RunE: a.orCampaign(a.validate),
	}
}

// validate selects mappings, runs them, and compares the runs with their predictions.
func (a *app) validate(c *cobra.Command, files []string) error {
	f := &a.settings.Validate
	if a.settings.From == settings.FromProfile {
		if err := a.settings.WaitsForNothing("--from profile runs nothing on a core", a.inForce.IsFlag); err != nil {
			return err
		}
	}
	plan, err := a.planValidation(files, f)
	if err != nil {
		return err
	}
	x, err := a.choose(c, files, f)
	if err != nil {
		return err
	}
	if err := a.keepsRead(plan, x.design.Program, true, "", a.settings.Input); err != nil {
		return err
	}
	o := validate.Options{Runs: a.settings.ValidationRuns(a.given("runs")), Window: f.Window, Seed: a.settings.Seed,
		FromProfile: a.settings.From == settings.FromProfile, Elements: a.settings.Elements,
		BufferSeed: settings.EvalSeed}
	if a.settings.Input != "" {
		if o.Input, err = filepath.Abs(a.settings.Input); err != nil {
			return err
		}
	}
	if a.answers == nil && !o.FromProfile {
		a.noteBusy(c.Context(), "runs will be slower than predicted, which will cause most of the prediction errors")
	}
	work := a.longWork("running mappings, step")
	defer work.Stop()
	o.Progress = func(done, all, more int, left time.Duration) {
		if more > 0 {
			work.Unplanned("running mappings, " + units.Counted(more, "additional run", "additional runs") + ", step")
		}
		work.StepLeft(done, all, left)
	}
	a.beginFigures(c, files, "Predictions and runs: "+strings.Join(files, " "), "", "")
	cases, err := a.runChosen(c.Context(), x, o)
	if work.Stop(); err != nil {
		return err
	}
	r, err := a.validationResult(c, x, files, cases)
	if err != nil {
		return err
	}
	r.Notes = append(r.Notes, x.notes...)
	if err := a.recordRuns(r, x, cases); err != nil {
		return err
	}
	// Print results even if they cannot be saved.
	if a.settings.JSON || a.settings.Report != "" {
		err = a.writeValidation(c.Context(), x.design, baseName(files), r, cases)
	}
	if !a.settings.JSON || a.figures != nil {
		err = errors.Join(err, a.printValidation(r, cases))
	}
	if s := validate.Summarize(cases); s.Cases+s.Bounded == 0 && a.code != exitInterrupted && !a.role.Point {
		err = errors.Join(err, faults.NothingMeasured.Errorf("%s", report.NoneRan(r.Validation, a.settings.JSON)))
	}
	if f.Refine != "" && a.code != exitInterrupted {
		err = errors.Join(err, a.refine(c, x.design, r, f))
	}
	return errors.Join(err, a.endFigures())
}

// planValidation checks the options and the output files.
func (a *app) planValidation(files []string, f *settings.Validate) (*output.Plan, error) {
	if n := f.Best + f.Random; n < 1 || n > settings.MaxMappings {
		return nil, fault.WrongOptionValue.Usagef("--best %d and --random %d: expected 1 to %d mappings in total",
			f.Best, f.Random, settings.MaxMappings)
	}
	plan := a.plan()
	if f.Refine != "" {
		if a.settings.From == settings.FromProfile {
			return nil, faults.OptionsConflict.Usagef("--refine needs measured service times; leave out --from profile")
		}
		if a.settings.Profile == "" {
			return nil, faults.OptionRequires.Usagef("--refine requires --profile FILE, the profile to refine")
		}
		plan.File("--refine", f.Refine, output.Profile())
	}
	a.planReport(plan, baseName(files)+".validation")
	a.planFigures(plan)
	return plan, plan.Err()
}

// writeValidation prints the result for --json and writes it for --report.
func (a *app) writeValidation(ctx context.Context, d *design.Design, name string, r *result.Result,
	cases []validate.Case) error {
	var designs []*design.Design
	var mappings []*flow.Mapping
	for i := range cases {
		designs, mappings = append(designs, cases[i].Design(d)), append(mappings, cases[i].Mapping)
	}
	finish, stop := interrupt.Budget{}.Finishing(ctx)
	defer stop()
	err := a.complete(context.WithoutCancel(finish), finish, r, designs, mappings)
	if err != nil {
		return err
	}
	if a.settings.JSON {
		err = report.Encoder(r)(a.stdout.JSON())
	}
	return errors.Join(err, a.keepReport(name+".validation", r))
}

// printValidation prints the mappings that ran and a summary of their errors.
func (a *app) printValidation(r *result.Result, cases []validate.Case) error {
	parts := report.Validation(r)
	a.measured(parts...)
	if a.figures != nil {
		a.figures.view.Shows = report.ValidationShows(r.Validation)
	}
	if !a.settings.JSON {
		m := profile.ThisMachine()
		full := append(append(report.ValidationHead(r), report.Machine(&m)), parts...)
		if err := a.answer(report.ShortValidation(r), full); err != nil {
			return err
		}
	}
	_, repeated := validate.CountRuns(cases)
	slow := report.SlowRuns(r.Validation, repeated)
	if a.figures != nil {
		a.figures.view.Slow = slow
	}
	if slow != "" {
		a.remark("note: " + slow)
	}
	return nil
}

// validationResult returns the result of a validation for a report. Every mapping that ran is a candidate.
func (a *app) validationResult(c *cobra.Command, x *chosen, files []string, cases []validate.Case) (
	*result.Result, error) {
	d := x.design
	r := newResult(d, a.typed(c, files))
	r.Validation = validate.Result(d, cases, validate.Kind{FromProfile: a.settings.From == settings.FromProfile,
		Unranked: a.settings.Validate.Best == 0})
	if a.code == exitInterrupted {
		r.Validation.Resume = x.keep.Resume()
		r.Warnings = append(r.Warnings, faults.RunsMissing.Notef("interrupted before all runs were complete"))
	}
	if n := report.FasterThanProfile(r.Validation); n.ID != "" {
		a.note("note: %s", n)
		r.Notes = append(r.Notes, n)
	}
	finish, stop := interrupt.Budget{}.Finishing(c.Context())
	defer stop()
	for i := range cases {
		own := cases[i].Design(d)
		if own != d {
			predict.Add(r, own)
		}
		p, err := predict.Verified(finish, own, cases[i].Mapping, flow.Fast{}, cases[i].Name)
		if err != nil && finish.Err() != nil { // interrupted: omit parts that take long
			limits := predict.Limits{All: context.WithoutCancel(finish), Sizes: finish, Comparisons: finish}
			p, err = predict.MappingLimited(limits, own, cases[i].Mapping, flow.Fast{}, cases[i].Name)
		}
		if err != nil {
			return nil, fmt.Errorf("scoring mapping %s: %w", cases[i].Name, err)
		}
		cases[i].LimitTo(p)
		r.Candidates = append(r.Candidates, *p)
	}
	validate.SetCandidates(r.Validation, r.Candidates)
	return r, nil
}

// refine updates the profile from the runs, as calibrate --refine does, and writes it.
func (a *app) refine(c *cobra.Command, d *design.Design, r *result.Result, f *settings.Validate) error {
	ran, _, err := validate.RanIn(d, r) // --refine does not allow copies
	if err != nil {
		return fmt.Errorf("refining the profile: %w", err)
	}
	old, err := settings.ReadProfile("profile", a.settings.Profile)
	if err != nil {
		return err
	}
	return a.learn(c, d, ran, refinement{old, []string{"xopt validate"}, f.Refine})
}

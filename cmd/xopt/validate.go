package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xopt/calibrate/profile"
	"xopt/flow"
	deployrun "xopt/internal/deploy/run"
	"xopt/internal/design"
	"xopt/internal/output"
	"xopt/internal/predict"
	"xopt/internal/record"
	"xopt/internal/result"
	"xopt/internal/units"
	"xopt/internal/validate"
	"xopt/internal/view"
	"xopt/internal/view/text"
)

// validateFlags are what only validate has.
type validateFlags struct {
	best, random, runs int
	window, search     time.Duration
	refine             string
}

// validateCommand compares predictions with real runs.
func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "validate APP.x ARCH.x [MAP.x …]",
		Short: "run the best mappings and random ones, and compare with what was predicted",
		Long: `validate searches mappings, runs the best of them and some random ones (Beard 2013,
section 4.4) on this machine's cores, and compares what was measured with what was
predicted: the error of the throughput and of the flow on every edge, whether the
ranking holds, and how much slower the first choice is than the best that was run.

Where the files place kernels, each of them is a mapping to run, and nothing is searched
or drawn unless --best or --random ask for it. Ctrl-C prints what has run and keeps it,
and --resume goes on.

--refine writes a profile with what the runs have taught: what each firing costs on a
shared core, and each element at the ends of an edge between cores. The error is shown
before and after; validate again with another --seed to see what it is worth.

Where a mapping uses an FPGA, all mappings run in virtual time (see xopt deploy), and the
error is split: the part of kernels on cores that took another time than their figures
say, the part of links, and the part of FPGAs and queues. With --from profile no kernel
is timed: its service times are drawn from the profile, so that the comparison is of the
model of links, FPGAs and queues alone, and nothing else on this machine matters.`,
		Example: `xopt calibrate app.x arch.x -o here.profile.json
xopt validate app.x arch.x --profile here.profile.json
xopt validate app.x arch.x found.1.map.x mine.x --profile here.profile.json`,
		Args: atLeast(1, "X files with an application and an architecture"),
		RunE: func(c *cobra.Command, files []string) error {
			return a.validate(c, files, &a.settings.validate)
		},
	}
}

// minWindow is the least of a run: five frames.
const minWindow = 5 * deployrun.MinFrame

// validate chooses mappings, runs them, and compares them with what was predicted.
func (a *app) validate(c *cobra.Command, files []string, f *validateFlags) error {
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
	o := validate.Options{Runs: f.runs, Window: f.window, FromProfile: a.settings.From == fromProfile}
	if a.settings.Input != "" {
		if o.Input, err = filepath.Abs(a.settings.Input); err != nil {
			return err
		}
	}
	if isTerminal(a.notes) {
		o.Progress = func(done, all int) {
			if done%10 == 0 {
				a.note("step %d of %d", done+1, all)
			}
		}
	}
	cases, err := a.runChosen(c.Context(), x, o)
	if err != nil {
		return err
	}
	// What cannot be saved is printed all the same.
	if a.settings.JSON || a.settings.Report != "" {
		err = a.writeValidation(c, x.design, files, cases)
	}
	if !a.settings.JSON {
		err = errors.Join(err, a.printValidation(x.design, cases, f))
	}
	if validate.Summarize(cases).Cases == 0 && a.code != exitInterrupted {
		err = errors.Join(err, errors.New("no mapping could be measured"))
	}
	if f.refine == "" || a.code == exitInterrupted {
		return err
	}
	return errors.Join(err, a.refine(c, files, x, cases, f))
}

// planValidation checks what the options say together, and what will be written.
func (a *app) planValidation(files []string, f *validateFlags) (*output.Plan, error) {
	if n := f.best + f.random; n < 1 || n > maxMappings {
		return nil, wrongUse("--best %d and --random %d together want 1 to %d mappings", f.best, f.random, maxMappings)
	}
	plan := a.plan()
	if f.refine != "" {
		if a.settings.From == fromProfile {
			return nil, wrongUse("--refine learns from kernels that run: not with --from profile")
		}
		if a.settings.Profile == "" {
			return nil, wrongUse("--refine needs a --profile to refine")
		}
		plan.File("--refine", f.refine, output.Profile())
	}
	a.planReport(plan, baseName(files)+".validation")
	return plan, planned(plan)
}

// writeValidation prints and writes the result, as --json and --report ask for it.
func (a *app) writeValidation(c *cobra.Command, d *design.Design, files []string, cases []validate.Case) error {
	r, err := a.validationResult(c, d, files, cases)
	if err != nil {
		return err
	}
	if a.settings.JSON {
		err = r.Encode(a.stdout.JSON())
	}
	return errors.Join(err, a.keepReport(baseName(files)+".validation", r))
}

// printValidation prints the mappings that ran, and what their errors are together.
func (a *app) printValidation(d *design.Design, cases []validate.Case, f *validateFlags) error {
	if err := a.printCases(d, cases, f); err != nil {
		return err
	}
	repeated, disturbed := 0, 0
	for i := range cases {
		repeated += cases[i].Repeated
		disturbed += cases[i].Disturbed
	}
	if repeated > 0 {
		a.note("note: %d runs were repeated because the reference spin beside them was more than 5 %% slow; %d were "+
			"taken all the same, because it stayed so", repeated, disturbed)
	}
	s := validate.Summarize(cases)
	if s.Cases == 0 {
		return nil
	}
	return a.printSummary(s, f)
}

// validationResult puts together what a report shows of a validation: every mapping that ran
// is a candidate.
func (a *app) validationResult(c *cobra.Command, d *design.Design, files []string,
	cases []validate.Case) (*result.Result, error) {
	r := newResult(d, a.typed(c, files))
	r.Validation = record.Validation(d, cases)
	if a.code == exitInterrupted {
		r.Warnings = append(r.Warnings, "interrupted: not all runs were made")
	}
	ctx := context.WithoutCancel(c.Context()) // of an interrupted one, too
	var mappings []*flow.Mapping
	for i := range cases {
		p, err := predict.Mapping(ctx, d, cases[i].Mapping, flow.Fast{}, cases[i].Name)
		if err != nil {
			return nil, fmt.Errorf("scoring mapping %s: %w", cases[i].Name, err)
		}
		r.Validation.Cases[i].Candidate = len(r.Candidates)
		r.Candidates, mappings = append(r.Candidates, *p), append(mappings, cases[i].Mapping)
	}
	return r, a.complete(ctx, ctx, r, d, mappings)
}

// refine writes a profile with what was learnt, and shows what it changes.
func (a *app) refine(c *cobra.Command, files []string, x *chosen, cases []validate.Case, f *validateFlags) error {
	d := x.design
	learnt, err := validate.Learn(c.Context(), d, cases)
	if err != nil {
		return fmt.Errorf("learning from the runs: %w", err)
	}
	old, err := readProfile("profile", a.settings.Profile)
	if err != nil {
		return err
	}
	if err := output.WriteFile(f.refine, learnt.Apply(d, old).Encode); err != nil {
		return err
	}
	a.settings.Profile = f.refine
	p, source, err := a.programs(files, true)
	if err != nil {
		return err
	}
	refined, err := a.lower(c.Context(), only(p, ""), source, files, x.purpose)
	if err != nil {
		return err
	}
	again, err := validate.Again(c.Context(), refined, cases)
	if err != nil {
		return fmt.Errorf("predicting with what was learnt: %w", err)
	}
	a.note("wrote %s", f.refine)
	if a.settings.JSON {
		return nil
	}
	before, after := validate.Summarize(cases), validate.Summarize(again)
	return text.WriteTable(a.stdout, view.FromText(fmt.Sprintf("Learnt from %d mappings: %s more for a firing on "+
		"a shared core, %s for an element at each end of an edge between cores; errors of the throughput on the "+
		"same mappings", learnt.Cases, signedTime(learnt.SwitchCost), units.Time(learnt.CrossingCost)),
		[]string{"", "mean", "median", "95 %", "worst"}, [][]string{
			{"before", units.Percent(before.Mean), units.Percent(before.Median), units.Percent(before.P95),
				units.Percent(before.Worst)},
			{"after", units.Percent(after.Mean), units.Percent(after.Median), units.Percent(after.P95),
				units.Percent(after.Worst)},
		}), a.style())
}

// signedTime is a time that may be below nothing.
func signedTime(t float64) string {
	if t < 0 {
		return "-" + units.Time(-t)
	}
	return units.Time(t)
}

// placed says which kernels are on which resource.
func placed(d *design.Design, m *flow.Mapping) string {
	var parts []string
	for r := range d.Program.Resources {
		var names []string
		for k, at := range m.Place {
			if at == r {
				names = append(names, d.Program.Kernels[k].Name)
			}
		}
		if len(names) > 0 {
			parts = append(parts, d.Program.Resources[r].Name+": "+strings.Join(design.Ranges(names), " "))
		}
	}
	return strings.Join(parts, "; ")
}

func (a *app) printCases(d *design.Design, cases []validate.Case, f *validateFlags) error {
	var rows [][]string
	for i := range cases {
		x := &cases[i]
		if x.Fail != "" {
			state := "failed"
			if x.Fail == validate.Interrupted {
				state = "not run"
			}
			rows = append(rows, []string{x.Name, units.Rate(x.Predicted), state, "-", "-", "-",
				strings.Join(x.Bottleneck, ", ")})
			continue
		}
		slow := "-"
		if x.Slow != "" && a.settings.From == fromMeasured {
			slow = fmt.Sprintf("%s took %.2f times its μ", x.Slow, x.SlowRatio)
		}
		rows = append(rows, []string{x.Name, units.Rate(x.Predicted), units.Rate(x.Measured), units.Change(x.Error(),
			1), busiest(x), slow, strings.Join(x.Bottleneck, ", ")})
	}
	how := "measured"
	if len(cases) > 0 && cases[0].Shares != nil {
		how = "simulated"
	}
	runs := "median of the runs"
	if a.settings.From == fromProfile {
		runs = "service times on cores drawn from the profile, those on FPGAs in RTL simulation"
	}
	if err := a.benchTable(fmt.Sprintf("Throughput: predicted, and %s (%s); error is (predicted - %s) / %s%s", how,
		runs, how, how, inDoubt(d, cases)),
		[]string{"mapping", "predicted", how, "error", "busiest", "deviates most", "bottleneck"}, rows); err != nil {
		return err
	}
	if err := a.printShares(cases, f); err != nil {
		return err
	}
	for i := range cases {
		if _, err := fmt.Fprintf(a.stdout, "%s: %s\n", cases[i].Name, placed(d, cases[i].Mapping)); err != nil {
			return err
		}
		for _, note := range []struct{ what, text string }{{"failed", cases[i].Fail}, {"off", cases[i].Reason}} {
			if note.text == "" || note.text == validate.Interrupted {
				continue
			}
			if _, err := fmt.Fprintf(a.stdout, "    %s: %s\n", note.what, note.text); err != nil {
				return err
			}
		}
	}
	return a.printQueues(d, cases)
}

// busiest is how busy the busiest core was, as far as that can be told.
func busiest(x *validate.Case) string {
	if x.BusyEstimated {
		return "about " + units.Percent(x.Busy)
	}
	return units.Percent(x.Busy)
}

// inDoubt says in the headline of a validation what is in doubt.
func inDoubt(d *design.Design, cases []validate.Case) string {
	text := ""
	if n := len(d.Stale); n > 0 {
		text += fmt.Sprintf("; figures of %d kernels are stale", n)
	}
	if d.Disturbed != "" {
		text += "; the machine was disturbed when the profile was measured"
	}
	disturbed := 0
	for i := range cases {
		disturbed += cases[i].Disturbed
	}
	if disturbed > 0 {
		text += fmt.Sprintf("; the machine was disturbed in %d runs", disturbed)
	}
	return text
}

// printShares prints where the errors of simulated mappings come from.
func (a *app) printShares(cases []validate.Case, f *validateFlags) error {
	var rows [][]string
	holds, all := 0, 0
	for i := range cases {
		x := &cases[i]
		if x.Fail != "" {
			continue
		}
		all++
		right := "no"
		if x.BottleneckHolds {
			holds++
			right = "yes"
		}
		if s := x.Shares; s != nil {
			rows = append(rows, []string{x.Name, fmt.Sprintf("%+.2f %%", 100*x.Error()), fmt.Sprintf("%+.2f %%",
				100*s.Cores), fmt.Sprintf("%+.2f %%", 100*s.Links), fmt.Sprintf("%+.2f %%", 100*s.FPGA), x.MostUsed,
				right})
		}
	}
	var rest []float64
	for i := range cases {
		if s := cases[i].Shares; s != nil {
			rest = append(rest, math.Abs(s.Links+s.FPGA))
		}
	}
	if len(rows) > 0 {
		if err := a.benchTable("Where the error comes from: kernels on cores that took another time than their "+
			"figures say, links, FPGAs and queues; what was used most in the simulation",
			[]string{"mapping", "error", "cores", "links", "FPGA, queues", "used most", "as predicted"},
			rows); err != nil {
			return err
		}
	}
	if all == 0 {
		return nil
	}
	if len(rest) > 0 && a.settings.From == fromMeasured {
		if _, err := fmt.Fprintf(a.stdout, "Of links, FPGAs and queues alone the errors are %s in the median, %s "+
			"at the worst; simulated cores run their kernels in turns on one processor here, which can take them "+
			"longer.\n", units.Percent(profile.MedianOf(rest).Value), units.Percent(slices.Max(rest))); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(a.stdout, "The bottleneck was predicted right in %d of %d mappings (what was predicted to "+
		"bind was used as much as anything, within 3 %% of the time).\n", holds, all)
	return err
}

// printQueues prints, for each kernel, the case in which its queue came nearest to what
// was predicted, or went beyond.
func (a *app) printQueues(d *design.Design, cases []validate.Case) error {
	var rows [][]string
	above := false
	for k := range d.Program.Kernels {
		var worst *validate.Queue
		at := ""
		for i := range cases {
			if cases[i].Fail != "" {
				continue
			}
			q := &cases[i].Queues[k]
			if q.Predicted > 0 && (worst == nil || q.Measured*worst.Predicted > worst.Measured*q.Predicted) {
				worst, at = q, cases[i].Name
			}
		}
		if worst == nil {
			continue
		}
		excess := "-"
		if worst.Measured > 0 {
			excess = fmt.Sprintf("%+.0f %%", 100*(worst.Predicted-worst.Measured)/worst.Measured)
		}
		note := ""
		if worst.Measured > worst.Predicted {
			note = "above"
			above = true
		}
		rows = append(rows, []string{d.Program.Kernels[k].Name, at, fmt.Sprintf("%.0f", worst.Predicted),
			fmt.Sprintf("%.0f", worst.Measured), fmt.Sprintf("%.0f", worst.Buffer), excess, note})
	}
	if above {
		defer a.note("note: kernels that share a process take turns in batches, which M/M/1 does not know: queues " +
			"may go above its sizes until a buffer is full, and then the core goes on with another kernel")
	}
	return text.WriteTable(a.stdout, view.FromText("Queues, in elements: the M/M/1 size predicted (Beard 2013, Eq. "+
		"8, probability 1e-7) beside the most measured in looks every 10 ms, in the mapping where they are nearest",
		[]string{"kernel", "mapping", "predicted", "measured", "buffer", "excess", "note"}, rows), a.style())
}

func (a *app) printSummary(s result.Summary, f *validateFlags) error {
	regret := "-"
	if f.best > 0 {
		regret = units.Percent(s.Regret)
	}
	how := "measured"
	if a.settings.From == fromProfile {
		how = "simulated"
	}
	return text.WriteTable(a.stdout, view.FromText(fmt.Sprintf("Errors over %d mappings: predicted against %s", s.Cases,
		how),
		[]string{"of", "mean", "median", "95 %", "worst", "R²", "Kendall τ", "regret"}, [][]string{
			{"throughput", units.Percent(s.Mean), units.Percent(s.Median), units.Percent(s.P95), units.Percent(s.Worst),
				"-", fmt.Sprintf("%.2f", s.Kendall), regret},
			{"edge flows", "-", units.Percent(s.EdgeMedian), units.Percent(s.EdgeP95), "-",
				fmt.Sprintf("%.5f", s.RSquare), "-", "-"},
			{"throughput, equal sharing", units.Percent(s.EqualMean), units.Percent(s.EqualMedian),
				units.Percent(s.EqualP95), units.Percent(s.EqualWorst), fmt.Sprintf("%.5f", s.EqualRSquare), "-", "-"},
		}), a.style())
}

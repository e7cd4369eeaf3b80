package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xopt/calibrate"
	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/progress"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
	"xopt/internal/units"
)

// noteHowLong prints the approximate duration if there is no budget, or if the budget is too small.
func (a *app) noteHowLong(p *calibrate.Plan) {
	what := units.Counted(p.Kernels(), "kernel", "kernels")
	if p.MachineTime() > 0 {
		what += ", memory and sharing of cores"
	}
	switch about := p.Time(); {
	case p.Budget == 0:
		a.note("building and measuring %s takes about %s, or less if the profile already has figures (--budget "+
			"limits the time)", what, progress.RoundTime(about))
	case p.Budget < about:
		a.note("building and measuring %s takes about %s if the profile has no figures yet; figures that do not "+
			"fit --budget %s are skipped and listed", what, progress.RoundTime(about), p.Budget)
	}
}

// calibration is a calibration with one data set: its measurements and its output files.
type calibration struct {
	app                   *app
	command               *cobra.Command
	plan                  *calibrate.Plan
	all                   bool
	input, profile, table string // paths; table is "" without tables
}

// tooShort returns the error for a budget that was too short for any measurement.
func (x *calibration) tooShort() error {
	return faults.BudgetOver.Errorf("--budget %s expired before any measurement, while xopt recorded and "+
		"built kernels; %s was not written (use --budget %s, or --budget %s for all measurements)", x.plan.Budget,
		x.profile, x.plan.MinBudget(), x.plan.LongerBudget())
}

// showStage returns a function that shows the stage of a calibration.
func showStage(work *progress.Work) func(calibrate.Progress) {
	return func(p calibrate.Progress) {
		work.At(p.Stage)
		work.Left(p.Left)
	}
}

// run measures, writes the profile and shows it. After an interruption before the first measurement, it returns nil.
func (x *calibration) run() (*profile.Profile, error) {
	a, ctx := x.app, x.command.Context()
	earlier, _ := settings.ReadProfile("out", x.profile) // without a valid profile, run measures everything
	work := a.longWork("calibrating")
	x.plan.Options.Progress = showStage(work)
	found, err := x.plan.Measure(ctx, x.input, earlier, x.all)
	work.Stop()
	switch {
	case ctx.Err() != nil:
		a.code = exitInterrupted
		if found == nil {
			a.note("interrupted before anything was measured; %s was not written", x.profile)
			return nil, nil
		}
	case errors.Is(err, calibrate.ErrNothingMeasured):
		return nil, x.tooShort()
	case err != nil:
		return nil, err
	}
	return found.Profile, x.report(found)
}

// report writes and shows the measurements.
func (x *calibration) report(found *calibrate.Outcome) error {
	a, p, happened := x.app, found.Profile, found.Report
	unmeasured := found.Unmeasured
	if unmeasured != nil { // the profile contains the measured kernels
		unmeasured = faults.CalibrationIncomplete.Errorf("%w; %s contains the kernel figures so far, and %s measures "+
			"the other figures", unmeasured, x.profile, x.sameCommand())
	}
	r := newResult(x.plan.Design, x.line())
	r.Profile, r.Notes = p, slices.Concat(r.Notes, happened.Notes, found.Kept(), calibrate.Doubts(happened.Again))
	r.Warnings = append(r.Warnings, happened.Warnings...)
	if found.Left != "" {
		r.Warnings = append(r.Warnings, machineWarning(found.Left))
	}
	if a.code == 0 && (found.Left != "" || len(happened.Missing) > 0) {
		a.code = exitFailed
	}
	// Print the result even if it cannot be saved.
	failed := errors.Join(output.WriteFile(x.profile, p.Encode), a.keepReport(reportName(x.profile), r),
		a.saveFiles(x.table, report.FilesOf(report.TablesOf(report.Calibration(p)))))
	if a.settings.JSON {
		return errors.Join(failed, p.Encode(a.stdout.JSON()), unmeasured)
	}
	x.note(found)
	a.brief.Closing = 2 // two notes
	full := append(report.CalibrationHead(p), report.Calibration(p)...)
	if err := a.answer(report.ShortCalibration(p), full); err != nil {
		return err
	}
	if failed == nil {
		x.noteNext(found)
	}
	return errors.Join(failed, unmeasured)
}

func (x *calibration) line() []string { return x.app.typed(x.command, x.command.Flags().Args()) }

// nextLine returns the command line that measures the remaining figures. It omits --all, which would start from the
// beginning.
func (x *calibration) nextLine() []string {
	const all = "--all"
	line := x.line()
	i := slices.Index(line, all)
	switch {
	case i < 0:
	case x.app.inForce["all"].Origin == options.OriginFlag:
		line = slices.Delete(line, i, i+1)
	default: // set by a file or the environment
		line[i] = all + "=false"
	}
	return line
}

// sameCommand returns the text of the command that continues the calibration.
func (x *calibration) sameCommand() string {
	if x.all {
		return "the same command without --all"
	}
	return "the same command"
}

// machineWarning returns the warning that measurements of the machine did not fit the budget.
func machineWarning(left string) fault.Note {
	return faults.MachineNotMeasured.Notef("not measured: %s (use a longer --budget, or --kernels-only to skip "+
		"these measurements)", left)
}

// maxNamedKernels is the maximum number of kernels that a note names.
const maxNamedKernels = 4

// note prints notes about a calibration. The answer contains the disturbances.
func (x *calibration) note(found *calibrate.Outcome) {
	a, p, happened := x.app, found.Profile, found.Report
	if list := happened.Missing; len(list) > 0 && !happened.Interrupted { // other commands need these figures
		a.noteID(faults.BudgetOver, "warning: --budget %s expired before these kernels were measured: %s",
			x.plan.Budget, units.Some(list, maxNamedKernels))
	}
	if list := happened.Uncontended; len(list) > 0 && !happened.Interrupted {
		a.noteID(faults.BudgetOver, "warning: --budget %s expired before memory contention was measured for: %s",
			x.plan.Budget, units.Some(list, maxNamedKernels))
	}
	noteEach(a, "note: %s", slices.Concat(happened.Notes, found.Kept()))
	for _, n := range happened.Failed {
		a.fail("xopt: %s", n)
	}
	if len(happened.Failed) > 0 && a.code == 0 {
		a.code = exitFailed
	}
	noteEach(a, "warning: %s", happened.Warnings)
	noteEach(a, "note: %s", calibrate.Doubts(happened.Again))
	if found.Left != "" && !happened.Interrupted {
		a.note("warning: %s", machineWarning(found.Left))
	}
	if lacks := calibrate.LackingBandwidth(x.plan.Design); x.plan.KernelsOnly && len(p.Links) == 0 && len(lacks) > 0 {
		a.noteID(faults.KernelsOnly, "warning: --kernels-only skipped memory and core sharing, but predictions need "+
			"the bandwidth of %s (leave out --kernels-only, or set bandwidth in the architecture)",
			strings.Join(lacks, ", "))
	}
}

// noteNext lists the written files and prints the command that measures the remaining figures.
func (x *calibration) noteNext(found *calibrate.Outcome) {
	a, p, happened, same := x.app, found.Profile, found.Report, safetext.ShellLine(x.nextLine())
	switch {
	case a.code == exitInterrupted:
		why := p.Conditions.Incomplete
		if !strings.HasPrefix(why, "interrupted") {
			why = "interrupted: " + why
		}
		a.noteID(faults.CalibrationInterrupted, "%s; %s contains the measurements so far, and %s measures the "+
			"remaining figures: %s", why, x.profile, x.sameCommand(), same)
	case len(happened.Again) > 0 || len(happened.Missing) > 0 || found.Left != "":
		quiet := ""
		if happened.Disturbed != "" {
			quiet = " on a quiet machine"
		}
		if x.plan.Budget > 0 && (len(happened.Missing) > 0 || happened.Rounds == 0 || found.Left != "") {
			late := ""
			if slow := x.plan.Slowdown(); slow > 1 {
				late = fmt.Sprintf(" (in this run, recording and building took %.2g times as long as estimated)", slow)
			}
			a.noteID(faults.LongerBudget, "another run%s measures only the remaining figures%s: %s", quiet, late,
				withBudget(x.nextLine(), x.plan.BudgetFor(found)))
			break
		}
		a.noteID(faults.MeasureAgain, "%s%s measures only these kernels again: %s", x.sameCommand(),
			quiet, same)
	}
	if happened.Kept > 0 {
		a.noteID(faults.KernelsUnchanged, "note: %d of %d kernels are unchanged and keep their figures (--all "+
			"measures them again)", happened.Kept, p.Instances())
	}
	a.note("measured %s in %s for %s; omitted %s in which another process used the processor; wrote %s",
		units.Counted(p.Instances()-happened.Kept, "kernel", "kernels"),
		units.Counted(int(happened.Rounds), "round", "rounds"), units.Time(happened.Seconds),
		units.Counted(int(happened.Dropped), "window", "windows"), x.profile)
}

// withBudget returns a command line with a different --budget.
func withBudget(line []string, budget time.Duration) string {
	line = slices.Clone(line)
	if i := slices.Index(line, "--budget"); i >= 0 && i+1 < len(line) {
		line[i+1] = budget.String()
	} else {
		line = append(line, "--budget", budget.String())
	}
	return safetext.ShellLine(line)
}

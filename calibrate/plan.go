package calibrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"xopt/calibrate/faults"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// Plan is a calibration of a design with a common time budget. It measures the kernels with one or several data sets,
// and the machine once.
type Plan struct {
	Design *design.Design
	// Options applies to every data set, except for Input, Until and Earlier.
	Options Options
	// KernelsOnly omits the measurements of the machine.
	KernelsOnly bool
	// CheckOnly measures a few kernels again ([Check]), and no part of the machine.
	CheckOnly bool
	// Budget is the maximum time for all data sets and the machine; 0 for none.
	Budget time.Duration
	// DataSets is the number of data sets for which [Plan.Measure] is called.
	DataSets int

	deadline time.Time // zero for none
	measured int       // number of data sets measured
	machine  machine
	slowdown float64 // time for recording and building divided by its estimate; 0 if unknown
}

// NewPlan completes a plan with default values, and starts its budget.
func NewPlan(p Plan) *Plan {
	p.Options.fill()
	if p.Budget > 0 {
		p.deadline = p.Options.now().Add(p.Budget)
	}
	p.DataSets = max(1, p.DataSets)
	return &p
}

// Kernels returns the number of kernels to measure.
func (p *Plan) Kernels() int {
	n := len(p.Design.Program.Kernels)
	if p.CheckOnly {
		return min(n, CheckKernels)
	}
	return n
}

// Deadline returns the time at which the budget ends; zero if there is no budget.
func (p *Plan) Deadline() time.Time { return p.deadline }

// Time returns the approximate time of the calibration without an earlier profile.
func (p *Plan) Time() time.Duration {
	return time.Duration(p.DataSets)*Estimate(p.Kernels(), p.onFPGAs(), p.Options) + p.MachineTime()
}

// LongerBudget returns a budget that probably suffices for all measurements: the approximate time of p, multiplied by
// Slowdown. If this is not longer than the budget of p, it returns twice the budget.
func (p *Plan) LongerBudget() time.Duration {
	about := time.Duration(float64(p.Time()) * p.Slowdown())
	if about <= p.Budget {
		about = 2 * p.Budget
	}
	return inSteps(about)
}

// MinBudget returns a budget for recording, building and the first run of every kernel: the approximate time,
// multiplied by Slowdown. It is at least twice the budget of p, within which nothing was measured, but not above
// LongerBudget.
func (p *Plan) MinBudget() time.Duration {
	each := p.Options.Record + time.Duration(p.Kernels())*(buildTime+firstTime)
	each += time.Duration(p.onFPGAs()) * hardwareTime
	about := time.Duration(float64(each) * float64(p.DataSets) * p.Slowdown())
	return min(max(about, 2*p.Budget).Truncate(time.Second)+time.Second, p.LongerBudget())
}

// BudgetFor returns a budget that probably suffices for the missing parts of an outcome of p, given the slowdowns
// observed.
func (p *Plan) BudgetFor(o *Outcome) time.Duration {
	missing, onFPGAs, share := len(o.Report.Missing)+len(o.Report.Again), 0, lackingShare
	if len(o.Report.Missing) > 0 {
		share = machineShare
	}
	for _, k := range hardwareFigures(p.Design, p.Options.Only) {
		if slices.Contains(o.Report.Missing, k.Instance+" on "+k.Platform) {
			onFPGAs++
		}
	}
	kernels := Estimate(missing, onFPGAs, p.Options) + time.Duration(len(o.Report.Uncontended))*contentionTime
	kernels = time.Duration(float64(kernels) * p.Slowdown())
	left := slices.DeleteFunc(slices.Clone(p.machine.left), func(x machinePart) bool { return x.in(o.Profile) })
	machine := float64(timeOf(left)) * max(p.Slowdown(), p.machine.slowdown)
	return inSteps(max(kernels+time.Duration(machine), time.Duration(machine/share)))
}

// inSteps rounds a budget up to a multiple of 10 s.
func inSteps(budget time.Duration) time.Duration {
	const step = 10 * time.Second
	return (budget + step - 1).Truncate(step)
}

// onFPGAs returns the number of measurements of kernels on FPGAs.
func (p *Plan) onFPGAs() int {
	if p.CheckOnly {
		return 0
	}
	return len(hardwareFigures(p.Design, p.Options.Only))
}

// Slowdown returns the time for recording and building divided by its estimate, at least 1.
func (p *Plan) Slowdown() float64 { return max(1, p.slowdown) }

// ErrNothingMeasured reports that the budget ended before a kernel was measured.
var ErrNothingMeasured = errors.New("the budget ended before xopt measured a kernel (increase --budget)")

// Outcome is the result of [Plan.Measure] for one data set.
type Outcome struct {
	Profile *profile.Profile
	Report  *Report
	// Left names the parts of the machine that were omitted because of the time limit. Before names the parts that
	// Profile keeps from an earlier calibration. Better lists the figures for which Profile keeps the earlier values
	// because these are more certain than the new ones.
	Left, Before string
	Better       []string
	// All reports that the calibration was requested to measure everything again.
	All bool
	// Unmeasured is the error of the parts of the machine that failed; nil for none.
	Unmeasured error
}

// Kept returns notes about the figures that were kept from an earlier calibration, with the reasons.
func (o *Outcome) Kept() (notes []fault.Note) {
	note := func(why string, names []string) {
		if len(names) > 0 {
			notes = append(notes, faults.EarlierKept.Notef("kept earlier figures, because %s: %s", why,
				strings.Join(names, ", ")))
		}
	}
	why := "they are more certain (--all replaces them)"
	if o.All {
		why = "they are more certain than the figures of the interrupted calibration"
	}
	note(why, append(design.Ranges(o.Report.Better), o.Better...))
	if o.Before != "" {
		note("there was no time to measure them again", []string{o.Before})
	}
	note("this calibration did not reach their kernels", design.Ranges(o.Report.Stayed))
	return notes
}

// Measure measures the kernels with one data set, until the deadline. With the first data set, it also measures the
// machine. earlier is an earlier profile of the same data set, or nil. Measure keeps the figures of its unchanged
// kernels or, if all is set, only those that it cannot measure before the deadline. After an interruption, it returns
// the partial profile with the error of ctx. The profile is nil if nothing was measured.
func (p *Plan) Measure(ctx context.Context, input string, earlier *profile.Profile, all bool) (*Outcome, error) {
	o := p.Options
	o.fill()
	o.Input, o.Earlier, o.All = input, earlier, all
	existing := earlier
	if all {
		existing = nil
	}
	start := o.now()
	o.Until = p.until(start, existing)
	if p.measured++; p.measured == p.DataSets {
		o.Last = p.deadline
	}
	if p.deadline.IsZero() && !p.machine.done { // the machine is measured afterwards
		show := o.Progress
		o.Progress = func(x Progress) { show(Progress{x.Stage, x.Left + p.MachineTime()}) }
	}
	found, report, err := Calibrate(ctx, p.Design, o)
	if report != nil {
		p.slowdown = max(p.slowdown, report.Slowdown)
	}
	switch {
	case ctx.Err() != nil && (found == nil || len(found.Kernels) == 0):
		return nil, ctx.Err()
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("calibrating: %w", err)
	case len(found.Kernels) == 0:
		return nil, ErrNothingMeasured
	}
	out := &Outcome{Profile: found, Report: report, All: all}
	out.Unmeasured = p.machine.measure(ctx, due(p.machineParts(), existing), p.Options, p.deadline)
	found.Links, found.Sharing = slices.Clone(p.machine.found.Links), slices.Clone(p.machine.found.Sharing)
	found.Copies = p.machine.found.Copies
	report.Notes = append(report.Notes, nameAbsurdLinks(found.Links)...)
	if sameMachine(earlier) { // the earlier measurements of the machine are still valid
		if !all {
			out.Better = keepMachine(found, earlier)
		}
		addMachine(found, earlier)
	}
	warnings, again := Settle(p.Design, found)
	report.Warnings, report.Again = append(report.Warnings, warnings...), append(report.Again, again...)
	if ctx.Err() != nil && found.Conditions.Incomplete == "" {
		found.Conditions.Incomplete = "interrupted"
	}
	out.Left, out.Before = p.machine.noteLeft(found)
	return out, ctx.Err()
}

// until returns the deadline for the kernels of a data set: an equal share of the remaining time, minus the time
// reserved for missing parts of the machine. It reserves more time if an earlier profile has figures of all kernels.
func (p *Plan) until(now time.Time, earlier *profile.Profile) time.Time {
	if p.deadline.IsZero() {
		return time.Time{}
	}
	left := max(0, p.deadline.Sub(now))
	if !p.machine.done {
		share := machineShare
		if hasKernels(earlier, p.Design) && !lacksHardware(earlier, p.Design, p.Options.Only) {
			share = lackingShare
		}
		aside := time.Duration(0)
		for _, part := range lacking(p.machineParts(), earlier) {
			limit := share
			if part.needed {
				limit = max(share, neededShare)
			}
			if aside+part.about <= time.Duration(limit*float64(left)) { // otherwise the part would not start
				aside += part.about
			}
		}
		left -= aside
	}
	return now.Add(left / time.Duration(max(1, p.DataSets-p.measured)))
}

// hasKernels reports whether a profile has figures of all kernels of a design.
func hasKernels(p *profile.Profile, d *design.Design) bool {
	return p != nil && !slices.ContainsFunc(d.Program.Kernels, func(k xlang.Kernel) bool {
		return !slices.ContainsFunc(p.Kernels, func(x profile.Kernel) bool { return x.Instance == k.Name })
	})
}

// LackingBandwidth returns the declared names of the links without a bandwidth.
func LackingBandwidth(d *design.Design) []string {
	var list []string
	for i := range d.Problem.Architecture.Links {
		if l := &d.Problem.Architecture.Links[i]; !(l.Bandwidth > 0) && !slices.Contains(list, l.DeclaredName()) {
			list = append(list, l.DeclaredName())
		}
	}
	return list
}

// Doubts returns a note for each distinct reason, with the kernels that need another measurement for this reason.
func Doubts(list []Doubt) []fault.Note {
	var whys []string
	var notes []fault.Note
	of := make(map[string][]string)
	for _, x := range list {
		if of[x.Why] == nil {
			whys = append(whys, x.Why)
		}
		of[x.Why] = append(of[x.Why], x.Kernel)
	}
	for _, why := range whys {
		notes = append(notes, faults.RateInDoubt.Notef("%s: %s", strings.Join(design.Ranges(of[why]), ", "), why))
	}
	return notes
}

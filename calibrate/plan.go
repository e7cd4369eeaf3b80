package calibrate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/mapper/replicate"
)

// Plan is a calibration of a design: its kernels with one or several data sets, and the machine once for all of them.
type Plan struct {
	Design *design.Design
	// Options hold for every data set, but for Input, Until and Earlier.
	Options Options
	// KernelsOnly leaves out the memory and how kernels share a core.
	KernelsOnly bool
	// CheckOnly measures a few kernels again ([Check]), and nothing of the machine.
	CheckOnly bool
	// Budget limits the time of all data sets and of the machine; 0 for none.
	Budget time.Duration
	// DataSets is the number of data sets that [Plan.Measure] is called for.
	DataSets int

	deadline time.Time // zero for none
	measured int       // data sets
	machine  machine
}

// machine holds the measurements that are made once for all data sets.
type machine struct {
	done    bool
	links   []profile.Link
	sharing []profile.Sharing
	copies  *profile.Copies
	left    string // what of it was not measured for want of time
}

// What measuring the memory takes, about, and how kernels share a core in one way.
const (
	linksTime   = 20 * time.Second
	sharingTime = 25 * time.Second
	// machinePart is the greatest part of a budget that is set aside for the two.
	machinePart = 0.4
)

// NewPlan makes a plan, whose budget begins now.
func NewPlan(p Plan) *Plan {
	if p.Budget > 0 {
		p.deadline = time.Now().Add(p.Budget)
	}
	p.DataSets = max(1, p.DataSets)
	return &p
}

// MachineTime returns the approximate time that measuring the machine takes.
func (p *Plan) MachineTime() time.Duration {
	if p.KernelsOnly || p.CheckOnly {
		return 0
	}
	about := linksTime + time.Duration(len(sharingWays(p.Design)))*sharingTime
	if replicate.Any(p.Design.Program) {
		about += CopiesTime
	}
	return about
}

// Kernels counts the kernels that are measured.
func (p *Plan) Kernels() int {
	n := len(p.Design.Program.Kernels)
	if p.CheckOnly {
		return min(n, CheckKernels)
	}
	return n
}

// Deadline is the end of the budget; zero without one.
func (p *Plan) Deadline() time.Time { return p.deadline }

// Time returns the approximate time of a plan of which nothing has been measured before.
func (p *Plan) Time() time.Duration {
	kernels, onFPGAs := p.Kernels(), 0
	for r := range p.Design.Program.Resources {
		if design.IsFPGA(p.Design.Program, r) && !p.CheckOnly {
			onFPGAs = kernels
		}
	}
	return time.Duration(p.DataSets)*Estimate(kernels, onFPGAs, p.Options) + p.MachineTime()
}

// LongerBudget is a budget that leaves time for what p's was too short for: what all of it takes, about, and at least
// twice that one.
func (p *Plan) LongerBudget() time.Duration {
	const step = 10 * time.Second
	return (max(p.Time(), 2*p.Budget) + step - 1).Truncate(step)
}

// NothingMeasured is the error of a budget that was over before a kernel was measured.
type NothingMeasured struct {
	Took  time.Duration // recording and building
	Aside time.Duration // set aside for the machine
}

func (e *NothingMeasured) Error() string {
	return fmt.Sprintf("nothing was measured: recording and building took %s", e.Took)
}

// Outcome is the result of measuring with one data set.
type Outcome struct {
	Profile *profile.Profile
	Report  *Report
	// Left is what of the machine was not measured for want of time; Lacks reports that Profile lacks it: an earlier
	// profile may have had it.
	Left  string
	Lacks bool
	// Unmeasured is why something of the machine could not be measured. What was measured is kept.
	Unmeasured error
}

// Measure measures the kernels with one data set, and with the first one the machine, as long as there is time. earlier
// is the profile of an earlier calibration of the same data set, or nil: it keeps what has not changed, and with all
// only what this calibration does not reach. After an interruption Measure returns what was measured before it, with
// the error of ctx; the profile is nil where nothing was.
func (p *Plan) Measure(ctx context.Context, input string, earlier *profile.Profile, all bool) (*Outcome, error) {
	o := p.Options
	o.fill()
	o.Input = input
	if !all {
		o.Earlier = earlier
	}
	begin := time.Now()
	o.Until = p.until(begin, o.Earlier)
	p.measured++
	if p.deadline.IsZero() && !p.machine.done { // the machine comes after
		tell := o.Progress
		o.Progress = func(x Progress) { tell(Progress{x.Stage, x.Left + p.MachineTime()}) }
	}
	found, report, err := Calibrate(ctx, p.Design, o)
	switch {
	case ctx.Err() != nil && (found == nil || len(found.Kernels) == 0):
		return nil, ctx.Err()
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("calibrating: %w", err)
	case len(found.Kernels) == 0:
		x := &NothingMeasured{Took: time.Since(begin)}
		if !p.deadline.IsZero() && !p.machine.done && p.MachineTime() > 0 {
			x.Aside = max(0, time.Until(p.deadline))
		}
		return nil, x
	}
	out := &Outcome{Profile: found, Report: report}
	out.Unmeasured = p.measureMachine(ctx)
	m := &p.machine
	found.Links, found.Sharing, found.Copies = m.links, m.sharing, m.copies
	if sameMachine(earlier) { // what it had of the machine still holds
		if found.Links == nil {
			found.Links = earlier.Links
		}
		if found.Sharing == nil {
			found.Sharing = earlier.Sharing
		}
		if found.Copies == nil {
			found.Copies = earlier.Copies
		}
	}
	report.Again = append(report.Again, bound(p.Design, found)...)
	if ctx.Err() != nil && found.Conditions.Incomplete == "" {
		found.Conditions.Incomplete = "interrupted"
	}
	out.Left, out.Lacks = m.left, m.noteLeft(found)
	return out, ctx.Err()
}

// until is when a data set's kernels must be measured: an equal part of what is left, without what is set aside for the
// machine where the earlier profile has nothing of it.
func (p *Plan) until(now time.Time, earlier *profile.Profile) time.Time {
	if p.deadline.IsZero() {
		return time.Time{}
	}
	left := max(0, p.deadline.Sub(now))
	if !p.machine.done && !sameMachine(earlier) {
		left -= min(p.MachineTime(), time.Duration(machinePart*float64(left)))
	}
	return now.Add(left / time.Duration(max(1, p.DataSets-p.measured)))
}

// sameMachine reports whether an earlier profile has figures of this machine.
func sameMachine(p *profile.Profile) bool {
	here := profile.ThisMachine()
	return p != nil && len(p.Links) > 0 && p.Machine.CPU == here.CPU && p.Machine.Cores == here.Cores &&
		p.Machine.Kernel == here.Kernel
}

// measureMachine measures the memory that cores share and how kernels share a core, once, as long as there is time.
// What fails leaves what was measured before it.
func (p *Plan) measureMachine(ctx context.Context) error {
	m := &p.machine
	if m.done || p.KernelsOnly || ctx.Err() != nil {
		return nil
	}
	m.done = true
	within := ctx
	if !p.deadline.IsZero() {
		if time.Until(p.deadline) <= 0 {
			m.left = leftMachine(p.Design)
			return nil
		}
		var cancel context.CancelFunc
		within, cancel = context.WithDeadline(ctx, p.deadline)
		defer cancel()
	}
	o := p.Options
	o.fill()
	begin, tell := time.Now(), o.Progress
	o.Progress = func(x Progress) { tell(Progress{x.Stage, p.MachineTime() - time.Since(begin)}) }
	for _, step := range []struct {
		what, left string
		measure    func() error
	}{
		{"links", leftMachine(p.Design), func() (err error) {
			m.links, err = Links(within, p.Design, o)
			return err
		}},
		{"how kernels share a core", "how kernels share a core", func() (err error) {
			m.sharing, err = measureSharing(within, p.Design, o.Progress)
			return err
		}},
		{leftCopies, leftCopies, func() (err error) {
			if replicate.Any(p.Design.Program) {
				tell := func(int, int) { o.Progress(Progress{Stage: "measuring " + leftCopies}) }
				m.copies, err = Copies(within, tell)
			}
			return err
		}},
	} {
		err := step.measure()
		switch {
		case err == nil:
			continue
		case within.Err() == nil:
			return fmt.Errorf("measuring %s: %w", step.what, err)
		}
		m.left = step.left
		return nil
	}
	return nil
}

// leftCopies is what was left out where the time was over before copies were measured.
const leftCopies = "what copies of kernels cost"

// leftMachine names all that is measured of a machine beside its kernels: links first.
func leftMachine(d *design.Design) string {
	var links []string
	for i := range d.Problem.Architecture.Links {
		l := &d.Problem.Architecture.Links[i]
		if d.Problem.Architecture.JoinsHosts(i) && !slices.Contains(links, l.DeclaredName()) {
			links = append(links, l.DeclaredName())
		}
	}
	memory := "the memory that cores share, and "
	if len(links) > 0 {
		memory = "the memory that cores share, links between hosts (" + strings.Join(links, ", ") + "), and "
	}
	return memory + "how kernels share a core"
}

// noteLeft writes into a profile what of the machine there was no time for, and reports whether it lacks that: it may
// have it from before.
func (m *machine) noteLeft(p *profile.Profile) bool {
	if m.left == "" || p.Links != nil && p.Sharing != nil && (m.left != leftCopies || p.Copies != nil) {
		return false
	}
	switch was := &p.Conditions.Incomplete; {
	case *was == "":
		*was = "the time ran out; not measured: " + m.left
	case strings.Contains(*was, "not measured: "):
		*was += "; nor " + m.left
	default:
		*was += "; not measured: " + m.left
	}
	return true
}

// LackingBandwidth lists the links that have no bandwidth, as they are declared.
func LackingBandwidth(d *design.Design) []string {
	var list []string
	for i := range d.Problem.Architecture.Links {
		if l := &d.Problem.Architecture.Links[i]; !(l.Bandwidth > 0) && !slices.Contains(list, l.DeclaredName()) {
			list = append(list, l.DeclaredName())
		}
	}
	return list
}

// sharingWay is one way in which cores are deployed.
type sharingWay struct{ platform, processes, wait, scheduler string }

// sharingWays lists those of a design.
func sharingWays(d *design.Design) []sharingWay {
	var list []sharingWay
	for r := range d.Program.Resources {
		res := &d.Program.Resources[r]
		way := sharingWay{res.Platform, res.Config["processes"].Text, res.Config["wait"].Text,
			res.Config["scheduler"].Text}
		if !slices.Contains(list, way) && way.processes != "" {
			list = append(list, way)
		}
	}
	return list
}

// measureSharing measures how kernels share a core of each platform that can be deployed.
func measureSharing(ctx context.Context, d *design.Design, progress func(Progress)) ([]profile.Sharing, error) {
	var list []profile.Sharing
	for _, way := range sharingWays(d) {
		tell := func(int, int) {
			progress(Progress{Stage: "measuring how kernels share a core of " + way.platform})
		}
		s, err := RecommendSharing(ctx, way.platform, SharingCase{Style: program.Style(way.processes),
			Wait: program.Wait(way.wait), Scheduler: program.Scheduler(way.scheduler)}, tell)
		if err != nil {
			return nil, err
		}
		list = append(list, *s)
	}
	return list, nil
}

// Doubts groups kernels that are to be measured again by the reason.
func Doubts(list []Doubt) []string {
	var whys, lines []string
	of := make(map[string][]string)
	for _, x := range list {
		if of[x.Why] == nil {
			whys = append(whys, x.Why)
		}
		of[x.Why] = append(of[x.Why], x.Kernel)
	}
	for _, why := range whys {
		lines = append(lines, why+": "+strings.Join(design.Ranges(of[why]), ", "))
	}
	return lines
}

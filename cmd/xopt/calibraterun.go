package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xopt/calibrate"
	"xopt/cmd/internal/report"
	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/files/output"
	"xopt/internal/units"
	"xopt/mapper/replicate"
)

// machineFigures are measured once for all data sets.
type machineFigures struct {
	done     bool
	links    []profile.Link
	sharing  []profile.Sharing
	copies   *profile.Copies
	left     string        // why something of them was not measured
	deadline time.Time     // of the command; zero for none
	about    time.Duration // that all of it takes
}

// What measuring the memory takes, about, and how kernels share a core in one way.
const (
	linksTime   = 20 * time.Second
	sharingTime = 25 * time.Second
	// machinePart is the most of a budget that is set aside for the two.
	machinePart = 0.4
)

// machineTime is what measuring the machine takes, about.
func machineTime(d *design.Design, f *calibrateFlags) time.Duration {
	if f.kernelsOnly || f.check != "" {
		return 0
	}
	about := linksTime + time.Duration(len(sharingWays(d)))*sharingTime
	if replicate.Any(d.Program) {
		about += calibrate.CopiesTime
	}
	return about
}

// noteHowLong says how long the command will take, and what a budget is too short for.
// It returns how long, about.
func (a *app) noteHowLong(d *design.Design, f *calibrateFlags, o calibrate.Options, dataSets int) time.Duration {
	kernels, onFPGAs := len(d.Program.Kernels), 0
	for r := range d.Program.Resources {
		if design.IsFPGA(d.Program, r) {
			onFPGAs = kernels
		}
	}
	if f.check != "" {
		kernels, onFPGAs = min(kernels, calibrate.CheckKernels), 0
	}
	about := time.Duration(dataSets)*calibrate.Estimate(kernels, onFPGAs, o) + machineTime(d, f)
	what := fmt.Sprintf("%d kernels", kernels)
	if machineTime(d, f) > 0 {
		what += ", memory and sharing of cores"
	}
	switch {
	case f.budget == 0:
		a.note("building and measuring %s takes about %s, less where the profile has it already (--budget limits it)",
			what, roundTime(about))
	case f.budget < about:
		a.note("building and measuring %s takes about %s where the profile has nothing of it; what --budget %s "+
			"leaves no time for is left out and named", what, roundTime(about), f.budget)
	}
	return about
}

// longer is a --budget that leaves time for what one was too short for: what all of it takes,
// about, and at least twice that one.
func (m *machineFigures) longer(budget time.Duration) time.Duration {
	const step = 10 * time.Second
	return (max(m.about, 2*budget) + step - 1).Truncate(step)
}

// tooShort says what a --budget went to in which nothing was measured.
func (m *machineFigures) tooShort(d *design.Design, f *calibrateFlags, took time.Duration, path string) error {
	aside := ""
	if left := time.Until(m.deadline); !m.done && machineTime(d, f) > 0 && left > 0 {
		aside = fmt.Sprintf("; %s are set aside for memory and sharing of cores, which --kernels-only leaves out",
			left.Round(100*time.Millisecond))
	}
	return fmt.Errorf("--budget %s was over before anything was measured; %s was not written: recording and "+
		"building took %s%s; give it --budget %s",
		f.budget, path, took.Round(100*time.Millisecond), aside, m.longer(f.budget))
}

// until is when a data set's kernels must be measured: an equal part of what is left, without
// what is set aside for the machine where the earlier profile has nothing of it.
func (m *machineFigures) until(now time.Time, d *design.Design, f *calibrateFlags, earlier *profile.Profile,
	dataSets int) time.Time {
	if m.deadline.IsZero() {
		return time.Time{}
	}
	left := max(0, m.deadline.Sub(now))
	if !m.done && !sameMachine(earlier) {
		left -= min(machineTime(d, f), time.Duration(machinePart*float64(left)))
	}
	return now.Add(left / time.Duration(dataSets))
}

// sameMachine reports whether an earlier profile has figures of this machine.
func sameMachine(p *profile.Profile) bool {
	here := profile.ThisMachine()
	return p != nil && len(p.Links) > 0 && p.Machine.CPU == here.CPU && p.Machine.Cores == here.Cores &&
		p.Machine.Kernel == here.Kernel
}

// kept is where the profile of a data set goes, and its tables, where they are asked for.
type kept struct{ profile, tables string }

// calibrateOnce measures one data set and writes its profile; nil when nothing was measured
// before an interruption.
func (a *app) calibrateOnce(c *cobra.Command, d *design.Design, f *calibrateFlags, o calibrate.Options,
	m *machineFigures, to kept, dataSets int) (*profile.Profile, error) {
	ctx, path := c.Context(), to.profile
	earlier, _ := readProfile("out", path) // of another version, or none: everything is measured
	if !f.all {
		o.Earlier = earlier
	}
	o.Until = m.until(time.Now(), d, f, o.Earlier, dataSets)
	show := newStages(a)
	if m.deadline.IsZero() {
		show.after = machineTime(d, f)
	}
	o.Progress = func(p calibrate.Progress) { show.update(p.Stage, p.Left) }
	begin := time.Now()
	p, happened, err := calibrate.Calibrate(ctx, d, o)
	switch {
	case ctx.Err() != nil && (p == nil || len(p.Kernels) == 0):
		show.close(true)
		a.code = exitInterrupted
		a.note("interrupted before anything was measured; %s was not written", path)
		return nil, nil
	case err != nil && ctx.Err() == nil:
		show.close(false)
		return nil, fmt.Errorf("calibrating: %w", err)
	case len(p.Kernels) == 0:
		show.close(false)
		return nil, m.tooShort(d, f, time.Since(begin), path)
	}
	show.after = 0
	unmeasured := a.measureMachine(ctx, d, f, o, m, show)
	show.close(ctx.Err() != nil)
	if unmeasured != nil { // the kernels are measured and are kept
		unmeasured = fmt.Errorf("%w; what was measured of kernels is in %s, and the same command measures the rest",
			unmeasured, path)
	}
	p.Links, p.Sharing, p.Copies = m.links, m.sharing, m.copies
	if earlier != nil && sameMachine(earlier) { // what it had of the machine still holds
		if p.Links == nil {
			p.Links = earlier.Links
		}
		if p.Sharing == nil {
			p.Sharing = earlier.Sharing
		}
		if p.Copies == nil {
			p.Copies = earlier.Copies
		}
	}
	if ctx.Err() != nil {
		a.code = exitInterrupted
		if p.Conditions.Incomplete == "" {
			p.Conditions.Incomplete = "interrupted"
		}
	}
	lacks := m.noteLeft(p)
	r := newResult(d, a.typed(c, c.Flags().Args()))
	r.Profile, r.Notes = p, append(append(r.Notes, happened.Notes...), again(happened.Again)...)
	if lacks {
		r.Warnings = append(r.Warnings, m.warning())
	}
	if a.code == 0 && (lacks || len(happened.Missing) > 0) {
		a.code = exitFailed
	}
	// What cannot be saved is printed all the same.
	failed := errors.Join(output.WriteFile(path, p.Encode), a.keepReport(reportName(path), r),
		a.saveTablesAt(to.tables, report.TablesOf(report.Calibration(p))))
	if a.settings.JSON {
		return p, errors.Join(failed, p.Encode(a.stdout.JSON()), unmeasured)
	}
	if err := a.show(append(report.CalibrationHead(p), report.Calibration(p)...)...); err != nil {
		return nil, err
	}
	a.noteCalibration(c, d, f, happened, m, p, path, failed == nil)
	return p, errors.Join(failed, unmeasured)
}

// noteLeft writes into a profile what of the machine there was no time for, and reports whether it lacks
// that: it may have it from before.
func (m *machineFigures) noteLeft(p *profile.Profile) bool {
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

// warning says what of the machine there was no time for.
func (m *machineFigures) warning() string {
	return fmt.Sprintf("not measured: %s (--kernels-only leaves it out; a longer --budget measures it)", m.left)
}

// measureMachine measures the memory that cores share and how kernels share a core, once, as
// long as there is time. What fails leaves what was measured before it.
func (a *app) measureMachine(ctx context.Context, d *design.Design, f *calibrateFlags, o calibrate.Options,
	m *machineFigures, show *stages) error {
	if m.done || f.kernelsOnly || ctx.Err() != nil {
		return nil
	}
	m.done = true
	within := ctx
	if !m.deadline.IsZero() {
		if time.Until(m.deadline) <= 0 {
			m.left = leftMachine(d)
			return nil
		}
		var cancel context.CancelFunc
		within, cancel = context.WithDeadline(ctx, m.deadline)
		defer cancel()
	}
	begin := time.Now()
	o.Progress = func(p calibrate.Progress) {
		show.update(p.Stage, machineTime(d, f)-time.Since(begin))
	}
	var err error
	if m.links, err = calibrate.Links(within, d, o); err != nil {
		m.links = nil
		if within.Err() == nil {
			return fmt.Errorf("measuring links: %w", err)
		}
		m.left = leftMachine(d)
		return nil
	}
	if m.sharing, err = measureSharing(within, d, o.Progress); err != nil {
		m.sharing = nil
		if within.Err() == nil {
			return fmt.Errorf("measuring how kernels share a core: %w", err)
		}
		m.left = "how kernels share a core"
		return nil
	}
	if !replicate.Any(d.Program) {
		return nil
	}
	tell := func(int, int) { o.Progress(calibrate.Progress{Stage: "measuring what copies of kernels cost"}) }
	if m.copies, err = calibrate.Copies(within, tell); err != nil {
		m.copies = nil
		if within.Err() == nil {
			return fmt.Errorf("measuring what copies of kernels cost: %w", err)
		}
		m.left = leftCopies
	}
	return nil
}

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

// noteCalibration says how a calibration went, and what to do about what did not.
func (a *app) noteCalibration(c *cobra.Command, d *design.Design, f *calibrateFlags, happened *calibrate.Report,
	m *machineFigures, p *profile.Profile, path string, saved bool) {
	same := shellLine(a.typed(c, c.Flags().Args()))
	for _, n := range happened.Notes {
		a.note("note: %s", n)
	}
	for _, n := range happened.Failed {
		a.fail("xopt: %s", n)
	}
	if len(happened.Failed) > 0 && a.code == 0 {
		a.code = exitFailed
	}
	if happened.Disturbed != "" {
		a.note("warning: the machine was disturbed: %s", happened.Disturbed)
	}
	if x := report.Extrapolated(p); len(x) > 0 {
		a.note("warning: the machine was slow in all windows of %s: the rates of good time are extrapolated from slow "+
			"ones", strings.Join(design.Ranges(x), ", "))
	}
	for _, x := range again(happened.Again) {
		a.note("note: %s", x)
	}
	if m.left != "" {
		a.note("warning: %s", m.warning())
	}
	if lacks := lackingBandwidth(d); f.kernelsOnly && len(p.Links) == 0 && len(lacks) > 0 {
		a.note("note: --kernels-only left out memory and how kernels share a core; a search will need the bandwidth "+
			"of %s: run the same command without --kernels-only, or give bandwidth in the architecture",
			strings.Join(lacks, ", "))
	}
	if len(happened.Uncontended) > 0 && !happened.Interrupted {
		a.note("warning: --budget %s was over before memory contention was measured of: %s", f.budget,
			strings.Join(happened.Uncontended, ", "))
	}
	if len(happened.Missing) > 0 && !happened.Interrupted {
		a.note("warning: --budget %s was over before these were measured: %s", f.budget, strings.Join(happened.Missing,
			", "))
	}
	switch {
	case !saved:
		return
	case a.code == exitInterrupted:
		a.note("interrupted: %s; %s holds what was measured until then, and the same command goes on with the rest: %s",
			p.Conditions.Incomplete, path, same)
	case len(happened.Again) > 0 || len(happened.Missing) > 0:
		quiet := ""
		if happened.Disturbed != "" {
			quiet = ", when the machine is quiet"
		}
		if f.budget > 0 && (len(happened.Missing) > 0 || happened.Rounds == 0) {
			a.note("note: a longer budget measures these%s, and keeps the others: %s", quiet,
				withBudget(a.typed(c, c.Flags().Args()), m.longer(f.budget)))
			break
		}
		a.note("note: the same command measures these again%s, and keeps the others: %s", quiet, same)
	}
	if happened.Kept > 0 {
		a.note("note: %d of %d kernels have not changed and keep their figures (--all measures them too)",
			happened.Kept, len(p.Kernels))
	}
	a.note("%d kernels in %d rounds, %s of measuring, %d windows left out because another process had the processor; "+
		"wrote %s", len(p.Kernels)-happened.Kept, happened.Rounds, units.Time(happened.Seconds), happened.Dropped, path)
}

// withBudget is a command line with another --budget.
func withBudget(line []string, budget time.Duration) string {
	line = slices.Clone(line)
	if i := slices.Index(line, "--budget"); i >= 0 && i+1 < len(line) {
		line[i+1] = budget.String()
	} else {
		line = append(line, "--budget", budget.String())
	}
	return shellLine(line)
}

// lackingBandwidth lists the links that have no bandwidth.
func lackingBandwidth(d *design.Design) []string {
	var list []string
	for i := range d.Problem.Architecture.Links {
		if l := &d.Problem.Architecture.Links[i]; !(l.Bandwidth > 0) && !slices.Contains(list, l.DeclaredName()) {
			list = append(list, l.DeclaredName())
		}
	}
	return list
}

// again groups kernels that are to be measured again by why.
func again(list []calibrate.Doubt) []string {
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

// sharingWay is one way in which cores are deployed.
type sharingWay struct{ platform, processes, wait, scheduler string }

// sharingWays lists those of a design.
func sharingWays(d *design.Design) []sharingWay {
	var list []sharingWay
	seen := make(map[sharingWay]bool)
	for r := range d.Program.Resources {
		res := &d.Program.Resources[r]
		way := sharingWay{res.Platform, res.Config["processes"].Text, res.Config["wait"].Text,
			res.Config["scheduler"].Text}
		if !seen[way] && way.processes != "" {
			seen[way] = true
			list = append(list, way)
		}
	}
	return list
}

// leftCopies is what was left out where the time was over before copies were measured.
const leftCopies = "what copies of kernels cost"

// measureSharing measures how kernels share a core of each platform that can be deployed.
func measureSharing(ctx context.Context, d *design.Design, progress func(calibrate.Progress)) ([]profile.Sharing,
	error) {
	var list []profile.Sharing
	for _, way := range sharingWays(d) {
		tell := func(int, int) {
			progress(calibrate.Progress{Stage: "measuring how kernels share a core of " + way.platform})
		}
		s, err := calibrate.RecommendSharing(ctx, way.platform, calibrate.SharingCase{
			Style: program.Style(way.processes), Wait: program.Wait(way.wait),
			Scheduler: program.Scheduler(way.scheduler)}, tell)
		if err != nil {
			return nil, err
		}
		list = append(list, *s)
	}
	return list, nil
}

// newSink checks the file that sinks are to write: they write what they are fed again and
// again, and nothing of a user's must be lost by that.
func newSink(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return "", &usageError{fmt.Errorf("--sink %s: %w", path, err)}
		}
	case err != nil:
		return "", &usageError{fmt.Errorf("--sink %s: %w", path, err)}
	case info.IsDir() || info.Mode().IsRegular() && info.Size() > 0:
		return "", &usageError{fmt.Errorf("--sink %s is there already; name a file that is not: sinks write to it "+
			"again and again, and it is removed at the end", path)}
	}
	return filepath.Abs(path)
}

// removeSink removes what sinks have written; a device stays.
func removeSink(path string) {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		_ = os.Remove(path) // what cannot be removed is left
	}
}

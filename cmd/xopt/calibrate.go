package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"xopt/calibrate"
	"xopt/calibrate/fresh"
	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/units"
)

func (a *app) calibrateCommand() *cobra.Command {
	return &cobra.Command{
		Use:        "calibrate APP.x ARCH.x",
		SuggestFor: []string{"measure", "profile"},
		Short:      "measure each kernel on this machine's cores, and write a profile",
		Long: `calibrate runs the application once and records the data on its edges. Then it runs each
kernel alone on that data and measures its service rate, gain, routing and service-time variation (Beard
2013, section 3.3). Kernels take turns, so that a drift of the machine affects all of them. A kernel is
complete when the 95 % interval of its median is within --precision, or at the time limit. The profile
stores the measurements. eval, search and other commands use them with --profile.

calibrate also measures the cost of messages over shared memory, and of sharing a core under the
architecture's deployment settings. Kernels that have not changed since the profile was written keep
their figures. calibrate measures disturbed or imprecise kernels again, the least precise first. After
Ctrl-C, the profile contains the figures so far, and the same command measures the remaining figures.

--refine RESULT measures nothing. It corrects the figures of the profile by the service times in a
result of validate or deploy, if the difference is significant. It also predicts each mapping from the
other mappings (leave one out), and writes the profile only if these predictions improve.

--trace FILE measures nothing either. It adds figures of kernels that ran elsewhere, such as on a GPU or
another host, from a trace. Rules of X-Eval define which events belong together.`,
		Example: `xopt calibrate app.x arch.x -o here.profile.json
xopt search app.x arch.x --profile here.profile.json
xopt calibrate app.x arch.x --check here.profile.json     is the profile still valid?
xopt calibrate app.x arch.x -o again.profile.json --against here.profile.json
xopt calibrate app.x arch.x --input day.dat --input night.dat    one profile for each input
xopt calibrate app.x arch.x -o here.profile.json --refine validation.result.json
xopt calibrate app.x arch.x -o here.profile.json --trace gpu.csv --rules gpu.smx --on gpu`,
		Args: options.MinArgs(1, "X files with an application and an architecture"),
		RunE: a.orCampaign(a.calibrate),
	}
}

func (a *app) calibrate(c *cobra.Command, files []string) error {
	f := &a.settings.Calibrate
	if f.Check != "" && (f.Output != "" || f.Against != "" || len(f.Inputs) > 1) {
		return faults.OptionsConflict.Usagef("--check writes no profile and reads at most one --input; leave out " +
			"-o, --against and all inputs but one")
	}
	base := f.Output
	if base == "" {
		base = baseName(files) + settings.ProfileSuffix
	}
	switch {
	case len(f.Refine) > 0 || f.Trace != "":
		return a.calibrateByFile(c, files, base)
	case f.Rules != "" || f.On != "":
		return faults.OptionRequires.Usagef("--rules and --on require --trace FILE")
	}
	paths := f.Profiles(base)
	writes, err := a.planProfiles(f, paths)
	if err != nil {
		return err
	}
	d, err := a.toMeasure(c.Context(), files, f, writes)
	if err == nil {
		err = a.keepOthers(d.Program, f, paths)
	}
	if err != nil {
		return err
	}
	o := calibrate.Options{Contention: !f.KernelsOnly && f.Check == "", Elements: a.settings.Elements, Record: f.Record,
		Guard:     a.settings.Guard,
		Precision: f.Precision}
	if o.Sink, err = calibrate.NewSink(a.settings.Sink); err != nil {
		return err
	}
	if o.Sink != "" {
		defer calibrate.RemoveSink(o.Sink)
	}
	inputs := f.Inputs
	if len(inputs) == 0 {
		inputs = []string{""}
	}
	var other *profile.Profile
	if f.Against != "" {
		if other, err = settings.ReadProfile("against", f.Against); err != nil {
			return err
		}
	}
	a.noteBusy(c.Context(), "calibration takes longer, intervals are wider, and memory and edges between cores may "+
		"appear too slow")
	plan := calibrate.NewPlan(calibrate.Plan{Design: d, Options: o, KernelsOnly: f.KernelsOnly,
		CheckOnly: f.Check != "", Budget: f.Budget, DataSets: len(inputs)})
	a.noteHowLong(plan)
	profiles, tables := []*profile.Profile(nil), a.profileTables(paths)
	for i, input := range inputs {
		if input != "" {
			if o.Input, err = filepath.Abs(input); err != nil {
				return err
			}
		}
		if f.Check != "" {
			o.Until = plan.Deadline()
			return a.checkProfile(c, d, f.Check, o)
		}
		p, err := (&calibration{a, c, plan, f.All, o.Input, paths[i], tables[i]}).run()
		if err != nil || p == nil {
			return err
		}
		profiles = append(profiles, p)
	}
	for i := 1; i < len(profiles); i++ {
		if err := a.compareProfiles(profiles[0], profiles[i], paths[0], paths[i], true); err != nil {
			return err
		}
	}
	if other != nil {
		return a.compareProfiles(other, profiles[0], f.Against, paths[0], false)
	}
	return nil
}

// calibrateByFile updates a profile from the results of runs or from a trace. It measures nothing.
func (a *app) calibrateByFile(c *cobra.Command, files []string, path string) error {
	if err := a.settings.WaitsForNothing("--refine and --trace measure nothing", a.inForce.IsFlag); err != nil {
		return err
	}
	if err := a.inForce.Exclude("--refine and --trace measure nothing", "check", "against", "input",
		"all"); err != nil {
		return err
	}
	if len(a.settings.Calibrate.Refine) > 0 {
		return a.refineBy(c, files, path)
	}
	return a.calibrateByTrace(c, files, path)
}

// toMeasure reads the files to measure. It checks that their sources and data exist.
func (a *app) toMeasure(ctx context.Context, files []string, f *settings.Calibrate, plan *output.Plan) (*design.Design,
	error) {
	d, err := a.design(ctx, files, design.ForRun)
	if err != nil {
		return nil, err
	}
	if err := a.keepsRead(plan, d.Program, true, a.settings.Sink, f.Inputs...); err != nil {
		return nil, err
	}
	if d.Mapping == nil {
		if d.Mapping, err = calibrate.OneCore(d); err != nil {
			return nil, err
		}
	}
	return d, a.checkGiven(d.Program, strings.Join(f.Inputs, " "))
}

// keepOthers returns an error if the calibration would replace a profile of another application.
func (a *app) keepOthers(p *xlang.Program, f *settings.Calibrate, paths []string) error {
	for _, path := range paths {
		old, _ := settings.ReadProfile("out", path)
		if old != nil && f.Check == "" && !a.settings.Force && !fresh.Belongs(p, old) {
			return faults.ProfileOfOthers.Usagef("%s describes only kernels of another application (%s), and "+
				"calibrate would replace this profile (set another -o, or use --force)", path, old.SomeKernels())
		}
	}
	return nil
}

// planProfiles checks the input and output files of calibrate.
func (a *app) planProfiles(f *settings.Calibrate, paths []string) (*output.Plan, error) {
	for _, input := range f.Inputs {
		if _, err := os.Stat(input); err != nil {
			return nil, fault.Usage(fmt.Errorf("--input: %w", err))
		}
	}
	p := a.plan()
	if f.Check == "" {
		var names []string
		for _, path := range paths {
			p.File("-o", path, output.Profile())
			names = append(names, reportName(path))
		}
		a.planReport(p, names...)
	}
	for _, tables := range a.profileTables(paths) {
		planTablesAt(p, tables, output.Tables())
	}
	p.Data("--sink", a.settings.Sink)
	return p, p.Err()
}

// profileTables returns the destinations of the profiles' tables. With several data sets, each has its own folder or
// file.
func (a *app) profileTables(paths []string) []string {
	list := make([]string, len(paths))
	for i, path := range paths {
		if list[i] = a.settings.CSV; list[i] != "" && len(paths) > 1 {
			list[i] = a.tablesOf(reportName(path))
		}
	}
	return list
}

func reportName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), settings.ProfileSuffix)
}

// compareProfiles shows the figures that differ between profiles. For data sets, it omits differences up to 2 %, and
// warns about the others.
func (a *app) compareProfiles(x, y *profile.Profile, first, second string, dataSets bool) error {
	list := profile.Compare(x, y)
	agree := 0
	var differ []profile.Difference
	const little = 0.02
	for i := range list {
		l := &list[i]
		if l.Agree {
			agree++
		} else if !dataSets || l.Exceeds(little) {
			differ = append(differ, *l)
		}
	}
	if err := a.show(report.Part{Table: report.Differences(first, second, differ)}); err != nil {
		return err
	}
	if dataSets && len(differ) > 0 {
		a.noteID(faults.DataDependent, "warning: %s on the data: the values in %s and %s differ by more than 2 %%; "+
			"predictions are valid only for data like the profile's", units.Counted(len(differ), "figure depends",
			"figures depend"), first, second)
		return nil
	}
	_, err := fmt.Fprintf(a.stdout, "%d of %d figures of %s and %s agree within their confidence intervals\n", agree,
		len(list), first, second)
	return err
}

// checked is the output of --check with --json: the service rates of a profile beside new measurements, the differences
// of the machine, and its disturbance.
type checked struct {
	Profile     string              `json:"profile"`
	Kernels     []calibrate.Holding `json:"kernels"`
	Differences []string            `json:"differences,omitempty"`
	Disturbed   string              `json:"disturbed,omitempty"`
}

// checkProfile measures some kernels of a profile again.
func (a *app) checkProfile(c *cobra.Command, d *design.Design, path string, o calibrate.Options) error {
	p, err := settings.ReadProfile("check", path)
	if err != nil {
		return err
	}
	work := a.longWork("calibrating")
	o.Progress = showStage(work)
	list, differences, happened, err := calibrate.Check(c.Context(), d, p, o)
	work.Stop()
	if err != nil {
		if c.Context().Err() != nil {
			a.code = exitInterrupted
			return nil
		}
		return fmt.Errorf("checking %s: %w", path, err)
	}
	if len(list) == 0 {
		return faults.BudgetOver.Errorf("checking %s: --budget expired before any measurement; increase --budget", path)
	}
	changed, uncertain := calibrate.Counts(list)
	again := report.MeasuredAgain(path, list)
	print := func() error { return a.showMachine(append(report.CheckHead(path, list), report.Part{Table: again})...) }
	if a.settings.JSON {
		print = func() error { return a.printJSON(checked{path, list, differences, happened.Disturbed}) }
	}
	if err := errors.Join(print(), a.saveTables([]*report.Table{again})); err != nil {
		return err
	}
	noteEach(a, "note: %s", differences)
	if happened.Disturbed != "" {
		a.noteID(faults.MachineDisturbed, "warning: the machine was disturbed: %s", happened.Disturbed)
	}
	switch {
	case changed > 0:
		return faults.RatesDiffer.Errorf("%d of %d measured service rates differ from the rates in %s; calibrate "+
			"again", changed, len(list), path)
	case uncertain > 0:
		return faults.RatesUncertain.Errorf("cannot verify %d of %d service rates of %s: their confidence intervals "+
			"are missing or too wide; calibrate again on a quiet machine", uncertain, len(list), path)
	}
	return nil
}

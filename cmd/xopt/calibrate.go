package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xopt/calibrate"
	"xopt/calibrate/harness"
	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/report"
	"xopt/internal/units"
)

// calibrateFlags are what only calibrate has.
type calibrateFlags struct {
	input, output  string
	check          string
	elements       uint64
	record, budget time.Duration
	precision      float64
}

// profileMark is in every profile that this command writes.
const profileMark = `"schema": `

// calibrateCommand measures kernels alone.
func (a *app) calibrateCommand() *cobra.Command {
	var f calibrateFlags
	c := &cobra.Command{
		Use:   "calibrate APP.x ARCH.x",
		Short: "measure every kernel alone on this machine's cores, and write a profile",
		Long: `calibrate runs the application once and records what its edges carry; then it runs every
kernel alone, always fed with that data and always drained, and measures its service
rate, gain, routing and the variation of its service times (Beard 2013, section 3.3).
Kernels take turns, so that drift of the machine meets all alike, until the 95 %
interval of each median is within --precision or the time is spent. The profile holds
the windows; xopt eval and xopt search take figures from it with --profile.

    xopt calibrate app.x arch.x -o here.profile.json
    xopt search app.x arch.x --profile here.profile.json
    xopt calibrate app.x arch.x --check here.profile.json     does it still hold?`,
		Args: atLeast(1, "X files with an application and an architecture"),
		RunE: func(c *cobra.Command, files []string) error {
			if err := a.settings.load(c); err != nil {
				return err
			}
			return a.calibrate(c, files, &f)
		},
	}
	flags := c.Flags()
	flags.StringArray("set", nil, "set a `CONFIG`: NAME.config=VALUE (repeatable)")
	flags.Bool("json", false, "print the profile instead of a table")
	flags.StringVarP(&f.output, "out", "o", "", "write the profile to this `FILE` (default: the name of the\nfirst file with .profile.json)")
	flags.StringVar(&f.input, "input", "", "`FILE` that sources read in the recorded run: their config\ninput")
	flags.Uint64Var(&f.elements, "elements", 0, "how much sources send in the recorded run: their config\nelements")
	flags.StringVar(&f.check, "check", "", "measure some kernels again, and say whether the profile in\nthis `FILE` still holds")
	flags.DurationVar(&f.record, "record", 2*time.Second, "how long the recorded run may take")
	flags.Float64Var(&f.precision, "precision", 0.01, "how near to the median its 95 % interval must be")
	flags.DurationVar(&f.budget, "budget", 0, "time for all windows; 0 for 3s for each kernel")
	return c
}

func (a *app) calibrate(c *cobra.Command, files []string, f *calibrateFlags) error {
	if !(f.precision > 0 && f.precision < 1) || f.record <= 0 || f.budget < 0 {
		return &usageError{fmt.Errorf("--precision is %g, --record %v and --budget %v: want a precision between 0 and 1, and times above 0", f.precision, f.record, f.budget)}
	}
	path := f.output
	if path == "" {
		path = strings.TrimSuffix(filepath.Base(files[0]), ".x") + ".profile.json"
	}
	if f.check != "" && f.output != "" {
		return &usageError{errors.New("--check writes no profile; leave out -o")}
	}
	if f.check == "" {
		if err := ours(path, profileMark); err != nil {
			return err
		}
	}
	d, err := a.design(files, design.ForCheck)
	if err != nil {
		return err
	}
	if d.Mapping == nil {
		if d.Mapping, err = onOneCore(d); err != nil {
			return err
		}
	}
	o := harness.Options{Input: f.input, Elements: f.elements, Record: f.record, Precision: f.precision, Budget: f.budget}
	if f.input != "" {
		if o.Input, err = filepath.Abs(f.input); err != nil {
			return err
		}
	}
	if isTerminal(a.stderr) {
		last := ""
		o.Progress = func(stage string, _, _ int) {
			if stage != last {
				a.note("%s", stage)
				last = stage
			}
		}
	}
	if f.check != "" {
		return a.checkProfile(c, d, f.check, o)
	}
	p, happened, err := harness.Calibrate(c.Context(), d, o)
	if err != nil {
		if c.Context().Err() != nil {
			a.code = exitInterrupted
			a.note("interrupted before every kernel was measured; no profile was written")
			return nil
		}
		return fmt.Errorf("calibrating: %w", err)
	}
	if err := report.WriteFile(path, p.Encode); err != nil {
		return err
	}
	if a.settings.JSON {
		return p.Encode(a.stdout)
	}
	if err := profileTable(a.stdout, a.style(), p); err != nil {
		return err
	}
	for _, n := range happened.Notes {
		a.note("note: %s", n)
	}
	if happened.Disturbed != "" {
		a.note("warning: the machine was disturbed: %s; calibrate again when it is quiet", happened.Disturbed)
	}
	if len(happened.Imprecise) > 0 {
		a.note("note: not within %g %% when the time was spent (--budget): %s", 100*f.precision, strings.Join(happened.Imprecise, ", "))
	}
	a.note("%d kernels in %d rounds, %s of measuring, %d runs repeated because the processor was taken away; wrote %s",
		len(p.Kernels), happened.Rounds, units.Time(happened.Seconds), happened.Dropped, path)
	return nil
}

// checkProfile measures some kernels of a profile again.
func (a *app) checkProfile(c *cobra.Command, d *design.Design, path string, o harness.Options) error {
	p, err := readProfile("check", path)
	if err != nil {
		return err
	}
	list, differences, happened, err := harness.Check(c.Context(), d, p, o)
	if err != nil {
		if c.Context().Err() != nil {
			a.code = exitInterrupted
			return nil
		}
		return fmt.Errorf("checking %s: %w", path, err)
	}
	var rows [][]string
	failed := 0
	for _, h := range list {
		verdict := "holds"
		if !h.Holds {
			verdict = "CHANGED"
			failed++
		}
		rows = append(rows, []string{h.Kernel, units.Rate(h.Old.Value), units.Rate(h.New.Value), fmt.Sprintf("%+.1f %%", 100*h.Change), verdict})
	}
	if err := a.benchTable("Service rates: measured again, beside those of "+path, []string{"kernel", "profile", "now", "change", "verdict"}, rows); err != nil {
		return err
	}
	for _, x := range differences {
		a.note("note: %s", x)
	}
	if happened.Disturbed != "" {
		a.note("warning: the machine was disturbed: %s", happened.Disturbed)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d service rates are not those of %s any more: calibrate again", failed, len(list), path)
	}
	return nil
}

// onOneCore puts every kernel on the first core that all of them may go to.
func onOneCore(d *design.Design) (*flow.Mapping, error) {
	for r := range d.Program.Resources {
		if !slices.ContainsFunc(d.Problem.Figures, func(f []flow.Figures) bool { return !f[r].Available }) {
			place := make([]int, len(d.Program.Kernels))
			for k := range place {
				place[k] = r
			}
			return &flow.Mapping{Place: place, Route: make([][]int, len(d.Program.Edges))}, nil
		}
	}
	return nil, errors.New("no core has an implementation of every kernel: give a mapping onto cores, in which the application runs for its data to be recorded")
}

// profileTable prints what was measured.
func profileTable(w io.Writer, style report.Style, p *calibrate.Profile) error {
	percent := func(f *calibrate.Figure) string {
		if f == nil || f.Value == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f", 100*max(f.CI95[1]-f.Value, f.Value-f.CI95[0])/f.Value)
	}
	value := func(f *calibrate.Figure, print func(float64) string) string {
		if f == nil {
			return "-"
		}
		return print(f.Value)
	}
	plain := func(v float64) string { return fmt.Sprintf("%.4g", v) }
	var rows [][]string
	for _, k := range p.Kernels {
		time := "-"
		if k.ServiceRate != nil && k.FiringBytes != nil {
			time = units.Time(k.FiringBytes.Value / k.ServiceRate.Value)
		}
		rows = append(rows, []string{k.Instance, k.Platform, value(k.ServiceRate, units.Rate), percent(k.ServiceRate), fmt.Sprint(figureN(k.ServiceRate)),
			time, company(k), value(k.FiringBytes, units.Size), value(k.ServiceSCV, plain), value(k.Gain, plain)})
	}
	if _, err := fmt.Fprintf(w, "Machine  %s, %d cores, %s, %s\n", p.Machine.CPU, p.Machine.Cores, p.Machine.Kernel, p.Machine.Compiler); err != nil {
		return err
	}
	return report.WriteTable(w, style, "Kernels: measured alone, each fed with what its inputs carried", []string{"kernel", "platform", "μ", "± %", "windows", "service time", "in company", "firing", "scv", "gain"}, rows)
}

// company is how much longer a firing takes when other kernels use the core.
func company(k calibrate.Kernel) string {
	if k.CompanyCost == nil || k.ServiceRate == nil {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 100*k.CompanyCost.Value*k.ServiceRate.Value)
}

func figureN(f *calibrate.Figure) int {
	if f == nil {
		return 0
	}
	return f.N
}

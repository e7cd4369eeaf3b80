package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xopt/calibrate/fresh"
	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/configs"
	"xopt/deploy/sources"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/safetext"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// program parses X files and applies the config values of --set.
func (a *app) program(ctx context.Context, files []string) (*xlang.Program, *xlang.Source, error) {
	return a.programs(ctx, files, false)
}

// programs parses X files. If mappings is true, each file may contain a mapping of its own.
func (a *app) programs(ctx context.Context, files []string, mappings bool) (*xlang.Program, *xlang.Source, error) {
	if a.parser == nil {
		var err error
		if a.parser, err = xlang.NewParser(); err != nil {
			return nil, &xlang.Source{}, err
		}
	}
	options := xlang.Options{Library: configs.Library(), Set: a.overrides(), SetBy: a.setBy, Mappings: mappings}
	program, source, err := a.parser.Load(ctx, files, options)
	if err != nil {
		return nil, source, rendered(err, source)
	}
	return program, source, nil
}

// overrides returns the config values of --set.
func (a *app) overrides() map[string]string {
	set := make(map[string]string)
	for _, s := range a.settings.Set {
		name, value, _ := strings.Cut(s, "=")
		set[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return set
}

// design parses X files and resolves their figures.
func (a *app) design(ctx context.Context, files []string, purpose design.Purpose) (*design.Design, error) {
	p, source, err := a.program(ctx, files)
	if err != nil {
		return nil, err
	}
	return a.lower(ctx, p, source, files, purpose)
}

// lower resolves the figures of a program.
func (a *app) lower(ctx context.Context, p *xlang.Program, source *xlang.Source, files []string,
	purpose design.Purpose) (*design.Design, error) {
	a.confirmProfile(p)
	d, err := a.newDesign(ctx, p, files, purpose)
	if err != nil {
		return nil, rendered(err, source)
	}
	if err := wrongSources(sources.CheckFor(d, purpose)); err != nil { // before notes about the same sources
		return nil, err
	}
	if err := a.noteDoubts(d); err != nil {
		return nil, err
	}
	return d, nil
}

// newDesign does the work of lower without output to the user, and does not format errors.
func (a *app) newDesign(ctx context.Context, p *xlang.Program, files []string, purpose design.Purpose) (*design.Design,
	error) {
	p, err := design.Copied(p, purpose)
	if err != nil {
		return nil, err
	}
	opt := design.Options{Purpose: purpose, MaxUtilization: a.settings.Phi, Sharing: a.settings.Sharing, Files: files,
		AllowMismatch: a.settings.AllowMismatch}
	for _, s := range a.settings.Set {
		if name, _, _ := strings.Cut(s, "="); a.setBy[strings.TrimSpace(name)] == "" {
			opt.Set = append(opt.Set, safetext.ShellWord(s))
		} else {
			opt.Varied = append(opt.Varied, safetext.ShellWord(s))
		}
	}
	for _, f := range a.settings.Figure {
		o, err := design.ParseOverride(f)
		if err != nil {
			return nil, fault.Usage(fmt.Errorf("--figure %s: %w", f, err))
		}
		opt.Overrides = append(opt.Overrides, o)
	}
	if a.settings.Profile != "" {
		measured, err := settings.ReadProfile("profile", a.settings.Profile)
		if err != nil {
			if a.profileOf != "" {
				err = fmt.Errorf("%w (or continue without a profile: --profile none)", err)
			}
			return nil, err
		}
		checker := fresh.NewChecker(ctx, p, measured)
		opt.Profile = design.FromProfile(a.settings.Profile, measured, checker)
		opt.JoinTolerance = design.MeasuredJoinTolerance
		d, err := design.NewContext(ctx, p, opt)
		return d, errors.Join(err, checker.Err())
	}
	return design.NewContext(ctx, p, opt)
}

// newResult returns a result that describes a design and a command, without an answer.
func newResult(d *design.Design, command []string) *result.Result {
	r := predict.Describe(d)
	r.Stamp(version(), command)
	return r
}

// typed returns the current command line: the files, then the options set from any origin.
func (a *app) typed(c *cobra.Command, files []string) []string {
	return a.line(c.CommandPath(), files)
}

func (a *app) line(command string, files []string) []string {
	line := append(strings.Fields(command), files...)
	for _, name := range slices.Sorted(maps.Keys(a.inForce)) {
		if v := a.inForce[name]; a.given(name) && v.Option.Commands != nil {
			line = append(line, v.Args()...)
		}
	}
	return line
}

// print writes a result to standard output as text or JSON, and its warnings and notes to standard error. The text ends
// with the answer and the files that were written.
func (a *app) print(r *result.Result) error {
	a.noteOnce(report.Remarks(r, a.settings.Full))
	if a.settings.JSON {
		return report.Encoder(r)(a.stdout.JSON())
	}
	return a.answer(report.Short(r, a.wrote), append(report.Terminal(r), report.Closing(r, a.wrote)...))
}

// given reports whether an option of the command was set from any origin.
func (a *app) given(name string) bool { return a.inForce.Given(name) }

// checkGiven returns an error if --elements is 0. It also returns an error if --input, --elements or --sink is set and
// no kernel has the corresponding config.
func (a *app) checkGiven(p *xlang.Program, input string) error {
	s := &a.settings
	if a.given("elements") && s.Elements == 0 { // a run of 0 elements would measure nothing
		return fault.WrongValue("elements", s.Elements, "1 or more; omit the option to use the number in the X files")
	}
	return sources.CheckConfigs(p, input, s.Sink, s.Elements)
}

// searchSettings rejects contradictory search options.
func (a *app) searchSettings() error {
	s := &a.settings
	if s.Evals > 0 && !a.given("time") {
		s.Time = 0 // the answer then does not depend on the speed of the machine
	}
	if s.Doubt != "" && !s.Robust {
		return faults.OptionRequires.Usagef("--doubt requires --robust")
	}
	return nil
}

// goalFlags returns the flags of the objective and constraints that differ from their defaults.
func (a *app) goalFlags() []string { return a.table.Flags(a.inForce, options.AffectsGoal) }

// scoreFlags returns the flags that affect predictions and differ from their defaults.
func (a *app) scoreFlags() []string { return a.table.Flags(a.inForce, options.AffectsScore) }

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	deployrun "xopt/deploy/run"
	"xopt/deploy/stateless"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// besideCheck refuses options of what the check does not do: it writes nothing, measures nothing, and prints what it
// found alone.
func (f *deployCommand) besideCheck() error {
	for _, name := range []string{"out", "json", "full", "report", "csv", "plots", "waves", "sink", "keep", "write-map",
		"export", "board", "board-at", "measure", "strict", "frame", "every", "taps", "trace", "trace-most",
		"trace-data", "log", "monitor-area", "monitors", "unordered"} {
		if v := f.inForce[name]; v != nil && v.Option.Commands != nil && f.given(name) && !v.Off() {
			return faults.OptionsConflict.Usagef("--check-stateless compares two runs, prints what differs, and "+
				"keeps nothing of them: leave out --%s", name)
		}
	}
	return nil
}

// compareCopies runs a mapping with one copy of each kernel and with two of those that are declared stateless, and
// prints what differs.
func (f *deployCommand) compareCopies(c *cobra.Command, files []string) error {
	if err := f.besideCheck(); err != nil {
		return err
	}
	p, source, err := f.program(c.Context(), files)
	if err != nil {
		return err
	}
	d, err := f.lower(c.Context(), p, source, files, design.ForDeploy)
	if err != nil {
		return err
	}
	if f.simulate || xsim.Needed(d) {
		return faults.NotOnCores.Usagef("--check-stateless runs kernels on cores; map those that it should check " +
			"to cores")
	}
	quiet := *f
	quiet.taps = tapsNone
	o, err := quiet.buildOptions(c.Context(), d)
	if err != nil {
		return err
	}
	o.Unordered, o.Output = false, ""
	work := f.longWork("running with one copy and with two")
	verdicts, skipped, err := stateless.Check(c.Context(), p, stateless.Options{Build: o,
		Run: deployrun.Options{Time: f.time, Stall: f.stall, Printed: beside{f.app, f.stderr}},
		Lower: func(p *xlang.Program) (*design.Design, error) {
			return f.newDesign(c.Context(), p, files, design.ForDeploy)
		}})
	work.End()
	if err != nil {
		return rendered(fmt.Errorf("checking stateless kernels: %w", err), source)
	}
	for _, text := range skipped {
		f.noteID(faults.NotChecked, "note: not checked: %s", text)
	}
	if len(verdicts) == 0 && len(skipped) == 0 {
		f.noteID(faults.NoStateless, "note: no block is declared stateless")
	}
	lies, few := 0, false
	for _, v := range verdicts {
		switch {
		case v.Difference != "":
			lies++
			fmt.Fprintf(f.stdout, "%s.%s: differs in copies: %s; if its firings depend on each other, block %s is not "+
				"stateless\n", v.Kernel, v.Port, v.Difference, v.Block)
		case v.Unknown != "":
			fmt.Fprintf(f.stdout, "%s.%s: cannot be told: %s\n", v.Kernel, v.Port, v.Unknown)
		case v.Elements == 0:
			fmt.Fprintf(f.stdout, "%s.%s: cannot be told: it sent nothing\n", v.Kernel, v.Port)
		default:
			are := "are"
			if v.Elements == 1 {
				are, few = "is", true
			}
			fmt.Fprintf(f.stdout, "%s.%s: %s %s the same with two copies as with one\n", v.Kernel, v.Port,
				units.Elements(uint64(v.Elements)), are)
		}
	}
	if few {
		f.noteID(faults.OneElement, "note: one element proves nothing: only firings that follow others could differ; "+
			"give more --elements")
	}
	if lies > 0 {
		return faults.NotStateless.Errorf("a kernel that is declared stateless sends something else in two copies")
	}
	return nil
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/settings"
	deployrun "xopt/deploy/run"
	"xopt/deploy/stateless"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/xlang"
)

// besideCheck rejects options that have no effect on the check, because the check writes and measures nothing, and
// prints only its result.
func (f *deployCommand) besideCheck() error {
	return f.inForce.Exclude("--check-stateless compares two runs and prints only the difference", "out", "json",
		"report", "csv", "plots", "waves", "sink", "keep", "write-map", "export", "board", "board-at", "measure",
		"strict", "frame", "every", "taps", "trace", "trace-max", "trace-data", "log", "monitor-area", "monitors",
		"unordered")
}

// compareCopies runs a mapping with one copy of each kernel, and again with two copies of each stateless kernel. It
// prints the differences.
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
	if f.Simulate || xsim.Needed(d) {
		return faults.NotOnCores.Usagef("--check-stateless runs on cores only: map the checked kernels to cores")
	}
	f.Taps = settings.TapsNone
	o, err := f.buildOptions(c.Context(), d)
	if err != nil {
		return err
	}
	o.Unordered, o.Output = false, ""
	work := f.longWork("running the mapping without copies, then with copies")
	verdicts, skipped, err := stateless.Check(c.Context(), p, stateless.Options{Build: o,
		Run: deployrun.Options{Time: f.Time, Stall: f.Stall, Printed: aboveProgress{f.app, f.stderr}},
		Lower: func(p *xlang.Program) (*design.Design, error) {
			return f.newDesign(c.Context(), p, files, design.ForDeploy)
		}})
	work.Stop()
	if err != nil {
		return rendered(fmt.Errorf("checking stateless kernels: %w", err), source)
	}
	for i := range verdicts {
		fmt.Fprintln(f.stdout, verdicts[i].String())
	}
	notes, err := stateless.Findings(verdicts, skipped)
	noteEach(f.app, "%s", notes)
	return err
}

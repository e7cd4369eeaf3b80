package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"xopt/internal/deploy"
	"xopt/internal/design"
	"xopt/internal/report"
)

// deployFlags are what only deploy has; they are not settings.
type deployFlags struct {
	input, output, keep, style string
	elements                   int64
	time, stall                time.Duration
}

// deployCommand runs a mapping for real.
func (a *app) deployCommand() *cobra.Command {
	var f deployFlags
	c := &cobra.Command{
		Use:   "deploy APP.x ARCH.x MAP.x",
		Short: "build a mapping onto this machine's cores, run it, and measure it",
		Long: `deploy builds the application from its kernels' C or C++ sources for one mapping, runs
it on this machine's processor cores, and prints what went over every edge, how busy
every kernel was, and the throughput. A run always ends: a kernel that crashes, fails,
hangs, or blocks the others is named, and what was measured until then is printed.

    xopt deploy app.x arch.x map.x
    xopt deploy app.x arch.x map.x --style kernel       a process for each kernel
    xopt deploy app.x arch.x map.x --keep build         keep the generated C, with a Makefile`,
		Args: atLeast(1, "X files with an application, an architecture and a mapping"),
		RunE: func(c *cobra.Command, files []string) error {
			if err := a.settings.load(c); err != nil {
				return err
			}
			return a.deploy(c, files, &f)
		},
	}
	c.Flags().StringArray("set", nil, "set a config: NAME.config=VALUE (repeatable)")
	c.Flags().StringVar(&f.input, "input", "", "what sources read: their config input")
	c.Flags().StringVar(&f.output, "output", "", "what sinks write: their config output")
	c.Flags().Int64Var(&f.elements, "elements", 0, "how much sources send: their config elements")
	c.Flags().DurationVar(&f.time, "time", 0, "end the run after this long; 0 for no limit")
	c.Flags().DurationVar(&f.stall, "stall", 10*time.Second, "end the run when nothing has moved for this long")
	c.Flags().StringVar(&f.keep, "keep", "", "build in this folder and keep it")
	c.Flags().StringVar(&f.style, "style", "core", "a process for each core, or for each kernel")
	return c
}

func (a *app) deploy(c *cobra.Command, files []string, f *deployFlags) error {
	d, err := a.design(files, design.ForCheck)
	if err != nil {
		return err
	}
	o := deploy.Options{Style: deploy.Style(f.style), CPUs: runtime.NumCPU(), Elements: f.elements}
	// Kernels run in the folder that xopt was started in, but a kept program may
	// not.
	for _, p := range []struct {
		from string
		to   *string
	}{{f.input, &o.Input}, {f.output, &o.Output}} {
		if p.from != "" {
			if *p.to, err = filepath.Abs(p.from); err != nil {
				return err
			}
		}
	}
	prog, err := deploy.Build(c.Context(), d, o, f.keep)
	if err != nil {
		return fmt.Errorf("deploying: %w", err)
	}
	m, err := prog.Run(c.Context(), deploy.Limits{Time: f.time, Stall: f.stall})
	if rerr := prog.Remove(); rerr != nil && err == nil {
		err = rerr
	}
	if err != nil {
		return fmt.Errorf("deploying: %w", err)
	}
	if err := report.Measured(a.stdout, d, m, a.style()); err != nil {
		return err
	}
	switch {
	case m.Failure == nil:
		return nil
	case c.Context().Err() != nil:
		a.code = exitInterrupted
		return nil
	case m.Failure.Kind == "stopped":
		return nil // by --time
	}
	return m.Failure
}

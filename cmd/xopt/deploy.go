package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"xopt/calibrate/profile"
	"xopt/internal/deploy/build"
	deployrun "xopt/internal/deploy/run"
	"xopt/internal/design"
	"xopt/internal/measure"
	"xopt/internal/output"
	"xopt/internal/report"
	"xopt/internal/xlang"
	"xopt/internal/xsim"
)

// deployFlags are what only deploy has; they are not settings.
type deployFlags struct {
	input, output, keep, style, wait, scheduler, save, csv, taps, frame string
	elements, every                                                     uint64
	time, stall                                                         time.Duration
	cpus, log                                                           int
	exact, strict, simulate, guard                                      bool
	from                                                                string
	seed, quantum                                                       uint64
	measure                                                             []string
}

// deployCommand runs a mapping for real.
func (a *app) deployCommand() *cobra.Command {
	var f deployFlags
	c := &cobra.Command{
		Use:   "deploy APP.x ARCH.x MAP.x",
		Short: "build a mapping, run it on this machine's cores or in simulation, and measure it",
		Long: `deploy builds the application from its kernels' C or C++ sources for one mapping, runs
it on this machine's processor cores, and prints what went over every edge, how busy
every kernel was, how full the queues were, and the throughput. A run always ends: a
kernel that crashes, fails, hangs, or blocks the others is named, and what was measured
until then is printed.

A mapping that uses an FPGA runs in virtual time: kernels on cores run natively, one at a
time, and those on FPGAs in RTL simulation at the clock of their FPGA (Verilator), while
links are servers with the bandwidth, transfer cost and transfer size of the X files.
Data are real; every time printed is of the simulated machine.

With --measure, statements of the TimeTrial language (Lancaster 2011) say what to
measure, and what must hold; the README has the language.

    xopt deploy app.x arch.x map.x
    xopt deploy app.x arch.x map.x --style kernel       a process for each kernel
    xopt deploy app.x hybrid.x map.x                    with kernels on an FPGA
    xopt deploy app.x hybrid.x map.x --from profile --profile here.profile.json
    xopt deploy app.x arch.x map.x --frame 100ms        what changes through time
    xopt deploy app.x arch.x map.x --measure 'm1: measure hist latency at top.e1'
    xopt deploy app.x arch.x map.x --measure 'assert rate at top.e1 >= 10 ktps' --strict
    xopt deploy app.x arch.x map.x --keep build         keep the generated C, with a Makefile`,
		Args: atLeast(1, "X files with an application, an architecture and a mapping"),
		RunE: func(c *cobra.Command, files []string) error {
			if err := a.settings.load(c); err != nil {
				return err
			}
			return a.deploy(c, files, &f)
		},
	}
	flags := c.Flags()
	flags.StringArray("set", nil, "set a `CONFIG`: NAME.config=VALUE (repeatable)")
	flags.String("profile", "", "`FILE` with figures, for the prediction beside what is measured, and for\n"+
		"--from profile (default: NAME.profile.json of the first file, if there)")
	mismatchFlag(flags)
	flags.Bool("json", false, "print the result as JSON")
	flags.Bool("full", false, "print every row of long tables")
	reportFlag(flags)
	a.forceFlag(flags)
	flags.StringVar(&f.input, "input", "", "`FILE` that sources read: their config input")
	flags.StringVar(&f.output, "output", "", "`FILE` that sinks write: their config output")
	flags.Uint64Var(&f.elements, "elements", 0, "how much sources send: their config elements")
	flags.DurationVar(&f.time, "time", 0, "end the run after this long; 0 for no limit")
	flags.DurationVar(&f.stall, "stall", 10*time.Second, "end the run when nothing has moved for this long")
	flags.StringVar(&f.frame, "frame", "", "measure in frames of this `LENGTH`: a time (100ms), or, for\n"+
		"statements, a number of elements (1000); one frame if\nnot given, or 100ms with statements that need frames")
	flags.StringArrayVar(&f.measure, "measure", nil, "`STATEMENTS` of the TimeTrial language, or a file of them;\n"+
		"only what they need is then built in, but for --taps all\n(repeatable)")
	flags.BoolVar(&f.strict, "strict", false, "exit with 1 when an assertion fails")
	flags.Uint64Var(&f.every, "every", 0, "taps take one element in so many; 1 for all;\n"+
		"0 for one in about 300 us, which costs nearly nothing")
	flags.StringVar(&f.taps, "taps", "", "`WHICH` taps are built in: all (occupancy, latency, service\ntime), or none")
	flags.BoolVar(&f.exact, "exact", false, "show every element at once, not in batches: slower, but\n"+
		"occupancies are exact")
	flags.BoolVar(&f.guard, "guard", false, "find every write past the elements that a kernel asked room\n"+
		"for, and compile kernels with the compiler's sanitizers:\nslower; use it on kernels that you do not trust yet")
	flags.StringVar(&f.keep, "keep", "", "build in this `FOLDER` and keep it")
	flags.StringVar(&f.save, "save", "", "write the result to this `FILE` (NAME.result.json)")
	flags.IntVar(&f.log, "log", 0, "look at every firing and element, which slows the run, and\n"+
		"keep the first `N` of each kernel and edge, for the timeline\nof xopt report --trace")
	flags.StringVar(&f.csv, "csv", "", "write each table as CSV into this `FOLDER`")
	flags.StringVar(&f.style, "style", "", "a process for each core, or for each kernel: `STYLE` core or\n"+
		"kernel, whatever the X files say")
	flags.StringVar(&f.wait, "wait", "", "`HOW` processes wait, whatever the X files say: auto, block,\n"+
		"spin-block, spin, yield")
	flags.StringVar(&f.scheduler, "scheduler", "", "`POLICY` by which Linux schedules processes, whatever the X\n"+
		"files say: other, batch, rr")
	flags.BoolVar(&f.simulate, "simulate", false, "run in virtual time, as a mapping with an FPGA is")
	flags.StringVar(&f.from, "from", "measured", "where the service times of kernels on cores come from in\n"+
		"virtual time: `measured` as they run, or drawn from the\nprofile")
	flags.Uint64Var(&f.seed, "draw-seed", 1, "what they are drawn from")
	flags.Uint64Var(&f.quantum, "quantum", 0, "cycles that an FPGA goes on before it exchanges data with\n"+
		"the cores; 0 for 64")
	flags.IntVar(&f.cpus, "cpus", 0, "use so many processors of this machine; 0 for all")
	return c
}

// planDeploy checks what deploy will write, and that there is what it will read.
func (a *app) planDeploy(program *xlang.Program, files []string, f *deployFlags) error {
	if f.input != "" {
		if _, err := os.Stat(f.input); err != nil {
			return &usageError{fmt.Errorf("--input: %w", err)}
		}
	}
	p := a.plan()
	if f.output != "" {
		p.Data("--output", f.output)
	}
	if f.save != "" {
		p.File("--save", f.save, output.Result())
	}
	if f.csv != "" {
		p.Folder("--csv", f.csv, report.CSVNames()...)
	}
	if f.keep != "" {
		p.Build("--keep", f.keep)
	}
	a.planReport(p, baseName(files))
	return a.keepsRead(p, program, true, f.output, append([]string{f.input}, f.measure...)...)
}

// buildProgram builds what runs a mapping: for real, or in virtual time where it needs an
// FPGA or that was asked for.
func buildProgram(ctx context.Context, d *design.Design, o build.Options, f *deployFlags) (*build.Program, []string,
	error) {
	if f.from != "measured" && f.from != "profile" {
		return nil, nil, &usageError{fmt.Errorf("--from is %q, want measured or profile", f.from)}
	}
	if !f.simulate && !xsim.Needed(d) {
		prog, err := build.New(ctx, d, o, f.keep)
		return prog, nil, err
	}
	return xsim.Build(ctx, d, o, xsim.Options{FromProfile: f.from == "profile", Seed: f.seed, Quantum: f.quantum},
		f.keep)
}

func (a *app) deploy(c *cobra.Command, files []string, f *deployFlags) error {
	if err := given(c, "elements", f.elements); err != nil {
		return err
	}
	d, predicted, err := a.deployed(c, files)
	if err != nil {
		return err
	}
	if n := build.Processors(); f.cpus < 0 || f.cpus > n {
		return &usageError{fmt.Errorf("--cpus is %d, and there are %d processors for this process: leave it out, or "+
			"give 1 to %d", f.cpus, n, n)}
	}
	o := build.Options{Style: build.Style(f.style), Wait: build.Wait(f.wait),
		Scheduler: build.Scheduler(f.scheduler), CPUs: f.cpus, Elements: f.elements, Exact: f.exact, Guard: f.guard}
	switch {
	case f.taps == "all" || f.taps == "" && len(f.measure) == 0:
		o.Taps = build.StandardTaps(d.Program, f.every)
	case f.taps == "none" || f.taps == "":
	default:
		return &usageError{fmt.Errorf("--taps is %q, want all or none", f.taps)}
	}
	const mostLogged = 1 << 20
	if f.log < 0 || f.log > mostLogged {
		return &usageError{fmt.Errorf("--log is %d, want 0 to %d", f.log, mostLogged)}
	}
	if f.log > 0 {
		o.Taps = build.Logs(o.Taps, d.Program, f.log)
	}
	if err := a.planDeploy(d.Program, files, f); err != nil {
		return err
	}
	limits := deployrun.Options{Time: f.time, Stall: f.stall, Printed: a.stderr}
	q, err := a.statements(d, f, &o, &limits)
	if err != nil {
		return err
	}
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
	prog, notes, err := buildProgram(c.Context(), d, o, f)
	if err != nil {
		return fmt.Errorf("deploying: %w", err)
	}
	watch := profile.NewWatch()
	m, err := deployrun.Once(c.Context(), prog, limits)
	if rerr := prog.Remove(); rerr != nil && err == nil {
		err = rerr
	}
	if err != nil {
		return fmt.Errorf("deploying: %w", err)
	}
	r := newResult(d, typed(c, files))
	r.Notes = append(append(r.Notes, notes...), m.Notes...)
	r.Measured = report.Record(d, m)
	r.Prediction = predicted
	if r.Measured.Simulated == "" || f.from == "measured" { // kernels ran here
		r.Measured.Disturbed = watch.Disturbed(&profile.Steadiness{})
	}
	failed := false
	if q != nil {
		answers, verdicts := q.Finish(m)
		r.Measured.RecordQueries(answers, verdicts)
		failed = slices.ContainsFunc(verdicts, func(v measure.Verdict) bool { return !v.Holds() })
	}
	// Whatever cannot be saved, the rest is, and all is printed.
	err = a.print(r)
	if f.save != "" {
		err = errors.Join(err, report.WriteFile(f.save, r.Encode))
	}
	if f.csv != "" {
		names, csvErr := r.Measured.WriteCSV(f.csv)
		err = errors.Join(err, csvErr, output.Record(f.csv, names))
	}
	if err := errors.Join(err, a.keepReport(baseName(files), r)); err != nil {
		return err
	}
	switch {
	case c.Context().Err() != nil:
		a.code = exitInterrupted
		return nil
	case m.Failure != nil && m.Failure.Kind != "stopped": // by --time
		return m.Failure
	case failed && f.strict:
		return errors.New("an assertion has failed")
	}
	return nil
}

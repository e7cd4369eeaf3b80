package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/deploy/board"
	"xopt/deploy/measure"
	"xopt/deploy/program"
	deployrun "xopt/deploy/run"
	"xopt/deploy/trace"
	"xopt/deploy/validate"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// deployCommand is the command xopt deploy.
type deployCommand struct {
	*app
	*settings.Deploy
	format    trace.Format   // format of --trace
	predicted *design.Design // provides the figures of the prediction
	replay    *xsim.Replayed // replay of --from replay:FILE
	project   *board.Project // board project of --export
	traced    []board.Traced // measure statements that the project's rings answer
}

// command returns the command that runs a mapping.
func (f *deployCommand) command() *cobra.Command {
	return &cobra.Command{
		Use:        "deploy APP.x ARCH.x MAP.x",
		SuggestFor: []string{"measure", "run"},
		Short:      "build a mapping, run or simulate it, and measure it",
		Long: `deploy builds the application for one mapping from the C or C++ sources of its kernels,
and runs it on this machine's cores. It reports the traffic of each edge, the utilization of each
kernel, the occupancy of the queues, and the throughput. Every run ends: deploy names a kernel that
crashes, fails, hangs or blocks other kernels, and reports the measurements so far.

A mapping with an FPGA runs in virtual time. Kernels on cores run natively, one at a time. Kernels on
FPGAs run in RTL simulation (Verilator) at the clock of their FPGA. Links are servers with the
bandwidth, transfer cost and transfer size of the X files. The data is real, and all times are times of the
simulated machine.

--measure adds statements of the TimeTrial language (Lancaster 2011): measurements and assertions. The
page docs/measure.md describes the language.`,
		Example: `xopt deploy app.x arch.x map.x
xopt deploy app.x arch.x map.x --buffers tuned      with recommended sizes
xopt deploy app.x hybrid.x map.x                    with kernels on an FPGA
xopt deploy app.x arch.x map.x --style kernel       one process for each kernel
xopt deploy app.x arch.x map.x --frame 100ms        changes over time
xopt deploy app.x arch.x map.x --measure 'm1: measure hist latency at top.e1'
xopt deploy app.x arch.x map.x --measure 'assert rate at top.e1 >= 10 ktps' --strict
xopt deploy app.x arch.x map.x --keep build         keep the generated C, with a Makefile
xopt deploy app.x hybrid.x map.x --from profile --profile here.profile.json
xopt deploy app.x arch.x b.map.x --simulate --from replay:f.result.json   with the times of another run
xopt deploy app.x hybrid.x map.x --export DIR       a project for a real board
xopt deploy app.x hybrid.x map.x --from board:DIR   the data that a board sent, beside the prediction`,
		Args: options.MinArgs(1, "X files with an application, an architecture and a mapping"),
		RunE: func(c *cobra.Command, files []string) error {
			if f.CheckStateless {
				return f.compareCopies(c, files)
			}
			return f.deploy(c, files)
		},
	}
}

// planDeploy checks the input and output files of deploy.
func (f *deployCommand) planDeploy(d *design.Design, files []string) error {
	program := d.Program
	input, sink := f.settings.Input, f.settings.Sink
	if input != "" {
		if _, err := os.Stat(input); err != nil {
			return fault.Usage(fmt.Errorf("--input: %w", err))
		}
	}
	p := f.plan()
	p.Sink("--sink", sink)
	p.File("-o", f.Out, output.Result())
	f.planTables(p, output.Tables(), report.RunFileNames()...)
	p.File("--write-map", f.WriteMap, output.RunMap())
	p.Build("--keep", f.Keep)
	if f.Export != "" {
		planExport(p, d, f)
	}
	format, _ := trace.FileFormat(f.Trace) // traceFormat has rejected invalid names
	p.File("--trace", f.Trace, format.Kind(f.Trace))
	p.File("--waves", f.settings.Waves, output.Waves())
	f.planReport(p, baseName(files))
	read := append([]string{input, f.BuffersFile()}, f.Measure...)
	if err := f.keepsRead(p, program, true, sink, read...); err != nil {
		return err
	}
	return f.checkGiven(program, input)
}

// buildProgram builds the program of a mapping. The program runs in virtual time if the mapping uses an FPGA, or on
// request.
func (f *deployCommand) buildProgram(ctx context.Context, d *design.Design, o program.Options) (*program.Program,
	[]fault.Note, error) {
	area, err := f.monitorShare(d)
	if err != nil {
		return nil, nil, err
	}
	if !f.Simulate && !xsim.Needed(d) {
		prog, err := program.New(ctx, d, o, f.Keep)
		return prog, nil, err
	}
	x := xsim.Options{MonitorArea: area, MonitorChoice: f.MonitorChoice(),
		FromProfile: f.settings.From == settings.FromProfile, Seed: f.settings.Seed,
		Quantum: f.Quantum, Alone: f.Edges == settings.EdgesAlone}
	if f.replay != nil {
		x.Times = f.replay.Times
	}
	if f.project != nil {
		x.Record = f.project.Run()
	}
	return xsim.Build(ctx, d, o, x, f.Keep)
}

// monitorShare returns the fraction of an FPGA that state monitors may occupy; 0 for none.
func (f *deployCommand) monitorShare(d *design.Design) (float64, error) {
	if f.MonitorArea == "" && f.Monitors != "" {
		return 0, faults.OptionRequires.Usagef("--monitors %s requires --monitor-area, the share of the FPGA for "+
			"monitors", f.Monitors)
	}
	if f.MonitorArea == "" {
		return 0, nil
	}
	if !slices.ContainsFunc(d.Mapping.Place, func(r int) bool { return design.IsFPGA(d.Program, r) }) {
		return 0, fault.NoKernelOnFPGA.Usagef("--monitor-area %s: the mapping has no kernel on an FPGA; leave out "+
			"--monitor-area", f.MonitorArea)
	}
	return settings.ParsePercent(f.MonitorArea)
}

func (f *deployCommand) buildOptions(ctx context.Context, d *design.Design) (program.Options, error) {
	s := &f.settings
	o := program.Options{Style: program.Style(f.Style), Wait: program.Wait(f.Wait),
		Scheduler: program.Scheduler(f.Scheduler),
		Schedule:  program.Schedule(f.Schedule), Batch: f.Batch,
		CPUs: f.CPUs, Elements: s.Elements, Exact: f.Exact, Guard: s.Guard, Unordered: f.Unordered,
		Reference: d.Reference() != nil}
	if n := program.Processors(); f.CPUs > n {
		return o, fault.WrongValue("cpus", f.CPUs, "0 to %d, the number of available processors", n)
	}
	if err := f.checkLaunch(d); err != nil {
		return o, err
	}
	if f.Taps == settings.TapsAll || f.Taps == "" && len(f.Measure) == 0 {
		o.Taps = program.StandardTaps(d.Program, f.Every)
		if !xsim.Needed(d) { // no marker passes through an FPGA
			paths, left := program.PathTaps(d.Program, f.Every)
			o.Taps = append(o.Taps, paths...)
			if left > 0 {
				f.noteID(faults.LatencyPairsOmitted, "note: xopt reports the latency of only %d of %d "+
					"source-sink pairs", len(paths), len(paths)+left)
			}
		}
	}
	if f.Log > 0 {
		o.Taps = program.Logs(o.Taps, d.Program, f.Log)
	}
	// Kernels run in xopt's working folder. xopt may have built a cached program in another working folder.
	var err error
	for _, p := range []struct {
		from string
		to   *string
	}{{s.Input, &o.Input}, {s.Sink, &o.Output}} {
		if p.from != "" && err == nil {
			*p.to, err = filepath.Abs(p.from)
		}
	}
	if err == nil {
		err = f.readReplay(ctx, d)
	}
	return o, err
}

// prepared returns the program options of a run. It returns an error if a file of the run cannot be read or written.
func (f *deployCommand) prepared(ctx context.Context, d *design.Design, files []string) (program.Options, error) {
	o, err := f.buildOptions(ctx, d)
	if err = errors.Join(err, f.events(&o, d)); err != nil {
		return o, err
	}
	o.Flow = f.predicted.EdgeFlow(ctx)
	if err := f.buffersOf(ctx, &o, d, files); err != nil {
		return o, err
	}
	return o, f.planDeploy(d, files)
}

// attempt is a program and its run.
type attempt struct {
	run     *deployrun.Measurement
	trace   *trace.FileWriter
	program *program.Program
	notes   []fault.Note
	watch   profile.Watch // load of other programs since the start of the run
}

// repeatable reports whether a run may be repeated with more elements. This requires that the user did not set the
// number of elements, and that no other output depends on it.
func (f *deployCommand) repeatable(o *program.Options) bool {
	return o.Elements == 0 && f.Time == 0 && f.settings.Sink == "" && f.settings.Input == "" && !o.Exact && !o.Events &&
		!f.Simulate && f.Frame == "" && f.Keep == "" && f.Export == "" && f.Log == 0 && len(f.Measure) == 0
}

// fixedByFile explains why a run with --sink or --input cannot be repeated with more elements; "" for other runs.
func (f *deployCommand) fixedByFile() string {
	switch {
	case f.settings.Sink != "":
		return "the contents of the --sink file depend on the number of elements"
	case f.settings.Input != "":
		return "the file of --input may have too few elements"
	}
	return ""
}

// runEnough builds and runs a mapping. It repeats a run that is too short.
func (f *deployCommand) runEnough(ctx context.Context, d *design.Design, o *program.Options,
	limits deployrun.Options) (x attempt, err error) {
	work := f.longWork("building")
	defer work.Stop()
	repeated, err := deployrun.Enough(o, limits, f.repeatable(o), func(limits deployrun.Options) (
		*deployrun.Measurement, error) {
		work.At("building")
		prog, notes, err := f.buildProgram(ctx, d, *o)
		if err != nil {
			return nil, err
		}
		work.At("running")
		if f.Time > 0 {
			work.Until(f.Time)
		}
		x, err = f.runOnce(ctx, attempt{program: prog, notes: notes}, limits)
		return x.run, err
	})
	if err == nil && x.run.Steady != nil && x.run.Steady.Enough > 0 {
		x.run.Steady.Once = f.fixedByFile()
	}
	if work.Stop(); repeated != "" {
		f.noteID(faults.MoreElements, "note: %s", repeated)
	}
	return x, err
}

// deploy builds and runs a mapping. It prints and writes the measurements.
func (f *deployCommand) deploy(c *cobra.Command, files []string) error {
	d, predicted, err := f.deployed(c, files)
	if err != nil {
		return err
	}
	if ran, err := f.withBoard(c, files, d, predicted); ran {
		return err
	}
	o, err := f.prepared(c.Context(), d, files)
	if err != nil {
		return err
	}
	limits := deployrun.Options{Time: f.Time, Stall: f.Stall, Printed: aboveProgress{f.app, f.stderr}}
	q, err := f.statements(c.Context(), d, &o, &limits)
	if err != nil {
		return err
	}
	if err := f.beginExport(c.Context(), d, o); err != nil {
		return err
	}
	defer func() { _ = f.project.Abandon() }() // no effect after Finish
	if f.settings.WaitQuiet > 0 && f.settings.From == settings.FromMeasured {
		f.noteBusy(c.Context(), "the run may be slower than predicted")
	}
	x, err := f.runEnough(c.Context(), d, &o, limits)
	if err != nil {
		return fmt.Errorf("deploying: %w", err)
	}
	m, w := x.run, x.trace
	defer func() { _ = w.Abort() }() // no effect after Finish
	r := newResult(d, f.typed(c, files))
	r.Warnings = append(r.Warnings, m.Warnings...)
	r.Notes = slices.Concat(r.Notes, x.notes, m.Notes, f.unpredicted, f.replay.Repeated(d, m))
	r.Measured = m.Result(d)
	r.Notes = append(r.Notes, xsim.SetOrigins(r.Measured, f.timesOrigins(d), f.replay)...)
	boundLogs(r)
	r.Measured.Buffers.Sizes = o.SizesOrigin(d, f.Buffers)
	if r.Prediction = predicted; predicted != nil {
		var slowed error
		r.Measured.Slowed, slowed = validate.Slowed(context.WithoutCancel(c.Context()), d, x.program, m)
		err = errors.Join(slowed, predict.AddRan(c.Context(), f.predicted, r, f.settings.Seed))
	}
	if r.Measured.Simulated == "" || f.settings.From == settings.FromMeasured { // the kernels ran on this machine
		load := x.watch.Foreign()
		r.Measured.Disturbed = xsim.Disturbed(d, r.Measured, load.Disturbance())
	}
	failed := false
	if q != nil && err == nil {
		if failed, err = f.answer(c.Context(), q, x, r); err != nil {
			return err
		}
	}
	err = errors.Join(err, f.keepTrace(w, d, m, o.Taps, f.typed(c, files)),
		f.keepExport(c.Context(), d, o, m), f.keepRun(r, files))
	if err = errors.Join(err, f.writeRunMap(r, d, o.Buffers)); err != nil {
		return err
	}
	if c.Context().Err() != nil {
		f.code = exitInterrupted
		return nil
	}
	f.noteState(m)
	if err = ended(m, failed && f.Strict); err == nil {
		f.noteNext(d, r, files)
	}
	return err
}

// answer adds the results of measure statements to a run. It reports whether an assertion failed.
func (f *deployCommand) answer(ctx context.Context, q *measure.Recorder, x attempt, r *result.Result) (failed bool,
	err error) {
	answers, verdicts := q.Finish(x.run)
	q.Exchange = x.program.Description().Exchange
	if err := q.Estimate(ctx, x.run, answers, f.settings.Seed); err != nil && ctx.Err() == nil {
		return false, fmt.Errorf("estimating a virtual queue: %w", err)
	}
	measure.AddTo(r.Measured, answers, verdicts)
	f.traced = tracedSignals(answers, r.Measured.Queries)
	return slices.ContainsFunc(verdicts, func(v measure.Verdict) bool { return !v.IsMet() }), nil
}

// noteNext prints the next step after a successful run.
func (f *deployCommand) noteNext(d *design.Design, r *result.Result, files []string) {
	var words []string
	for _, name := range files {
		words = append(words, safetext.ShellWord(name))
	}
	line := strings.Join(words, " ")
	switch {
	case f.project != nil:
		f.note("next: make -C %s simulate", safetext.ShellWord(f.Export))
	case xsim.Needed(d) && board.Exportable(d) == nil:
		f.note("next, to write a project for a board: xopt deploy %s --export DIR", line)
	case xsim.Needed(d):
	case r.Measured.Simulated != "":
		f.note("next, to run the mapping on this machine's cores: xopt deploy %s", line)
	case r.Prediction == nil:
		f.note("next, to compare the measurement with a prediction: xopt calibrate %s", line)
	default:
		f.note("next, to check the predictions of other mappings: xopt validate %s --best 2 --random 2", line)
	}
}

// statements parses --measure and adds its requirements to the deployment; nil without statements.
func (f *deployCommand) statements(ctx context.Context, d *design.Design, o *program.Options,
	limits *deployrun.Options) (*measure.Recorder, error) {
	length, frame, err := f.FrameLength()
	if err != nil {
		return nil, err
	}
	limits.Frame = length
	if len(f.Measure) == 0 {
		if f.Strict {
			return nil, faults.OptionRequires.Usagef("--strict needs --measure with an assertion")
		}
		return nil, nil
	}
	s, err := measure.ReadStatements(f.Measure)
	if err != nil {
		return nil, err
	}
	q, err := s.Prepare(measure.Deployment{Design: d, Build: o, Limits: limits, Virtual: f.Simulate || xsim.Needed(d),
		Every: f.Every, Frame: frame,
		CheckProbes: func(taps []program.Tap) error { return xsim.CheckProbes(ctx, d, taps) },
		Failed: func(x *measure.Failure) {
			f.note("%s failed in %s", measure.AssertionName(x.Assertion), x.String())
		}})
	return q, renderedWith(err, func(string) []byte { return []byte(s.Text) })
}

// noteState prints the state of each process of a stalled run if --full is set.
func (f *deployCommand) noteState(m *deployrun.Measurement) {
	if m.Failure != nil && f.settings.Full {
		noteEach(f.app, "%s", m.Failure.State)
	}
}

// ended returns the error of a run: its failure, unless --time ended the run, or the error for failed assertions.
func ended(m *deployrun.Measurement, failed bool) error {
	switch {
	case m.Failure != nil && m.Failure.Kind != "stopped":
		return m.Failure
	case failed:
		return faults.AssertionFailed.Errorf("an assertion of --measure failed (--strict)")
	}
	return nil
}

// readReplay reads the service times of another run for --from replay:FILE.
func (f *deployCommand) readReplay(ctx context.Context, d *design.Design) (err error) {
	virtual := f.Simulate || xsim.Needed(d)
	if f.Edges == settings.EdgesAlone && !virtual {
		return fault.NeedsSimulate.Usagef("--edges alone requires virtual time; add --simulate")
	}
	if f.settings.From != settings.FromMeasured {
		if err := f.settings.WaitsForNothing("this run measures no service times", f.inForce.IsFlag); err != nil {
			return err
		}
	}
	path, ok := strings.CutPrefix(f.settings.From, settings.FromReplay)
	if !ok {
		return nil
	}
	if !virtual {
		return fault.NeedsSimulate.Usagef("--from %s requires virtual time; add --simulate", f.settings.From)
	}
	if f.replay, err = xsim.ReplayOf(ctx, d, path, f.settings.Seed); err != nil {
		return wrongReplay(err)
	}
	noteEach(f.app, "note: %s", f.replay.Notes)
	return nil
}

// wrongReplay returns the error for an unreadable replay. It shows mistakes in rules with their lines.
func wrongReplay(err error) error {
	if shown := shownRules(err, nil, nil); shown != err {
		return shown
	}
	return fault.Usage(fmt.Errorf("--from replay: %w", err))
}

// keepRun writes and prints the measurements. After a failed write, it continues with the other outputs.
func (f *deployCommand) keepRun(r *result.Result, files []string) error {
	var err error
	f.brief.Closing = 2 // the next step
	if f.Out != "" {
		if err = output.WriteFile(f.Out, report.Encoder(r)); err == nil {
			f.wrote = append(f.wrote, f.Out)
		}
	}
	return errors.Join(err, f.saveFiles(f.settings.CSV, report.RunFiles(r)), f.keepWaves(r),
		f.keepReport(baseName(files), r), f.print(r))
}

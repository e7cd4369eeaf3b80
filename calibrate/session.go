package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"xopt/calibrate/faults"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/files/scratch"
)

// Session is a calibration in progress. Callers can make other measurements between its rounds, so that the same drift
// of the machine affects both.
type Session struct {
	design    *design.Design
	options   Options
	dir       string
	files     []string   // recorded data by edge
	recorded  []recorded // by kernel, from the recorded run
	crossing  bool       // the machine has several processors
	runs      []*kernelRun
	unchanged map[int]*profile.Kernel // figures kept from an earlier profile
	hardware  []profile.Kernel        // figures of kernels on FPGAs
	all       *variant                // all kernels on one core, or nil
	machine   reference
	compiler  string
	report    Report
	watch     profile.Watch

	contention map[int]*profile.Contention // by kernel, measured in this session
	memory     *profile.Memory             // memory of the contention measurement
	clock      clock
}

// Open records the data of the edges, builds the programs, and runs each kernel once. The caller must close the
// session.
func Open(ctx context.Context, d *design.Design, o Options) (*Session, error) {
	s, err := open(ctx, d, o)
	if err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open returns a session with the recorded data of the edges, without programs.
func open(ctx context.Context, d *design.Design, o Options) (_ *Session, err error) {
	o.fill()
	s := &Session{design: d, options: o, unchanged: make(map[int]*profile.Kernel),
		contention: make(map[int]*profile.Contention), watch: profile.NewWatch(),
		crossing: runtime.NumCPU() > 1, compiler: program.CompilerVersion(ctx)}
	if o.Earlier != nil && !o.All && ofHere(o.Earlier) {
		s.machine.earlier = o.Earlier.Reference
	}
	s.clock = newClock(&s.options, s.kernels())
	if s.dir, err = scratch.Dir("", scratch.Calibrate); err != nil {
		return nil, fmt.Errorf("creating a folder for recorded data: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	s.reportStage("recording the data of the edges")
	late, err := s.clock.inTime(ctx, func(ctx context.Context) (err error) {
		s.files, s.recorded, err = record(ctx, d, s.clock.cut(o), s.dir, &s.report)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case late: // no measurement will follow
		s.files, s.recorded = make([]string, len(d.Program.Edges)), make([]recorded, len(d.Program.Kernels))
	}
	if !s.crossing {
		s.report.Notes = append(s.report.Notes, faults.OneProcessor.Notef("there is only one processor: the cost of "+
			"edges between cores was not measured"))
	}
	return s, nil
}

// kernels returns the number of kernels to measure.
func (s *Session) kernels() int {
	if s.options.Only != nil {
		return len(s.options.Only)
	}
	return len(s.design.Program.Kernels)
}

// reportStage reports the current stage and an estimate of the remaining time.
func (s *Session) reportStage(stage string) {
	s.options.Progress(Progress{Stage: stage, Left: s.clock.left()})
}

// prepare builds and runs every kernel once, and measures the kernels in hardware. It omits kernels for which there is
// no time before the deadline.
func (s *Session) prepare(ctx context.Context) error {
	d, o := s.design, s.options
	onlyHardware := hasKernels(o.Earlier, d) && lacksHardware(o.Earlier, d, o.Only)
	if onlyHardware { // first measure what the earlier profile lacks
		start := s.clock.now()
		if err := s.measureHardware(ctx); err != nil {
			return err
		}
		s.clock.start = s.clock.start.Add(s.clock.now().Sub(start)) // not part of recording and building
	}
	if err := s.build(ctx); err != nil {
		return err
	}
	s.report.Kept = len(s.unchanged)
	s.clock.built(len(s.runs))
	s.clock.some = len(s.unchanged) == s.kernels()
	measured := len(s.unchanged) > 0
	s.report.Slowdown = s.clock.slowdown(o.Record, len(s.runs)+len(s.unchanged))
	pools(d, s.runs)
	for _, r := range s.runs {
		if s.clock.late() {
			break
		}
		name := d.Program.Kernels[r.kernel].Name
		s.reportStage("measuring " + name)
		start := time.Now()
		late, err := s.clock.inTime(ctx, func(ctx context.Context) error {
			return r.first(ctx, d, s.crossing, o, &s.report)
		})
		switch {
		case err != nil:
			return alone(&d.Program.Kernels[r.kernel], err)
		case !late:
			measured = true
		}
		s.report.Seconds += time.Since(start).Seconds()
	}
	s.clock.some = measured // until then, kernels have priority over the machine
	if err := s.buildCrossing(ctx); err != nil {
		return err
	}
	if !onlyHardware {
		if err := s.measureHardware(ctx); err != nil {
			return err
		}
	}
	if o.Only == nil && len(s.runs) > 0 && len(d.Program.Kernels) > 1 && onOneCore(d) && !s.clock.late() {
		s.reportStage("building the application")
		if _, err := s.clock.inTime(ctx, func(ctx context.Context) error {
			all, err := program.New(ctx, d, program.Options{Input: o.Input, Output: o.Sink, Elements: math.MaxInt64,
				Reference: true}, "")
			if err == nil {
				s.all = &variant{program: all}
			}
			return err
		}); err != nil {
			return fmt.Errorf("building the application: %w", err)
		}
	}
	return nil
}

// measureHardware measures the kernels that have sources for FPGAs.
func (s *Session) measureHardware(ctx context.Context) (err error) {
	s.hardware, err = hardware(ctx, s.design, s.files, s.clock.hardware(s.options), &s.report)
	return err
}

// build builds the kernels in parallel, because nothing is measured at that time. It starts with the kernels whose
// rates are least certain in the earlier profile.
func (s *Session) build(ctx context.Context) error {
	d, o := s.design, s.options
	built, unchanged := make([]*kernelRun, len(d.Program.Kernels)), make([]*profile.Kernel, len(d.Program.Kernels))
	one := func(ctx context.Context, k int) (err error) {
		built[k], unchanged[k], err = s.buildKernel(ctx, k)
		return err
	}
	limited, cancel := withDeadline(ctx, s.clock.now, s.clock.limit())
	defer cancel()
	g, inner := errgroup.WithContext(limited)
	g.SetLimit(runtime.NumCPU())
	first := true // the first build also compiles code that all kernels share
	var err error
	started := 0
	for _, k := range leastCertain(d, o.Earlier) {
		if o.Only != nil && !slices.Contains(o.Only, k) {
			continue
		}
		if s.clock.full(started) {
			break
		}
		started++
		s.reportStage("building " + d.Program.Kernels[k].Name)
		if first {
			first = false
			if err = one(limited, k); err != nil {
				break
			}
			continue
		}
		g.Go(func() error { return one(inner, k) })
	}
	err = errors.Join(err, g.Wait())
	for _, k := range leastCertain(d, o.Earlier) {
		if built[k] != nil {
			built[k].machine = &s.machine
			s.runs = append(s.runs, built[k])
		} else if unchanged[k] != nil {
			s.unchanged[k] = unchanged[k]
		}
	}
	if limited.Err() != nil { // omit kernels not built before the deadline
		return ctx.Err()
	}
	return err
}

// buildCrossing builds the variants with peers on another core, in parallel on all processors.
func (s *Session) buildCrossing(ctx context.Context) error {
	limited, cancel := withDeadline(ctx, s.clock.now, s.clock.limit())
	defer cancel()
	g, inner := errgroup.WithContext(limited)
	g.SetLimit(runtime.NumCPU())
	for _, r := range s.runs {
		if s.clock.late() || s.clock.short() {
			break
		}
		if r.wantsTakes || r.wantsSends {
			name := s.design.Program.Kernels[r.kernel].Name
			s.reportStage("building " + name + ", to run with its neighbors on another core")
			g.Go(func() error { return r.buildCrossing(inner, s) })
		}
	}
	err := g.Wait()
	if limited.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Close removes the built programs and the recorded data.
func (s *Session) Close() error {
	var errs []error
	for _, r := range s.runs {
		errs = append(errs, r.remove())
	}
	if s.all != nil {
		errs = append(errs, s.all.program.Remove())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// Round runs one turn of every kernel, including kernels whose rates are precise enough.
func (s *Session) Round(ctx context.Context) error {
	list := make([]int, len(s.runs))
	for i := range list {
		list[i] = i
	}
	return s.round(ctx, list)
}

// undone returns the kernels whose figures are not precise enough, in the order of their turns.
func (s *Session) undone() []int {
	var left []int
	var turns []turn
	for i, r := range s.runs {
		if r.done(s.options.Precision) {
			continue
		}
		rate, _ := r.rate()
		t := turn{precision: math.Inf(1), windows: rate.N, spent: r.spent}
		if p, ok := rate.Precision(); ok {
			t.precision = p
		}
		left, turns = append(left, i), append(turns, t)
	}
	list := order(turns)
	for i, at := range list {
		list[i] = left[at]
	}
	return list
}

// round runs one turn of each listed kernel, until the deadline.
func (s *Session) round(ctx context.Context, list []int) error {
	start := time.Now()
	defer func() { s.report.Seconds += time.Since(start).Seconds() }()
	late := s.clock.late
	if s.report.Rounds == 0 { // until the first round ends, only the deadline of the calibration stops it
		late = s.clock.isOver
	}
	for _, i := range list {
		if late() {
			return nil
		}
		r := s.runs[i]
		name := s.design.Program.Kernels[r.kernel].Name
		s.reportStage("measuring " + name)
		if _, err := s.clock.inTime(ctx, func(ctx context.Context) error {
			return r.measure(ctx, s, !s.clock.short())
		}); err != nil {
			return alone(&s.design.Program.Kernels[r.kernel], err)
		}
	}
	if len(list) > 0 {
		s.report.Rounds++
	}
	if s.all == nil || late() {
		return nil
	}
	s.reportStage("measuring all kernels together")
	if _, err := s.clock.inTime(ctx, func(ctx context.Context) error {
		return together(ctx, s.design, s.runs, s.all, &s.machine)
	}); err != nil {
		return fmt.Errorf("measuring all kernels together: %w", err)
	}
	return nil
}

// measure runs rounds until the figures of every kernel are precise enough, or until the deadline. Each round starts
// with the least certain kernels.
func (s *Session) measure(ctx context.Context) error {
	s.clock.measuring()
	for list := s.undone(); len(list) > 0 && !s.clock.isOver() && (s.report.Rounds == 0 ||
		!s.clock.late()); list = s.undone() {
		if err := s.round(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

// Profile returns the profile, which may be incomplete. Kernels without new figures, or with less certain new figures,
// keep the figures of the earlier profile.
func (s *Session) Profile(ctx context.Context) (*profile.Profile, *Report, error) {
	report, o := s.report, s.options
	p := &profile.Profile{Schema: profile.Schema, Machine: profile.ThisMachine()}
	p.Machine.Compiler = s.compiler
	p.Conditions, p.Reference = conditions(o, &report, s.watch), s.machine.summary()
	if s.machine.earlier != nil {
		p.Reference = moreRuns(p.Reference, s.machine.earlier)
	}
	measured, anew := make(map[int]*kernelRun), 0
	for _, r := range s.runs {
		measured[r.kernel] = r
	}
	for k := range s.design.Program.Kernels {
		name := s.design.Program.Kernels[k].Name
		if o.Only != nil && !slices.Contains(o.Only, k) {
			continue
		}
		switch r := measured[k]; {
		case r != nil && len(r.clean.windows)+len(r.rough.windows) > 0:
			f, keeps := r.figures(s.design, o.Precision), false
			var old *profile.Kernel
			if !o.All || f.Doubt != "" && (ctx.Err() != nil || s.clock.isOver()) { // the calibration ended early
				old = kept(o.Earlier, name, f.Platform, f.Hash)
			}
			if f, keeps = betterKernel(f, old); keeps {
				report.Better = append(report.Better, name)
			} else {
				anew++
			}
			r.nameAbsurd(name, &report)
			if f.Doubt != "" {
				report.Again = append(report.Again, Doubt{name, f.Doubt})
			}
			s.recorded[k].settle(&s.design.Program.Kernels[k], &f, &report)
			p.Kernels = append(p.Kernels, f)
		case s.unchanged[k] != nil:
			f := *s.unchanged[k]
			s.recorded[k].settle(&s.design.Program.Kernels[k], &f, &report)
			p.Kernels = append(p.Kernels, f)
		default:
			report.Missing = append(report.Missing, name)
		}
	}
	if anew == 0 && len(p.Kernels) > 0 && o.Earlier.Conditions != nil { // no figure is from this calibration
		was := *o.Earlier.Conditions
		was.Incomplete = ""
		p.Conditions = &was
	}
	cores := p.Kernels
	for i := range s.hardware {
		p.Kernels = append(p.Kernels, agree(s.hardware[i], cores, &report))
	}
	if report.Disturbed = p.Disturbance(); report.Disturbed == "" && p.Conditions.Disturbed != "" {
		report.Notes = append(report.Notes, faults.ProcessorTaken.Notef("%s: xopt omitted the windows in which "+
			"other processes used the processor; the remaining windows suffice", p.Conditions.Disturbed))
	}
	report.Uncontended = s.addContention(p)
	report.Interrupted = ctx.Err() != nil
	if report.Interrupted || len(report.Missing) > 0 {
		p.Conditions.Incomplete = report.incomplete()
		for _, k := range unreached(s.design.Program, o.Earlier, p.Kernels) {
			p.Kernels = append(p.Kernels, k)
			report.Stayed = append(report.Stayed, k.Instance)
		}
	}
	return p, &report, p.Validate()
}

// conditions returns the circumstances of a measurement: data set, duration, rounds, and disturbances.
func conditions(o Options, r *Report, w profile.Watch) *profile.Conditions {
	load := w.Foreign()
	return &profile.Conditions{DataSet: o.Input, Elements: o.Elements, Seconds: r.Seconds, Rounds: r.Rounds,
		Dropped: r.Dropped, Others: load.Processors(), Disturbed: load.Text}
}

// alone wraps the error of a kernel that ran alone. If the kernel itself reported the error, the text adds that the
// repeated input may be the reason.
func alone(k *xlang.Kernel, err error) error {
	err = fmt.Errorf("measuring kernel %s alone: %w", k.Name, err)
	var f *run.Failure
	if errors.As(err, &f) && f.Kind == "failed" && !isSource(k) {
		return faults.KernelFailsAlone.Errorf("%w\nA kernel that runs alone receives its recorded input "+
			"repeatedly: if it checks the order of its input, it must accept a restart", err)
	}
	return err
}

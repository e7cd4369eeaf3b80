package harness

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"xopt/calibrate"
	"xopt/internal/deploy"
	"xopt/internal/design"
	"xopt/internal/scratch"
)

// Session is a calibration in progress, for who wants to do something else between its
// rounds: what takes turns with it suffers from the same drift of the machine.
type Session struct {
	design    *design.Design
	options   Options
	dir       string
	runs      []*kernelRun
	unchanged map[int]*calibrate.Kernel // kept from an earlier profile
	hardware  []calibrate.Kernel        // on FPGAs
	all       *deploy.Program           // all kernels on one core, or nil
	report    Report
	watch     calibrate.Watch
}

// Open records what the edges carry, and builds what kernels are measured with. The
// session must be closed.
func Open(ctx context.Context, d *design.Design, o Options) (_ *Session, err error) {
	kernels := len(d.Program.Kernels)
	o.fill(kernels)
	s := &Session{design: d, options: o, unchanged: make(map[int]*calibrate.Kernel), watch: calibrate.NewWatch()}
	if s.dir, err = scratch.Dir("", scratch.Calibrate); err != nil {
		return nil, fmt.Errorf("making a folder for recorded data: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	o.Progress("recording", 0, 1)
	files, err := record(ctx, d, o, s.dir, &s.report)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(s.dir, objectsFolder), 0o755); err != nil {
		return nil, fmt.Errorf("making a folder for compiled objects: %w", err)
	}
	crossing := runtime.NumCPU() > 1
	if !crossing {
		s.report.Notes = append(s.report.Notes, "there is one processor: what edges between cores cost their kernels was not measured")
	}
	for k := range kernels {
		if o.Only != nil && !slices.Contains(o.Only, k) {
			continue
		}
		o.Progress("building "+d.Program.Kernels[k].Name, k, kernels)
		r, old, err := buildKernel(ctx, d, k, files, crossing, o, s.dir)
		switch {
		case err != nil:
			return nil, err
		case old != nil:
			s.unchanged[k] = old
		default:
			s.runs = append(s.runs, r)
		}
	}
	s.report.Kept = len(s.unchanged)
	if s.hardware, err = hardware(ctx, d, files, o, &s.report); err != nil {
		return nil, err
	}
	if o.Only == nil && len(s.runs) > 0 && kernels > 1 && onOneCore(d) {
		o.Progress("building the application", 0, 1)
		if s.all, err = deploy.Build(ctx, d, deploy.Options{Input: o.Input, Elements: math.MaxInt64}, ""); err != nil {
			return nil, fmt.Errorf("building the application: %w", err)
		}
	}
	return s, nil
}

// Close removes what was built and recorded.
func (s *Session) Close() error {
	var errs []error
	for _, r := range s.runs {
		errs = append(errs, r.remove())
	}
	if s.all != nil {
		errs = append(errs, s.all.Remove())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// Round gives every kernel a turn, those that are precise enough too.
func (s *Session) Round(ctx context.Context) error {
	for _, r := range s.runs {
		r.done = false
	}
	_, err := s.round(ctx, time.Duration(math.MaxInt64))
	return err
}

// round gives a turn to the kernels that are not precise enough, as long as there is
// time (in the first round: to all), and returns how many are left.
func (s *Session) round(ctx context.Context, budget time.Duration) (left int, err error) {
	begin := time.Now()
	kernels := s.design.Program.Kernels
	for i, r := range s.runs {
		if r.done {
			continue
		}
		if s.report.Rounds > 0 && time.Since(begin) > budget {
			left++
			continue
		}
		s.options.Progress("measuring "+kernels[r.kernel].Name, i, len(s.runs))
		if err := r.measure(ctx, s.design, s.options, &s.report); err != nil {
			return 0, fmt.Errorf("measuring kernel %s alone: %w", kernels[r.kernel].Name, err)
		}
		if !r.done {
			left++
		}
	}
	if len(s.runs) > 0 {
		s.report.Rounds++
	}
	if s.all != nil {
		s.options.Progress("measuring all kernels together", 0, 1)
		if err := together(ctx, s.design, s.runs, s.all); err != nil {
			return 0, fmt.Errorf("measuring all kernels together: %w", err)
		}
	}
	s.report.Seconds += time.Since(begin).Seconds()
	return left, nil
}

// Profile is what has been measured so far. There must have been a round.
func (s *Session) Profile(ctx context.Context) (*calibrate.Profile, *Report, error) {
	report := s.report
	p := &calibrate.Profile{Schema: calibrate.Schema, Machine: calibrate.ThisMachine()}
	p.Machine.Compiler = deploy.CompilerVersion(ctx)
	p.Conditions = conditions(s.options, &report, s.watch)
	report.Disturbed = p.Conditions.Disturbed
	measured := make(map[int]*kernelRun)
	for _, r := range s.runs {
		measured[r.kernel] = r
		if !r.done {
			report.Imprecise = append(report.Imprecise, s.design.Program.Kernels[r.kernel].Name)
		}
	}
	for k := range s.design.Program.Kernels {
		switch r := measured[k]; {
		case r != nil:
			p.Kernels = append(p.Kernels, r.figures(s.design))
		case s.unchanged[k] != nil:
			p.Kernels = append(p.Kernels, *s.unchanged[k])
		}
	}
	cores := p.Kernels
	for i := range s.hardware {
		p.Kernels = append(p.Kernels, agree(s.hardware[i], cores, &report))
	}
	return p, &report, p.Validate()
}

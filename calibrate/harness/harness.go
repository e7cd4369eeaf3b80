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
)

// Options say how to calibrate. The zero value is what most applications need.
type Options struct {
	Input    string        // for the recorded run: the sources' config input
	Elements uint64        // likewise elements
	Record   time.Duration // how long the recorded run may take; 0 for 2 s
	Only     []int         // measure these kernels; nil for all
	// EdgeBytes bounds what is recorded of an edge, 0 for 16 MiB.
	EdgeBytes int
	// Precision is how near the ends of the 95 % interval of every service rate must
	// be to its median, relatively, for its kernel to be done; 0 for 0.01.
	Precision float64
	// Budget bounds the time for windows, 0 for 3 s for each kernel.
	Budget time.Duration
	// Earlier is a profile whose figures are kept of kernels that have not changed.
	Earlier *calibrate.Profile
	// Progress, if set, is told what happens.
	Progress func(stage string, done, all int)
}

func (o *Options) fill(kernels int) {
	if o.Record == 0 {
		o.Record = 2 * time.Second
	}
	if o.EdgeBytes == 0 {
		o.EdgeBytes = 16 << 20
	}
	if o.Precision == 0 {
		o.Precision = 0.01
	}
	if o.Budget == 0 {
		o.Budget = 3 * time.Duration(kernels) * time.Second
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
}

// Lengths of a measurement of one kernel: a run of some windows, of which the first
// do not count, while caches, batches and the kernel's own state settle.
const (
	window        = 20 * time.Millisecond
	runWindows    = 6
	warmUpWindows = 2
)

// objectsFolder, in the temporary folder, keeps what all programs have in common.
const objectsFolder = "objects"

// Report is what happened besides the figures.
type Report struct {
	Seconds   float64 // that windows took
	Rounds    int     // turns of all kernels
	Dropped   int     // runs that were repeated, because the processor was taken away
	Spins     calibrate.Steadiness
	Kept      int      // kernels of the earlier profile that have not changed
	Imprecise []string // kernels whose interval is wider than was asked for
	Notes     []string
	// Disturbed tells in what way the machine was not the same throughout; "" for not.
	Disturbed string
}

// Calibrate measures every kernel of a design with an implementation for a core. The
// mapping of the design says how the recorded run is deployed; it must be onto
// cores.
func Calibrate(ctx context.Context, d *design.Design, o Options) (_ *calibrate.Profile, _ *Report, err error) {
	kernels := len(d.Program.Kernels)
	o.fill(kernels)
	dir, err := os.MkdirTemp("", "xopt-calibrate-")
	if err != nil {
		return nil, nil, fmt.Errorf("making a folder for recorded data: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	report, watched := &Report{}, newWatch()
	o.Progress("recording", 0, 1)
	files, err := record(ctx, d, o, dir, report)
	if err != nil {
		return nil, nil, err
	}
	if err := os.Mkdir(filepath.Join(dir, objectsFolder), 0o755); err != nil {
		return nil, nil, fmt.Errorf("making a folder for compiled objects: %w", err)
	}
	crossing := runtime.NumCPU() > 1
	if !crossing {
		report.Notes = append(report.Notes, "there is one processor: what edges between cores cost their kernels was not measured")
	}
	runs := make([]*kernelRun, 0, kernels)
	unchanged := make(map[int]*calibrate.Kernel)
	defer func() {
		for _, r := range runs {
			err = errors.Join(err, r.remove())
		}
	}()
	for k := range kernels {
		if o.Only != nil && !slices.Contains(o.Only, k) {
			continue
		}
		o.Progress("building "+d.Program.Kernels[k].Name, k, kernels)
		r, old, err := buildKernel(ctx, d, k, files, crossing, o, dir)
		if err != nil {
			return nil, nil, err
		}
		if old != nil {
			unchanged[k] = old
			continue
		}
		runs = append(runs, r)
	}
	report.Kept = len(unchanged)
	var all *deploy.Program
	if o.Only == nil && len(runs) > 0 && kernels > 1 && onOneCore(d) {
		o.Progress("building the application", 0, 1)
		if all, err = deploy.Build(ctx, d, deploy.Options{Input: o.Input, Elements: math.MaxInt64}, ""); err != nil {
			return nil, nil, fmt.Errorf("building the application: %w", err)
		}
		defer func() { err = errors.Join(err, all.Remove()) }()
	}
	if err := measureAll(ctx, d, runs, all, o, report); err != nil {
		return nil, nil, err
	}
	p := &calibrate.Profile{Schema: calibrate.Schema, Machine: calibrate.ThisMachine()}
	p.Machine.Compiler = deploy.CompilerVersion(ctx)
	p.Conditions = conditions(o, report, watched)
	report.Disturbed = p.Conditions.Disturbed
	measured := make(map[int]*kernelRun)
	for _, r := range runs {
		measured[r.kernel] = r
	}
	for k := range kernels {
		switch r := measured[k]; {
		case r != nil:
			p.Kernels = append(p.Kernels, r.figures(d))
		case unchanged[k] != nil:
			p.Kernels = append(p.Kernels, *unchanged[k])
		}
	}
	return p, report, p.Validate()
}

// measureAll gives kernels their turns until all are done or the budget is spent. all
// is the whole application on one core, or nil.
func measureAll(ctx context.Context, d *design.Design, runs []*kernelRun, all *deploy.Program, o Options, report *Report) error {
	begin := time.Now()
	for {
		left := 0
		for i, r := range runs {
			if r.done {
				continue
			}
			if report.Rounds > 0 && time.Since(begin) > o.Budget {
				left++
				continue
			}
			o.Progress("measuring "+d.Program.Kernels[r.kernel].Name, i, len(runs))
			if err := r.measure(ctx, d, o, report); err != nil {
				return fmt.Errorf("measuring kernel %s alone: %w", d.Program.Kernels[r.kernel].Name, err)
			}
			if !r.done {
				left++
			}
		}
		report.Rounds++
		if all != nil {
			o.Progress("measuring all kernels together", 0, 1)
			if err := together(ctx, d, runs, all); err != nil {
				return fmt.Errorf("measuring all kernels together: %w", err)
			}
		}
		if left == 0 || time.Since(begin) > o.Budget {
			break
		}
	}
	report.Seconds = time.Since(begin).Seconds()
	for _, r := range runs {
		if !r.done {
			report.Imprecise = append(report.Imprecise, d.Program.Kernels[r.kernel].Name)
		}
	}
	return nil
}

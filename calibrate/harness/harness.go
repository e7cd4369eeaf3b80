package harness

import (
	"context"
	"errors"
	"time"

	"xopt/calibrate"
	"xopt/internal/design"
)

// Options say how to calibrate. The zero value is what most applications need.
type Options struct {
	Input    string        // for the recorded run: the sources' config input
	Elements uint64        // likewise elements
	Record   time.Duration // how long the recorded run may take; 0 for 2 s
	Guard    bool          // whether the recorded run is guarded (deploy.Options.Guard)
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
	Failed    []string // kernels in hardware that could not be measured, and why
	// Disturbed tells in what way the machine was not the same throughout; "" for not.
	Disturbed string
}

// Calibrate measures every kernel of a design with an implementation for a core. The
// mapping of the design says how the recorded run is deployed; it must be onto
// cores.
func Calibrate(ctx context.Context, d *design.Design, o Options) (_ *calibrate.Profile, _ *Report, err error) {
	s, err := Open(ctx, d, o)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	begin := time.Now()
	for {
		left, err := s.round(ctx, s.options.Budget-time.Since(begin))
		if err != nil {
			return nil, nil, err
		}
		if left == 0 || time.Since(begin) > s.options.Budget {
			return s.Profile(ctx)
		}
	}
}

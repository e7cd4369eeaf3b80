// Package calibrate measures each kernel alone (Beard 2013 §3.3, Fig. 9): outside its network, with data always
// available at every input and every output always drained.
//
// It runs deployments, and package flow/profile stores its figures. Only the command, the experiments in bench and the
// tables of package cmd/internal/report import it.
//
// The steps are:
//
//   - Run the application once and record the data of every edge.
//   - Run each kernel alone on its recorded input, in windows that alternate with those of the other kernels.
//   - Compute its service rate μ, gain γ, routing R and the variation of its service times from the windows.
//   - Run kernels with short firings also with peers on another core, and all kernels together on one core. The
//     differences are the costs of crossing and of co-location.
//
// A kernel shares its process with its source and sink. Only its own time without waiting counts. It is never starved
// or blocked, and its peers can only disturb its caches.
package calibrate

import (
	"context"
	"errors"
	"time"

	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/fault"
)

// Options configures a calibration. The zero value suits most applications.
type Options struct {
	Input    string        // for the recorded run: the sources' config input
	Elements uint64        // the same for elements
	Sink     string        // where sinks write, in every run: their config output
	Record   time.Duration // time limit of the recorded run; 0 for 2 s
	Guard    bool          // whether the recorded run is guarded (deploy.Options.Guard)
	Only     []int         // measure these kernels; nil for all
	// EdgeBytes limits the recorded bytes of each edge; 0 means 16 MiB.
	EdgeBytes int
	// Precision is the required half-width of the 95 % interval of each service rate, relative to its median; 0
	// means 0.01.
	Precision float64
	// Budget limits the time for windows; 0 means 3 s for each measured kernel. A network needs at least one
	// round.
	Budget time.Duration
	// Until is the deadline for builds and windows. The report names what the calibration did not reach. Zero
	// means no limit.
	Until time.Time
	// Last is the time of the end if no kernel is measured by Until and Last is later.
	Last time.Time
	// Earlier is a profile whose figures are kept of kernels that have not changed.
	Earlier *profile.Profile
	// All measures those kernels, too. Figures of Earlier then stay only where a calibration is cut off before it has
	// more certain ones.
	All bool
	// Contention measures how kernels on different cores slow each other down through memory.
	Contention bool
	// Progress, if set, receives each change of stage.
	Progress func(Progress)
	now      func() time.Time
}

// Progress is the current stage and an estimate of the remaining time.
type Progress struct {
	Stage string
	Left  time.Duration
}

func (o *Options) fill() {
	if o.Record == 0 {
		o.Record = 2 * time.Second
	}
	if o.EdgeBytes == 0 {
		o.EdgeBytes = 16 << 20
	}
	if o.Precision == 0 {
		o.Precision = 0.01
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
}

// Estimate returns the approximate duration of a first calibration of a design.
func Estimate(kernels, onFPGAs int, o Options) time.Duration {
	o.fill()
	c := newClock(&o, kernels)
	c.until = time.Time{}
	about := o.Record + c.left() + time.Duration(onFPGAs)*hardwareTime
	if o.Contention {
		about += time.Duration(kernels) * contentionTime
	}
	return about
}

// Measurement of one kernel: each run has some windows. The first windows do not count, while caches, batches
// and the kernel's own state settle.
const (
	window        = 20 * time.Millisecond
	runWindows    = 6
	kernelWindows = 8 // of a run of a kernel alone
	warmUpWindows = 2
)

// Report describes a calibration, except for its figures.
type Report struct {
	Seconds float64 // that windows took
	Rounds  int     // turns of all kernels
	Dropped int     // windows discarded because another process used the processor
	// Slowdown is the time of recording and building in times of its estimate; 0 if nothing was built.
	Slowdown float64
	Kept     int      // kernels of the earlier profile that have not changed
	Again    []Doubt  // kernels that the next calibration measures again
	Better   []string // kernels that keep their earlier figures, which are more certain than the new ones
	Missing  []string // kernels that were not measured
	Stayed   []string // the kernels of these that keep their earlier figures
	// Uncontended lists the kernels whose requested measurement of contention is missing.
	Uncontended []string
	// Interrupted reports whether the calibration ended before it was complete.
	Interrupted bool
	Notes       []fault.Note
	// Warnings lists figures that contradict the X files or exceed the capability of the machine.
	Warnings []fault.Note
	Failed   []string // kernels in hardware that could not be measured, and why
	// Disturbed is [profile.Profile.Disturbance].
	Disturbed string
}

// Doubt is a kernel that needs another measurement, with the reason.
type Doubt struct{ Kernel, Why string }

// Calibrate measures every kernel of a design that has an implementation for a core. The mapping of the design
// places the recorded run and may use only cores. If ctx is cancelled after the first measurement, Calibrate
// returns the partial profile together with the error of ctx.
func Calibrate(ctx context.Context, d *design.Design, o Options) (_ *profile.Profile, _ *Report, err error) {
	s, err := open(ctx, d, o)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err = s.prepare(ctx); err == nil {
		err = s.measure(ctx)
	}
	if err == nil {
		err = s.contend(ctx)
	}
	if err != nil && ctx.Err() == nil {
		return nil, nil, err
	}
	p, report, err := s.Profile(ctx)
	if err != nil {
		return nil, nil, err
	}
	return p, report, ctx.Err()
}

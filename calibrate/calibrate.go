// Package calibrate measures each kernel alone, outside its network (Beard 2013 §3.3, Fig. 9). Data are always
// available at every input, and every output is always drained.
//
// It runs deployments, and package flow/profile stores its figures. Only the command, the experiments in bench and the
// tables of package cmd/internal/report import it.
//
// The steps are:
//
//   - Run the application once and record the data of every edge.
//   - Run each kernel alone on its recorded input, in windows that alternate with the windows of the other kernels.
//   - Compute its service rate μ, gain γ, routing R and the variation of its service times from the windows.
//   - Run kernels with short firings also with peers on another core, and run all kernels together on one core. The
//     differences are the costs of crossing and of co-location.
//
// A kernel shares its process with its source and sink. Only the time of the kernel without waiting counts. The kernel
// is never starved or blocked, and its peers only affect its caches.
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
	Input    string        // config input of the sources in the recorded run
	Elements uint64        // config elements of the sources in the recorded run
	Sink     string        // config output of the sinks in every run
	Record   time.Duration // time limit of the recorded run; 0 means 2 s
	Guard    bool          // guard the recorded run (program.Options.Guard)
	Only     []int         // kernels to measure; nil for all
	// EdgeBytes limits the recorded bytes of each edge; 0 means 16 MiB.
	EdgeBytes int
	// Precision is the required half-width of the 95 % interval of each service rate, relative to its median; 0
	// means 0.01.
	Precision float64
	// Budget is the maximum time for windows; 0 means 3 s for each measured kernel, or less if Precision is above 0.1.
	// The windows of a network need at least one round.
	Budget time.Duration
	// Until is the deadline for builds and windows; zero means none. The report names the kernels and figures that the
	// calibration did not reach.
	Until time.Time
	// Last, if later than Until, replaces Until while no kernel has been measured.
	Last time.Time
	// Earlier is a profile. The calibration keeps its figures of unchanged kernels.
	Earlier *profile.Profile
	// All requests that unchanged kernels are also measured. The calibration then keeps figures of Earlier only if it
	// ends before it has more certain figures.
	All bool
	// Contention requests measuring how kernels on different cores slow each other down through memory.
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

// Measurement of one kernel. Each run has several windows. The first windows do not count, while caches, batches and
// the kernel's own state settle.
const (
	window        = 20 * time.Millisecond
	runWindows    = 6
	kernelWindows = 8 // windows in a run of a kernel alone
	warmUpWindows = 2
)

// Report describes a calibration, except for its figures.
type Report struct {
	Seconds float64 // duration of all windows in seconds
	Rounds  int     // rounds over all kernels
	Dropped int     // windows discarded because another process used the processor
	// Slowdown is the ratio of the time for recording and building to the estimate; 0 if nothing was built.
	Slowdown float64
	Kept     int      // number of unchanged kernels of the earlier profile
	Again    []Doubt  // kernels that the next calibration measures again
	Better   []string // kernels that keep their earlier figures because these are more certain than the new figures
	Missing  []string // unmeasured kernels
	Stayed   []string // kernels of Missing that keep their earlier figures
	// Uncontended lists the kernels whose requested measurement of contention is missing.
	Uncontended []string
	// Interrupted reports whether the calibration ended before it was complete.
	Interrupted bool
	Notes       []fault.Note
	// Warnings lists figures that contradict the X files or exceed the machine's capability.
	Warnings []fault.Note
	Failed   []string // unmeasured kernels in hardware, with the reasons
	// Disturbed is [profile.Profile.Disturbance].
	Disturbed string
}

// Doubt is a kernel that needs another measurement, with the reason.
type Doubt struct{ Kernel, Why string }

// Calibrate measures every kernel of a design that has an implementation for a core. The mapping of the design places
// the kernels in the recorded run and may use only cores. If ctx is canceled after the first measurement, Calibrate
// returns the partial profile with the error of ctx.
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

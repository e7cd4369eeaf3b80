// Package calibrate measures each kernel alone, outside its application (Beard 2013 §3.3, Fig. 9): data are always
// available at every input, and every output always has space.
//
// It runs programs with package deploy, and stores its figures in a profile (package flow/profile).
//
// The steps are:
//
//   - Run the application once and record the data of every edge.
//   - Run each kernel alone on its recorded input, in windows that alternate with the windows of the other kernels.
//   - Compute its service rate μ, gain γ, routing R, and the variation of its service times from the windows.
//   - Run kernels with short firings also with their source or sink on another core, and run all kernels together on
//     one core. The differences in time are the costs of transfers between cores and of co-location.
//
// A kernel shares its process with its peers: the source and the sink. Only the time in which the kernel executes
// counts. The kernel never waits for data or space, so that its peers affect only its caches.
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
	Input    string        // value of the config input of the sources in the recorded run
	Elements uint64        // value of the config elements of the sources in the recorded run
	Sink     string        // value of the config output of the sinks in every run
	Record   time.Duration // time limit of the recorded run; 0 means 2 s
	Guard    bool          // guard the buffers in the recorded run (program.Options.Guard)
	Only     []int         // kernels to measure; nil for all
	// EdgeBytes is the maximum number of recorded bytes of each edge; 0 means 16 MiB.
	EdgeBytes int
	// Precision is the required half-width of the 95 % interval of each service rate, relative to its median; 0
	// means 0.01.
	Precision float64
	// Budget is the maximum time for the windows of all kernels; 0 means 3 s per kernel, or less if Precision is above
	// 0.1. The first round may exceed the budget.
	Budget time.Duration
	// Until is the deadline for builds and windows; zero means none. The report names the kernels and figures that were
	// not measured before it.
	Until time.Time
	// Last, if later than Until, replaces Until while no kernel has been measured.
	Last time.Time
	// Earlier is an earlier profile; nil for none. The calibration keeps the figures of its unchanged kernels.
	Earlier *profile.Profile
	// All requests measuring unchanged kernels, too. The calibration then keeps figures of Earlier only if it ends
	// before it has measured more certain figures.
	All bool
	// Contention requests measuring the memory contention between kernels on different cores.
	Contention bool
	// Progress, if set, is called at each change of stage.
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

// Estimate returns the approximate duration of a calibration without an earlier profile. onFPGAs is the number of
// measurements of kernels on FPGAs.
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

// The windows of a kernel's runs. The first windows of each run do not count, because caches, batches and the state of
// the kernel are settling.
const (
	window        = 20 * time.Millisecond
	runWindows    = 6
	kernelWindows = 8 // windows in a run of a kernel alone
	warmUpWindows = 2
)

// Report describes the course of a calibration; the figures are in the profile.
type Report struct {
	Seconds float64 // total duration of the rounds in seconds
	Rounds  int     // number of rounds over the kernels
	Dropped int     // number of windows discarded because another process used the processor
	// Slowdown is the time for recording and building divided by its estimate; 0 if nothing was built.
	Slowdown float64
	Kept     int      // number of unchanged kernels of the earlier profile
	Again    []Doubt  // kernels that the next calibration will measure again
	Better   []string // kernels that keep their earlier figures because these are more certain than the new figures
	Missing  []string // unmeasured kernels
	Stayed   []string // kernels of Missing that keep their earlier figures
	// Uncontended lists the kernels without contention figures, although these were requested.
	Uncontended []string
	// Interrupted reports whether the calibration was interrupted.
	Interrupted bool
	Notes       []fault.Note
	// Warnings describes figures that contradict the X files, or that are impossible on this machine.
	Warnings []fault.Note
	Failed   []string // unmeasured kernels in hardware, with the reasons
	// Disturbed is [profile.Profile.Disturbance].
	Disturbed string
}

// Doubt is a kernel that needs another measurement, with the reason.
type Doubt struct{ Kernel, Why string }

// Calibrate measures every kernel of a design that has an implementation for a core. The mapping of the design is for
// the recorded run, and must use only cores. If ctx is canceled after the first measurement, Calibrate returns the
// partial profile with the error of ctx.
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

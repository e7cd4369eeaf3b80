// Package validate runs mappings and compares them with their predictions (Beard 2013 §4.4, §5). It compares the flow
// on every edge, the throughput, and the rank of the mapping with the best prediction.
//
// It uses package deploy. It neither searches for mappings nor prints results.
package validate

import (
	"context"
	"errors"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper/result"
)

// Options configures the number and the length of runs.
type Options struct {
	Runs   int           // runs of each mapping, in rounds; 0 for 3
	Window time.Duration // measured time of each run; 0 for 500 ms, or 20 ms of virtual time, or 100 ms if FromProfile
	WarmUp time.Duration // time before the window, in which queues fill; 0 for Window/5 or, in virtual time, Window
	Input  string
	// Elements is the number of elements that the sources send, if their blocks have a config with that name; 0 to fill
	// the window. If Elements is set and Window is 0, a run lasts until it ends normally.
	Elements uint64
	Seed     uint64 // seed of the order of the mappings in each round
	// FromProfile runs all mappings in virtual time, with random service times of kernels on cores from the figures of
	// the design (Gayen 2008 §5.2). Each run of a mapping has a different seed.
	FromProfile bool
	// Progress receives the number of completed and planned steps, and the number of additional runs. Additional runs
	// repeat disturbed runs, or runs of mappings whose runs disagree. left is the estimated time until the end of the
	// planned runs; 0 if unknown.
	Progress func(done, all, more int, left time.Duration)
	// Sizes requests the recommended size and the maximum length of every edge.
	Sizes bool
	// BufferSeed is the seed of the simulations that predict cases with the buffers of their runs; 0 for predictions
	// with unlimited buffers.
	BufferSeed uint64
	// Earlier is the progress of an interrupted call with the same mappings, or nil. Save, if set, receives the
	// progress after every run, and must not retain it.
	Earlier *Done
	Save    func(*Done)
	// Stopped, if set, receives the progress after ctx has ended.
	Stopped func(*Done)

	untilEnd bool        // runs end normally
	splits   func(i int) // called before simulations attribute the error of case i to causes; nil for none
}

// Case is one mapping, predicted and measured.
type Case struct {
	Name      string
	Mapping   *flow.Mapping
	Predicted float64 // bytes/s from the sources, with the buffers of the runs
	Given     int     `json:",omitempty"` // number of edges with a given buffer size
	// Left is the fraction of the flow bound that the buffers of the runs leave; 0 if unknown.
	Left float64 `json:",omitempty"`
	// Unlimited reports that Predicted is the flow bound, because the simulation with these buffers has no result.
	Unlimited bool `json:",omitempty"`
	// Equal is the predicted throughput if every core and link is shared equally (Beard 2013, Eq. 9 and 11).
	Equal    float64
	Measured float64   // median of the runs
	Runs     []float64 // throughput of each run
	// States contains the speed of the machine in each run. Slowed is the predicted throughput at that speed, relative
	// to an undisturbed machine. Both are nil if unknown. Undisturbed is the median of [Case.undisturbedTimes]; 0 if
	// unknown, or if the runs do not support a correction. Uncorrected is the reason why a large correction was
	// discarded. WouldBe is the throughput with the discarded correction.
	States      []*design.MachineState `json:",omitempty"`
	Slowed      []float64              `json:",omitempty"`
	Undisturbed float64                `json:",omitempty"`
	Uncorrected result.Uncorrected     `json:",omitempty"`
	WouldBe     float64                `json:",omitempty"`
	Bottleneck  []string               // the predicted bottleneck
	Possible    []string               // limits that could be the bottleneck within the intervals of the figures
	Edges       []result.ValidatedEdge
	Queues      []result.ValidatedQueue
	Sizes       []result.ValidatedSize `json:",omitempty"` // if requested by Options
	// Looked contains the measured queue lengths of edges. EdgeQueues contains their comparison with a simulation.
	Looked     Looked
	EdgeQueues []result.EdgeQueue `json:",omitempty"`
	// Slow is the kernel whose time per byte in the mapping deviates most from its prediction. The deviation is
	// weighted by the kernel's share of the time of its core.
	Slow      string
	SlowRatio float64 // measured over predicted
	SlowPart  float64 // change of its core's time due to this deviation, as a fraction
	// Busy is the utilization of MostUsed, averaged over the runs. BusyEstimated is set if its processes together
	// appeared to work longer than the runs.
	Busy          float64
	BusyEstimated bool
	// Blocked is the edge whose writer waited longest for space, for BlockedPart of the run.
	Blocked     string
	BlockedPart float64
	// Drift is the largest relative difference between the elements sent and consumed on an edge. It measures the
	// distance of the run from equilibrium.
	Drift     float64
	DriftEdge string
	// Gain is the kernel whose gain deviates most from its figure.
	Gain      string
	GainRatio float64 // measured over figure
	Fail      string  // reason why the mapping has no measurement; "" if it has one
	Faulted   bool    `json:",omitempty"` // a kernel failed, so the mapping cannot run
	// Virtual reports whether the runs are simulated in virtual time instead of measured.
	Virtual bool
	// Shares are the parts of the error of a simulated mapping; nil for other mappings.
	Shares *result.Shares
	// MostUsed is the most utilized limit. BottleneckHolds reports whether a predicted or possible bottleneck is
	// utilized at most 3 percentage points less than MostUsed.
	MostUsed        string
	BottleneckHolds bool
	// Idle reports that no limit was busy enough to explain the throughput, so that the runs do not test the predicted
	// bottleneck. A cycle of initial elements may be the limit.
	Idle bool `json:",omitempty"`
	// Reason describes the parts of a significant error; "" otherwise.
	Reason string
	// Parts contains the parts of a significant error, the largest first.
	Parts []result.ErrorPart `json:",omitempty"`
	// Repeats is the 95 % repeatability limit of two measurements of the mapping, as a relative difference. It is valid
	// if Repeated95 is true.
	Repeats    float64
	Repeated95 bool
	// UnsteadyRuns is the number of runs with a steady state in less than half of their time, despite repetitions.
	UnsteadyRuns int `json:",omitempty"`
	// Work is the time of each kernel per byte of the sources in s, for each run. Flow is the input of each kernel (for
	// a source, its output) per source byte. Waited is the time for which the writer of each edge waited for space, in
	// s per source byte.
	Work, Flow, Waited [][]float64 `json:",omitempty"`
	Worked             []float64   `json:",omitempty"` // fraction of the runs in which each kernel worked, on average
	// Repeated is the number of runs repeated because the machine was slow or the run was too short to judge. Disturbed
	// is the number of Runs that were slow nevertheless, or that ran while other programs were busy. Crowded contains,
	// for each run, whether other programs were busy.
	Repeated, Disturbed int
	Crowded             []bool `json:",omitempty"`
	// Others is the largest number of processors that other programs used in a run, if this use was enough to disturb
	// the run. Disturbance describes this use.
	Others      float64 `json:",omitempty"`
	Disturbance string  `json:",omitempty"`

	buffered *result.WithBuffers // simulated with the buffers of the runs; nil if unknown
	design   *design.Design      // with a kernel for each copy
	network  *flow.Network
	solution *flow.Solution
	possible []int // other limits of the network that could be the bottleneck
	// Prediction at the mean speed of the machine in the runs; nil if unknown.
	wasNetwork  *flow.Network
	wasSolution *flow.Solution
	asMeasured  bool // the runs do not support a correction
}

// Error returns (predicted - measured) / measured, as in Beard 2013 Fig. 15, for the undisturbed throughput.
func (c *Case) Error() float64 { return (c.Predicted - c.Ran()) / c.Ran() }

// Done is the progress of a validation.
type Done struct {
	Cases []Case
	Flows [][][]float64 // by case, edge and run, in bytes/s
}

// Interrupted is the failure of a case that has no runs because of an interruption.
const Interrupted = "not run: interrupted"

// Mappings predicts the mappings of a design and runs them in rounds. If ctx ends, Mappings returns the partial results
// and the error of ctx.
func Mappings(ctx context.Context, d *design.Design, list []Choice, o Options) (_ []Case, err error) {
	if o.Runs == 0 {
		o.Runs = 3
	}
	x := newTrials(d, list, o)
	defer func() { err = errors.Join(err, removed(x.programs)) }()
	x.at.all = len(list) * (1 + o.Runs)
	if x.virtual {
		x.at.all += len(list) // each case is simulated again to attribute its error to causes
	}
	if err := x.build(ctx); err != nil {
		return nil, err
	}
	cases := x.cases
	x.o.splits = func(i int) {
		x.at.left = x.times.splitting(cases, i, x.o)
		x.at.next()
	}
	for run := range x.o.rounds() {
		for _, i := range x.order(run) {
			if ctx.Err() != nil || cases[i].Fail != "" || run < len(cases[i].Runs) || run >= o.Runs &&
				cases[i].settled() {
				continue
			}
			if x.at.left = x.times.left(cases, x.o); run < o.Runs {
				x.at.next()
			} else {
				x.at.additional()
			}
			if err := x.run(ctx, i, run); err != nil {
				return nil, err
			}
		}
	}
	return cases, x.finish(ctx)
}

// finish summarizes the cases, and reports the progress after ctx has ended.
func (x *trials) finish(ctx context.Context) error {
	stopped, o := ctx.Err() != nil, &x.o
	if stopped && o.Stopped != nil { // summarize marks cases without runs as failed
		o.Stopped(x.progress())
	}
	err := x.summarize(ctx)
	if !stopped && ctx.Err() != nil && o.Stopped != nil { // all runs are complete
		o.Stopped(x.progress())
	}
	return err
}

// fill sets the defaults of missing options. Simulating an FPGA takes 10 to 50 times the simulated time, so windows are
// shorter.
func (o *Options) fill(virtual bool) {
	o.untilEnd = o.Elements > 0 && o.Window == 0
	if o.Window == 0 {
		o.Window = 500 * time.Millisecond
		if virtual {
			o.Window = 20 * time.Millisecond
		}
		if o.FromProfile {
			o.Window = 100 * time.Millisecond
		}
	}
	if o.WarmUp == 0 {
		o.WarmUp = o.Window / counted
		if virtual {
			o.WarmUp = o.Window
		}
	}
}

// simulation returns the options of a mapping's run in virtual time.
func (o *Options) simulation(run int) xsim.Options {
	return xsim.Options{FromProfile: o.FromProfile, Seed: drawSeed + uint64(run)}
}

// drawSeed is the seed of random service times in the first run of each mapping.
const drawSeed = 1

// rounds returns the maximum number of runs of a mapping.
func (o *Options) rounds() int {
	if o.FromProfile { // no other program disturbs simulated runs
		return o.Runs
	}
	return moreRuns * o.Runs
}

// redraw replaces the program of a mapping by a program with other random service times, for a later run.
func (o *Options) redraw(ctx context.Context, p **program.Program, d *design.Design, run int) error {
	if !o.FromProfile || run == 0 {
		return nil
	}
	fresh, err := deployed(ctx, d, *o, true, o.simulation(run))
	if err != nil && ctx.Err() == nil {
		return err
	}
	if fresh == nil {
		return nil
	}
	err = removed([]*program.Program{*p})
	*p = fresh
	return err
}

// limits returns the limits of a run, whose last frame is incomplete.
func (o *Options) limits() run.Options {
	frame := o.Window / counted
	l := run.Options{Time: o.WarmUp + o.Window + frame + frame/2, Frame: frame, Look: max(o.Window/looks,
		time.Millisecond)}
	if o.untilEnd {
		l.Time = 0
	}
	return l
}

// counted is the number of frames that count: the last complete frames of a run. looks is the minimum number of samples
// in a window. The samples determine the length of the start-up.
const (
	counted = 5
	looks   = 50
)

func (c *Case) predict(ctx context.Context, d *design.Design) error {
	n, s, err := d.Solve(ctx, c.Mapping)
	if err != nil {
		return err
	}
	// Equal sharing of all cores and links (Beard 2013, Eq. 9 and 11).
	_, equal, err := d.Problem.UnderSharing(flow.Equal).Solve(ctx, c.Mapping)
	if err != nil {
		return err
	}
	c.network, c.solution = n, s
	c.Predicted, c.Equal = s.Throughput, equal.Throughput
	c.queues(d, n, s)
	c.Bottleneck = s.Limiting(n)
	if err := c.possibleLimits(); err != nil {
		return err
	}
	for e := range d.Program.Edges {
		c.Edges = append(c.Edges, result.ValidatedEdge{Edge: d.Program.Edges[e].Name, Predicted: s.EdgeFlow[e],
			Equal: equal.EdgeFlow[e]})
	}
	return nil
}

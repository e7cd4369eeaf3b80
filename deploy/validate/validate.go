// Package validate runs mappings for real and compares them with what was predicted
// (Beard 2013 §4.4, §5): the flow on every edge, the throughput, and whether the
// mapping that was predicted best is.
//
// It stands after deploy in the data's way; it knows nothing of how mappings were
// found or of how results are printed.
package validate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper/result"
)

// Options say how long to run.
type Options struct {
	Runs   int           // of each mapping, in turns; 0 for 3
	Window time.Duration // of each run; 0 for 500 ms, or 20 ms of virtual time, or 100 ms FromProfile
	WarmUp time.Duration // before it, while queues fill; 0 for a fifth of it, in virtual time for as much
	Input  string
	// Elements is how many elements the sources send, where their blocks have a config of that name; 0 for as many as
	// the window takes. Without a Window a run then lasts until it ends by itself.
	Elements uint64
	Seed     uint64 // of the order of the mappings in each round
	// FromProfile runs all mappings in virtual time, and draws the service times of kernels
	// on cores from the figures of the design (Gayen 2008 §5.2): one run of each, because
	// another would be the same.
	FromProfile bool
	Progress    func(done, all int)
	// Buffers are the capacities of each mapping's edges; nil for the design's.
	Buffers []map[int]int
	// Designs are those of mappings whose kernels run in copies, with a kernel for each copy; nil, or nil for a
	// mapping, for the design that is given.
	Designs []*design.Design
	// Sizes asks for the recommended size of every edge beside the most that is in it.
	Sizes bool
	// Earlier is what an interrupted call has done for the same mappings, or nil. Save, if
	// set, is given what has been done after every run; it must not keep it.
	Earlier *Done
	Save    func(*Done)
	// Stopped, if set, is given what has been done when ctx has ended.
	Stopped func(*Done)

	untilEnd bool // runs end by themselves
}

// Case is one mapping, predicted and measured.
type Case struct {
	Name      string
	Mapping   *flow.Mapping
	Predicted float64 // bytes/s out of the sources
	// Equal is what is predicted when every core and link is shared equally (Beard
	// 2013, Eq. 9 and 11).
	Equal    float64
	Measured float64   // the median of the runs
	Runs     []float64 // of each run
	// States are how fast the machine was in each run, and Slowed the throughput that is predicted for such a machine
	// over that of good time; nil where nothing tells. GoodTime is the median of the runs over it, or 0.
	States     []*design.MachineState `json:",omitempty"`
	Slowed     []float64              `json:",omitempty"`
	GoodTime   float64                `json:",omitempty"`
	Bottleneck []string               // the limits that bind
	Perhaps    []string               // the limits that could, within the intervals of figures
	Edges      []result.ValidatedEdge
	Queues     []result.ValidatedQueue
	Sizes      []result.ValidatedSize `json:",omitempty"` // where Options asked for them
	// Looked is how the queues of edges were seen, and EdgeQueues what a simulation says of them.
	Looked     Looked
	EdgeQueues []result.EdgeQueue `json:",omitempty"`
	// Slow is the kernel whose time for a byte deviates most from what was predicted of it in place, by the
	// part that this adds to the time of its core.
	Slow      string
	SlowRatio float64 // measured over predicted
	SlowPart  float64 // of the time of its core that this adds
	// Busy is the part of the run that the busiest core worked; BusyEstimated is that its
	// processes together seemed to work for longer than that.
	Busy          float64
	BusyEstimated bool
	// Blocked is the edge whose writer waited longest for room, for that part of the
	// run.
	Blocked     string
	BlockedPart float64
	// Drift is the most that the elements sent over an edge and those taken from it
	// differ, relatively: how far the run is from equilibrium.
	Drift     float64
	DriftEdge string
	// Gain is the kernel whose gain differs most from its figure.
	Gain      string
	GainRatio float64 // measured over figure
	Fail      string  // why it could not be measured; "" when it could
	// Virtual reports whether its runs are in virtual time: simulated, not measured.
	Virtual bool
	// Shares are the parts of the error of a mapping that was simulated; nil otherwise.
	Shares *result.Shares
	// MostUsed is what was used most, and BottleneckHolds whether one of those that were predicted to be
	// the bottleneck, or perhaps, was, within 3 % of the time.
	MostUsed        string
	BottleneckHolds bool
	// Idle is that nothing was used for so much of the time that it limited the run: whether the bottleneck was
	// predicted right cannot be told. A cycle of initial elements can limit it all the same.
	Idle bool `json:",omitempty"`
	// Reason tells the parts of a significant error; "" otherwise.
	Reason string
	// Parts are those of a significant error, the largest first.
	Parts []result.ErrorPart `json:",omitempty"`
	// Repeats is how far two measurements of the mapping differ at the most, relatively, in 95 % of cases, where
	// Repeated95 says that it is known.
	Repeats    float64
	Repeated95 bool
	// UnsteadyRuns are those of which less than half was in steady state, whatever was repeated.
	UnsteadyRuns int `json:",omitempty"`
	// Work is how long each kernel worked for each byte out of the sources, in s, in each run; Flow how many bytes
	// came to it (went out of it, of a source), and Waited how long the writer of each edge waited for room.
	Work, Flow, Waited [][]float64 `json:",omitempty"`
	Worked             []float64   `json:",omitempty"` // for which part of the runs each kernel worked, in the mean
	// Repeated counts runs that were repeated because the reference spin beside them
	// was slow; Disturbed those among Runs that were slow all the same, or beside which other programs were busy.
	Repeated, Disturbed int
	// Others are the processors that other programs used in the run in which they used most, where that was enough to
	// disturb it; Disturbance describes it.
	Others      float64 `json:",omitempty"`
	Disturbance string  `json:",omitempty"`

	design   *design.Design // with a kernel for each copy
	network  *flow.Network
	solution *flow.Solution
	perhaps  []int // limits of the network that could be the bottleneck, too
	// What is predicted for a machine as fast as it was in the runs, in the mean; nil where nothing tells.
	wasNetwork  *flow.Network
	wasSolution *flow.Solution
}

// Error is (modelled - measured) / measured, as Beard 2013 Fig. 15 counts it, of what was measured in good time.
func (c *Case) Error() float64 { return (c.Predicted - c.Ran()) / c.Ran() }

// Done is what has been run of some mappings.
type Done struct {
	Cases []Case
	Flows [][][]float64 // of each case and edge, of each run, bytes/s
}

// Interrupted is why a case was not measured when the validation was ended before.
const Interrupted = "not run: interrupted"

// Mappings predicts and runs mappings of a design, in turns. When ctx ends before all has
// been run, the cases are what is known by then, and the error is that of ctx.
func Mappings(ctx context.Context, d *design.Design, names []string, mappings []*flow.Mapping, o Options) (_ []Case,
	err error) {
	if o.Runs == 0 {
		o.Runs = 3
	}
	if o.FromProfile {
		o.Runs = 1
	}
	virtual := o.FromProfile || simulated(d, mappings, &o)
	o.fill(virtual)
	cases := make([]Case, len(mappings))
	sums := make([][][]float64, len(mappings)) // case, edge: runs
	for i := range sums {
		sums[i] = make([][]float64, len(o.designOf(i, d).Program.Edges))
	}
	programs := make([]*program.Program, len(mappings))
	defer func() { err = errors.Join(err, removed(programs)) }()
	step, all := 0, len(mappings)*(1+o.Runs)
	progress := func() {
		if o.Progress != nil {
			o.Progress(step, all)
		}
		step++
	}
	for i, m := range mappings {
		progress()
		c := &cases[i]
		c.Name, c.Mapping, c.design, c.Virtual = names[i], m, o.designOf(i, d), virtual
		if err := c.predictAll(ctx, c.design, o); err != nil {
			return nil, fmt.Errorf("predicting mapping %s: %w", c.Name, err)
		}
		if o.Earlier != nil {
			c.resume(o.Earlier, i, sums)
		}
		if ctx.Err() != nil || c.complete(o) {
			continue
		}
		if programs[i], err = deployed(ctx, c.placed(c.design, o, i, virtual), o, virtual,
			o.simulation()); err != nil && ctx.Err() == nil {
			return nil, fmt.Errorf("deploying mapping %s: %w", c.Name, err)
		}
	}
	more := func() { all++; progress() } // a run that was not planned
	steady := machine{drawn: o.FromProfile, virtual: virtual, told: !virtual && d.Reference() != nil, again: more}
	for run := range moreRuns * o.Runs {
		for _, i := range rand.New(rand.NewPCG(o.Seed, uint64(run))).Perm(len(mappings)) {
			if ctx.Err() != nil || cases[i].Fail != "" || run < len(cases[i].Runs) || run >= o.Runs &&
				cases[i].settled() {
				continue
			}
			if run < o.Runs {
				progress()
			} else {
				more()
			}
			m, disturbed, err := steady.run(ctx, programs[i], o, &cases[i])
			if ctx.Err() != nil {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("running mapping %s: %w", cases[i].Name, err)
			}
			before := len(cases[i].Runs)
			state := cases[i].take(cases[i].design, programs[i], m, sums[i])
			cases[i].countDisturbed(before, disturbed)
			if err := cases[i].takeState(ctx, cases[i].design, state); err != nil && ctx.Err() == nil {
				return nil, err
			}
			if o.Save != nil {
				o.Save(&Done{cases, sums})
			}
		}
	}
	if ctx.Err() != nil && o.Stopped != nil {
		o.Stopped(&Done{cases, sums})
	}
	return cases, summarize(ctx, cases, sums, o, virtual)
}

// designOf is the design of a mapping.
func (o *Options) designOf(i int, d *design.Design) *design.Design {
	if i < len(o.Designs) && o.Designs[i] != nil {
		return o.Designs[i]
	}
	return d
}

// Design is that of the case: d, or where its kernels run in copies, one with a kernel for each.
func (c *Case) Design(d *design.Design) *design.Design {
	if c.design != nil {
		return c.design
	}
	return d
}

// removed removes the programs that were built.
func removed(programs []*program.Program) (err error) {
	for _, p := range programs {
		if p != nil {
			err = errors.Join(err, p.Remove())
		}
	}
	return err
}

// placed is the design with the mapping of a case, and its buffers.
func (c *Case) placed(d *design.Design, o Options, i int, virtual bool) *design.Design {
	x := *d
	x.Mapping = c.Mapping
	if o.Buffers != nil {
		x.Buffers = o.Buffers[i]
	}
	if virtual {
		x.Buffers = short(&x, c.solution, o.Window)
	}
	return &x
}

// countDisturbed counts a disturbed run if it was added to the runs before it: one that failed is no run.
func (c *Case) countDisturbed(before int, disturbed bool) {
	if disturbed && len(c.Runs) > before {
		c.Disturbed++
	}
}

// resume takes up what was measured of case i before.
func (c *Case) resume(done *Done, i int, sums [][][]float64) {
	fresh := *c
	*c, sums[i] = done.Cases[i], done.Flows[i]
	c.network, c.solution, c.Mapping, c.perhaps, c.Perhaps = fresh.network, fresh.solution, fresh.Mapping,
		fresh.perhaps, fresh.Perhaps
	c.design = fresh.design
}

// summarize puts the runs of every case together. What was interrupted has the runs until
// then; the error is that of ctx.
func summarize(ctx context.Context, cases []Case, sums [][][]float64, o Options, virtual bool) error {
	for i := range cases {
		c := &cases[i]
		if c.Fail == "" && len(c.Runs) == 0 {
			c.Fail = Interrupted
		}
		if c.Fail != "" {
			continue
		}
		if c.Measured = median(c.Runs); !(c.Measured > 0) {
			c.Fail = fmt.Sprintf("nothing left the sources in %d of %d runs: the machine was too busy, or --window is "+
				"too short", c.still(), len(c.Runs))
			continue
		}
		if len(c.Slowed) == len(c.Runs) {
			c.GoodTime = median(c.inGoodTime())
			var err error
			if c.wasNetwork, c.wasSolution, err = solvedWith(context.WithoutCancel(ctx),
				c.design.In(meanState(c.States)), c.Mapping); err != nil {
				return fmt.Errorf("predicting mapping %s as fast as the machine was: %w", c.Name, err)
			}
		}
		for e := range c.Edges {
			c.Edges[e].Measured = median(sums[i][e])
		}
	}
	repeat(cases)
	for i := range cases {
		c := &cases[i]
		if c.Fail != "" {
			continue
		}
		c.blame(c.design)
		if err := c.explain(ctx, c.design); err != nil && ctx.Err() == nil {
			return err
		}
		if err := c.edgeQueues(ctx, c.design, virtual); err != nil && ctx.Err() == nil {
			return err
		}
		if virtual && ctx.Err() == nil {
			if err := c.split(ctx, c.design, o); err != nil && ctx.Err() == nil {
				return fmt.Errorf("simulating mapping %s with the figures of the profile: %w", c.Name, err)
			}
		}
	}
	return ctx.Err()
}

// fill gives the options that were not given their usual values. FPGAs take some 10 to
// 50 times their time to simulate; windows are shorter for that.
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

// simulation is how a run in virtual time takes its times.
func (o *Options) simulation() xsim.Options {
	return xsim.Options{FromProfile: o.FromProfile, Seed: drawSeed}
}

// drawSeed is that of service times that are drawn.
const drawSeed = 1

// limits are those of a run; the last frame is not whole.
func (o *Options) limits() run.Options {
	frame := o.Window / counted
	l := run.Options{Time: o.WarmUp + o.Window + frame + frame/2, Frame: frame, Look: max(o.Window/looks,
		time.Millisecond)}
	if o.untilEnd {
		l.Time = 0
	}
	return l
}

// counted is how many frames of a run count: the last whole ones; looks is how many looks at the run a window takes
// at least, from which start-up is told.
const (
	counted = 5
	looks   = 50
)

func (c *Case) predict(ctx context.Context, d *design.Design) error {
	n, err := flow.NewNetwork(d.Problem, c.Mapping)
	if err != nil {
		return err
	}
	s, err := flow.Fast{}.Solve(ctx, n)
	if err != nil {
		return err
	}
	equal, err := underEqual(ctx, d.Problem, c.Mapping)
	if err != nil {
		return err
	}
	c.network, c.solution = n, s
	c.Predicted, c.Equal = s.Throughput, equal.Throughput
	c.queues(d, n, s)
	c.Bottleneck = s.Limiting(n)
	if err := c.perhapsLimiting(); err != nil {
		return err
	}
	for e := range d.Program.Edges {
		c.Edges = append(c.Edges, result.ValidatedEdge{Edge: d.Program.Edges[e].Name, Predicted: s.EdgeFlow[e],
			Equal: equal.EdgeFlow[e]})
	}
	return nil
}

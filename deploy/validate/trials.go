package validate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"xopt/deploy/program"
	"xopt/flow/design"
)

// trials contains the runs of mappings: their cases, programs and measured flows.
type trials struct {
	o        Options // with defaults
	list     []Choice
	cases    []Case
	sums     [][][]float64 // by case, edge and run
	programs []*program.Program
	virtual  bool
	steady   machine
	times    *runTimes
	at       steps
	design   *design.Design
}

// newTrials returns the trials of mappings without predictions, programs and runs.
func newTrials(d *design.Design, list []Choice, o Options) *trials {
	x := &trials{o: o, list: list, design: d, virtual: o.FromProfile || simulated(d, list),
		cases: make([]Case, len(list)), sums: make([][][]float64, len(list)),
		programs: make([]*program.Program, len(list)), at: steps{done: -1, report: o.Progress}}
	x.o.fill(x.virtual)
	for i := range list {
		x.sums[i] = make([][]float64, len(list[i].of(d).Program.Edges))
	}
	x.steady = machine{drawn: o.FromProfile, virtual: x.virtual, hasReference: !o.FromProfile && d.Reference() != nil,
		again: x.at.additional}
	return x
}

// build predicts the mappings, restores their earlier runs, and builds the programs of mappings that need more runs.
func (x *trials) build(ctx context.Context) (err error) {
	for i := range x.list {
		x.at.next()
		c, o := &x.cases[i], x.o
		c.Name, c.Mapping, c.design, c.Virtual = x.list[i].Name, x.list[i].Mapping, x.list[i].of(x.design), x.virtual
		c.Given = len(x.list[i].sizes(x.design))
		if err := c.predictAll(ctx, c.design, o); err != nil {
			return fmt.Errorf("predicting mapping %s: %w", c.Name, err)
		}
		if o.Earlier != nil {
			c.resume(o.Earlier, i, x.sums)
			x.at.ran(len(c.Runs), o.Runs)
		}
		if ctx.Err() != nil || c.complete(o) {
			continue
		}
		if x.programs[i], err = deployed(ctx, x.list[i].placed(c, o.Window), o, x.virtual,
			o.simulation(len(c.Runs))); err != nil && ctx.Err() == nil {
			return fmt.Errorf("deploying mapping %s: %w", c.Name, err)
		}
	}
	x.times = newRunTimes(x.design, x.cases, x.o)
	return nil
}

// order returns the order of the mappings in a round.
func (x *trials) order(round int) []int {
	return rand.New(rand.NewPCG(x.o.Seed, uint64(round))).Perm(len(x.list))
}

// run runs a mapping once more, in the given round. It does not record a run that ctx interrupted.
func (x *trials) run(ctx context.Context, i, round int) error {
	c, start := &x.cases[i], time.Now()
	if err := x.o.redraw(ctx, &x.programs[i], x.list[i].placed(c, x.o.Window), round); err != nil {
		return fmt.Errorf("deploying mapping %s: %w", c.Name, err)
	}
	m, others, disturbed, err := x.steady.run(ctx, x.programs[i], x.o, c)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("running mapping %s: %w", c.Name, err)
	}
	x.times.add(i, time.Since(start))
	before := len(c.Runs)
	state := c.record(c.design, x.programs[i], m, x.sums[i], x.o)
	c.countDisturbed(before, others, disturbed)
	if err := c.storeState(ctx, c.design, state); err != nil && ctx.Err() == nil {
		return err
	}
	if x.o.Save != nil {
		x.o.Save(x.progress())
	}
	return nil
}

// progress returns the runs until now.
func (x *trials) progress() *Done { return &Done{x.cases, x.sums} }

// steps counts the planned steps of a validation and its additional runs.
type steps struct {
	done, all, more int
	left            time.Duration                                 // estimated time of the planned runs; 0 if unknown
	report          func(done, all, more int, left time.Duration) // nil for none
}

// next starts the next planned step.
func (s *steps) next() {
	s.done++
	s.show()
}

// ran counts the planned runs of an earlier call as completed.
func (s *steps) ran(runs, planned int) { s.done += min(runs, planned) }

// additional starts an unplanned run.
func (s *steps) additional() {
	s.more++
	s.show()
}

func (s *steps) show() {
	if s.report != nil {
		s.report(s.done, s.all, s.more, s.left)
	}
}

// Design returns the design of the case: d, or a design with a kernel for each copy.
func (c *Case) Design(d *design.Design) *design.Design {
	if c.design != nil {
		return c.design
	}
	return d
}

// removed removes the built programs.
func removed(programs []*program.Program) (err error) {
	for _, p := range programs {
		if p != nil {
			err = errors.Join(err, p.Remove())
		}
	}
	return err
}

// placed returns the design of a case with its mapping and the buffers of the choice. Edges without such a size have
// the recommended size, as in the map files of a search. Their size in virtual time is the result of short.
func (c *Choice) placed(at *Case, window time.Duration) *design.Design {
	x := *at.design
	x.Mapping, x.Buffers = c.Mapping, c.sizes(at.design)
	if at.Virtual {
		x.Buffers = short(&x, at.solution, window)
	} else {
		x.Buffers = at.recommended(x.Buffers)
	}
	return &x
}

// countDisturbed records the disturbances of the latest run, unless the run failed. before is the number of earlier
// runs.
func (c *Case) countDisturbed(before int, crowded, disturbed bool) {
	if len(c.Runs) == before {
		return
	}
	c.Crowded = append(c.Crowded, crowded)
	if disturbed {
		c.Disturbed++
	}
}

// resume restores the earlier measurements of case i.
func (c *Case) resume(done *Done, i int, sums [][][]float64) {
	fresh := *c
	*c, sums[i] = done.Cases[i], done.Flows[i]
	c.network, c.solution, c.Mapping, c.possible, c.Possible = fresh.network, fresh.solution, fresh.Mapping,
		fresh.possible, fresh.Possible
	c.design, c.asMeasured, c.Given = fresh.design, false, fresh.Given
}

// summarize combines the runs of every case. If ctx has ended, the cases contain only the runs before its end, and
// summarize returns the error of ctx.
func (x *trials) summarize(ctx context.Context) error {
	cases, o := x.cases, x.o
	for i := range cases {
		c := &cases[i]
		if c.Fail == "" && len(c.Runs) == 0 {
			c.Fail = Interrupted
		}
		if c.Fail != "" {
			continue
		}
		if c.Measured = median(c.Runs); !(c.Measured > 0) {
			do := fmt.Sprintf("use a --window longer than %v", o.Window)
			if c.Others > 0 {
				do = fmt.Sprintf("other programs used up to %.2f processors, so validate again on a quiet machine",
					c.Others)
			}
			c.Fail = fmt.Sprintf("the sources sent nothing in %d of %d runs: %s", c.still(), len(c.Runs), do)
			continue
		}
		if err := c.correct(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		for e := range c.Edges {
			c.Edges[e].Measured = median(x.sums[i][e])
		}
	}
	discardUnsupported(cases)
	repeat(cases)
	for i := range cases {
		c := &cases[i]
		if c.Fail != "" {
			continue
		}
		c.Unlimited = o.BufferSeed != 0 // until a simulation has a result
		if err := c.limit(ctx, o); err != nil && ctx.Err() == nil {
			return err
		}
		c.blame(c.design)
		if err := c.explain(ctx, c.design); err != nil && ctx.Err() == nil {
			return err
		}
		if err := c.edgeQueues(ctx, c.design, x.virtual); err != nil && ctx.Err() == nil {
			return err
		}
		if x.virtual && ctx.Err() == nil {
			if o.splits != nil {
				o.splits(i)
			}
			if err := c.split(ctx, c.design, o); err != nil && ctx.Err() == nil {
				return fmt.Errorf("simulating mapping %s with the figures of the profile: %w", c.Name, err)
			}
		}
	}
	return ctx.Err()
}

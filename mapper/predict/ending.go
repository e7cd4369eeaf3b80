package predict

import (
	"context"
	"fmt"
	"time"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper"
	"xopt/mapper/faults"
	"xopt/mapper/result"
)

// Ending contains the contexts of the steps after a search, and the seed of their simulations.
type Ending struct {
	Always      context.Context // for steps that every result requires
	Finish      context.Context // for buffer sizes, and for predictions after that of the first candidate
	Extras      context.Context // for checks of buffers, and for comparisons
	Interrupted context.Context // of the command
	Seed        uint64
}

// Fractions of the time of [Ending.Extras] that earlier steps have left: for a candidate's comparisons, and for each
// check of its buffers.
const (
	comparePart = 0.25
	sizePart    = 0.6
)

// interruptedTime is the time for the buffers of the first candidate after an interruption: most of the second within
// which a command must end.
const interruptedTime = 800 * time.Millisecond

// Candidate predicts candidate i of a search. After Finish is done, only the first candidate has more than a
// throughput.
func (x *Ending) Candidate(d *design.Design, found *mapper.Candidate, i int) (*result.Candidate, error) {
	c := &result.Candidate{Name: fmt.Sprint(i + 1), Throughput: result.Number(found.Throughput)}
	if i == 0 || x.Finish.Err() == nil {
		comparing, cancel := PartOf(x.Extras, comparePart)
		defer cancel()
		var err error
		if c, err = MappingWithin(Limits{All: x.Always, Sizes: x.Finish, Comparisons: comparing}, d, found.Mapping,
			flow.Fast{}, c.Name); err != nil {
			return nil, fmt.Errorf("scoring candidate %d: %w", i+1, err)
		}
	}
	c.Measures = MeasuresOf(&found.Measures)
	return c, nil
}

// CheckBuffers checks the buffer sizes of candidate i by simulation, unless z contains checked sizes. If simulated is
// set, it also simulates the throughput with them. After an interruption, it checks the first candidate for
// interruptedTime.
func (x *Ending) CheckBuffers(d *design.Design, m *flow.Mapping, z *Sized, i int, c *result.Candidate,
	simulated bool) error {
	extras := x.Extras
	if i == 0 && x.Interrupted.Err() != nil {
		bounded, cancel := context.WithTimeout(x.Finish, interruptedTime)
		defer cancel()
		extras = bounded
	}
	sizing, cancel := PartOf(extras, sizePart)
	defer cancel()
	if z == nil {
		var err error
		z, err = Size(sizing, d, m)
		switch {
		case sizing.Err() != nil && err != nil:
			c.Warnings = append(c.Warnings, faults.BuffersUnchecked.Notef("%s", x.unchecked()))
			return nil
		case err != nil:
			return fmt.Errorf("candidate %d: %w", i+1, err)
		}
	}
	z.Verify(c)
	if !z.Simulated() {
		if i == 0 {
			c.Warnings = append(c.Warnings, faults.BuffersNotSimulated.Notef("too large to be simulated with its "+
				"buffers"))
		}
		return nil
	}
	if !simulated {
		return nil
	}
	simulating, cancel := PartOf(extras, sizePart)
	defer cancel()
	defer c.OmitKept()
	if i > 0 {
		if w, err := z.WithBuffers(simulating, x.Seed); err == nil {
			c.Limit(w)
		}
		return nil
	}
	err := z.Limit(simulating, c, x.Seed)
	if simulating.Err() == nil {
		return err
	}
	if c.WithBuffers == nil && z.with != nil { // only the costs of single buffers are missing
		limit(c, z.with)
	}
	if c.WithBuffers == nil {
		c.Warnings = append(c.Warnings, faults.BuffersNotSimulated.Notef("%s before the simulation with finite "+
			"buffers; xopt eval runs it", x.cause()))
	}
	return nil
}

// cause returns why a step after a search ended early: a signal, or the time limit of the command.
func (x *Ending) cause() string {
	if x.Interrupted.Err() != nil {
		return "interrupted"
	}
	return "time limit reached"
}

// unchecked returns the reason why a candidate has closed-form sizes.
func (x *Ending) unchecked() string {
	text := x.cause() + " before the buffer sizes were checked by simulation: they are closed-form estimates"
	if x.Interrupted.Err() == nil {
		text += "; a longer --time allows the search and the check"
	}
	return text
}

// Limit adds the throughput with finite buffers to a candidate or, if it cannot be simulated, the reason.
func (z *Sized) Limit(ctx context.Context, c *result.Candidate, seed uint64) error {
	w, err := z.WithLosses(ctx, seed)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		c.Warnings = append(c.Warnings, faults.BuffersNotSimulated.Notef("the mapping was not simulated with "+
			"finite buffers: %v", err))
		return nil
	}
	limit(c, w)
	return nil
}

// limit adds a simulation with finite buffers to a candidate, with a warning if it deadlocks.
func limit(c *result.Candidate, w *result.WithBuffers) {
	c.Limit(w)
	if why := w.WhyStopped(); why != "" {
		c.Warnings = append(c.Warnings, faults.MappingStops.Notef("the throughput assumes unlimited buffers; %s", why))
	}
}

// AddRan adds the cost of a run's buffers to its prediction. The design must have the figures of the prediction.
func AddRan(ctx context.Context, d *design.Design, r *result.Result, seed uint64) error {
	elements := make(map[string]int)
	for i := range r.Measured.Edges {
		elements[r.Measured.Edges[i].Edge] = int(r.Measured.Edges[i].Capacity)
	}
	sizes := make([]int, len(d.Program.Edges))
	for e := range sizes {
		sizes[e] = elements[d.Program.Edges[e].Name]
	}
	w, err := Ran(ctx, d, sizes, seed)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("predicting the throughput with the buffers of the run: %w", err)
	}
	if w != nil {
		r.Prediction.Limit(w)
	}
	return nil
}

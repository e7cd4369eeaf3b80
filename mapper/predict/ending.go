package predict

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/internal/interrupt"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/faults"
	"xopt/mapper/result"
)

// Ending executes the steps after a search. It contains their contexts, and the seed of their simulations.
type Ending struct {
	Always      context.Context // context of steps that every result requires
	Finish      context.Context // context of buffer sizes, and of predictions of candidates after the first
	Extras      context.Context // context of checks of buffers, and of comparisons
	Interrupted context.Context // is done if the command is interrupted
	Seed        uint64
	// Late contains the flow bounds in B/s of the candidates that were omitted because there was no time to simulate
	// them.
	Late     []float64
	Unranked bool // the candidates are in the order of their flow bounds, because they could not be ranked

	checks map[string]check // by the name of the candidate
}

// check is the state of a candidate's buffer check.
type check uint8

const (
	unchecked    check = iota // the sizes are closed-form estimates
	sizesChecked              // the sizes were checked, but the throughput with these sizes is unknown
	complete                  // no part is missing because of the time limit
)

// The fractions of the remaining time of [Ending.Extras] that each step may use. comparePart is for the comparisons of
// the first candidate, otherPart for those of each other candidate, and sizePart for each check of buffers.
const (
	comparePart = 0.25
	otherPart   = 0.05
	sizePart    = 0.6
)

// The minimum time for the buffers of the first candidate, and the time after an interruption. An interrupted command
// must end within a second.
const (
	firstTime       = 2 * time.Second
	interruptedTime = 800 * time.Millisecond
)

// Candidate predicts candidate i of a search. When Finish is done, it predicts only the throughput, except for the
// first candidate.
func (x *Ending) Candidate(d *design.Design, found *mapper.Candidate, i int) (*result.Candidate, error) {
	c := &result.Candidate{Name: fmt.Sprint(i + 1), Throughput: result.Number(found.Throughput)}
	if i == 0 || x.Finish.Err() == nil {
		part := comparePart
		if i > 0 {
			part = otherPart
		}
		comparing, cancel := PartOf(x.Extras, part)
		defer cancel()
		var err error
		if c, err = MappingLimited(Limits{All: x.Always, Sizes: x.Finish, Comparisons: comparing}, d, found.Mapping,
			flow.Fast{}, c.Name); err != nil {
			return nil, fmt.Errorf("scoring candidate %d: %w", i+1, err)
		}
	}
	measures := found.Measures // a copy, because the buffers change
	c.Measures = &measures
	return c, nil
}

// CheckBuffers checks the buffer sizes of candidate i by simulation, unless z contains checked sizes. If simulated is
// set, it also simulates the throughput with these sizes. For the first candidate, it may use at least firstTime or,
// after an interruption, interruptedTime.
func (x *Ending) CheckBuffers(d *design.Design, m *flow.Mapping, z *Sized, i int, c *result.Candidate,
	simulated bool) error {
	if x.checks == nil {
		x.checks = make(map[string]check)
	}
	reached, err := x.checkBuffers(d, m, z, i, c, simulated)
	x.checks[c.Name] = reached
	return err
}

func (x *Ending) checkBuffers(d *design.Design, m *flow.Mapping, z *Sized, i int, c *result.Candidate,
	simulated bool) (check, error) {
	extras := x.Extras
	if i == 0 {
		minimum := firstTime
		if x.Interrupted.Err() != nil {
			minimum = interruptedTime
		}
		if deadline, limited := extras.Deadline(); extras.Err() != nil || limited && time.Until(deadline) < minimum {
			patience, cancel := interrupt.Outlive(x.Interrupted, interruptedTime, func() bool { return false })
			defer cancel()
			bounded, stop := context.WithTimeout(patience, minimum)
			defer stop()
			extras = bounded
		}
	}
	sizing, cancel := PartOf(extras, sizePart)
	defer cancel()
	if z == nil {
		var err error
		z, err = Size(sizing, d, m)
		switch {
		case sizing.Err() != nil && err != nil:
			c.Warnings = append(c.Warnings, faults.BuffersUnchecked.Notef("%s", x.unchecked()))
			return unchecked, nil
		case err != nil:
			return complete, fmt.Errorf("candidate %d: %w", i+1, err)
		}
	}
	z.Verify(c)
	if !z.Simulated() {
		if i == 0 {
			c.Warnings = append(c.Warnings, faults.BuffersNotSimulated.Notef("the mapping is too large to simulate "+
				"with its buffers: its throughput assumes unlimited buffers"))
		}
		return complete, nil
	}
	if !simulated {
		return sizesChecked, nil
	}
	simulating, cancel := PartOf(extras, sizePart)
	defer cancel()
	defer c.OmitKept()
	if i > 0 {
		w, err := z.WithBuffers(simulating, x.Seed)
		if err == nil {
			c.Limit(w)
		} else if simulating.Err() != nil {
			return sizesChecked, nil
		}
		return complete, nil
	}
	err := z.Limit(simulating, c, x.Seed)
	if simulating.Err() == nil {
		return complete, err
	}
	if c.WithBuffers == nil && z.with != nil { // only the costs of single buffers are missing
		limit(c, z.with)
	}
	if c.WithBuffers == nil {
		c.Warnings = append(c.Warnings, faults.BuffersNotSimulated.Notef("%s before the simulation with finite "+
			"buffers: the throughput assumes unlimited buffers (xopt eval includes this simulation)", x.cause()))
		return sizesChecked, nil
	}
	return complete, nil
}

// Shown returns the indices of the candidates to show, in order. For a front, or after an interruption, it keeps all
// candidates, and adds a warning that lists those with unchecked sizes. Otherwise, it keeps the candidates whose
// buffers were checked as completely as the buffers of the first candidate. It omits the others with a note, because
// their throughputs are not comparable.
func (x *Ending) Shown(r *result.Result) []int {
	members := FrontMembers(r)
	if members != nil {
		r.Search.Merged = len(r.Candidates) - len(members)
	} else {
		late := x.Late
		for i := range r.Candidates {
			if x.check(r, i) >= x.check(r, 0) || len(r.Search.Objectives) > 1 || x.Interrupted.Err() != nil {
				members = append(members, i)
			} else {
				late = append(late, float64(r.Candidates[i].Unlimited()))
			}
		}
		if n := len(late); n > 0 {
			r.Notes = append(r.Notes, faults.CandidatesOmitted.Notef("%d of %d candidates omitted: %s before xopt "+
				"simulated their buffers; with unlimited buffers, they reach up to %s (increase --time to include "+
				"them)", n, n+len(members), x.cause(), units.Rate(slices.Max(late))))
		}
		if x.Unranked {
			sortSimulated(r, members)
		}
	}
	var late []string
	for at, i := range members {
		if x.check(r, i) == unchecked && x.check(r, members[0]) > unchecked {
			late = append(late, fmt.Sprint(at+1))
		}
	}
	if len(late) > 0 {
		r.Warnings = append(r.Warnings, faults.BuffersUnchecked.Notef("candidates %s: %s", strings.Join(late, ", "),
			x.unchecked()))
	}
	return members
}

// sortSimulated sorts candidates by their simulated throughput with finite buffers, if it is known for all. Candidates
// whose throughputs differ by at most the tolerance of [RankWithBuffers] keep their order.
func sortSimulated(r *result.Result, members []int) {
	var rates []result.Number
	for _, i := range members {
		w := r.Candidates[i].WithBuffers
		if w == nil || w.Stopped != "" {
			return
		}
		rates = append(rates, w.Throughput)
	}
	copy(members, Selected(slices.Clone(members), orderOf(rates, rateTolerance)))
}

// check returns the state of the buffer check of candidate i of a result.
func (x *Ending) check(r *result.Result, i int) check { return x.checks[r.Candidates[i].Name] }

// UncheckedSizes returns a comment line for a map file if no simulation has confirmed its buffer sizes; "" otherwise.
func UncheckedSizes(c *result.Candidate) string {
	sized := false
	for i := range c.Queues {
		if q := &c.Queues[i]; q.Recommended != nil {
			if q.Recommended.Level != buffers.Heuristic.String() {
				return ""
			}
			sized = true
		}
	}
	if !sized {
		return ""
	}
	return fmt.Sprintf("\nBuffers:   closed-form estimates, not confirmed by simulation [%s]", faults.BuffersUnchecked)
}

// cause returns the reason why a step after a search ended early: an interruption, or the time limit of the command.
func (x *Ending) cause() string {
	if x.Interrupted.Err() != nil {
		return "interrupted"
	}
	return "time limit reached"
}

// unchecked returns the text of the warning for a candidate with closed-form sizes.
func (x *Ending) unchecked() string {
	text := x.cause() + " before xopt checked the buffer sizes by simulation: the sizes are closed-form estimates"
	if x.Interrupted.Err() == nil {
		text += " (increase --time to include this check)"
	}
	return text
}

// Limit adds the simulated throughput with finite buffers to a candidate or, if the mapping cannot be simulated, a
// warning with the reason.
func (z *Sized) Limit(ctx context.Context, c *result.Candidate, seed uint64) error {
	w, err := z.WithLosses(ctx, seed)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		c.Warnings = append(c.Warnings, faults.BuffersNotSimulated.Notef("cannot simulate the mapping with "+
			"finite buffers: %v", err))
		return nil
	}
	limit(c, w)
	return nil
}

// limit adds the result of a simulation with finite buffers to a candidate, with a warning if the simulation deadlocks.
func limit(c *result.Candidate, w *result.WithBuffers) {
	c.Limit(w)
	if why := w.WhyStopped(); why != "" {
		c.Warnings = append(c.Warnings, faults.MappingStops.Notef("the throughput assumes unlimited buffers, but %s",
			why))
	}
}

// AddRan adds a simulation with the buffer sizes of a run to the run's prediction. The design must have the figures of
// the prediction.
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

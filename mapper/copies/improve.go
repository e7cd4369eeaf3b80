package copies

import (
	"context"
	"errors"
	"fmt"
	"time"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/faults"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// Mode selects whether searches try copies of kernels.
type Mode uint8

// The values of Mode.
const (
	Auto Mode = iota // try copies of kernels that are declared stateless
	None
)

// Policy configures whether and how a search tries copies.
type Policy struct {
	Mode  Mode
	Lower Lower
	Goal  mapper.Goal
	// Robust reports that mappings are ranked by robust throughput. Searches then try no copies, because robust
	// throughput is not computed for them.
	Robust bool
	// Restarts is the number of consecutive restarts without improvement after which a search for copies with a time
	// limit ends; 0 for only the time limit.
	Restarts int
}

// Tries reports whether a search for mappings of a program tries copies.
func (p *Policy) Tries(program *xlang.Program) bool {
	return p.Mode == Auto && Any(program) && p.Goal.Maximizes() && !p.Robust
}

// NotTried is the start of [Improved.Left] if no copies were tried.
const NotTried = "copies not tried"

// Improved is the result of [Improve].
type Improved struct {
	Design *design.Design // design of the best mapping, including its copies
	Tried  bool
	Note   string // the reason why no copies were tried; "" for none
	// Left is the reason why the search for copies ended early; "" if it was complete.
	Left string
	// Alone is the result of the search without copies, if a mapping with copies replaced it; else nil. Copied is the
	// best mapping with copies, even if Rank finds that it is slower.
	Alone  *Alone
	Copied *mapper.Candidate

	copiedDesign *design.Design
}

// WithoutCopies returns the design and the candidates of the search without copies. found contains the candidates of
// the result.
func (x *Improved) WithoutCopies(found []mapper.Candidate) (*design.Design, []mapper.Candidate) {
	if x.Alone != nil {
		return x.Alone.Design, x.Alone.Candidates
	}
	return x.Design, found
}

// Alone contains the best mappings without copies, which a mapping with copies replaced because it is faster with
// unlimited buffers.
type Alone struct {
	Design     *design.Design
	Candidates []mapper.Candidate
	Copied     []string // kernels with copies in the mapping that replaced them
	Needed     bool     // the candidates do not meet the limits of the search
}

// restore restores the best mappings without copies as the result, because they are faster with recommended buffers.
func (x *Improved) restore(found *mapper.Result) {
	x.Design, found.Candidates = x.Alone.Design, x.Alone.Candidates
	if found.Status == mapper.CopiesProven || found.Status == mapper.CopiesTried {
		found.Status = mapper.CopiesSlower
	}
}

// Improve searches for a mapping with copies that is faster than the best mapping without copies. If there is one, it
// becomes the only candidate of the result. Otherwise the result's bound becomes the bound on mappings with any copies.
// Improve modifies the result in place, and adds its own time to the elapsed time.
func Improve(ctx context.Context, d *design.Design, found *mapper.Result, p Policy) (*Improved, error) {
	begun := time.Now()
	x := &Improved{Design: d}
	if p.Mode == None || !Any(d.Program) || len(found.Candidates) == 0 {
		return x, nil
	}
	if !p.Tries(d.Program) {
		x.Note = "note: xopt tries copies of kernels only for the objective throughput and without --robust"
		found.WithoutCopies = true
		return x, nil
	}
	if ctx.Err() != nil {
		x.Left = NotTried + ": " + cause(ctx)
		x.Note = "note: " + x.Left
		return x, x.store(ctx, found, &Found{Cut: true, Weak: weakSplit}, p.Goal)
	}
	copied, err := Search(ctx, d, found.Candidates[0].Mapping, p)
	var why *Reason
	switch {
	case errors.As(err, &why):
		x.Note = fmt.Sprintf("note: xopt tried no copies of kernels: %v", why)
		found.WithoutCopies = why != errOneCore
		return x, nil
	case err != nil:
		return nil, err
	}
	switch x.Tried = true; {
	case copied.Cut && copied.Plans == 0:
		x.Left = NotTried + ": " + cause(ctx)
	case copied.Cut:
		x.Left = "not all copies tried: " + cause(ctx)
	}
	found.Elapsed += time.Since(begun)
	return x, x.store(ctx, found, copied, p.Goal)
}

// cause returns the reason why a search for copies ended early: a signal, or its time limit.
func cause(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.Canceled) {
		return "interrupted"
	}
	return "time limit reached"
}

// provenPrecision is the relative difference from the bound up to which a mapping with copies counts as optimal. It
// covers the rounding errors of the simplex method.
const provenPrecision = 1e-6

func (x *Improved) store(ctx context.Context, found *mapper.Result, copied *Found, goal mapper.Goal) error {
	alone := found.Candidates[0].Throughput
	best := max(alone, copied.Throughput)
	if copied.Bound < best*(1-1e-9) { // a mapping refutes the bound
		copied.Bound = 0
	}
	found.AloneBound, found.AloneProven = found.Bound, found.Optimal()
	if found.AloneProven {
		found.AloneBound = alone
	} else if copied.Bound > 0 && found.AloneBound > 0 {
		found.AloneBound = min(found.AloneBound, copied.Bound)
	}
	found.Bound, found.Certificate = copied.Bound, nil
	found.Weak = []string{copied.Weak}
	switch {
	case copied.Bound > 0 && best >= copied.Bound*(1-provenPrecision):
		found.Status = mapper.CopiesProven
	case found.Status == mapper.Interrupted:
	case errors.Is(ctx.Err(), context.Canceled):
		found.Status = mapper.Interrupted
	case copied.Cut:
		found.Status = mapper.TimeLimit
	default:
		found.Status = mapper.CopiesTried
	}
	if copied.Mapping == nil {
		return nil
	}
	candidate, err := mapper.CandidateOf(copied.Design.Problem, goal, copied.Mapping)
	if err != nil {
		return fmt.Errorf("scoring the mapping with copies: %w", err)
	}
	x.Alone = &Alone{Design: x.Design, Candidates: found.Candidates, Copied: copied.Copied}
	found.Candidates = []mapper.Candidate{*candidate}
	x.Design, x.Copied, x.copiedDesign = copied.Design, candidate, copied.Design
	x.Design.Notes = append(x.Design.Notes, faults.CopiesBetter.Notef("the best mapping has copies of %s "+
		"(--copies none searches without copies)", units.Some(design.Ranges(copied.Copied), 4)))
	return nil
}

// rankPart is the fraction of the remaining time that [Improved.Rank] may use.
const rankPart = 0.8

// Rank sorts the mappings of a search by decreasing throughput with recommended buffers, and keeps the given number of
// best mappings. It includes the mapping with copies, if there is one. If Rank keeps more than one mapping, the best
// mapping without copies is among them. sized contains the buffer sizes that Rank simulated.
func (x *Improved) Rank(ctx context.Context, found *mapper.Result, best int, seed uint64) (c *result.CopiesCompared,
	sized map[*flow.Mapping]*predict.Sized) {
	c, sized = x.rank(ctx, found, best, seed)
	if c != nil && c.Chosen && !c.Needed && best > 1 {
		found.Candidates = append(found.Candidates[:1:1], x.Alone.Candidates[0])
	}
	return c, sized
}

// DesignOf returns the design of a candidate's mapping.
func (x *Improved) DesignOf(m *flow.Mapping) *design.Design {
	switch {
	case x.Copied != nil && x.Copied.Mapping == m:
		return x.copiedDesign
	case x.Alone != nil:
		return x.Alone.Design
	}
	return x.Design
}

// rank is like Rank, but may omit the best mapping without copies.
func (x *Improved) rank(ctx context.Context, found *mapper.Result, best int, seed uint64) (c *result.CopiesCompared,
	sized map[*flow.Mapping]*predict.Sized) {
	if x.Alone != nil && x.Alone.Needed {
		return &result.CopiesCompared{Kernels: x.Alone.Copied, Chosen: true, Needed: true,
			Copied: result.PlanRates{Predicted: result.Number(found.Candidates[0].Throughput)},
			Alone:  result.PlanRates{Predicted: result.Number(x.Alone.Candidates[0].Throughput)}}, nil
	}
	ctx, cancel := predict.PartOf(ctx, rankPart)
	defer cancel()
	if x.Alone != nil {
		if c, sized = x.compare(ctx, found, best, seed); c.Why == "" && !c.ByForms {
			return c, sized
		}
	}
	if len(found.Candidates) == 1 {
		return c, nil
	}
	if ctx.Err() != nil { // for a large application, even preparing the plans takes a long time
		found.Candidates = found.Candidates[:min(best, len(found.Candidates))]
		return c, nil
	}
	plans, rates := predict.RankWithBuffers(ctx, predict.PlansOf(x.Design, found.Candidates), best, seed)
	found.Candidates = predict.InOrder(plans, found.Candidates)
	return c, rates.SizesOf(plans)
}

// formsTolerance is the relative difference that throughputs with closed-form buffer sizes must exceed to decide,
// because these sizes may be too small. Otherwise, the throughput with unlimited buffers decides. whyFormsOpen is the
// reason reported in this case.
const (
	formsTolerance = 0.1
	whyFormsOpen   = "time limit reached before the buffer sizes were simulated, and the throughputs with " +
		"closed-form sizes differ by at most 10 %"
)

// compare compares the best mappings with and without copies. If a mapping without copies is faster, compare restores
// the mappings without copies as the result.
func (x *Improved) compare(ctx context.Context, found *mapper.Result, best int, seed uint64) (*result.CopiesCompared,
	map[*flow.Mapping]*predict.Sized) {
	copied := predict.PlansOf(x.Design, found.Candidates[:1])[0]
	plans, rates := predict.RateBeside(ctx, copied, predict.PlansOf(x.Alone.Design, x.Alone.Candidates), best, seed)
	x.Alone.Candidates = predict.InOrder(plans[1:], x.Alone.Candidates)
	c := &result.CopiesCompared{Kernels: x.Alone.Copied, Chosen: true, ByForms: rates.ByForms, Why: rates.Why,
		Copied: result.PlanRates{Predicted: result.Number(copied.FlowBound)},
		Alone:  result.PlanRates{Predicted: result.Number(plans[1].FlowBound)}}
	if c.Why != "" {
		return c, nil
	}
	with, without := rates.Buffered[0], rates.Buffered[1]
	if c.ByForms && with < without && with >= without*(1-formsTolerance) {
		c.ByForms, c.Why = false, whyFormsOpen
		return c, nil
	}
	c.Copied.Buffered, c.Alone.Buffered = with, without
	if c.Chosen = with >= without; !c.Chosen {
		x.restore(found)
	}
	return c, rates.SizesOf(plans)
}

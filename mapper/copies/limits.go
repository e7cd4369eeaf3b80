package copies

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/units"
	"xopt/mapper"
)

// MeetLimits searches for a mapping with copies that meets the limits of a search. The search without copies found no
// mapping that meets them: failed is its error, and o contains its options. If MeetLimits finds no mapping either, its
// error covers mappings with copies.
func MeetLimits(ctx context.Context, d *design.Design, o mapper.Options, p Policy, failed error) (*mapper.Result,
	*Improved, error) {
	var none *mapper.NoMappingError
	if !errors.As(failed, &none) || o.Goal.Plain() || p.Mode == None || !Any(d.Program) {
		return nil, nil, failed
	}
	other := &mapper.NoMappingError{AloneBound: none.Bound, Faults: slices.Clone(none.Faults)}
	add := func(text string) error {
		if len(other.Faults) > 0 {
			other.Faults[0].Text = "without copies of kernels, " + other.Faults[0].Text
		}
		other.Faults = append(other.Faults, flow.Fault{Text: text})
		return other
	}
	if !p.Tries(d.Program) {
		return nil, nil, add("xopt tries copies of kernels only for the objective throughput and without --robust")
	}
	if deadline, ok := ctx.Deadline(); ok {
		o.MaxTime = max(time.Millisecond, time.Until(deadline)/2)
	}
	goal := o.Goal
	o.Goal, o.Resume, o.Checkpoint, o.Progress = mapper.Goal{}, nil, nil, nil
	found, err := mapper.Search(ctx, d.Problem, d.Constraints, o)
	if errors.Is(err, flow.ErrInfeasible) {
		return nil, nil, failed
	} else if err != nil {
		return nil, nil, err
	}
	x, err := Improve(ctx, d, found, p)
	switch {
	case err != nil:
		return nil, nil, err
	case x.Alone != nil:
		x.Alone.Needed = true
		return found, x, nil
	case found.WithoutCopies:
		return nil, nil, add(strings.TrimPrefix(x.Note, "note: "))
	case !x.Tried && x.Left == "": // copies cannot be better
		return nil, nil, failed
	}
	if other.Bound = found.Bound; other.Bound > 0 && other.Bound < goal.MinThroughput {
		other.Proven = true
		return nil, nil, add("with copies, the throughput of any mapping is at most " + units.Rate(other.Bound))
	}
	if x.Left != "" {
		return nil, nil, add(x.Left)
	}
	return nil, nil, add("the search with copies of kernels also found no mapping that meets the limits")
}

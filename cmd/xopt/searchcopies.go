package main

import (
	"context"

	"xopt/cmd/faults"
	"xopt/cmd/internal/settings"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/interrupt"
	"xopt/mapper"
	"xopt/mapper/copies"
)

// copyPolicy defines how the searches of a command try copies.
func (a *app) copyPolicy(goal mapper.Goal, files []string) copies.Policy {
	p := copies.Policy{Goal: goal, Lower: func(ctx context.Context, p *xlang.Program) (*design.Design, error) {
		return a.newDesign(ctx, p, files, design.ForCheck)
	}}
	if a.settings.Copies == settings.CopiesNone {
		p.Mode = copies.None
	}
	return p
}

func (s *searching) designOf(m *flow.Mapping) *design.Design {
	if s.improved == nil { // the search tried no copies
		return s.design
	}
	return s.improved.DesignOf(m)
}

// searchCopies tries copies of kernels until the deadline of the search. It then ranks the best mappings with and
// without copies until extras ends.
func (a *app) searchCopies(ctx, extras context.Context, s *searching) error {
	searching, stop := interrupt.Until(ctx, a.searchDeadline(s))
	defer stop()
	policy := a.copyPolicy(s.goal, s.files)
	policy.Robust = s.robust != nil
	x, err := s.improved, error(nil)
	if x == nil {
		x, err = copies.Improve(searching, s.design, s.found, policy)
	}
	if err != nil {
		return err
	}
	if s.copiesLeft = x.Left; x.Note != "" && x.Left == "" {
		a.noteOnce([]string{x.Note})
	}
	if a.ranksWithBuffers(s) {
		s.copies, s.sized = x.Rank(extras, s.found, a.keptMappings(), settings.EvalSeed)
	}
	s.design, s.improved = x.Design, x
	if x.Tried && s.answer != nil {
		a.noteID(faults.BoundNotUsed, "note: xopt does not use the bound of %s, which applies only to mappings "+
			"without copies (--copies none uses this bound)", s.answer.Name)
		s.answer = nil
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/replicate"
)

// hasCopies reports whether kernels of a program run in copies, on cores or on an FPGA.
func hasCopies(p *xlang.Program) bool {
	return slices.ContainsFunc(p.Kernels, func(k xlang.Kernel) bool { return k.Replica != nil || k.Instances > 1 })
}

// withoutCopies adds to a proof that no mapping reaches a throughput that mappings with copies of kernels may reach it.
func (a *app) withoutCopies(err error, p *xlang.Program) error {
	var none *mapper.NoMappingError
	if a.settings.Copies == copiesNone || !errors.As(err, &none) || none.Bound == 0 || !replicate.Any(p) {
		return err
	}
	return fmt.Errorf("%w; this is proven of mappings without copies of kernels: search without --min-throughput to "+
		"try copies", err)
}

// searchCopies looks whether copies of kernels bring more than the best mapping without, where blocks are declared
// stateless. If so, the mapping with copies is the answer; if not, what is proven of the mappings without copies is
// no longer proven of all.
func (a *app) searchCopies(ctx context.Context, s *searching) error {
	if a.settings.Copies == copiesNone || !replicate.Any(s.design.Program) || len(s.found.Candidates) == 0 ||
		ctx.Err() != nil {
		return nil
	}
	if !s.goal.Plain() || s.robust != nil {
		a.noteOnce([]string{"note: copies of kernels are tried only for the objective throughput, without limits " +
			"and --robust"})
		return nil
	}
	alone := s.found.Candidates[0].Throughput
	found, err := replicate.Search(ctx, s.design, s.found.Candidates[0].Mapping,
		func(p *xlang.Program) (*design.Design, error) { return a.newDesign(ctx, p, s.files, design.ForCheck) })
	var why *replicate.Reason
	switch {
	case errors.As(err, &why):
		a.noteOnce([]string{fmt.Sprintf("note: no copies of kernels were tried: %v", why)})
		return nil
	case err != nil:
		return err
	}
	best := alone
	if found.Mapping != nil {
		best = found.Throughput
	}
	// What was proven before, it was of mappings without copies.
	s.found.Bound, s.found.Certificate = found.Bound, nil
	s.found.Weak = []string{"whole kernels: with copies, all of them may be cut in pieces, and links cost nothing"}
	if s.answer != nil {
		a.note("note: the bound of %s is not used: it is of mappings without copies (--copies none)", s.answer.Name)
		s.answer = nil
	}
	switch {
	case found.Bound > 0 && best >= found.Bound*(1-1e-9):
		s.found.Status = mapper.CopiesProven
	case ctx.Err() == nil && s.found.Status != mapper.Interrupted:
		s.found.Status = mapper.CopiesTried
	}
	if found.Mapping == nil {
		return nil
	}
	candidate, err := mapper.CandidateOf(found.Design.Problem, found.Mapping)
	if err != nil {
		return fmt.Errorf("taking in the mapping with copies: %w", err)
	}
	s.found.Candidates = []mapper.Candidate{candidate}
	s.design = found.Design
	s.design.Notes = append(s.design.Notes, fmt.Sprintf("%s in copies: the best mapping without copies has %s "+
		"(--copies none)", strings.Join(design.Ranges(found.Copied), ", "), units.Rate(alone)))
	return nil
}

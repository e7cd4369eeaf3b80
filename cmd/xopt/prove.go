package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"xopt/cmd/faults"
	"xopt/cmd/internal/settings"
	"xopt/flow"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/mapper"
	"xopt/mapper/result"
	"xopt/mapper/solvers"
)

// prepareProof checks the options for proofs before the search.
func (a *app) prepareProof(s *searching) error {
	p := &a.settings.Search
	if p.Gap != "" {
		var err error
		if s.gap, err = settings.ParsePercent(p.Gap); err != nil {
			return fault.Usage(fmt.Errorf("--gap: %w", err))
		}
	}
	bounded := !s.goal.Several() && s.goal.First() == mapper.Throughput
	for _, o := range []struct{ name, value string }{{"--gap", p.Gap}, {"--prove", p.Prove}, {"--export-mps", p.MPS}} {
		if o.value != "" && !bounded {
			return faults.NeedsThroughput.Usagef("%s needs the objective throughput, because other objectives "+
				"have no bound; leave out %[1]s or --objective", o.name)
		}
	}
	if err := modeled(s, p); err != nil {
		return err
	}
	if p.Prove == "" {
		return nil
	}
	if err := solvers.Find(p.Prove); err != nil {
		return fault.Usage(fmt.Errorf("--prove: %w", err))
	}
	return nil
}

// modeled rejects the export of a model for applications with several independent sources, which have no model.
func modeled(s *searching, p *settings.Search) error {
	name := "--prove"
	switch {
	case p.MPS != "":
		name = "--export-mps"
	case p.Prove == "":
		return nil
	}
	flows, err := flow.NewFlows(&s.design.Problem.Application, s.design.Problem.JoinTolerance)
	if err != nil {
		return nil // the start of the search reports the error
	}
	if flows.Free > 1 {
		return fault.SeveralFreeSources.Usagef("%s needs sources with proportional rates, but this application has %d "+
			"independent sources; leave out %s", name, flows.Free, name)
	}
	return nil
}

// askSolver writes the model of a search and runs another solver on it, on request. A failed solver is only a warning.
func (a *app) askSolver(ctx context.Context, s *searching) error {
	p := &a.settings.Search
	if p.Prove == "" && p.MPS == "" || len(s.found.Candidates) == 0 || ctx.Err() != nil {
		return nil
	}
	best := s.found.Candidates[0].Throughput
	model, err := mapper.NewModel(ctx, s.design.Problem, s.design.Constraints, best)
	var goal *mapper.GoalError
	switch {
	case errors.As(err, &goal):
		a.note("warning: %s", fault.Text(err))
		return nil
	case err != nil:
		return fmt.Errorf("creating a model for other solvers: %w", err)
	}
	if p.MPS != "" {
		if err := output.WriteFile(p.MPS, model.WriteMPS); err != nil {
			return err
		}
		a.wrote = append(a.wrote, p.MPS)
	}
	if p.Prove == "" {
		return nil
	}
	solver := mapper.Solver{Name: p.Prove, Threads: s.found.Threads}
	if deadline := a.searchDeadline(s); !deadline.IsZero() {
		solver.TimeLimit = max(100*time.Millisecond, time.Until(deadline))
	}
	excluded := 0.0 // the bound for the same model; other bounds may cover more mappings
	if c := s.found.Certificate; c != nil {
		excluded = float64(c.Throughput)
	}
	answer, err := model.Ask(ctx, solver, excluded)
	if err != nil {
		a.noteID(faults.NotProven, "warning: --prove: %v; the report uses xopt's own bound", err)
		return nil
	}
	s.answer = &result.Solver{Name: p.Prove, Version: answer.Version, Seconds: answer.Seconds,
		Bound: result.Number(answer.Bound), Best: result.Number(answer.Best)}
	return nil
}

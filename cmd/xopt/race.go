package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"xopt/cmd/faults"
	"xopt/cmd/internal/settings"
	"xopt/deploy/finalists"
	"xopt/deploy/sources"
	"xopt/deploy/validate"
	"xopt/internal/units"
)

// prepareRace checks before a search that its candidates can race.
func (a *app) prepareRace(s *searching) error {
	switch {
	case a.settings.Search.Race == 0:
		return a.settings.WaitsForNothing("search measures only with --race", a.inForce.IsFlag)
	case s.robust != nil || !s.goal.Plain():
		return faults.OptionsConflict.Usagef("--race ranks mappings by their measured throughput; leave out " +
			"--robust, --objective and the limits")
	}
	return cmp.Or(finalists.Check(s.design), wrongSources(sources.Check(s.design.Program)))
}

// keptMappings returns the number of candidates that a search keeps until its race or, without a race, until its end.
func (a *app) keptMappings() int {
	if limit := a.settings.Search.Race; limit > 0 {
		return max(a.settings.Top, validate.RaceSize(limit))
	}
	return a.settings.Top
}

// race runs the best candidates of a search in turns, and sorts the candidates by their runs. --time excludes the race.
func (a *app) race(ctx context.Context, s *searching) error {
	limit := a.settings.Search.Race
	if limit == 0 {
		return nil
	}
	begun := time.Now()
	list, err := finalists.Select(s.found.Candidates, s.improved, limit)
	if err == nil && ctx.Err() == nil {
		a.noteBusy(ctx, "the runs may rank the mappings wrongly")
		work := a.longWork("racing " + units.Counted(len(list), "mapping", "mappings") + ", step")
		defer work.Stop()
		plain, _ := s.improved.WithoutCopies(nil)
		s.race, err = validate.Race(ctx, plain, finalists.Racers(list), validate.Options{Seed: a.settings.Seed,
			BufferSeed: settings.EvalSeed, Progress: func(done, all, _ int, left time.Duration) {
				work.StepLeft(done, all, left)
			}}, limit)
	}
	s.found.Candidates = finalists.Sort(s.race, list, s.found.Candidates, a.settings.Top)
	s.design = s.designOf(s.found.Candidates[0].Mapping)
	a.begun = a.begun.Add(time.Since(begun))
	if err != nil {
		return fmt.Errorf("racing the candidates: %w", err)
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"xopt/bench/search"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/report"
	"xopt/mapper"
)

// comparePoints are the runs of a comparison of methods of search: each is a seed, as in bench search itself.
func (a *app) comparePoints(*cobra.Command, []string) ([]campaign.Point, error) {
	points := make([]campaign.Point, a.settings.bench.runs)
	for i := range points {
		seed := strconv.Itoa(i + 1)
		points[i] = campaign.Point{Label: "run " + seed, Args: []string{seed}}
	}
	return points, nil
}

// checkCompared is an error where the methods or the problems cannot be compared.
func (a *app) checkCompared(c *cobra.Command, files []string) error {
	if _, err := methodsOf(&a.settings.bench); err != nil {
		return err
	}
	_, err := a.searchCases(c.Context(), files, &a.settings.bench)
	return err
}

// compareComputer makes one run of every method on every problem.
func (a *app) compareComputer(c *cobra.Command, files []string) (computer, error) {
	f := &a.settings.bench
	methods, err := methodsOf(f)
	if err != nil {
		return nil, err
	}
	cases, err := a.searchCases(c.Context(), files, f)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, p *campaign.Task) (any, error) {
		seed, err := seedOf(p.Point)
		if err != nil {
			return nil, err
		}
		return search.Attempts(ctx, cases, seed, search.Options{Time: f.window, Threads: a.settings.Threads,
			Methods: methods})
	}, nil
}

// collectCompared shows the comparison.
func (a *app) collectCompared(cases []search.Case, methods []mapper.Method, f *benchFlags) error {
	all, err := answersAs[[][]*search.Attempt](a)
	if err != nil {
		return err
	}
	for i := range all {
		wrong := len(all[i]) != len(cases)
		for _, runs := range all[i] {
			wrong = wrong || len(runs) != len(methods)
			for _, r := range runs {
				wrong = wrong || r != nil && len(r.At) != len(search.Moments())
			}
		}
		if wrong {
			return fmt.Errorf("the answer of run %d is not of these problems and methods", i+1)
		}
	}
	rows := search.Rows(cases, methods, all)
	return a.showBench(rows, report.Searches(rows, f.window, a.settings.Threads))
}

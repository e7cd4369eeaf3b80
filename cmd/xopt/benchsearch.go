package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"xopt/bench/search"
	"xopt/cmd/internal/report"
	"xopt/configs"
	"xopt/flow/design"
	"xopt/internal/files/scratch"
	"xopt/mapper"
)

// benchSearchCommand compares methods of search.
func (a *app) benchSearchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "search [APP.x ARCH.x]",
		Short: "compare methods of search: quality against time",
		Long: `search gives each method the same time on the same problems, alternately, and prints how
good its best mapping was after a thousandth, a hundredth, a tenth and all of the time:
its throughput relative to the best that any run of any method found, the median of all
runs and the worst. Without files the problems are synthetic task graphs (Beard 2013, section 4.5)
on 12 cores and 2 FPGAs, joined by memory and PCI-X or by one slow bus, whose figures are
drawn, and the bundled example of VERITAS.`,
		Example: `xopt bench search
xopt bench search --time 10s --tasks 80 --graphs 20
xopt bench search app.x arch.x --methods anneal,genetic`,
		RunE: func(c *cobra.Command, files []string) error {
			if is, err := a.campaignOf(c, files); is {
				return err
			}
			return a.benchSearch(c.Context(), files, &a.settings.bench)
		},
		ValidArgsFunction: completeX,
	}
}

func (a *app) benchSearch(ctx context.Context, files []string, f *benchFlags) error {
	methods, err := methodsOf(f)
	if err != nil {
		return err
	}
	cases, err := a.searchCases(ctx, files, f)
	if err != nil {
		return err
	}
	if a.answers != nil {
		return a.collectCompared(cases, methods, f)
	}
	rows, err := search.Compare(ctx, cases, search.Options{Time: f.window, Runs: f.runs, Threads: a.settings.Threads,
		Methods: methods, Progress: a.benchProgress()})
	if err != nil {
		return err
	}
	return a.showBench(rows, report.Searches(rows, f.window, a.settings.Threads))
}

// methodsOf are the methods to compare.
func methodsOf(f *benchFlags) ([]mapper.Method, error) {
	var methods []mapper.Method
	for _, name := range f.methods {
		m, err := mapper.ParseMethod(name)
		if err != nil {
			return nil, &usageError{fmt.Errorf("--methods: %w", err)}
		}
		methods = append(methods, m)
	}
	return methods, nil
}

// searchCases are the problems to compare on.
func (a *app) searchCases(ctx context.Context, files []string, f *benchFlags) ([]search.Case, error) {
	if len(files) > 0 {
		d, err := a.design(ctx, files, design.ForSearch)
		if err != nil {
			return nil, err
		}
		return []search.Case{{Group: d.Program.Top, Name: baseName(files), Problem: d.Problem,
			Constraints: d.Constraints}}, nil
	}
	var cases []search.Case
	for _, tasks := range f.tasks {
		for _, bus := range search.Buses() {
			for seed := range f.graphs {
				cases = append(cases, search.Synthetic(uint64(seed+1), tasks, bus))
			}
		}
	}
	examples, err := a.exampleCases(ctx)
	return append(cases, examples...), err
}

// exampleCases are the bundled examples whose figures the X files state.
func (a *app) exampleCases(ctx context.Context) (cases []search.Case, err error) {
	dir, err := scratch.Dir("", scratch.Examples)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.CopyFS(dir, configs.ExampleFiles()); err != nil {
		return nil, fmt.Errorf("unpacking the examples: %w", err)
	}
	for _, x := range [][]string{
		{"gayen-veritas/pipes1.x", "gayen-veritas/arch_slow.x"},
		{"gayen-veritas/pipes2.x", "gayen-veritas/arch_slow.x"},
		{"gayen-veritas/pipes3.x", "gayen-veritas/arch_slow.x"},
	} {
		var paths []string
		for _, name := range x {
			paths = append(paths, filepath.Join(dir, filepath.FromSlash(name)))
			if _, err := fs.Stat(configs.ExampleFiles(), name); err != nil {
				return nil, err
			}
		}
		d, err := a.design(ctx, paths, design.ForSearch)
		if err != nil {
			return nil, err
		}
		cases = append(cases, search.Case{Group: "veritas", Name: strings.Join(x, " "), Problem: d.Problem,
			Constraints: d.Constraints})
	}
	return cases, nil
}

package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"xopt/bench/search"
	"xopt/cmd/internal/report"
	"xopt/configs"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/mapper"
)

// Limits of search options.
const (
	shortestSearch = 10 * time.Millisecond
	maxTasks       = 5000
	maxThreads     = 1024
)

// searches returns the benchmark that compares search methods.
func searches() *benchmark {
	return &benchmark{
		use:   "search [APP.x ARCH.x]",
		short: "search methods: quality over time",
		long: `search runs all methods alternately for the same time on the same problems. It prints the
quality of the best mapping after a thousandth, a hundredth, a tenth and all of the time. The
quality is the throughput relative to the best mapping of all runs of all methods, as the median
and the minimum over the runs. Without files, the problems are synthetic task graphs (Beard
2013, section 4.5) with random figures on 12 cores and 2 FPGAs, connected by memory and PCI-X or
by one slow bus, and the bundled example of VERITAS.`,
		example: `xbench search
xbench search --time 10s --tasks 80 --graphs 20
xbench search app.x arch.x --methods anneal,climb`,
		files: 2,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			limit := f.Duration("time", time.Second, "`time` limit of each search")
			runs := f.Int("runs", 3, "`number` of runs of each method on each problem, each with its own seed")
			threads := f.Int("threads", 1, "`number` of threads of each search")
			tasks := f.IntSlice("tasks", []int{20, 40, 80}, "`sizes` of the synthetic applications")
			graphs := f.Int("graphs", 5, "`number` of synthetic applications of each size")
			names := f.StringSlice("methods", []string{"walk", "climb", "anneal", "exact", "mixed"},
				"`methods` to compare: "+strings.Join(mapper.Methods(), ", "))
			check := func() error {
				return errors.Join(between("time", *limit, shortestSearch, maxWindow), between("runs", *runs,
					1, maxRuns),
					between("threads", *threads, 1, maxThreads), allBetween("tasks", *tasks, 1, maxTasks),
					between("graphs", *graphs, 1, maxGraphs), oneOf("methods", *names,
						mapper.Methods()))
			}
			return check, func(ctx context.Context, s *session, files []string) (any, []*report.Table, error) {
				var methods []mapper.Method
				for _, name := range *names {
					m, err := mapper.ParseMethod(name)
					if err != nil {
						return nil, nil, fault.WrongOptionValue.Usagef("--methods: %w", err)
					}
					methods = append(methods, m)
				}
				cases, err := searchCases(files, *tasks, *graphs)
				if err != nil {
					return nil, nil, err
				}
				rows, err := search.Compare(ctx, cases, search.Options{Time: *limit, Runs: *runs, Threads: *threads,
					Methods: methods, Progress: s.progress})
				if err != nil {
					return nil, nil, err
				}
				return rows, []*report.Table{report.Searches(rows, *limit, *threads)}, nil
			}
		},
	}
}

// searchCases returns the problem in the given files. Without files, it returns random problems and the bundled
// problems of VERITAS.
func searchCases(files []string, tasks []int, graphs int) ([]search.Case, error) {
	if len(files) > 0 {
		d, err := load(files, nil)
		if err != nil {
			return nil, err
		}
		return []search.Case{{Group: d.Program.Top, Name: filepath.Base(files[0]), Problem: d.Problem,
			Constraints: d.Constraints}}, nil
	}
	var cases []search.Case
	for _, n := range tasks {
		for _, bus := range search.Buses() {
			for seed := range graphs {
				cases = append(cases, search.Synthetic(uint64(seed+1), n, bus))
			}
		}
	}
	examples, err := exampleCases()
	return append(cases, examples...), err
}

// exampleCases returns the bundled problems of VERITAS, whose X files contain all figures.
func exampleCases() (cases []search.Case, err error) {
	const folder = "gayen-veritas/"
	for _, app := range []string{"pipes1.x", "pipes2.x", "pipes3.x"} {
		d, err := load([]string{folder + app, folder + "arch_slow.x"}, func(path string) ([]byte, error) {
			return fs.ReadFile(configs.ExampleFiles(), path)
		})
		if err != nil {
			return nil, err
		}
		cases = append(cases, search.Case{Group: "veritas", Name: folder + app, Problem: d.Problem,
			Constraints: d.Constraints})
	}
	return cases, nil
}

// load reads X files as xopt search does. read reads a file; nil uses the file system.
func load(files []string, read func(path string) ([]byte, error)) (*design.Design, error) {
	p, _, err := xlang.Load(files, xlang.Options{Library: configs.Library(), ReadFile: read})
	if err != nil {
		return nil, fault.Usage(err)
	}
	d, err := design.New(p, design.Options{Purpose: design.ForSearch, Files: files})
	return d, fault.Usage(err)
}

// proofs returns the benchmark that measures the progress of proofs.
func proofs() *benchmark {
	return &benchmark{
		use:   "proofs",
		short: "gap between the best mapping and the bound, and time of a proof",
		long: `proofs searches random problems, each until a proof or the time limit. It prints the number of
proofs, the gap to the bound of the problems without a proof, and the time. Problems of the kind
slow-bus are synthetic task graphs (Beard 2013, section 4.5) on 12 cores and 2 FPGAs, connected
by one bus of 10 MB/s, which limits the throughput. Problems of the kinds sdf3 and farsi have
the figures of the generators of SDF3 and FARSI, on a few cores and an area for accelerators.
All figures of the problems are random; times are measured.`,
		example: `xbench proofs
xbench proofs --kinds slow-bus --tasks 80 --time 5m
xbench proofs --md docs/results/proofs.md`,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			limit := f.Duration("time", time.Minute, "`time` limit of each search")
			threads := f.Int("threads", 2, "`number` of threads of each search")
			kinds := f.StringSlice("kinds", search.ProofKinds(), "`kinds` of random problems")
			tasks := f.IntSlice("tasks", []int{20, 40}, "`numbers` of tasks of the random problems")
			graphs := f.Int("graphs", 3, "`number` of problems of each kind and size")
			check := func() error {
				return errors.Join(between("time", *limit, shortestSearch, maxWindow),
					between("threads", *threads, 1, maxThreads), oneOf("kinds", *kinds, search.ProofKinds()),
					allBetween("tasks", *tasks, 1, maxTasks), between("graphs", *graphs, 1, maxGraphs))
			}
			return check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				cases, err := search.ProofCases(*kinds, *tasks, *graphs)
				if err != nil {
					return nil, nil, err
				}
				rows, err := search.Proofs(ctx, cases, search.ProofOptions{Time: *limit, Threads: *threads,
					Progress: s.progress})
				if err != nil {
					return nil, nil, err
				}
				return rows, []*report.Table{report.Proofs(rows, *limit, *threads)}, nil
			}
		},
	}
}

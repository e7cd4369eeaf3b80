package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/report"
	"xopt/internal/units"
	"xopt/internal/validate"
	"xopt/mapper"
)

// validateFlags are what only validate has.
type validateFlags struct {
	best, random, runs int
	window, search     time.Duration
	seed               uint64
	input              string
}

// validateCommand compares predictions with real runs.
func (a *app) validateCommand() *cobra.Command {
	var f validateFlags
	c := &cobra.Command{
		Use:   "validate APP.x ARCH.x",
		Short: "run the best mappings and random ones, and compare with what was predicted",
		Long: `validate searches mappings, runs the best of them and some random ones (Beard 2013,
section 4.4) on this machine's cores, and compares what was measured with what was
predicted: the error of the throughput and of the flow on every edge, whether the
ranking holds, and how much slower the first choice is than the best that was run.

    xopt calibrate app.x arch.x -o here.profile.json
    xopt validate app.x arch.x --profile here.profile.json`,
		Args: atLeast(1, "X files with an application and an architecture"),
		RunE: func(c *cobra.Command, files []string) error {
			if err := a.settings.load(c); err != nil {
				return err
			}
			return a.validate(c, files, &f)
		},
	}
	flags := c.Flags()
	modelFlags(flags)
	flags.Bool("json", false, "print the result as JSON")
	flags.IntVar(&f.best, "best", 3, "how many of the best mappings to run")
	flags.IntVar(&f.random, "random", 6, "how many random mappings to run")
	flags.IntVar(&f.runs, "runs", 3, "runs of each mapping, taking turns")
	flags.DurationVar(&f.window, "window", 500*time.Millisecond, "length of each run")
	flags.DurationVar(&f.search, "search-time", 5*time.Second, "how long to search")
	flags.Uint64Var(&f.seed, "random-seed", 1, "seed of the search and of the random mappings")
	flags.StringVar(&f.input, "input", "", "`FILE` that sources read: their config input")
	return c
}

func (a *app) validate(c *cobra.Command, files []string, f *validateFlags) error {
	if f.best < 0 || f.random < 0 || f.best+f.random < 1 || f.best+f.random > 1000 || f.runs < 1 || f.window < 100*time.Millisecond || f.search <= 0 {
		return &usageError{fmt.Errorf("--best %d, --random %d, --runs %d, --window %v, --search-time %v: want one mapping at least, 1000 at the most, one run of 100ms at least, and time to search",
			f.best, f.random, f.runs, f.window, f.search)}
	}
	d, err := a.design(files, design.ForSearch)
	if err != nil {
		return err
	}
	names, mappings, err := f.choose(c.Context(), d)
	if err != nil {
		return err
	}
	o := validate.Options{Runs: f.runs, Window: f.window}
	if f.input != "" {
		if o.Input, err = filepath.Abs(f.input); err != nil {
			return err
		}
	}
	if isTerminal(a.stderr) {
		o.Progress = func(done, all int) {
			if done%10 == 0 {
				a.note("step %d of %d", done+1, all)
			}
		}
	}
	cases, err := validate.Mappings(c.Context(), d, names, mappings, o)
	if err != nil {
		if c.Context().Err() != nil {
			a.code = exitInterrupted
			return nil
		}
		return fmt.Errorf("validating: %w", err)
	}
	s := validate.Summarize(cases)
	if a.settings.JSON {
		e := json.NewEncoder(a.stdout)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Summary validate.Summary `json:"summary"`
			Cases   []validate.Case  `json:"cases"`
		}{s, cases})
	}
	if err := a.printCases(d, cases); err != nil {
		return err
	}
	repeated, disturbed := 0, 0
	for i := range cases {
		repeated += cases[i].Repeated
		disturbed += cases[i].Disturbed
	}
	if repeated > 0 {
		a.note("note: %d runs were repeated because the reference spin beside them was more than 5 %% slow; %d were taken all the same, because it stayed so", repeated, disturbed)
	}
	return a.printSummary(s, f)
}

// choose searches the best mappings and draws random ones, all different.
func (f *validateFlags) choose(ctx context.Context, d *design.Design) (names []string, mappings []*flow.Mapping, err error) {
	seen := make(map[string]bool)
	add := func(name string, m *flow.Mapping) bool {
		key := fmt.Sprint(m.Place)
		if seen[key] {
			return false
		}
		seen[key] = true
		names, mappings = append(names, name), append(mappings, m)
		return true
	}
	if f.best > 0 {
		found, err := mapper.Search(ctx, d.Problem, d.Constraints, mapper.Options{Seed: f.seed, Threads: runtime.NumCPU(), MaxTime: f.search, Top: f.best})
		if err != nil {
			return nil, nil, fmt.Errorf("searching mappings: %w", err)
		}
		for i := range found.Candidates {
			add(fmt.Sprintf("best %d", i+1), found.Candidates[i].Mapping)
		}
	}
	rng := rand.New(rand.NewPCG(f.seed, 0))
	const tries = 100
	for n, left := 0, tries*f.random; n < f.random && left > 0; left-- {
		m, err := mapper.RandomWalk(d.Problem, d.Constraints, rng)
		if err != nil {
			return nil, nil, fmt.Errorf("drawing random mappings: %w", err)
		}
		if add(fmt.Sprintf("random %d", n+1), m) {
			n++
		}
	}
	if len(mappings) == 0 {
		return nil, nil, errors.New("there is no mapping to run")
	}
	return names, mappings, nil
}

// placed tells which kernels are on which resource.
func placed(d *design.Design, m *flow.Mapping) string {
	var parts []string
	for r := range d.Program.Resources {
		var names []string
		for k, at := range m.Place {
			if at == r {
				names = append(names, d.Program.Kernels[k].Name)
			}
		}
		if len(names) > 0 {
			parts = append(parts, d.Program.Resources[r].Name+": "+strings.Join(design.Ranges(names), " "))
		}
	}
	return strings.Join(parts, "; ")
}

func (a *app) printCases(d *design.Design, cases []validate.Case) error {
	var rows [][]string
	for i := range cases {
		x := &cases[i]
		if x.Fail != "" {
			rows = append(rows, []string{x.Name, units.Rate(x.Predicted), "failed", "-", "-", "-", strings.Join(x.Bottleneck, ", ")})
			continue
		}
		slow := "-"
		if x.Slow != "" {
			slow = fmt.Sprintf("%s took %.2f times its μ", x.Slow, x.SlowRatio)
		}
		rows = append(rows, []string{x.Name, units.Rate(x.Predicted), units.Rate(x.Measured), fmt.Sprintf("%+.1f %%", 100*x.Error()), units.Percent(x.Busy), slow, strings.Join(x.Bottleneck, ", ")})
	}
	if err := a.benchTable("Throughput: predicted, and measured (median of the runs); error is (predicted - measured) / measured",
		[]string{"mapping", "predicted", "measured", "error", "busiest core", "deviates most", "bottleneck"}, rows); err != nil {
		return err
	}
	for i := range cases {
		if _, err := fmt.Fprintf(a.stdout, "%s: %s\n", cases[i].Name, placed(d, cases[i].Mapping)); err != nil {
			return err
		}
		if cases[i].Fail != "" {
			if _, err := fmt.Fprintf(a.stdout, "    failed: %s\n", cases[i].Fail); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *app) printSummary(s validate.Summary, f *validateFlags) error {
	if s.Cases == 0 {
		return errors.New("no mapping could be measured")
	}
	regret := "-"
	if f.best > 0 {
		regret = units.Percent(s.Regret)
	}
	return report.WriteTable(a.stdout, a.style(), fmt.Sprintf("Errors over %d mappings: predicted against measured", s.Cases),
		[]string{"of", "mean", "median", "95 %", "worst", "R²", "Kendall τ", "regret"}, [][]string{
			{"throughput", units.Percent(s.Mean), units.Percent(s.Median), units.Percent(s.P95), units.Percent(s.Worst), "-", fmt.Sprintf("%.2f", s.Kendall), regret},
			{"edge flows", "-", units.Percent(s.EdgeMedian), units.Percent(s.EdgeP95), "-", fmt.Sprintf("%.5f", s.RSquare), "-", "-"},
		})
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xopt/bench"
	"xopt/configs"
	"xopt/internal/design"
	"xopt/internal/scratch"
	"xopt/internal/units"
	"xopt/mapper"
)

// benchSearchFlags are what bench search has.
type benchSearchFlags struct {
	length  time.Duration
	runs    int
	threads int
	tasks   []int
	graphs  int
	methods string
	json    bool
}

// benchSearchCommand compares methods of search.
func (a *app) benchSearchCommand() *cobra.Command {
	var f benchSearchFlags
	c := &cobra.Command{
		Use:   "search [APP.x ARCH.x]",
		Short: "compare methods of search: quality against time",
		Long: `search gives each method the same time on the same problems, in turns, and prints how
good its best mapping was after a thousandth, a hundredth, a tenth and all of it: the
throughput over the best that any run of any method found there, median of all runs, and
the worst. Without files the problems are synthetic task graphs (Beard 2013, section 4.5)
on 12 cores and 2 FPGAs, joined by memory and PCI-X or by one slow bus, whose figures are
drawn, and the bundled example gayen-veritas.

    xopt bench search
    xopt bench search --time 10s --tasks 80 --graphs 20
    xopt bench search app.x arch.x --methods anneal,genetic`,
		RunE: func(c *cobra.Command, files []string) error {
			return a.benchSearch(c.Context(), files, &f)
		},
		ValidArgsFunction: completeX,
	}
	c.Flags().DurationVar(&f.length, "time", time.Second, "length of each search")
	c.Flags().IntVar(&f.runs, "runs", 3, "seeds of each method on each problem")
	c.Flags().IntVar(&f.threads, "threads", 1, "of each search")
	c.Flags().IntSliceVar(&f.tasks, "tasks", []int{20, 40, 80}, "sizes of the synthetic applications")
	c.Flags().IntVar(&f.graphs, "graphs", 5, "synthetic applications of each size")
	c.Flags().StringVar(&f.methods, "methods", "walk,greedy,climb,anneal,genetic,exact", "which `METHODS`")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return c
}

func (a *app) benchSearch(ctx context.Context, files []string, f *benchSearchFlags) error {
	if f.length < 10*time.Millisecond || f.runs < 1 || f.threads < 1 || f.graphs < 1 {
		return &usageError{errors.New("want --time 10ms, --runs 1, --threads 1 and --graphs 1 at least")}
	}
	var methods []mapper.Method
	for _, name := range strings.Split(f.methods, ",") {
		m, err := mapper.ParseMethod(strings.TrimSpace(name))
		if err != nil {
			return &usageError{fmt.Errorf("--methods: %w", err)}
		}
		methods = append(methods, m)
	}
	cases, err := a.searchCases(ctx, files, f)
	if err != nil {
		return err
	}
	rows, err := bench.CompareSearches(ctx, cases, bench.SearchOptions{Time: f.length, Runs: f.runs, Threads: f.threads,
		Methods: methods, Progress: a.benchProgress()})
	if err != nil {
		return err
	}
	if f.json {
		return a.printJSON(rows)
	}
	headings := []string{"problems", "method"}
	for _, part := range bench.SearchMoments() {
		headings = append(headings, units.Time(part*f.length.Seconds()))
	}
	headings = append(headings, "worst", "proven", "mappings/s")
	var table [][]string
	for _, r := range rows {
		row := []string{r.Group, r.Method}
		if r.Runs == 0 {
			for range bench.SearchMoments() {
				row = append(row, "-")
			}
			table = append(table, append(row, "-", "-", "-"))
			continue
		}
		for _, q := range r.Quality {
			row = append(row, percentOf(q))
		}
		table = append(table, append(row, percentOf(r.Worst[len(r.Worst)-1]), fmt.Sprintf("%d of %d", r.Proven, r.Runs),
			units.Count(r.Rate)))
	}
	return a.benchTable(fmt.Sprintf("Best throughput by then, of the best of all: measured, medians of runs of %v "+
		"that took turns, %d thread(s)", f.length, f.threads), headings, table)
}

func percentOf(q float64) string { return fmt.Sprintf("%.2f %%", 100*q) }

// searchCases are the problems to compare on.
func (a *app) searchCases(ctx context.Context, files []string, f *benchSearchFlags) ([]bench.SearchCase, error) {
	if len(files) > 0 {
		d, err := a.design(ctx, files, design.ForSearch)
		if err != nil {
			return nil, err
		}
		return []bench.SearchCase{{Group: d.Program.Top, Name: baseName(files), Problem: d.Problem,
			Constraints: d.Constraints}}, nil
	}
	var cases []bench.SearchCase
	for _, tasks := range f.tasks {
		if tasks < 1 || tasks > 5000 {
			return nil, &usageError{fmt.Errorf("--tasks is %d, want 1 to 5000", tasks)}
		}
		for _, bus := range bench.SearchBuses() {
			for seed := range f.graphs {
				cases = append(cases, bench.SyntheticSearch(uint64(seed+1), tasks, bus))
			}
		}
	}
	examples, err := a.exampleCases(ctx)
	return append(cases, examples...), err
}

// exampleCases are the bundled examples whose figures the X files state.
func (a *app) exampleCases(ctx context.Context) (cases []bench.SearchCase, err error) {
	dir, err := scratch.Dir("", scratch.Examples)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.CopyFS(dir, configs.ExampleFiles()); err != nil {
		return nil, fmt.Errorf("unpacking the examples: %w", err)
	}
	for _, x := range [][]string{
		{"gayen-veritas/pipes1.x", "gayen-veritas/arch_slow.x"}, {"gayen-veritas/pipes2.x", "gayen-veritas/arch_slow.x"},
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
		cases = append(cases, bench.SearchCase{Group: "veritas", Name: strings.Join(x, " "), Problem: d.Problem,
			Constraints: d.Constraints})
	}
	return cases, nil
}

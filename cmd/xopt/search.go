package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/report"
	"xopt/internal/units"
	"xopt/mapper"
)

// searchCommand finds the best mappings.
func (a *app) searchCommand() *cobra.Command {
	var resume, robust bool
	var doubt string
	c := &cobra.Command{
		Use:   "search APP.x ARCH.x",
		Short: "find the mappings of greatest throughput",
		Long: `search looks for the mappings that let most data through, under the constraints that
the files state (fix, forbid, together, apart, area, links). Small spaces are
tried whole, and the answer is then optimal; in larger ones simulated annealing, other
methods and branch and bound take turns until no mapping can be better, or until --time,
--evals, or Ctrl-C, which keeps the best so far, and a bound tells how much more any
mapping could let through. Other objectives than throughput,
and several at once, are as welcome: latency, FPGA area, buffers, cores, energy, cost.

It prints the best mappings, the first in full, and writes NAME.result.json and one
map file for each, which xopt eval scores to the same number.

    xopt search app.x arch.x
    xopt search app.x arch.x --time 1m --top 10 -o night
    xopt search app.x arch.x --seed 7 --evals 1000000 --threads 2    the same answer each time
    xopt search app.x arch.x --objective cores --min-throughput 40MB/s
    xopt search app.x arch.x --objective throughput,cores            what each core more brings
    xopt search app.x arch.x --time 8h                               Ctrl-C, and later:
    xopt search app.x arch.x --time 8h --resume`,
		Args:              atLeast(1, "X files with an application and an architecture"),
		ValidArgsFunction: completeX,
		RunE: func(c *cobra.Command, files []string) error {
			if err := a.settings.load(c); err != nil {
				return err
			}
			o := searchOptions{resume: resume}
			var err error
			if o.robust, err = robustOptions(robust, doubt, a.settings.Seed); err != nil {
				return err
			}
			return a.search(c.Context(), files, o)
		},
	}
	modelFlags(c.Flags())
	outputFlags(c.Flags())
	searchFlags(c.Flags())
	reportFlag(c.Flags())
	c.Flags().BoolVar(&robust, "robust", false, "rank mappings by what the confidence intervals of their figures "+
		"leave\nsure of their throughput, and tell which cannot be told apart")
	c.Flags().StringVar(&doubt, "doubt", "", "with --robust: by how many `PERCENT` figures without an\n"+
		"interval may be off")
	a.forceFlag(c.Flags())
	c.Flags().BoolVar(&resume, "resume", false, "go on from NAME.checkpoint.json, which an earlier search of the "+
		"same\ninputs left")
	return c
}

// searchOptions are what only this command has.
type searchOptions struct {
	resume bool
	robust *mapper.RobustOptions // nil for ranking by throughput
}

// robustPool is how many times more mappings than are shown are ranked again.
const robustPool = 10

// robustOptions reads --robust and --doubt.
func robustOptions(robust bool, doubt string, seed uint64) (*mapper.RobustOptions, error) {
	o := &mapper.RobustOptions{Seed: seed}
	if doubt != "" {
		x, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(doubt, "%")), 64)
		if err != nil || !(x >= 0 && x < 100) {
			return nil, &usageError{fmt.Errorf("--doubt is %s, want a percentage below 100, such as 20", doubt)}
		}
		o.Doubt = x / 100
	}
	switch {
	case robust:
		return o, nil
	case doubt != "":
		return nil, &usageError{errors.New("--doubt is for --robust")}
	}
	return nil, nil
}

// course keeps how a search goes, at intervals that grow with it.
type course struct {
	moments []report.Moment
	every   int
	skipped int
}

// mostMoments is how many are kept.
const mostMoments = 400

func (c *course) add(p mapper.Progress) {
	if c.skipped++; c.skipped <= c.every {
		return
	}
	c.skipped = 0
	c.moments = append(c.moments, report.Moment{Evals: p.Evals, Seconds: p.Elapsed.Seconds(),
		Temperature: report.Number(p.Temperature), Acceptance: report.Number(p.Acceptance)})
	if len(c.moments) == mostMoments { // every other one
		for i := range mostMoments / 2 {
			c.moments[i] = c.moments[2*i+1]
		}
		c.moments, c.every = c.moments[:mostMoments/2], 2*c.every+1
	}
}

// How much of --time is kept for what follows the search: a part of it, up to so much, or as
// many times what it took to read the files, up to half of it all.
const (
	reservePart  = 20
	reserveMost  = 5 * time.Second
	reserveLoads = 4
)

// searchTime is how long the search itself may take; 0 for no limit. --time is of the whole
// command.
func (a *app) searchTime() time.Duration {
	if a.settings.Time == 0 {
		return 0
	}
	all := a.settings.Time
	reserve := min(all/2, max(min(all/reservePart, reserveMost), reserveLoads*time.Since(a.begun)))
	return max(time.Millisecond, time.Until(a.begun.Add(all))-reserve)
}

// extras is a context for what is left out when the time is up, or after an interruption.
func (a *app) extras(ctx context.Context) (context.Context, context.CancelFunc) {
	if a.settings.Time == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, a.begun.Add(a.settings.Time))
}

func (a *app) search(ctx context.Context, files []string, o searchOptions) error {
	d, err := a.design(ctx, files, design.ForSearch)
	if err != nil {
		return err
	}
	out := outputs{a.settings.Output}
	if out.name == "" {
		out.name = baseName(files)
	}
	plan := a.plan()
	if err := out.plan(plan, a.settings.Top); err != nil {
		return err
	}
	a.planReport(plan, filepath.Base(out.name))
	if err := a.keepsRead(plan, d.Program, false, ""); err != nil {
		return err
	}
	goal, err := a.settings.goal()
	if err != nil {
		return &usageError{err}
	}
	keeper, from, err := a.keeper(d, goal, out, o.resume)
	if err != nil {
		return err
	}
	method, err := mapper.ParseMethod(a.settings.Method)
	if err != nil {
		return &usageError{err}
	}
	top := a.settings.Top
	if o.robust != nil {
		if !goal.Plain() {
			return &usageError{errors.New("--robust ranks mappings by throughput; leave --objective and the limits out")}
		}
		top = max(robustPool*top, 50)
	}
	var way course
	bar := newProgress(a.stderr, a.settings.Time, a.settings.Evals, goal.First())
	threads := a.settings.Threads
	if threads == 0 {
		threads = runtime.NumCPU()
		if from != nil {
			threads = from.Threads
		}
	}
	if from != nil {
		a.note("resumed from %s: %s evaluations were made before, in %s", keeper.path, units.Count(float64(from.Evals)),
			units.Time(from.Elapsed.Seconds()))
	}
	found, err := mapper.Search(ctx, d.Problem, d.Constraints, mapper.Options{
		Method: method,
		Seed:   a.settings.Seed, Threads: threads, MaxTime: a.searchTime(), MaxEvals: a.settings.Evals,
		Top: top, Goal: goal, Progress: func(p mapper.Progress) { bar.update(p); way.add(p) },
		Checkpoint: keeper.save(ctx), CheckpointEvery: a.settings.Checkpoint, Resume: from,
	})
	bar.close(ctx.Err() != nil)
	if e := keeper.err; e != nil {
		a.note("warning: %v", e)
	}
	var wrong *mapper.StateError
	switch {
	case errors.As(err, &wrong):
		return &usageError{fmt.Errorf("--resume: %s: %w; search as then, or without --resume", keeper.path, err)}
	case err != nil:
		return fmt.Errorf("searching mappings: %w", err)
	}
	extras, cancel := a.extras(ctx)
	defer cancel()
	var ranks []mapper.Robustness
	var ranked *mapper.RobustReport
	if o.robust != nil {
		list, how, summary, err := mapper.Robust(extras, d.Problem, found.Candidates, *o.robust)
		switch {
		case err == nil:
			found.Candidates, ranks, ranked = list, how, summary
		case extras.Err() != nil:
			a.note("warning: interrupted, or the time was up; the mappings are ranked by throughput, not by what is " +
				"sure of it")
		default:
			return fmt.Errorf("ranking mappings: %w", err)
		}
		found.Candidates = found.Candidates[:min(a.settings.Top, len(found.Candidates))]
	}
	// What was found is printed and saved even when the search was interrupted.
	r, maps, err := a.searchResult(context.WithoutCancel(ctx), extras, d, goal, found, way.moments, files, out,
		func(r *report.Result) {
			if ranked != nil {
				r.SetRobust(ranked, ranks)
			}
		})
	// Whatever fails from here on, the rest is printed and saved.
	err = errors.Join(err, out.save(r, maps), a.print(r), a.keepReport(filepath.Base(out.name), r))
	if ctx.Err() != nil {
		a.code = exitInterrupted
	}
	if err != nil {
		return err
	}
	nodes := ""
	if found.ProofNodes > 0 {
		nodes = fmt.Sprintf(" and %d partial ones looked at", found.ProofNodes)
	}
	a.note("%d mappings scored%s in %s (%s/s, measured here); wrote %s and %s", found.Evals, nodes,
		units.Time(found.Elapsed.Seconds()),
		units.Count(float64(found.Evals+found.ProofNodes)/max(found.Elapsed.Seconds(), 1e-9)), out.result(),
		mapFiles(out, len(found.Candidates)))
	if left := out.stale(len(found.Candidates)); len(left) > 0 {
		a.note("%s: left by an earlier search", strings.Join(left, ", "))
	}
	if err := keeper.end(found); err != nil {
		return err
	}
	if keeper.left {
		a.note("--resume goes on from %s", keeper.path)
	}
	if found.Status == mapper.Interrupted || ctx.Err() != nil {
		a.code = exitInterrupted
	}
	return nil
}

// note prints a remark on standard error.
func (a *app) note(format string, args ...any) { fmt.Fprintf(a.stderr, format+"\n", args...) }

// mapFiles names the map files written.
func mapFiles(out outputs, n int) string {
	if n == 1 {
		return out.mapping(1)
	}
	return out.mapping(1) + " … " + out.mapping(n)
}

// searchResult predicts every candidate, and returns the result and the text of the map file of
// each. An error tells what is not in them. What else there is to be said is left out when
// the second context ends.
func (a *app) searchResult(ctx, extras context.Context, d *design.Design, goal mapper.Goal, found *mapper.Result,
	course []report.Moment, files []string, out outputs, more func(*report.Result)) (*report.Result, []mapText, error) {
	r := newResult(d, a.commandLine(files, found.Threads))
	r.Search = &report.Search{
		Method: found.Method.String(), Status: found.Status.String(), Optimal: found.Optimal(),
		Bound: report.Number(found.Bound), ProofNodes: found.ProofNodes,
		Seed: found.Seed, Threads: found.Threads, Evals: found.Evals, Seconds: found.Elapsed.Seconds(),
		Placements: found.Space.String(), LeftOut: found.LeftOut, Course: course,
	}
	r.Search.MinThroughput, r.Search.MaxLatency, r.Search.MaxBuffer = report.Number(goal.MinThroughput),
		report.Number(goal.MaxLatency), report.Number(goal.MaxBuffer)
	if goal.Several() || goal.First() != mapper.Throughput {
		for _, o := range goal.Objectives {
			r.Search.Objectives = append(r.Search.Objectives, o.String())
		}
	}
	if found.Runs > 1 {
		r.Search.Runs = found.Runs
	}
	for _, p := range found.History {
		r.Search.History = append(r.Search.History, report.Rise{Evals: p.Evals, Seconds: p.Elapsed.Seconds(),
			Throughput: report.Number(p.Throughput)})
	}
	var errs []error
	var maps []mapText
	var mappings []*flow.Mapping
	for i := range found.Candidates {
		m := found.Candidates[i].Mapping
		c, err := report.PredictWithin(ctx, extras, d, m, flow.Fast{}, fmt.Sprint(i+1))
		if err != nil {
			errs = append(errs, fmt.Errorf("scoring candidate %d: %w", i+1, err))
			continue
		}
		c.Measures = report.MeasuresOf(&found.Candidates[i].Measures)
		errs = append(errs, a.addRun(c))
		path := out.mapping(i + 1)
		score := slices.Concat([]string{"xopt", "eval"}, files, []string{path}, a.scoreFlags())
		header := fmt.Sprintf("Candidate %d: %s (%s).\nFound by: %s\nwith xopt %s\nScore it:  %s",
			i+1, units.Rate(float64(c.Throughput)), c.Basis(), shellLine(r.Command), version(), shellLine(score))
		var text bytes.Buffer
		if err := d.WriteMapping(&text, m, nil, header); err != nil {
			errs = append(errs, fmt.Errorf("candidate %d has no map file: %w", i+1, err))
		} else {
			c.File, maps = path, append(maps, mapText{path, text.Bytes()})
		}
		r.Candidates, mappings = append(r.Candidates, *c), append(mappings, m)
	}
	more(r)
	errs = append(errs, a.complete(ctx, extras, r, d, mappings))
	return r, maps, errors.Join(errs...)
}

// mapText is a map file that is to be written.
type mapText struct {
	path string
	text []byte
}

// save writes the result file, then the map files that it names.
func (o outputs) save(r *report.Result, maps []mapText) error {
	if err := report.WriteFile(o.result(), r.Encode); err != nil {
		return err // map files without it would be taken for those of an earlier search
	}
	var errs []error
	for _, m := range maps {
		errs = append(errs, report.WriteFile(m.path, func(w io.Writer) error { _, err := w.Write(m.text); return err }))
	}
	return errors.Join(errs...)
}

// commandLine is the command that gives the same answer.
func (a *app) commandLine(files []string, threads int) []string {
	s := &a.settings
	line := append([]string{"xopt", "search"}, files...)
	line = append(line, "--seed", fmt.Sprint(s.Seed), "--threads", fmt.Sprint(threads), "--top", fmt.Sprint(s.Top),
		"--method", s.Method)
	if s.Evals > 0 {
		line = append(line, "--evals", fmt.Sprint(s.Evals))
	}
	line = append(line, "--time", s.Time.String())
	line = append(line, s.goalFlags()...)
	return append(line, a.scoreFlags()...)
}

// scoreFlags are the flags that a score depends on, where they are not the
// defaults.
func (a *app) scoreFlags() []string {
	s := &a.settings
	var flags []string
	add := func(name, value string) { flags = append(flags, "--"+name, value) }
	for _, x := range s.Set {
		add("set", x)
	}
	for _, x := range s.Figure {
		add("figure", x)
	}
	if s.Phi != flow.DefaultMaxUtilization {
		add("phi", fmt.Sprint(s.Phi))
	}
	if s.Profile != "" {
		add("profile", s.Profile)
	}
	if s.Sharing != "" {
		add("sharing", s.Sharing)
	}
	if s.AllowMismatch {
		flags = append(flags, "--allow-mismatch")
	}
	return flags
}

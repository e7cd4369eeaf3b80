package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"xopt/bench/unseen"
	"xopt/cmd/internal/report"
	deployrun "xopt/deploy/run"
	"xopt/internal/units"
)

func (a *app) benchUnseenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unseen",
		Short: "how well applications are predicted that xopt was not tuned on, drawn by a seed",
		Long: `unseen draws applications of 4 to 20 kernels in C: filters, transforms, matrices, tables in
and beyond caches, hops through memory, sorting, hashes, parsing, compression, in
pipelines, parallel copies and branches, with sizes and rates that are drawn, too. It
measures the kernels of each alone, searches and draws mappings onto the cores of this
machine, predicts them, and runs all in turns. It prints the errors of the predicted
throughput beside the machine's own repeatability: by how much two measurements of the
same mapping differ at the most, in 95 % of cases. A smaller error says nothing.

A seed that was never run before decides: results of seeds that were looked at while
xopt was worked on show less. Ctrl-C prints what has been done.`,
		Example: `xopt bench unseen --seed 7
xopt bench unseen --seed 100 --apps 10 --md unseen.md --out unseen`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if is, err := a.campaignOf(c, nil); is {
				return err
			}
			if a.answers != nil {
				return a.collectUnseen()
			}
			return a.benchUnseen(c, &a.settings.bench)
		},
	}
}

func (a *app) benchUnseen(c *cobra.Command, f *benchFlags) error {
	if f.out != "" {
		if _, err := os.Lstat(f.out); !errors.Is(err, fs.ErrNotExist) {
			return &usageError{fmt.Errorf("%s exists; name a new folder with --out", f.out)}
		}
	}
	o := unseen.Options{Seed: a.settings.Seed, Apps: f.apps, Mappings: f.mappings, Runs: f.runs, Window: f.window,
		Budget: f.budget, Out: f.out}
	what := "1 application"
	if f.apps > 1 {
		what = fmt.Sprintf("%d applications", f.apps)
	}
	a.note("measuring and running %s takes about %s, more where runs differ and are repeated", what,
		roundTime(o.Estimate()))
	work := a.longWork("drawing applications, second")
	defer work.end()
	o.Progress = func(what string, done, all time.Duration) {
		work.at(what + ", second")
		work.step(int(done.Seconds()), int(all.Seconds()))
	}
	r, err := unseen.Run(c.Context(), o)
	work.end()
	if r.Partial {
		a.code = exitInterrupted
		if err = nil; r.Overall == nil {
			a.note("interrupted before anything ran")
			return nil
		}
		a.remark("interrupted: the figures are of what had been run until then")
	}
	for i := range r.Apps {
		s := &r.Apps[i]
		if s.Fail != "" {
			a.remark(fmt.Sprintf("seed %d: %s", s.Seed, s.Fail))
		}
		if s.Disturbed != "" {
			a.remark(fmt.Sprintf("warning: seed %d: the machine was disturbed while its kernels were measured: %s",
				s.Seed,
				s.Disturbed))
		}
	}
	if o := r.Overall; o != nil && o.Repeats.Median > unsteady {
		a.remark(fmt.Sprintf("warning: two measurements of one mapping differ by up to %s here: the machine was "+
			"disturbed, "+
			"and errors of that size are not those of predictions", units.Percent(o.Repeats.Median)))
	}
	return errors.Join(err, a.showUnseen(r, f))
}

// unsteady is how far measurements may differ, relatively, before a warning says so.
const unsteady = 0.03

// showUnseen prints the figures; all mappings are on the page and in the JSON alone.
func (a *app) showUnseen(r *unseen.Results, f *benchFlags) error {
	var parts []report.Part
	for _, t := range []*report.Table{report.UnseenApps(r, f.runs, f.window), report.UnseenInAll(r),
		report.UnseenWorst(r)} {
		if t != nil {
			parts = append(parts, report.Part{Table: t})
		}
	}
	a.measured(parts...)
	if t := report.UnseenMappings(r); t != nil {
		a.measured(report.Part{Table: t})
	}
	var err error
	if a.settings.JSON {
		err = a.printJSON(r)
	} else {
		err = a.show(append([]report.Part{report.Machine(&r.Machine)}, parts...)...)
	}
	if r.Overall == nil && a.code == 0 {
		err = errors.Join(err, errors.New("no application could be run"))
	}
	return err
}

// benchUnseenOptions are those of bench unseen.
func benchUnseenOptions() []option {
	in := []string{"bench unseen"}
	return []option{
		{name: "seed", kind: kindCount, usual: "1", group: groupDrawn,
			in:   in,
			to:   func(s *settings) any { return &s.Seed },
			help: "seed of the first application; the others have those after it"},
		{name: "apps", kind: kindNumber, usual: "1", group: groupDrawn, perhaps: ofCommand,
			check: between(1, maxGraphs),
			in:    in,
			to:    func(s *settings) any { return &s.bench.apps },
			help:  "number of applications"},
		{name: "mappings", kind: kindNumber, usual: "10", group: groupDrawn, perhaps: ofCommand,
			check: between(1, maxMappings),
			in:    in,
			to:    func(s *settings) any { return &s.bench.mappings },
			help:  "number of mappings of each: half by a search, half at random"},
		{name: "runs", kind: kindNumber, usual: "3", group: groupRun, perhaps: ofCommand, check: atLeastValue(1),
			in:   in,
			to:   func(s *settings) any { return &s.bench.runs },
			help: "number of runs of each mapping, which alternate; more where they differ"},
		{name: "window", kind: kindDuration, usual: "1s", group: groupRun, perhaps: ofCommand,
			check: atLeastValue(5 * deployrun.MinFrame),
			in:    in,
			to:    func(s *settings) any { return &s.bench.window },
			help:  "length of each run, after it has settled"},
		{name: "budget", kind: kindDuration, usual: "45s", group: groupRun, perhaps: ofCommand, check: aboveZero,
			in:   in,
			to:   func(s *settings) any { return &s.bench.budget },
			help: "time to measure the kernels of each application alone"},
		{name: "out", short: "o", kind: kindFolder, group: groupOutput, perhaps: ofCommand,
			in:   in,
			to:   func(s *settings) any { return &s.bench.out },
			help: "keep the applications and their profiles in this folder, which must not exist"},
	}
}

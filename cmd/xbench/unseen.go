package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/pflag"

	"xopt/bench/unseen"
	"xopt/cmd/faults"
	"xopt/cmd/internal/report"
	"xopt/deploy/run"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// unseenApps returns the benchmark that measures the quality of predictions for randomly drawn applications.
func unseenApps() *benchmark {
	return &benchmark{
		use:   "unseen",
		short: "predictions of random applications that xopt was not tuned on",
		long: `unseen generates random applications of 4 to 20 kernels in C, in pipelines, parallel copies
and branches, with random sizes and rates. There are five kinds:
  vector   filters, transforms, matrices, tables, pointer chasing, sorting, hashes, compression
  text     tokenizers, coders and aggregators on text
  records  single bytes, and records of 2 to 64 bytes
  uneven   all of these, with a kernel that has hundreds of times the work of other kernels
  mixed    all of these
Some applications read or write a file.

unseen measures the kernels of each application alone, searches mappings to the cores of this
machine, adds random mappings, predicts all mappings, and runs them alternately. It prints the errors of the
predicted throughput and the critical difference: in 95 % of pairs, two measurements of the same
mapping differ by at most this value. An error below this value is not significant.

Use a seed that was never run before: results of seeds that were examined during the development
of xopt prove less. Ctrl-C prints the results so far.`,
		example: `xbench unseen --seed 7
xbench unseen --seed 100 --apps 10 --md unseen.md --out unseen`,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			o := &unseen.Options{}
			f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the first application; the next applications have the next "+
				"seeds")
			f.IntVar(&o.Apps, "apps", 1, "`number` of applications")
			f.IntVar(&o.Mappings, "mappings", 10, "`number` of mappings of each application: half from a "+
				"search, half random")
			f.IntVar(&o.Runs, "runs", 3, "`number` of runs of each mapping, alternating with runs of other mappings; "+
				"xbench repeats runs that differ")
			f.DurationVar(&o.Window, "window", time.Second, "`duration` of each run, without its warm-up")
			f.DurationVar(&o.Budget, "budget", 45*time.Second, "`time` to measure the kernels of each "+
				"application alone")
			f.StringVarP(&o.Out, "out", "o", "", "keep the applications and their profiles in this `folder`, "+
				"which must not exist")
			check := func() error {
				return errors.Join(between("apps", o.Apps, 1, maxGraphs), between("mappings", o.Mappings, 1,
					maxMappings),
					between("runs", o.Runs, 1, maxRuns), between("window", o.Window, 5*run.MinFrame, maxWindow),
					between("budget", o.Budget, 1, maxDuration))
			}
			return check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				return measureUnseen(ctx, s, o)
			}
		},
	}
}

// unsteady is the median repeatability of mappings above which xbench prints a remark.
const unsteady = 0.03

// measureUnseen draws, calibrates and runs the applications.
func measureUnseen(ctx context.Context, s *session, o *unseen.Options) (any, []*report.Table, error) {
	if o.Out != "" {
		if _, err := os.Lstat(o.Out); !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fault.AlreadyExists.Usagef("%s exists (choose a new folder with --out)", o.Out)
		}
	}
	s.note(fmt.Sprintf("measuring and running %s takes about %s, or longer if xbench repeats runs that differ",
		units.Counted(o.Apps, "application", "applications"), o.Estimate().Round(time.Second)))
	o.Progress = func(_ string, done, all time.Duration) { s.progress(int(done.Seconds()), int(all.Seconds())) }
	r, err := unseen.Run(ctx, *o)
	if r.Partial {
		err = errInterrupted
		if r.Overall == nil {
			return nil, nil, err
		}
		s.remark("interrupted: the figures include only completed runs")
	}
	for i := range r.Apps {
		x := &r.Apps[i]
		if why := cmp.Or(x.Fail, x.Excluded()); why != "" {
			s.remark(fmt.Sprintf("seed %d: %s", x.Seed, why))
		}
		if x.Disturbed != "" {
			s.remark(fmt.Sprintf("warning: seed %d: the machine was disturbed while its kernels were measured: %s",
				x.Seed, x.Disturbed))
		}
	}
	if a := r.Overall; a != nil && a.Repeats.Median > unsteady {
		s.remark(fmt.Sprintf("warning: two measurements of the same mapping differ by up to %s: the machine "+
			"was disturbed, and errors of this size are not significant", units.Percent(a.Repeats.Median)))
	}
	if r.Overall == nil && err == nil {
		err = faults.NoApplicationRan.Errorf("no application could be measured and run (see the notes)")
	}
	return r, []*report.Table{report.UnseenApps(r, o.Runs, o.Window), report.UnseenInAll(r), report.UnseenKinds(r),
		report.UnseenWorst(r), report.UnseenMappings(r)}, err
}

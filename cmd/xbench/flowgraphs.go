package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"xopt/bench/flowgraphs"
	"xopt/cmd/internal/report"
)

// flowGraphs returns the benchmark of xopt gnuradio.
func flowGraphs() *benchmark {
	return &benchmark{
		use:   "gnuradio",
		short: "answers of xopt gnuradio on flow graphs that were not used to build it",
		long: `gnuradio draws examples of GNU Radio and graphs of random blocks. With each graph, it does what a
user does: measure, doctor --verify, apply the advised change, if any, and compare. Hardware is replaced and
throttles are removed. Examples that cannot be measured are listed with the reason.

The experiment adds processor work w (in s/s) to the thread of the busiest block, and to that of another block.
With n processors, the named limit agrees with the experiment in these cases:

- thread: the busiest block loses at least w/2n of the rate, and more than the other block
- processors: both blocks lose at least w/2n
- waiting (blocks wait for each other): both blocks lose at least w/2s, if the threads use s > 1 processors
- idle, throttle or hardware: the busiest block loses less than w/2

The rate of unsteady graphs varies too much to name a limit.

By default, the command takes about 90 minutes. After an interruption, it shows the graphs that are complete.`,
		example: `xbench gnuradio --examples 5 --random 5
xbench gnuradio --md docs/results/gnuradio.md`,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			o := &flowgraphs.Options{}
			f.StringVar(&o.Folder, "folder", "/usr/share/gnuradio/examples", "`folder` with GNU Radio's examples")
			f.IntVar(&o.Examples, "examples", 20, "`number` of examples")
			f.IntVar(&o.Random, "random", 20, "`number` of random graphs")
			f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the random choices")
			f.DurationVar(&o.Time, "run-time", 2*time.Second, "measured `time` of each run")
			f.IntVar(&o.Pairs, "pairs", 5, "`number` of runs of each graph in a comparison")
			check := func() error {
				return errors.Join(between("examples", o.Examples, 0, maxRuns),
					between("random", o.Random, 0, maxRuns), between("run-time", o.Time, 1, maxDuration),
					between("pairs", o.Pairs, 2, maxRuns))
			}
			return check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				o.Progress = s.progress
				r, err := flowgraphs.Run(ctx, *o)
				switch {
				case ctx.Err() != nil && r != nil && len(r.Graphs) > 0:
					s.remark("interrupted: the tables contain only complete graphs")
					err = errInterrupted
				case err != nil:
					return nil, nil, err
				}
				return r, report.FlowGraphStudy(r), err
			}
		},
	}
}

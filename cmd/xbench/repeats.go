package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"xopt/bench/unseen"
	"xopt/cmd/internal/report"
)

// calibrations returns the benchmark that measures the repeatability of calibrations.
func calibrations() *benchmark {
	return &benchmark{
		use:   "repeats [app.x arch.x ...]",
		short: "several calibrations of one application in a row, and their predictions",
		long: `repeats measures the kernels of an application several times, one calibration after the
other, and predicts the same random mappings with the figures of each calibration. It prints every figure
with its 95 % intervals, and the largest change of each prediction. Without files, it uses the
random application of --seed, as xbench unseen does.`,
		example: `xbench repeats --seed 7
xbench repeats app.x arch.x --times 3`,
		files: 10,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			o := &unseen.RepeatOptions{}
			f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the random application, and of the mappings")
			f.IntVar(&o.Times, "times", 2, "`number` of calibrations")
			f.IntVar(&o.Mappings, "mappings", 20, "`number` of random mappings")
			f.DurationVar(&o.Budget, "budget", 45*time.Second, "`time` to measure the kernels alone, in each "+
				"calibration")
			check := func() error {
				return errors.Join(between("times", o.Times, 2, maxRuns), between("mappings", o.Mappings, 1,
					maxMappings), between("budget", o.Budget, 1, maxDuration))
			}
			return check, func(ctx context.Context, s *session, files []string) (any, []*report.Table, error) {
				o.Files = files
				o.Progress = func(_ string, done, all time.Duration) {
					s.progress(int(done.Seconds()), int(all.Seconds()))
				}
				r, err := unseen.Repeat(ctx, *o)
				if err != nil {
					return nil, nil, err
				}
				for _, text := range r.Disturbed {
					if text != "" {
						s.remark("warning: a calibration was disturbed: " + text)
					}
				}
				return r, []*report.Table{report.RepeatedPredictions(r), report.RepeatedCosts(r)}, nil
			}
		},
	}
}

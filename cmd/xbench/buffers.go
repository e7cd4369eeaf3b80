package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"xopt/bench/apps"
	"xopt/bench/micro"
	"xopt/cmd/internal/report"
)

// buffers returns the benchmark that compares methods that size buffers.
func buffers() *benchmark {
	return &benchmark{
		use:   "buffers",
		short: "methods of sizing buffers: throughput, memory, latency",
		long: `buffers runs every bundled application, and random task graphs, on two cores of this machine
with three methods of sizing buffers: 256 KiB each, as recommended for the mapping, and as
RaftLib does (64 elements at the start, doubled while their writers are blocked). Runs with the
three methods alternate. The command compares each run with the adjacent run with 256 KiB. A
second run with 256 KiB shows the noise of the machine. The command first measures the kernels
of each application alone. Figures are medians, with their 95 % confidence intervals. The rate
is measured at the sources, without the first sixth of each run. If buffers are still filling
after the first sixth, the rate is measured at the sinks. The latency is measured from a source
to a sink.`,
		example: `xbench buffers
xbench buffers --only jpeg,des --graphs 0`,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			var names []string
			for _, a := range apps.List() {
				if a.Name != "ring" { // it has a single edge and no work
					names = append(names, a.Name)
				}
			}
			t := timingOf(f, 7, 500*time.Millisecond)
			only := f.StringSlice("only", names, "bundled `applications` to run, separated by commas")
			graphs := f.Int("graphs", 4, "`number` of random applications")
			seed := f.Uint64("seed", 1, "`seed` of the random applications")
			budget := f.Duration("budget", 10*time.Second, "`time` to measure the kernels of each application alone")
			check := func() error {
				return errors.Join(t.check(), oneOf("only", *only, names),
					between("graphs", *graphs, 0, maxGraphs), between("budget", *budget, 1,
						maxDuration))
			}
			return check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				cases, err := micro.Buffers(ctx, micro.BuffersOptions{Runs: t.runs, Window: t.window, Budget: *budget,
					Graphs: *graphs, Apps: *only, Seed: *seed, Progress: s.progress})
				if err != nil {
					return nil, nil, fmt.Errorf("measuring buffers: %w", err)
				}
				for i := range cases {
					for w, way := range micro.BuffersWays() {
						if hung := cases[i].Ways[w].Hung; hung != "" {
							s.remark(fmt.Sprintf("%s, %s: %s", cases[i].Name, way, hung))
						}
					}
				}
				return cases, []*report.Table{report.SizedBuffers(cases, t.runs, t.window),
					report.SizedBuffersInAll(cases)}, nil
			}
		},
	}
}

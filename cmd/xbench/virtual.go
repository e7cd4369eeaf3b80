package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"xopt/bench/paper"
	"xopt/bench/pharos"
	"xopt/cmd/internal/report"
	"xopt/deploy/run"
	"xopt/hdl/rtl"
)

// xsim returns the benchmark that simulates a hybrid application at several bandwidths of its bus.
func xsim() *benchmark {
	return &benchmark{
		use:   "xsim",
		short: "a hybrid application at several bus bandwidths, and the speed of its simulation",
		long: `xsim measures the kernels of VERITAS in fixed point (bench/apps/veritas/fixed.x). It predicts
and simulates two mappings at several bandwidths of the bus between cores and FPGA, as in Gayen
2008, Tables 6.1 and 6.2: Chopper on the second core (mapA), and on the FPGA (mapB).`,
		example: "xbench xsim\nxbench xsim --pipes 1",
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			window := f.Duration("window", 20*time.Millisecond, "virtual `time` of each measurement, after a "+
				"warm-up of the same length")
			pipes := f.IntSlice("pipes", []int{1, 2}, "`numbers` of pipes")
			check := func() error {
				return errors.Join(between("window", *window, run.MinFrame, maxWindow),
					allBetween("pipes", *pipes, 1, maxGraphs))
			}
			return check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				points, speeds, err := paper.Hybrid(ctx, paper.HybridOptions{Bandwidths: []float64{2e6, 5e6,
					10.67e6, 20e6,
					40e6, 80e6, 160e6, 640e6}, Pipes: *pipes, Window: *window, Note: s.note})
				if err != nil {
					return nil, nil, err
				}
				return map[string]any{"points": points, "speeds": speeds},
					[]*report.Table{report.OverTheBus(points), report.Speeds(speeds)}, nil
			}
		},
	}
}

// replay returns the benchmark that replays the service times from one mapping in other mappings.
func replay() *benchmark {
	return &benchmark{
		use:   "replay",
		short: "service times of one mapping, replayed in other mappings and compared with native runs",
		long: `replay runs jpeg, des and blastn in three mappings each and records the service time of every
firing in the first mapping. It simulates all three mappings in virtual time: with the recorded
times in their order, and with times drawn from gamma distributions of the same mean and scv
(Gayen 2008, ch. 5 and 6).

Recording adds to the service times. The command therefore scales the recorded times to the mean
service times of the native runs of the first mapping. If root runs the command, native runs are
in the real-time class rr, which other programs cannot preempt.`,
		example: "xbench replay --runs 9",
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			runs := f.Int("runs", 9, "`number` of native runs of each mapping, alternating with runs of other mappings")
			check := func() error { return between("runs", *runs, 1, maxRuns) }
			return check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				list, err := paper.Replays(ctx, paper.ReplayOptions{Runs: *runs, Note: s.note})
				if err != nil {
					return nil, nil, err
				}
				return slices.Clone(list), []*report.Table{report.Replays(list, paper.RealTime())}, nil
			}
		},
	}
}

// Number of synchronizations for each clock setting, and the limit on packets.
const (
	clockSyncs      = 200
	maxClockPackets = 10_000_000
)

// clocks returns the benchmark that repeats the experiments of Rafii 2021 with several FPGAs.
func clocks() *benchmark {
	return &benchmark{
		use:   "clocks",
		short: "synchronized time of FPGAs on a network: errors, latencies, traffic",
		long: `clocks simulates the Verilog of hdl/net on up to six FPGAs, each with its own clock, over a
network in virtual time (Rafii 2021, ch. 4). It shows the corrections of pPTP slaves for
intervals of 100 us to 10 s (Fig. 4.3), latencies at full load (Table 4.1), and the counts of
traffic monitors (4.4.2), beside the published figures. It also prints the true error of the
pPTP time, which the thesis could not measure, with load, jitter, drift and unequal path delays.
Other programs do not influence the figures.

The simulation skips times in which every FPGA only counts cycles. A test compares its results
with a simulation that skips nothing.`,
		example: "xbench clocks\nxbench clocks --elements 100000",
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			packets := f.Uint64("elements", 1_000_000, "`number` of packets for the traffic monitors; Rafii 2021 uses "+
				"1000000")
			check := func() error { return between("elements", *packets, minQueued, maxClockPackets) }
			return check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				b, err := pharos.New(ctx, rtl.UserCache(ctx))
				if err != nil {
					return nil, nil, fmt.Errorf("simulating several FPGAs: %w", err)
				}
				const steps = 4
				s.progress(0, steps)
				offsets, err := b.Fig43(ctx)
				if err != nil {
					return nil, nil, err
				}
				s.progress(1, steps)
				errs, err := b.TrueErrors(ctx, clockSyncs)
				if err != nil {
					return nil, nil, err
				}
				s.progress(2, steps)
				latencies, around, err := b.Table41(ctx, 1)
				if err != nil {
					return nil, nil, err
				}
				s.progress(3, steps)
				monitors, err := b.Traffic(ctx, *packets)
				if err != nil {
					return nil, nil, err
				}
				return map[string]any{"offsets": offsets, "errors": errs, "latencies": latencies, "around": around,
						"traffic": monitors}, []*report.Table{report.PharosOffsets(offsets),
						report.PharosErrors(errs),
						report.PharosLatencies(latencies, around), report.PharosTraffic(monitors)}, nil
			}
		},
	}
}

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"xopt/bench/micro"
	"xopt/cmd/internal/report"
	"xopt/internal/fault"
)

// taps returns the benchmark that measures the cost of taps.
func taps() *benchmark {
	return &benchmark{
		use:   "taps",
		short: "throughput loss of a chain of eleven kernels because of taps",
		long: `taps measures the throughput that the chain of eleven kernels of Lancaster 2011, section 4.7.2,
loses because of its taps. The chain is divided over two cores of this machine. Runs with and
without taps alternate. The command compares each run with the adjacent run without taps. The
second variant has no taps either: it shows the noise. The last variant records every event in a
trace, as deploy --trace does, and reports the part of the events that the trace contains. Each
figure is a median, with its 95 % confidence interval.`,
		example: `xbench taps
xbench taps --message 64`,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			t := timingOf(f, 31, 400*time.Millisecond)
			bytes := f.Int("message", 0, "size of the messages in `bytes`: 64, 16384 or 65536; 0 for all three")
			return t.check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				if !slices.Contains([]int{0, 64, 16384, 65536}, *bytes) {
					return nil, nil, fault.WrongValue("message", *bytes,
						"64, 16384, 65536, or 0 for all")
				}
				cases, err := micro.Taps(ctx, micro.TapsOptions{Pairs: t.runs, Window: t.window, Bytes: *bytes,
					Progress: s.progress})
				if err != nil {
					return nil, nil, fmt.Errorf("measuring the cost of taps: %w", err)
				}
				return cases, []*report.Table{report.Taps(cases, t.runs, t.window)}, nil
			}
		},
	}
}

// hardware returns the benchmark that measures the area of hardware taps and their effect on clock rates.
func hardware() *benchmark {
	return &benchmark{
		use:   "hardware",
		short: "area of hardware taps, and their effect on clock rates",
		long: `hardware synthesizes (yosys), places (nextpnr, iCE40 HX8K, seven seeds) and simulates two
designs, with and without monitors. The first design has the configurations of Lancaster 2011,
Tables 4.2 and 4.3: a chain of adders and queues, with monitors of the queues, averagers, and
the agent that collects them. The second design has the cores for N queens of Koehler 2007,
Table 2, with monitors that count the cycles of each state. The command also measures the speed
of its simulation.`,
		example: "xbench hardware",
		declare: func(*pflag.FlagSet) (func() error, measure) {
			check := func() error { return nil } // there are no options
			return check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				list, err := micro.TapCosts(ctx, s.note)
				if err != nil {
					return nil, nil, err
				}
				queens, err := micro.QueensCosts(ctx, s.note)
				if err != nil {
					return nil, nil, err
				}
				speeds, err := micro.QueensSpeeds(ctx, s.note)
				if err != nil {
					return nil, nil, err
				}
				areas, clocks := report.TapCosts(list)
				return map[string]any{"taps": list, "queens": queens, "speeds": speeds},
					[]*report.Table{areas, clocks, report.QueensCosts(queens), report.QueensSpeeds(speeds)}, nil
			}
		},
	}
}

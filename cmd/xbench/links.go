package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"runtime"

	"xopt/bench/micro"
	"xopt/bench/networks"
	"xopt/cmd/internal/report"
	"xopt/internal/release"
)

// ring returns the benchmark that measures links between two cores.
func ring() *benchmark {
	return &benchmark{
		use:   "ring",
		short: "messages per second between two cores: an edge, a pipe, a Unix socket, a Go channel",
		long: `ring measures the rate of messages from one core of this machine to another: over an edge of a
deployed application, a pipe, a Unix socket, and a channel of a Go program. The sender writes
every word of a message, and the receiver checks every word. The Go channel passes pointers.
Each figure is the median of alternating runs, with its 95 % confidence interval.`,
		example: `xbench ring
xbench ring --runs 31`,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			t := timingOf(f, 9, 500*time.Millisecond)
			return t.check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				cases, err := micro.Ring(ctx, micro.RingOptions{Runs: t.runs, Window: t.window, Progress: s.progress})
				if err != nil {
					return nil, nil, fmt.Errorf("measuring edges in shared memory: %w", err)
				}
				return cases, []*report.Table{report.Rings(cases, t.runs, t.window)}, nil
			}
		},
	}
}

// network returns the benchmark that measures TCP links.
func network() *benchmark {
	return &benchmark{
		use:   "network",
		short: "messages per second over TCP: an edge between hosts, iperf3, ZeroMQ",
		long: `network measures the rate of messages over TCP from one processor of this machine to another,
over the loopback interface. It compares an edge between two hosts (both are this machine),
iperf3, and a PUSH and a PULL socket of ZeroMQ. It skips iperf3 or ZeroMQ if it is not
installed. No program writes or reads the content of the messages. Each figure is the median of
alternating runs, with its 95 % confidence interval.`,
		example: `xbench network
xbench network --runs 9 --window 5s`,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			t := timingOf(f, 5, 2*time.Second)
			return t.check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				cases, err := micro.Network(ctx, micro.RingOptions{Runs: t.runs, Window: t.window,
					Progress: s.progress})
				if err != nil {
					return nil, nil, fmt.Errorf("measuring edges over TCP: %w", err)
				}
				return cases, []*report.Table{report.Network(cases, t.runs, t.window)}, nil
			}
		},
	}
}

// hosts returns the benchmark that compares predictions and runs of mappings on several hosts.
func hosts() *benchmark {
	return &benchmark{
		use:   "hosts",
		short: "predictions and runs of mappings over several hosts",
		long: `hosts emulates networks of two and three hosts on this machine. Each host is a network namespace
of Linux. The cables have a bandwidth of 80 or 800 Mbit/s, or no limit, and a delay of up to 20
ms. The command calibrates the kernels of test1 and each network, and searches the best mapping
that has the first source on the first host and the sink on the last host. It runs this mapping
and random mappings, and compares their throughput with the prediction. It also compares the
mapping of the search with the best mapping.

The command needs root and the command ip. A network without a limit, or of three hosts and 800
Mbit/s, needs a processor for each host. The command skips such a network on a machine with
fewer processors, because the model does not include hosts that share a machine.`,
		example: `xbench hosts
xbench hosts --runs 1 --mappings 5`,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			t := timingOf(f, 3, time.Second)
			mappings := f.Int("mappings", 20, "`number` of mappings to run on each network")
			seed := f.Uint64("seed", 1, "`seed` of the random mappings")
			check := func() error { return errors.Join(t.check(), between("mappings", *mappings, 1, maxMappings)) }
			return check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				shown, list := "", networks.Networks(runtime.NumCPU())
				cases, err := networks.Measure(ctx, networks.Options{Runs: t.runs, Window: t.window,
					Mappings: *mappings,
					Seed:     *seed, Networks: list, Command: partLine(),
					Version: release.Build(),
					Progress: func(stage string, done, _ int) {
						if stage != shown {
							shown = stage
							s.note(fmt.Sprintf("network %d of %d: %s", done+1, len(list), stage))
						}
					}})
				if err != nil {
					return nil, nil, err
				}
				return cases, []*report.Table{report.Hosts(cases, t.runs, t.window), report.HostMappings(cases)}, nil
			}
		},
	}
}

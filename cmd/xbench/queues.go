package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"xopt/bench/micro"
	"xopt/calibrate"
	"xopt/cmd/internal/report"
)

// Limits of --elements for queues.
const (
	minQueued = 1000
	maxQueued = 1 << 20
)

// queues returns the benchmark that compares measured queues with theory.
func queues() *benchmark {
	return &benchmark{
		use:   "queues",
		short: "queues with a known solution: M/M/1, M/D/1 and two in series, measured and in theory",
		long: `queues runs a source with Poisson arrivals and servers with random service times on two cores
and traces every element. It compares the occupancy at the arrivals with a replay of the traces
and with the theory (Lancaster 2011, section 5.2). The theory uses the measured utilization. An
arrival and a departure on different cores that are less than 2 us apart count as simultaneous:
the replay may exchange them. The comparison excludes elements while the machine did other work:
from a gap or service time of more than 20 times its mean, until the queue is empty.

With --virtual, the queues run in virtual time: on cores, on an FPGA, and from one to the other
over a bus that moves bulks (Lancaster 2011, sections 5.2 and 5.3). The command compares the
estimate, from the gaps and service times that agents at both ends measure, with the true value
from the simulation. It also shows the cases that the check of the estimate refutes. Other
programs do not influence the figures.`,
		example: `xbench queues
xbench queues --elements 200000
xbench queues --virtual --md docs/results/virtual-queues.md`,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			elements := f.Uint64("elements", 50_000, "`number` of elements through each queue")
			virtual := f.Bool("virtual", false, "compare estimates of agents at both ends with the true queues on "+
				"cores, on an FPGA and between them, in virtual time")
			seed := f.Uint64("seed", 1, "`seed` of the virtual queues")
			check := func() error { return between("elements", *elements, minQueued, maxQueued) }
			return check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				if *virtual {
					cases, err := micro.VirtualQueues(ctx, micro.VirtualQueuesOptions{Elements: *elements,
						Bulks: []int{1, 16, 64, 256}, Seed: *seed, Progress: s.progress})
					if err != nil {
						return nil, nil, fmt.Errorf("simulating virtual queues: %w", err)
					}
					return cases, []*report.Table{report.VirtualQueues(cases, *elements),
						report.VirtualQueueChecks(cases)}, nil
				}
				cases, err := micro.Queues(ctx, micro.QueuesOptions{Elements: *elements, Progress: s.progress})
				if err != nil {
					return nil, nil, fmt.Errorf("measuring queues: %w", err)
				}
				return cases, []*report.Table{report.QueuesByTheory(cases, *elements)}, nil
			}
		},
	}
}

// sharing returns the benchmark that compares models of core sharing with measured pipelines.
func sharing() *benchmark {
	return &benchmark{
		use:   "sharing",
		short: "kernels that share a core, compared with two models",
		long: `sharing runs pipelines of kernels with known work on one core. Another core feeds and drains
them. The kernels run in one process that schedules them, and in one process each, with
different ways to wait and the schedulers of Linux (Beard 2013, section 5.1 and Fig. 14). The
command prints the rate, and the errors of two sharing models, (modelled - measured) / measured.
In the model "conserving", the service times of the kernels add up. In the model "equal", each
of n kernels has 1/n of the core. Both models use the rates of the kernels alone, from runs that
alternate with the runs of the pipeline.`,
		example: `xbench sharing
xbench sharing --runs 9`,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			t := timingOf(f, 5, 400*time.Millisecond)
			return t.check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				cases, err := calibrate.Sharing(ctx, calibrate.SharingOptions{Runs: t.runs, Window: t.window,
					Progress: s.progress})
				if err != nil {
					return nil, nil, fmt.Errorf("measuring kernels that share a core: %w", err)
				}
				for i := range cases {
					if x := &cases[i]; x.Fail != "" {
						s.remark(fmt.Sprintf("%s (one process per %s, wait %s, scheduler %s): %s", report.Pipeline(x),
							x.Style, x.Wait, x.Scheduler, x.Fail))
					}
				}
				return cases, []*report.Table{report.SharedCores(cases, t.runs, t.window)}, nil
			}
		},
	}
}

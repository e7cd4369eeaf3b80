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

// The limits of --elements of queues.
const (
	minQueued = 1000
	maxQueued = 1 << 20
)

// queues compares queues with theory.
func queues() *benchmark {
	return &benchmark{
		use:   "queues",
		short: "queues with known truth: M/M/1, M/D/1 and two in series, measured and by theory",
		long: `queues runs a source with Poisson arrivals and servers with drawn service times on two
cores, traces every element, and compares the occupancy that elements find with a replay
of the traces and with the theory (Lancaster 2011, section 5.2). The theory uses the
measured utilization. An arrival and a departure within 2 us of each other on the two
cores may be replayed in the other order; these are ties. Elements are left out while the
machine did other work: from a time that is longer than 20 means until the queue is empty.

With --virtual they run in virtual time, on cores, on an FPGA and from one to the other
over a bus that moves bulks (Lancaster 2011, sections 5.2 and 5.3). The estimate from the
gaps and service times that agents at both ends see is printed beside the truth of the
simulation, with the cases that the check refutes. Other work on the machine has no
influence.`,
		example: `xbench queues
xbench queues --elements 200000
xbench queues --virtual --md docs/results/virtual-queues.md`,
		declare: func(f *pflag.FlagSet) measure {
			elements := f.Uint64("elements", 50_000, "`number` of elements through each queue")
			virtual := f.Bool("virtual", false, "compare estimates of agents at both ends with the true queues, on "+
				"cores, on an FPGA and between them, in virtual time")
			seed := f.Uint64("seed", 1, "`seed` of the virtual queues")
			return func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				if err := between("elements", *elements, minQueued, maxQueued); err != nil {
					return nil, nil, err
				}
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

// sharing compares sharing models of a core with pipelines.
func sharing() *benchmark {
	return &benchmark{
		use:   "sharing",
		short: "how kernels share a core: as one process and as a process each, beside two models",
		long: `sharing runs pipelines of kernels with known work on one core, fed and drained from
another: as one process that schedules them, and as a process each, with the ways to
wait and the schedulers of Linux (Beard 2013, section 5.1 and Fig. 14). It
prints the rate, and the errors of two sharing models, (modelled - measured) / measured:
conserving, where the kernels' times add up, and equal, where each of n kernels has 1/n
of the core. Both use rates of the kernels alone, measured alternately with it.`,
		example: `xbench sharing
xbench sharing --runs 9`,
		declare: func(f *pflag.FlagSet) measure {
			t := timingOf(f, 5, 400*time.Millisecond)
			return func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				if err := t.check(shortestWindow); err != nil {
					return nil, nil, err
				}
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

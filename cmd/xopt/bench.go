package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"xopt/bench/micro"
	"xopt/calibrate"
	"xopt/cmd/internal/report"
)

// benchCommand measures this program itself.
func (a *app) benchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "measure xopt itself on this machine: what an edge moves, what taps cost",
		Args:  onlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.benchmark(a.benchRivalsCommand()),
		a.benchmark(a.benchRingCommand()), a.benchmark(a.benchNetworkCommand()),
		a.benchmark(a.benchHostsCommand()),
		a.benchmark(a.benchTapsCommand()),
		a.benchmark(a.benchQueuesCommand()), a.benchmark(a.benchSharingCommand()),
		a.benchmark(a.benchBuffersCommand()), a.benchmark(a.benchUnseenCommand()), a.benchSyntheticCommand(),
		a.benchPaperCommand(), a.benchmark(a.benchHardwareCommand()), a.benchmark(a.benchXsimCommand()),
		a.benchmark(a.benchReplayCommand()), a.benchmark(a.benchClocksCommand()),
		a.benchmark(a.benchSearchCommand()), a.benchmark(a.benchProofsCommand()))
	return c
}

func (a *app) benchRingCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "ring",
		Short: "messages per second between two cores: an edge, a pipe, a Unix socket, a Go channel",
		Long: `ring measures how many messages go from one core of this machine to another: over an
edge of a deployed application, a pipe, a Unix socket, and a channel of a Go program.
The sender writes every word of a message and the receiver checks every word; the
channel passes pointers. Each figure is the median of alternating runs, with its 95 %
confidence interval.`,
		Example: `xopt bench ring
xopt bench ring --runs 31`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			f := &a.settings.bench
			cases, err := micro.Ring(c.Context(), micro.RingOptions{Runs: f.runs, Window: f.window,
				Progress: a.benchProgress()})
			if err != nil {
				return fmt.Errorf("measuring rings: %w", err)
			}
			return a.showBench(cases, report.Rings(cases, f.runs, f.window))
		},
	}
}

func (a *app) benchNetworkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "network",
		Short: "messages per second over TCP: an edge between hosts, iperf3, ZeroMQ",
		Long: `network measures how many messages TCP carries from one processor of this machine to
another over the loopback interface: over an edge between two hosts, which are this machine,
by iperf3, and from a PUSH to a PULL socket of ZeroMQ, as far as these are installed. Nobody
writes or looks at what is carried. Each figure is the median of alternating runs, with its
95 % confidence interval.`,
		Example: `xopt bench network
xopt bench network --runs 9 --window 5s`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			f := &a.settings.bench
			cases, err := micro.Network(c.Context(), micro.RingOptions{Runs: f.runs, Window: f.window,
				Progress: a.benchProgress()})
			if err != nil {
				return fmt.Errorf("measuring edges over TCP: %w", err)
			}
			return a.showBench(cases, report.Network(cases, f.runs, f.window))
		},
	}
}

func (a *app) benchTapsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "taps",
		Short: "what taps cost the chain of Lancaster 2011, section 4.7.2",
		Long: `taps measures how much throughput the chain of eleven kernels of Lancaster 2011,
section 4.7.2, folded onto two cores of this machine, loses to its taps. Runs without
and with taps alternate, and each is compared with the run without taps beside it. The
second variant has no taps either: it shows the noise; the last records every event in a
trace, as deploy --trace does, and says how many of the events are in it. Each figure is a
median, with its 95 % confidence interval.`,
		Example: `xopt bench taps
xopt bench taps --message 64`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			f := &a.settings.bench
			cases, err := micro.Taps(c.Context(), micro.TapsOptions{Pairs: f.runs, Window: f.window, Bytes: f.message,
				Progress: a.benchProgress()})
			if err != nil {
				return fmt.Errorf("measuring what taps cost: %w", err)
			}
			return a.showBench(cases, report.Taps(cases, f.runs, f.window))
		},
	}
}

func (a *app) benchQueuesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "queues",
		Short: "queues with known truth: M/M/1, M/D/1 and two in series, measured and by theory",
		Long: `queues runs a source with Poisson arrivals and servers with drawn service times on two
cores, traces every element, and compares the occupancy that elements find with a replay
of the traces and with the theory (Lancaster 2011, section 5.2). The theory uses the
measured utilization. An arrival and a departure within 2 us of each other on the two
cores may be replayed in the other order; these are ties. Elements are left out while the
machine did other work: from a time that is longer than 20 means until the queue is empty.
A second table has the sizes that these times certify for one overflow in 1e7 arrivals,
beside the needed size, by importance sampling, and the longest queue seen.

With --virtual they run in virtual time, on cores, on an FPGA and from one to the other
over a bus that moves bulks (Lancaster 2011, sections 5.2 and 5.3). The estimate from the
gaps and service times that agents at both ends see is printed beside the truth of the
simulation, with the cases that the check refutes. Other work on the machine has no
influence.`,
		Example: `xopt bench queues
xopt bench queues --elements 200000
xopt bench queues --virtual --md docs/results/virtual-queues.md`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			elements := a.settings.bench.elements
			if a.settings.bench.virtual {
				return a.benchVirtualQueues(c, elements)
			}
			cases, err := micro.Queues(c.Context(), micro.QueuesOptions{Elements: elements,
				Progress: a.benchProgress()})
			if err != nil {
				return fmt.Errorf("measuring queues: %w", err)
			}
			return a.showBench(cases, report.QueuesByTheory(cases, elements), report.CertifiedQueues(cases))
		},
	}
}

// benchVirtualQueues compares estimates of virtual queues with the truth.
func (a *app) benchVirtualQueues(c *cobra.Command, elements uint64) error {
	cases, err := micro.VirtualQueues(c.Context(), micro.VirtualQueuesOptions{Elements: elements,
		Bulks: []int{1, 16, 64, 256}, Seed: a.settings.Seed, Progress: a.benchProgress()})
	if err != nil {
		return fmt.Errorf("simulating virtual queues: %w", err)
	}
	return a.showBench(cases, report.VirtualQueues(cases, elements), report.VirtualQueueChecks(cases))
}

func (a *app) benchSharingCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sharing",
		Short: "how kernels share a core: as one process and as a process each, beside two models",
		Long: `sharing runs pipelines of kernels with known work on one core, fed and drained from
another: as one process that schedules them, and as a process each, with the ways to
wait and the schedulers of Linux (Beard 2013, section 5.1 and Fig. 14). It
prints the rate, and the errors of two sharing models, (modelled - measured) / measured:
conserving, where the kernels' times add up, and equal, where each of n kernels has 1/n
of the core. Both use rates of the kernels alone, measured alternately with it.`,
		Example: `xopt bench sharing
xopt bench sharing --runs 9`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			f := &a.settings.bench
			cases, err := calibrate.Sharing(c.Context(), calibrate.SharingOptions{Runs: f.runs, Window: f.window,
				Progress: a.benchProgress()})
			if err != nil {
				return fmt.Errorf("measuring how a core is shared: %w", err)
			}
			for i := range cases {
				if x := &cases[i]; x.Fail != "" {
					a.remark(fmt.Sprintf("%s, a process for each %s, %s, %s: %s", report.Pipeline(x), x.Style, x.Wait,
						x.Scheduler, x.Fail))
				}
			}
			return a.showBench(cases, report.SharedCores(cases, f.runs, f.window))
		},
	}
}

func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.stdout.JSON())
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// benchProgress shows how far the benchmark is.
func (a *app) benchProgress() func(done, all int) { return a.longWork("measuring case").step }

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"xopt/bench/apps"
	"xopt/bench/micro"
	"xopt/cmd/internal/report"
)

func (a *app) benchBuffersCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "buffers",
		Short: "buffers as recommended, of 256 KiB, and as RaftLib sizes them: throughput, memory, latency",
		Long: `buffers runs every bundled application, and random task graphs, on two cores of this
machine with their buffers sized in three ways: 256 KiB each, as recommended for the
mapping, and as RaftLib does (64 elements at the start, doubled while their writers are
blocked). The three alternate, and each run is compared with the one of 256 KiB beside it;
a second run of 256 KiB shows the noise of the machine. The kernels of each application
are measured alone first. Figures are medians, with their 95 % confidence intervals. The
rate is that at the sources, without the first sixth of each run, or at the sinks where
buffers were still filling after that. The latency is that from a source to a sink.`,
		Example: `xopt bench buffers
xopt bench buffers --only jpeg,des --graphs 0`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			f := &a.settings.bench
			cases, err := micro.Buffers(c.Context(), micro.BuffersOptions{Runs: f.runs, Window: f.window,
				Budget: f.budget, Graphs: f.graphs, Apps: f.only, Seed: a.settings.Seed, Progress: a.benchProgress()})
			if err != nil {
				return fmt.Errorf("measuring buffers: %w", err)
			}
			for i := range cases {
				for w, way := range micro.BuffersWays() {
					if hung := cases[i].Ways[w].Hung; hung != "" {
						a.remark(fmt.Sprintf("%s, %s: %s", cases[i].Name, way, hung))
					}
				}
			}
			return a.showBench(cases, report.SizedBuffers(cases, f.runs, f.window), report.SizedBuffersInAll(cases))
		},
	}
}

// benchBuffersOptions are those of bench buffers.
func benchBuffersOptions() []option {
	in := []string{"bench buffers"}
	var names []string
	for _, a := range apps.List() {
		if a.Name != "ring" { // one edge, with no work
			names = append(names, a.Name)
		}
	}
	return []option{
		{name: "only", kind: kindWords, word: "APPLICATIONS", values: names, check: knownWords(names), group: groupRun,
			perhaps: ofCommand,
			usual:   strings.Join(names, ","),
			in:      in,
			to:      func(s *settings) any { return &s.bench.only },
			help:    "which of the bundled applications"},
		{name: "graphs", kind: kindNumber, usual: "4", group: groupDrawn, check: between(0, maxGraphs),
			in:   in,
			to:   func(s *settings) any { return &s.bench.graphs },
			help: "number of random applications"},
		{name: "seed", kind: kindCount, usual: "1", group: groupDrawn,
			in:   in,
			to:   func(s *settings) any { return &s.Seed },
			help: "seed of the random applications"},
		{name: "budget", kind: kindDuration, usual: "10s", group: groupRun, check: aboveZero,
			in:   in,
			to:   func(s *settings) any { return &s.bench.budget },
			help: "time to measure the kernels of each application alone"},
	}
}

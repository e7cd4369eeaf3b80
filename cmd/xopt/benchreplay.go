package main

import (
	"slices"

	"github.com/spf13/cobra"

	"xopt/bench/paper"
	"xopt/cmd/internal/report"
)

// benchReplayCommand replays the times of one mapping in others.
func (a *app) benchReplayCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "replay",
		Short: "the times of kernels in one mapping, replayed in others, beside native runs of those",
		Long: `replay runs jpeg, des and blastn in three mappings each, records how long every firing took in
the first, and simulates all three in virtual time with those times in their order, and with
times drawn from gamma distributions of the same mean and scv (Gayen 2008, ch. 5 and 6).

To record every firing takes time: the recorded times are scaled to the mean service times of
the native runs of the first mapping. Run by root, native runs are in the real-time class rr,
where other programs take no part.`,
		Example: "xopt bench replay --runs 9",
		Args:    atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			runs, err := paper.Replays(c.Context(), paper.ReplayOptions{Runs: a.settings.bench.runs,
				Note: func(text string) { a.note("%s", text) }})
			if err != nil {
				return err
			}
			return a.showBench(slices.Clone(runs), report.Replays(runs, paper.RealTime()))
		},
	}
}

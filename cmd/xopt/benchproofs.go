package main

import (
	"github.com/spf13/cobra"

	"xopt/bench/search"
	"xopt/cmd/internal/report"
)

// benchProofsCommand looks how far proofs come.
func (a *app) benchProofsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "proofs",
		Short: "how far the best mapping is from the bound on all mappings, and how long a proof takes",
		Long: `proofs searches drawn problems one after the other, each until no better mapping can be or
the time is up, and prints how many are proven, how far the others are from the bound on all
mappings, and how long that took. Of slow-bus they are synthetic task graphs (Beard 2013, section
4.5) on 12 cores and 2 FPGAs, joined by one bus of 10 MB/s that decides; those of sdf3 and farsi
have figures as SDF3 and FARSI draw or map them, on a few cores and an area for accelerators. Every
figure is drawn, none measured; times are measured.`,
		Example: `xopt bench proofs
xopt bench proofs --kinds slow-bus --tasks 80 --time 5m
xopt bench proofs --md docs/results/proofs.md`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			f := &a.settings.bench
			cases, err := search.ProofCases(f.kinds, f.tasks, f.graphs)
			if err != nil {
				return err
			}
			rows, err := search.Proofs(c.Context(), cases, search.ProofOptions{Time: f.window,
				Threads: a.settings.Threads, Progress: a.benchProgress()})
			if err != nil {
				return err
			}
			return a.showBench(rows, report.Proofs(rows, f.window, a.settings.Threads))
		},
	}
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"xopt/bench/pharos"
	"xopt/cmd/internal/report"
	"xopt/hdl/rtl"
)

// benchClocksCommand repeats the experiments of Rafii 2021 on several FPGAs.
func (a *app) benchClocksCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "clocks",
		Short: "FPGAs that keep a common time over a network: how wrong it is, latencies, traffic",
		Long: `clocks simulates the Verilog of hdl/net on up to six FPGAs, each at its own clock, over a
network in virtual time (Rafii 2021, ch. 4): what slaves of pPTP correct after intervals of
100 us to 10 s (Fig. 4.3), latencies at full load (Table 4.1), and what monitors of traffic
count (4.4.2), beside what is published. It prints what the thesis could not measure, too: the
true error of the time that pPTP keeps, under load, jitter, drift, and with ways that are not
equally long. Other work on the machine has no influence on the figures.

Times in which every FPGA only counts cycles are skipped; a test compares that with a run
without.`,
		Example: "xopt bench clocks\nxopt bench clocks --elements 100000",
		Args:    atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			ctx := c.Context()
			b, err := pharos.New(ctx, rtl.UserCache(ctx))
			if err != nil {
				return fmt.Errorf("simulating several FPGAs: %w", err)
			}
			step := a.benchProgress()
			step(0, 4)
			offsets, err := b.Fig43(ctx)
			if err != nil {
				return err
			}
			step(1, 4)
			errors, err := b.TrueErrors(ctx, syncsOfClocks)
			if err != nil {
				return err
			}
			step(2, 4)
			latencies, around, err := b.Table41(ctx, 1)
			if err != nil {
				return err
			}
			step(3, 4)
			monitors, err := b.Traffic(ctx, a.settings.bench.elements)
			if err != nil {
				return err
			}
			step(4, 4)
			return a.showBench(map[string]any{"offsets": offsets, "errors": errors, "latencies": latencies,
				"around": around, "traffic": monitors}, report.PharosOffsets(offsets), report.PharosErrors(errors),
				report.PharosLatencies(latencies, around), report.PharosTraffic(monitors))
		},
	}
}

// syncsOfClocks is how many synchronizations there are in each situation.
const syncsOfClocks = 200

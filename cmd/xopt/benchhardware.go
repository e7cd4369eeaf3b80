package main

import (
	"github.com/spf13/cobra"

	"xopt/bench/micro"
	"xopt/bench/paper"
	"xopt/cmd/internal/report"
)

// benchHardwareCommand says what taps in hardware take.
func (a *app) benchHardwareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hardware",
		Short: "what taps in hardware take, and what they do to the clock of kernels",
		Long: `hardware synthesizes (yosys), places (nextpnr, iCE40 HX8K, seven seeds) and simulates the
configurations of Lancaster 2011, Tables 4.2 and 4.3: a chain of adders and queues, with
monitors of the queues, averagers, and the agent that collects them, and without; and the
cores for N queens of Koehler 2007, Table 2, with monitors of where their cycles go, and
how fast the cores are simulated with the monitors and without.`,
		Example: "xopt bench hardware",
		Args:    atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := micro.TapCosts(c.Context(), func(text string) { a.note("%s", text) })
			if err != nil {
				return err
			}
			queens, err := micro.QueensCosts(c.Context(), func(text string) { a.note("%s", text) })
			if err != nil {
				return err
			}
			speeds, err := micro.QueensSpeeds(c.Context(), func(text string) { a.note("%s", text) })
			if err != nil {
				return err
			}
			areas, clocks := report.TapCosts(list)
			return a.showBench(map[string]any{"taps": list, "queens": queens, "speeds": speeds}, areas, clocks,
				report.QueensCosts(queens), report.QueensSpeeds(speeds))
		},
	}
}

// benchXsimCommand simulates a hybrid application over the bandwidth of its bus.
func (a *app) benchXsimCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "xsim",
		Short: "a hybrid application over the bandwidth of its bus, and how fast it is simulated",
		Long: `xsim measures the kernels of VERITAS in fixed point (bench/apps/veritas/fixed.x), and predicts
and simulates two mappings over bandwidths of the bus between cores and FPGA, as Gayen
2008, Tables 6.1 and 6.2: Chopper on the second core (mapA), and on the FPGA (mapB).`,
		Example: "xopt bench xsim\nxopt bench xsim --pipes 1",
		Args:    atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			points, speeds, err := paper.Hybrid(c.Context(), paper.HybridOptions{Bandwidths: []float64{2e6, 5e6,
				10.67e6, 20e6, 40e6, 80e6, 160e6, 640e6}, Pipes: a.settings.bench.pipes,
				Window: a.settings.bench.window,
				Note:   func(text string) { a.note("%s", text) }})
			if err != nil {
				return err
			}
			return a.showBench(map[string]any{"points": points, "speeds": speeds}, report.OverTheBus(points),
				report.Speeds(speeds))
		},
	}
}

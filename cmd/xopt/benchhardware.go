package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"xopt/bench/micro"
	"xopt/bench/paper"
	"xopt/calibrate/profile"
	"xopt/internal/rtl"
	"xopt/internal/units"
)

// benchHardwareCommand says what taps in hardware take.
func (a *app) benchHardwareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hardware",
		Short: "what taps in hardware take, and what they do to the clock of kernels",
		Long: `hardware synthesizes (yosys), places (nextpnr, iCE40 HX8K, seven seeds) and simulates the
configurations of Lancaster 2011, Tables 4.2 and 4.3: a chain of adders and queues, with
monitors of the queues, averagers, and the agent that collects them, and without.`,
		Example: "xopt bench hardware",
		Args:    atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := micro.TapCosts(c.Context(), func(text string) { a.note("%s", text) })
			if err != nil {
				return err
			}
			if a.settings.JSON {
				return a.printJSON(list)
			}
			return a.tapCosts(list)
		},
	}
}

func (a *app) tapCosts(list []micro.TapCost) error {
	var areas, clocks [][]string
	area := func(x *rtl.Area) []string {
		return []string{fmt.Sprintf("%.0f", x.LUT), fmt.Sprintf("%.0f", x.FF), fmt.Sprintf("%.4g", x.BRAM)}
	}
	median := func(x []float64) float64 { return profile.MedianOf(x).Value }
	for i := range list {
		c := &list[i]
		xc7, ice40 := c.Area["xc7"], c.Area["ice40hx"]
		areas = append(areas, slices.Concat([]string{c.Name}, area(&xc7), area(&ice40), area(c.Theirs)))
		with, without, ratio := "-", "-", c.NotPlaced
		if c.Plain != nil {
			without = units.Frequency(median(c.Plain))
		}
		if c.Clock != nil {
			with, ratio = units.Frequency(median(c.Clock)), units.Percent(median(c.Clock)/median(c.Plain))
		}
		clocks = append(clocks, []string{c.Name, without, with, ratio, units.Frequency(c.TheirClock),
			fmt.Sprint(c.PlainCycles), fmt.Sprint(c.Cycles)})
	}
	if err := a.benchTable("Area of monitors and agent, synthesized out of context; block RAM is 36 kbit on xc7, 4 "+
		"kbit on iCE40, 18 kbit on the Virtex-4 LX100 of Lancaster 2011, Table 4.3 (published)",
		[]string{"configuration", "xc7 LUT", "FF", "BRAM", "iCE40 LUT", "FF", "BRAM", "published LUT", "FF", "BRAM"},
		areas); err != nil {
		return err
	}
	return a.benchTable("f_max of the chain on an iCE40 HX8K (median of seven seeds), and of the Virtex-4 of Table "+
		"4.2 (published); cycles for a thousand words in RTL simulation",
		[]string{"configuration", "without taps", "with taps", "ratio", "published", "cycles without", "cycles with"},
		clocks)
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
			if a.settings.JSON {
				return a.printJSON(map[string]any{"points": points, "speeds": speeds})
			}
			return a.hybridTables(points, speeds)
		},
	}
}

func (a *app) hybridTables(points []paper.BusPoint, speeds []paper.SimulationSpeed) error {
	var rows [][]string
	for _, p := range points {
		off := func(r paper.BusRun) string { return fmt.Sprintf("%+.2f %%", 100*(r.Predicted/r.Simulated-1)) }
		rows = append(rows, []string{fmt.Sprint(p.Pipes), units.Rate(p.Bandwidth), units.Rate(p.A.Predicted),
			units.Rate(p.A.Simulated), off(p.A), p.A.Bottleneck,
			units.Rate(p.B.Predicted), units.Rate(p.B.Simulated), off(p.B), p.B.Bottleneck,
			fmt.Sprintf("%.2f", p.B.Simulated/p.A.Simulated)})
	}
	if err := a.benchTable("VERITAS in fixed point over the bandwidth of the bus: predicted from kernels measured "+
		"here and in RTL simulation, and simulated in virtual time with their times drawn (errors are (predicted - "+
		"simulated) / simulated)",
		[]string{"pipes", "bus", "mapA predicted", "simulated", "error", "bottleneck", "mapB predicted", "simulated",
			"error", "bottleneck", "B over A"}, rows); err != nil {
		return err
	}
	rows = nil
	for _, s := range speeds {
		rows = append(rows, []string{s.What, units.Count(float64(s.Cycles) / s.Seconds),
			units.Count(float64(s.Elements) / s.Seconds), units.Time(s.Seconds)})
	}
	return a.benchTable("Speed of simulation here (Verilator; one run each)", []string{"what", "cycles/s", "elements/s",
		"took"}, rows)
}

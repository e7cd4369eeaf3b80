package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"xopt/bench"
	"xopt/internal/rtl"
	"xopt/internal/units"
)

// benchHardwareCommand tells what taps in hardware take.
func (a *app) benchHardwareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hardware",
		Short: "what taps in hardware take, and what they do to the clock of kernels",
		Long: `hardware synthesizes (yosys), places (nextpnr, iCE40 HX8K, three seeds) and simulates the
configurations of Lancaster 2011, Tables 4.2 and 4.3: a chain of adders and queues, with
monitors of the queues, averagers, and the agent that collects them, and without.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := bench.TapCosts(c.Context(), func(text string) { a.note("%s", text) })
			if err != nil {
				return err
			}
			return a.tapCosts(list)
		},
	}
}

func (a *app) tapCosts(list []bench.TapCost) error {
	var areas, clocks [][]string
	area := func(x *rtl.Area) []string {
		return []string{fmt.Sprintf("%.0f", x.LUT), fmt.Sprintf("%.0f", x.FF), fmt.Sprintf("%.4g", x.BRAM)}
	}
	median := func(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }
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
		clocks = append(clocks, []string{c.Name, without, with, ratio, units.Frequency(c.TheirClock), fmt.Sprint(c.PlainCycles), fmt.Sprint(c.Cycles)})
	}
	if err := a.benchTable("Area of monitors and agent, synthesized out of context; block RAM is 36 kbit on xc7, 4 kbit on iCE40, 18 kbit on the Virtex-4 LX100 of Lancaster 2011, Table 4.3 (published)",
		[]string{"configuration", "xc7 LUT", "FF", "BRAM", "iCE40 LUT", "FF", "BRAM", "published LUT", "FF", "BRAM"}, areas); err != nil {
		return err
	}
	return a.benchTable("f_max of the chain on an iCE40 HX8K (median of three seeds), and of the Virtex-4 of Table 4.2 (published); cycles for a thousand words in RTL simulation",
		[]string{"configuration", "without taps", "with taps", "ratio", "published", "cycles without", "cycles with"}, clocks)
}

package micro

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"xopt/bench/apps"
	"xopt/calibrate"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/hdl/rtl"
)

// QueensCost contains the area of hardware monitors and their effect on the clock rate, for the N-queens cores of
// Koehler 2007, ch. 5. The monitors count the cycles of each core by state and by activity.
type QueensCost struct {
	Name   string
	Device string
	// LUT, FF and BRAM are the resources of the device.
	LUT, FF, BRAM float64
	// Plain is the area of the cores and their connections. Area also includes the monitors and the agent.
	Plain, Area rtl.Area
	// PlainClock and Clock contain the f_max in Hz for each seed, without and with monitors. They are nil if the design
	// is not placed; NotPlaced is then the reason.
	PlainClock, Clock []float64
	NotPlaced         string
	// Published reports that all values are from the paper. Areas are then in slices of two LUTs and two flip-flops.
	Published bool
}

// queensSeeds is the number of placements of each design, with different seeds.
const queensSeeds = 5

// QueensCosts synthesizes the cores with and without monitors for an iCE40 HX8K and an XC7A35T. It places them on the
// iCE40 HX8K. It adds Table 2 of Koehler 2007.
func QueensCosts(ctx context.Context, note func(text string)) (_ []QueensCost, err error) {
	dir, err := apps.Unpack("queens")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var list []QueensCost
	for _, cores := range []int{4, 8} {
		for _, x := range []QueensCost{{Device: "hx8k", LUT: 7680, FF: 7680, BRAM: 32},
			{Device: "XC7A35T", LUT: 20800, FF: 41600, BRAM: 50}} {
			x.Name = fmt.Sprintf("%d cores", cores)
			note(fmt.Sprintf("%s for %s", x.Name, x.Device))
			if err := x.measure(ctx, dir, cores); err != nil {
				return list, fmt.Errorf("%s for %s: %w", x.Name, x.Device, err)
			}
			list = append(list, x)
		}
	}
	return append(list,
		QueensCost{Name: "XD1", Device: "Virtex-II Pro 50", Published: true, LUT: 23616,
			Plain: rtl.Area{LUT: 9041, BRAM: 11}, Area: rtl.Area{LUT: 9901, BRAM: 15},
			PlainClock: []float64{124e6}, Clock: []float64{123e6}},
		QueensCost{Name: "cluster", Device: "Virtex-4 LX100", Published: true, LUT: 49152,
			Plain: rtl.Area{LUT: 23086, BRAM: 21}, Area: rtl.Area{LUT: 26218, BRAM: 22},
			PlainClock: []float64{101e6}, Clock: []float64{101e6}}), nil
}

// design returns the design with the given number of cores on the device, and the index of the FPGA among its
// resources.
func (c *QueensCost) design(dir string, cores int) (d *design.Design, fpga int, family string, err error) {
	config, family := `device="hx8k"`, "ice40hx"
	if c.Device != "hx8k" {
		config, family = `family="xc7"`, "xc7"
	}
	arch := fmt.Sprintf("#include \"std.x\"\nresource proc is C;\nresource fpga is HDL (lut=%g, ff=%g, bram=%g, %s, "+
		"clock=\"50MHz\");\nresource PCI is bus ({ proc, fpga }, bandwidth=\"640MB/s\", from=\"assumed\");\n", c.LUT,
		c.FF, c.BRAM, config)
	path := filepath.Join(dir, c.Device+".x")
	if err := os.WriteFile(path, []byte(arch), 0o644); err != nil {
		return nil, 0, "", fmt.Errorf("writing an architecture: %w", err)
	}
	d, err = calibrate.Load([]string{filepath.Join(dir, "app.x"), path, filepath.Join(dir, "hardware.x")},
		map[string]string{"top.cores": fmt.Sprint(cores)}, design.Options{Purpose: design.ForCheck})
	if err != nil {
		return nil, 0, "", err
	}
	for r := range d.Program.Resources {
		if d.Program.Resources[r].Name == "fpga" {
			fpga = r
		}
	}
	return d, fpga, family, nil
}

// measure synthesizes the cores with and without monitors, and places them if open tools support the device.
func (c *QueensCost) measure(ctx context.Context, dir string, cores int) error {
	d, fpga, family, err := c.design(dir, cores)
	if err != nil {
		return err
	}
	cache := rtl.UserCache(ctx)
	const all = 0.99 // large enough for all monitors
	for _, x := range []struct {
		share float64
		area  *rtl.Area
		clock *[]float64
	}{{0, &c.Plain, &c.PlainClock}, {all, &c.Area, &c.Clock}} {
		h, _, err := xsim.Synthesized(ctx, d, fpga, x.share)
		if err != nil {
			return err
		}
		if x.share > 0 && len(h.Monitors) != cores {
			return fmt.Errorf("the design has %d monitors, expected %d monitors", len(h.Monitors), cores)
		}
		area, err := cache.ContextArea(ctx, h.Module, family)
		if err != nil {
			return err
		}
		*x.area = *area
		if c.Device != "hx8k" {
			c.NotPlaced = "not placed"
			continue
		}
		clock, err := cache.MaxClock(ctx, h.Module, c.Device, queensSeeds)
		var refused *rtl.ToolError
		if errors.As(err, &refused) {
			c.NotPlaced = reason(refused.Output)
			continue
		}
		if err != nil {
			return err
		}
		*x.clock = clock.Hertz
	}
	return nil
}

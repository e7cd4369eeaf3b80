package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"xopt/calibrate/profile"
	"xopt/internal/units"
	"xopt/internal/view"
	"xopt/internal/view/text"
)

// hardwareTable prints what was measured of kernels on FPGAs, and how.
func hardwareTable(w io.Writer, style text.Style, p *profile.Profile) error {
	var rows [][]string
	var ways, names []string
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if k.How == "" || k.ServiceRate == nil {
			continue
		}
		at := slices.Index(ways, k.How)
		if at < 0 {
			at = len(ways)
			ways, names = append(ways, k.How), append(names, "")
		}
		names[at] = strings.TrimPrefix(names[at]+", "+k.Instance, ", ")
		where := k.Platform
		if k.Resource != "" {
			where = k.Resource
		}
		number := func(f *profile.Figure) string {
			if f == nil {
				return "-"
			}
			return fmt.Sprintf("%.4g", f.Value)
		}
		area, clock := []string{"-", "-", "-", "-"}, "-"
		if a := k.Area; a != nil {
			area = []string{fmt.Sprintf("%.0f", a.LUT), fmt.Sprintf("%.0f", a.FF), fmt.Sprintf("%.4g", a.BRAM),
				fmt.Sprintf("%.0f", a.DSP)}
		}
		if k.MaxClock != nil {
			clock = units.Frequency(k.MaxClock.Value)
		}
		rows = append(rows, append(append([]string{k.Instance, where, units.Rate(k.ServiceRate.Value),
			number(k.ServiceSCV), number(k.Gain)}, area...), clock))
	}
	if len(rows) == 0 {
		return nil
	}
	if err := text.WriteTable(w, view.FromText("Kernels in hardware: in RTL simulation, each fed with what its inputs "+
		"carried; areas synthesized out of context",
		[]string{"kernel", "on", "μ", "scv", "gain", "LUT", "FF", "BRAM", "DSP", "f_max"}, rows), style); err != nil {
		return err
	}
	for i, how := range ways {
		if len(ways) == 1 {
			names[i] = "all of them"
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", names[i], how); err != nil {
			return err
		}
	}
	return nil
}

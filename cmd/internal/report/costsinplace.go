package report

import (
	"cmp"

	"xopt/flow/profile"
)

// costsInPlace are what kernels cost where they run, for each byte, in parts that add up: alone, and more for what runs
// on the core, too, and for where the other end of an edge is. nil where no kernel costs more than alone.
func costsInPlace(p *profile.Profile) *Table {
	perByte := func(s, about string) Column {
		return Column{Name: s, Unit: "s/B", Number: true}.about(about +
			"; ≤ the upper end of its interval where it is not significant; - where it was not measured")
	}
	t := &Table{ID: "costs", Title: "What kernels cost for each byte: alone, and more where they run",
		Columns: []Column{name("kernel"), Column{Name: "alone", Unit: "s/B", Number: true},
			perByte("co-located", "more when other kernels use the core"),
			perByte("switch", "of the core between the kernel's turns, when other kernels use it"),
			perByte("receive", "more for each byte that comes from another core"),
			perByte("receive far", "the same while the cores are far apart"),
			perByte("send", "more for each byte that goes to another core"),
			perByte("send far", "the same while the cores are far apart")}}
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if k.How != "" || k.ServiceRate == nil || k.ServiceRate.AtLeast || !(k.ServiceRate.Value > 0) {
			continue
		}
		costs := []*profile.Figure{k.CoLocationCost, k.SwitchCost, k.ReceiveCost, k.ReceiveFar, k.SendCost, k.SendFar}
		row, any := []Cell{text(cmp.Or(k.Instance, k.Block)), figure(1 / k.ServiceRate.Value)}, false
		for _, f := range costs {
			c := dash()
			switch f.State() {
			case profile.Significant:
				any = true
				if c = figure(f.Value); f.CI95 != [2]float64{} {
					c = c.within(f.CI95[0], f.CI95[1])
				}
			case profile.NotSignificant:
				c = figure(f.CI95[1]).before("≤ ")
			case profile.Zero:
				c = figure(0.0)
			}
			row = append(row, c)
		}
		if any {
			t.add(row...)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t.scaled()
}

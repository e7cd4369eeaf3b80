package report

import (
	"cmp"
	"math"
	"slices"

	"xopt/flow"
	"xopt/flow/profile"
	"xopt/mapper/result"
)

// perByteParts returns the components of a kernel's cost in a mapping, in the order of columns.
func perByteParts() []flow.Part {
	return []flow.Part{flow.Compute, flow.CoLocation, flow.Receiving, flow.Sending, flow.Switching, flow.Contended}
}

// InPlace is the cost of a kernel in a mapping.
type InPlace struct {
	Kernel, On string
	Parts      []*result.LoadPart // one per column; nil if absent
	Total      float64            // s per byte
}

// InPlaceOf returns the cost of each kernel by component, and the columns in use.
func InPlaceOf(c *result.Candidate) (columns []flow.Part, rows []InPlace) {
	part := func(s *result.Station, of flow.Part) *result.LoadPart {
		for i := range s.Parts {
			if p := &s.Parts[i]; p.Part == of.String() && p.PerByte > 0 {
				return p
			}
		}
		return nil
	}
	for _, of := range perByteParts() {
		if slices.ContainsFunc(c.Stations, func(s result.Station) bool { return !s.IsLink && part(&s, of) != nil }) {
			columns = append(columns, of)
		}
	}
	for i := range c.Stations {
		s := &c.Stations[i]
		if s.IsLink {
			continue
		}
		row := InPlace{Kernel: s.Name, On: s.On}
		for _, of := range columns {
			p := part(s, of)
			if row.Parts = append(row.Parts, p); p != nil {
				row.Total += float64(p.PerByte)
			}
		}
		if row.Total > 0 {
			rows = append(rows, row)
		}
	}
	return columns, rows
}

// inPlace shows the cost of each kernel in the mapping in ns per byte. [load] shows this cost as a percentage of the
// time. inPlace returns nil if no kernel costs more than in isolation.
func inPlace(c *result.Candidate) *Table {
	columns, rows := InPlaceOf(c)
	if len(columns) == 0 || len(columns) == 1 && columns[0] == flow.Compute {
		return nil
	}
	t := &Table{ID: "inplace", Title: "Cost of each kernel in place, in ns per input byte (sources: per output " +
		"byte); ±: distance from the cost to the farther end of the 95 % confidence interval", Figures: "predicted",
		Columns: []Column{name("kernel"), name("on")}}
	minimum := math.Inf(1)
	for _, of := range columns {
		heading := of.String()
		if of == flow.Compute {
			heading = "alone"
		}
		t.Columns = append(t.Columns, inNanoseconds(heading, "s/B"))
	}
	t.Columns = append(t.Columns, inNanoseconds("total", "s/B"))
	for i := range rows {
		minimum = min(minimum, rows[i].Total)
	}
	const maximum = 6
	digits := int(max(0, min(maximum,
		2-math.Floor(math.Log10(minimum*nanoseconds))))) // three digits of the smallest total
	for i := range rows {
		t.add(costCells(&rows[i], digits)...)
	}
	return t
}

// nanoseconds is the number of ns per second.
const nanoseconds = 1e9

// inNanoseconds returns a column of times that are always shown in ns.
func inNanoseconds(s, unit string) Column {
	return Column{Name: s, Unit: unit, Shown: "n" + unit, Number: true}
}

// costCells shows the costs of a kernel. The displayed total is the sum of the displayed components.
func costCells(r *InPlace, digits int) []Cell {
	cells := []Cell{text(r.Kernel), text(r.On)}
	unit, shown := math.Pow(10, float64(digits)), 0.0
	for _, p := range r.Parts {
		if p == nil {
			cells = append(cells, dash())
			continue
		}
		ns := float64(p.PerByte) * nanoseconds
		x := decimals(math.Round(ns*unit)/unit, digits)
		x.Value = float64(p.PerByte)
		shown += math.Round(ns * unit)
		if i := p.Interval; i != nil {
			x = x.withInterval(float64(i[0]), float64(i[1]))
			x.Aside = "± " + decimals(float64(max(p.PerByte-i[0], i[1]-p.PerByte))*nanoseconds, digits).Text
		}
		cells = append(cells, x)
	}
	total := decimals(shown/unit, digits)
	total.Value = r.Total
	return append(cells, total)
}

// costsInPlace shows the costs of kernels per byte as a sum. The cost of the isolated kernel comes first. Other kernels
// on the core and edges to other resources cause the additional costs. It returns nil if no kernel costs more than in
// isolation.
func costsInPlace(p *profile.Profile) *Table {
	perByte := func(s, about string) Column {
		return Column{Name: s, Unit: "s/B", Number: true}.about(about + "; ≤: upper end of an interval that " +
			"includes 0; -: not measured")
	}
	t := &Table{ID: "costs", Title: "Costs of kernels per byte: alone, and added by their place in a mapping",
		Columns: []Column{name("kernel"), Column{Name: "alone", Unit: "s/B", Number: true},
			perByte("co-located", "time added by other kernels on the core"),
			perByte("switch", "core time between the kernel's turns, when other kernels use the core"),
			perByte("receive", "time added for each byte from another core"),
			perByte("receive far", "time added for each byte from a distant core"),
			perByte("send", "time added for each byte sent to another core"),
			perByte("send far", "time added for each byte sent to a distant core")}}
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
					c = c.withInterval(f.CI95[0], f.CI95[1])
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

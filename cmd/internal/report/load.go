package report

import (
	"slices"

	"xopt/flow"
	"xopt/mapper/result"
)

// LoadRow is the load of a kernel or edge on its resource or link. If Of is empty, the row is the sum over all users of
// the resource or link.
type LoadRow struct {
	On, Of string
	Parts  []result.Number // one per column of the table
	Total  result.Number
}

// Load returns the components of the utilization of every resource and link in use. columns are the components that
// occur. If several users share a resource or link in time, a row with their sum follows their rows. This sum is the
// utilization of the resource or link. Kernels on an FPGA work in parallel, so their loads are not added.
func Load(c *result.Candidate) (columns []string, rows []LoadRow) {
	for part := range flow.NumParts {
		for _, name := range partNames(part) {
			if slices.ContainsFunc(c.Stations, func(s result.Station) bool { return partOf(&s, name) > 0 }) {
				columns = append(columns, name)
			}
		}
	}
	on := make(map[string][]int)
	for i := range c.Stations {
		on[c.Stations[i].On] = append(on[c.Stations[i].On], i)
	}
	for _, r := range slices.Concat(c.Resources, c.Links) {
		sum := LoadRow{On: r.Name, Parts: make([]result.Number, len(columns))}
		for _, i := range on[r.Name] {
			s := &c.Stations[i]
			row := LoadRow{On: r.Name, Of: s.Name}
			for p, name := range columns {
				x := partOf(s, name)
				row.Parts, row.Total = append(row.Parts, x), row.Total+x
				sum.Parts[p] += x
			}
			sum.Total += row.Total
			rows = append(rows, row)
		}
		if r.Sharing != flow.AreaOnly.String() && len(on[r.Name]) > 1 {
			rows = append(rows, sum)
		}
	}
	return columns, rows
}

// Components of a link's load: bytes at its bandwidth, and overhead per transfer.
const (
	linkTransfer = "transfer"
	linkOverhead = "overhead"
)

// partNames returns the columns for a part of the load. Links have columns of their own, because they do not compute.
func partNames(part flow.Part) []string {
	switch part {
	case flow.Compute:
		return []string{part.String(), linkTransfer}
	case flow.Transfers:
		return []string{linkOverhead}
	}
	return []string{part.String()}
}

// partOf returns the component of a station's load that a column shows.
func partOf(s *result.Station, column string) result.Number {
	for _, p := range s.Parts {
		name := p.Part
		switch {
		case s.IsLink && name == flow.Compute.String():
			name = linkTransfer
		case name == flow.Transfers.String():
			name = linkOverhead
		}
		if name == column {
			return p.Value
		}
	}
	return 0
}

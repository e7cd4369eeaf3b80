package report

import (
	"slices"

	"xopt/flow"
	"xopt/mapper/result"
)

// LoadRow is what one kernel or edge takes of its resource or link, or, where Of is empty, what
// all take of it.
type LoadRow struct {
	On, Of string
	Parts  []result.Number // by the columns of the table
	Total  result.Number
}

// Load returns the parts of the utilization of every resource and link that is used: columns
// are the parts that any of them has. The rows of what is shared in time are followed by their
// sum, which is its utilization; kernels that share an area are busy side by side.
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

// What a link is busy with: the bytes at its bandwidth, and its overhead for each transfer.
const (
	linkTransfer = "transfer"
	linkOverhead = "overhead"
)

// partNames are the columns of a part of the load: a link does not compute.
func partNames(part flow.Part) []string {
	switch part {
	case flow.Compute:
		return []string{part.String(), linkTransfer}
	case flow.Transfers:
		return []string{linkOverhead}
	}
	return []string{part.String()}
}

// partOf is one part of a station's load, by its column.
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

// mostBars is up to how many resources and links a chart of them is drawn.
const mostBars = 40

// loads are the utilizations of all resources and links below the most that they can be; nil where a table
// of them says as much at a glance.
func loads(c *result.Candidate) *Chart {
	all := append(append([]result.Share(nil), c.Resources...), c.Links...)
	if len(all) < 3 || len(all) > mostBars {
		return nil
	}
	chart := &Chart{ID: "loads", Title: "Utilization of resources and links, predicted",
		X: Axis{Name: "resource or link"}, Y: Axis{Name: "utilization (%)"},
		Limits: []Limit{{Name: "ρ = 1: all of it", Value: 100}, {Name: "near its limit", Value: 100 * nearLimit}}}
	s := Series{Name: "utilization", Kind: Bars}
	for i := range all {
		chart.X.Categories = append(chart.X.Categories, all[i].Name)
		s.X, s.Y = append(s.X, float64(i)), append(s.Y, 100*min(1, float64(all[i].Utilization)))
	}
	chart.Series = []Series{s}
	return chart
}

package report

import (
	"xopt/mapper/result"
)

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

package report

import (
	"cmp"
	"fmt"
	"slices"

	"xopt/flow"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// ceiling is the throughput at which a resource or link is fully utilized.
type ceiling struct {
	name    string
	rate    float64
	assumed float64 // part of the load that depends on assumed figures
	figure  string  // assumed figure with the largest part of the load
}

// ceilingsOf returns the ceilings up to farOff times the throughput, in ascending order.
func ceilingsOf(c *result.Candidate) []ceiling {
	on := make(map[string][]*result.Station)
	for i := range c.Stations {
		on[c.Stations[i].On] = append(on[c.Stations[i].On], &c.Stations[i])
	}
	var list []ceiling
	for _, r := range slices.Concat(c.Resources, c.Links) {
		if float64(r.Utilization) <= 1./farOff {
			continue
		}
		x := ceiling{name: r.Name, rate: float64(c.Unlimited() / r.Utilization)}
		members := on[r.Name]
		if r.Sharing == flow.AreaOnly.String() && len(members) > 0 { // in parallel: the busiest kernel sets the limit
			members = []*result.Station{slices.MaxFunc(members, func(a, b *result.Station) int {
				return cmp.Compare(a.Utilization, b.Utilization)
			})}
		}
		all, largest := 0.0, 0.0
		for _, s := range members {
			all += float64(s.Share)
			if s.Origin != flow.Assumed.String() {
				continue
			}
			x.assumed += float64(s.Share)
			if float64(s.Share) > largest {
				largest, x.figure = float64(s.Share), "service rate of "+s.Name+" on "+r.Name
			}
		}
		if all > 0 {
			x.assumed /= all
		}
		if r.Rate > 0 && r.Origin == flow.Assumed.String() {
			x.figure = "bandwidth of " + r.Name
		}
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(a, b ceiling) int { return cmp.Compare(a.rate, b.rate) })
	return list
}

// maxBars is the maximum number of bars in the chart of ceilings.
const maxBars = 24

// ceilings returns a chart of the throughput to which each resource and link limits a mapping. The part that depends on
// assumed figures is hatched. It returns nil if there are fewer than two ceilings.
func ceilings(c *result.Candidate) *Chart {
	list := ceilingsOf(c)
	if len(list) < 2 {
		return nil
	}
	left := len(list) - maxBars
	list = list[:min(len(list), maxBars)]
	var rates []float64
	for _, x := range list {
		rates = append(rates, x.rate)
	}
	scale := scaleOf("B/s", rates...)
	chart := &Chart{ID: "ceilings", Title: "Throughput limit of each resource and link, predicted",
		X: Axis{Name: "resource or link"}, Y: Axis{Name: scale.Heading("throughput")},
		Limits: []Limit{{Name: "throughput", Value: scale.Of(float64(c.Throughput))}}}
	existing, assumed := Series{Name: "from other figures", Kind: Bars}, Series{Name: "from assumed figures",
		Kind: Bars, Hatched: true}
	doubtful := ""
	for i, x := range list {
		chart.X.Categories = append(chart.X.Categories, x.name)
		existing.X, assumed.X = append(existing.X, float64(i)), append(assumed.X, float64(i))
		existing.Y = append(existing.Y, scale.Of(x.rate*(1-x.assumed)))
		assumed.Y = append(assumed.Y, scale.Of(x.rate*x.assumed))
		if doubtful == "" && x.figure != "" {
			doubtful = fmt.Sprintf("Least certain: the assumed %s, with a limit of %s.", x.figure, units.Rate(x.rate))
		}
	}
	chart.Series, chart.Note = []Series{existing, assumed}, doubtful
	if doubtful == "" {
		chart.Series = chart.Series[:1]
	}
	if left > 0 {
		chart.Note += fmt.Sprintf(" %s not shown.", units.Counted(left, "higher limit is", "higher limits are"))
	}
	return chart
}

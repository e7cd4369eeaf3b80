package report

import (
	"math"

	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/result"
)

// sweepBands adds a band for each range of points with the same best mapping. Adjacent bands meet halfway between
// points.
func (c *Chart) sweepBands(s *result.Sweep, places []float64) {
	before := -1 // the last point with a mapping
	for i := range s.Points {
		p := &s.Points[i]
		if p.Mapping < 0 {
			before = -1
			continue
		}
		from := places[i]
		switch {
		case before >= 0 && s.Points[before].Mapping == p.Mapping:
			c.Bands[len(c.Bands)-1].To = places[i]
			before = i
			continue
		case before >= 0 && c.X.Log:
			from = math.Sqrt(places[before] * places[i])
		case before >= 0:
			from = (places[before] + places[i]) / 2
		}
		if before >= 0 {
			c.Bands[len(c.Bands)-1].To = from
		}
		c.Bands, before = append(c.Bands, Band{letter(p.Mapping), from, places[i], p.Mapping + 1}), i
	}
	if len(c.Bands) > 0 {
		c.Note = "Each band shows the best mapping (see the table). Bands meet halfway between points."
	}
}

// sweepBound adds the area between the best mapping and the upper bound, if there is a gap.
func (c *Chart) sweepBound(s *result.Sweep, places []float64, scale units.Scale) {
	if sweptObjective(s) != mapper.Throughput.String() {
		return
	}
	open := Series{Name: "not excluded by the bound", Kind: Area}
	left := false
	for i := range s.Points {
		p := &s.Points[i]
		if p.Mapping < 0 {
			continue
		}
		if !(p.Bound > 0) {
			return // unknown
		}
		left = left || p.Bound > p.Throughput*(1+result.TieTolerance)
		open.X, open.Y = append(open.X, places[i]), append(open.Y, scale.Of(float64(p.Throughput)))
		open.Top = append(open.Top, scale.Of(float64(p.Bound)))
	}
	if left {
		c.Series = append(c.Series, open)
	}
}

// sweepKnee marks the best point if later points of the sweep have mappings, because these points bring no gain.
// Otherwise, it marks the first point with nearly the highest throughput.
func (c *Chart) sweepKnee(s *result.Sweep, places []float64) {
	best, last := s.Best(), len(s.Points)-1
	for last >= 0 && s.Points[last].Mapping < 0 {
		last--
	}
	if best > 0 && best < last {
		c.Limits = []Limit{{"no gain beyond", places[best], true}}
	} else if at := kneeOf(s); at > 0 && at < best {
		c.Limits = []Limit{{units.Percent(kneePart) + " of the maximum", places[at], true}}
	}
}

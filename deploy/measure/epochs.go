package measure

import (
	"math/rand/v2"
	"sort"

	"xopt/deploy/program"
	"xopt/deploy/run"
)

// epochs draws times from the frames of a run in order, and starts again after the last frame. A run may therefore be
// non-stationary (Lancaster 2011 §5.1). Frames with few samples are merged.
type epochs struct {
	list []epoch
	at   int
	left float64 // remaining time of the current epoch in s
}

type epoch struct {
	seconds       float64
	gap, services times
}

// epochSamples is the minimum number of gaps, and of service times, in an epoch.
const epochSamples = 1000

func newEpochs(s *Seen) *epochs {
	e := &epochs{}
	var gap, busy run.Summary
	seconds := 0.0
	flush := func() {
		if gap.Samples > 0 && busy.Samples > 0 {
			e.list = append(e.list, epoch{seconds, newTimes(&gap, s.GapScale), newTimes(&busy, s.BusyScale)})
		}
		gap, busy, seconds = run.Summary{}, run.Summary{}, 0
	}
	for i := range s.Gap {
		gap.Add(&s.Gap[i].Summary)
		busy.Add(&s.Busy[i].Summary)
		seconds += s.Gap[i].Seconds
		if gap.Samples >= epochSamples && busy.Samples >= epochSamples {
			flush()
		}
	}
	if len(e.list) == 0 {
		flush()
	} // the remaining frames at the end of the run have no arrivals
	e.left = e.list[0].seconds
	return e
}

func (e *epochs) gap(r *rand.Rand) float64 {
	t := e.list[e.at].gap.draw(r)
	for e.left -= t; e.left < 0; {
		e.at = (e.at + 1) % len(e.list)
		e.left += max(e.list[e.at].seconds, 1e-12)
	}
	return t
}

func (e *epochs) service(r *rand.Rand) float64 { return e.list[e.at].services.draw(r) }

// times draws from a histogram. It selects a bin by weight and draws uniformly within the bin. Values below all bins
// are 0. Draws are scaled to the measured mean.
type times struct {
	from, width, until []float64 // non-empty bins; until is the cumulative weight up to a bin's end
	scale              float64
}

func newTimes(x *run.Summary, scale program.Scale) times {
	var t times
	sum, mean := 0.0, 0.0
	add := func(from, to, weight float64) {
		if weight > 0 {
			sum += weight
			mean += weight * (from + to) / 2
			t.from, t.width, t.until = append(t.from, from), append(t.width, to-from), append(t.until, sum)
		}
	}
	add(0, 0, x.Below)
	for i, w := range x.Histogram {
		add(scale.From(i), scale.From(i+1), w)
	}
	add(x.Max, x.Max, x.Above)
	t.scale = 1
	if mean > 0 {
		t.scale = x.Mean() / (mean / sum)
	}
	return t
}

func (t *times) draw(r *rand.Rand) float64 {
	i := sort.SearchFloat64s(t.until, r.Float64()*t.until[len(t.until)-1])
	i = min(i, len(t.from)-1)
	return t.scale * (t.from[i] + t.width[i]*r.Float64())
}

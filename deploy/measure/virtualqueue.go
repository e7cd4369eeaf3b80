package measure

import (
	"context"
	"errors"
	"math"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/timetrial"
)

// virtualQueue contains the taps at both ends of an edge that crosses a link, for a statement that measures the
// histogram of the edge's occupancy.
type virtualQueue struct {
	crossing                        Crossing
	gap, busy, ahead, behind, truth int // indices of the taps
	seen                            Seen
}

// Bins of the observed queue lengths: the number of bins in total and per bulk.
const (
	queueBins   = 4096
	binsOfABulk = 256
)

// EndTaps returns the taps of a virtual queue on an edge over a link with the given bulk. They measure the gaps at its
// tail, the service times at its head, and the queues before and after the link. In simulation, a further tap measures
// the true length of the complete queue.
func EndTaps(edge, bulk int) [5]program.Tap {
	linear := &program.Bins{Width: math.Max(1, math.Ceil(float64(bulk)/binsOfABulk)), N: queueBins}
	return [5]program.Tap{
		{Kind: program.Gap, Edge: edge, Every: 1, Histogram: &program.Bins{}},
		{Kind: program.Busy, Edge: edge, Every: 1, Histogram: &program.Bins{}},
		{Kind: program.Ahead, Edge: edge, Every: 1, Histogram: linear},
		{Kind: program.Behind, Edge: edge, Every: 1, Histogram: linear},
		{Kind: program.Occupancy, Edge: edge, Every: 1, Histogram: linear},
	}
}

// virtualQueue plans the estimate that belongs to a statement; nil if there is none.
func (p *Plan) virtualQueue(m *timetrial.Measurement) *virtualQueue {
	if m.Type != timetrial.Occupancy || m.Statistic != timetrial.Hist || m.When != nil || p.dataFrame(m) > 0 ||
		p.options.Crossing == nil {
		return nil
	}
	edge := m.Target.Edges[0]
	c := p.options.Crossing(edge)
	if c == nil {
		return nil
	}
	v := &virtualQueue{crossing: *c}
	if c.Unknown == "" {
		taps := EndTaps(edge, c.Bulk)
		for i, to := range []*int{&v.gap, &v.busy, &v.ahead, &v.behind, &v.truth} {
			*to = p.addTap(taps[i])
		}
	}
	return v
}

// addFrame adds the data of a frame.
func (v *virtualQueue) addFrame(edge int, f *run.FrameData) {
	if v.crossing.Unknown == "" {
		v.seen.AddFrame(edge, f, [5]int{v.gap, v.busy, v.ahead, v.behind, v.truth})
	}
}

// AddFrame adds the data of a frame. taps contains the indices of the taps of EndTaps.
func (s *Seen) AddFrame(edge int, f *run.FrameData, taps [5]int) {
	seconds := f.End - f.Start
	s.Gap = append(s.Gap, Framed{seconds, f.Taps[taps[0]].Summary})
	s.Busy = append(s.Busy, Framed{seconds, f.Taps[taps[1]].Summary})
	s.Ahead.Add(&f.Taps[taps[2]].Summary)
	s.Behind.Add(&f.Taps[taps[3]].Summary)
	s.Truth.Add(&f.Taps[taps[4]].Summary)
	s.Blocked += f.Edges[edge].Blocked
	s.Seconds += seconds
	if n := len(s.Gap); n > maxSeenFrames { // merge the frames in pairs
		for i := range n / 2 {
			for _, list := range [][]Framed{s.Gap, s.Busy} {
				x := list[2*i]
				x.Histogram = append([]float64(nil), x.Histogram...)
				x.Add(&list[2*i+1].Summary)
				x.Seconds += list[2*i+1].Seconds
				list[i] = x
			}
		}
		rest := n / 2
		if n%2 == 1 {
			s.Gap[rest], s.Busy[rest] = s.Gap[n-1], s.Busy[n-1]
			rest++
		}
		s.Gap, s.Busy = s.Gap[:rest], s.Busy[:rest]
	}
}

// maxSeenFrames limits the number of frames that are stored separately.
const maxSeenFrames = 1024

// Scales copies the bin scales from the taps of a run.
func (s *Seen) Scales(m *run.Measurement, taps [5]int) {
	for i, to := range []*program.Scale{&s.GapScale, &s.BusyScale, &s.AheadScale, &s.BehindScale, &s.TruthScale} {
		*to = m.Taps[taps[i]].Bins
	}
}

// Estimate adds the estimates of virtual queues to the answers of a finished run.
func (r *Recorder) Estimate(ctx context.Context, m *run.Measurement, answers []Answer, seed uint64) error {
	for i := range answers {
		v := r.virtual[i]
		if v == nil {
			continue
		}
		if answers[i].NoEstimate = v.crossing.Unknown; answers[i].NoEstimate != "" {
			continue
		}
		v.crossing.Exchange = r.Exchange
		v.seen.Scales(m, [5]int{v.gap, v.busy, v.ahead, v.behind, v.truth})
		e, err := EstimateQueue(ctx, v.crossing, &v.seen, seed)
		switch {
		case errors.Is(err, ErrTooFew):
			answers[i].NoEstimate = err.Error()
		case err != nil:
			return err
		default:
			answers[i].Estimate = e
		}
	}
	return nil
}

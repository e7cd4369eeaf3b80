package measure

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/queueing"
)

// seenOf runs a queue with the given draws of gaps and services. It returns the observations of agents at its
// ends as in a run: by frame, with four bins per octave.
func seenOf(t *testing.T, q queueing.BulkQueue, elements, frames int, seed uint64) *Seen {
	t.Helper()
	octaves := program.Scale{Log: true, Low: -120, N: 160}
	linear := program.Scale{Width: 1, N: 4096}
	s := &Seen{GapScale: octaves, BusyScale: octaves, AheadScale: linear, BehindScale: linear, TruthScale: linear,
		Gap: make([]Framed, frames), Busy: make([]Framed, frames)}
	clock, at := 0.0, 0
	gap, service, drawn := q.Gap, q.Service, 0
	var before [2]float64
	note := func(x *run.Summary, v float64, before *float64) {
		if x.Samples == 0 {
			x.Histogram = make([]float64, octaves.N)
		}
		bin := max(int(math.Floor(4*math.Log2(v)))+120, -1) // near enough: bins are even within an octave
		for bin < octaves.N-1 && octaves.From(bin+1) <= v {
			bin++
		}
		for bin >= 0 && octaves.From(bin) > v {
			bin--
		}
		x.Samples++
		x.Weight++
		x.Sum += v
		if bin < 0 {
			x.Below++
		} else {
			x.Histogram[bin]++
		}
		x.Products += float64(bin+1) * *before
		*before = float64(bin + 1)
	}
	q.Gap = func(r *rand.Rand) float64 {
		v := gap(r)
		note(&s.Gap[at].Summary, v, &before[0])
		s.Gap[at].Seconds += v
		clock += v
		if drawn++; drawn%(elements/frames) == 0 {
			at = min(at+1, frames-1)
		}
		return v
	}
	q.Service = func(r *rand.Rand) float64 {
		v := service(r)
		note(&s.Busy[at].Summary, v, &before[1])
		return v
	}
	got, err := q.Simulate(context.Background(), elements, rand.NewPCG(seed, 9))
	if err != nil {
		t.Fatal(err)
	}
	s.Seconds = clock
	for _, x := range []struct {
		to *run.Summary
		d  queueing.Distribution
	}{{&s.Ahead, got.Upstream}, {&s.Behind, got.Left}, {&s.Truth, got.Virtual}} {
		*x.to = binned(x.d, linear)
		x.to.Samples, x.to.Weight, x.to.Sum = uint64(x.d.Total()), x.d.Total(), x.d.Mean()*x.d.Total()
	}
	return s
}

// exponential draws times of a mean.
func exponential(mean float64) queueing.Draw {
	return func(r *rand.Rand) float64 { return mean * r.ExpFloat64() }
}

// correlated draws exponential times, each equal to the one before with the probability correlation (the EAR(1)
// process of Gaver and Lewis 1980, as in bench/apps/synthetic).
func correlated(mean, correlation float64) queueing.Draw {
	last := mean
	return func(r *rand.Rand) float64 {
		next := correlation * last
		if r.Float64() >= correlation {
			next += mean * r.ExpFloat64()
		}
		last = next
		return next
	}
}

// TestEstimateQueue: with independent times the estimate is near the truth and is not refuted, with
// and without bulks, in frames or not, whenever the reader removes an element.
func TestEstimateQueue(t *testing.T) {
	for i, c := range []struct {
		bulk, frames int
		load         float64
		first        bool
	}{{0, 1, .8, false}, {1, 1, .9, false}, {16, 10, .8, false}, {64, 1, .9, false}, {64, 20, .8, false},
		{4, 1, .8, true}, {256, 1, .9, false}} {
		q := queueing.BulkQueue{Gap: exponential(1e-6 / c.load), Service: exponential(1e-6), Bulk: c.bulk,
			Transfer: .05e-6 * float64(c.bulk), RemovesFirst: c.first}
		s := seenOf(t, q, 60_000, c.frames, uint64(i))
		crossing := Crossing{Link: "bus", Bulk: c.bulk, Transfer: q.Transfer, ReaderOnFPGA: c.first}
		e, err := EstimateQueue(context.Background(), crossing, s, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Refuted) > 0 || e.RemovesFirst != c.first || math.Abs(e.Mean-e.TrueMean) > .15*e.TrueMean ||
			e.Distance > .1 || math.Abs(e.GapCorrelation) > .05 || math.Abs(e.Utilization-c.load) > .03 {
			t.Errorf("%+v: the mean is %.4g, simulated %.4g, at a distance of %.2g, correlation %.2g, ρ %.3g, "+
				"refuted by %q",
				c, e.Mean, e.TrueMean, e.Distance, e.GapCorrelation, e.Utilization, e.Refuted)
		}
	}
}

// TestEstimateLate: a queue that is seen late by the exchanges of an FPGA is not refuted for that, except for more; and
// without an FPGA it is.
func TestEstimateLate(t *testing.T) {
	for _, c := range []struct {
		name    string
		late    int // elements by which the queue behind the link is seen larger
		onFPGA  bool
		refuted bool
	}{{"in time", 0, true, false}, {"as late as exchanges are", 4, true, false}, {"much later", 14, true, true},
		{"no FPGA", 4, false, true}} {
		q := queueing.BulkQueue{Gap: exponential(1.25e-6), Service: exponential(1e-6), Bulk: 1, Transfer: .05e-6}
		s := seenOf(t, q, 60_000, 1, 5)
		s.Behind.Histogram = append(make([]float64, c.late), s.Behind.Histogram...)[:len(s.Behind.Histogram)]
		crossing := Crossing{Link: "bus", Bulk: 1, Transfer: q.Transfer, WriterOnFPGA: c.onFPGA, Exchange: 3e-6}
		e, err := EstimateQueue(context.Background(), crossing, s, 1)
		if err != nil {
			t.Fatal(err)
		}
		if want := 5.0; c.onFPGA && e.Late != want || len(e.Refuted) > 0 != c.refuted {
			t.Errorf("%s: %g elements late, refuted by %q; %+v", c.name, e.Late, e.Refuted, e.Behind)
		}
	}
}

// TestEstimateRefuted: each violated assumption of the model is refuted with its reason (Lancaster 2011, Figs.
// 5.13 to 5.15).
func TestEstimateRefuted(t *testing.T) {
	plain := queueing.BulkQueue{Gap: exponential(1.25e-6), Service: exponential(1e-6), Bulk: 64, Transfer: 3.2e-6}
	link := Crossing{Link: "bus", Bulk: 64, Transfer: 3.2e-6}
	for _, c := range []struct {
		name   string
		change func(*queueing.BulkQueue, *Crossing)
		after  func(*Seen)
		want   string
	}{
		{"correlated gaps", func(q *queueing.BulkQueue, _ *Crossing) { q.Gap = correlated(1.25e-6, .5) }, nil,
			"successive times between insertions"},
		{"correlated services", func(q *queueing.BulkQueue, _ *Crossing) { q.Service = correlated(1e-6, .5) }, nil,
			"successive service times"},
		{"another bulk", func(_ *queueing.BulkQueue, c *Crossing) { c.Bulk = 32 }, nil, "the queue before the link"},
		{"a slower reader", func(q *queueing.BulkQueue, c *Crossing) {
			q.Bulk, q.Transfer, c.Bulk, c.Transfer = 1, .05e-6, 1, .05e-6
		}, func(s *Seen) {
			for i := range s.Busy { // an agent whose clock is wrong
				s.Busy[i].Sum *= .8
			}
		}, "the queue after the link"},
		{"a full buffer", func(*queueing.BulkQueue, *Crossing) {}, func(s *Seen) { s.Blocked = .1 * s.Seconds },
			"the writer waited for space"},
	} {
		q, crossing := plain, link
		c.change(&q, &crossing)
		s := seenOf(t, q, 60_000, 1, 3)
		if c.after != nil {
			c.after(s)
		}
		e, err := EstimateQueue(context.Background(), crossing, s, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(e.Refuted, "; "), c.want) {
			t.Errorf("%s: refuted by %q, want %q; %+v, %+v", c.name, e.Refuted, c.want, e.Ahead, e.Behind)
		}
	}
}

// TestEstimateFrames: a source whose rate changes slowly is estimated frame by frame; as one it
// would not be.
func TestEstimateFrames(t *testing.T) {
	n := 0
	q := queueing.BulkQueue{Service: exponential(1e-6), Bulk: 16, Transfer: .8e-6}
	q.Gap = func(r *rand.Rand) float64 {
		n++
		return 1e-6 * r.ExpFloat64() / (.5 + .42*float64(n/3000%2)) // ρ .5 and .92 in turns
	}
	s := seenOf(t, q, 60_000, 20, 4)
	e, err := EstimateQueue(context.Background(), Crossing{Link: "bus", Bulk: 16, Transfer: .8e-6}, s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(e.Mean-e.TrueMean) > .15*e.TrueMean {
		t.Errorf("the mean is %g, simulated %g", e.Mean, e.TrueMean)
	}
	one := *s
	one.Gap, one.Busy = []Framed{{s.Seconds, total(s.Gap)}}, []Framed{{s.Seconds, total(s.Busy)}}
	flat, err := EstimateQueue(context.Background(), Crossing{Link: "bus", Bulk: 16, Transfer: .8e-6}, &one, 1)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(flat.Mean-flat.TrueMean) < 2*math.Abs(e.Mean-e.TrueMean) {
		t.Errorf("in one frame the mean is %g, in frames %g, simulated %g", flat.Mean, e.Mean, e.TrueMean)
	}
}

// TestEstimateTooFew: with too few observations EstimateQueue returns an error.
func TestEstimateTooFew(t *testing.T) {
	s := seenOf(t, queueing.BulkQueue{Gap: exponential(1), Service: exponential(.5)}, 100, 1, 1)
	if _, err := EstimateQueue(context.Background(), Crossing{}, s, 1); !errors.Is(err, ErrTooFew) {
		t.Errorf("of 100 elements: %v", err)
	}
}

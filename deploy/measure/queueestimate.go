package measure

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/internal/units"
	"xopt/queueing"
)

// Crossing contains the parameters of the link that an edge crosses in virtual time, for the estimate of its virtual
// queue.
type Crossing struct {
	Link                       string
	Bulk                       int // elements per transfer; 0 if the link moves any number
	Transfer, Setup            float64
	Latency, Jitter, Flush     float64 // parameters of queueing.BulkQueue
	WriterOnFPGA, ReaderOnFPGA bool
	// Shared is the number of edges that share the link, if there are several edges. Their transfers alternate.
	Shared int
	// Exchange is the interval in s between data exchanges with a simulated FPGA. Observations of an edge to or from
	// the FPGA, and the truth, are late by up to Exchange on each side.
	Exchange float64
	// Unknown is the reason why there is no estimate; "" if there is one.
	Unknown string
}

// Seen contains the observations of agents at both ends of an edge in a run and, in simulation, the truth.
type Seen struct {
	Gap, Busy           []Framed // by frame: gaps at the tail, service times at the head
	GapScale, BusyScale program.Scale
	// Ahead, Behind and Truth summarize numbers of elements: found at the tail, left behind at the head, and found in
	// total.
	Ahead, Behind, Truth                run.Summary
	AheadScale, BehindScale, TruthScale program.Scale
	Blocked, Seconds                    float64 // seconds in which the writer waited for space; total seconds
}

// Framed contains the observations of a frame of the given length.
type Framed struct {
	Seconds float64
	run.Summary
}

// Estimate is the estimated virtual queue between the ends of an edge, from the model of [queueing.BulkQueue]. Gaps and
// service times are drawn independently from the observed times.
type Estimate struct {
	Crossing
	Virtual   queueing.Distribution // number of elements that an arrival finds
	Mean, P99 float64               // mean and 99th percentile of this number
	// TrueMean and TrueP99 are the true values. Distance is the total variation distance between estimate and
	// truth, in the bins of the truth.
	TrueMean, TrueP99, Distance float64
	Ahead, Behind               Check
	// GapCorrelation and BusyCorrelation are the correlations of the logarithms of consecutive times; both are
	// 0 in the model.
	GapCorrelation, BusyCorrelation float64
	Utilization                     float64 // utilization of the reader: mean service time divided by mean gap
	RemovesFirst                    bool    // the reader removes an element before it processes it
	// Late is the number of elements by which each observed queue, and the truth, may exceed the model. The reason is
	// that exchanges with an FPGA delay elements. A value below half an element counts as 0.
	Late float64
	// Refuted lists the assumptions of the model that the run violated. If there are any, only the observed sub-queues
	// are valid.
	Refuted []string
}

// Check compares the mean and the distribution of one observable sub-queue with the model.
type Check struct {
	Measured, Predicted float64 // mean number of elements
	// Distance is the total variation distance between observations and model. In 95 % of simulated runs of the model
	// with the same length, this distance is below Noise.
	Distance, Noise float64
}

// MaxDistance returns the largest distance that does not refute the model.
func (c *Check) MaxDistance() float64 { return c.Noise + distanceSlack }

// Tolerances of the check (Lancaster 2011 §5.3 has none).
const (
	distanceSlack    = 0.05  // allowed distance of a sub-queue above its noise
	correlationSlack = 0.05  // allowed correlation above three standard deviations
	blockedSlack     = 0.001 // allowed fraction of the time in which the writer waits for space
	minSamples       = 200
	removesFirstGain = 0.02 // minimum decrease of the distance if the reader is assumed to remove an element first
	estimateElements = 400_000
	replicas         = 16
)

// ErrTooFew reports that the ends observed too few elements for an estimate.
var ErrTooFew = faults.TooFewElements.Errorf("too few elements to estimate a virtual queue")

// EstimateQueue computes the estimate and compares it with the observations. The result is deterministic for a seed.
func EstimateQueue(ctx context.Context, c Crossing, s *Seen, seed uint64) (*Estimate, error) {
	gap, busy := total(s.Gap), total(s.Busy)
	if gap.Samples < minSamples || busy.Samples < minSamples {
		return nil, faults.TooFewElements.Errorf("%w: %d gaps at the tail and %d service times at the head, expected "+
			"at least %d of each (send more elements)", ErrTooFew, gap.Samples, busy.Samples, minSamples)
	}
	e := &Estimate{Crossing: c, GapCorrelation: correlation(&gap), BusyCorrelation: correlation(&busy),
		Utilization: busy.Mean() / gap.Mean()}
	e.Late = c.late(gap.Mean())
	e.TrueMean, e.TrueP99 = s.Truth.Mean(), quantile(&s.Truth, s.TruthScale, .99)
	if e.Utilization >= 1 {
		e.Refuted = append(e.Refuted, fmt.Sprintf("the reader needs %s per element, but an element arrives every %s: "+
			"the "+
			"queue has no steady state", units.Time(busy.Mean()), units.Time(gap.Mean())))
	}
	ways := []bool{false}
	if c.ReaderOnFPGA && s.parts() { // hardware may remove an element before processing it: use the better fit
		ways = append(ways, true)
	}
	best := math.Inf(1)
	for _, first := range ways {
		got, err := s.simulate(ctx, &c, first, estimateElements, rand.NewPCG(seed, 1))
		if err != nil {
			return nil, err
		}
		d := 0.0
		if s.parts() {
			d = e.distance(got.Left, &s.Behind, s.BehindScale)
		}
		if d < best-removesFirstGain {
			best, e.RemovesFirst = d, first
			e.Virtual, e.Mean, e.P99 = got.Virtual, got.Virtual.Mean(), float64(got.Virtual.Quantile(.99))
			e.Distance = distance(got.Virtual, &s.Truth, s.TruthScale)
			if !s.parts() {
				continue
			}
			e.Ahead = Check{Measured: s.Ahead.Mean(), Predicted: got.Upstream.Mean(), Distance: e.distance(got.Upstream,
				&s.Ahead, s.AheadScale)}
			e.Behind = Check{Measured: s.Behind.Mean(), Predicted: got.Left.Mean(), Distance: d}
			if err := e.noise(ctx, s, got, seed); err != nil {
				return nil, err
			}
		}
	}
	e.judge(s, &gap, &busy)
	return e, nil
}

// late returns the number of elements that arrive during two exchanges. The first exchange delays the arrival of an
// element, and the second exchange delays the report of its removal.
func (c *Crossing) late(gap float64) float64 {
	if !c.WriterOnFPGA && !c.ReaderOnFPGA {
		return 0
	}
	if n := 2 * c.Exchange / gap; n >= 0.5 {
		return math.Ceil(n)
	}
	return 0
}

// distanceLate returns the distance of the observations from the range between a distribution and the same distribution
// shifted by late elements. The distance is the largest difference of the cumulative distributions outside this range.
func distanceLate(d queueing.Distribution, seen *run.Summary, scale program.Scale, late float64) float64 {
	more := append(make(queueing.Distribution, int(late)), d...)
	low, high := binned(d, scale), binned(more, scale)
	all := func(x *run.Summary) float64 {
		sum := x.Below + x.Above
		for _, w := range x.Histogram {
			sum += w
		}
		return sum
	}
	maximum, l, h, is := 0.0, low.Below/all(&low), high.Below/all(&high), seen.Below/all(seen)
	nl, nh, ns := all(&low), all(&high), all(seen)
	for i := range min(len(low.Histogram), len(seen.Histogram)) {
		l, h, is = l+low.Histogram[i]/nl, h+high.Histogram[i]/nh, is+seen.Histogram[i]/ns
		maximum = max(maximum, is-l, h-is) // fewer elements than in the model, or more than in the shifted model
	}
	return maximum
}

// distance returns the distance of the observations from the model.
func (e *Estimate) distance(d queueing.Distribution, seen *run.Summary, scale program.Scale) float64 {
	if e.Late > 0 {
		return distanceLate(d, seen, scale, e.Late)
	}
	return distance(d, seen, scale)
}

// parts reports whether the queues before and after the link were observed. Inside an FPGA there is no link, and the
// taps observe the complete queue.
func (s *Seen) parts() bool { return s.Ahead.Samples > 0 && s.Behind.Samples > 0 }

// noise sets the Noise of both checks: the 95th percentile of the distances between the model and simulated runs of the
// same length.
func (e *Estimate) noise(ctx context.Context, s *Seen, model *queueing.BulkQueueRun, seed uint64) error {
	elements := int(min(s.Ahead.Samples, estimateElements))
	var ahead, behind [replicas]float64
	for i := range replicas {
		got, err := s.simulate(ctx, &e.Crossing, e.RemovesFirst, elements, rand.NewPCG(seed, uint64(2+i)))
		if err != nil {
			return err
		}
		a, b := binned(got.Upstream, s.AheadScale), binned(got.Left, s.BehindScale)
		ahead[i], behind[i] = distance(model.Upstream, &a, s.AheadScale), distance(model.Left, &b, s.BehindScale)
	}
	e.Ahead.Noise, e.Behind.Noise = limit(ahead[:]), limit(behind[:])
	return nil
}

// judge compares the observations with the assumptions and predictions of the model.
func (e *Estimate) judge(s *Seen, gap, busy *run.Summary) {
	refute := func(format string, args ...any) { e.Refuted = append(e.Refuted, fmt.Sprintf(format, args...)) }
	if part := s.Blocked / s.Seconds; part > blockedSlack {
		refute("the writer waited for space for %s of the run: insertions depend on removals", units.Percent(part))
	}
	for _, x := range []struct {
		what string
		r    float64
		n    uint64
	}{{"times between insertions", e.GapCorrelation, gap.Samples}, {"service times", e.BusyCorrelation, busy.Samples}} {
		if maximum := correlationSlack + 3/math.Sqrt(float64(x.n)); math.Abs(x.r) > maximum {
			refute("successive %s have a correlation of %.2g, expected at most %.2g", x.what, x.r, maximum)
		}
	}
	if !s.parts() {
		return
	}
	for _, x := range []struct {
		what string
		c    Check
	}{{"before", e.Ahead}, {"after", e.Behind}} {
		if maximum := x.c.MaxDistance(); x.c.Distance > maximum {
			refute("the queue %s the link contains %.3g elements on average, but the model predicts %.3g. The total "+
				"variation distance is %.2g, expected at most %.2g", x.what, x.c.Measured,
				x.c.Predicted, x.c.Distance, maximum)
		}
	}
}

// simulate runs the model with the observed times.
func (s *Seen) simulate(ctx context.Context, c *Crossing, first bool, elements int,
	src rand.Source) (*queueing.BulkQueueRun, error) {
	epochs := newEpochs(s)
	q := queueing.BulkQueue{Gap: epochs.gap, Service: epochs.service, Bulk: c.Bulk, Transfer: c.Transfer,
		Setup:   c.Setup,
		Latency: c.Latency, Jitter: c.Jitter, Flush: c.Flush, RemovesFirst: first}
	if c.Bulk == 0 && c.Latency+c.Jitter > 0 {
		q.Bulk = 1 // only the latency matters
	}
	return q.Simulate(ctx, elements, src)
}

// correlation returns the correlation between the bins of consecutive times, computed from the sum of their products.
func correlation(x *run.Summary) float64 {
	n, mean, squares := x.Below, 0.0, 0.0
	add := func(number, weight float64) {
		n += weight
		mean += number * weight
		squares += number * number * weight
	}
	for i, w := range x.Histogram {
		add(float64(i+1), w)
	}
	add(float64(len(x.Histogram)+1), x.Above)
	mean, squares = mean/n, squares/n
	if variance := squares - mean*mean; variance > 1e-9*squares && n > 1 {
		return (x.Products/(n-1) - mean*mean) / variance
	}
	return 0
}

// total returns the sum over all frames.
func total(frames []Framed) (sum run.Summary) {
	for i := range frames {
		sum.Add(&frames[i].Summary)
	}
	return sum
}

// limit returns the 95th percentile of values, approximated by a normal distribution.
func limit(values []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, v := range values {
		mean += v / float64(len(values))
		squares += v * v / float64(len(values))
	}
	return mean + 1.645*math.Sqrt(max(squares-mean*mean, 0))
}

// binned counts a distribution in the bins of a linear scale.
func binned(d queueing.Distribution, scale program.Scale) (x run.Summary) {
	x.Histogram = make([]float64, scale.N)
	for n, w := range d {
		switch at := (float64(n) - scale.Low) / scale.Width; {
		case at < 0:
			x.Below += w
		case at < float64(scale.N):
			x.Histogram[int(at)] += w
		default:
			x.Above += w
		}
	}
	return x
}

// distance returns the total variation distance between a distribution and the observations.
func distance(d queueing.Distribution, seen *run.Summary, scale program.Scale) float64 {
	x := binned(d, scale)
	list := func(s *run.Summary) queueing.Distribution {
		return append(append(queueing.Distribution{s.Below}, s.Histogram...), s.Above)
	}
	return list(&x).Distance(list(seen))
}

// quantile returns a quantile of the observations, rounded up to the end of its bin.
func quantile(x *run.Summary, scale program.Scale, p float64) float64 {
	rest := x.Below
	for i, w := range x.Histogram {
		if rest += w; rest >= p*x.Weight {
			return scale.From(i+1) - 1
		}
	}
	return x.Max
}

package sim

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"xopt/queueing"
)

// Run is what a simulation saw after the warm-up.
type Run struct {
	Seconds    float64  // simulated
	Elements   int      // that left the last stage
	Events     uint64   // handled, warm-up included
	Throughput float64  // elements/s out of the last stage
	Lost       float64  // fraction of the arrivals that were turned away
	Response   Interval // seconds from entering the first stage to leaving the last
	Stages     []StageRun
	Warnings   []string // what makes the figures doubtful
}

// StageRun is what a simulation saw at one stage.
type StageRun struct {
	// Occupancy[n] is the fraction of time that n elements were in the stage, the
	// one in service included.
	Occupancy []float64
	// Seen[n] is the fraction of the arrivals that found n elements in the stage;
	// those that were turned away count, those that waited outside count when they
	// come in.
	Seen        []float64
	MeanNumber  float64  // time average of N
	MaxNumber   int      // largest N
	Utilization float64  // fraction of time that the server served
	Blocked     float64  // fraction of time that it could not pass an element on
	Wait        Interval // seconds before service
	Response    Interval // seconds in the stage
}

// Tail returns the fraction of time that more than n elements were in the stage.
func (s *StageRun) Tail(n int) float64 {
	sum := 0.0
	for i := len(s.Occupancy) - 1; i > n && i >= 0; i-- {
		sum += s.Occupancy[i]
	}
	return sum
}

// Interval is a mean with its 95 % confidence interval, from the means of 30
// consecutive batches.
type Interval struct {
	Mean, HalfWidth float64
}

// Contains reports whether x lies in the interval.
func (i Interval) Contains(x float64) bool { return math.Abs(x-i.Mean) <= i.HalfWidth }

// batches is how many batches a run is divided into: enough for a Student
// interval near its limit, few enough to be long against the memory of a queue.
const batches = 30

// sample averages a sequence of numbers over batches.
type sample struct {
	sums   [batches]float64
	counts [batches]int
	batch  int
	size   int // numbers to a batch
}

// reset begins a sequence of about n numbers.
func (s *sample) reset(n int) { *s = sample{size: max(1, n/batches)} }

// add adds a number; the last batch takes whatever comes beyond n.
func (s *sample) add(x float64) {
	if s.counts[s.batch] >= s.size && s.batch < batches-1 {
		s.batch++
	}
	s.sums[s.batch] += x
	s.counts[s.batch]++
}

// interval returns the mean of all numbers, and its interval from the batches
// that have any. correlated tells that neighbouring batches resemble each other,
// so that the interval is too narrow.
func (s *sample) interval() (i Interval, correlated bool) {
	var means [batches]float64
	n, total, count := 0, 0.0, 0
	for b, c := range s.counts {
		if c > 0 {
			means[n] = s.sums[b] / float64(c)
			n++
			total += s.sums[b]
			count += c
		}
	}
	if n < 2 {
		return Interval{total / math.Max(1, float64(count)), math.Inf(1)}, false
	}
	center := 0.0
	for _, m := range means[:n] {
		center += m / float64(n)
	}
	square, product := 0.0, 0.0
	for b, m := range means[:n] {
		square += (m - center) * (m - center)
		if b > 0 {
			product += (m - center) * (means[b-1] - center)
		}
	}
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
	half := student * math.Sqrt(square/float64(n-1)/float64(n))
	// The correlation of independent batches exceeds 2/√n once in 44 times.
	return Interval{total / float64(count), half}, product > 2/math.Sqrt(float64(n))*square && half > 0
}

// result collects what was seen since observe.
func (s *simulation) result() (*Run, error) {
	span := s.clock - s.since
	if !(span > 0) || math.IsInf(span, 1) {
		return nil, fmt.Errorf("%d elements took %g s: %w", s.left, span, queueing.ErrRange)
	}
	r := &Run{Seconds: span, Elements: s.left, Events: s.events, Throughput: float64(s.left) / span,
		Stages: make([]StageRun, len(s.stations))}
	if s.offered > 0 {
		r.Lost = float64(s.lost) / float64(s.offered)
	}
	correlated := false
	r.Response, correlated = s.through.interval()
	if correlated {
		r.Warnings = append(r.Warnings, "the times of neighbouring batches resemble each other: the run is too "+
			"short for its confidence intervals")
	}
	for j := range s.stations {
		st := &s.stations[j]
		st.advance(s.clock)
		r.Stages[j] = st.result(span)
	}
	return r, nil
}

// result returns what was seen at the station in span seconds.
func (st *station) result(span float64) StageRun {
	r := StageRun{
		Occupancy: make([]float64, len(st.time)), Seen: make([]float64, len(st.seen)),
		MaxNumber: max(0, len(st.time)-1), Utilization: st.busyTime / span, Blocked: st.blockage / span,
	}
	for n, t := range st.time {
		r.Occupancy[n] = t / span
		r.MeanNumber += float64(n) * t / span
	}
	arrivals := 0
	for _, c := range st.seen {
		arrivals += c
	}
	for n, c := range st.seen {
		r.Seen[n] = float64(c) / float64(arrivals)
	}
	r.Wait, _ = st.waits.interval()
	r.Response, _ = st.responses.interval()
	return r
}

package maxplus

import (
	"math"
)

// never is the time of an event that does not occur.
var never = math.Inf(1)

// maxHistogram is the maximum length of a buffer's histogram. The last bin includes all larger numbers.
const maxHistogram = 1 << 16

// account adds the time since the last change to the statistics of a buffer.
func (s *Simulator) account(b *buffer) {
	if !s.run.options.Occupancy {
		return
	}
	from := max(b.since, s.run.warm)
	b.since = s.run.now
	if s.run.warm < 0 || s.run.now <= from {
		return
	}
	service := s.run.now - from
	b.area += service * float64(b.held)
	at := int(min(b.held, maxHistogram-1))
	for len(b.histogram) <= at {
		b.histogram = append(b.histogram, 0)
	}
	b.histogram[at] += service
}

// mark records the number of firings and the service time of each station.
func (s *Simulator) mark() {
	r := &s.run
	if r.warm < 0 {
		r.warm = r.now
	}
	m := Mark{Time: r.now, Firings: make([]int64, len(s.stations)), Work: make([]float64, len(s.stations))}
	for i := range s.stations {
		st := &s.stations[i]
		m.Firings[i], m.Work[i] = st.fired, st.work
		if st.busy && s.servers[st.server].discipline == Turns { // subtract the remainder of the current firing
			m.Work[i] -= max(0, s.clock.min[s.clock.leaves+int(st.server)]-r.now)
		}
	}
	r.marks = append(r.marks, m)
	r.next = r.events + r.interval
}

func (s *Simulator) result() *Result {
	r := &s.run
	res := &Result{Events: r.events, Time: r.now, Firings: make([]int64, len(s.stations)), Marks: r.marks,
		Buffers: make([]BufferResult, len(s.buffers)), Latency: r.latency.result()}
	for i := range s.stations {
		st := &s.stations[i]
		res.Firings[i] = st.fired
		if st.blocked >= 0 && r.warm >= 0 {
			s.buffers[st.blocked].blocked += max(0, r.now-max(st.blockedSince, r.warm))
		}
	}
	for b := range s.buffers {
		buf := &s.buffers[b]
		s.account(buf)
		out := &res.Buffers[b]
		out.Blocked = buf.blocked
		if r.options.Occupancy {
			out.Max = int(buf.max)
		}
		if total := r.now - max(0, r.warm); r.options.Occupancy && r.warm >= 0 && total > 0 {
			out.Mean = buf.area / total
			out.Histogram = make([]float64, len(buf.histogram))
			for k, t := range buf.histogram {
				out.Histogram[k] = t / total
			}
		}
	}
	if r.stopped {
		res.Deadlock = s.deadlock()
	}
	return res
}

// Rate is a rate in 1/s with its 95 % confidence interval. The interval is computed from the parts of the run between
// marks.
type Rate struct{ Value, Low, High float64 }

// Rate returns the rate in 1/s after the warm-up. Each firing of station i adds weight[i]. Stations beyond the end of
// weight add nothing. Rate returns 0 if there are no marks.
func (r *Result) Rate(weight []float64) Rate {
	return r.rate(weight, func(m *Mark, i int) float64 { return float64(m.Firings[i]) })
}

// WorkRate is like [Result.Rate], but each second of service of station i adds weight[i]. If the mean service time of
// an element is known, this rate is much more precise than a rate from the number of firings.
func (r *Result) WorkRate(weight []float64) Rate {
	return r.rate(weight, func(m *Mark, i int) float64 { return m.Work[i] })
}

func (r *Result) rate(weight []float64, of func(*Mark, int) float64) Rate {
	n := len(r.Marks) - 1
	if n < 1 || !(r.Marks[n].Time > r.Marks[0].Time) {
		return Rate{}
	}
	count := func(m int) float64 {
		sum := 0.0
		for i, w := range weight {
			if w != 0 {
				sum += w * (of(&r.Marks[m], i) - of(&r.Marks[0], i))
			}
		}
		return sum
	}
	total := r.Marks[n].Time - r.Marks[0].Time
	rate := count(n) / total
	// The rate is a ratio of sums. Its variance is the variance of the deviation of each part.
	squares, before := 0.0, 0.0
	for m := 1; m <= n; m++ {
		now := count(m)
		excess := now - before - rate*(r.Marks[m].Time-r.Marks[m-1].Time)
		squares += excess * excess
		before = now
	}
	half := math.Inf(1)
	if n > 1 {
		half = student * math.Sqrt(squares/float64(n-1)*float64(n)) / total
	}
	return Rate{rate, max(0, rate-half), rate + half}
}

// student is the two-sided 95 % quantile of Student's t with marksPerRun - 1 degrees of freedom.
const student = 2.045

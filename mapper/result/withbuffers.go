package result

import (
	"cmp"
	"fmt"
)

// WithBuffers is the result of an event simulation of a mapping with finite buffers.
type WithBuffers struct {
	Throughput Number `json:"throughput"` // 0 if the simulation deadlocks
	// Interval is the 95 % confidence interval of the simulation; nil if the throughput is exact.
	Interval *[2]Number `json:"interval,omitempty"`
	// Level is "proven" if a deadlock is proven, or if the throughput is exact because counts and times are static. It
	// is "heuristic" if Unsettled is set, otherwise "simulated". Blocked times and latency are always simulated.
	Level string `json:"level"`
	// Sizes is the origin of the sizes: "given", "recommended", or "given, else recommended"; in a validation also
	// "default"; in virtual time also "simulated", for sizes that suit the length of the run.
	Sizes  string `json:"sizes"`
	Memory Number `json:"memory"` // bytes of all buffers
	Events int64  `json:"events"`
	Seed   uint64 `json:"seed"`
	// Exponential is the number of kernels whose service times are drawn from the exponential distribution, because
	// their variation is unknown. Measured is the number of kernels whose service times are drawn from measured
	// distributions.
	Exponential int               `json:"exponential,omitempty"`
	Measured    int               `json:"measured,omitempty"`
	Latency     *SimulatedLatency `json:"latency,omitempty"`
	Edges       []BufferedEdge    `json:"edges"` // nil if a search omits them because the buffers cost nothing
	// Large is the throughput if all buffers are [EnlargedTimes] times as large. It is 0 if not simulated, because
	// buffers cost nothing or a single buffer causes most of the loss.
	Large Number `json:"large,omitempty"`
	// Stopped describes a deadlock: the kernels, and the cause of each kernel's wait; "" for none. If Level is
	// "proven", the deadlock is proven. Otherwise, it occurred in the simulation.
	Stopped string `json:"stopped,omitempty"`
	// Unsettled is the reason why the throughput is uncertain and the level "heuristic": buffers were still filling at
	// the end of the simulation.
	Unsettled string `json:"unsettled,omitempty"`
}

// EnlargedTimes is the factor by which simulations enlarge buffers to determine the effect of larger buffers.
const EnlargedTimes = 64

// SimulatedLatency is the time from source to sink in a simulation, in s.
type SimulatedLatency struct {
	Mean Number `json:"mean"`
	P50  Number `json:"p50"`
	P99  Number `json:"p99"`
	P999 Number `json:"p999"`
	// Growing reports that buffers were still filling at the end of the simulation. The latency of a long run is then
	// larger.
	Growing bool `json:"growing,omitempty"`
}

// BufferedEdge is the buffer of an edge, with its effect on the writer and on the throughput.
type BufferedEdge struct {
	Edge     string `json:"edge"`
	Elements Number `json:"elements"`
	Bytes    Number `json:"bytes"`
	Blocked  Number `json:"blocked"` // fraction of time in which the writer waits for space
	// Enlarged is the throughput if only this buffer is [EnlargedTimes] times as large. It is 0 if not simulated,
	// because the writer rarely waits or other writers wait longer, or if the larger buffer did not fill.
	Enlarged Number `json:"enlarged,omitempty"`
}

// Worst returns the edge whose buffer reduces the throughput most; nil if no reduction exceeds the simulation's
// uncertainty.
func (w *WithBuffers) Worst() *BufferedEdge {
	var worst *BufferedEdge
	above := w.above()
	for i := range w.Edges {
		if e := &w.Edges[i]; e.Enlarged > above && (worst == nil || e.Enlarged > worst.Enlarged) {
			worst = e
		}
	}
	return worst
}

// above returns the throughput that a simulation with larger buffers must exceed to count as a gain.
func (w *WithBuffers) above() Number {
	if w.Interval != nil {
		return w.Interval[1]
	}
	return w.Throughput * (1 + exactGain)
}

// Gain returns the relative gain of throughput if all buffers are large; 0 if there is none, or if it was not
// simulated.
func (w *WithBuffers) Gain() Number {
	if w.Large <= w.above() {
		return 0
	}
	return w.Large/w.Throughput - 1
}

// exactGain is the minimum relative gain that counts if throughputs are exact.
const exactGain = 1e-6

// Exact reports whether the throughput is exact.
func (w *WithBuffers) Exact() bool { return w.Interval == nil && w.Stopped == "" }

// WhyStopped describes the mapping's deadlock and its certainty in one line; "" if there is none.
func (w *WithBuffers) WhyStopped() string {
	switch {
	case w.Stopped == "":
		return ""
	case w.Interval == nil:
		return "with these buffer sizes, the mapping is proven to deadlock: " + w.Stopped
	}
	return fmt.Sprintf("with these buffer sizes, the mapping deadlocked in simulation, after %d firings with seed "+
		"%d: %s", w.Events, w.Seed, w.Stopped)
}

// buffersCost is the minimum fraction of the flow bound that sufficient buffers preserve.
const buffersCost = 0.99

// Costs reports whether the buffers reduce the throughput noticeably.
func (w *WithBuffers) Costs(unlimited Number) bool {
	return w.Stopped != "" || float64(w.Throughput) < buffersCost*float64(unlimited)
}

// Unlimited returns the flow bound: the throughput with unlimited buffers, in B/s.
func (c *Candidate) Unlimited() Number {
	if c.FlowBound > 0 {
		return c.FlowBound
	}
	return c.Throughput
}

// Limited reports whether finite buffers reduce the throughput of a candidate.
func (c *Candidate) Limited() bool { return c.FlowBound > 0 }

// Kept returns the fraction of the throughput with unlimited buffers that the buffers preserve. Multiplied by this
// factor, flows and utilizations, which assume unlimited buffers, are those at the predicted throughput.
func (c *Candidate) Kept() Number {
	if !c.Limited() {
		return 1
	}
	return c.Throughput / c.FlowBound
}

// Ties reports whether the throughputs of a candidate and the best candidate differ only by rounding, or the intervals
// of their simulations overlap. A simulated candidate never ties with a candidate that was not simulated.
func (c *Candidate) Ties(best *Candidate) bool {
	if c.Limited() || best.Limited() {
		if (c.WithBuffers == nil) != (best.WithBuffers == nil) {
			return false
		}
		x, y := c.simulated(), best.simulated()
		return x[1] >= y[0]
	}
	return c.Throughput >= best.Throughput*(1-TieTolerance)
}

// simulated returns the interval of the simulation with buffers; without a simulation, both ends are the throughput.
func (c *Candidate) simulated() [2]Number {
	if c.Limited() && c.WithBuffers.Interval != nil {
		return *c.WithBuffers.Interval
	}
	return [2]Number{c.Throughput, c.Throughput}
}

// Limit adds a simulation with finite buffers to a candidate. If buffers reduce the throughput noticeably, the
// simulated throughput becomes the prediction. Limit then scales the intervals by the same factor, and extends them to
// include the interval of the simulation. If the mapping deadlocks, the prediction does not change. Limit must be
// called at most once per candidate.
func (c *Candidate) Limit(w *WithBuffers) {
	c.WithBuffers = w
	if w.Stopped != "" || !w.Costs(c.Throughput) {
		return
	}
	flow := c.Throughput
	c.scale(w.Throughput/flow, w.Interval)
	c.FlowBound, c.Throughput = flow, w.Throughput
}

// OmitKept removes the edges and the latency of the simulation if the buffers cost nothing, to save space.
func (c *Candidate) OmitKept() {
	if w := c.WithBuffers; w != nil && w.Stopped == "" && !c.Limited() {
		short := *w
		short.Edges, short.Latency = nil, nil
		c.WithBuffers = &short
	}
}

// scale multiplies the prediction and its intervals by a factor. It extends the intervals to include inside, unless
// inside is nil.
func (c *Candidate) scale(factor Number, inside *[2]Number) {
	c.Throughput *= factor
	c.FarApart *= factor
	for _, x := range []**[2]Number{&c.Interval, &c.GoodInterval, &c.RunInterval} {
		if *x == nil {
			continue
		}
		low, high := (*x)[0]*factor, (*x)[1]*factor
		if inside != nil {
			low, high = min(low, inside[0]), max(high, inside[1])
		}
		*x = &[2]Number{low, high}
	}
	if c.Run != nil {
		c.Run.Seconds /= factor
	}
}

// BufferBytes returns the memory of all buffers at the recommended sizes or, for a result without recommendations, at
// the sizes of the first estimator. Edges that share a ring count once, with the largest of their buffers.
func (c *Candidate) BufferBytes() float64 {
	recommended, isKnown := c.ringBytes(func(r *Recommendation, _ Number) Number { return r.Bytes })
	if isKnown {
		return recommended
	}
	papers := 0.0
	for i := range c.Queues {
		if q := &c.Queues[i]; len(q.Estimates) > 0 {
			papers += float64(q.Estimates[0].Bytes)
		}
	}
	return papers
}

// MinBytes returns the memory of the smallest buffers without a deadlock, in bytes; 0 if unknown.
func (c *Candidate) MinBytes() float64 {
	minimum, _ := c.ringBytes(func(r *Recommendation, element Number) Number { return r.Min * element })
	return minimum
}

// ringBytes adds up the sizes of all ring buffers. The size of a ring is the largest size of its edges.
func (c *Candidate) ringBytes(of func(r *Recommendation, element Number) Number) (sum float64, isKnown bool) {
	rings := make(map[string]float64)
	for i := range c.Queues {
		q := &c.Queues[i]
		if q.Recommended == nil {
			continue
		}
		ring, bytes := cmp.Or(q.Ring, q.Edge), float64(of(q.Recommended, q.ElementBytes))
		if before, isKnown := rings[ring]; !isKnown || bytes > before {
			sum += bytes - before
			rings[ring] = bytes
		}
	}
	return sum, len(rings) > 0
}

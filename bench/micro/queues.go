package micro

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"xopt/bench/apps"

	"xopt/calibrate"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/xlang"
	"xopt/internal/units"
	"xopt/mapper/result"
	"xopt/queueing"
)

// QueuesOptions configures [Queues].
type QueuesOptions struct {
	Elements uint64 // number of elements through each queue
	// OneCore runs source and server in one process. The order of events is then exact. But the source cannot send
	// while the server works, so the queue differs from the theory.
	OneCore  bool
	Progress func(done, all int)
}

// QueueCase compares measurements of a queue with theory (Lancaster 2011 §5.2). Arrivals are a Poisson process.
type QueueCase struct {
	Name    string // "M/M/1", "M/D/1", "tandem, second"
	Edge    string
	Samples int
	// Disturbed is the number of elements excluded because of disturbances of the machine. A disturbance is a service
	// time, or a time between arrivals, of more than 20 times the mean, which has a probability of 2e-9 for exponential
	// times. The exclusion ends when the queue is empty.
	Disturbed int

	ArrivalRate float64 // elements/s, measured
	ArrivalSCV  float64 // scv of the times between arrivals, measured
	ServiceTime float64 // seconds, measured; includes receiving and sending an element
	ServiceSCV  float64 // scv of the service times, measured
	Utilization float64 // λ E[S]
	Exponential bool    // the theory is M/M/1, not M/D/1

	Mean   Interval // measured mean number of elements that arriving elements find
	Theory float64  // theoretical mean for the measured utilization
	// Distance is the total variation distance between the measured histogram and the theory. Noise is the distance
	// that random variation alone would cause, considering the correlation of samples.
	Distance, Noise float64

	// Replay is the number of elements for which the measured occupancy differs from a replay of the recorded arrivals
	// and departures. Ties is the number of these elements that arrived within 2 µs of a departure.
	Replay, Ties int

	trace queueTrace
}

// Interval is a mean with its 95 % confidence interval from batch means.
type Interval struct{ Value, Low, High float64 }

// Queues runs an M/M/1 queue, an M/D/1 queue, and two stations in series. It traces every element, and compares the
// results with theory.
func Queues(ctx context.Context, o QueuesOptions) (_ []QueueCase, err error) {
	dir, err := apps.Unpack("synthetic")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var cases []QueueCase
	for i, c := range []struct {
		name  string
		set   map[string]string
		edges []int
		expo  bool
	}{
		{"M/M/1", map[string]string{"top.time1": "22", "top.time2": "0", "top.service2": "deterministic"}, []int{0},
			true},
		{"M/D/1", map[string]string{"top.time1": "22", "top.service1": "deterministic", "top.time2": "0",
			"top.service2": "deterministic"}, []int{0}, false},
		{"tandem", map[string]string{"top.time1": "14", "top.time2": "10"}, []int{0, 1}, true},
	} {
		if o.Progress != nil {
			o.Progress(i, 3)
		}
		c.set["top.arrival"] = "40"
		found, err := runQueue(ctx, dir, c.set, c.edges, o)
		if err != nil {
			return nil, fmt.Errorf("running %s: %w", c.name, err)
		}
		for j := range found {
			found[j].Name, found[j].Exponential = c.name, c.expo
			if len(c.edges) > 1 {
				found[j].Name += [...]string{", first", ", second"}[j]
			}
			found[j].compare()
			found[j].trace = queueTrace{} // release the large trace
		}
		cases = append(cases, found...)
	}
	return cases, nil
}

// queueTrace contains the trace of a queue, by element.
type queueTrace struct {
	sent, consumed []result.Logged
	found          []result.Logged
}

// tapsOfQueue is the number of taps per edge: for arrivals, departures and occupancy.
const tapsOfQueue = 3

func runQueue(ctx context.Context, dir string, set map[string]string, edges []int, o QueuesOptions) (_ []QueueCase,
	err error) {
	mapping := "map { top.source, top.second } to proc[1]; map { top.first, top.sink } to proc[2];"
	if o.OneCore {
		mapping = "map { top } to proc[1];"
	}
	if err := os.WriteFile(dir+"/queue_map.x", []byte(mapping), 0o644); err != nil {
		return nil, fmt.Errorf("writing the mapping: %w", err)
	}
	var names []string
	taps := func(p *xlang.Program) []program.Tap {
		var list []program.Tap
		for _, e := range edges {
			names = append(names, p.Edges[e].Name)
			for _, kind := range [tapsOfQueue]program.TapKind{program.Sent, program.Consumed, program.Occupancy} {
				list = append(list, program.Tap{Kind: kind, Edge: e, Every: 1, Trace: 1 << 16})
			}
		}
		return list
	}
	prog, err := calibrate.BuildFiles(ctx, inFolder(dir, "pipeline.x", "arch.x", "queue_map.x"), set,
		program.Options{CPUs: 2, Exact: true, Elements: o.Elements}, taps)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, prog.Remove()) }()
	m, err := run.Once(ctx, prog, run.Options{})
	if err != nil {
		return nil, err
	}
	if m.Failure != nil {
		return nil, m.Failure
	}
	var cases []QueueCase
	for i := range edges {
		c := QueueCase{Edge: names[i]}
		at := i * tapsOfQueue
		for j := range tapsOfQueue {
			if lost := m.Taps[at+j].Lost; lost > 0 {
				return nil, fmt.Errorf("%s are missing in the trace of %s (rerun on a quiet machine)",
					units.Elements(lost), names[i])
			}
		}
		for _, f := range m.Frames {
			c.trace.sent = append(c.trace.sent, f.Logs[at]...)
			c.trace.consumed = append(c.trace.consumed, f.Logs[at+1]...)
			c.trace.found = append(c.trace.found, f.Logs[at+2]...)
		}
		if n := len(c.trace.sent); uint64(n) != o.Elements || len(c.trace.consumed) != n || len(c.trace.found) != n {
			return nil, fmt.Errorf("the traces of %s contain %d sends, %d receipts and %d occupancies, expected %d "+
				"of each", names[i], n, len(c.trace.consumed),
				len(c.trace.found), o.Elements)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// tie is the time in s between a departure and an arrival below which their order is uncertain.
const tie = 2e-6

// compare computes the measured values, the replay, and the theory.
func (c *QueueCase) compare() {
	t := &c.trace
	c.Samples = len(t.sent)
	c.replay()
	between, service, found := c.undisturbed()
	mean, scv := moments(between)
	c.ArrivalRate, c.ArrivalSCV = 1/mean, scv
	c.ServiceTime, c.ServiceSCV = moments(service)
	c.Utilization = c.ArrivalRate * c.ServiceTime
	if len(found) < 10*batches {
		c.Theory, c.Distance, c.Noise = math.NaN(), math.NaN(), math.NaN()
		return
	}
	c.Mean = batchMeans(found)
	if c.Utilization >= 1 {
		c.Theory, c.Distance, c.Noise = math.Inf(1), math.NaN(), math.NaN()
		return
	}
	const maximum = 200
	var theory []float64
	if c.Exponential {
		q := queueing.MM1{Utilization: c.Utilization}
		c.Theory = q.MeanNumber()
		for n := range maximum {
			theory = append(theory, q.Probability(float64(n)))
		}
	} else {
		q := queueing.MG1{Utilization: c.Utilization}
		c.Theory, theory = q.MeanNumber(), q.Distribution(maximum)
	}
	c.distance(found, theory)
}

// longest is the maximum service time or time between arrivals on an undisturbed machine, as a multiple of its mean.
const longest = 20

// undisturbed returns the times between arrivals, the service times and the occupancies of the undisturbed elements.
func (c *QueueCase) undisturbed() (between, service, found []float64) {
	t := &c.trace
	n := len(t.sent)
	arrival, departure := (t.sent[n-1].Time-t.sent[0].Time)/float64(n), 0.0
	serve := func(i int) float64 { // service starts when the element has arrived and the previous one is done
		return t.consumed[i].Time - max(t.sent[i].Time, t.consumed[i-1].Time)
	}
	for i := 1; i < n; i++ {
		departure += serve(i) / float64(n)
	}
	bad := true // exclude elements until the queue is empty for the first time
	for i := 1; i < n; i++ {
		gap, elapsed := t.sent[i].Time-t.sent[i-1].Time, serve(i)
		if t.found[i].Value == 0 {
			bad = false
		}
		if bad = bad || gap > longest*arrival || elapsed > longest*departure; bad {
			c.Disturbed++
			continue
		}
		between, service, found = append(between, gap), append(service, elapsed), append(found, t.found[i].Value)
	}
	return between, service, found
}

// replay compares the measured occupancies with the recorded arrivals and departures: an arriving element finds the
// elements that arrived before it and have not departed.
func (c *QueueCase) replay() {
	t := &c.trace
	left := 0
	for i, s := range t.sent {
		for left < len(t.consumed) && t.consumed[left].Time <= s.Time {
			left++
		}
		if float64(i-left) == t.found[i].Value {
			continue
		}
		c.Replay++
		near := func(j int) bool {
			return j >= 0 && j < len(t.consumed) && math.Abs(t.consumed[j].Time-s.Time) < tie
		}
		if near(left) || near(left-1) {
			c.Ties++
		}
	}
}

// distance computes Distance and Noise for the measured occupancies and a theoretical distribution.
func (c *QueueCase) distance(found, theory []float64) {
	counts := make([]float64, len(theory))
	above := 0.0
	for _, v := range found {
		if int(v) < len(counts) {
			counts[int(v)]++
		} else {
			above++
		}
	}
	n, rest := float64(len(found)), 1.0
	for i, p := range theory {
		c.Distance += math.Abs(counts[i]/n-p) / 2
		// The mean distance between n independent samples and p is sqrt(2 p (1-p) / (pi n)).
		c.Noise += math.Sqrt(2*p*(1-p)/(math.Pi*n)) / 2
		rest -= p
	}
	c.Distance += math.Abs(above/n-max(rest, 0)) / 2
	c.Noise *= math.Sqrt(correlationTime(found))
}

// correlationTime returns the number of samples per independent sample: the sum of the autocorrelation up to the lag at
// which it falls below the noise.
func correlationTime(x []float64) float64 {
	mean, scv := moments(x)
	variance := scv * mean * mean
	if variance == 0 {
		return 1
	}
	sum := 1.0
	for lag := 1; lag < len(x)/10; lag++ {
		r := 0.0
		for i := lag; i < len(x); i++ {
			r += (x[i] - mean) * (x[i-lag] - mean)
		}
		r /= variance * float64(len(x)-lag)
		if r < 0.05 {
			break
		}
		sum += 2 * r
	}
	return sum
}

// moments returns the mean and the squared coefficient of variation.
func moments(x []float64) (mean, scv float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		scv += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, scv / (mean * mean)
}

// batches is the number of batches over which batchMeans divides the samples.
const batches = 20

// batchMeans returns a mean with its 95 % confidence interval from 20 batch means (Student's t with 19 degrees of
// freedom).
func batchMeans(x []float64) Interval {
	const t95 = 2.093
	var means []float64
	for b := range slices.Chunk(x, max(len(x)/batches, 1)) {
		m, _ := moments(b)
		means = append(means, m)
	}
	means = means[:min(batches, len(means))]
	mean, scv := moments(means)
	half := t95 * mean * math.Sqrt(scv/float64(len(means)-1))
	return Interval{mean, mean - half, mean + half}
}

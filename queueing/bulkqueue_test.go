package queueing

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// bulkOracle returns the results of an event simulation of 2 million arrivals. The link moves bulks, arrivals are
// Poisson, and the bus takes 0.05 service times for an element. The columns are the mean, 99 % and 99.99 % quantiles of
// the virtual queue, the mean upstream, and the mean and 99.99 % quantile downstream. The mean upstream is exactly
// (B-1)/2. long contains the 99.99 % quantiles of virtual and downstream after 100 million arrivals. Such excursions
// are few and long, so that 2 million do not determine them to 3 %.
func bulkOracle() []bulkCase {
	return []bulkCase{
		{false, .5, 1, 1.03, 6, 13, 0, 1.00, 13, [2]float64{13, 13}},
		{false, .5, 64, 49.4, 67, 74, 31.5, 16.3, 64, [2]float64{74, 64}},
		{false, .5, 256, 198.2, 263, 271, 127.5, 64.2, 256, [2]float64{271, 256}},
		{false, .8, 16, 16.7, 33, 50, 7.5, 8.5, 45, [2]float64{54, 48}},
		{false, .8, 64, 60.7, 81, 101, 31.5, 26.7, 88, [2]float64{101, 87}},
		{false, .8, 256, 240.5, 276, 298, 127.5, 102.7, 257, [2]float64{297, 259}},
		{false, .9, 1, 9.19, 43, 98, 0, 9.14, 98, [2]float64{87, 87}},      // .9^88 < 1e-4 < .9^87
		{false, .9, 16, 22.3, 56, 101, 7.5, 14.1, 93, [2]float64{100, 93}}, // 58 after 2 million, 56 after 100
		{false, .9, 64, 67.8, 104, 138, 31.5, 33.4, 120, [2]float64{147, 126}},
		{false, .9, 256, 256.4, 298, 337, 127.5, 117.3, 297, [2]float64{337, 297}},
		{true, .8, 64, 60.2, 73, 84, 31.5, 26.1, 74, [2]float64{84, 74}},
		{true, .9, 16, 18.7, 37, 56, 7.5, 10.5, 50, [2]float64{59, 52}},
		{true, .9, 64, 65.1, 84, 103, 31.5, 30.7, 90, [2]float64{107, 92}},
		{true, .9, 256, 255.0, 282, 303, 127.5, 116.0, 272, [2]float64{304, 273}},
	}
}

type bulkCase struct {
	constant                        bool
	rho                             float64
	bulk                            int
	mean, max, extreme              float64
	upstream, downstream, extremely float64
	long                            [2]float64
}

func (c *bulkCase) queue() *BulkQueue {
	q := &BulkQueue{Gap: func(r *rand.Rand) float64 { return r.ExpFloat64() / c.rho },
		Service: (*rand.Rand).ExpFloat64, Bulk: c.bulk, Transfer: .05 * float64(c.bulk)}
	if c.constant {
		q.Service = func(*rand.Rand) float64 { return 1 }
	}
	return q
}

// TestBulkQueue compares the model of a virtual queue with the table, and with an independent event simulation.
func TestBulkQueue(t *testing.T) {
	elements, slow, far := 8_000_000, 1_000_000, 0.12
	if testing.Short() {
		elements, slow, far = 1_000_000, 100_000, 0.25
	}
	for i, c := range bulkOracle() {
		run, err := c.queue().Simulate(context.Background(), elements, rand.NewPCG(uint64(i), 7))
		if err != nil {
			t.Fatal(err)
		}
		events := playBulks(c.queue(), slow, rand.NewPCG(uint64(i), 11))
		for _, x := range []struct {
			what                string
			got, events, want   float64
			tolerance, absolute float64
		}{
			{"mean", run.Virtual.Mean(), events[3].Mean(), c.mean, .03, 0},
			{"99 %", float64(run.Virtual.Quantile(.99)), float64(events[3].Quantile(.99)), c.max, .03, 1},
			{"99.99 %", float64(run.Virtual.Quantile(.9999)), float64(events[3].Quantile(.9999)), c.long[0], far, 1},
			{"upstream", run.Upstream.Mean(), events[0].Mean(), c.upstream, .03, .01},
			{"upstream, over time", run.MeanUpstream, events[0].Mean(), c.upstream, .03, .01},
			{"over time", run.MeanVirtual, events[3].Mean(), c.mean, .03, 0},
			{"downstream", run.Downstream.Mean(), events[2].Mean(), c.downstream, .03, 0},
			{"downstream, 99.99 %", float64(run.Downstream.Quantile(.9999)), float64(events[2].Quantile(.9999)),
				c.long[1], far, 1},
		} {
			loose := x.tolerance
			if testing.Short() {
				loose = max(loose, .12)
			}
			if math.Abs(x.got-x.want) > max(loose*x.want, x.absolute) {
				t.Errorf("%+v: %s is %.4g, want %.4g", c, x.what, x.got, x.want)
			}
			// The slow simulation has fewer elements and is less precise.
			if math.Abs(x.events-x.want) > max(4*loose*x.want, x.absolute, .1) {
				t.Errorf("%+v: %s of the events is %.4g, want %.4g", c, x.what, x.events, x.want)
			}
		}
	}
}

// TestBulkQueueFar checks that the tails of the distributions match the table with 100 million elements, for queues
// that are nearly full, whose excursions are the longest. TestBulkQueue checks all queues.
func TestBulkQueueFar(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full ring: it sends 100 million elements through three queues")
	}
	t.Parallel()
	for i, c := range bulkOracle() {
		if c.rho < .9 || c.bulk > 1 && c.bulk != 64 {
			continue
		}
		run, err := c.queue().Simulate(context.Background(), 100_000_000, rand.NewPCG(uint64(i), 77))
		if err != nil {
			t.Fatal(err)
		}
		for what, x := range map[string][2]float64{
			"mean": {run.Virtual.Mean(), c.mean}, "99 %": {float64(run.Virtual.Quantile(.99)), c.max},
			"99.99 %":             {float64(run.Virtual.Quantile(.9999)), c.long[0]},
			"downstream, 99.99 %": {float64(run.Downstream.Quantile(.9999)), c.long[1]},
		} {
			if math.Abs(x[0]-x[1]) > max(.03*x[1], 1) {
				t.Errorf("%+v: %s is %.4g, want %.4g", c, what, x[0], x[1])
			}
		}
	}
}

// playBulks is a slow reference implementation, which searches for the next event among all candidates. It
// returns the numbers of elements upstream, moving, downstream and in total, as seen by arrivals.
func playBulks(q *BulkQueue, elements int, src rand.Source) [4]Distribution {
	type batch struct {
		elements int
		at       float64
	}
	rng, never, bulk := rand.New(src), math.Inf(1), max(q.Bulk, 1)
	var out [4]Distribution
	var upstream []float64 // arrival times
	var flights []batch    // that have left the bus
	moving, downstream, inserted := 0, 0, 0
	bus, reader, arrival, clock := never, never, q.Gap(rng), 0.0
	for inserted < elements {
		start, lands := never, never
		if moving == 0 && len(upstream) >= bulk {
			start = clock
		} else if moving == 0 && len(upstream) > 0 && q.Flush > 0 {
			start = max(clock, upstream[0]+q.Flush)
		}
		for _, f := range flights {
			lands = min(lands, f.at)
		}
		switch clock = min(arrival, start, bus, reader, lands); clock {
		case start:
			moving = min(len(upstream), bulk)
			upstream = upstream[moving:]
			bus = clock + q.Setup + (q.Transfer-q.Setup)*float64(moving)/float64(bulk)
		case bus:
			flights = append(flights, batch{moving, clock + q.Latency})
			moving, bus = 0, never
		case lands:
			for _, f := range flights {
				if f.at == lands {
					downstream += f.elements
				}
			}
			flights = slices.DeleteFunc(flights, func(f batch) bool { return f.at == lands })
			if reader == never {
				reader = clock + q.Service(rng)
			}
		case reader:
			if downstream--; downstream > 0 {
				reader = clock + q.Service(rng)
			} else {
				reader = never
			}
		default:
			under := moving
			for _, f := range flights {
				under += f.elements
			}
			out[0].add(len(upstream))
			out[1].add(under)
			out[2].add(downstream)
			out[3].add(len(upstream) + under + downstream)
			upstream = append(upstream, clock)
			inserted++
			arrival = clock + q.Gap(rng)
		}
	}
	return out
}

// TestBulkQueueTwins checks that the model and its twin agree with flush times, latencies, fixed costs and odd bulks.
func TestBulkQueueTwins(t *testing.T) {
	elements := 400_000
	if testing.Short() {
		elements = 100_000
	}
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 5))
		rho := .3 + .5*rng.Float64()
		q := &BulkQueue{Gap: func(r *rand.Rand) float64 { return r.ExpFloat64() / rho },
			Service: (*rand.Rand).ExpFloat64, Bulk: 1 + rng.IntN(40), Latency: 20 * rng.Float64()}
		q.Transfer = .3 * float64(q.Bulk) * rng.Float64()
		q.Setup = q.Transfer * rng.Float64()
		if seed%3 > 0 {
			q.Flush = 40 * rng.Float64()
		}
		run, err := q.Simulate(context.Background(), elements, rand.NewPCG(seed, 1))
		if err != nil {
			t.Fatal(err)
		}
		events := playBulks(q, elements, rand.NewPCG(seed, 2))
		for i, got := range []Distribution{run.Upstream, run.Moving, run.Downstream, run.Virtual} {
			if d := got.Distance(events[i]); d > .03 || math.Abs(got.Mean()-events[i].Mean()) > .05*events[i].Mean()+
				.02 {
				t.Errorf("seed %d, queue %d: mean %.4g, of the events %.4g, at a distance of %.3g", seed, i, got.Mean(),
					events[i].Mean(), d)
			}
		}
	}
}

// TestBulkQueueWithoutLink compares with M/M/1. A reader that removes an element first excludes the one in service.
func TestBulkQueueWithoutLink(t *testing.T) {
	const rho = .7
	q := &BulkQueue{Gap: func(r *rand.Rand) float64 { return r.ExpFloat64() / rho }, Service: (*rand.Rand).ExpFloat64}
	for _, first := range []bool{false, true} {
		q.RemovesFirst = first
		run, err := q.Simulate(context.Background(), 2_000_000, rand.NewPCG(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		want := rho / (1 - rho)
		if first {
			want -= rho
		}
		if got := run.Virtual.Mean(); math.Abs(got-want) > .03*want || run.Upstream.Mean() != 0 {
			t.Errorf("takes first: %t, mean %g, want %g", first, got, want)
		}
	}
}

// TestVirtualSizes checks that the sizes cover the queues of the table and are not much larger.
func TestVirtualSizes(t *testing.T) {
	const p = 1e-4
	for _, c := range bulkOracle() {
		alone := must(TailCapacity(c.rho, p))
		if c.constant {
			alone = must(MG1{c.rho, 0}.Capacity(p))
		}
		v := VirtualQueue{Rate: c.rho, Alone: alone, Links: []BulkLink{{Bulk: float64(c.bulk),
			Transfer: .05 * float64(c.bulk)}}}
		s, err := v.Sizes(p)
		if err != nil {
			t.Fatal(err)
		}
		if s.Ring < c.long[0] || s.Ring > 2*float64(c.bulk) && s.Ring > 1.35*c.long[0]+5 || s.Downstream < c.long[1] ||
			s.Upstream < 2*float64(c.bulk) {
			t.Errorf("%+v: %+v", c, s)
		}
	}
}

// TestVirtualSizesRefuse checks that a fully utilized link and invalid parameters are rejected.
func TestVirtualSizesRefuse(t *testing.T) {
	link := BulkLink{Bulk: 64, Transfer: 64}
	for _, q := range []VirtualQueue{{Rate: 1, Alone: 10, Links: []BulkLink{link}}, {Alone: 10}, {Rate: 1},
		{Rate: 1, Alone: 10, Links: []BulkLink{{Bulk: 0}}},
		{Rate: 1, Alone: 10, Links: []BulkLink{{Bulk: 1, Latency: -1}}}} {
		if s, err := q.Sizes(1e-7); err == nil {
			t.Errorf("%+v: %+v", q, s)
		}
	}
	flushed := VirtualQueue{Rate: 1, Alone: 10, Links: []BulkLink{{Bulk: 4096, Transfer: 1, Flush: 10}}}
	endless := flushed
	endless.Links = []BulkLink{{Bulk: 4096, Transfer: 1}}
	a, err := flushed.Sizes(1e-7)
	b, err2 := endless.Sizes(1e-7)
	if err != nil || err2 != nil || b.Ring != 8192 || b.Upstream != 8192 || a.Ring > 150 || a.Upstream > 150 {
		t.Errorf("a bulk of 4096: %+v with a flush time, %+v without; want two of what goes together", a, b)
	}
}

// BenchmarkBulkQueue sends elements through the model.
func BenchmarkBulkQueue(b *testing.B) {
	c := bulkOracle()[8]
	if _, err := c.queue().Simulate(context.Background(), b.N, rand.NewPCG(1, 1)); err != nil {
		b.Fatal(err)
	}
}

package xeval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xopt/deploy/trace"
)

// drawnRule returns a rule with random conjunctions and multiples, and a trace with random distinct times, except for
// elements consumed together.
func drawnRule(t *testing.T, r *rand.Rand) (*File, trace.Table) {
	b := Block{Name: "b", Rules: []Rule{{}}}
	h := new(trace.Header)
	var events []trace.Event
	time := int64(0)
	later := func() int64 { time += 1 + r.Int64N(9); return time }
	for side, d := range []*Disjunction{&b.Rules[0].Inputs, &b.Rules[0].Outputs} {
		for range 1 + r.IntN(3) {
			var c Conjunction
			for range 1 + r.IntN(3) {
				name := trace.Port{Kernel: "k", Name: fmt.Sprint("p", len(b.Ports))}
				port := b.add(name, trace.In, side == 0)
				s := trace.Series{Name: name.Name, From: trace.Port{Kernel: "from", Name: name.Name}, To: name}
				if side == 1 {
					b.Ports[port].Events[0] = Event{File: trace.FileName(name, trace.Out), Kind: Out}
					s.From, s.To = s.To, s.From
				}
				c = append(c, Multiple{N: 1 + r.IntN(4), Port: port})
				h.Series = append(h.Series, s)
				time = 1000 * int64(port) // ports advance in parallel; the last digits keep their times distinct
				for i := range r.IntN(40) {
					at := later()*100 + int64(port)*2
					if side == 1 {
						events = append(events, trace.Event{Time: at, Index: uint64(i), Series: int32(port),
							Kind: trace.Out})
						continue
					}
					events = append(events, trace.Event{Time: at, Index: uint64(i), Series: int32(port),
						Kind: trace.Available})
					consumed := at
					if r.IntN(2) == 0 {
						consumed = later()*100 + int64(port)*2 + 1
					}
					events = append(events, trace.Event{Time: consumed, Index: uint64(i), Series: int32(port),
						Kind: trace.In})
				}
			}
			*d = append(*d, c)
		}
	}
	return &File{Blocks: []Block{b}}, tableOf(t, h, events)
}

// byTheBook runs the algorithm of Fig. 4.13 on complete lists of events. It forms the records of each
// conjunction separately, then those of a disjunction in the order of time, and pairs them by index.
func byTheBook(t *testing.T, f *File, m trace.Table) (runs []Run) {
	b := &f.Blocks[0]
	times := func(port int, k trace.Kind) (list []int64) {
		r, err := m.Open(trace.Stream{Series: int32(port), Kind: k})
		if err != nil {
			t.Fatal(err)
		}
		events, err := trace.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			list = append(list, e.Time)
		}
		return list
	}
	records := func(d Disjunction, input bool) (list []record) {
		for i, c := range d {
			for l := 0; ; l++ {
				r := record{conjunction: i, available: math.MinInt64, time: math.MinInt64}
				enough := true
				for _, x := range c {
					k := trace.Out
					if input {
						k = trace.In
					}
					consumed, available := times(x.Port, k), times(x.Port, trace.Available)
					if !input {
						available = consumed
					}
					if (l+1)*x.N > len(consumed) {
						enough = false
						break
					}
					r.time = max(r.time, slices.Max(consumed[l*x.N:(l+1)*x.N]))
					r.available = max(r.available, slices.Max(available[l*x.N:(l+1)*x.N]))
				}
				if !enough {
					break
				}
				list = append(list, r)
			}
		}
		slices.SortFunc(list, func(a, b record) int { return int(a.time - b.time) })
		return list
	}
	in, out := records(b.Rules[0].Inputs, true), records(b.Rules[0].Outputs, false)
	for l := range min(len(in), len(out)) {
		runs = append(runs, Run{Number: uint64(l), Trigger: in[l].available, Start: in[l].time, Finish: out[l].time,
			Input: in[l].conjunction, Output: out[l].conjunction})
	}
	return runs
}

// TestByTheBook: the runs found incrementally equal those of the thesis' algorithm.
func TestByTheBook(t *testing.T) {
	for seed := range uint64(200) {
		f, m := drawnRule(t, rand.New(rand.NewPCG(seed, 0)))
		var got []Run
		result, err := Evaluate(t.Context(), f, m, Options{Each: func(r *Run) error {
			got = append(got, *r)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		want := byTheBook(t, f, m)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("seed %d, rule %s:\n%s", seed, f.Blocks[0].RuleText(0), d)
		}
		x := &result.Blocks[0].Rules[0]
		if x.Runs() != uint64(len(want)) || x.Runs() != min(x.Triggered, x.Finished) {
			t.Fatalf("seed %d: %d runs of %d and %d, want %d", seed, x.Runs(), x.Triggered, x.Finished, len(want))
		}
	}
}

// TestStatistics: against the definitions, on sorted lists.
func TestStatistics(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 10, 63, 64, 1000, 100_000} {
		var c collected
		list := make([]int64, n)
		sum := 0.0
		for i := range list {
			list[i] = int64(math.Exp(r.NormFloat64()) * 1e7)
			sum += float64(list[i])
			c.add(list[i])
		}
		s := c.statistics()
		mean, squares := sum/float64(n), 0.0
		for _, v := range list {
			squares += (float64(v) - mean) * (float64(v) - mean)
		}
		slices.Sort(list)
		near := func(what string, got, want, inside float64) {
			t.Helper()
			if math.Abs(got-want*1e-12) > inside*math.Abs(want*1e-12) {
				t.Errorf("n=%d: %s %g, want %g", n, what, got, want*1e-12)
			}
		}
		near("mean", s.Mean, mean, 1e-9)
		near("least", s.Min, float64(list[0]), 1e-12)
		near("most", s.Max, float64(list[n-1]), 1e-12)
		if n > 1 {
			near("deviation", s.Deviation, math.Sqrt(squares/float64(n-1)), 1e-9)
		}
		if n >= 1000 {
			near("median", s.P50, float64(list[n/2]), 0.05)
			near("p99", s.P99, float64(list[n*99/100]), 0.1)
		}
		if s.Low > s.Mean || s.High < s.Mean || n > 1 && s.High <= s.Low {
			t.Errorf("n=%d: interval %g to %g round %g", n, s.Low, s.High, s.Mean)
		}
		total := uint64(0)
		for _, b := range s.Bins {
			total += b.N
		}
		if total != uint64(n) {
			t.Errorf("n=%d: %d in bins", n, total)
		}
	}
}

// TestQuantilesOfEqualTimes: of many executions of 4, 4, 4, 8 us the quantiles are 4 and 8 us, which runs took.
func TestQuantilesOfEqualTimes(t *testing.T) {
	var c collected
	for i := range 8 * maxExact {
		c.add([]int64{4e6, 4e6, 4e6, 8e6}[i%4])
	}
	if s := c.statistics(); s.P50 != 4e6*picosecond || s.P90 != 8e6*picosecond || s.P99 != 8e6*picosecond {
		t.Errorf("p50, p90 and p99 are %g, %g and %g s", s.P50, s.P90, s.P99)
	}
}

// TestInterval: 95 % intervals contain the mean in about 95 of 100 cases, also if times are correlated.
func TestInterval(t *testing.T) {
	const cases, n, keep = 1000, 6400, 0.8
	r := rand.New(rand.NewPCG(3, 4))
	stored := 0
	for range cases {
		var c collected
		x := 0.0
		for range n {
			x = keep*x + math.Sqrt(1-keep*keep)*r.NormFloat64() // of mean 0 and variance 1
			c.add(int64(1e9 + 1e8*x))
		}
		if s := c.statistics(); s.Low <= 1e-3 && 1e-3 <= s.High {
			stored++
		}
	}
	if stored < 920 || stored > 975 {
		t.Errorf("%d of %d intervals hold the mean, want about 950", stored, cases)
	}
}

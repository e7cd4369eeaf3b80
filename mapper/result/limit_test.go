package result

import (
	"math/rand/v2"
	"testing"
)

// TestLimit checks random predictions that buffers limit: the throughput is that of the simulation, the flow bound is
// kept, and the intervals contain the throughput and each other as before.
func TestLimit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		around := func(of Number, part float64) *[2]Number {
			return &[2]Number{of * Number(1-part*random.Float64()), of * Number(1+part*random.Float64())}
		}
		c := &Candidate{Throughput: 1 + 99*Number(random.Float64()), Run: &Run{Bytes: 100}}
		c.Run.Seconds = c.Run.Bytes / c.Throughput
		c.Interval = around(c.Throughput, 0.3)
		c.GoodInterval = &[2]Number{c.Interval[0] * 0.95, c.Interval[1] * 1.05}
		c.RunInterval = &[2]Number{c.GoodInterval[0] * 0.9, c.GoodInterval[1] * 1.1}
		flow := c.Throughput
		w := &WithBuffers{Throughput: flow * Number(random.Float64())}
		w.Interval = around(w.Throughput, 0.5)
		c.Limit(w)
		limited := w.Throughput < buffersCost*flow
		if c.Limited() != limited || c.Unlimited() != flow || limited && c.Throughput != w.Throughput {
			t.Fatalf("limited to %g: %g of %g", w.Throughput, c.Throughput, c.Unlimited())
		}
		if s := c.Run.Seconds * c.Throughput / c.Run.Bytes; s < 0.999999 || s > 1.000001 {
			t.Errorf("%g s for %g bytes at %g B/s", c.Run.Seconds, c.Run.Bytes, c.Throughput)
		}
		inner := [2]Number{c.Throughput, c.Throughput}
		for _, x := range []*[2]Number{c.Interval, c.GoodInterval, c.RunInterval} {
			if x[0] > inner[0]*(1+1e-9) || x[1] < inner[1]*(1-1e-9) {
				t.Fatalf("%v does not contain %v", *x, inner)
			}
			inner = *x
		}
	}
	stops := &Candidate{Throughput: 10}
	if stops.Limit(&WithBuffers{Stopped: "a waits for b"}); stops.Limited() || stops.Throughput != 10 {
		t.Errorf("a mapping that stops has %+v", stops)
	}
}

// TestCondition checks that a proof, and a requested distance, name unlimited buffers where finite ones exceed them.
func TestCondition(t *testing.T) {
	best := &Candidate{Throughput: 90, FlowBound: 99}
	s := &Search{Bound: 100, GapAsked: 0.02, Status: "stopped"}
	if s.Condition(best); s.Status != "stopped, with unlimited buffers" {
		t.Errorf("the gap is reached: %q", s.Status)
	}
	s = &Search{Bound: 100, GapAsked: 0.2, Status: "stopped"}
	if s.Condition(best); s.Status != "stopped" {
		t.Errorf("the gap is reached with buffers: %q", s.Status)
	}
	s = &Search{Bound: 100, Optimal: true, Status: "optimal"}
	if s.Condition(best); s.Optimal || s.Status != "proven with unlimited buffers" {
		t.Errorf("a bound above: %q", s.Status)
	}
}

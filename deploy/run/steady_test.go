package run

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/internal/fault"
	"xopt/mapper/result"
)

// slowTruncation computes MSER-5 as published. For each number of omitted batches, it computes the spread of
// the rest around its mean, over the square of their number.
func slowTruncation(x []float64, atEnd bool) [2]int {
	n := len(x) / 5
	best, at := math.Inf(1), [2]int{}
	for e := n; e >= minBatches && (atEnd || e == n); e-- {
		for d := 0; e-d >= minBatches; d++ {
			var rest []float64
			for b := d; b < e; b++ {
				rest = append(rest, (x[5*b]+x[5*b+1]+x[5*b+2]+x[5*b+3]+x[5*b+4])/5)
			}
			mean, squares := meanOf(rest), 0.0
			for _, v := range rest {
				squares += (v - mean) * (v - mean)
			}
			if mser := squares / float64(len(rest)*len(rest)); mser < best {
				best, at = mser, [2]int{d, e}
			}
		}
	}
	return at
}

// TestTruncation: the fast rule cuts where the slow one does, in series with and without a start-up.
func TestTruncation(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	cut := 0
	for range 100 {
		x := make([]float64, 30+random.IntN(300))
		startUp, rate, from := random.IntN(len(x)), 1e6*random.Float64(), 2*random.Float64()
		for i := range x {
			x[i] = rate * (1 + 0.05*random.NormFloat64())
			if i < startUp {
				x[i] *= from
			}
		}
		batches := make([]float64, len(x)/5)
		for b := range batches {
			batches[b] = meanOf(x[5*b : 5*b+5])
		}
		for _, atEnd := range []bool{false, true} {
			got, _ := minError(batches, atEnd)
			if want := slowTruncation(x, atEnd); got != want {
				t.Fatalf("of %d observations batches %v are left, want %v", len(x), got, want)
			}
			if got[0] > 0 {
				cut++
			}
		}
	}
	if cut < 60 {
		t.Errorf("only %d series were cut", cut)
	}
}

// made returns the pulses of a run, 10 ms apart, with the given rates.
func made(n int, rate func(i int) (out, in float64)) []pulse {
	list, x := make([]pulse, n), pulse{}
	for i := range list {
		out, in := rate(i)
		x = pulse{at: float64(i+1) * 0.01, sent: x.sent + out*0.01, consumed: x.consumed + in*0.01}
		list[i] = x
	}
	return list
}

// TestSteady: start-up and end are found, and a run that is too short is reported as such.
func TestSteady(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	noise := func() float64 { return 1 + 0.01*random.NormFloat64() }
	for _, c := range []struct {
		name        string
		list        []pulse
		byItself    bool
		from, until [2]float64 // ranges of its start and its end, in s
		rate        float64    // within 1 %
		short       string
	}{
		{"queues fill", made(200, func(i int) (float64, float64) {
			if i < 20 { // sources run ahead, sinks wait
				return 3e6, 1e5
			}
			return 1e6 * noise(), 1e6 * noise()
		}), false, [2]float64{0.2, 0.3}, [2]float64{1.9, 2}, 1e6, ""},
		{"from the first moment on", made(200, func(int) (float64, float64) { return 1e6, 1e6 }), false,
			[2]float64{0, 0}, [2]float64{1.9, 2}, 1e6, ""},
		{"sources end", made(300, func(i int) (float64, float64) {
			if i >= 250 {
				return 0, 1e5
			}
			return 1e6 * noise(), 1e6 * noise()
		}), true, [2]float64{0, 0.6}, [2]float64{1.5, 2.5}, 1e6, ""},
		{"a slow moment late", made(300, func(i int) (float64, float64) {
			if i >= 200 && i < 205 {
				return 5e5, 5e5
			}
			return 1e6 * noise(), 1e6 * noise()
		}), false, [2]float64{0, 1.5}, [2]float64{2.9, 3}, 1e6, ""},
		{"a sink that takes one element at the end", made(200, func(i int) (float64, float64) {
			if i == 199 {
				return 1e6, 800
			}
			return 1e6, 0
		}), true, [2]float64{0, 0}, [2]float64{1.9, 2}, 1e6, ""},
		{"one of two sources ends early", made(400, func(i int) (float64, float64) {
			if i >= 380 {
				return 3e5 * noise(), 3e5 * noise()
			}
			return 1e6 * noise(), 1e6 * noise()
		}), true, [2]float64{0, 1.9}, [2]float64{2, 3.8}, 1e6, ""},
		{"rare elements", made(2000, func(i int) (float64, float64) {
			if i%50 == 49 {
				return 5e7, 5e7
			}
			return 0, 0
		}), false, [2]float64{0, 5}, [2]float64{17, 20}, 1e6, ""},
		{"short", made(4, func(int) (float64, float64) { return 1e6, 1e6 }), true, [2]float64{}, [2]float64{0, 1}, 0,
			"in a run of 40 ms, its elements moved too rarely"},
		{"few elements", made(400, func(i int) (float64, float64) {
			if i%200 == 100 {
				return 1e6, 1e6
			}
			return 0, 0
		}), true, [2]float64{}, [2]float64{0, 4}, 0, "in a run of 4 s, almost no elements moved"},
		{"too few batches", made(20, func(int) (float64, float64) { return 1e6, 1e6 }), false, [2]float64{},
			[2]float64{0, 1}, 0, "in a run of 200 ms, its steady part lasts"},
		{"still starting up", made(100, func(i int) (float64, float64) {
			if i < 70 {
				return 2e6, 1e5
			}
			return 1e6, 1e6
		}), false, [2]float64{0.7, 0.7}, [2]float64{0.9, 1}, 0, "in a run of 1 s, less than half of it was steady"},
	} {
		s := steadyOf(c.list, 0.01, c.list[len(c.list)-1].at, minSteady, c.byItself)
		if c.short != "" {
			if !strings.HasPrefix(s.Short, c.short) || s.Few != strings.HasSuffix(c.short, "almost no elements moved") {
				t.Errorf("%s: %q, want %q", c.name, s.Short, c.short)
			}
			continue
		}
		if s.Short != "" || s.StartUp < c.from[0] || s.StartUp > c.from[1] || s.Until() < c.until[0] ||
			s.Until() > c.until[1] || math.Abs(s.Throughput/c.rate-1) > 0.01 {
			t.Errorf("%s: %+v, until %g", c.name, *s, s.Until())
		}
	}
}

// TestFilling checks that sources that run ahead until they end show no throughput, but that sinks whose rate varies
// with the data do not prevent one.
func TestFilling(t *testing.T) {
	ahead := made(400, func(i int) (float64, float64) {
		if i >= 80 {
			return 0, 1e6 // the sinks empty the buffers
		}
		return 5e6, 1e6
	})
	varied := made(300, func(i int) (float64, float64) {
		if i < 150 {
			return 1e6, 9e5
		}
		return 1e6, 1e6
	})
	for _, c := range []struct {
		list    []pulse
		filling bool
	}{{ahead, true}, {varied, false}} {
		s := steadyOf(c.list, 0.01, c.list[len(c.list)-1].at, minSteady, true)
		if s.Filling != c.filling || strings.Contains(s.Short, "buffers were filling") != c.filling {
			t.Errorf("%+v, want filling %t", *s, c.filling)
		}
	}
}

// synthetic is a run that was made up: the rate at each look, in bytes/s, and the part of it that its processes waited
// for a processor.
type synthetic func(i, n int, random *rand.Rand) (rate, waited float64)

// stalledAt returns a steady trace with a stall between two parts of the run.
func stalledAt(from, to, rate, waited float64) synthetic {
	return func(i, n int, random *rand.Rand) (float64, float64) {
		if at := float64(i) / float64(n); at >= from && at < to {
			return rate, waited
		}
		return 1e6 * (1 + 0.02*random.NormFloat64()), 0.02
	}
}

// TestSteadyTraces: over synthetic runs, a stall is neither the steady state nor part of it. A throughput that
// differs from that of the complete run has a warning with its cause.
func TestSteadyTraces(t *testing.T) {
	const noRate = 0 // no throughput may be reported
	const either = -1
	for _, c := range []struct {
		name string
		of   synthetic
		rate float64 // that is reported, within 4 %
		id   fault.ID
	}{
		{"steady", stalledAt(0, 0, 0, 0), 1e6, ""},
		{"steady beside a constant load", func(_, _ int, random *rand.Rand) (float64, float64) {
			return 1e6 * (1 + 0.1*random.NormFloat64()), 0.6
		}, 1e6, ""},
		{"stall in the beginning", stalledAt(0.05, 0.25, 0, 1), 1e6, faults.RunStalled},
		{"stall in the middle", stalledAt(0.4, 0.6, 0, 1), 1e6, faults.RunStalled},
		{"stall at the end", stalledAt(0.8, 0.99, 0, 1), 1e6, faults.RunStalled},
		{"sources that end early", stalledAt(0.8, 1, 0, 0.1), 1e6, faults.LongRamp},
		{"stall without a reason", stalledAt(0.4, 0.5, 0, 0), 1e6, faults.RunStalled},
		{"slow while it waits for a processor", stalledAt(0.3, 0.6, 2e5, 0.9), 1e6, faults.RunStalled},
		{"a stall before the most", stalledAt(0.05, 0.65, 0, 1), noRate, faults.RunStalled},
		{"mostly slow", stalledAt(0.1, 0.7, 2e5, 0.9), noRate, faults.RunStalled},
		{"several stalls", func(i, n int, random *rand.Rand) (float64, float64) {
			if k := 20 * i / n; k%4 == 2 {
				return 0, 0.9
			}
			return 1e6 * (1 + 0.02*random.NormFloat64()), 0
		}, 1e6, faults.RunStalled},
		{"bimodal, fast first", stalledAt(0.4, 1, 6e5, 0), noRate, faults.LongRamp},
		{"bimodal, slow first", stalledAt(0, 0.3, 5e5, 0), either, faults.LongRamp},
		{"drift", func(i, n int, _ *rand.Rand) (float64, float64) {
			return 1e6 * (1 + float64(i)/float64(n)), 0
		}, noRate, ""},
		{"ramp", func(i, n int, _ *rand.Rand) (float64, float64) { return 1e6 * min(1, float64(i)*20/float64(n)), 0 },
			1e6, ""},
		{"bursty source", func(i, _ int, random *rand.Rand) (float64, float64) {
			if i/8%2 == 0 {
				return 2e6 * (1 + 0.02*random.NormFloat64()), 0
			}
			return 0, 0
		}, 1e6, ""},
	} {
		for seed := range uint64(8) {
			random := rand.New(rand.NewPCG(seed, 7))
			n := 200 + 100*random.IntN(4)
			list, x := make([]pulse, n), pulse{}
			for i := range list {
				rate, waited := c.of(i, n, random)
				x = pulse{float64(i+1) * 0.01, x.sent + rate*0.01, x.consumed + rate*0.01, x.waited + waited*0.01}
				list[i] = x
			}
			byItself := seed%2 == 0
			s := steadyOf(list, 0.01, x.at, minSteady, byItself)
			m := &result.Measured{Seconds: x.at, Throughput: x.sent / x.at, Steady: s}
			var id fault.ID
			for _, w := range differs(m) {
				id = w.ID
				if c.name == "bimodal, fast first" && !strings.Contains(w.Text, "the rate fell") {
					t.Errorf("%s, seed %d: %s", c.name, seed, w.Text)
				}
			}
			reported := s.Short == ""
			if c.rate == noRate && reported || c.rate > 0 && (!reported || math.Abs(s.Throughput/c.rate-1) > 0.04) ||
				c.rate != noRate && reported && c.id != id && !(c.name == "sources that end early" && !byItself) {
				t.Errorf("%s, seed %d: %g B/s, %q, warning %q; want %g, %q (%+v)", c.name, seed, s.Throughput, s.Short,
					id, c.rate, c.id, s)
			}
			if reported && id == "" && math.Abs(s.Throughput/m.Throughput-1) > longRamp {
				t.Errorf("%s, seed %d: %g B/s, and %g over the whole run, without a warning", c.name, seed,
					s.Throughput, m.Throughput)
			}
		}
	}
}

// TestPulses: of a long run every second pulse is kept, and no time is lost.
func TestPulses(t *testing.T) {
	var p pulses
	const n = 3 * maxPulses
	for i := range n {
		if p.due() {
			p.add(pulse{at: float64(i + 1), sent: float64(i + 1)})
		}
	}
	if len(p.list) >= maxPulses || p.every != 4 {
		t.Fatalf("%d pulses are kept, one in %d", len(p.list), p.every)
	}
	for i, x := range p.list {
		if x.at != float64((i+1)*p.every) {
			t.Fatalf("pulse %d is of %g, want %d", i, x.at, (i+1)*p.every)
		}
	}
	x := evenly(p.list, float64(p.every)/2)
	if last := x[len(x)-1]; last.at != last.sent || last.at < n-float64(p.every) {
		t.Errorf("the last is %+v of %d", last, n)
	}
}

// BenchmarkSteady uses 4,000 samples.
func BenchmarkSteady(b *testing.B) {
	list := made(4000, func(int) (float64, float64) { return 1e6, 1e6 })
	for b.Loop() {
		steadyOf(list, 0.01, 40, minSteady, false)
	}
}

// TestEnough: the sufficient number of elements follows from the given number, not from the number sent: a source of
// pictures sends thousands of blocks. A source without a number gets no such advice.
func TestEnough(t *testing.T) {
	for _, c := range []struct {
		given, sent uint64
		seconds     float64
		want        uint64
	}{{20000, 20000, 0.2, 200_000}, {20000, 20000, 0.033, 2_000_000}, {7, 7, 1.9, 10}, {0, 20000, 0.2, 0},
		{60, 90_000, 0.2, 1000}, {20000, 20000, 0.21, 200_000}, {20000, 20000, 0.09, 500_000}} {
		p := &program.Description{Processes: make([]program.Process, 1), Kernels: []program.Kernel{
			{Elements: c.given, Outputs: []program.Output{{Edges: []int{0}}}, Control: 8 * abi.PageBytes},
			{Inputs: []program.Input{{Edges: []int{0}}}, Control: 9 * abi.PageBytes}},
			Edges: []program.Edge{{To: 1, ElementBytes: 4, Capacity: 8, Control: abi.PageBytes,
				Reader: 2 * abi.PageBytes, Writer: 3 * abi.PageBytes}}}
		r := newRun(p, make([]byte, 10*abi.PageBytes), Options{})
		r.store64(p.Edges[0].Writer+abi.WriterHead, c.sent)
		m := &Measurement{Measured: result.Measured{Seconds: c.seconds,
			Edges: []result.MeasuredEdge{{Elements: 100, Capacity: 5000}}}}
		if got := r.enough(m, &result.SteadyPart{}); got != c.want {
			t.Errorf("%d elements in %g s: %d are enough, want %d", c.given, c.seconds, got, c.want)
		}
		full := r.enough(m, &result.SteadyPart{Filling: true})
		if c.want > 0 && full < 200*c.given { // 4 times the buffer of 50 times the elements
			t.Errorf("%d elements in %g s: %d fill the buffer 4 times, want at least %d", c.given, c.seconds, full,
				200*c.given)
		}
	}
}

// TestTooFew: a run without a least length needs an element for each look of the fewest batches.
func TestTooFew(t *testing.T) {
	for n, want := range map[uint64]bool{0: true, 20: true, minElements - 1: true, minElements: false, 1e6: false} {
		got := TooFew([]result.MeasuredEdge{{Elements: 1}, {Elements: n}, {}}, 1)
		if got != "" != want {
			t.Errorf("%d elements: %q", n, got)
		}
	}
}

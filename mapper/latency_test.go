package mapper

import (
	"math"
	"math/rand/v2"
	"testing"

	"xopt/flow"
	"xopt/flow/flowtest"
)

// grouped simulates elements that arrive at random, wait until n are present, cross a link together and are processed
// by a kernel. It returns the mean time of an element. bus is the time of a transfer; with 0 there is no link, and
// all n are one firing.
func grouped(n int, rate, bus, service float64) float64 {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	const rounds = 40_000
	arrivals := make([]float64, n)
	clock, moved, done, sum := 0.0, 0.0, 0.0, 0.0
	for range rounds {
		for i := range arrivals {
			clock += rng.ExpFloat64() / rate
			arrivals[i] = clock
		}
		if bus == 0 {
			done = math.Max(done, clock) + service*rng.ExpFloat64()
			for _, a := range arrivals {
				sum += done - a
			}
			continue
		}
		moved = math.Max(moved, clock) + bus
		for _, a := range arrivals {
			done = math.Max(done, moved) + service*rng.ExpFloat64()
			sum += done - a
		}
	}
	return sum / float64(n*rounds)
}

// joinProblem returns a source whose 4-byte elements on b a join consumes n at a time, together with one on a, with a
// link of the given bulk between them.
func joinProblem(n, bulk float64, cores int) *flow.Problem {
	app := flow.Application{Kernels: []flow.Kernel{{Name: "s", Gain: 1}, {Name: "k", Gain: 1}},
		Edges: []flow.Edge{{Name: "b", From: 0, To: 1, FromPort: "b", ElementBytes: 4, Routing: 1}}}
	if n > 1 {
		app.Edges = append(app.Edges, flow.Edge{Name: "a", From: 0, To: 1, FromPort: "a", ElementBytes: 4,
			Routing: 1 / (n + 1)})
		app.Edges[0].Routing = n / (n + 1)
		app.Kernels[1].Joins = []flow.Join{{Ports: []flow.JoinPort{{Name: "a", Edges: []int{1}, Bytes: 4},
			{Name: "b", Edges: []int{0}, Bytes: 4 * n}}}}
	}
	p := &flow.Problem{Application: app}
	fig := flow.Figures{Available: true, ServiceRate: 4e6, ServiceSCV: -1}
	for range cores {
		p.Architecture.Resources = append(p.Architecture.Resources,
			flow.Resource{Name: string(rune('a' + len(p.Architecture.Resources)))})
	}
	p.Architecture.Links = []flow.Link{{Name: "l", Endpoints: []int{0, 1}, Bandwidth: 80e6,
		Sharing: flow.Sharing{TransferBytes: bulk}}}
	free := fig
	free.ServiceRate = 1e15
	for range app.Kernels {
		p.Figures = append(p.Figures, make([]flow.Figures, cores))
	}
	for r := range cores {
		p.Figures[0][r], p.Figures[1][r] = free, fig
	}
	return p
}

// TestRoundsTakeTime compares the filling time of joins and transfers, on average and the maximum latency, with a
// simulation.
func TestRoundsTakeTime(t *testing.T) {
	for _, c := range []struct {
		name       string
		join, bulk float64
		load       float64
		above      float64 // how far above the simulation it may be, relatively
	}{
		{"join of 100, half loaded", 100, 0, .5, .15},
		{"join of 100, loaded", 100, 0, .9, .4},
		{"transfers of 64", 1, 256, .8, .1},
		{"transfers of 256", 1, 1024, .5, .1},
		{"transfers of 256, loaded", 1, 1024, .9, .1},
	} {
		p := joinProblem(c.join, c.bulk, 2)
		m := &flow.Mapping{Place: []int{0, 1}, Route: make([][]int, len(p.Application.Edges))}
		n, s := flowtest.Solve(t, p, m)
		mean, worst, last := NewPaths(p, n.Flows).Longest(flow.NewOperation(n, s), c.load/s.Resources[1].Utilization)
		rate := c.load * 1e6 // elements/s: one is served in 1 us
		if c.join > 1 {
			rate *= c.join / (c.join + 1)
		}
		want, size := 0.0, c.join
		if c.bulk > 0 {
			size = c.bulk / 4
			want = grouped(int(size), rate, c.bulk/80e6, 1e-6)
		} else {
			want = grouped(int(size), rate, 0, (c.join+1)*1e-6)
		}
		if mean < want*.98 || mean > want*(1+c.above) {
			t.Errorf("%s: the mean is %g s, simulated %g s", c.name, mean, want)
		}
		if fill := (size - 1) / rate; worst < mean+.49*fill || last != 1 {
			t.Errorf("%s: elements wait up to %g s, %g in the mean; filling takes %g", c.name, worst, mean, fill)
		}
	}
}

// flushed simulates elements that arrive at random and cross a link in transfers of n elements, or of those that
// arrive within f of the first. It returns the mean waiting time and the mean number of elements in a transfer.
func flushed(n int, rate, f float64) (wait, together float64) {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	const transfers = 100_000
	elements := 0.0
	if n == 1 {
		return 0, 1
	}
	for range transfers {
		ends, clock, sum, here := f, 0.0, 0.0, 1
		for here < n {
			clock += rng.ExpFloat64() / rate
			if clock > f {
				break
			}
			sum += clock
			if here++; here == n {
				ends = clock
			}
		}
		wait += float64(here)*ends - sum
		elements += float64(here)
	}
	return wait / elements, elements / transfers
}

// TestFlushBoundsTheWait checks that a transfer waits at most for its link's flush time, and that the link's latency
// counts.
func TestFlushBoundsTheWait(t *testing.T) {
	for _, c := range []struct{ elements, rate, flush float64 }{
		{64, 1e6, 5e-6}, {64, 1e6, 30e-6}, {64, 1e6, 1}, {256, 1e3, 1e-6}, {1, 1e3, 1e-3}, {16, 1e5, 1e-5},
	} {
		link := flow.Link{Flush: c.flush, Sharing: flow.Sharing{TransferBytes: 4 * c.elements, TransferCost: 1e-6}}
		got := fillTransfer(&link, 4, 4*c.rate, 1)
		wait, together := flushed(int(c.elements), c.rate, c.flush)
		if math.Abs(got.mean-wait) > .05*wait || math.Abs(got.elements-together) > .05*together {
			t.Errorf("%+v: %g elements wait %g s, simulated %g and %g", c, got.elements, got.mean, together, wait)
		}
		if got.max > c.flush || math.Abs(got.cost-1e-6*(1-got.elements/c.elements)) > 1e-15 {
			t.Errorf("%+v: the first waits %g s; the others of a full transfer bore %g s", c, got.max, got.cost)
		}
	}
	p := joinProblem(1, 256, 2)
	m := &flow.Mapping{Place: []int{0, 1}, Route: make([][]int, 1)}
	before := fast(t, p, m, 0)
	p.Architecture.Links[0].Latency = 1e-3
	if after := fast(t, p, m, 0); math.Abs(float64(after.Latency-before.Latency)-1e-3) > 1e-12 ||
		math.Abs(float64(after.Worst-before.Worst)-1e-3) > 1e-12 {
		t.Errorf("a link that takes 1 ms longer: latency %g s, was %g", after.Latency, before.Latency)
	}
}

// inOrder simulates elements that arrive at random, cross a link in order, each delayed by up to jitter, and are
// processed by a kernel. It returns the mean time of an element.
func inOrder(rate, bus, jitter, service float64) float64 {
	rng := rand.New(rand.NewPCG(9, 1))
	const elements = 400_000
	clock, moved, there, done, sum := 0.0, 0.0, 0.0, 0.0, 0.0
	for range elements {
		clock += rng.ExpFloat64() / rate
		moved = math.Max(moved, clock) + bus
		there = math.Max(there, moved+jitter*rng.Float64())
		done = math.Max(done, there) + service*rng.ExpFloat64()
		sum += done - clock
	}
	return sum / elements
}

// TestLatencyWithJitter checks that the mean includes the wait of transfers for order, and the maximum all of the
// jitter. The model ignores that they arrive in groups, which matters if the jitter is little longer than a service.
func TestLatencyWithJitter(t *testing.T) {
	for _, c := range []struct{ load, jitter float64 }{{.3, 100e-6}, {.01, 100e-6}, {.3, 10e-6}, {.001, 10e-6}} {
		p := joinProblem(1, 0, 2)
		m := &flow.Mapping{Place: []int{0, 1}, Route: make([][]int, 1)}
		at := func(jitter float64) (mean, worst float64) {
			p.Architecture.Links[0].Jitter = jitter
			n, s := flowtest.Solve(t, p, m)
			mean, worst, _ = NewPaths(p, n.Flows).Longest(flow.NewOperation(n, s), c.load/s.Resources[1].Utilization)
			return mean, worst
		}
		_, before := at(0)
		mean, worst := at(c.jitter)
		want := inOrder(c.load*1e6, 4/80e6, c.jitter, 1e-6)
		if mean < .8*want || mean > 1.02*want {
			t.Errorf("%+v: the mean is %g s, simulated %g s", c, mean, want)
		}
		if math.Abs(worst-before-c.jitter) > 1e-12 {
			t.Errorf("%+v: it takes %g s at the most, and %g without jitter", c, worst, before)
		}
	}
}

// TestLatencyOfScorerAndNetwork compares the latency in a search and in a report, for networks with every sharing
// rule and transfers.
func TestLatencyOfScorerAndNetwork(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 45))
		p := oneSource(t, seed, 4+rng.IntN(10), 3)
		varied(rng, p)
		for l := range p.Architecture.Links {
			p.Architecture.Links[l].Sharing.TransferBytes = float64(rng.IntN(3) * 512)
			if p.Architecture.Links[l].Latency = 1e-6 * rng.Float64(); rng.IntN(2) > 0 &&
				p.Architecture.Links[l].Sharing.TransferBytes > 0 {
				p.Architecture.Links[l].Flush = 1e-5 * rng.Float64()
			}
			p.Architecture.Links[l].Jitter = p.Architecture.Links[l].Latency * float64(l%2)
		}
		for k := range p.Figures {
			for r := range p.Figures[k] {
				p.Figures[k][r].ServiceSCV = float64(rng.IntN(4) - 1)
			}
		}
		m, err := RandomWalk(p, nil, rng)
		if err != nil {
			t.Fatal(err)
		}
		scorer, err := flow.NewScorer(p, m)
		if err != nil {
			t.Fatal(err)
		}
		n, s := flowtest.Solve(t, p, m)
		scorer.Operate()
		a, worstA, lastA := NewPaths(p, n.Flows).Longest(scorer, OperatingLoad)
		b, worstB, lastB := NewPaths(p, n.Flows).Longest(flow.NewOperation(n, s), OperatingLoad)
		if !alike(a, b) || !alike(worstA, worstB) || lastA != lastB {
			t.Fatalf("seed %d: %g, %g s to %d by the scorer, %g, %g to %d by the network", seed, a, worstA, lastA, b,
				worstB, lastB)
		}
	}
}

// TestGathering checks that an element made of many waits for them, and that one that passes a filter does not.
func TestGathering(t *testing.T) {
	for _, c := range []struct {
		gain, size float64
		want       float64
	}{{1, 400, 100}, {0.5, 400, 100}, {2, 400, 50}, {0.01, 4, 1}, {1, 4, 1}} {
		app := flow.Application{Kernels: []flow.Kernel{{Name: "s", Gain: 1}, {Name: "k", Gain: c.gain},
			{Name: "t", Gain: 1}}, Edges: []flow.Edge{
			{Name: "a", From: 0, To: 1, ElementBytes: 4, Routing: 1}, {Name: "b", From: 1, To: 2, ElementBytes: c.size,
				Routing: 1}}}
		flows, err := flow.NewFlows(&app, 0)
		if err != nil {
			t.Fatal(err)
		}
		if g := flows.Grain(1).Gathers; math.Abs(g-c.want) > 1e-9 {
			t.Errorf("gain %g, elements of %g bytes: made of %g, want %g", c.gain, c.size, g, c.want)
		}
	}
}

// TestRoundsInTheGoal checks that a latency limit rejects a mapping whose rounds alone take longer.
func TestRoundsInTheGoal(t *testing.T) {
	p := joinProblem(100, 0, 2)
	m := &flow.Mapping{Place: []int{0, 1}, Route: make([][]int, 2)}
	got := fast(t, p, m, 0)
	if fill := Number(99. / (OperatingLoad * 1e6 * 100 / 101)); got.Latency < fill/2 || got.Worst < fill {
		t.Errorf("latency is %g s, %g at the most; the rounds take %g to fill", got.Latency, got.Worst, fill)
	}
	if got.Buffer < 4*200 {
		t.Errorf("the largest buffer has %g bytes; a round and its writer need %g", got.Buffer, 4*101.)
	}
}

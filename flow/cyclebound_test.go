package flow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"xopt/queueing/sdf"
)

// staticOptions shapes applications whose kernels take and send fixed numbers of elements.
type staticOptions struct {
	kernels, firings int // firings of a kernel in a turn, at most
	sources          int
	open             bool // some kernels accept elements from any port, so nothing waits for them
}

// staticApplication draws an application in which kernels join all of their inputs, and some edges lead back. Element
// counts follow from the firings in a turn.
func staticApplication(r *rand.Rand, o staticOptions) Application {
	app := Application{Name: "static"}
	fires, in, out := make([]int, o.kernels), make([]float64, o.kernels), make([]float64, o.kernels)
	for k := range o.kernels {
		fires[k] = 1 + r.IntN(o.firings)
		app.Kernels = append(app.Kernels, Kernel{Name: string(rune('a' + k)), Gain: 1})
	}
	consumes := make([][]JoinPort, o.kernels)
	edge := func(from, to, initial int) {
		times := 1 + r.IntN(2)
		both := fires[from] * fires[to] / sdf.GCD(fires[from], fires[to]) * times
		n := len(app.Edges)
		e := Edge{Name: fmt.Sprintf("e%d", n), From: from, To: to, FromPort: fmt.Sprintf("y%d", n),
			ToPort: fmt.Sprintf("x%d", n), ElementBytes: float64(1 + r.IntN(9)), Initial: initial * both / fires[to]}
		if initial > 0 && r.IntN(2) == 0 {
			e.Initial += r.IntN(both)
		}
		e.Routing = e.ElementBytes * float64(both/fires[from]) // bytes of a firing, as yet
		out[from] += e.Routing
		bytes := e.ElementBytes * float64(both/fires[to])
		in[to] += bytes
		consumes[to] = append(consumes[to], JoinPort{Name: e.ToPort, Edges: []int{n}, Bytes: bytes})
		app.Edges = append(app.Edges, e)
	}
	for k := max(1, o.sources); k < o.kernels; k++ {
		edge(r.IntN(k), k, 0)
	}
	if o.sources == 0 {
		edge(r.IntN(o.kernels), 0, 1+r.IntN(3))
	}
	for range 1 + r.IntN(o.kernels) {
		to := o.sources + r.IntN(o.kernels-o.sources)
		from := to + r.IntN(o.kernels-to)
		edge(from, to, 1+r.IntN(3))
		if r.IntN(2) == 0 && to > o.sources && from > to {
			edge(o.sources+r.IntN(to-o.sources), to, r.IntN(2))
		}
	}
	for e := range app.Edges {
		app.Edges[e].Routing /= out[app.Edges[e].From]
	}
	for k := range app.Kernels {
		if in[k] > 0 {
			app.Kernels[k].Gain = out[k] / in[k]
			if !o.open || len(consumes[k]) < 2 || r.IntN(3) > 0 {
				app.Kernels[k].Joins = []Join{{Ports: consumes[k]}}
			}
		}
	}
	return app
}

// selfTimed simulates kernels with separate servers, fixed times and unlimited buffers, which fire as soon as they
// can. It returns the rate in turns of the slowest, once the pattern repeats; 0 if it does not within the rounds.
func selfTimed(app *Application, fires []int, service []float64, rounds int) float64 {
	type stream struct{ at []float64 } // when each element came
	streams := make([]stream, len(app.Edges))
	consumes, sends := make([]int, len(app.Edges)), make([]int, len(app.Edges))
	flows, _ := NewFlows(app, 0)
	for e := range app.Edges {
		edge := &app.Edges[e]
		elements := flows.Edge(e)[0] / edge.ElementBytes
		consumes[e] = int(math.Round(elements / flows.FiringRate(edge.To, 0)))
		sends[e] = int(math.Round(elements / flows.FiringRate(edge.From, 0)))
		streams[e].at = make([]float64, edge.Initial)
	}
	in, out := NewGraph(app).In, NewGraph(app).Out
	ends := make([][]float64, len(app.Kernels)) // of every firing
	for moved := true; moved; {
		moved = false
		for k := range app.Kernels {
			n := len(ends[k])
			if n >= fires[k]*rounds {
				continue
			}
			start, ready := 0.0, true
			if n > 0 {
				start = ends[k][n-1]
			}
			for _, e := range in[k] {
				if last := (n+1)*consumes[e] - 1; last >= len(streams[e].at) {
					ready = false
				} else {
					start = math.Max(start, streams[e].at[last])
				}
			}
			if !ready {
				continue
			}
			moved = true
			ends[k] = append(ends[k], start+service[k])
			for _, e := range out[k] {
				for range sends[e] {
					streams[e].at = append(streams[e].at, start+service[k])
				}
			}
		}
	}
	slowest := math.Inf(1)
	for k := range ends {
		rate := 0.0
		for period := 1; period <= 24 && rate == 0; period++ {
			rate = repeats(ends[k], fires[k], period)
		}
		slowest = math.Min(slowest, rate)
	}
	return slowest
}

// repeats returns the rate in turns/s of a kernel whose last firings repeat after the given number of turns. It
// returns 0 if they do not repeat.
func repeats(ends []float64, fires, turns int) float64 {
	step, last := fires*turns, len(ends)-1
	if last-4*step < 0 {
		return 0
	}
	elapsed := ends[last] - ends[last-step]
	for i := range 3 * step {
		if d := ends[last-i] - ends[last-i-step]; math.Abs(d-elapsed) > 1e-10*elapsed {
			return 0
		}
	}
	return float64(turns) / elapsed
}

// TestCycleBoundSimulated: if every kernel has its own server and fixed times, the flow is exactly the minimum of the
// flow bound and the cycle bound.
func TestCycleBoundSimulated(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 2))
	checked, limited, several := 0, 0, 0
	for i := range 1500 {
		o := staticOptions{kernels: 2 + r.IntN(5), firings: 1, sources: r.IntN(2)}
		if i%3 == 0 {
			o.firings = 3
		}
		app := staticApplication(r, o)
		flows, err := NewFlows(&app, 1e-9)
		if errors.As(err, new(*InitialError)) || err == nil && flows.Free != 1 {
			continue
		}
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		p := &Problem{Application: app, Architecture: Architecture{Resources: cores(Conserving, o.kernels)},
			MaxUtilization: 1, JoinTolerance: 1e-9}
		p.Architecture.Links = []Link{{Name: "net", Bandwidth: math.Inf(1)}}
		m := &Mapping{}
		service, fires := make([]float64, o.kernels), make([]int, o.kernels)
		minimum := math.Inf(1)
		for k := range app.Kernels {
			minimum = math.Min(minimum, flows.FiringRate(k, 0))
			p.Architecture.Links[0].Endpoints = append(p.Architecture.Links[0].Endpoints, k)
			m.Place = append(m.Place, k)
		}
		for k := range app.Kernels {
			service[k] = float64(1+r.IntN(20)) / 8
			row := make([]Figures, o.kernels)
			for x := range row {
				row[x] = Figures{Available: true,
					ServiceRate: flows.Arrival(k)[0] / flows.FiringRate(k, 0) / service[k]}
			}
			p.Figures = append(p.Figures, row)
		}
		turn := 1.0
		for !hasIntegerFirings(flows, minimum, turn) {
			turn++
		}
		for k := range fires {
			fires[k] = int(math.Round(flows.FiringRate(k, 0) / minimum * turn))
		}
		truth := selfTimed(&app, fires, service, 300)
		if truth == 0 {
			continue // it has not come to repeat itself
		}
		n, err := NewNetwork(p, m)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		got := n.Firings(s, 0) / float64(fires[0])
		if math.Abs(got-truth) > 1e-9*truth {
			t.Fatalf("%d: %d firings: bound %.12g, simulated %.12g; %s limits", i, o.firings, got, truth, s.Limiting(n))
		}
		checked++
		if strings.HasPrefix(s.Limiting(n)[0], "cycle ") {
			limited++
			if o.firings > 1 {
				several++
			}
		}
	}
	if checked < 700 || limited < 200 || several < 30 {
		t.Errorf("checked %d, of which cycles limit %d, of %d with several firings", checked, limited, several)
	}
}

func hasIntegerFirings(f *Flows, minimum, turn float64) bool {
	for k := 0; k*f.Free < len(f.fires); k++ {
		if x := f.FiringRate(k, 0) / minimum * turn; math.Abs(x-math.Round(x)) > 1e-6 {
			return false
		}
	}
	return true
}

// cyclicProblem returns a random problem whose application has cycles; nil if the drawn one is invalid.
func cyclicProblem(r *rand.Rand, o randomOptions) *Problem {
	p := randomProblem(r, o)
	p.Application = staticApplication(r, staticOptions{kernels: o.kernels, firings: 1 + r.IntN(2),
		sources: o.sources, open: o.joins})
	p.JoinTolerance = 1e-9
	for l := range p.Architecture.Links {
		link := &p.Architecture.Links[l]
		if r.IntN(2) == 0 {
			link.Latency = logUniform(r, 1e-9, 1e-5)
			link.Jitter = link.Latency * float64(l%2)
		}
		if link.Sharing.TransferBytes > 0 && r.IntN(4) > 0 {
			link.Flush = logUniform(r, 1e-9, 1e-5)
		}
	}
	if _, err := NewFlows(&p.Application, p.JoinTolerance); err != nil || p.Validate() != nil {
		return nil
	}
	return p
}

// TestCyclicScorer changes mappings of applications with cycles at random: scores equal those of newly built
// networks.
func TestCyclicScorer(t *testing.T) {
	tried, limited, none := 0, 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 77))
		p := cyclicProblem(r, randomOptions{kernels: 3 + r.IntN(8), sources: r.IntN(3), resources: 1 + r.IntN(4),
			links: 2 + r.IntN(2), joins: seed%2 == 0})
		if p == nil {
			continue
		}
		s, err := NewScorer(p, randomMapping(r, p))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			for range 1 + r.IntN(3) {
				step(r, s)
				if r.IntN(2) == 0 {
					s.Throughput()
				}
			}
			switch r.IntN(3) {
			case 0:
				s.Undo()
			case 1:
				s.Commit()
			}
			if r.IntN(20) == 0 {
				s = s.Clone()
			}
			got, want := s.Throughput(), reference(t, p, s.Mapping())
			if !near(got, want, 0) {
				t.Fatalf("seed %d, step %d: scorer %.15g, network %.15g", seed, i, got, want)
			}
			tried++
			if want == 0 {
				none++
				continue
			}
			n, err := NewNetwork(p, s.Mapping())
			if err != nil {
				t.Fatal(err)
			}
			solution, err := Fast{}.Solve(context.Background(), n)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range solution.Limiting(n) {
				if strings.HasPrefix(name, "cycle ") {
					limited++
				}
			}
		}
	}
	if tried < 5000 || limited < 300 || none > tried/2 {
		t.Errorf("of %d mappings cycles limit %d, and %d cannot be", tried, limited, none)
	}
}

// forCyclicNetworks calls f with random networks of applications with cycles that have a solution.
func forCyclicNetworks(t *testing.T, count int, f func(t *testing.T, seed uint64, n *Network, s *Solution)) {
	t.Helper()
	solved := 0
	for seed := uint64(0); solved < count; seed++ {
		if seed > uint64(count)*100 {
			t.Fatalf("only %d of %d networks have a solution", solved, seed)
		}
		r := rand.New(rand.NewPCG(seed, 78))
		p := cyclicProblem(r, randomOptions{kernels: 3 + r.IntN(8), sources: r.IntN(3), resources: 1 + r.IntN(4),
			links: 2 + r.IntN(2), joins: seed%2 == 0})
		if p == nil {
			continue
		}
		n, err := NewNetwork(p, randomMapping(r, p))
		if err != nil {
			continue // nothing would move, or an area is exceeded
		}
		if s, err := (Fast{}).Solve(context.Background(), n); err == nil {
			solved++
			f(t, seed, n, s)
		}
	}
}

// TestCyclicVariations compares every kind of change with a newly solved network, and one more initial element
// with an application that has it.
func TestCyclicVariations(t *testing.T) {
	gained := 0
	forCyclicNetworks(t, 150, func(t *testing.T, seed uint64, n *Network, s *Solution) {
		v := NewVariations(n)
		for i := range n.Stations {
			for _, factor := range []float64{1.1, 1.0 / 16, 16} {
				if n.Stations[i].Kind == LinkStation {
					continue // all of a link change together
				}
				stations, times := []int{i}, func(int) float64 { return factor }
				want := slowly(t, varied(n.Problem, n, stations, times), n.Mapping)
				got, err := v.Throughput(stations, times)
				if err != nil || !near(got, want, 0) {
					t.Fatalf("seed %d, %s %g times as fast: %.12g, %v; solved anew %.12g", seed, n.Stations[i].Name,
						factor, got, err, want)
				}
			}
		}
		for e := range n.Problem.Application.Edges {
			if !n.Flows.Back[e] {
				continue
			}
			q := *n.Problem
			q.Application.Edges = append([]Edge(nil), q.Application.Edges...)
			q.Application.Edges[e].Initial++
			want := slowly(t, &q, n.Mapping)
			if got, err := v.MoreInitial(e, 1); err != nil || !near(got, want, 0) {
				t.Fatalf("seed %d, one more on %s: %.12g, %v; solved anew %.12g", seed, q.Application.Edges[e].Name,
					got, err, want)
			}
			if want > s.Throughput*(1+1e-9) {
				gained++
			}
		}
	})
	if gained < 5 {
		t.Errorf("more initial elements bring something to %d only", gained)
	}
}

// TestCyclePrices: a price equals the gain from a little more service, also where a cycle limits.
func TestCyclePrices(t *testing.T) {
	priced := 0
	forCyclicNetworks(t, 200, func(t *testing.T, seed uint64, n *Network, s *Solution) {
		limits := s.Bottlenecks[0].Limits
		if len(limits) != 1 || n.Limits[limits[0]].Cycle == nil || n.Flows.Free > 1 {
			return
		}
		sum := 0.0 // sum of the limit's load over its members, which is that of the cycle
		for _, x := range n.loadOf(&n.Limits[limits[0]]) {
			sum += x
		}
		if want := n.Limits[limits[0]].load[0]; !near(sum, want, 0) {
			t.Fatalf("seed %d: the members of %s come to %.12g, not %.12g", seed, n.Limits[limits[0]].Name, sum, want)
		}
		v := NewVariations(n)
		for i, p := range s.Prices {
			const step = 1e-7
			if n.Stations[i].Kind == LinkStation {
				continue
			}
			slower, err := v.Throughput([]int{i}, func(int) float64 { return 1 - step })
			if err != nil {
				t.Fatal(err)
			}
			if got := (1 - slower/s.Throughput) / step; math.Abs(got-p.Elasticity) > 1e-3 {
				t.Fatalf("seed %d: %s has elasticity %g, a little slower gives %g", seed, n.Stations[i].Name,
					p.Elasticity, got)
			}
			priced++
		}
	})
	if priced < 100 {
		t.Errorf("only %d prices are of cycles", priced)
	}
}

// BenchmarkCyclicMove is BenchmarkScoredMove for applications with cycles, by the number of firings in a turn.
func BenchmarkCyclicMove(b *testing.B) {
	for _, o := range []staticOptions{{kernels: 10, firings: 1, sources: 1}, {kernels: 40, firings: 1, sources: 1},
		{kernels: 10, firings: 4, sources: 1}, {kernels: 20, firings: 8, sources: 1}} {
		r := rand.New(rand.NewPCG(1, 5))
		var p *Problem
		for p == nil {
			q, _ := benchmarkProblem(o.kernels)
			q.Application, q.JoinTolerance = staticApplication(r, o), 1e-9
			if f, err := NewFlows(&q.Application, 1e-9); err == nil && f.Free == 1 && len(f.circles) > 0 {
				p = q
			}
		}
		s, err := NewScorer(p, &Mapping{Place: make([]int, o.kernels)})
		if err != nil {
			b.Fatal(err)
		}
		turns := 0
		for _, c := range s.Flows.circles {
			turns += max(c.copies, len(c.kernels))
		}
		b.Run(fmt.Sprintf("kernels=%d/turns=%d", o.kernels, turns), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Move(r.IntN(o.kernels), r.IntN(14))
				s.Throughput()
				s.Commit()
			}
		})
	}
}

package flow

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// doubt is a figure of a problem with an interval: set replaces it by one of its ends.
type doubt struct {
	what string
	set  func(p *Problem, bound Bound)
}

// doubtsOf adds intervals to some of the figures of a mapping.
func doubtsOf(rng *rand.Rand, p *Problem, m *Mapping) []doubt {
	var list []doubt
	around := func(x float64) Interval {
		return Interval{x * (1 - 0.9*rng.Float64()), x * (1 + 2*rng.Float64())}
	}
	add := func(what string, x Interval, isCost bool, of func(p *Problem) *float64) {
		list = append(list, doubt{what, func(p *Problem, bound Bound) {
			if *of(p) = x.Low; (bound == Bad) == isCost {
				*of(p) = x.High
			}
		}})
	}
	for k, r := range m.Place {
		f := &p.Figures[k][r]
		x := around(f.ServiceRate)
		f.Low, f.High = x.Low, x.High
		add(fmt.Sprintf("μ of %d", k), x, false, func(p *Problem) *float64 { return &p.Figures[k][r].ServiceRate })
		f.CoLocationInterval, f.ReceiveInterval, f.SendInterval = around(f.CoLocationCost), around(f.ReceiveCost),
			around(f.SendCost)
		add("co-location", f.CoLocationInterval, true,
			func(p *Problem) *float64 { return &p.Figures[k][r].CoLocationCost })
		f.SwitchInterval, f.SwitchKnown = around(f.SwitchCost), f.SwitchCost > 0
		if rng.IntN(4) == 0 {
			f.SwitchInterval.Low = 0 // a measured zero is not an unknown cost
		}
		add("switching of a kernel", f.SwitchInterval, true,
			func(p *Problem) *float64 { return &p.Figures[k][r].SwitchCost })
		add("receiving", f.ReceiveInterval, true, func(p *Problem) *float64 { return &p.Figures[k][r].ReceiveCost })
		add("sending", f.SendInterval, true, func(p *Problem) *float64 { return &p.Figures[k][r].SendCost })
		if c := f.Contention; c != nil {
			for bound, times := range [NumEnds]float64{Bad: 1.5, Good: 0.5} {
				other := &Contention{Pressure: c.Pressure * times}
				for _, s := range c.Curve {
					other.Curve = append(other.Curve, Slowdown{s.Level, 1 + (s.Times-1)*times})
				}
				f.ContentionEnds[bound] = other
			}
			list = append(list, doubt{"contention", func(p *Problem, bound Bound) {
				p.Figures[k][r].Contention = f.ContentionEnds[bound]
			}})
		}
	}
	for i := range p.Architecture.Resources {
		s := &p.Architecture.Resources[i].Sharing
		s.SwitchInterval = around(s.SwitchCost)
		add("switching", s.SwitchInterval, true, func(p *Problem) *float64 {
			return &p.Architecture.Resources[i].Sharing.SwitchCost
		})
	}
	for i := range p.Architecture.Links {
		l := &p.Architecture.Links[i]
		x := around(l.Bandwidth)
		l.Low, l.High = x.Low, x.High
		add("bandwidth", x, false, func(p *Problem) *float64 { return &p.Architecture.Links[i].Bandwidth })
		l.Sharing.TransferInterval = around(l.Sharing.TransferCost)
		add("transfers", l.Sharing.TransferInterval, true, func(p *Problem) *float64 {
			return &p.Architecture.Links[i].Sharing.TransferCost
		})
		l.Sends.ByteInterval, l.Sends.ElementInterval = around(l.Sends.PerByte), around(l.Sends.PerElement)
		l.Receives.ByteInterval, l.Receives.ElementInterval = around(l.Receives.PerByte), around(l.Receives.PerElement)
		add("bytes sent", l.Sends.ByteInterval, true,
			func(p *Problem) *float64 { return &p.Architecture.Links[i].Sends.PerByte })
		add("elements sent", l.Sends.ElementInterval, true,
			func(p *Problem) *float64 { return &p.Architecture.Links[i].Sends.PerElement })
		add("bytes received", l.Receives.ByteInterval, true,
			func(p *Problem) *float64 { return &p.Architecture.Links[i].Receives.PerByte })
		add("elements received", l.Receives.ElementInterval, true,
			func(p *Problem) *float64 { return &p.Architecture.Links[i].Receives.PerElement })
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// forget removes the intervals of a problem.
func forget(p *Problem) *Problem {
	q := copied(p)
	for k := range q.Figures {
		for r := range q.Figures[k] {
			f := &q.Figures[k][r]
			f.Low, f.High, f.CoLocationInterval, f.ReceiveInterval, f.SendInterval, f.ContentionEnds = 0, 0, Interval{},
				Interval{}, Interval{}, [NumEnds]*Contention{}
		}
	}
	for i := range q.Architecture.Resources {
		q.Architecture.Resources[i].Sharing.SwitchInterval = Interval{}
	}
	for i := range q.Architecture.Links {
		l := &q.Architecture.Links[i]
		l.Low, l.High, l.Sharing.TransferInterval = 0, 0, Interval{}
	}
	return q
}

// copied returns a problem whose figures can be changed.
func copied(p *Problem) *Problem {
	q := *p
	q.Architecture.Resources = slices.Clone(p.Architecture.Resources)
	q.Architecture.Links = slices.Clone(p.Architecture.Links)
	q.Figures = make([][]Figures, len(p.Figures))
	for k := range p.Figures {
		q.Figures[k] = slices.Clone(p.Figures[k])
	}
	return &q
}

// TestEnds: the throughputs at the ends are the minimum and the maximum over all corners of the box of intervals. The
// intervals are of kernels, links, costs and contention. The prediction is between them. With one deciding source,
// the bottleneck of any corner is among the reported limits.
func TestEnds(t *testing.T) {
	const varied = 7 // figures in all combinations; the others stay at the requested end
	solved, several, contended := 0, 0, 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 11))
		p := randomProblem(rng, randomOptions{kernels: 3 + rng.IntN(4), sources: 1 + rng.IntN(2),
			resources: 2 + rng.IntN(2), links: 2, joins: seed%3 == 0})
		if seed%2 == 1 {
			contend(rng, p, "A", "A", "B")
		}
		m := randomMapping(rng, p)
		list := doubtsOf(rng, p, m)
		n, err := NewNetwork(p, m)
		if err != nil {
			continue // an area is exceeded
		}
		s, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			continue
		}
		e, err := n.Uncertainty(s)
		if err != nil || e == nil {
			t.Fatalf("seed %d: %+v, %v", seed, e, err)
		}
		solved++
		if n.contends() {
			contended++
		}
		addUp(t, n, s)
		minimum, maximum := math.Inf(1), 0.0
		for corner := range 1 << (varied + 1) {
			q := forget(p)
			for i, d := range list {
				bound := Bound(corner & 1)
				if i < varied {
					bound = Bound(corner >> (i + 1) & 1)
				}
				d.set(q, bound)
			}
			x, err := NewNetwork(q, m)
			if err != nil {
				t.Fatal(err)
			}
			at, err := Fast{}.Solve(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			minimum, maximum = min(minimum, at.Throughput), max(maximum, at.Throughput)
			if n.Flows.Free > 1 || n.contends() {
				continue
			}
			named := append(slices.Clone(s.Bottlenecks[0].Limits), e.Possible...)
			for _, l := range at.Bottlenecks[0].Limits {
				if !slices.Contains(named, l) {
					t.Fatalf("seed %d, corner %b: %s limits, which is not among %v", seed, corner, x.Limits[l].Name,
						named)
				}
			}
		}
		if len(e.Possible) > 0 {
			several++
		}
		if !near(e.Throughput[Bad], minimum, 0) || !near(e.Throughput[Good], maximum, 0) {
			t.Fatalf("seed %d: %.12g to %.12g, over all corners %.12g to %.12g", seed, e.Throughput[Bad],
				e.Throughput[Good], minimum, maximum)
		}
		if !(minimum <= s.Throughput*(1+1e-12) && s.Throughput <= maximum*(1+1e-12)) {
			t.Fatalf("seed %d: %g is not in %g to %g", seed, s.Throughput, minimum, maximum)
		}
	}
	if solved < 75 || several < 10 || contended < 10 {
		t.Fatalf("of %d problems %d name several limits, %d have contention", solved, several, contended)
	}
}

// addUp checks that the parts of a limit's load by figure add up to the load.
func addUp(t *testing.T, n *Network, s *Solution) {
	t.Helper()
	var at packing
	if err := n.pack(&at, nil); err != nil {
		t.Fatal(err)
	}
	for bound := range NumEnds {
		m, throughput, err := n.with(n.atEnd(bound))
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Limits {
			x, sum := make(figureLoads), 0.0
			x.add(n, i, endOfLoads{bound, m, at.z, s.Throughput / throughput})
			for _, load := range x {
				sum += load[bound]
			}
			if want := m.loadAt(i, at.z, s.Throughput/throughput); !near(sum, want, 1e-12) {
				t.Fatalf("the figures of %s add up to %g, want %g", m.Limits[i].Name, sum, want)
			}
		}
	}
}

// contends reports whether a network has contention in it.
func (n *Network) contends() bool {
	return slices.ContainsFunc(n.Stations, func(s Station) bool { return s.Slowdown > 0 })
}

// TestEndsMonotone: a wider interval of any one figure never makes the interval of the throughput narrower, and without
// any there is none.
func TestEndsMonotone(t *testing.T) {
	solved := 0
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 12))
		p := randomProblem(rng, randomOptions{kernels: 3 + rng.IntN(10), sources: 1 + rng.IntN(2),
			resources: 2 + rng.IntN(3), links: 2})
		m := randomMapping(rng, p)
		ends := func() *Uncertainty {
			n, err := NewNetwork(p, m)
			if err != nil {
				return nil
			}
			s, err := Fast{}.Solve(context.Background(), n)
			if err != nil {
				t.Fatal(err)
			}
			e, err := n.Uncertainty(s)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		if e := ends(); e != nil {
			t.Fatalf("seed %d: without intervals it is %+v", seed, e)
		}
		doubtsOf(rng, p, m)
		before := ends()
		if before == nil {
			continue // an area is exceeded
		}
		solved++
		for k, r := range m.Place {
			f := &p.Figures[k][r]
			f.Low /= 2
			f.ReceiveInterval.High *= 3
		}
		for i := range p.Architecture.Links {
			l := &p.Architecture.Links[i]
			l.High *= 2
			l.Sharing.TransferInterval.Low /= 2
		}
		after := ends()
		if after.Throughput[Bad] > before.Throughput[Bad]*(1+1e-12) ||
			after.Throughput[Good] < before.Throughput[Good]*(1-1e-12) || len(after.Possible) < len(before.Possible) {
			t.Fatalf("seed %d: with wider intervals %+v, before %+v", seed, after, before)
		}
	}
	if solved < 30 {
		t.Fatalf("only %d problems had a solution", solved)
	}
}

// TestPerhaps: limits that the intervals cannot distinguish are reported. One that another certainly exceeds is not,
// even where the first may be below it.
func TestPerhaps(t *testing.T) {
	for _, x := range []struct {
		good, bad []float64
		want      []int
	}{
		{[]float64{0.9, 0.8}, []float64{1.1, 0.85}, nil},
		{[]float64{0.9, 0.8}, []float64{1.1, 0.9}, []int{1}},
		{[]float64{0.5, 0.9, 0.55}, []float64{1.5, 0.9, 0.65}, []int{1}},
		{[]float64{0.5}, []float64{1.5}, nil},
	} {
		if got := possibleLimits([NumEnds][]float64{Bad: x.bad, Good: x.good}, []int{0}); !slices.Equal(got, x.want) {
			t.Errorf("from %v to %v it is %v, want %v", x.good, x.bad, got, x.want)
		}
	}
}

// TestPerhapsShared: instances of one block have one figure, so the resource with more of them is the bottleneck at
// any value. With another kernel's figure in it, that is open. Over all ends of the figures, the bottleneck is among
// the reported limits.
func TestPerhapsShared(t *testing.T) {
	named := func(p *Problem, place []int) (*Network, *Solution, *Uncertainty) {
		t.Helper()
		n, err := NewNetwork(p, &Mapping{Place: place})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		e, err := n.Uncertainty(s)
		if err != nil {
			t.Fatal(err)
		}
		return n, s, e
	}
	worker := Figures{Available: true, ServiceRate: 1e6, Low: 0.5e6, High: 2e6}
	other := Figures{Available: true, ServiceRate: 0.95e6, Low: 0.5e6, High: 2e6}
	source := Figures{Available: true, ServiceRate: 1e12}
	for _, x := range []struct {
		kernels  []Figures // after the source
		place    []int
		possible int
	}{
		{[]Figures{worker, worker, worker, worker, worker}, []int{0, 0, 0, 0, 1, 1}, 0},
		{[]Figures{worker, worker, worker, worker, other}, []int{0, 0, 0, 0, 1, 1}, 1},
		{[]Figures{worker, worker, other, other}, []int{0, 0, 0, 1, 1}, 1},
	} {
		p := &Problem{Architecture: Architecture{Resources: []Resource{{Name: "a", Platform: "C"},
			{Name: "b", Platform: "C"}}, Links: []Link{{Name: "m", Type: "memory", Bandwidth: 1e15,
			Endpoints: []int{0, 1}}}}}
		for k, f := range append([]Figures{source}, x.kernels...) {
			p.Application.Kernels = append(p.Application.Kernels, Kernel{Name: fmt.Sprint(k), Block: "B", Gain: 1})
			p.Figures = append(p.Figures, []Figures{f, f})
			if k > 0 {
				p.Application.Edges = append(p.Application.Edges, Edge{Name: fmt.Sprint("e", k), From: k - 1, To: k,
					ElementBytes: 8, Routing: 1})
			}
		}
		_, s, e := named(p, x.place)
		if len(e.Possible) != x.possible {
			t.Errorf("of %v, %v may limit, want %d", x.place, e.Possible, x.possible)
		}
		for corner := range 4 {
			q := forget(p)
			for k := range q.Figures {
				for r := range q.Figures[k] {
					f := &q.Figures[k][r]
					switch {
					case f.ServiceRate == worker.ServiceRate:
						f.ServiceRate = []float64{worker.Low, worker.High}[corner&1]
					case f.ServiceRate == other.ServiceRate:
						f.ServiceRate = []float64{other.Low, other.High}[corner>>1]
					}
				}
			}
			n, at, none := named(q, x.place)
			if none != nil {
				t.Fatalf("without intervals it is %+v", none)
			}
			for _, l := range at.Bottlenecks[0].Limits {
				if !slices.Contains(append(slices.Clone(s.Bottlenecks[0].Limits), e.Possible...), l) {
					t.Errorf("of %v, %s limits in corner %b and is not named", x.place, n.Limits[l].Name, corner)
				}
			}
		}
	}
}

// BenchmarkEnds: the additional time for the prediction of a candidate of 20 kernels.
func BenchmarkEnds(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 13))
	p := randomProblem(rng, randomOptions{kernels: 20, sources: 1, resources: 4, links: 2})
	for i := range p.Architecture.Resources {
		p.Architecture.Resources[i].Sharing = Sharing{}
	}
	contend(rng, p, "A")
	m := randomMapping(rng, p)
	doubtsOf(rng, p, m)
	n, err := NewNetwork(p, m)
	if err != nil {
		b.Fatal(err)
	}
	s, err := Fast{}.Solve(context.Background(), n)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := n.Uncertainty(s); err != nil {
			b.Fatal(err)
		}
	}
}

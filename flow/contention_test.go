package flow

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// contend draws contention for the kernels of a problem, and the memories of its resources.
func contend(rng *rand.Rand, p *Problem, memories ...string) {
	for r := range p.Architecture.Resources {
		p.Architecture.Resources[r].Memory = memories[rng.IntN(len(memories))]
	}
	levels := []float64{3, 6, 10}
	for k := range p.Figures {
		if rng.IntN(5) == 0 {
			continue
		}
		c := &Contention{Pressure: 12 * rng.Float64()}
		for times, l := 1.0, 0; l < len(levels) && rng.IntN(8) > 0; l++ {
			times += 0.3 * rng.Float64()
			c.Curve = append(c.Curve, Slowdown{levels[l], times})
		}
		if rng.IntN(5) == 0 {
			c.Pressure = 0
		}
		for r := range p.Figures[k] {
			p.Figures[k][r].Contention = c
		}
	}
}

// slowed returns the factor on each kernel's execution time at a flow, computed pair by pair.
func slowed(p *Problem, n *Network, z float64) []float64 {
	times := make([]float64, len(p.Application.Kernels))
	for k, r := range n.Mapping.Place {
		times[k] = 1
		for j, q := range n.Mapping.Place {
			a, b := &p.Architecture.Resources[r], &p.Architecture.Resources[q]
			if r == q || a.Memory == "" || a.Memory != b.Memory || a.Sharing.Rule == AreaOnly ||
				b.Sharing.Rule == AreaOnly || p.Figures[j][q].Contention == nil {
				continue
			}
			busy := z * n.Flows.Arrival(j)[0] / p.Figures[j][q].ServiceRate
			times[k] += busy * (p.Figures[k][r].Contention.At(p.Figures[j][q].Contention.Pressure) - 1)
		}
	}
	return times
}

// slowest returns the load of the busiest limit for a byte/s, with kernels so slow.
func slowest(n *Network, times []float64) float64 {
	maximum := 0.0
	for i := range n.Limits {
		load := n.Limits[i].load[0]
		for m, s := range n.Limits[i].Members {
			if st := &n.Stations[s]; st.Kind == KernelStation {
				load += st.arrival[0] * n.Limits[i].Weight[m] * (times[st.Kernel] - 1)
			}
		}
		maximum = max(maximum, load)
	}
	return maximum
}

// alone returns a problem without contention.
func alone(p *Problem) *Problem {
	q := *p
	q.Figures = make([][]Figures, len(p.Figures))
	for k := range p.Figures {
		q.Figures[k] = append([]Figures{}, p.Figures[k]...)
		for r := range q.Figures[k] {
			q.Figures[k][r].Contention = nil
		}
	}
	return &q
}

// TestContentionAgrees: at the throughput with contention, rates, pressures and slowdowns are consistent. Bisection
// and damped iteration from no slowdown find the same, kernel by kernel. It never exceeds that without contention,
// and each kernel's slowdown is reported.
func TestContentionAgrees(t *testing.T) {
	lower, slower := 0, 0
	one := func(rng *rand.Rand) randomOptions {
		o := anyShape(rng)
		o.sources, o.joins = 1, false
		return o
	}
	forRandomNetworks(t, 400, one, func(t *testing.T, seed uint64, plain *Network) {
		rng := rand.New(rand.NewPCG(seed, 9))
		p := plain.Problem
		contend(rng, p, "A", "A", "B", "")
		without, err := NewNetwork(alone(p), plain.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		n, err := NewNetwork(p, plain.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		phi := p.maxUtilization()
		maximum := phi / slowest(without, slowed(p, n, 0))
		low, high := 0.0, maximum
		for range 200 {
			z := (low + high) / 2
			if z*slowest(without, slowed(p, n, z)) <= phi {
				low = z
			} else {
				high = z
			}
		}
		if want := low * n.Flows.objective[0]; !near(s.Throughput, want, 0) {
			t.Fatalf("seed %d: throughput %.15g, bisection finds %.15g", seed, s.Throughput, want)
		}
		z := maximum
		for range 2000 {
			z = (z + phi/slowest(without, slowed(p, n, z))) / 2
		}
		if want := z * n.Flows.objective[0]; !near(s.Throughput, want, 0) {
			t.Fatalf("seed %d: throughput %.15g, iteration finds %.15g", seed, s.Throughput, want)
		}
		if s.Throughput < maximum*n.Flows.objective[0]*(1-agreement) {
			lower++
		}
		for i, times := range slowed(p, n, low) {
			st := &n.Stations[i] // those of kernels come first, in their order
			if got := max(1, st.Slowdown); !near(got, times, 0) {
				t.Fatalf("seed %d: %s takes %.12g times as long, want %.12g", seed, st.Name, got, times)
			}
			if part := s.Stations[i].Parts[Contended]; part > 0 {
				slower++
				if want := s.Stations[i].Parts[Compute] * (times - 1); !near(part, want, 1e-3) {
					t.Fatalf("seed %d: contention takes %g of %s, want %g", seed, part, st.Name, want)
				}
			}
		}
	})
	if lower < 40 || slower < 400 {
		t.Errorf("%d throughputs were lower, %d kernels slower: the test has lost its power", lower, slower)
	}
}

// TestContentionScorer walks at random, as TestScorerEqualsNetwork does, on problems with
// contention, with cycles and without.
func TestContentionScorer(t *testing.T) {
	contended := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 12))
		o := anyShape(rng)
		o.sources = 1 + rng.IntN(8)/7
		p := randomProblem(rng, o)
		if seed%3 == 0 {
			o.sources = rng.IntN(3)
			if p = cyclicProblem(rng, o); p == nil {
				continue
			}
		}
		contend(rng, p, "A", "A", "B", "")
		s, err := NewScorer(p, randomMapping(rng, p))
		if err != nil {
			t.Fatal(err)
		}
		if s.contention != nil {
			contended++
		}
		for i := range 150 {
			s = wander(rng, s)
			got, want := s.Throughput(), reference(t, p, s.Mapping())
			if !near(got, want, 0) {
				t.Fatalf("seed %d, step %d: scorer %.15g, network %.15g", seed, i, got, want)
			}
			if want > 0 && !math.IsInf(want, 1) && i%10 == 0 {
				sameLoads(t, p, s)
			}
		}
	}
	if contended < 20 {
		t.Errorf("%d problems with contention: the test has lost its power", contended)
	}
}

// sameLoads compares the utilizations of a scorer with those of the network.
func sameLoads(t *testing.T, p *Problem, s *Scorer) {
	t.Helper()
	n, err := NewNetwork(p, s.Mapping())
	if err != nil {
		t.Fatal(err)
	}
	x, err := Fast{}.Solve(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	if s.free > 1 {
		return // another optimum may have other loads
	}
	s.Operate()
	loads := s.Loads()
	for r := range x.Resources {
		if !near(loads[r], x.Resources[r].Utilization, 1) {
			t.Fatalf("%s is busy for %.12g, the network says %.12g", p.Architecture.Resources[r].Name, loads[r],
				x.Resources[r].Utilization)
		}
	}
	for i := range n.Stations {
		if st := &n.Stations[i]; st.Kind == KernelStation {
			want := x.Stations[i].Share
			if p.Architecture.Resources[st.Resource].Sharing.Rule == Equal {
				continue // there it is of the kernel's own part
			}
			if got := s.KernelLoad(st.Kernel).Own; !near(got, want, 1) {
				t.Fatalf("%s takes %.12g, the network says %.12g", st.Name, got, want)
			}
		}
	}
}

// TestContentionWithout: if no kernel can slow another, contention changes no digit.
func TestContentionWithout(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 13))
		p := randomProblem(rng, randomOptions{kernels: 8, sources: 1, resources: 3, links: 2})
		m := randomMapping(rng, p)
		before, err := NewScorer(p, m)
		if err != nil {
			t.Fatal(err)
		}
		want, slow := before.Throughput(), reference(t, p, m)
		for name, change := range map[string]func(){
			"no memory": func() { contend(rng, p, "") },
			"memories of their own": func() {
				for r := range p.Architecture.Resources {
					p.Architecture.Resources[r].Memory = p.Architecture.Resources[r].Name
				}
			},
			"no pressure": func() {
				contend(rng, p, "A")
				for k := range p.Figures {
					if c := p.Figures[k][0].Contention; c != nil {
						c.Pressure = 0
					}
				}
			},
			"no curve": func() {
				contend(rng, p, "A")
				for k := range p.Figures {
					if c := p.Figures[k][0].Contention; c != nil {
						c.Curve = nil
					}
				}
			},
		} {
			change()
			s, err := NewScorer(p, m)
			if err != nil {
				t.Fatal(err)
			}
			if s.contention != nil || s.Throughput() != want || reference(t, p, m) != slow {
				t.Errorf("seed %d, %s: %.17g, and the network %.17g; want %.17g and %.17g", seed, name, s.Throughput(),
					reference(t, p, m), want, slow)
			}
		}
	}
}

// TestContentionWorked: two kernels, each always busy, that slow each other to 1.5 and 1.2 times.
func TestContentionWorked(t *testing.T) {
	p := &Problem{Application: Application{Kernels: []Kernel{{Name: "a", Gain: 1}, {Name: "b", Gain: 1}},
		Edges: []Edge{{Name: "e", From: 0, To: 1, ElementBytes: 4, Routing: 1}}},
		Architecture: Architecture{Resources: cores(Conserving, 2), Links: []Link{{Name: "memory", Bandwidth: 1e12,
			Endpoints: []int{0, 1}}}},
		Figures: figures(2, 2, 100, 100), MaxUtilization: 1}
	for r := range p.Architecture.Resources {
		p.Architecture.Resources[r].Memory = "memory"
	}
	set := func(k int, pressure float64, curve ...Slowdown) {
		for r := range p.Figures[k] {
			p.Figures[k][r].ServiceRate = 100
			p.Figures[k][r].Contention = &Contention{Pressure: pressure, Curve: curve}
		}
	}
	set(0, 10, Slowdown{5, 1.5}) // 1.5 times as slow at level 5; its own pressure is level 10
	set(1, 5, Slowdown{5, 1.1}, Slowdown{10, 1.2})
	n, err := NewNetwork(p, &Mapping{Place: []int{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Fast{}.Solve(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	// z (1 + z/2) = 1 for a, in parts of 100 bytes/s: it is the slower of the two.
	want := 100 * (math.Sqrt(3) - 1)
	if !near(s.Throughput, want, 0) {
		t.Errorf("throughput %g, want %g", s.Throughput, want)
	}
	if text := strings.Join(s.Limiting(n), ", "); !strings.Contains(text, n.Limits[0].Name) {
		t.Errorf("limited by %s", text)
	}
	together, err := NewNetwork(p, &Mapping{Place: []int{0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if s, err = (Fast{}).Solve(context.Background(), together); err != nil || !near(s.Throughput, 50, 0) {
		t.Errorf("on one core: %g, %v; want 50", s.Throughput, err)
	}
}

// TestContentionInvalid: a curve rises.
func TestContentionInvalid(t *testing.T) {
	for _, c := range []Contention{{Pressure: -1}, {Pressure: math.NaN()}, {Curve: []Slowdown{{3, 0.9}}},
		{Curve: []Slowdown{{0, 1}}}, {Curve: []Slowdown{{3, 1.2}, {6, 1.1}}}, {Curve: []Slowdown{{6, 1.1}, {3, 1.2}}},
		{Curve: []Slowdown{{3, math.Inf(1)}}}} {
		p := randomProblem(rand.New(rand.NewPCG(1, 1)), randomOptions{kernels: 3, sources: 1, resources: 2, links: 2})
		p.Figures[0][0].Contention = &c
		if err := p.Validate(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "contention") {
			t.Errorf("%+v: error is %v", c, err)
		}
	}
}

// TestContentionSeveralSources checks the warning that contention is ignored.
func TestContentionSeveralSources(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for {
		p := randomProblem(rng, randomOptions{kernels: 8, sources: 2, resources: 3, links: 2})
		contend(rng, p, "A")
		n, err := NewNetwork(p, randomMapping(rng, p))
		if err != nil || n.Flows.Free < 2 || !p.contends() {
			continue
		}
		s, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range s.Warnings {
			if errors.Is(w, errContentionUnknown) {
				return
			}
		}
		t.Fatalf("warnings are %v", s.Warnings)
	}
}

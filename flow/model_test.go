package flow

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// chain creates a linear application with the given gains; kernel 0 is the source.
func chain(gains ...float64) Application {
	app := Application{Name: "chain"}
	for i, g := range gains {
		app.Kernels = append(app.Kernels, Kernel{Name: string(rune('a' + i)), Gain: g})
		if i > 0 {
			app.Edges = append(app.Edges, Edge{Name: "e" + string(rune('0'+i)), From: i - 1, To: i, ElementBytes: 4,
				Routing: 1})
		}
	}
	return app
}

// figures returns figures with the same rate of every kernel on every resource.
func figures(resources int, rates ...float64) [][]Figures {
	var f [][]Figures
	for _, mu := range rates {
		row := make([]Figures, resources)
		for r := range row {
			row[r] = Figures{Available: true, ServiceRate: mu}
		}
		f = append(f, row)
	}
	return f
}

func cores(rule SharingRule, n int) []Resource {
	var rs []Resource
	for i := range n {
		rs = append(rs, Resource{Name: "core" + string(rune('1'+i)), Sharing: Sharing{Rule: rule}, Area: unlimited()})
	}
	return rs
}

// diamond returns the application of Beard 2013, Fig. 7: A feeds B with two thirds
// and C with one third of its output; D takes both.
func diamond(rule SharingRule) *Problem {
	app := Application{Kernels: []Kernel{{Name: "A", Gain: 1}, {Name: "B", Gain: 1}, {Name: "C", Gain: 1},
		{Name: "D", Gain: 1}}}
	for _, e := range []Edge{{Name: "AB", From: 0, To: 1, Routing: 2. / 3}, {Name: "AC", From: 0, To: 2,
		Routing: 1. / 3}, {Name: "BD", From: 1, To: 3, Routing: 1}, {Name: "CD", From: 2, To: 3, Routing: 1}} {
		e.ElementBytes = 1
		app.Edges = append(app.Edges, e)
	}
	return &Problem{
		Application: app,
		Architecture: Architecture{Resources: cores(rule, 2), Links: []Link{{Name: "mem", Endpoints: []int{0, 1},
			Bandwidth: 1e12}}},
		Figures: figures(2, 60e6, 53.52e6, 40e6, 120e6),
	}
}

func solve(t *testing.T, p *Problem, m *Mapping) (*Network, *Solution) {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	n, err := NewNetwork(p, m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Fast{}.Solve(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	return n, s
}

// TestBeardExample reproduces Beard 2013, Figs. 9 and 11, with the rate of B that
// the surviving numbers imply.
func TestBeardExample(t *testing.T) {
	n, s := solve(t, diamond(Equal), &Mapping{Place: []int{0, 1, 1, 1}})
	want := []float64{17.84e6, 8.92e6, 17.84e6, 8.92e6}
	for e, f := range s.EdgeFlow {
		if math.Abs(f-want[e]) > 0.005e6 {
			t.Errorf("flow on %s is %.4g, want %.4g", n.Problem.Application.Edges[e].Name, f, want[e])
		}
	}
	if math.Abs(s.Throughput-26.76e6) > 0.005e6 {
		t.Errorf("throughput is %g, want 26.76 MB/s", s.Throughput)
	}
	if c := s.Stations[2].SharedRate; math.Abs(c-40e6/3) > 1 {
		t.Errorf("shared rate of C is %g, want 13.33 MB/s", c)
	}
	if got := n.Limits[s.Bottlenecks[0].Limits[0]].Name; got != "B on core2" {
		t.Errorf("bottleneck is %s, want B on core2", got)
	}
	_, c := solve(t, diamond(Conserving), &Mapping{Place: []int{0, 1, 1, 1}})
	if want := DefaultMaxUtilization / (2./3/53.52e6 + 1./3/40e6 + 1/120e6); !near(c.Throughput, want, 0) {
		t.Errorf("conserving throughput is %g, want %g", c.Throughput, want)
	}
}

// TestConservingSharedRate checks that λ/μ_s is the parameter of a class on a
// processor-sharing server, ρ_i/(1-U+ρ_i).
func TestConservingSharedRate(t *testing.T) {
	_, s := solve(t, diamond(Conserving), &Mapping{Place: []int{0, 1, 1, 1}})
	total := s.Resources[1].Utilization
	for k := 1; k < 4; k++ {
		own := s.Stations[k].Share
		if want := own / (1 - total + own); !near(s.Stations[k].Utilization, want, 0) {
			t.Errorf("utilization of kernel %d is %g, want %g", k, s.Stations[k].Utilization, want)
		}
	}
}

// TestSharingRules scores a source and two kernels of known rates on one core.
func TestSharingRules(t *testing.T) {
	const mu1, mu2, mu3 = 100e6, 50e6, 25e6
	for _, c := range []struct {
		name    string
		sharing Sharing
		want    float64 // without φ
	}{
		{"equal", Sharing{Rule: Equal}, 25e6 / 3},
		{"conserving", Sharing{Rule: Conserving}, 1 / (1/mu1 + 1/mu2 + 1/mu3)},
		{"switching", Sharing{Rule: Conserving, SwitchCost: 1e-6}, 1 / (1/mu1 + 1/mu2 + 1/mu3 + 3*1e-6/4)},
		{"switching equally", Sharing{Rule: Equal, SwitchCost: 1e-6}, 1 / (1/mu3 + 1e-6/4) / 3},
		{"area", Sharing{Rule: AreaOnly}, 25e6},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Problem{Application: chain(1, 1, 1), Architecture: Architecture{Resources: cores(0, 1)},
				Figures: figures(1, mu1, mu2, mu3)}
			p.Architecture.Resources[0].Sharing = c.sharing
			_, s := solve(t, p, &Mapping{Place: []int{0, 0, 0}})
			if want := c.want * DefaultMaxUtilization; !near(s.Throughput, want, 0) {
				t.Errorf("throughput is %g, want %g", s.Throughput, want)
			}
		})
	}
}

// TestLinkSharing scores two edges of 8 MB/s and 2 MB/s per 10 MB/s on a bus of
// 100 MB/s.
func TestLinkSharing(t *testing.T) {
	app := Application{Kernels: []Kernel{{Name: "a", Gain: 1}, {Name: "b", Gain: 0}, {Name: "c", Gain: 0}},
		Edges: []Edge{
			{Name: "ab", From: 0, To: 1, ElementBytes: 50, Routing: .8}, {Name: "ac", From: 0, To: 2, ElementBytes: 200,
				Routing: .2}}}
	for _, c := range []struct {
		name    string
		sharing Sharing
		want    float64
	}{
		{"conserving", Sharing{}, 100e6},
		{"equal", Sharing{Rule: Equal}, 100e6 / 2 / .8},
		{"bulk", Sharing{Rule: Bulk, TransferCost: 1e-6, TransferBytes: 1000}, 1 / (1/100e6 + 1e-6/1000)},
		{"bulk of whole elements", Sharing{Rule: Bulk, TransferCost: 1e-6, TransferBytes: 399},
			1 / (1/100e6 + .8*1e-6/350 + .2*1e-6/200)},
		{"elements of several transfers", Sharing{Rule: Bulk, TransferCost: 1e-6, TransferBytes: 60},
			1 / (1/100e6 + .8*1e-6/50 + .2*4e-6/200)},
		{"bulk per element", Sharing{Rule: Bulk, TransferCost: 1e-6}, 1 / (1/100e6 + .8*1e-6/50 + .2*1e-6/200)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Problem{Application: app, Architecture: Architecture{Resources: cores(Conserving, 3),
				Links: []Link{{Name: "bus", Endpoints: []int{0, 1, 2}, Bandwidth: 100e6, Sharing: c.sharing}}},
				Figures: figures(3, 1e12, 1e12, 1e12)}
			n, s := solve(t, p, &Mapping{Place: []int{0, 1, 2}})
			if want := c.want * DefaultMaxUtilization; !near(s.Throughput, want, 0) {
				t.Errorf("throughput is %g, want %g", s.Throughput, want)
			}
			if l := n.Limits[s.Bottlenecks[0].Limits[0]]; l.Link != 0 {
				t.Errorf("bottleneck is %s, want the bus", l.Name)
			}
		})
	}
}

// TestBottleneckSequence resolves one limit after the other.
func TestBottleneckSequence(t *testing.T) {
	p := &Problem{Application: chain(1, 1, 1, 1, 1), Architecture: Architecture{Resources: cores(Conserving, 5),
		Links: []Link{{Name: "bus", Endpoints: []int{0, 1, 2, 3, 4}, Bandwidth: 1e9}}}, Figures: figures(5, 50, 40, 30,
		30, 20)}
	n, s := solve(t, p, &Mapping{Place: []int{0, 1, 2, 3, 4}})
	want := []struct {
		throughput float64
		names      []string
	}{{20, []string{"core5"}}, {30, []string{"core3", "core4"}}, {40, []string{"core2"}}, {50, []string{"core1"}}}
	if len(s.Bottlenecks) != len(want) {
		t.Fatalf("%d steps, want %d", len(s.Bottlenecks), len(want))
	}
	for i, w := range want {
		var names []string
		for _, l := range s.Bottlenecks[i].Limits {
			names = append(names, n.Limits[l].Name)
		}
		if !near(s.Bottlenecks[i].Throughput, w.throughput*DefaultMaxUtilization, 0) || !slices.Equal(names, w.names) {
			t.Errorf("step %d is %v at %g, want %v at %g", i, names, s.Bottlenecks[i].Throughput, w.names, w.throughput)
		}
	}
}

// TestJoinTiesSources joins two sources one to one, and one to two.
func TestJoinTiesSources(t *testing.T) {
	for _, c := range []struct{ x0, x1, want float64 }{{4, 4, 20}, {4, 8, 15}} {
		app := Application{Kernels: []Kernel{{Name: "g1", Gain: 1}, {Name: "g2", Gain: 1}, {Name: "sum", Gain: .5,
			Joins: []Join{{Ports: []JoinPort{{Name: "x0", Edges: []int{0}, Bytes: c.x0}, {Name: "x1", Edges: []int{1},
				Bytes: c.x1}}}}}},
			Edges: []Edge{{Name: "e1", From: 0, To: 2, ElementBytes: 4, Routing: 1}, {Name: "e2", From: 1, To: 2,
				ElementBytes: 4, Routing: 1}}}
		p := &Problem{Application: app, MaxUtilization: 1, Architecture: Architecture{Resources: cores(Conserving, 3),
			Links: []Link{{Name: "bus", Endpoints: []int{0, 1, 2}, Bandwidth: 1e9}}}, Figures: figures(3, 30, 10, 1000)}
		n, s := solve(t, p, &Mapping{Place: []int{0, 1, 2}})
		if n.Flows.Free != 1 {
			t.Errorf("%d free sources, want 1", n.Flows.Free)
		}
		// The second source is the limit: 10 B/s, so the first emits 10·x0/x1.
		if want := 10 + 10*c.x0/c.x1; !near(s.Throughput, want, 0) || !near(want, c.want, 0) {
			t.Errorf("throughput is %g, want %g", s.Throughput, want)
		}
	}
}

// TestJoinTolerance lets a measured imbalance pass and no larger one.
func TestJoinTolerance(t *testing.T) {
	p := diamond(Conserving)
	p.Application.Kernels[3].Joins = []Join{{Ports: []JoinPort{{Name: "x0", Edges: []int{2}, Bytes: 2.02},
		{Name: "x1", Edges: []int{3}, Bytes: 1}}}}
	m := &Mapping{Place: []int{0, 1, 1, 1}}
	_, err := NewNetwork(p, m)
	var join *JoinError
	if !errors.As(err, &join) || !errors.Is(err, ErrInfeasible) || join.Kernel != "D" || !near(join.Ratio, 0.5, 0) {
		t.Fatalf("an unbalanced join gives %v", err)
	}
	p.JoinTolerance = 0.02
	if _, err := NewNetwork(p, m); err != nil {
		t.Errorf("an imbalance of 1%% within 2%% gives %v", err)
	}
}

// TestStarvedSource: two sources compete for a core, and the sum is greatest
// when the cheaper one has it all.
func TestStarvedSource(t *testing.T) {
	app := Application{Kernels: []Kernel{{Name: "g1", Gain: 1}, {Name: "g2", Gain: 1}}}
	p := &Problem{Application: app, Architecture: Architecture{Resources: cores(Conserving, 1)}, Figures: figures(1, 30,
		10)}
	_, s := solve(t, p, &Mapping{Place: []int{0, 0}})
	if !near(s.Throughput, 30*DefaultMaxUtilization, 0) || len(s.Warnings) != 1 ||
		!strings.Contains(s.Warnings[0].Error(), "g2") {
		t.Errorf("throughput %g, warnings %v", s.Throughput, s.Warnings)
	}
}

func TestErrors(t *testing.T) {
	base := func() (*Problem, *Mapping) {
		return &Problem{Application: chain(1, 1, 1), Architecture: Architecture{Resources: cores(Conserving, 2)},
				Figures: figures(2, 1, 1, 1)},
			&Mapping{Place: []int{0, 0, 0}}
	}
	for _, c := range []struct {
		name   string
		change func(*Problem, *Mapping)
		is     error
		text   string
	}{
		{"cycle", func(p *Problem, m *Mapping) {
			p.Application.Edges = append(p.Application.Edges, Edge{Name: "back", From: 2, To: 1, ElementBytes: 1,
				Routing: 1})
			p.Application.Edges[1].Routing = 1
		}, ErrCycle, "b -> c -> b"},
		{"self loop", func(p *Problem, m *Mapping) {
			p.Application.Edges = append(p.Application.Edges, Edge{Name: "self", From: 2, To: 2, ElementBytes: 1,
				Routing: 1})
		}, ErrCycle, "c -> c"},
		{"no link", func(p *Problem, m *Mapping) { m.Place[2] = 1 }, ErrInfeasible,
			"edge e2 leads from core1 to core2, but no link connects these resources"},
		{"no implementation", func(p *Problem, m *Mapping) { p.Figures[1][0].Available = false }, ErrInfeasible,
			"kernel b has no implementation for core1"},
		{"not placed", func(p *Problem, m *Mapping) { m.Place[1] = -1 }, ErrInfeasible, "kernel b is not placed"},
		{"short", func(p *Problem, m *Mapping) { m.Place = m.Place[:1] }, ErrInfeasible, "1 of 3 kernels are placed"},
		{"link inside", func(p *Problem, m *Mapping) {
			p.Architecture.Links = []Link{{Name: "bus", Endpoints: []int{0, 1}, Bandwidth: 1}}
			m.Route = [][]int{{0}, nil}
		}, ErrInfeasible, "edge e1 stays inside core1"},
		{"wrong link", func(p *Problem, m *Mapping) {
			p.Architecture.Links = []Link{{Name: "bus", Endpoints: []int{0}, Bandwidth: 1}}
			m.Place[2] = 1
			m.Route = [][]int{nil, {0}}
		}, ErrInfeasible, "which bus does not connect"},
		{"area", func(p *Problem, m *Mapping) {
			p.Architecture.Resources[0].Sharing.Rule = AreaOnly
			p.Architecture.Resources[0].Area[BRAM] = 3
			for k := range p.Figures {
				p.Figures[k][0].Area[BRAM] = 2
			}
		}, ErrInfeasible, "need 6 bram, but only 3 bram are usable"},
		{"unbounded", func(p *Problem, m *Mapping) {
			for k := range p.Figures {
				p.Figures[k][0].ServiceRate = math.Inf(1)
			}
		}, ErrUnbounded, "a and all kernels after it have no finite service rate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, m := base()
			c.change(p, m)
			n, err := NewNetwork(p, m)
			if err == nil {
				_, err = Fast{}.Solve(context.Background(), n)
			}
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want one that is %v and says %q", err, c.is, c.text)
			}
		})
	}
}

// TestValidateReportsAll makes many mistakes and counts the reports.
func TestValidateReportsAll(t *testing.T) {
	p := &Problem{Application: chain(1, math.NaN(), -1), Architecture: Architecture{Resources: cores(Bulk, 1)},
		Figures: figures(1, 1, 0, math.NaN()), MaxUtilization: 2}
	p.Application.Kernels[2].Name = "a"
	p.Application.Edges[0].Routing = 0.5
	p.Application.Edges[1].ElementBytes = 0
	p.Architecture.Links = []Link{{Name: "l", Bandwidth: 0, Endpoints: []int{3}}}
	err := p.Validate()
	if !errors.Is(err, ErrInvalid) {
		t.Fatal(err)
	}
	for _, text := range []string{"two kernels are named a", "kernel b has gain NaN", "kernel a has gain -1",
		"kernel a sum to 0.5", "elements of 0 bytes",
		"sharing rule bulk", "bandwidth 0", "resource with index 3", "service rate of kernel b",
		"service rate of kernel a", "maximum utilization is 2"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("nothing says %q", text)
		}
	}
	if got := strings.Count(err.Error(), "\n") + 1; got != 11 {
		t.Errorf("%d reports, want 11:\n%v", got, err)
	}
}

// TestRoutes: two resources on a LAN, one of them also on a bus with an FPGA.
func TestRoutes(t *testing.T) {
	a := &Architecture{Resources: cores(Conserving, 4), Links: []Link{
		{Name: "LAN", Endpoints: []int{0, 1, 2}}, {Name: "PCI", Endpoints: []int{1, 3}},
		{Name: "LAN2", Endpoints: []int{0, 1}}}}
	r := NewRoutes(a)
	for _, c := range []struct {
		from, to int
		want     [][]int
	}{{0, 1, [][]int{{0}, {2}}}, {0, 3, [][]int{{0, 1}, {2, 1}}}, {3, 2, [][]int{{1, 0}}}, {1, 1, nil},
		{2, 1, [][]int{{0}}}} {
		got := r.Between(c.from, c.to)
		if !slices.EqualFunc(got, c.want, slices.Equal[[]int]) {
			t.Errorf("routes from %d to %d are %v, want %v", c.from, c.to, got, c.want)
		}
		for _, route := range got {
			if !a.Joins(route, c.from, c.to) {
				t.Errorf("route %v does not join %d and %d", route, c.from, c.to)
			}
		}
	}
}

// TestMultiHop charges every link on the way.
func TestMultiHop(t *testing.T) {
	p := &Problem{Application: chain(1, 0), MaxUtilization: 1, Architecture: Architecture{Resources: cores(Conserving,
		3), Links: []Link{
		{Name: "LAN", Endpoints: []int{0, 1}, Bandwidth: 5}, {Name: "PCI", Endpoints: []int{1, 2}, Bandwidth: 3}}},
		Figures: figures(3, 100, 100)}
	n, s := solve(t, p, &Mapping{Place: []int{0, 2}})
	if len(n.Stations) != 4 || !near(s.Throughput, 3, 0) || !near(s.Links[0].Utilization, 0.6, 0) {
		t.Errorf("%d stations, throughput %g, LAN %g", len(n.Stations), s.Throughput, s.Links[0].Utilization)
	}
}

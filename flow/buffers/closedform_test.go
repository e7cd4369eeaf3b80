package buffers

import (
	"context"
	"fmt"
	"math"
	"testing"

	"xopt/flow"
)

// pair is a writer on one core and a reader on another, joined by a bus.
type pair struct {
	writer, reader float64 // bytes/s
	scv            float64 // of both; negative if it is unknown
	element        float64 // bytes
	bulk           float64 // of the bus, bytes
	consumes       float64 // elements that a firing of the reader takes together; 0 for one by one
	one            bool    // both on the same core
}

// cores returns an architecture of n cores on a bus.
func cores(n int, bulk float64) flow.Architecture {
	var a flow.Architecture
	bus := flow.Link{Name: "bus", Bandwidth: 1e12, Sharing: flow.Sharing{Rule: flow.Conserving, TransferBytes: bulk}}
	for i := range n {
		a.Resources = append(a.Resources, flow.Resource{Name: fmt.Sprintf("proc[%d]", i+1),
			Sharing: flow.Sharing{Rule: flow.Conserving}})
		bus.Endpoints = append(bus.Endpoints, i)
	}
	a.Links = []flow.Link{bus}
	return a
}

// mapped returns the problem with its mapping.
func (x pair) mapped() (*flow.Problem, *flow.Mapping) {
	app := flow.Application{Kernels: []flow.Kernel{{Name: "w", Gain: 1}, {Name: "r", Gain: 1}},
		Edges: []flow.Edge{{Name: "e", To: 1, ElementBytes: x.element, Routing: 1, FromPort: "y", ToPort: "x"}}}
	if x.consumes > 0 {
		app.Kernels[1].Joins = []flow.Join{{Ports: []flow.JoinPort{{Name: "x", Edges: []int{0},
			Bytes: x.consumes * x.element}}}}
	}
	p := &flow.Problem{Application: app, Architecture: cores(2, x.bulk)}
	for _, rate := range []float64{x.writer, x.reader} {
		f := flow.Figures{Available: true, ServiceRate: rate, ServiceSCV: x.scv}
		p.Figures = append(p.Figures, []flow.Figures{f, f})
	}
	m := &flow.Mapping{Place: []int{0, 1}, Route: [][]int{{0}}}
	if x.one {
		m.Place[1], m.Route[0] = 0, nil
	}
	return p, m
}

// sized returns the recommended sizes of a mapping.
func sized(tb testing.TB, p *flow.Problem, m *flow.Mapping) []Size {
	tb.Helper()
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := flow.Fast{}.Solve(context.Background(), n)
	if err != nil {
		tb.Fatal(err)
	}
	sizes, err := Recommend(context.Background(), p, n.Flows, flow.NewOperation(n, s))
	if err != nil {
		tb.Fatal(err)
	}
	return sizes
}

// TestSizes: the reason of each size, and its approximate value. Kernels are slow, 1 ms per element, unless the
// runtime's need is tested.
func TestSizes(t *testing.T) {
	slow := pair{writer: 1e3, reader: 1e3, scv: -1, element: 1}
	with := func(change func(*pair)) pair {
		x := slow
		change(&x)
		return x
	}
	for _, c := range []struct {
		name     string
		pair     pair
		min, max float64
		by       string
	}{
		{"saturated", slow, 100, 110, byVariation},
		{"saturated, little variation", with(func(x *pair) { x.scv = 0.01 }), 4, 8, byMoving},
		{"saturated, much variation", with(func(x *pair) { x.scv = 4 }), 400, 410, byVariation},
		{"constant times", with(func(x *pair) { x.scv = 0 }), 2, 5, byMoving},
		{"a fast writer", with(func(x *pair) { x.writer = 1e9 }), 2, 5, byMoving},
		{"a slow writer", with(func(x *pair) { x.writer = 100 }), 3, 6, byMoving},
		{"a reader that is busy for 90 %", with(func(x *pair) { x.writer = 900 }), 20, 30, byVariation},
		{"the same with cs² = 4", with(func(x *pair) { x.writer, x.scv = 900, 4 }), 80, 100, byVariation},
		{"bulks of 4 KiB", with(func(x *pair) { x.bulk, x.writer = 4096, 500 }), 8192, 8300, byMoving},
		{"bulks of 4 KiB, elements of 8 KiB", with(func(x *pair) { x.bulk, x.element, x.scv = 4096, 8192, 0 }), 2, 5,
			byMoving},
		{"100 at once, a fast writer", with(func(x *pair) { x.consumes, x.writer = 100, 1e9 }), 101, 120, byMoving},
		{"100 at once", with(func(x *pair) { x.consumes = 100 }), 5000, 6000, byVariation},
		{"100 at once, constant times", with(func(x *pair) { x.consumes, x.scv = 100, 0 }), 200, 210, byMoving},
		{"one core", with(func(x *pair) { x.one = true }), 2, 3, byMoving},
		{"fast kernels on one core", with(func(x *pair) { x.one, x.writer, x.reader = true, 2e8, 2e8 }), 1900, 2100,
			byTurns},
		{"fast kernels on two cores", with(func(x *pair) { x.writer, x.reader = 1e8, 1e8 }), 15000, 17000, byBatches},
		{"faster kernels on two cores", with(func(x *pair) { x.writer, x.reader = 1e10, 1e10 }), 24576, 24600,
			byBatches},
	} {
		p, m := c.pair.mapped()
		got := sized(t, p, m)[0]
		if got.Elements < c.min || got.Elements > c.max || got.By != c.by || got.Level != Heuristic {
			t.Errorf("%s: %+v, want %g to %g by %s", c.name, got, c.min, c.max, c.by)
		}
		if got.Elements < got.Minimum.Elements || got.Reason == "" || got.Minimum.Why == "" {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestUnused: an edge without flow in the steady state has the least size plus the elements in processing.
func TestUnused(t *testing.T) {
	p, m := pair{writer: 1e3, reader: 1e3, scv: -1, element: 1}.mapped()
	p.Application.Kernels = append(p.Application.Kernels, flow.Kernel{Name: "table", Gain: 1, Preload: true})
	p.Application.Edges = append(p.Application.Edges, flow.Edge{Name: "t", From: 2, To: 1, ElementBytes: 4, Routing: 1,
		FromPort: "y", ToPort: "t"})
	p.Figures = append(p.Figures, p.Figures[0])
	m.Place, m.Route = append(m.Place, 0), append(m.Route, []int{0})
	if got := sized(t, p, m)[1]; got.Elements != 4 || got.Minimum.Elements != 1 {
		t.Errorf("%+v", got)
	}
}

// TestMonotone: more variation, less time to spare, a larger bulk or a faster stream never makes a
// buffer smaller.
func TestMonotone(t *testing.T) {
	vary := map[string]func(x *pair, f float64){
		"variation": func(x *pair, f float64) { x.scv = 8 * f },
		"load":      func(x *pair, f float64) { x.writer = 1e3 * (f + 1e-3) },
		"bulk":      func(x *pair, f float64) { x.bulk = math.Floor(1e5 * f) },
		"rate":      func(x *pair, f float64) { x.writer, x.reader = 1e9*f+1, 1e9*f+1 },
		"takes":     func(x *pair, f float64) { x.consumes = math.Floor(1000*f) + 1 },
	}
	for name, change := range vary {
		before := 0.0
		for i := range 101 {
			x := pair{writer: 900, reader: 1000, scv: 1, element: 1}
			change(&x, float64(i)/100)
			p, m := x.mapped()
			got := sized(t, p, m)[0].Elements
			if got < before || math.IsNaN(got) || math.IsInf(got, 0) {
				t.Errorf("%s, step %d: %g elements, before %g", name, i, got, before)
			}
			before = got
		}
	}
}

// chain returns a chain of kernels of about equal rate on several cores.
func chain(kernels, on int) (*flow.Problem, *flow.Mapping) {
	p := &flow.Problem{Architecture: cores(on, 4096)}
	m := &flow.Mapping{}
	for k := range kernels {
		p.Application.Kernels = append(p.Application.Kernels, flow.Kernel{Name: fmt.Sprintf("k%d", k), Gain: 1})
		row := make([]flow.Figures, on)
		for r := range row {
			row[r] = flow.Figures{Available: true, ServiceRate: 1e6 * float64(1+k%7), ServiceSCV: float64(k%3) / 2}
		}
		p.Figures, m.Place, m.Route = append(p.Figures, row), append(m.Place, k*on/kernels), append(m.Route, nil)
		if k > 0 {
			p.Application.Edges = append(p.Application.Edges, flow.Edge{Name: fmt.Sprintf("e%d", k), From: k - 1, To: k,
				ElementBytes: 8, Routing: 1, FromPort: "y", ToPort: "x"})
			if m.Place[k] != m.Place[k-1] {
				m.Route[k-1] = []int{0}
			}
		}
	}
	m.Route = m.Route[:kernels-1]
	return p, m
}

// TestSizerAllocatesNothing: the search asks for the sizes of millions of mappings.
func TestSizerAllocatesNothing(t *testing.T) {
	p, m := chain(40, 8)
	flows, err := flow.NewFlows(&p.Application, 0)
	if err != nil {
		t.Fatal(err)
	}
	scorer, err := flow.NewScorer(p, m)
	if err != nil {
		t.Fatal(err)
	}
	s := NewSizer(p, flows)
	if n := testing.AllocsPerRun(100, func() {
		scorer.Operate()
		s.SetOperation(scorer)
		for e := range p.Application.Edges {
			s.Elements(e)
		}
	}); n != 0 {
		t.Errorf("%g allocations for each mapping", n)
	}
}

// BenchmarkRecommend sizes 40 kernels, words and all, and as the search does it.
func BenchmarkRecommend(b *testing.B) {
	p, m := chain(40, 8)
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		b.Fatal(err)
	}
	solution, err := flow.Fast{}.Solve(context.Background(), n)
	if err != nil {
		b.Fatal(err)
	}
	o := flow.NewOperation(n, solution)
	b.Run("words", func(b *testing.B) {
		for b.Loop() {
			if _, err := Recommend(context.Background(), p, n.Flows, o); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("search", func(b *testing.B) {
		scorer, err := flow.NewScorer(p, m)
		if err != nil {
			b.Fatal(err)
		}
		scorer.Operate()
		s := NewSizer(p, n.Flows)
		b.ReportAllocs()
		for b.Loop() {
			s.SetOperation(scorer)
			for e := range p.Application.Edges {
				s.Elements(e)
			}
		}
	})
}

// BenchmarkVerified sizes 40 kernels by the full rule, simulations and all.
func BenchmarkVerified(b *testing.B) {
	p, m := chain(40, 8)
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		b.Fatal(err)
	}
	solution, err := flow.Fast{}.Solve(context.Background(), n)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		sizes, err := Verified(context.Background(), n, solution)
		if err != nil || sizes[0].Level != Simulated {
			b.Fatal(err, sizes[0])
		}
	}
}

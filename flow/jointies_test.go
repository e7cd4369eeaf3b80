package flow

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestTiedSourcesAndRounding: a join whose inputs come from one source in the right ratio, except for the rounding of
// 1/6 and 1/2, stays legal where another join has tied that source before.
func TestTiedSourcesAndRounding(t *testing.T) {
	app := &Application{
		Kernels: []Kernel{{Name: "a", Gain: 1}, {Name: "b", Gain: 1},
			{Name: "j", Gain: 1, Joins: []Join{{Ports: []JoinPort{{Name: "x1", Bytes: 8, Edges: []int{0}},
				{Name: "x2", Bytes: 12 * 64, Edges: []int{3}}}}}},
			{Name: "k", Gain: 1, Joins: []Join{{Ports: []JoinPort{{Name: "x0", Bytes: 25 * 256, Edges: []int{1}},
				{Name: "x1", Bytes: 192 * 100, Edges: []int{2}}}}}}},
		Edges: []Edge{{Name: "1", From: 0, To: 2, ElementBytes: 8, Routing: 1. / 3}, {Name: "2", From: 0, To: 3,
			ElementBytes: 256, Routing: 1. / 6},
			{Name: "3", From: 0, To: 3, ElementBytes: 100, Routing: 1. / 2}, {Name: "4", From: 1, To: 2,
				ElementBytes: 64, Routing: 1}},
	}
	f, err := NewFlows(app, 0)
	if err != nil {
		t.Fatal(err)
	}
	if f.Free != 1 {
		t.Errorf("%d sources are free, want 1", f.Free)
	}
}

// TestRandomTiesAreLegal: joins that one choice of rates feeds are never refused, whatever the
// order, the units and the rounding of their ratios; one that is a thousandth off is.
func TestRandomTiesAreLegal(t *testing.T) {
	for seed := range uint64(5000) {
		app, rate := tiedApplication(rand.New(rand.NewPCG(seed, 7)))
		f, err := NewFlows(app, 0)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		// The rates themselves are among the flows: the free sources' rates give those of the others.
		free := make([]float64, 0, f.Free)
		for s := range f.Sources {
			if one := f.Source(s); isUnit(one, len(free)) {
				free = append(free, rate[s])
			}
		}
		for s := range f.Sources {
			if got := dot(f.Source(s), free); !near(got, rate[s], 0) {
				t.Fatalf("seed %d: source %d sends %g, want %g", seed, s, got, rate[s])
			}
		}
		for k := len(app.Kernels) - 1; ; k-- { // the last join takes both of its inputs from one source
			if joins := app.Kernels[k].Joins; len(joins) > 0 {
				joins[0].Ports[0].Bytes *= 1.001
				break
			}
		}
		var bad *JoinError
		if _, err := NewFlows(app, 0); !errors.As(err, &bad) {
			t.Fatalf("seed %d: a join that is off by a thousandth is accepted: %v", seed, err)
		}
	}
}

func isUnit(v []float64, at int) bool {
	for i, x := range v {
		if x != 0 && i != at || x != 1 && i == at {
			return false
		}
	}
	return at < len(v)
}

// tiedApplication returns sources whose edges, with rational fractions, are joined in the ratios of the returned
// rates.
func tiedApplication(rng *rand.Rand) (*Application, []float64) {
	sources, joins := 2+rng.IntN(5), 1+rng.IntN(9)
	app, rate := &Application{}, make([]float64, sources)
	for s := range sources {
		rate[s] = logUniform(rng, 1e-6, 1e9)
		app.Kernels = append(app.Kernels, Kernel{Name: fmt.Sprintf("s%d", s), Gain: 1})
	}
	weight := make([]float64, sources)
	for j := range joins + 1 {
		k, join := sources+j, Join{}
		from := []int{rng.IntN(sources), rng.IntN(sources), rng.IntN(sources)}[:2+rng.IntN(2)]
		if j == joins {
			from = []int{app.Edges[0].From, app.Edges[0].From}
		}
		for i, s := range from {
			w := float64(1 + rng.IntN(12))
			weight[s] += w
			join.Ports = append(join.Ports, JoinPort{Name: fmt.Sprintf("x%d", i), Edges: []int{len(app.Edges)}})
			app.Edges = append(app.Edges, Edge{Name: fmt.Sprint(len(app.Edges)), From: s, To: k, ElementBytes: 1,
				Routing: w})
		}
		app.Kernels = append(app.Kernels, Kernel{Name: fmt.Sprintf("j%d", j), Gain: 1, Joins: []Join{join}})
	}
	for e := range app.Edges {
		app.Edges[e].Routing /= weight[app.Edges[e].From]
	}
	for k := sources; k < len(app.Kernels); k++ {
		unit := logUniform(rng, 1e-3, 1e3)
		for i := range app.Kernels[k].Joins[0].Ports {
			p := &app.Kernels[k].Joins[0].Ports[i]
			e := &app.Edges[p.Edges[0]]
			p.Bytes = unit * rate[e.From] * e.Routing
		}
	}
	for s := range sources { // a source without a join sends to a kernel of its own
		if weight[s] == 0 {
			app.Edges = append(app.Edges, Edge{Name: fmt.Sprint(len(app.Edges)), From: s, To: len(app.Kernels),
				ElementBytes: 1, Routing: 1})
			app.Kernels = append(app.Kernels, Kernel{Name: "sink", Gain: 1})
		}
	}
	return app, rate
}

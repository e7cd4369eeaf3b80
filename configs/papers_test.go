package configs_test

import (
	"testing"

	"xopt/flow"
	"xopt/flow/flowtest"
)

// TestFig7 compares with Beard 2013, Fig. 11 and Fig. 9.
func TestFig7(t *testing.T) {
	d := load(t, "beard-fig7", "app.x", "arch.x", "map.x")
	n, s := flowtest.Solve(t, d.Problem, d.Mapping)
	const rounding = 0.005 / 8.92 // of the numbers as printed
	near(t, "throughput", s.Throughput, 26.76e6, rounding)
	for e, want := range map[string]float64{"top.ab": 17.84e6, "top.ac": 8.92e6, "top.bd": 17.84e6, "top.cd": 8.92e6} {
		near(t, e, s.EdgeFlow[edge(t, d.Problem, e)], want, rounding)
	}
	near(t, "shared rate of C", station(t, n, s, "top.c").SharedRate, 13.33e6, 0.005/13.33)
	if b := bottleneck(n, s); b != "proc[2]" {
		t.Errorf("bottleneck is %s, want proc[2]", b)
	}

	// Conserving: 2/3 Γ/53.52 + 1/3 Γ/40 + Γ/120 = φ, by hand.
	n, s = flowtest.Solve(t, d.Problem.UnderSharing(flow.Conserving), d.Mapping)
	want := flow.DefaultMaxUtilization / (2./3/53.52e6 + 1./3/40e6 + 1./120e6)
	near(t, "throughput under conserving sharing", s.Throughput, want, 1e-9)
	near(t, "throughput under conserving sharing", s.Throughput, 34.3e6, 0.05/34.3)
	// configs/examples/beard-fig7/README.md
	near(t, "throughput in the README", s.Throughput, 34.34e6, 0.005/34.34)
	near(t, "A to B in the README", s.EdgeFlow[edge(t, d.Problem, "top.ab")], 22.89e6, 0.005/22.89)
	near(t, "A to C in the README", s.EdgeFlow[edge(t, d.Problem, "top.ac")], 11.45e6, 0.005/11.45)
	near(t, "shared rate of C in the README", station(t, n, s, "top.c").SharedRate, 11.45e6, 0.005/11.45)
}

func edge(t *testing.T, p *flow.Problem, name string) int {
	t.Helper()
	for e := range p.Application.Edges {
		if p.Application.Edges[e].Name == name {
			return e
		}
	}
	t.Fatalf("no edge %s", name)
	return -1
}

// TestGayenSmall compares with Gayen 2008, Table 3.1, section 6.1 and ch. 5: the time of the busiest resource for one
// average, array or execution.
func TestGayenSmall(t *testing.T) {
	for _, c := range []struct {
		name, example, mapping string
		bytes                  float64 // that the sources emit for one result
		time                   float64
		bottleneck             string
	}{
		{"test1 map1: half 4 us + store 16.33 us", "gayen-test1", "map1.x", 8, 20.33e-6,
			"proc[2]"},
		{"test1 map2: store alone", "gayen-test1", "map2.x", 8, 16.33e-6, "proc[3]"},
		{"test1 map3: 2 x 5.33 + 4 + 16.33 us", "gayen-test1", "map3.x", 8, 30.99e-6, "proc[1]"},
		{"array map1: 267.5 s per million", "gayen-test1/array", "map1.x", 8000,
			267.5e-6, "proc[1]"},
		{"array map2: 138.3 s per million by X-Sim", "gayen-test1/array", "map2.x",
			8000, 138.3e-6, "proc[2]"},
		{"test2 map1: 10 s for 10 executions", "gayen-test2", "map1.x", 16, 1, "proc[1]"},
		{"test2 map2: 40 s for 10 executions", "gayen-test2", "map2.x", 16, 4, "proc[2]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := load(t, c.example, "app.x", "arch.x", c.mapping)
			n, s := flowtest.Solve(t, d.Problem, d.Mapping)
			near(t, "time", c.bytes/s.Throughput, c.time, 1e-3)
			if b := bottleneck(n, s); b != c.bottleneck {
				t.Errorf("bottleneck is %s, want %s", b, c.bottleneck)
			}
		})
	}
}

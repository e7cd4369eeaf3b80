package configs_test

import (
	"context"
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/mapper"
)

// search searches mappings with a fixed seed and a bound on the work.
func search(t *testing.T, evals uint64, example string, files ...string) (*design.Design, *mapper.Result) {
	t.Helper()
	d := loadWith(t, design.Options{}, nil, example, files...)
	r, err := mapper.Search(context.Background(), d.Problem, d.Constraints, mapper.Options{Seed: 1, Threads: 1,
		MaxEvals: evals})
	if err != nil {
		t.Fatal(err)
	}
	return d, r
}

// TestVeritasSearch checks that with the slow bus a search moves Chopper to the FPGA, like mapB, and reaches the
// throughput of mapB.
func TestVeritasSearch(t *testing.T) {
	for _, pipes := range []string{"1", "2", "3"} {
		d, r := search(t, 300_000, "gayen-veritas", "pipes"+pipes+".x", "arch_slow.x")
		b := load(t, "gayen-veritas", "arch_slow.x", "mapB"+pipes+".x")
		_, s := flowtest.Solve(t, b.Problem, b.Mapping)
		best := r.Candidates[0]
		if best.Throughput < s.Throughput*(1-1e-9) {
			t.Errorf("%s pipes: search found %.4g bytes/s, mapB%s has %.4g", pipes, best.Throughput, pipes,
				s.Throughput)
		}
		on := make(map[string]int)
		for k, kernel := range d.Problem.Application.Kernels {
			if kernel.Block == "Chopper" {
				on[d.Problem.Architecture.Resources[best.Mapping.Place[k]].Name]++
			}
		}
		if len(on) != 1 || on["fpga"] == 0 {
			t.Errorf("%s pipes: search puts Chopper on %v, want the FPGA", pipes, on)
		}
		t.Logf("%s pipes: %.1f s, mapB%s %.1f s; %d mappings scored, %s", pipes,
			sourceBytes/best.Throughput, pipes, sourceBytes/s.Throughput, r.Evals, r.Status)
	}
}

// TestSearchExamples checks that a search of every small example is at least as good as the paper's own mappings.
func TestSearchExamples(t *testing.T) {
	for _, c := range []struct {
		example         string
		files, mappings []string
	}{
		{"beard-fig7", []string{"app.x", "arch.x"}, []string{"map.x"}},
		{"gayen-test1", []string{"app.x", "arch.x"}, []string{"map1.x", "map2.x", "map3.x"}},
		{"gayen-test1/array", []string{"app.x", "arch.x"}, []string{"map1.x", "map2.x"}},
		{"gayen-test2", []string{"app.x", "arch.x"}, []string{"map1.x", "map2.x"}},
		{"lancaster-blastn", []string{"run1.x", "arch.x"}, []string{"map.x"}},
		{"lancaster-blastn", []string{"run2.x", "arch.x"}, []string{"map.x"}},
	} {
		_, r := search(t, 100_000, c.example, c.files...)
		for _, m := range c.mappings {
			d := load(t, c.example, append(c.files, m)...)
			_, s := flowtest.Solve(t, d.Problem, d.Mapping)
			if best := r.Candidates[0].Throughput; best < s.Throughput*(1-1e-9) {
				t.Errorf("%s, %v: search found %.6g bytes/s, %s has %.6g", c.example, c.files, best, m, s.Throughput)
			}
		}
	}
}

// TestJpegSearch checks that a search with the FPGAs finds about twice the throughput of the cores, as
// configs/examples/beard-jpeg/README.md states.
func TestJpegSearch(t *testing.T) {
	d, r := search(t, 200_000, "beard-jpeg", "app.x", "arch.x")
	best := r.Candidates[0]
	n, s := flowtest.Solve(t, d.Problem, best.Mapping)
	t.Logf("jpeg: %.1f MB/s, bottleneck %s, %d mappings scored, %s", best.Throughput/1e6, bottleneck(n, s), r.Evals,
		r.Status)
	forbidden := *d.Constraints
	forbidden.Forbidden = make([][]int, len(d.Problem.Application.Kernels))
	for k := range forbidden.Forbidden {
		for i, res := range d.Problem.Architecture.Resources {
			if res.Sharing.Rule == flow.AreaOnly {
				forbidden.Forbidden[k] = append(forbidden.Forbidden[k], i)
			}
		}
	}
	software, err := mapper.Search(context.Background(), d.Problem, &forbidden, mapper.Options{Seed: 1, Threads: 1,
		MaxEvals: 200_000})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("jpeg without FPGAs: %.1f MB/s", software.Candidates[0].Throughput/1e6)
	if gain := best.Throughput / software.Candidates[0].Throughput; gain < 1.9 || gain > 2.3 {
		t.Errorf("FPGAs bring a factor of %.3g, the README says about 2", gain)
	}
}

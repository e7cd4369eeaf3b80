package predict

import (
	"context"
	"fmt"
	"math"
	"testing"

	"xopt/configs"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/mapper/result"
)

// load reads a bundled example for one mapping.
func load(t *testing.T, files []string, overrides ...string) *design.Design {
	t.Helper()
	opt := design.Options{Purpose: design.ForMapping}
	for _, o := range overrides {
		x, err := design.ParseOverride(o)
		if err != nil {
			t.Fatal(err)
		}
		opt.Overrides = append(opt.Overrides, x)
	}
	return flowtest.X{Files: files, From: configs.ExampleFiles()}.Design(t, opt)
}

func predict(t *testing.T, d *design.Design) *result.Candidate {
	t.Helper()
	c, err := Mapping(context.Background(), d, d.Mapping, flow.Fast{}, "map")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTenPercent compares each ten-percent gain with the throughput of a problem with that figure changed.
func TestTenPercent(t *testing.T) {
	for name, c := range map[string]struct {
		files   []string
		kernels int // with a gain
	}{
		"one limit":       {[]string{"beard-fig7/app.x", "beard-fig7/arch.x", "beard-fig7/map.x"}, 1},
		"shared core":     {[]string{"gayen-veritas/arch.x", "gayen-veritas/mapA2.x"}, 4},
		"several at once": {[]string{"gayen-veritas/arch.x", "gayen-veritas/mapB2.x"}, 0},
		"a link":          {[]string{"gayen-veritas/arch_slow.x", "gayen-veritas/mapB2.x"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			before := predict(t, load(t, c.files))
			next := float64(before.Bottlenecks[1].Throughput / before.Bottlenecks[0].Throughput)
			kernels := 0
			for _, s := range before.Stations {
				if s.IsLink {
					continue
				}
				after := predict(t, load(t, c.files, fmt.Sprintf("%s@%s:mu=%gB/s", s.Name, s.On,
					1.1*float64(s.ServiceRate))))
				got, want := float64(s.TenPercent), float64(after.Throughput/before.Throughput)-1
				if math.Abs(got-want) > 1e-9 {
					t.Errorf("%s: %g, want %g", s.Name, got, want)
				}
				if got > min(0.1, next-1)+1e-9 {
					t.Errorf("%s: %g is more than the throughput of the next bottleneck", s.Name, got)
				}
				if got > 1e-9 {
					kernels++
				}
			}
			if kernels != c.kernels {
				t.Errorf("%d kernels bring something, want %d", kernels, c.kernels)
			}
		})
	}
}

// TestAlternatives checks that the rule in force is not compared with itself: conserving keeps the bulk sharing of a
// link with a cost of transfers.
func TestAlternatives(t *testing.T) {
	c := predict(t, load(t, []string{"gayen-test1/app.x", "gayen-test1/arch.x", "gayen-test1/map1.x"}))
	var rules []string
	for _, a := range c.Alternatives {
		rules = append(rules, a.Sharing)
	}
	if got := fmt.Sprint(rules); got != "[equal]" {
		t.Errorf("alternatives %s", got)
	}
}

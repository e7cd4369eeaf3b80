package buffers_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/queueing/maxplus"
	"xopt/queueing/times"
)

const microsecond = 1e-6

// exponential are measured times of an exponential distribution.
func exponential(mean float64, n int) *flow.Times {
	r := rand.New(rand.NewPCG(uint64(n), uint64(mean*1e12)))
	list := make([]float64, n)
	for i := range list {
		list[i] = mean * r.ExpFloat64()
	}
	return times.Of(list)
}

// chained is a pipeline of kernels with measured times on cores of their own, joined by a memory that is
// never the limit.
func chained(measured ...*flow.Times) (*flow.Problem, *flow.Mapping) {
	p, m := &flow.Problem{}, &flow.Mapping{}
	p.Architecture.Links = []flow.Link{{Name: "mem", Bandwidth: 1e15, Sharing: flow.Sharing{Rule: flow.Conserving}}}
	for i, d := range measured {
		p.Application.Kernels = append(p.Application.Kernels, flow.Kernel{Name: string(rune('a' + i)), Gain: 1})
		p.Architecture.Resources = append(p.Architecture.Resources, flow.Resource{Name: "core", Sharing: flow.Sharing{
			Rule: flow.Conserving}})
		p.Architecture.Links[0].Endpoints = append(p.Architecture.Links[0].Endpoints, i)
		m.Place = append(m.Place, i)
		row := make([]flow.Figures, len(measured))
		for r := range row {
			row[r] = flow.Figures{Available: true, ServiceRate: 8 / d.Mean(), ServiceSCV: 1, Times: d}
		}
		p.Figures = append(p.Figures, row)
		if i > 0 {
			p.Application.Edges = append(p.Application.Edges, flow.Edge{Name: "e", From: i - 1, To: i, FromPort: "y",
				ToPort: "x", ElementBytes: 8, Routing: 1})
			m.Route = append(m.Route, []int{0})
		}
	}
	return p, m
}

func recommend(t *testing.T, p *flow.Problem, m *flow.Mapping) ([]buffers.Size, *flow.Network, *flow.Solution) {
	t.Helper()
	n, s := solve(t, p, m)
	sizes, err := buffers.Recommend(context.Background(), p, n.Flows, flow.NewOperation(n, s))
	if err != nil {
		t.Fatal(err)
	}
	return sizes, n, s
}

// TestCertified certifies the edges behind the slowest kernel, and sees in a simulation without ends that no more
// than that ever waits.
func TestCertified(t *testing.T) {
	const n = 30_000
	p, m := chained(exponential(10*microsecond, n), exponential(7*microsecond, n), exponential(1*microsecond, n))
	sizes, net, s := recommend(t, p, m)
	theory := math.Log(1e-7) / math.Log(0.7)
	for e, size := range sizes {
		if size.Level != buffers.Certified || !strings.Contains(size.Reason, "Lundberg") {
			t.Errorf("edge %d: %+v, want it certified", e, size)
		}
		if size.Refused != "" || !(size.Bound > 0) || size.Bound > size.Elements {
			t.Errorf("edge %d: %g of %g elements are certified, refused because %q", e, size.Bound, size.Elements,
				size.Refused)
		}
	}
	if k := sizes[0].Elements; k < theory || k > 2*theory+4 {
		t.Errorf("%g elements, where M/M/1 needs %.0f", k, theory)
	}
	o := maxplus.Options{Events: 1e6, Seed: 1, Occupancy: true}
	out := simulate(t, net, s, buffers.Setting{}, nil, o)
	for e, size := range sizes {
		if most := out.Most[e]; float64(most) > size.Elements {
			t.Errorf("edge %d: %d elements wait, and %g are certified", e, most, size.Elements)
		}
	}
}

// TestNotCertified: mappings and times of which nothing can be certified, and what is said then.
func TestNotCertified(t *testing.T) {
	const n = 20_000
	slow, fast := exponential(10*microsecond, n), exponential(5*microsecond, n)
	wave := make([]float64, n)
	for i := range wave {
		wave[i] = (5 + 4.9*math.Sin(float64(i)/300)) * microsecond
	}
	for _, c := range []struct {
		name     string
		measured []*flow.Times
		change   func(*flow.Problem, *flow.Mapping)
		says     string // in the reason
		why      string // nothing is certified, where the reason does not say so
	}{
		{"a shared core", []*flow.Times{slow, fast, fast}, func(_ *flow.Problem, m *flow.Mapping) {
			m.Place[2], m.Route[1] = 1, nil
		}, "", "shares its core"},
		{"held back", []*flow.Times{exponential(6*microsecond, n), fast, slow}, nil, "", "is saturated"},
		{"no times", []*flow.Times{slow, fast}, func(p *flow.Problem, _ *flow.Mapping) {
			p.Figures[0][0].Times = nil
		}, "", "the single firings of its two kernels were not both timed"},
		{"some of the firings send", []*flow.Times{slow, fast}, func(p *flow.Problem, _ *flow.Mapping) {
			p.Application.Kernels[0].Gain, p.Application.Edges[0].Routing = 1, 1
			p.Application.Kernels = append(p.Application.Kernels, flow.Kernel{Name: "c", Gain: 1})
			p.Application.Edges = append(p.Application.Edges, flow.Edge{Name: "f", From: 0, To: 2, FromPort: "z",
				ToPort: "x", ElementBytes: 8, Routing: 0.7})
			p.Application.Edges[0].Routing = 0.3
			p.Figures = append(p.Figures, p.Figures[1])
		}, "", "depend on the data"},
		{"a bulk", []*flow.Times{slow, fast}, func(p *flow.Problem, _ *flow.Mapping) {
			p.Architecture.Links[0].Sharing.TransferBytes = 64
		}, "", "bulks"},
		{"too short", []*flow.Times{slow, exponential(5*microsecond, 500)}, nil,
			"not certified: 500 samples are too few", "too few"},
		{"correlated", []*flow.Times{slow, times.Of(wave)}, nil, "service times depend on each other",
			"depend on each other"},
	} {
		p, m := chained(c.measured...)
		if c.change != nil {
			c.change(p, m)
		}
		if len(m.Place) < len(p.Application.Kernels) {
			m.Place, m.Route = append(m.Place, 0), append(m.Route, nil)
		}
		sizes, _, _ := recommend(t, p, m)
		if sizes[0].Level != buffers.Heuristic || !strings.Contains(sizes[0].Reason, c.says) {
			t.Errorf("%s: %+v, want no certificate and %q", c.name, sizes[0], c.says)
		}
		if sizes[0].Bound != 0 || !strings.Contains(sizes[0].Refused, c.why) {
			t.Errorf("%s: refused because %q, want %q", c.name, sizes[0].Refused, c.why)
		}
	}
}

// TestCertifiedAgain: a search that sizes a mapping again finds what is certified without allocating.
func TestCertifiedAgain(t *testing.T) {
	p, m := chained(exponential(10*microsecond, 5000), exponential(6*microsecond, 5000))
	n, s := solve(t, p, m)
	sizer := buffers.NewSizer(p, n.Flows)
	var o buffers.Operation = flow.NewOperation(n, s)
	once := func() {
		sizer.Take(o)
		sizer.Elements(0)
	}
	once()
	if allocs := testing.AllocsPerRun(100, once); allocs > 0 {
		t.Errorf("%g allocations", allocs)
	}
}

package buffers

import (
	"math"
	"strings"
	"testing"

	"xopt/flow"
)

// diamond is a source that sends each element to a filter and to a join. The output of the filter also goes to
// the join.
type diamond struct {
	passes    float64 // part of the elements that the filter passes on
	consumes  float64 // elements of the direct branch in a round
	takesLong float64 // of the branch with the filter
	emits     int     // elements of a firing of the filter, where it is static
	bulk      float64 // of the link on the long branch, in elements; 0 for none
	flush     float64 // s
	rounds    float64 // elements that the filter takes together
	middle    bool    // another kernel on the direct branch
}

func (x diamond) problem() (*flow.Problem, *flow.Mapping) {
	const size = 4
	edge := func(name string, from, to int, port string) flow.Edge {
		return flow.Edge{Name: name, From: from, To: to, FromPort: "y", ToPort: port, ElementBytes: size, Routing: 1}
	}
	app := flow.Application{Kernels: []flow.Kernel{{Name: "s", Gain: 1}, {Name: "f", Gain: x.passes}, {Name: "j"}}}
	long, direct, late := edge("long", 0, 1, "x"), edge("direct", 0, 2, "b"), edge("late", 1, 2, "a")
	direct.FromPort = "z"
	long.Routing, direct.Routing = 0.5, 0.5
	if x.emits > 0 {
		long.Emits, direct.Emits, late.Emits = 1, 1, x.emits
	}
	app.Edges = []flow.Edge{long, direct, late}
	joined := 1
	if x.middle {
		app.Kernels = append(app.Kernels, flow.Kernel{Name: "m", Gain: 1})
		app.Edges[1].To, app.Edges[1].ToPort = 3, "x"
		app.Edges = append(app.Edges, edge("again", 3, 2, "b"))
		joined = 3
	}
	app.Kernels[2].Joins = []flow.Join{{Ports: []flow.JoinPort{{Name: "a", Edges: []int{2}, Bytes: x.takesLong * size},
		{Name: "b", Edges: []int{joined}, Bytes: x.consumes * size}}}}
	if x.rounds > 0 {
		app.Kernels[1].Joins = []flow.Join{{Ports: []flow.JoinPort{{Name: "x", Edges: []int{0},
			Bytes: x.rounds * size}}}}
	}
	p := &flow.Problem{Application: app, Architecture: cores(2, x.bulk*size)}
	p.Architecture.Links[0].Flush = x.flush
	m := &flow.Mapping{Place: make([]int, len(app.Kernels)), Route: make([][]int, len(app.Edges))}
	if x.bulk > 0 {
		m.Place[1], m.Route[0], m.Route[2] = 1, []int{0}, []int{0}
	}
	return p, m
}

// TestLeast: the least sizes of the direct branch of a diamond, and why.
func TestLeast(t *testing.T) {
	for _, c := range []struct {
		name        string
		of          diamond
		min, sure   float64
		likely, max float64
		why         string
	}{
		{"nothing parts", diamond{passes: 1, consumes: 1, takesLong: 1}, 1, 1, 1, 1, ""},
		{"a join of 100, and a filter of a hundredth", diamond{passes: .01, consumes: 100, takesLong: 1}, 100, 100,
			1300,
			1700,
			"one firing of j consumes 100 elements of b"},
		{"a filter of a tenth, joined one by one", diamond{passes: .1, consumes: 10, takesLong: 1}, 10, 10, 130, 170,
			""},
		{"ten at once behind the filter", diamond{passes: .1, consumes: 100, takesLong: 10}, 100, 100, 300, 400, ""},
		{"a kernel that takes 64 together", diamond{passes: 1, consumes: 1, takesLong: 1, rounds: 64}, 64, 1, 64, 64,
			"64 elements arrive during the 64 firings of s before j receives data on late"},
		{"a transfer of 256 that must be full", diamond{passes: 1, consumes: 1, takesLong: 1, bulk: 256}, 256, 1, 256,
			256,
			"256 elements arrive"},
		{"a transfer that a round leaves a part of", diamond{passes: 1, consumes: 10, takesLong: 10, bulk: 16}, 24,
			10, 24,
			24, "24 elements arrive"},
		{"a transfer of very many", diamond{passes: 1, consumes: 1, takesLong: 1, bulk: 32765}, 32765, 1, 32765, 32765,
			""},
		{"one that a flush time ends", diamond{passes: 1, consumes: 1, takesLong: 1, bulk: 256, flush: 1e-3}, 1, 1, 1,
			1,
			""},
		{"static counts", diamond{passes: 1, consumes: 1, takesLong: 1, emits: 1}, 1, 1, 0, 0, ""},
		{"a kernel between", diamond{passes: 1, consumes: 1, takesLong: 1, rounds: 64, middle: true}, 64, 1, 64, 64,
			""},
	} {
		p, m := c.of.problem()
		flows, err := flow.NewFlows(&p.Application, 0.1)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		e := 1
		if c.of.middle {
			e = 3
		}
		got := MinSizes(p, flows, m)[e]
		if got.Elements != c.min || got.Sure != c.sure || got.Likely < c.likely || got.Likely > c.max ||
			!strings.Contains(got.Why, c.why) {
			t.Errorf("%s: %+v, want %g, %g for sure, %g to %g likely: %s", c.name, got, c.min, c.sure, c.likely,
				c.max,
				c.why)
		}
		if late := MinSizes(p, flows, m)[2]; c.of.bulk > 0 && late.Elements != 2*c.of.bulk {
			t.Errorf("%s: %+v on the link, want two transfers", c.name, late)
		}
	}
}

// TestLeastOfFirings: the need of one writer and one reader equals that of an exhaustive search over their
// firing orders.
func TestLeastOfFirings(t *testing.T) {
	for sends := 1; sends <= 8; sends++ {
		for consumes := 1; consumes <= 8; consumes++ {
			for initial := 0; initial <= 9; initial++ {
				app := &flow.Application{Kernels: []flow.Kernel{{Name: "w"}, {Name: "r"}},
					Edges: []flow.Edge{{Name: "e", To: 1, ElementBytes: 1, Emits: sends, Initial: initial}}}
				got := Minimum{Elements: 1}
				got.firing(app, 0, float64(consumes), float64(sends), true)
				if want := played(sends, consumes, initial); got.Elements != float64(want) || got.Sure != got.Elements {
					t.Fatalf("%d sent, %d taken, %d at the start: %+v, want %d", sends, consumes, initial, got, want)
				}
			}
		}
	}
}

// played returns the least size with which one iteration ends.
func played(sends, consumes, initial int) int {
	for size := max(1, initial); ; size++ {
		stored, wrote, read := initial, 0, 0
		for moved := true; moved; {
			moved = false
			for stored+sends <= size && wrote < consumes {
				stored, wrote, moved = stored+sends, wrote+1, true
			}
			for stored >= consumes && read < sends {
				stored, read, moved = stored-consumes, read+1, true
			}
		}
		if wrote == consumes && read == sends {
			return size
		}
	}
}

// TestLeastUnknown: without flows, the consumption of joins and the size of transfers are still known.
func TestLeastUnknown(t *testing.T) {
	p, m := diamond{passes: 1, consumes: 100, takesLong: 1, bulk: 64}.problem()
	all := MinSizes(p, nil, m)
	if all[1].Elements != 100 || all[0].Elements != 128 || all[2].Elements != 128 || math.IsNaN(all[0].Sure) {
		t.Errorf("%+v", all)
	}
}

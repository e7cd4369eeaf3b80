package copies

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"xopt/configs"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper"
	"xopt/mapper/copyplan"
)

// threeKernels is a chain of a source, a stateless kernel and a sink on four cores: three copies of the kernel are
// best.
const threeKernels = `#include "std.x"
block S { output UNSIGNED8[64] y0; };
block F { input UNSIGNED8[64] x0; output UNSIGNED8[64] y0; stateless; };
block D { input UNSIGNED8[64] x0; };
block top { S s; F f; D d; e1: s.y0 -> f.x0; e2: f.y0 -> d.x0; };
use top;
resource p[4] is C;
resource mem is memory ({ p }, bandwidth="10GB/s", from="published: in this test");
impl S on C (mu="1GB/s", gain=1, from="assumed");
impl F on C (mu="10MB/s", gain=1, from="assumed");
impl D on C (mu="1GB/s", gain=1, from="assumed");
`

// load returns the design of threeKernels.
func load(t *testing.T) *design.Design { return loadText(t, threeKernels) }

// loadText returns the design of a text.
func loadText(t *testing.T, text string) *design.Design {
	t.Helper()
	program, _, err := xlang.Load([]string{"a.x"}, xlang.Options{Library: configs.Library(),
		ReadFile: func(path string) ([]byte, error) {
			if path == "a.x" {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := design.New(program, design.Options{Purpose: design.ForSearch})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// policy returns a policy that counts the programs that it lowers, and calls after each.
func policy(lowered *int, after func()) Policy {
	return Policy{Lower: func(_ context.Context, p *xlang.Program) (*design.Design, error) {
		*lowered++
		q, err := design.Copied(p, design.ForCheck)
		if err != nil {
			return nil, err
		}
		d, err := design.New(q, design.Options{Purpose: design.ForCheck})
		after()
		return d, err
	}}
}

// TestImproveEndsWithItsContext checks that a search for copies creates no program after its time limit. It then
// claims no proof, because a proof for mappings without copies does not cover all.
func TestImproveEndsWithItsContext(t *testing.T) {
	d := load(t)
	search := func() *mapper.Result {
		found, err := mapper.Search(t.Context(), d.Problem, d.Constraints, mapper.Options{Seed: 1, MaxEvals: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if !found.Optimal() {
			t.Fatalf("status %q, want a proof", found.Status)
		}
		return found
	}

	found, lowered := search(), 0
	x, err := Improve(t.Context(), d, found, policy(&lowered, func() {}))
	if err != nil || !x.Tried || found.Candidates[0].Throughput < 15e6 {
		t.Fatalf("copies bring %g B/s (%+v, %v), want 20 MB/s or more", found.Candidates[0].Throughput, x, err)
	}
	if want := x.Alone.Candidates[0].Throughput; !found.AloneProven || found.AloneBound != want {
		t.Errorf("bound without copies %g, proven %v; want the proof of %g", found.AloneBound, found.AloneProven, want)
	}

	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	found, lowered = search(), 0
	x, err = Improve(late, d, found, policy(&lowered, func() {}))
	if err != nil || x.Tried || x.Note == "" || x.Left != NotTried+": time limit reached" || lowered > 0 ||
		found.Optimal() || found.Status != mapper.TimeLimit {
		t.Errorf("after its time: %+v, %v, %d programs, status %q; want a note, none and no proof", x, err, lowered,
			found.Status)
	}

	stopped, stop := context.WithCancel(t.Context())
	found, lowered = search(), 0
	x, err = Improve(stopped, d, found, policy(&lowered, stop))
	if err != nil || lowered != 1 || !strings.HasSuffix(x.Left, ": interrupted") || found.Status == mapper.CopiesTried {
		t.Errorf("stopped after its first program: %v, %d programs, status %q", err, lowered, found.Status)
	}
}

// TestPlansMatchModel checks that the load of each plan is the load of the complete model for its program: on a bus,
// and for copies of two kernels with different turns.
func TestPlansMatchModel(t *testing.T) {
	const text = `#include "std.x"
block A { output UNSIGNED8[8] y; emit y; stateless; };
block B { input UNSIGNED8[8] x; output UNSIGNED8[8] y; emit y; stateless; };
block C { input UNSIGNED8[8] x; stateless; };
block top { A a; B b; C c; e0: a.y -> b.x; e1: b.y -> c.x; };
use top;
resource big[2] is C; resource little[2] is C;
resource bus1 is bus ({ big, little }, bandwidth="200kB/s", from="published: in this test");
impl A on big (time="95us", from="assumed"); impl A on little (time="143us", from="assumed");
impl B on big (time="49us", from="assumed"); impl B on little (time="170us", from="assumed");
impl C on big (time="20us", from="assumed"); impl C on little (time="31us", from="assumed");
`
	d := loadText(t, text)
	found, err := mapper.Search(t.Context(), d.Problem, d.Constraints, mapper.Options{Seed: 1, MaxEvals: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var lowered int
	s := &search{d: d, base: found.Candidates[0].Mapping, policy: policy(&lowered, func() {})}
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	p := s.problem(s.copyable(t.Context()))
	plans, bound, _, err := s.plans(t.Context(), p, RestartsUntimed)
	if err != nil {
		t.Fatal(err)
	}
	// A plan with turns that meet in different ways.
	plans = append(plans, copyplan.Plan{Units: []copyplan.Unit{
		{Tasks: []int{0}, Copies: []copyplan.Copy{{Core: 0, Turns: 3}, {Core: 2, Turns: 2}}},
		{Tasks: []int{1, 2}, Copies: []copyplan.Copy{{Core: 0, Turns: 4}, {Core: 3, Turns: 1}}},
	}})
	plans[len(plans)-1].Load = copyplan.LoadOf(p, plans[len(plans)-1].Units)
	for i := range plans {
		x, m, err := s.design(t.Context(), &plans[i])
		if err != nil || x == nil {
			t.Fatalf("plan %+v: %v", plans[i], err)
		}
		got, want := s.throughput(x, m), s.loads.Throughput(plans[i].Load)
		if math.Abs(got-want) > 1e-6*want {
			t.Errorf("plan %d: %g B/s by the model, %g by the plan %+v", i, got, want, plans[i].Units)
		}
	}
	if !s.boundHolds(p) || s.loads.Throughput(bound.Load) < s.loads.Throughput(plans[0].Load)*(1-1e-9) {
		t.Errorf("bound %g on a load of %g", bound.Load, plans[0].Load)
	}
}

// TestRankKeepsPlain checks that the best mapping without copies remains a candidate, with its own design, if more than
// one is kept.
func TestRankKeepsPlain(t *testing.T) {
	d := load(t)
	for best, want := range map[int]int{1: 1, 3: 2} {
		found, err := mapper.Search(t.Context(), d.Problem, d.Constraints, mapper.Options{Seed: 1, MaxEvals: 1000})
		if err != nil {
			t.Fatal(err)
		}
		lowered := 0
		x, err := Improve(t.Context(), d, found, policy(&lowered, func() {}))
		if err != nil {
			t.Fatal(err)
		}
		c, _ := x.Rank(t.Context(), found, best, 1)
		if c == nil || !c.Chosen || len(found.Candidates) != want {
			t.Fatalf("%d of %d candidates, %+v", len(found.Candidates), best, c)
		}
		if x.DesignOf(found.Candidates[0].Mapping) != x.Design || want > 1 &&
			x.DesignOf(found.Candidates[1].Mapping) != d {
			t.Error("a candidate has the design of another")
		}
	}
}

// TestImproveInLoop checks that a stateless kernel in a loop, which may not run in copies, leaves the proof of a search
// and its bound as they are.
func TestImproveInLoop(t *testing.T) {
	d := loadText(t, `#include "std.x"
block S { output UNSIGNED8[64] y0; };
block J { input UNSIGNED8[64] x0, back; output UNSIGNED8[64] y0, y1; join x0, back; emit y0, y1; };
block F { input UNSIGNED8[64] x0; output UNSIGNED8[64] y0; emit y0; stateless; };
block D { input UNSIGNED8[64] x0; };
block top { S s; J j; F f; D d; e1: s.y0 -> j.x0; e2: j.y0 -> f.x0; e3: f.y0 -> j.back (initial=4); e4: j.y1 -> d.x0; };
use top;
resource p[2] is C;
resource mem is memory ({ p }, bandwidth="10GB/s", from="published: in this test");
impl S on C (mu="1GB/s", from="assumed"); impl J on C (mu="1GB/s", from="assumed");
impl F on C (mu="10MB/s", from="assumed"); impl D on C (mu="1GB/s", from="assumed");
`)
	if Any(d.Program) {
		t.Fatal("a kernel in a loop may be copied")
	}
	found, err := mapper.Search(t.Context(), d.Problem, d.Constraints, mapper.Options{Seed: 1, MaxEvals: 1000})
	if err != nil {
		t.Fatal(err)
	}
	proven, bound, lowered := found.Optimal(), found.Bound, 0
	x, err := Improve(t.Context(), d, found, policy(&lowered, func() {}))
	if err != nil || x.Tried || !proven || !found.Optimal() || found.Bound != bound || found.WithoutCopies {
		t.Errorf("%+v, %v: status %q, bound %g, %g before", x, err, found.Status, found.Bound, bound)
	}
}

// twoEntries is a graph in which the copies of k1 and k3 would form a region that the stream enters at two kernels.
const twoEntries = `#include "std.x"
platform A : C { };
block K0 { output UNSIGNED8[8] o; emit o; };
impl K0 on A (time="9ms", from="assumed");
block K1 { input UNSIGNED8[8] i0; output UNSIGNED8[2] o; emit o; stateless; };
impl K1 on A (time="18ms", from="assumed");
block K2 { input UNSIGNED8[2] i0; };
impl K2 on A (time="4ms", from="assumed");
block K3 { input UNSIGNED8[8] i0; input UNSIGNED8[2] i1; join i0, i1; stateless; };
impl K3 on A (time="13ms", from="assumed");
block top { K0 k0; K1 k1; K2 k2; K3 k3; e0_1: k0.o -> k1.i0; e1_2: k1.o -> k2.i0; e0_3: k0.o -> k3.i0;
e1_3: k1.o -> k3.i1; };
use top;
resource r[3] is A;
resource bb is memory ({ r }, bandwidth="inf", from="assumed");
`

// TestInvalidCopies: if the copies of the best plan are invalid, the search tries plans with copies of fewer kernels.
// Copies of k1 reach 545 B/s; without copies, 444 B/s are possible.
func TestInvalidCopies(t *testing.T) {
	d := loadText(t, twoEntries)
	found, err := mapper.Search(t.Context(), d.Problem, d.Constraints, mapper.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	var lowered int
	if _, err := Improve(ctx, d, found, policy(&lowered, func() {})); err != nil {
		t.Fatal(err)
	}
	if got := found.Candidates[0].Throughput; got < 544 || got > 545.5 {
		t.Errorf("throughput %g B/s, want 544 to 545.5", got)
	}
}

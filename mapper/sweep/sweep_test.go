package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"xopt/configs"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper"
	"xopt/mapper/copies"
	"xopt/mapper/result"
)

// chain has three kernels on cores and an FPGA. The second may run in copies.
const chain = `#include "std.x"
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

// buffered has copies that are faster by the model, but slower with the given buffers.
const buffered = `#include "std.x"
block S { output UNSIGNED8[16] y; emit y; };
block A0 { input UNSIGNED8[16] x; output UNSIGNED8[16] y; emit y; };
block A1 { input UNSIGNED8[16] x; output UNSIGNED8[16] y; emit y; stateless; };
block A2 { input UNSIGNED8[16] x; output UNSIGNED8[16] y; emit y; };
block D { input UNSIGNED8[16] x; };
block top { S s; A0 a0; A1 a1; A2 a2; D d; e0: s -> a0; e1: a0 -> a1; e2: a1 -> a2; e3: a2 -> d; };
use top;
buffer { top.e0 } = 4;
buffer { top.e3 } = 1;
resource p[2] is C;
resource mem is memory ({ p }, bandwidth="10GB/s", from="published: in this test");
impl S on C (mu="50MB/s", scv=0);
impl A0 on C (mu="30MB/s", scv=0);
impl A1 on C (mu="100MB/s", scv=0);
impl A2 on C (mu="50MB/s", scv=0);
impl D on C (mu="70MB/s", scv=0);
`

// load returns the design of chain with settings.
func load(_ context.Context, set []string) (*design.Design, error) { return loadText(chain, set) }

// loadText returns the design of a text with settings.
func loadText(text string, set []string) (*design.Design, error) {
	values := make(map[string]string)
	for _, s := range set {
		name, value, _ := strings.Cut(s, "=")
		values[name] = value
	}
	program, _, err := xlang.Load([]string{"a.x"}, xlang.Options{Library: configs.Library(), Set: values,
		ReadFile: func(path string) ([]byte, error) {
			if path == "a.x" {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		}})
	if err != nil {
		return nil, err
	}
	return design.New(program, design.Options{Purpose: design.ForSearch})
}

// newSweep returns a sweep over the count of cores.
func newSweep(t *testing.T, mode copies.Mode) *Sweep {
	t.Helper()
	v, err := ParseVaried("p=1..4", 9)
	if err != nil {
		t.Fatal(err)
	}
	return &Sweep{Varied: []Varied{v}, Load: load, Search: mapper.Options{Seed: 1, MaxEvals: 1000, Top: 1},
		Policy: copies.Policy{Mode: mode, Lower: func(_ context.Context, p *xlang.Program) (*design.Design, error) {
			q, err := design.Copied(p, design.ForCheck)
			if err != nil {
				return nil, err
			}
			return design.New(q, design.Options{Purpose: design.ForCheck})
		}}}
}

// TestStoredAnswers checks that points that are computed one by one, stored and joined equal those of a complete
// sweep, with and without copies of kernels.
func TestStoredAnswers(t *testing.T) {
	for _, mode := range []copies.Mode{copies.Auto, copies.None} {
		direct, later := newSweep(t, mode), newSweep(t, mode)
		if testing.Short() {
			v, err := ParseVaried("p=1,4", 9)
			if err != nil {
				t.Fatal(err)
			}
			direct.Varied[0], later.Varied[0] = v, v
		}
		for i := range direct.Points() {
			d, err := direct.Design(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			a, err := direct.Answer(t.Context(), d, i)
			if err != nil {
				t.Fatal(err)
			}
			one := *direct
			one.Varied, one.Done = []Varied{{Name: "p", Values: one.Values(i)}}, result.Sweep{}
			if err := errors.Join(direct.Add(t.Context(), a), one.Add(t.Context(), a)); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(one.Result())
			if err != nil {
				t.Fatal(err)
			}
			stored := new(result.Sweep)
			if err := json.Unmarshal(text, stored); err != nil {
				t.Fatal(err)
			}
			if err := later.Join(t.Context(), stored); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(direct.Result(), later.Result()) {
			t.Errorf("at once\n%+v\nlater\n%+v", direct.Result(), later.Result())
		}
		points := direct.Done.Points
		first, last := points[0].Throughput, points[len(points)-1].Throughput
		if turns := direct.Done.Places[len(direct.Done.Places)-1].Turns != nil; turns != (mode == copies.Auto) ||
			turns && last < 2*first {
			t.Errorf("mode %d: %g B/s on one core, %g on four, copies %t", mode, first, last, turns)
		}
	}
}

// TestSameChoice checks that a point of a sweep selects the mapping without copies if a search does so by the
// throughputs with buffers, although copies are faster by the model.
func TestSameChoice(t *testing.T) {
	s := newSweep(t, copies.Auto)
	s.BufferSeed = 1
	d, err := loadText(buffered, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Answer(t.Context(), d, 0)
	if err != nil {
		t.Fatal(err)
	}
	found, err := mapper.Search(t.Context(), d.Problem, d.Constraints, s.Search)
	if err != nil {
		t.Fatal(err)
	}
	policy := s.Policy
	policy.Restarts = copies.RestartsUntimed
	x, err := copies.Improve(t.Context(), d, found, policy)
	if err != nil || x.Alone == nil {
		t.Fatalf("copies do not bring more by the model (%v): there is nothing to compare", err)
	}
	c, _ := x.Rank(t.Context(), found, 1, 1)
	if c.Chosen || c.Why != "" || x.Design != d || a.design != d ||
		found.Candidates[0].Throughput != a.best.Throughput {
		t.Errorf("a search: %+v with %g B/s; a point: %g B/s, copies %v", c, found.Candidates[0].Throughput,
			a.best.Throughput, a.design != d)
	}
}

// TestTimeIsHeld uses a clock that each point advances by its loading time, and by more than its granted search time.
// The sweep must end in time except for the overrun of one search, and must check only the values that a part of the
// time allows.
func TestTimeIsHeld(t *testing.T) {
	for _, c := range []struct {
		all, load    time.Duration
		checked, low int // checked values, and the minimum of computed points
	}{
		{20 * time.Second, time.Second, 4, 4},
		{20 * time.Second, 3 * time.Second, 1, 3},
		{5 * time.Second, 4 * time.Second, 1, 1},
		{time.Second, 4 * time.Second, 1, 1},
	} {
		s := newSweep(t, copies.None)
		begun := time.Unix(0, 0)
		now := begun
		s.Now, s.Deadline = func() time.Time { return now }, begun.Add(c.all)
		loads := 0
		first := strings.Join(s.Settings(0), " ")
		s.Load = func(ctx context.Context, set []string) (*design.Design, error) {
			if loads == 0 || strings.Join(set, " ") != first { // the command reads the first point once
				now = now.Add(c.load)
				loads++
			}
			return load(ctx, set)
		}
		if err := s.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		if loads > c.checked {
			t.Errorf("%v, %v each: %d values are checked, want at most %d", c.all, c.load, loads, c.checked)
		}
		points, overrun := 0, time.Duration(0)
		for i := 0; i < s.Points() && (i == 0 || !s.Late()); i++ {
			if _, err := s.Design(t.Context(), i); err != nil {
				t.Fatal(err)
			}
			granted := s.grant(i)
			overrun = granted / 4
			now = now.Add(granted + overrun)
			points++
		}
		maximum := max(c.all, c.load+minTime) + overrun // one point is computed in any case
		if elapsed := now.Sub(begun); elapsed > maximum || points < c.low {
			t.Errorf("%v, %v each: %d points in %v, want %d in %v", c.all, c.load, points, elapsed, c.low, maximum)
		}
	}
	s := newSweep(t, copies.None)
	if s.Late() {
		t.Error("a sweep without an end is late")
	}
	if s.Deadline = time.Unix(0, 0); !s.Late() {
		t.Error("a sweep after its end is not late")
	}
	d, err := s.Design(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Answer(t.Context(), d, 1)
	if err != nil || a.None {
		t.Fatalf("after the end: %+v, %v; want any mapping", a, err)
	}
	s = newSweep(t, copies.None)
	if d, err = s.Design(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if a, err = s.Answer(t.Context(), d, 0); err == nil {
		err = s.Add(t.Context(), a)
	}
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Done.Points[0]; len(p.Figures) == 0 || p.Figures[0].Count == 0 {
		t.Errorf("the origins of the figures are %v", p.Figures)
	}
}

// TestVaried checks that ranges have equal steps of the logarithm, integer configs integer values, and counts start
// at 0.
func TestVaried(t *testing.T) {
	v, err := ParseVaried("top.a.n=1..8", 9)
	if err != nil || len(v.Values) != 9 || !v.Plain() {
		t.Fatalf("%+v, %v", v, err)
	}
	if err := v.Round("UNSIGNED32", 9); err != nil || strings.Join(v.Values, " ") != "1 2 3 4 5 6 8" {
		t.Errorf("whole values %v, %v", v.Values, err)
	}
	if v, err := ParseVaried("p=0..2", 9); err != nil || len(v.Values) != 3 {
		t.Errorf("%+v, %v", v, err)
	}
	for _, text := range []string{"p", "p=2..1", "p=-1..1", "a.b=0..1", "a.b=x..y"} {
		if _, err := ParseVaried(text, 9); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
	s := Sweep{Varied: []Varied{{Name: "a", Values: []string{"1", "2"}}, {Name: "b", Unit: "s",
		Values: []string{"3", "4"}}}}
	if set := strings.Join(s.Settings(2), " "); set != "a=2 b=3s" || s.Points() != 4 {
		t.Errorf("point 3 of %d: %s", s.Points(), set)
	}
}

// wide has copies of two kernels that fill eight cores; the bandwidth of the memory does not limit them.
const wide = `#include "std.x"
block S { output UNSIGNED8[16] y; emit y; };
block F { input UNSIGNED8[16] x; output UNSIGNED8[16] y; emit y; };
block A { input UNSIGNED8[16] x; output UNSIGNED8[16] y; emit y; stateless; };
block D { input UNSIGNED8[16] x; };
block top { S s; F stateful; A a, b; D d; s -> stateful; e: stateful -> a; a -> b; b -> d; };
use top;
resource p[8] is C;
resource mem is memory ({ p }, bandwidth="10GB/s", from="published: in this test");
impl S on C (mu="1GB/s"); impl F on C (mu="30MB/s"); impl A on C (mu="10MB/s"); impl D on C (mu="1GB/s");
`

// TestCopiesStay checks that a mapping with copies remains the best at the next point if it ties there, computed at
// once and from a stored point.
func TestCopiesStay(t *testing.T) {
	s := newSweep(t, copies.Auto)
	s.Varied = []Varied{{Name: "mem.bandwidth", Values: []string{"90MB/s", "201MB/s"}}}
	s.Load = func(_ context.Context, set []string) (*design.Design, error) { return loadText(wide, set) }
	later := *s
	for i := range s.Points() {
		d, err := s.Design(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Answer(t.Context(), d, i)
		if err != nil {
			t.Fatal(err)
		}
		one := *s
		one.Varied, one.Done = []Varied{{Name: "mem.bandwidth", Values: one.Values(i)}}, result.Sweep{}
		same := *a
		if err := errors.Join(s.Add(t.Context(), a), one.Add(t.Context(), &same),
			later.Join(t.Context(), one.Result())); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.Done.Mappings); n != 1 || len(later.Done.Mappings) != n || s.Done.Places[0].Turns == nil {
		t.Errorf("%d mappings, %d from stored points: %+v", n, len(later.Done.Mappings), s.Done.Mappings)
	}
}

package predict_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"xopt/configs"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// burstyApp joins what it split, which closed forms do not model completely.
const burstyApp = `#include "std.x"
block A { output UNSIGNED8[16] y; };
block S { input UNSIGNED8[16] x; output UNSIGNED8[16] y[2]; emit y[*]; };
block B { input UNSIGNED8[16] x; output UNSIGNED8[16] y; emit y; };
block Z { input UNSIGNED8[16] p[2]; join 4 p[*]; };
block top { A a; S s; B b[2]; Z z; raw: a.y -> s.x; split: s.y[*] -> b[*].x; back: b[*].y -> z.p[*]; };
use top;
resource p[2] is C;
resource m is bus ({ p }, bandwidth="400MB/s");
impl A on C (mu="200MB/s", scv=4);
impl S on C (mu="100MB/s", scv=1);
impl B on C (mu="300MB/s", scv=4);
impl Z on C (mu="500MB/s", scv=1);
`

// burstyMap is a map file that gives the size of one edge.
const burstyMap = `map { top.a, top.s, top.b[1] } to p[1];
map { top.b[2], top.z } to p[2];
buffer { top.raw } = 77;
`

// bursty returns the design of the application and its map file.
func bursty(t *testing.T) *design.Design {
	t.Helper()
	files := map[string]string{"a.x": burstyApp, "m.x": burstyMap}
	program, _, err := xlang.Load([]string{"a.x", "m.x"}, xlang.Options{Library: configs.Library(),
		ReadFile: func(path string) ([]byte, error) {
			if text, ok := files[path]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := design.New(program, design.Options{Purpose: design.ForMapping})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestVerified checks that the sizes are those of the full rule, which differ from closed forms here.
func TestVerified(t *testing.T) {
	ctx, d := context.Background(), bursty(t)
	closed, err := predict.Mapping(ctx, d, d.Mapping, flow.Fast{}, "m")
	if err != nil {
		t.Fatal(err)
	}
	got, err := predict.Verified(ctx, d, d.Mapping, flow.Fast{}, "m")
	if err != nil {
		t.Fatal(err)
	}
	sized, err := predict.Size(ctx, d, d.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	sized.Verify(closed)
	existing, differ := 0, 0
	again, err := predict.Mapping(ctx, d, d.Mapping, flow.Fast{}, "m")
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Queues {
		x, y, z := got.Queues[i].Recommended, closed.Queues[i].Recommended, again.Queues[i].Recommended
		if (x == nil) != (y == nil) || x != nil && *x != *y {
			t.Errorf("queue %d: %+v, want %+v", i, x, y)
		}
		if x != nil {
			existing++
			if z != nil && *z != *x {
				differ++
			}
		}
	}
	if existing == 0 || differ == 0 {
		t.Errorf("of %d sizes %d are not those of closed forms: the application tells nothing", existing, differ)
	}
}

// TestCompleteCode checks that the mapping in X has the recommended sizes and those of the map file, like a map file.
func TestCompleteCode(t *testing.T) {
	ctx, d := context.Background(), bursty(t)
	c, err := predict.Verified(ctx, d, d.Mapping, flow.Fast{}, "m")
	if err != nil {
		t.Fatal(err)
	}
	r := predict.Describe(d)
	r.Candidates = []result.Candidate{*c}
	if err := predict.Complete(ctx, ctx, r, []*design.Design{d}, []*flow.Mapping{d.Mapping}); err != nil {
		t.Fatal(err)
	}
	want := predict.MapSizes(d, d.Mapping, c)
	if len(want) != len(d.Program.Edges)-1 {
		t.Errorf("a map file gives %d sizes of %d edges, want all but one", len(want), len(d.Program.Edges))
	}
	want[d.Program.Buffers[0].Edge] = 77
	var text strings.Builder
	if err := d.WriteMapping(&text, d.Mapping, want, ""); err != nil {
		t.Fatal(err)
	}
	if got := r.Candidates[0].Code; got != text.String() || strings.Count(got, "buffer {") == 0 {
		t.Errorf("it is\n%s\nwant\n%s", got, text.String())
	}
}

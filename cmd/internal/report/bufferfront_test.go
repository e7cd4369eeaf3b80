package report_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/text"
	"xopt/configs"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// front returns a buffer front whose chosen sizes have at least the throughput low by other seeds.
func front(low, longer result.Number) *result.Result {
	f := &result.BufferFront{Level: "heuristic", Why: "times vary", Keep: .99, Bound: 829e6, Max: 734e6, Low: low,
		Seeds: 5,
		Seed:  1, Events: 400_000, Chosen: 1, Edges: []result.BufferSize{{Edge: "top.a", Elements: 20}},
		Points: []result.BufferPoint{{Memory: 10e3, Throughput: 727e6, Elements: []int{10}},
			{Memory: 20e3, Throughput: longer, Elements: []int{20}}}}
	if longer < 700e6 {
		f.Enlarged = 10e3
	}
	f.Longer = &result.LongerRun{Throughput: longer, Interval: &[2]result.Number{longer * .95, longer * 1.05},
		Events: 1_600_000, Seed: 1}
	return &result.Result{Candidates: []result.Candidate{{Throughput: 829e6, BufferFront: f}}}
}

// TestBufferFrontKeeps checks the statements on the chosen sizes. They name the throughput of which a part is kept.
// If other seeds do not confirm it, they claim neither that the sizes keep it nor that they are the least. Enlarged
// sizes are reported with the memory found first.
func TestBufferFrontKeeps(t *testing.T) {
	for _, x := range []struct {
		low, longer result.Number
		has, not    []string
	}{
		{730e6, 734e6, []string{"20 kB in total keep 99 % of the throughput with large buffers (734 MB/s)",
			"the simulated throughput with these sizes is 734 MB/s; simulation error ± 5 %,", "the least memory " +
				"found with seed 1"},
			[]string{"in total may not keep", "enlarged", "chosen;"}},
		{664e6, 670e6, []string{"20 kB in total may not keep 99 % of the throughput with large buffers (734 MB/s)",
			"the simulated throughput with these sizes is 670 MB/s, 91.3 % of the maximum; simulation error ± 5 %,",
			"xopt enlarged the sizes, because a longer simulation did not confirm the result of the search (10 kB)",
			"none of the sizes tried reliably keeps 99 %", "with 5 other seeds: at least 90.5 % of the maximum " +
				"throughput (95 % confidence)",
			"chosen; may not keep 99 %"}, []string{"in total keep", "found with seed", "is not enough"}},
	} {
		r := front(x.low, x.longer)
		var b bytes.Buffer
		if err := text.Write(&b, append(report.Terminal(r), report.Closing(r, nil)...),
			text.Style{}); err != nil {
			t.Fatal(err)
		}
		printed := b.String()
		for _, s := range x.has {
			if !strings.Contains(printed, s) {
				t.Errorf("low %g: %q is missing in\n%s", float64(x.low), s, printed)
			}
		}
		for _, s := range x.not {
			if strings.Contains(printed, s) {
				t.Errorf("low %g: %q is in\n%s", float64(x.low), s, printed)
			}
		}
	}
}

// TestBufferFrontAsEval checks that the longer simulation of the chosen sizes equals an evaluation with these sizes.
func TestBufferFrontAsEval(t *testing.T) {
	const source = `#include "std.x"
block A { output UNSIGNED8[16] y; };
block B { input UNSIGNED8[16] x; output UNSIGNED8[16] y; };
block Z { input UNSIGNED8[16] x; };
block top { A a; B b; Z z; a.y -> b.x; b.y -> z.x; };
use top;
resource p[2] is C;
resource m is bus ({ p }, bandwidth="1GB/s");
impl A on C (mu="30MB/s", scv=0);
impl B on C (mu="25MB/s", gain=1, scv=2);
impl Z on C (mu="40MB/s", scv=0);
map { top.a, top.z } to p[1];
map { top.b } to p[2];
`
	program, _, err := xlang.Load([]string{"a.x"}, xlang.Options{Library: configs.Library(),
		ReadFile: func(path string) ([]byte, error) {
			if path != "a.x" {
				return nil, os.ErrNotExist
			}
			return []byte(source), nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := design.New(program, design.Options{Purpose: design.ForMapping})
	if err != nil {
		t.Fatal(err)
	}
	sized, err := predict.Size(t.Context(), d, d.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	f, err := sized.BufferFront(t.Context(), buffers.FrontOptions{Events: 5000, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	d.Buffers = make(map[int]int)
	for e, n := range f.Points[f.Chosen].Elements {
		d.Buffers[e] = n
	}
	w, err := sized.WithBuffers(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	if f.Longer == nil || f.Longer.Throughput != w.Throughput || *f.Longer.Interval != *w.Interval ||
		f.Longer.Events != w.Events {
		t.Errorf("%+v of the chosen sizes, %+v when they are evaluated", f.Longer, w)
	}
}

// TestBuffersPageOpens checks that a page of buffers opens with the chosen memory and the throughput against memory,
// and gives no other total. A single point has no chart.
func TestBuffersPageOpens(t *testing.T) {
	r := front(730e6, 730e6)
	r.Candidates[0].Place = []result.Placement{{Kernel: "top.a", Resource: "core"}}
	p := report.Of(r)
	if f := p.Facts; f[0].Value != "20 kB" || f[1].Label != "Throughput" {
		t.Errorf("facts %q", f)
	}
	for _, f := range p.Facts {
		if f.Label == "Buffers" {
			t.Errorf("a second total: %q", f)
		}
	}
	parts := func() []report.Part {
		for _, s := range report.Of(r).Sections {
			if s.ID == "answer" {
				return s.Parts
			}
		}
		return nil
	}
	c := parts()[0].Chart
	if c == nil || c.ID != report.BufferFrontID || c.Series[0].Kind != report.Steps || len(c.Limits) != 1 {
		t.Fatalf("the page opens with %+v", c)
	}
	f := r.Candidates[0].BufferFront
	f.Points, f.Chosen = f.Points[1:], 0
	if x := parts()[0].Table; x == nil || x.ID != "buffer-sizes" {
		t.Errorf("with one point the page opens with %+v", parts()[0])
	}
}

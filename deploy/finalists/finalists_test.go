package finalists

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/configs"
	"xopt/deploy/validate"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper"
	"xopt/mapper/copies"
	"xopt/mapper/result"
)

// finalists returns mappings that differ in their first place.
func finalists(n int) []Finalist {
	list := make([]Finalist, n)
	for i := range list {
		list[i].Mapping = &flow.Mapping{Place: []int{i}}
		list[i].Candidate.Mapping = list[i].Mapping
	}
	return list
}

// TestSort checks the order of the candidates after a race: the ranked ones, then the others. Mappings whose kernels
// failed are omitted, unless no others remain.
func TestSort(t *testing.T) {
	list := finalists(4)
	for _, of := range []struct {
		name    string
		order   []int
		failed  []int
		maximum int
		want    []int
	}{
		{"ranked", []int{3, 1}, nil, 9, []int{3, 1, 0, 2}},
		{"at most one", []int{3, 1}, nil, 1, []int{3}},
		{"undecided", nil, nil, 9, []int{0, 1, 2}},
		{"a failure", []int{2}, []int{0, 3}, 9, []int{2, 1}},
		{"an undecided failure", nil, []int{0}, 9, []int{1, 2}},
		{"only failures", nil, []int{0, 1, 2, 3}, 9, []int{0, 1, 2}},
	} {
		x := &validate.Raced{Race: result.Race{Order: of.order}}
		var found []mapper.Candidate
		for i := range list {
			x.Cases = append(x.Cases, validate.Case{Mapping: list[i].Mapping, Faulted: slices.Contains(of.failed, i)})
			if i < 3 { // the last one was not a candidate of the search
				found = append(found, list[i].Candidate)
			}
		}
		var got []int
		for _, c := range Sort(x, list, found, of.maximum) {
			got = append(got, c.Mapping.Place[0])
		}
		if !slices.Equal(got, of.want) {
			t.Errorf("%s: %v, want %v", of.name, got, of.want)
		}
		if got := Sort(nil, nil, found, 2); len(got) != 2 || got[0].Mapping != found[0].Mapping {
			t.Errorf("without a race: %v", got)
		}
	}
}

// TestSelectFinalists checks that mappings with a reserved place race, and that the order stays.
func TestSelectFinalists(t *testing.T) {
	list := finalists(8)
	reserved := []*flow.Mapping{list[0].Mapping, list[7].Mapping, list[5].Mapping}
	var got []int
	for _, f := range selectFinalists(list, reserved, 4) {
		got = append(got, f.Mapping.Place[0])
	}
	if !slices.Equal(got, []int{0, 1, 5, 7}) {
		t.Errorf("got %v", got)
	}
}

// stateless is a chain on four cores whose second kernel may run in copies.
const stateless = `#include "std.x"
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

// TestFinalists checks that mappings of each structure race: with copies, without, and on one core, each once.
func TestFinalists(t *testing.T) {
	p, _, err := xlang.Load([]string{"a.x"}, xlang.Options{Library: configs.Library(),
		ReadFile: func(path string) ([]byte, error) {
			if path == "a.x" {
				return []byte(stateless), nil
			}
			return nil, os.ErrNotExist
		}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := design.New(p, design.Options{Purpose: design.ForSearch})
	if err != nil {
		t.Fatal(err)
	}
	found, err := mapper.Search(t.Context(), d.Problem, d.Constraints, mapper.Options{Seed: 1, MaxEvals: 1000, Top: 8})
	if err != nil {
		t.Fatal(err)
	}
	x, err := copies.Improve(t.Context(), d, found, copies.Policy{
		Lower: func(_ context.Context, p *xlang.Program) (*design.Design, error) {
			q, err := design.Copied(p, design.ForCheck)
			if err != nil {
				return nil, err
			}
			return design.New(q, design.Options{Purpose: design.ForCheck})
		}})
	if err != nil || x.Copied == nil {
		t.Fatalf("no copies: %v", err)
	}
	list, err := Select(found.Candidates, x, 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var of []string
	for _, f := range list {
		of = append(of, f.Structure)
		if copied := strings.HasPrefix(f.Structure, "copies of top.f"); copied != (f.Design != nil) ||
			copied != (f.Mapping == x.Copied.Mapping) || copied && f.Design != x.DesignOf(f.Mapping) {
			t.Errorf("%s: %s has another design", f.Name, f.Structure)
		}
	}
	count := func(part string) (n int) {
		for _, s := range of {
			if strings.Contains(s, part) {
				n++
			}
		}
		return n
	}
	if len(list) > validate.RaceSize(30*time.Second) || count("copies") != 1 || count("1 core") != 1 || len(list) < 3 {
		t.Errorf("finalists %q", of)
	}
	if err := Check(d); err == nil {
		t.Error("blocks without sources race")
	}
}

package xlang

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPathIndex compares the results of references with a search of every name.
func TestPathIndex(t *testing.T) {
	e := &elaborator{program: &Program{}}
	index := newPathIndex()
	var all []pathEntry
	add := func(name string, indices ...int) {
		index.add(name, len(all), true)
		all = append(all, pathEntry{indices: indices, item: len(all)})
	}
	for i := 1; i <= 5; i++ {
		for j := 1; j <= 7; j++ {
			add(fmt.Sprintf("top.a[%d].b[%d].c", i, j), 0, i, j, 0)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	number := func(n int) *expr { s := fmt.Sprint(n); return &expr{Head: term{Head: factor{Number: &s}}} }
	for range 2000 {
		r := &ref{}
		ranges := make([]indexRange, 4)
		for i, name := range []string{"top", "a", "b", "c"} {
			s := segment{Name: name}
			ranges[i] = indexRange{0, maxArray}
			lo, hi := rng.IntN(9), rng.IntN(9)
			switch rng.IntN(6) {
			case 0:
				s.Index, ranges[i] = &indexOf{Lo: number(lo)}, indexRange{max(1, lo), lo}
			case 1, 2:
				s.Index, ranges[i] = &indexOf{Lo: number(lo), Hi: number(hi)}, indexRange{max(1, lo), hi}
			case 3:
				s.Index, ranges[i] = &indexOf{All: true}, indexRange{1, maxArray}
			}
			r.Segments = append(r.Segments, s)
		}
		var want []int
		for _, entry := range all {
			if matches(ranges, entry) {
				want = append(want, entry.item)
			}
		}
		got, _ := index.find(e, r)
		if !slices.Equal(got, want) {
			t.Fatalf("%s finds %v, want %v", r, got, want)
		}
	}
	// The work is proportional to the results: an array can be mapped element by element.
	if e.work > 2000*len(all) {
		t.Errorf("%d things were looked at", e.work)
	}
}

type indexOf = index

// TestLoops: the kernels of a loop are those that reach each other, according to a transitive closure.
func TestLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		n := 1 + rng.IntN(8)
		p := &Program{Kernels: make([]Kernel, n)}
		reaches := make([][]bool, n)
		for k := range reaches {
			reaches[k] = make([]bool, n)
		}
		for range rng.IntN(2 * n) {
			e := Edge{From: rng.IntN(n), To: rng.IntN(n)}
			p.Edges, reaches[e.From][e.To] = append(p.Edges, e), true
		}
		for via := range n {
			for from := range n {
				for to := range n {
					reaches[from][to] = reaches[from][to] || reaches[from][via] && reaches[via][to]
				}
			}
		}
		var want [][]int
		for k := range n {
			var loop []int
			for other := range n {
				if reaches[k][other] && reaches[other][k] {
					loop = append(loop, other)
				}
			}
			if len(loop) > 0 && loop[0] == k {
				want = append(want, loop)
			}
		}
		if got := p.Loops(); !slices.EqualFunc(got, want, slices.Equal[[]int]) {
			t.Fatalf("edges %v: loops %v, want %v", p.Edges, got, want)
		}
	}
}

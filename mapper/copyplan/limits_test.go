package copyplan

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"
)

// indivisible returns tasks without copies on equal cores, with no plan whose load is near the simple bound.
func indivisible(tasks, cores int) *Problem {
	p := &Problem{Copyable: make([]bool, tasks)}
	for range tasks {
		work := make([]float64, cores)
		for c := range work {
			work[c] = 10
		}
		p.Work = append(p.Work, work)
	}
	return p
}

// TestMemoryOfNodes checks that a branch and bound whose nodes need too much memory drops them, and that its bound
// remains valid: 7 tasks of 10 on 3 cores have a load of 30.
func TestMemoryOfNodes(t *testing.T) {
	for _, room := range []int{4, 30, maxDecisions} {
		b := newBranching(newRelaxation(indivisible(7, 3)), func([]float64) {})
		b.room = room
		if b.run(t.Context(), func() float64 { return 40 }, math.MaxUint64) {
			t.Errorf("room for %d decisions: nodes are left without a limit", room)
		}
		stored := 0
		for _, n := range b.open {
			stored += len(n.decisions) + 1
		}
		if got := b.bound(40); got > 30 || got < 23 || stored > room {
			t.Errorf("room for %d decisions: bound %g, %d stored", room, got, stored)
		}
	}
}

// TestMemoryOfPacking checks that the proof of a bound stores no more failed nodes than its memory permits, and
// remains correct: 13 tasks of 10 on 3 cores need a load of 50.
func TestMemoryOfPacking(t *testing.T) {
	p := indivisible(13, 3)
	for i := range p.Work {
		for c := range p.Work[i] {
			p.Work[i][c] += float64(i) / 1000
		}
	}
	for _, keys := range []int{20, 100, 10000} {
		x := newPacking(p)
		const key = 2 + 3*5 // bytes: the task, and each core's load
		x.memory = keys * (key + keyBytes)
		if x.impossible(t.Context(), 60, 1e6) || len(x.seen) > keys {
			t.Errorf("memory for %d keys: a load of 60 is impossible, or %d keys", keys, len(x.seen))
		}
		if !x.impossible(t.Context(), 49, 1e6) || len(x.seen) > keys {
			t.Errorf("memory for %d keys: a load of 49 is possible, or %d keys", keys, len(x.seen))
		}
		if keys == 20 && len(x.seen) < keys || keys == 10000 && len(x.seen) < 100 {
			t.Errorf("only %d failed nodes: the test has lost its power", len(x.seen))
		}
	}
}

// TestTightenEnds checks that the effort for the bound of whole tasks does not grow without limit.
func TestTightenEnds(t *testing.T) {
	for _, c := range []struct {
		failed int
		raised bool
	}{{0, true}, {maxTighten - 1, true}, {2*maxTighten - 1, false}, {math.MaxInt - 1, false}} {
		x := &annealing{p: indivisible(7, 3), best: value{maximum: 30}}
		x.tighten(t.Context(), c.failed)
		if x.bound > 0 != c.raised {
			t.Errorf("after %d annealings: bound %g", c.failed+1, x.bound)
		}
	}
}

// TestSearchEnds checks that a search of a small problem ends without a proof and without a limit of restarts, if
// branch and bound has no node left. The turns of the copies that exchange data prevent the proof.
func TestSearchEnds(t *testing.T) {
	carried := []float64{128}
	p := &Problem{Copyable: []bool{true, true}, Links: 1, Work: [][]float64{{81, 116}, {75, 90}},
		Edges: []Edge{{From: 0, To: 1, Carried: carried}}, Routes: slices.Repeat([][]int{{0}}, 4)}
	done := make(chan [2]float64)
	go func() {
		plans, bound, err := Search(t.Context(), p, Options{Restarts: math.MaxInt, Seed: 1})
		if err == nil {
			done <- [2]float64{plans[0].Load, bound.Load}
		}
	}()
	select {
	case got := <-done:
		if got[0] <= got[1]*(1+boundPrecision) {
			t.Errorf("load %g, bound %g: want no proof", got[0], got[1])
		}
	case <-time.After(2 * time.Minute):
		t.Error("the search does not end")
	}
}

// TestRelaxedBound checks that a bound reports whether the relaxation contributed: not if the problem is too large for
// it, nor if no time remained.
func TestRelaxedBound(t *testing.T) {
	late, cancel := context.WithCancel(t.Context())
	cancel()
	for i, c := range []struct {
		ctx          context.Context
		tasks, cores int
		want         bool
	}{{t.Context(), 5, 2, true}, {t.Context(), 300, 2, false}, {late, 5, 2, false}} {
		_, bound, _ := Search(c.ctx, indivisible(c.tasks, c.cores), Options{})
		if bound.Relaxed != c.want || bound.Load < 9.999*float64(c.tasks)/float64(c.cores) {
			t.Errorf("case %d: %+v, want %v", i, bound, c.want)
		}
	}
}

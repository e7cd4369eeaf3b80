package sdf

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// stuijk returns the example of Stuijk, Geilen and Basten 2006, Fig. 1: rates 2:3 and 1:2, times 1, 2, 2.
func stuijk() *Graph {
	return &Graph{
		Actors: []Actor{{"a", 1, 1}, {"b", 2, 1}, {"c", 2, 1}},
		Channels: []Channel{{Name: "alpha", From: 0, To: 1, Produced: 2, Consumed: 3},
			{Name: "beta", From: 1, To: 2, Produced: 1, Consumed: 2}},
	}
}

// TestFrontPaper compares the front of the published example with the paper's Fig. 5: 6, 8, 9 and 10 tokens for 1/7,
// 1/6, 1/5 and 1/4 iterations per time step.
func TestFrontPaper(t *testing.T) {
	front, err := stuijk().Front(context.Background(), FrontOptions{})
	if err != nil || !front.Exact {
		t.Fatal(front, err)
	}
	want := []struct{ memory, time int64 }{{6, 7}, {8, 6}, {9, 5}, {10, 4}}
	if len(front.Points) != len(want) {
		t.Fatalf("%d points: %+v", len(front.Points), front.Points)
	}
	for i, p := range front.Points {
		if p.Memory != want[i].memory || p.Period != (Period{want[i].time, 1}) {
			t.Errorf("point %d: %d tokens for %v, want %+v", i, p.Memory, p.Period, want[i])
		}
	}
}

func TestRepetition(t *testing.T) {
	q, err := stuijk().Repetition()
	if err != nil || q[0] != 3 || q[1] != 2 || q[2] != 1 {
		t.Fatal(q, err)
	}
	g := stuijk()
	g.Channels = append(g.Channels, Channel{Name: "gamma", From: 0, To: 2, Produced: 1, Consumed: 1})
	_, err = g.Repetition()
	var bad *InconsistentError
	if !errors.As(err, &bad) || bad.Channel != "gamma" || !strings.Contains(err.Error(),
		"firings of a and c in the ratio 3 : 1") {
		t.Fatal(err)
	}
	long := &Graph{Actors: make([]Actor, 60)}
	for a := range 59 {
		long.Channels = append(long.Channels, Channel{Name: "e", From: a, To: a + 1, Produced: 997, Consumed: 1})
	}
	if _, err := long.Repetition(); !errors.Is(err, ErrTooLarge) {
		t.Fatal(err)
	}
}

// TestPlayMessage plays a join of 1 and 100 after a split, as in a mapping whose buffers are too small.
func TestPlayMessage(t *testing.T) {
	g := &Graph{
		Actors: []Actor{{Name: "top.s", Concurrent: 1}, {Name: "top.a", Concurrent: 1}, {Name: "top.b", Concurrent: 1}},
		Channels: []Channel{{Name: "e0", From: 0, To: 1, Produced: 1, Consumed: 1, Capacity: 4},
			{Name: "e1", From: 0, To: 2, Produced: 1, Consumed: 100, Capacity: 14},
			{Name: "e2", From: 1, To: 2, Produced: 1, Consumed: 100, Capacity: 200}},
	}
	stuck, err := g.Play()
	want := "top.s waits for space on e1 (full, 14 of 14 elements), top.b waits for 100 elements on e1 (contains 14)"
	if err != nil || stuck == nil || stuck.Error() != want {
		t.Fatalf("got %v, %v; want %s", stuck, err, want)
	}
	sizes, err := g.MinSizes(MinOptions{})
	if err != nil || !sizes.Exact || sizes.Capacities[0] != 1 || sizes.Capacities[1] != 100 ||
		sizes.Capacities[2] != 100 {
		t.Fatal(sizes, err)
	}
	if stuck, err := g.With(sizes.Capacities).Play(); stuck != nil || err != nil {
		t.Fatal(stuck, err)
	}
}

// TestThroughputTwins compares the throughput of random graphs, with capacities and without, with two references: an
// execution event by event, and the maximum cycle mean of the graph with an arc for every token.
func TestThroughputTwins(t *testing.T) {
	live, bounded := 0, 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := randomGraph(r, 2+r.IntN(4), r.IntN(4), 5)
		q, err := g.Repetition()
		if err != nil {
			t.Fatal(seed, err)
		}
		p, cycle, err := g.Throughput()
		var stuck *Stuck
		if errors.As(err, &stuck) {
			if !stuck.Empty() {
				t.Fatal(seed, "no room without capacities: ", stuck)
			}
			continue
		}
		if err != nil {
			t.Fatal(seed, err)
		}
		live++
		checkRate(t, seed, "without capacities", p.Rate(), 1/twinCycleMean(g, q))
		if len(cycle) == 0 {
			t.Fatal(seed, "no critical cycle")
		}
		sizes, err := g.MinSizes(MinOptions{})
		if err != nil || !sizes.Exact {
			t.Fatal(seed, sizes, err)
		}
		for i := range sizes.Capacities {
			sizes.Capacities[i] += r.Int64N(3) * r.Int64N(5)
		}
		tight := g.With(sizes.Capacities)
		p, _, err = tight.Throughput()
		if err != nil {
			t.Fatal(seed, err)
		}
		bounded++
		checkRate(t, seed, "cycle mean", p.Rate(), 1/twinCycleMean(tight, q))
		if twin := twinExplore(tight, q); twin != p {
			t.Fatalf("seed %d: %v, by exploration %v", seed, p, twin)
		}
	}
	if live < 500 || bounded < 500 {
		t.Errorf("only %d and %d graphs", live, bounded)
	}
}

func checkRate(t *testing.T, seed uint64, what string, got, want float64) {
	t.Helper()
	if got != want && !(math.Abs(got-want) <= 1e-9*want) {
		t.Fatalf("seed %d, %s: %v, want %v", seed, what, got, want)
	}
}

// bruteFront tries all capacities within limits.
func bruteFront(g *Graph, q []int64, maximum Period, low, high []int64) []Point {
	var all Front
	best := make(map[int64]Point) // of each memory
	largest := int64(0)
	sizes := append([]int64(nil), low...)
	for {
		p := Point{Capacities: append([]int64(nil), sizes...), Memory: g.Memory(sizes),
			Period: twinExplore(g.With(sizes), q)}
		if b, ok := best[p.Memory]; !ok || b.Period.Less(p.Period) {
			best[p.Memory] = p
		}
		largest = max(largest, p.Memory)
		i := 0
		for ; i < len(sizes); i++ {
			if sizes[i]++; sizes[i] <= high[i] {
				break
			}
			sizes[i] = low[i]
		}
		if i == len(sizes) {
			break
		}
	}
	for m := range largest + 1 {
		if p, ok := best[m]; ok && p.Period.Iterations > 0 {
			all.add(p)
		}
		if n := len(all.Points); n > 0 && !all.Points[n-1].Period.Less(maximum) {
			break
		}
	}
	return all.Points
}

// TestFrontBrute compares the front and the smallest sizes of small random graphs with an exhaustive search.
func TestFrontBrute(t *testing.T) {
	tried, points := 0, 0
	for seed := uint64(0); tried < 60; seed++ {
		r := rand.New(rand.NewPCG(seed, 9))
		g := randomGraph(r, 2+r.IntN(2), r.IntN(3), 3)
		front, err := g.Front(context.Background(), FrontOptions{})
		if err != nil || len(g.Channels) > 3 {
			continue
		}
		if !front.Exact {
			t.Fatal(seed, "cut short")
		}
		// No channel on the front needs more than the largest memory allows.
		last := front.Points[len(front.Points)-1]
		low, high, count := make([]int64, len(g.Channels)), make([]int64, len(g.Channels)), 1.0
		for i := range g.Channels {
			c := &g.Channels[i]
			low[i] = max(1, c.Initial)
			high[i] = last.Memory / max(1, c.Bytes)
			count *= float64(high[i] - low[i] + 1)
		}
		if count > 20_000 {
			continue
		}
		tried++
		q, _ := g.Repetition()
		want := bruteFront(g, q, front.Max, low, high)
		if len(want) != len(front.Points) {
			t.Fatalf("seed %d: %d points, by trying all %d", seed, len(front.Points), len(want))
		}
		for i, p := range front.Points {
			points++
			if p.Memory != want[i].Memory || p.Period != want[i].Period {
				t.Fatalf("seed %d: %+v, by trying all %+v", seed, p, want[i])
			}
		}
		minimum, err := g.MinSizes(MinOptions{})
		if err != nil || minimum.Memory != want[0].Memory {
			t.Fatalf("seed %d: least %+v, %v; by trying all %+v", seed, minimum, err, want[0])
		}
	}
	if points < 100 {
		t.Errorf("only %d points", points)
	}
}

// TestLeastCutShort checks that sizes from a search that was cut short keep the graph live and are marked as not
// proven.
func TestLeastCutShort(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := randomGraph(r, 6, 4, 5)
		exact, err := g.MinSizes(MinOptions{})
		if err != nil {
			continue
		}
		short, err := g.MinSizes(MinOptions{Evals: 1})
		if err != nil || short.Memory < exact.Memory || short.Exact && short.Memory != exact.Memory {
			t.Fatal(seed, short, err)
		}
		if stuck, err := g.With(short.Capacities).Play(); stuck != nil || err != nil {
			t.Fatal(seed, stuck, err)
		}
	}
}

// TestNoBound checks that an actor without a limit on concurrent firings has an unbounded throughput.
func TestNoBound(t *testing.T) {
	g := stuijk()
	for i := range g.Actors {
		g.Actors[i].Concurrent = 0
	}
	p, cycle, err := g.Throughput()
	if err != nil || !math.IsInf(p.Rate(), 1) || cycle != nil {
		t.Fatal(p, cycle, err)
	}
	// With a cycle of its own, the slowest part counts.
	g.Channels = append(g.Channels, Channel{Name: "loop", From: 2, To: 2, Produced: 1, Consumed: 1, Initial: 2})
	if p, _, err = g.Throughput(); err != nil || p != (Period{1, 1}) {
		t.Fatal(p, err)
	}
}

// tenKernels draws graphs of 10 actors, one instance each, and 12 channels, with branches, joins and loops.
func tenKernels() []*Graph {
	var all []*Graph
	for seed := uint64(0); len(all) < 50; seed++ {
		g := randomGraph(rand.New(rand.NewPCG(seed, 77)), 10, 3, 4)
		for a := range g.Actors {
			g.Actors[a].Concurrent = 1
		}
		if stuck, err := g.Play(); stuck == nil && err == nil {
			all = append(all, g)
		}
	}
	return all
}

// TestFrontTen checks that the fronts of graphs with 10 actors are complete.
func TestFrontTen(t *testing.T) {
	for i, g := range tenKernels() {
		front, err := g.Front(context.Background(), FrontOptions{})
		if err != nil || !front.Exact {
			t.Fatalf("graph %d: %+v, %v", i, front, err)
		}
		last := front.Points[len(front.Points)-1]
		if last.Period != front.Max {
			t.Errorf("graph %d: the front ends at %v, the most is %v", i, last.Period, front.Max)
		}
		keep, err := g.Front(context.Background(), FrontOptions{Keep: 0.9, Floor: front.Points[0].Capacities})
		if err != nil || keep.Points[0].Memory != front.Points[0].Memory ||
			keep.Points[len(keep.Points)-1].Period.Rate() < 0.9*front.Max.Rate() {
			t.Errorf("graph %d: %+v, %v", i, keep, err)
		}
	}
}

// BenchmarkFront10 explores the complete fronts of graphs with 10 actors; slowest is the maximum time of a graph.
func BenchmarkFront10(b *testing.B) {
	graphs := tenKernels()
	b.ReportAllocs()
	slowest, evals, rounds := time.Duration(0), 0, 0
	for b.Loop() {
		for _, g := range graphs {
			start := time.Now()
			front, err := g.Front(context.Background(), FrontOptions{})
			if err != nil || !front.Exact {
				b.Fatal(front, err)
			}
			slowest = max(slowest, time.Since(start))
			evals += front.Evals
		}
		rounds++
	}
	b.ReportMetric(float64(slowest.Milliseconds()), "slowest-ms")
	b.ReportMetric(float64(evals)/float64(rounds*len(graphs)), "evals/graph")
}

// TestFrontWork checks that a front that was cut short is exact up to its end and marked as incomplete. Without any
// work it is empty, and with more work it has the same points and more.
func TestFrontWork(t *testing.T) {
	complete, err := stuijk().Front(context.Background(), FrontOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stuijk().Front(context.Background(), FrontOptions{Work: 1}); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	last, cut := 0, false
	for work := int64(100); last < len(complete.Points); work += 100 {
		front, err := stuijk().Front(context.Background(), FrontOptions{Work: work})
		if errors.Is(err, ErrTooLarge) {
			continue
		}
		if err != nil || len(front.Points) < last || front.Exact && len(front.Points) < len(complete.Points) {
			t.Fatalf("work %d: %+v, %v", work, front, err)
		}
		for i, p := range front.Points {
			if p.Memory != complete.Points[i].Memory || p.Period != complete.Points[i].Period {
				t.Errorf("work %d, point %d: %+v, want %+v", work, i, p, complete.Points[i])
			}
		}
		last, cut = len(front.Points), cut || !front.Exact
	}
	if !cut {
		t.Error("no work was too little")
	}
}

package flow

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// closedApplication draws kernels without sources. Each passes single elements, in turns over its outputs, to
// kernels that accept elements from any input.
func closedApplication(r *rand.Rand, kernels int) Application {
	app := Application{Name: "closed"}
	for k := range kernels {
		app.Kernels = append(app.Kernels, Kernel{Name: string(rune('a' + k)), Gain: 1})
		to := []int{(k + 1) % kernels}
		for range r.IntN(3) {
			to = append(to, r.IntN(kernels))
		}
		for i, t := range to {
			e := Edge{Name: fmt.Sprintf("e%d", len(app.Edges)), From: k, To: t, FromPort: fmt.Sprintf("y%d", i),
				ToPort: fmt.Sprintf("x%d", len(app.Edges)), ElementBytes: 1, Routing: 1 / float64(len(to))}
			if t <= k {
				e.Initial = 1 + r.IntN(2)
			}
			app.Edges = append(app.Edges, e)
		}
	}
	return app
}

// circulate simulates a closed application whose kernels serve elements in order of arrival, and returns the
// number of firings of the first kernel.
func circulate(app *Application, service []float64, firings int) float64 {
	queue := make([]int, len(app.Kernels))
	free := make([]float64, len(app.Kernels)) // when each is done
	busy := make([]bool, len(app.Kernels))
	turn := make([]int, len(app.Kernels))
	for _, e := range app.Edges {
		queue[e.To] += e.Initial
	}
	out := NewGraph(app).Out
	now, count, began := 0.0, 0, 0.0
	for {
		for k := range queue {
			if !busy[k] && queue[k] > 0 {
				queue[k]--
				busy[k], free[k] = true, now+service[k]
			}
		}
		next := -1
		for k := range busy {
			if busy[k] && (next < 0 || free[k] < free[next]) {
				next = k
			}
		}
		now, busy[next] = free[next], false
		e := app.Edges[out[next][turn[next]%len(out[next])]]
		turn[next]++
		queue[e.To]++
		if next != 0 {
			continue
		}
		if count++; count == firings/2 {
			began = now
		}
		if count == firings {
			return float64(firings-firings/2) / (now - began)
		}
	}
}

// TestCrowds: no closed loop is faster than its initial elements allow, and one with a single element is as fast.
func TestCrowds(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	alone, limited := 0, 0
	for i := range 400 {
		kernels := 2 + r.IntN(5)
		app := closedApplication(r, kernels)
		single := i%2 == 0
		if single { // all cycles pass the first kernel
			for e := range app.Edges {
				edge := &app.Edges[e]
				if edge.To <= edge.From {
					edge.To = 0
				}
				edge.Initial = 0
				if edge.To == 0 && edge.Routing > 0 {
					edge.Initial = 1
				}
			}
		}
		flows, err := NewFlows(&app, 1e-9)
		if err != nil {
			t.Fatal(err)
		}
		service := make([]float64, kernels)
		p := &Problem{Application: app, Architecture: Architecture{Resources: cores(Conserving, kernels)},
			MaxUtilization: 1, JoinTolerance: 1e-9}
		p.Architecture.Links = []Link{{Name: "net", Bandwidth: math.Inf(1)}}
		m := &Mapping{}
		for k := range kernels {
			service[k] = 1 + float64(r.IntN(8))
			row := make([]Figures, kernels)
			for x := range row {
				row[x] = Figures{Available: true, ServiceRate: 1 / service[k]}
			}
			p.Figures = append(p.Figures, row)
			p.Architecture.Links[0].Endpoints = append(p.Architecture.Links[0].Endpoints, k)
			m.Place = append(m.Place, k)
		}
		n, err := NewNetwork(p, m)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		bound, checked := n.Firings(s, 0), 0
		for _, e := range app.Edges {
			checked += e.Initial
		}
		truth := circulate(&app, service, 20000)
		if truth > bound*1.001 {
			t.Fatalf("%d: the bound is %g, and it fires %g times a second; %s limits", i, bound, truth, s.Limiting(n))
		}
		if len(flows.circles) > 0 && flows.circles[len(flows.circles)-1].crowd != nil {
			if strings.HasPrefix(s.Limiting(n)[0], "loop of ") {
				limited++
			}
			if checked == 1 {
				alone++
				if truth < bound*0.999 {
					t.Fatalf("%d: the bound is %g, but it fires %g times a second", i, bound, truth)
				}
			}
		}
		scorer, err := NewScorer(p, m)
		if err != nil {
			t.Fatal(err)
		}
		if got := scorer.Throughput(); !near(got, s.Throughput, 0) {
			t.Fatalf("%d: scorer %.15g, network %.15g", i, got, s.Throughput)
		}
	}
	if alone < 10 || limited < 30 {
		t.Errorf("%d crowds of one, %d loops limit", alone, limited)
	}
}

package copyplan

import (
	"math"
	"math/rand/v2"
	"testing"
)

// random returns a random problem with costs on cores and links.
func random(r *rand.Rand, tasks, cores int) *Problem {
	p := &Problem{Links: 2}
	for t := range tasks {
		var work, shared []float64
		var outside [][]LinkLoad
		for range cores {
			w := 1 + 20*r.Float64()
			work, shared = append(work, w), append(shared, w*(1+0.2*r.Float64()))
			outside = append(outside, []LinkLoad{{r.IntN(2), r.Float64()}})
		}
		p.Work, p.Shared = append(p.Work, work), append(p.Shared, shared)
		p.Outside = append(p.Outside, outside)
		p.Copyable = append(p.Copyable, r.IntN(3) > 0)
		for from := range t {
			if from == t-1 || r.IntN(4) == 0 {
				loads := func(n int) []float64 {
					var list []float64
					for range n {
						list = append(list, 5*r.Float64())
					}
					return list
				}
				p.Edges = append(p.Edges, Edge{from, t, loads(cores), loads(cores), loads(2), loads(2), loads(2)})
			}
		}
	}
	for c := range cores * cores {
		p.Routes = append(p.Routes, [][]int{{0}, {1}, {0, 1}}[c%3])
	}
	return p
}

// batches computes the greatest load by following each batch of a stream through a plan.
func batches(p *Problem, units []Unit) float64 {
	all, unit, rounds := 1, make([]int, len(p.Work)), make([][]int, len(units))
	tasks := make([]int, p.cores())
	for u := range units {
		rounds[u] = roundOf(units[u].Copies)
		all = all / divisor(all, len(rounds[u])) * len(rounds[u])
		for _, t := range units[u].Tasks {
			unit[t] = u
		}
		for _, c := range units[u].Copies {
			tasks[c.Core] += len(units[u].Tasks)
		}
	}
	cores, links := make([]float64, p.cores()), make([]float64, p.Links)
	for b := range all {
		core := func(t int) int { return units[unit[t]].Copies[rounds[unit[t]][b%len(rounds[unit[t]])]].Core }
		for t := range p.Work {
			c := core(t)
			if tasks[c] > 1 {
				cores[c] += p.Shared[t][c]
			} else {
				cores[c] += p.Work[t][c]
			}
			for _, l := range p.Outside[t][c] {
				links[l.Link] += l.Load
			}
		}
		for _, e := range p.Edges {
			from, to := core(e.From), core(e.To)
			if from == to {
				continue
			}
			route := p.Routes[from*p.cores()+to]
			cores[from] += e.Send[from] + e.Sends[route[0]]
			cores[to] += e.Receive[to] + e.Receives[route[len(route)-1]]
			for _, l := range route {
				links[l] += e.Carried[l]
			}
		}
	}
	maximum := 0.0
	for _, l := range append(cores, links...) {
		maximum = math.Max(maximum, l/float64(all))
	}
	return maximum
}

// TestChanges makes random changes, takes some back, and compares the loads with those of single batches.
func TestChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(39, 1))
	for range 60 {
		p := random(r, 2+r.IntN(5), 2+r.IntN(3))
		s := newState(p, single(p.greedy()))
		for range 40 {
			before := s.units()
			s.mark()
			if !s.random(r) {
				continue
			}
			if r.IntN(3) == 0 {
				s.undo()
				if got := s.units(); len(got) != len(before) {
					t.Fatalf("undone: %v, before %v", got, before)
				}
			}
			rounds := 1
			for _, u := range s.units() {
				rounds *= len(roundOf(u.Copies))
			}
			if rounds > 1e5 {
				break
			}
			if got, want := s.value(1).maximum, batches(p, s.units()); math.Abs(got-want) > 1e-9*want {
				t.Fatalf("load %g of %+v, by single batches %g", got, s.units(), want)
			}
		}
	}
}

// eachPlan calls visit with every plan whose units have copies with at most 3 turns each.
func eachPlan(p *Problem, visit func(units []Unit)) {
	var sets func(t int, groups [][]int)
	var place func(groups [][]int, units []Unit)
	place = func(groups [][]int, units []Unit) {
		if len(units) == len(groups) {
			visit(units)
			return
		}
		tasks := groups[len(units)]
		var choose func(core int, list []Copy)
		choose = func(core int, list []Copy) {
			if core == p.cores() {
				if len(list) == 1 && list[0].Turns > 1 || len(list) == 0 || len(list) > 1 && !p.copyable(tasks) {
					return
				}
				place(groups, append(units[:len(units):len(units)], Unit{tasks, list}))
				return
			}
			choose(core+1, list)
			for turns := 1; turns <= 3; turns++ {
				choose(core+1, append(list[:len(list):len(list)], Copy{core, turns}))
			}
		}
		choose(0, nil)
	}
	sets = func(t int, groups [][]int) {
		if t == len(p.Work) {
			place(groups, nil)
			return
		}
		for g := range groups {
			next := append([][]int(nil), groups...)
			next[g] = append(groups[g][:len(groups[g]):len(groups[g])], t)
			sets(t+1, next)
		}
		sets(t+1, append(groups[:len(groups):len(groups)], []int{t}))
	}
	sets(0, nil)
}

// TestEveryPlan compares the search with the enumeration of all plans with short rounds, for problems with costs on
// cores and links, and checks that no plan is below the bounds.
func TestEveryPlan(t *testing.T) {
	r := rand.New(rand.NewPCG(39, 2))
	worse, n := 0, 40
	for range n {
		p := random(r, 2+r.IntN(2), 2)
		best := math.Inf(1)
		eachPlan(p, func(units []Unit) { best = math.Min(best, batches(p, units)) })
		plans, bound, err := Search(t.Context(), p, Options{Restarts: 3, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		switch got := plans[0].Load; {
		case got > best*1.03:
			t.Errorf("load %g of %+v, but a plan has %g", got, plans[0].Units, best)
		case got > best*1.005:
			worse++
		}
		if bound.Load > math.Min(best, plans[0].Load)*(1+1e-6) {
			t.Errorf("bound %g, but a plan has %g", bound.Load, math.Min(best, plans[0].Load))
		}
	}
	if worse > n/50 {
		t.Errorf("%d of %d are more than 0.5 %% above the best plan", worse, n)
	}
}

// TestTighten compares the bound with the least load of problems whose best distribution of whole tasks is known by
// enumeration: it is never above it, and within its precision without divisible tasks.
func TestTighten(t *testing.T) {
	r := rand.New(rand.NewPCG(39, 3))
	for range 200 {
		tasks, cores := 2+r.IntN(5), 2+r.IntN(2)
		p := &Problem{Copyable: make([]bool, tasks)}
		for range tasks {
			a, b := 1+math.Floor(30*r.Float64()), 1+math.Floor(60*r.Float64())
			row := []float64{a, b, b}
			p.Work = append(p.Work, row[:cores])
		}
		best := math.Inf(1)
		load := make([]float64, cores)
		var place func(t int)
		place = func(t int) {
			if t == tasks {
				maximum := 0.0
				for _, l := range load {
					maximum = math.Max(maximum, l)
				}
				best = math.Min(best, maximum)
				return
			}
			for c := range load {
				load[c] += p.Work[t][c]
				place(t + 1)
				load[c] -= p.Work[t][c]
			}
		}
		place(0)
		if got := p.Tighten(t.Context(), best*1.2, boundNodes); got > best*(1+1e-6) || got < best*(1-2*boundPrecision) {
			t.Errorf("bound %g, want %g", got, best)
		}
	}
}

// TestCopiesOfChains checks two problems in which the best plan is two changes away from the best plan without copies.
func TestCopiesOfChains(t *testing.T) {
	bus := &Problem{Work: [][]float64{{95, 143}, {49, 70}}, Copyable: []bool{true, true}, Links: 1,
		Edges: []Edge{{From: 0, To: 1, Carried: []float64{200}}}, Routes: [][]int{nil, {0}, {0}, nil}}
	free := &Problem{Work: [][]float64{{88, 88}, {19, 19}, {89, 89}}, Copyable: []bool{false, false, true}}
	for _, c := range []struct {
		p       *Problem
		maximum float64
	}{{bus, 86.5}, {free, 98.2}} {
		plans, _, err := Search(t.Context(), c.p, Options{Restarts: 3, Seed: 1})
		if err != nil || plans[0].Load > c.maximum {
			t.Errorf("load %g of %+v (%v), want at most %g", plans[0].Load, plans[0].Units, err, c.maximum)
		}
	}
}

// divisor returns the greatest common divisor.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

package opponents

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"xopt/bench/arena"
	"xopt/internal/testkit"
)

// check reports a placement that breaks a rule of the cost model.
func check(t *testing.T, p *arena.Problem, placement arena.Placement) {
	t.Helper()
	if len(placement) != len(p.Tasks) {
		t.Fatalf("%s: %d tasks are placed, want %d", p.Name, len(placement), len(p.Tasks))
	}
	for i, shares := range placement {
		sum, seen := 0.0, make(map[int]bool)
		for _, s := range shares {
			if s.Core < 0 || s.Core >= len(p.Cores) || seen[s.Core] {
				t.Errorf("%s: task %d has core %d twice, or there is no such core", p.Name, i, s.Core)
				return
			}
			seen[s.Core] = true
			sum += s.Part
			if s.Part <= 0 || math.IsInf(p.Tasks[i].Work[p.Cores[s.Core]], 1) {
				t.Errorf("%s: task %d has a part of %v on core %d", p.Name, i, s.Part, s.Core)
			}
		}
		if math.Abs(sum-1) > 1e-9 || !p.Tasks[i].Replicable && len(shares) != 1 {
			t.Errorf("%s: task %d has %d shares with a sum of %v", p.Name, i, len(shares), sum)
		}
	}
}

// randomProblem draws a graph on two kinds of cores. Every fourth one has a task that runs on one kind only; half of
// them have a bus, and half are chains.
func randomProblem(rng *rand.Rand, tasks int, cores ...int) *arena.Problem {
	p := &arena.Problem{Name: fmt.Sprintf("%d tasks", tasks), Kinds: []string{"little", "big"}, Cores: cores}
	for i := range tasks {
		w := float64(1+rng.IntN(50)) * 1e-3
		p.Tasks = append(p.Tasks, arena.Task{Name: fmt.Sprint(i), Work: []float64{w * float64(1+rng.IntN(4)), w},
			Replicable: rng.IntN(2) == 0})
		if i > 0 {
			p.Edges = append(p.Edges, arena.Edge{From: i - 1, To: i, Bytes: float64(rng.IntN(1000))})
		}
	}
	if rng.IntN(2) == 0 && tasks > 2 {
		p.Name += ", graph"
		p.Edges = append(p.Edges, arena.Edge{From: 0, To: 2, Bytes: 500}, arena.Edge{From: tasks - 1, To: 1, Bytes: 50})
	}
	if rng.IntN(2) == 0 {
		p.Name += ", bus"
		p.Bus = float64(1e4 + rng.IntN(1e5))
	}
	if rng.IntN(4) == 0 && slices.Max(cores) > slices.Min(cores) {
		p.Tasks[rng.IntN(tasks)].Work[rng.IntN(2)] = math.Inf(1)
	}
	return p
}

// optimum enumerates the cores of tasks that are not replicable. For each assignment, gonum's simplex method computes
// the best parts of the others.
func optimum(t *testing.T, p *arena.Problem) float64 {
	t.Helper()
	minimum := math.Inf(1)
	fixed := make([]int, len(p.Tasks)) // core of each task, -1 for parts
	var visit func(i int)
	visit = func(i int) {
		if i == len(p.Tasks) {
			minimum = min(minimum, bestParts(t, p, fixed))
			return
		}
		if p.Tasks[i].Replicable {
			fixed[i] = -1
			visit(i + 1)
			return
		}
		for c := range p.Cores {
			fixed[i] = c
			visit(i + 1)
		}
	}
	visit(0)
	return minimum
}

// program is a linear program in equality form. Its column 0 is the period.
type program struct {
	rows  []map[int]float64
	right []float64
	n     int
}

func (q *program) column() int { q.n++; return q.n - 1 }

// atMost adds a row with a slack.
func (q *program) atMost(row map[int]float64, right float64) {
	row[q.column()] = 1
	q.rows, q.right = append(q.rows, row), append(q.right, right)
}

// bestParts returns the smallest period for given cores of some tasks, +Inf if one cannot run there.
func bestParts(t *testing.T, p *arena.Problem, fixed []int) float64 {
	t.Helper()
	q := &program{n: 1}
	loads := make([]map[int]float64, len(p.Cores))
	for c := range loads {
		loads[c] = map[int]float64{0: -1}
	}
	x := make([][]int, len(p.Tasks)) // column by task and core, -1 for none
	for i := range p.Tasks {
		sum := make(map[int]float64)
		x[i] = make([]int, len(p.Cores))
		for c := range p.Cores {
			x[i][c] = -1
			if w := work(p, i, c); !math.IsInf(w, 1) && (fixed[i] < 0 || fixed[i] == c) {
				x[i][c] = q.column()
				sum[x[i][c]], loads[c][x[i][c]] = 1, w
			}
		}
		if len(sum) == 0 {
			return math.Inf(1)
		}
		q.rows, q.right = append(q.rows, sum), append(q.right, 1)
	}
	for c := range loads {
		q.atMost(loads[c], 0)
	}
	if p.Bus > 0 {
		bus, total := map[int]float64{0: -1}, 0.0
		for _, e := range p.Edges {
			total += e.Bytes / p.Bus
			for c := range p.Cores {
				if from, to := x[e.From][c], x[e.To][c]; from >= 0 && to >= 0 {
					stays := q.column()
					bus[stays] = -e.Bytes / p.Bus
					q.atMost(map[int]float64{stays: 1, from: -1}, 0)
					q.atMost(map[int]float64{stays: 1, to: -1}, 0)
				}
			}
		}
		q.atMost(bus, -total)
	}
	a := mat.NewDense(len(q.rows), q.n, nil)
	for r, row := range q.rows {
		for column, v := range row {
			a.Set(r, column, v)
		}
	}
	cost := make([]float64, q.n)
	cost[0] = 1
	period, _, err := lp.Simplex(cost, a, q.right, 1e-10, nil)
	if err != nil {
		t.Fatalf("%s: the simplex method failed: %v", p.Name, err)
	}
	return max(period, p.Cycle)
}

// TestMILP compares the solver's placement and bound with enumeration. No other method may be better.
func TestMILP(t *testing.T) {
	testkit.Tool(t, "cbc", "coinor-cbc")
	rng := rand.New(rand.NewPCG(1, 2))
	reached := make(map[string]int)
	for i := range 24 {
		p := randomProblem(rng, 2+rng.IntN(5), 1, 0, 0)
		if i == 0 {
			p.Cycle = 10
		}
		want := optimum(t, p)
		placement, bound, err := MILP(context.Background(), p, 0)
		if err != nil {
			t.Fatalf("problem %d: %v", i, err)
		}
		check(t, p, placement)
		if got := p.Period(placement); math.Abs(got-want) > 1e-5*want || math.Abs(bound-want) > 1e-5*want {
			t.Errorf("problem %d, %s: period %v, bound %v, want %v", i, p.Name, got, bound, want)
		}
		for _, m := range Methods()[:len(Methods())-1] {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			placement, err := m.Run(ctx, p, uint64(i))
			cancel()
			if errors.Is(err, arena.ErrNotApplicable) || errors.Is(err, context.DeadlineExceeded) {
				continue
			} else if err != nil {
				t.Fatalf("problem %d, %s: %v", i, m.Name, err)
			}
			check(t, p, placement)
			period := p.Period(placement)
			if period < bound || period < want*(1-1e-9) {
				t.Errorf("problem %d, %s: period %v below the optimum %v", i, m.Name, period, want)
			}
			if period < want*(1+1e-5) {
				reached[m.Name]++
			}
		}
	}
	t.Logf("optimum reached, of 24 problems: %v", reached)
}

// TestMILPWithoutPlacement checks that a bound without a placement is returned, and that a missing solver is an error.
func TestMILPWithoutPlacement(t *testing.T) {
	p := randomProblem(rand.New(rand.NewPCG(1, 2)), 3, 1, 0)
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if _, _, err := MILP(context.Background(), p, 0); !errors.Is(err, arena.ErrNotApplicable) {
		t.Errorf("got %v without a solver, want arena.ErrNotApplicable", err)
	}
	script := "#!/bin/sh\necho 'Result - Stopped on time limit'\necho 'Lower bound:  50000.0'\n"
	if err := os.WriteFile(filepath.Join(dir, "cbc"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	lpt, err := LPT(context.Background(), p, 0)
	if err != nil {
		t.Fatal(err)
	}
	placement, bound, err := MILP(context.Background(), p, 0)
	if want := p.Period(lpt) / 2; placement != nil || err == nil || math.Abs(bound-want) > 1e-4*want {
		t.Errorf("got %v, a bound of %v and %v, want no placement and a bound of %v", placement, bound, err, want)
	}
}

// TestHeRADIsExact compares with an enumeration of all contiguous stages.
func TestHeRADIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 60 {
		p := randomProblem(rng, 1+rng.IntN(7), [][]int{{1, 0, 0, 1}, {0, 1}, {1, 1, 0}, {0, 0}}[i%4]...)
		p.Bus, p.Edges = 0, p.Edges[:len(p.Tasks)-1]
		want := bestStages(p, 0, slices.Clone(p.Cores))
		placement, err := HeRAD(context.Background(), p, 0)
		if err != nil {
			t.Fatalf("problem %d: %v", i, err)
		}
		check(t, p, placement)
		if got := p.Period(placement); math.Abs(got-want) > 1e-9*want {
			t.Errorf("problem %d: period %v, want %v", i, got, want)
		}
		for name, run := range map[string]func(context.Context, *arena.Problem, uint64) (arena.Placement, error){
			"OTAC": OTAC, "FERTAC": FERTAC, "2CATAC": TwoCATAC} {
			if placement, err := run(context.Background(), p, 0); err == nil {
				check(t, p, placement)
				if got := p.Period(placement); got < want*(1-1e-9) {
					t.Errorf("problem %d, %s: period %v below the optimum %v", i, name, got, want)
				}
			} else if !errors.Is(err, arena.ErrNotApplicable) {
				t.Errorf("problem %d, %s: %v", i, name, err)
			}
		}
	}
}

// bestStages returns the smallest period of the tasks from b on, on the free cores, by trying every stage.
func bestStages(p *arena.Problem, b int, free []int) float64 {
	if b == len(p.Tasks) {
		return 0
	}
	minimum := math.Inf(1)
	for kind := range p.Kinds {
		sum, replicable := 0.0, true
		for e := b; e < len(p.Tasks); e++ {
			sum += p.Tasks[e].Work[kind]
			replicable = replicable && p.Tasks[e].Replicable
			left := slices.Clone(free)
			for n := 1; n == 1 || replicable; n++ {
				at := slices.Index(left, kind)
				if at < 0 {
					break
				}
				left = slices.Delete(left, at, at+1)
				minimum = min(minimum, max(sum/float64(n), bestStages(p, e+1, left)))
			}
		}
	}
	return minimum
}

// TestMethods checks placements of larger problems, that equal seeds give equal placements, and that a method returns
// its best placement when its time ends.
func TestMethods(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 2 {
		p := randomProblem(rng, 7+3*i, 1, 0, 0, 0)
		for _, m := range Methods()[:len(Methods())-1] {
			first, err := m.Run(context.Background(), p, 7)
			if errors.Is(err, arena.ErrNotApplicable) {
				continue
			} else if err != nil {
				t.Fatalf("%s on %s: %v", m.Name, p.Name, err)
			}
			check(t, p, first)
			if second, err := m.Run(context.Background(), p, 7); err != nil || !reflect.DeepEqual(first, second) {
				t.Errorf("%s on %s: equal seeds give different placements, or %v", m.Name, p.Name, err)
			}
		}
	}
	p := randomProblem(rng, 200, 1, 1, 0, 0, 0)
	for _, m := range Methods() {
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		placement, err := m.Run(ctx, p, 7)
		cancel()
		if placement != nil {
			check(t, p, placement)
		} else if err == nil {
			t.Errorf("%s: neither a placement nor an error", m.Name)
		}
		if m.Name == "annealing" && err != nil {
			t.Errorf("%s has no placement when its time ends: %v", m.Name, err)
		}
	}
}

// TestListerCosts checks that a list scheduler computes the same loads and bytes as the cost model.
func TestListerCosts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 50 {
		p := randomProblem(rng, 3+rng.IntN(6), 1, 0, 0, 0)
		p.Bus = 1e3 * (1 + rng.Float64()*100)
		divisions, err := splits(p)
		if err != nil {
			t.Fatal(err)
		}
		u := &divisions[len(divisions)-1]
		l := newLister(p, u)
		for _, x := range rng.Perm(len(u.all)) {
			l.put(x)
		}
		got, want := max(slices.Max(l.loads), l.crossing/p.Bus), p.Period(u.place(nil, l.cores))
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("problem %d: the lister has a cost of %v, want %v", i, got, want)
		}
	}
}

// TestNotApplicable checks the methods for chains on other problems, and an unknown task.
func TestNotApplicable(t *testing.T) {
	chain := randomProblem(rand.New(rand.NewPCG(9, 9)), 3, 1, 0)
	chain.Edges = chain.Edges[:2]
	graph, kinds, lost, torn := *chain, *chain, *chain, *chain
	graph.Edges = append(slices.Clone(chain.Edges), arena.Edge{From: 0, To: 2})
	kinds.Cores = []int{0, 1, 2}
	kinds.Tasks = slices.Clone(chain.Tasks)
	lost.Tasks = slices.Clone(chain.Tasks)
	for i := range kinds.Tasks {
		kinds.Tasks[i].Work = []float64{1, 2, 3}
	}
	torn.Tasks = slices.Clone(chain.Tasks)
	for i := range torn.Tasks { // little, big, little
		torn.Tasks[i].Work = []float64{1, 1}
		torn.Tasks[i].Work[(i+1)%2] = math.Inf(1)
	}
	lost.Tasks[1].Work = []float64{math.Inf(1), math.Inf(1)}
	for _, m := range Methods()[:4] {
		for _, p := range []*arena.Problem{&graph, &kinds, &torn} {
			if _, err := m.Run(context.Background(), p, 0); !errors.Is(err, arena.ErrNotApplicable) {
				t.Errorf("%s: got %v, want arena.ErrNotApplicable", m.Name, err)
			}
		}
	}
	for _, m := range Methods() {
		if _, err := m.Run(context.Background(), &lost, 0); err == nil {
			t.Errorf("%s: a task without a core is placed", m.Name)
		}
	}
}

// TestMETIS runs gpmetis if it is installed: two groups of tasks with much traffic inside belong on two cores.
func TestMETIS(t *testing.T) {
	p := &arena.Problem{Name: "two groups", Kinds: []string{"core"}, Cores: []int{0, 0}, Bus: 1e6}
	for i := range 8 {
		p.Tasks = append(p.Tasks, arena.Task{Name: fmt.Sprint(i), Work: []float64{1e-3}})
		for j := range i {
			bytes := 10.0
			if j%2 == i%2 {
				bytes = 1000
			}
			p.Edges = append(p.Edges, arena.Edge{From: j, To: i, Bytes: bytes})
		}
	}
	testkit.Tool(t, "gpmetis", "metis")
	placement, err := METIS(context.Background(), p, 1)
	if err != nil {
		t.Fatal(err)
	}
	check(t, p, placement)
	if got := p.Period(placement); math.Abs(got-4e-3) > 1e-12 {
		t.Errorf("period %v, want 4 ms", got)
	}
}

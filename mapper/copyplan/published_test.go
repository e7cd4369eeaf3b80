package copyplan

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"xopt/mapper/simplex"
)

// table returns the rows of a file of test data, without comments.
func table(t *testing.T, name string) [][]string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(strings.TrimSpace(line), "; "))
		}
	}
	return rows
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestReceiver searches plans for a DVB-S2 receiver. Its lowest loads are known from the published contiguous optimum
// or, if plans that share cores are better, from a mixed-integer program.
func TestReceiver(t *testing.T) {
	for i, c := range []struct {
		machine, big, little int
		lowest               float64 // us
	}{{2, 16, 4, 950.59}, {2, 8, 2, 952.4}, {4, 6, 8, 1341.90}, {4, 3, 4, 2065.1}} {
		p := &Problem{}
		for n, row := range table(t, "dvbs2.txt") {
			p.Work = append(p.Work, slices.Concat(slices.Repeat([]float64{number(t, row[c.machine])}, c.big),
				slices.Repeat([]float64{number(t, row[c.machine+1])}, c.little)))
			p.Copyable = append(p.Copyable, row[1] == "s")
			if n > 0 {
				p.Edges = append(p.Edges, Edge{From: n - 1, To: n})
			}
		}
		plans, proof, err := Search(t.Context(), p, Options{Restarts: 2, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		bound := proof.Load
		if got := loadOf(t, p, plans[0]); got > 1.005*c.lowest || got < bound || bound > c.lowest*1.0005 ||
			got > 1.02*bound {
			t.Errorf("instance %d: load %.2f us, bound %.2f us, and the lowest is %.2f us", i, got, bound, c.lowest)
		}
	}
}

// chainFrom reads a problem of chains.txt, with bounds on its lowest load.
func chainFrom(t *testing.T, row []string) (p *Problem, lower, upper float64) {
	t.Helper()
	p = &Problem{}
	for n, task := range row[3:] {
		f := strings.Fields(task)
		var work []float64
		for _, w := range f[1:] {
			work = append(work, number(t, w))
		}
		p.Work, p.Copyable = append(p.Work, work), append(p.Copyable, f[0] == "s")
		if n > 0 {
			p.Edges = append(p.Edges, Edge{From: n - 1, To: n})
		}
	}
	if bus := number(t, row[0]); bus > 0 {
		p.Links = 1
		for i := range p.Edges {
			p.Edges[i].Carried = []float64{bus}
		}
		p.Routes = slices.Repeat([][]int{{0}}, p.cores()*p.cores())
	}
	return p, number(t, row[1]), number(t, row[2])
}

// TestUnlikeChains compares the search with bounds on the lowest load that another solver found.
func TestUnlikeChains(t *testing.T) {
	worse, n := 0, 0
	for i, row := range table(t, "chains.txt") {
		if testing.Short() && i%3 > 0 {
			continue
		}
		p, lower, upper := chainFrom(t, row)
		plans, proof, err := Search(t.Context(), p, Options{Restarts: 3, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		got, bound := plans[0].Load, proof.Load
		if got > 1.03*upper || got < lower*(1-1e-6) || bound > upper*(1+1e-6) {
			t.Errorf("problem %d: load %.2f, bound %.2f, and the lowest is %.2f to %.2f", i, got, bound, lower, upper)
		}
		if n++; got > 1.005*upper {
			worse++
			t.Logf("problem %d: load %.2f, and the lowest is %.2f to %.2f", i, got, lower, upper)
		}
	}
	if float64(worse) > .1*float64(n) {
		t.Errorf("%d of %d are more than 0.5 %% above the lowest load", worse, n)
	}
}

// TestRelaxation checks that no plan is below the bound of the branch and bound, for problems with costs on cores and
// links.
func TestRelaxation(t *testing.T) {
	r := rand.New(rand.NewPCG(39, 4))
	closed := 0
	for range 40 {
		p := random(r, 2+r.IntN(2), 2)
		for i := range p.Routes {
			p.Routes[i] = []int{0, 1}
		}
		best := math.Inf(1)
		eachPlan(p, func(units []Unit) { best = math.Min(best, LoadOf(p, units)) })
		b := newBranching(newRelaxation(p), func([]float64) {})
		if b.run(t.Context(), func() float64 { return best }, math.MaxUint64) {
			t.Error("nodes are left without a limit")
		}
		bound := b.bound(best)
		if bound > best {
			t.Errorf("bound %g, but a plan has %g", bound, best)
		}
		if bound > p.Bound()*(1+1e-6) {
			closed++
		}
	}
	if closed < 30 {
		t.Errorf("the bound is above the simple bound in %d of 40 problems: the test has lost its power", closed)
	}
}

// TestInfeasibleNode checks that a node that the simplex method finds infeasible does not raise the bound: a program of
// the bound always has a solution, so that only rounding errors can cause this.
func TestInfeasibleNode(t *testing.T) {
	p := &Problem{Work: [][]float64{{1, 2}, {3, 1}}, Copyable: []bool{false, false}}
	b := newBranching(newRelaxation(p), func([]float64) {})
	none := []decision{{placed, 0, 0}, {placed, 0, 1}} // contradictory: no part of the stream remains
	b.open = nodes{{bound: 0.25, decisions: none}}
	b.run(t.Context(), func() float64 { return 10 }, math.MaxUint64)
	if got := b.bound(10); got > 0.25*b.x.scale {
		t.Errorf("bound %g after an infeasible node with a bound of %g", got, 0.25*b.x.scale)
	}
}

// TestSolvedBasis checks that nodes start from the solution of the relaxation: without decisions, no pivot is left.
func TestSolvedBasis(t *testing.T) {
	p, _, _ := chainFrom(t, table(t, "chains.txt")[0])
	lp := newRelaxation(p).lp.Clone()
	lp.Work = 0
	if outcome, _ := lp.Solve(math.Inf(1), math.MaxUint64); outcome != simplex.Solved || lp.Work > 0 {
		t.Errorf("verdict %d after %d operations, want none", outcome, lp.Work)
	}
}

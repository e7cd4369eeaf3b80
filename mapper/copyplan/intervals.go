package copyplan

import (
	"context"
	"math"
	"slices"
)

// classes returns groups of cores on which all tasks are equally fast.
func (p *Problem) classes() [][]int {
	var classes [][]int
	for c := range p.cores() {
		at := slices.IndexFunc(classes, func(cores []int) bool {
			for t := range p.Work {
				if p.Work[t][cores[0]] != p.Work[t][c] {
					return false
				}
			}
			return true
		})
		if at < 0 {
			at, classes = len(classes), append(classes, nil)
		}
		classes[at] = append(classes[at], c)
	}
	return classes
}

// stage is an interval of tasks that run on some cores of one class. from is its first task.
type stage struct{ from, class, cores int }

// intervals returns a plan that divides the tasks into intervals, each with its own cores of one class. Of all such
// plans, it has the smallest maximum load. best[j][a][b] is the smallest maximum load of the first j tasks on at most a
// cores of the first class and b cores of the second class. If crossing is set, loads include the costs of edges
// between intervals. The result is nil if there are more than two classes, the problem is too large, or the context is
// done.
func (p *Problem) intervals(ctx context.Context, crossing bool) []Unit {
	classes := p.classes()
	if len(classes) > 2 {
		return nil
	}
	classes = append(classes, nil)[:2]
	n, a, b := len(p.Work), len(classes[0]), len(classes[1])
	if float64(n*n)*float64((a+1)*(b+1))*float64(a+b) > 2*maxDP {
		return nil
	}
	x := &intervalSearch{p: p, classes: classes, width: b + 1, crossing: crossing}
	x.best = make([][]float64, n+1)
	x.last = make([][]stage, n+1)
	for j := range x.best {
		x.best[j] = make([]float64, (a+1)*(b+1))
		x.last[j] = make([]stage, (a+1)*(b+1))
		for i := range x.best[j] {
			if j > 0 {
				x.best[j][i] = math.Inf(1)
			}
		}
	}
	for j := 1; j <= n; j++ {
		if ctx.Err() != nil {
			return nil
		}
		x.upTo(j)
	}
	return x.units()
}

type intervalSearch struct {
	p        *Problem
	classes  [][]int
	width    int
	crossing bool
	best     [][]float64
	last     [][]stage
}

// upTo computes best[j]. Index i is the first task of the last stage.
func (x *intervalSearch) upTo(j int) {
	var sum [2]float64
	copyable := true
	for i := j - 1; i >= 0; i-- {
		copyable = copyable && x.p.Copyable[i]
		for v, cores := range x.classes {
			if len(cores) == 0 {
				continue
			}
			sum[v] += x.p.Work[i][cores[0]]
			if math.IsInf(sum[v], 1) {
				continue
			}
			load := sum[v]
			if x.crossing {
				load += x.p.border(i, j, cores[0])
			}
			maximum := 1
			if copyable {
				maximum = len(cores)
			}
			for r := 1; r <= maximum; r++ {
				x.addLast(i, j, stage{i, v, r}, load/float64(r))
			}
		}
	}
}

// addLast updates best[j] with a last stage of tasks i to j-1, for every sufficient number of cores.
func (x *intervalSearch) addLast(i, j int, s stage, load float64) {
	da, db := s.cores, 0
	if s.class == 1 {
		da, db = 0, s.cores
	}
	for a := da; a <= len(x.classes[0]); a++ {
		for b := db; b < x.width; b++ {
			l := math.Max(load, x.best[i][(a-da)*x.width+b-db])
			if at := a*x.width + b; l < x.best[j][at] {
				x.best[j][at], x.last[j][at] = l, s
			}
		}
	}
}

// border returns the load that edges between tasks inside and outside an interval add to a core.
func (p *Problem) border(from, to, core int) float64 {
	load := 0.0
	for i := range p.Edges {
		e := &p.Edges[i]
		writes, reads := e.From >= from && e.From < to, e.To >= from && e.To < to
		if writes && !reads && e.Send != nil {
			load += e.Send[core]
		}
		if reads && !writes && e.Receive != nil {
			load += e.Receive[core]
		}
	}
	return load
}

// units returns the stages of the best plan; nil if there is none.
func (x *intervalSearch) units() []Unit {
	j, at := len(x.p.Work), len(x.best[0])-1
	if math.IsInf(x.best[j][at], 1) {
		return nil
	}
	var units []Unit
	free := [][]int{x.classes[0], x.classes[1]}
	for j > 0 {
		s := x.last[j][at]
		u := Unit{}
		for t := s.from; t < j; t++ {
			u.Tasks = append(u.Tasks, t)
		}
		for _, c := range free[s.class][:s.cores] {
			u.Copies = append(u.Copies, Copy{c, 1})
		}
		free[s.class] = free[s.class][s.cores:]
		units = append(units, u)
		if j = s.from; s.class == 0 {
			at -= s.cores * x.width
		} else {
			at -= s.cores
		}
	}
	slices.Reverse(units)
	return units
}

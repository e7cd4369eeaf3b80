package opponents

import (
	"math"
	"slices"

	"xopt/bench/arena"
)

// unit is one of the equal parts of a task. Methods that do not support replicas place the units of a task separately.
// A task that is not replicable is one unit.
type unit struct {
	task int
	part float64 // fraction of the task's iterations
}

// units contains all units of a problem. The units of a task are adjacent.
type units struct {
	p       *arena.Problem
	all     []unit
	allowed [][]int // cores by task
}

// splits returns up to three divisions of tasks into units. The papers use the first division; the others permit
// replicas:
//   - complete tasks
//   - units with a time of at most half of a lower bound of the period, but at most as many as there are cores
//   - one unit for each core that can run the task
//
// It omits a division with no more units than an earlier division.
func splits(p *arena.Problem) ([]units, error) {
	cores, err := allowed(p)
	if err != nil {
		return nil, err
	}
	bound, sum := p.Cycle, 0.0
	for t := range p.Tasks {
		w := minWork(p, t, cores[t])
		sum += w
		if !p.Tasks[t].Replicable {
			bound = max(bound, w)
		}
	}
	bound = max(bound, sum/float64(len(p.Cores)))
	pieces := []func(t int) int{
		func(int) int { return 1 },
		func(t int) int { return int(min(math.Ceil(2*minWork(p, t, cores[t])/bound), float64(len(cores[t])))) },
		func(t int) int { return len(cores[t]) },
	}
	var all []units
	for _, number := range pieces {
		u := units{p: p, allowed: cores}
		for t := range p.Tasks {
			n := 1
			if p.Tasks[t].Replicable {
				n = max(1, number(t))
			}
			for range n {
				u.all = append(u.all, unit{t, 1 / float64(n)})
			}
		}
		if len(all) == 0 || len(u.all) > len(all[len(all)-1].all) {
			all = append(all, u)
		}
	}
	return all, nil
}

// work returns the time of unit i in an iteration on core c, in seconds.
func (u *units) work(i, c int) float64 { return u.all[i].part * work(u.p, u.all[i].task, c) }

// cores returns the cores that can run unit i.
func (u *units) cores(i int) []int { return u.allowed[u.all[i].task] }

// place returns the placement of units on the given cores. It reuses the memory of placement. Units of a task on the
// same core become one share.
func (u *units) place(placement arena.Placement, cores []int) arena.Placement {
	if placement == nil {
		placement = make(arena.Placement, len(u.p.Tasks))
	}
	for t := range placement {
		placement[t] = placement[t][:0]
	}
	for i, x := range u.all {
		shares := placement[x.task]
		at := slices.IndexFunc(shares, func(s arena.Share) bool { return s.Core == cores[i] })
		if at < 0 {
			placement[x.task] = append(shares, arena.Share{Core: cores[i], Part: x.part})
		} else {
			shares[at].Part += x.part
		}
	}
	return placement
}

package copyplan

import (
	"cmp"
	"context"
	"math"
	"slices"

	"xopt/internal/unionfind"
)

// starts returns the plans from which the search starts.
func (p *Problem) starts(ctx context.Context, place []int) [][]Unit {
	fixed := p.greedy()
	starts := [][]Unit{p.regions(fixed)}
	if place != nil {
		starts = append(starts, single(place), p.regions(place))
	} else {
		starts = append(starts, single(fixed))
	}
	for _, crossing := range []bool{true, false} {
		if units := p.intervals(ctx, crossing); units != nil {
			starts = append(starts, units)
		}
	}
	return append(starts, p.bySpeed(fixed)...)
}

// single returns the plan without copies for a placement.
func single(place []int) []Unit {
	var units []Unit
	for t, core := range place {
		units = append(units, Unit{Tasks: []int{t}, Copies: []Copy{{core, 1}}})
	}
	return units
}

// greedy places the tasks one by one on the core with the lowest resulting load. Tasks that must not be copied precede
// copyable tasks. Within each of these groups, longer tasks are first.
func (p *Problem) greedy() []int {
	minimum := func(t int) float64 { return slices.Min(p.Work[t]) }
	order := make([]int, len(p.Work))
	for t := range order {
		order[t] = t
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p.Copyable[a] == p.Copyable[b]:
			return cmp.Compare(minimum(b), minimum(a))
		case p.Copyable[b]:
			return -1
		}
		return 1
	})
	load, place := make([]float64, p.cores()), make([]int, len(p.Work))
	for _, t := range order {
		at := -1
		for c, w := range p.Work[t] {
			if !math.IsInf(w, 1) && (at < 0 || load[c]+w < load[at]+p.Work[t][at]) {
				at = c
			}
		}
		load[at] += p.Work[t][at]
		place[t] = at
	}
	return place
}

// regions returns a plan with a unit for each connected group of copyable tasks. Each such unit has a copy on every
// core that can run it. Streams inside such a unit stay on one core.
func (p *Problem) regions(place []int) []Unit {
	sets := unionfind.New(len(p.Work))
	for i := range p.Edges {
		if e := &p.Edges[i]; p.Copyable[e.From] && p.Copyable[e.To] {
			sets.Union(e.From, e.To)
		}
	}
	regions, _ := sets.Groups()
	var units []Unit
	for _, tasks := range regions {
		u := Unit{Tasks: tasks}
		if p.Copyable[tasks[0]] {
			u.Copies = p.onAll(u.Tasks)
		}
		if len(u.Copies) == 0 { // the tasks are not copied, or have no common core
			for _, t := range tasks {
				units = append(units, Unit{[]int{t}, []Copy{{place[t], 1}}})
			}
			continue
		}
		units = append(units, u)
	}
	return units
}

// bySpeed returns plans for two classes of cores. These plans would be optimal if streams between cores cost nothing.
// bySpeed sorts tasks by the ratio of their loads on the two classes. The first tasks have copies on all cores of the
// first class, one task on all cores, and the remaining tasks on all cores of the second class.
func (p *Problem) bySpeed(place []int) [][]Unit {
	classes := p.classes()
	if len(classes) != 2 {
		return nil
	}
	a, b := classes[0][0], classes[1][0]
	var fixed []Unit
	var order []int
	for t := range p.Work {
		if p.Copyable[t] && p.allowed([]int{t}, a) && p.allowed([]int{t}, b) {
			order = append(order, t)
		} else {
			fixed = append(fixed, Unit{[]int{t}, []Copy{{place[t], 1}}})
		}
	}
	slices.SortStableFunc(order, func(s, t int) int {
		return cmp.Compare(p.Work[s][a]*p.Work[t][b], p.Work[t][a]*p.Work[s][b])
	})
	on := func(cores []int) []Copy {
		var copies []Copy
		for _, c := range cores {
			copies = append(copies, Copy{c, 1})
		}
		return copies
	}
	var plans [][]Unit
	for cut := range order {
		plan := clone(fixed)
		for _, x := range []Unit{{order[:cut], on(classes[0])}, {order[cut : cut+1], p.onAll(order[cut : cut+1])},
			{order[cut+1:], on(classes[1])}} {
			if len(x.Tasks) > 0 {
				tasks := slices.Clone(x.Tasks)
				slices.Sort(tasks)
				plan = append(plan, Unit{tasks, x.Copies})
			}
		}
		plans = append(plans, plan)
	}
	return plans
}

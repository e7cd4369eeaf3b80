package copyplan

import (
	"math/rand/v2"
	"slices"
)

// random makes one random change of the plan. If the selected change is impossible for the selected unit, it changes
// nothing and returns false.
func (s *state) random(r *rand.Rand) bool {
	u := s.pick(r)
	x := &s.slots[u]
	core := r.IntN(s.p.cores())
	at := r.IntN(len(x.Copies))
	switch r.IntN(12) {
	case 0, 1:
		return s.relocate(u, at, core)
	case 2, 3:
		return s.spread(u, core)
	case 4:
		if len(x.Copies) < 2 {
			return false
		}
		return s.put(u, x.Tasks, slices.Delete(slices.Clone(x.Copies), at, at+1))
	case 5:
		return s.turn(u, at, 1-2*r.IntN(2))
	case 6, 7:
		return s.moveTask(u, x.Tasks[r.IntN(len(x.Tasks))], s.neighbor(u, r))
	case 8:
		return s.split(u, r, core)
	case 9:
		return s.join(u, s.neighbor(u, r), r.IntN(3))
	case 10:
		return s.swap(u, at, s.unit[r.IntN(len(s.unit))], r)
	}
	return s.everywhere(u)
}

// pick returns a random unit. With probability 1/2, the unit is on the core with the highest load, because only changes
// of that core improve a plan.
func (s *state) pick(r *rand.Rand) int {
	if r.IntN(2) == 0 {
		return s.unit[r.IntN(len(s.unit))]
	}
	maximum := 0
	for c := range s.alone {
		if s.load(c) > s.load(maximum) {
			maximum = c
		}
	}
	found, seen := -1, 0
	for u := range s.slots {
		if s.slots[u].on(maximum) {
			if seen++; r.IntN(seen) == 0 {
				found = u
			}
		}
	}
	if found < 0 { // all cores are idle
		return s.unit[r.IntN(len(s.unit))]
	}
	return found
}

func (x *slot) on(core int) bool {
	return slices.ContainsFunc(x.Copies, func(c Copy) bool { return c.Core == core })
}

// neighbor returns a random unit that shares an edge with the given unit or, less often, any random unit.
func (s *state) neighbor(u int, r *rand.Rand) int {
	found, seen := -1, 0
	if r.IntN(4) > 0 {
		for i := range s.p.Edges {
			e := &s.p.Edges[i]
			a, b := s.unit[e.From], s.unit[e.To]
			if (a == u) != (b == u) {
				if seen++; r.IntN(seen) == 0 {
					found = a + b - u
				}
			}
		}
	}
	if found < 0 {
		return s.unit[r.IntN(len(s.unit))]
	}
	return found
}

// put replaces the tasks and copies of a unit, and balances the loads of its cores. It returns true.
func (s *state) put(u int, tasks []int, copies []Copy) bool {
	if len(copies) == 1 {
		copies[0].Turns = 1
	}
	s.replace(u, Unit{tasks, copies})
	s.tune(u)
	return true
}

// putTwo is like put, for two units.
func (s *state) putTwo(u int, x Unit, v int, y Unit) bool {
	s.replaceTwo(u, x, v, y)
	s.tune(u)
	s.tune(v)
	return true
}

// relocate moves copy at of unit u to another core.
func (s *state) relocate(u, at, core int) bool {
	x := &s.slots[u]
	if x.on(core) || !s.p.allowed(x.Tasks, core) {
		return false
	}
	copies := slices.Clone(x.Copies)
	copies[at].Core = core
	return s.put(u, x.Tasks, copies)
}

// spread adds a copy of unit u on a core.
func (s *state) spread(u, core int) bool {
	x := &s.slots[u]
	if x.on(core) || !s.p.copyable(x.Tasks) || !s.p.allowed(x.Tasks, core) {
		return false
	}
	return s.put(u, x.Tasks, append(slices.Clone(x.Copies), Copy{core, 1}))
}

// everywhere replaces the copies of a unit by one copy on every core that can run the unit.
func (s *state) everywhere(u int) bool {
	x := &s.slots[u]
	if !s.p.copyable(x.Tasks) {
		return false
	}
	copies := s.p.onAll(x.Tasks)
	if len(copies) <= len(x.Copies) {
		return false
	}
	return s.put(u, x.Tasks, copies)
}

// onAll returns copies of tasks on all cores that can run them.
func (p *Problem) onAll(tasks []int) []Copy {
	var copies []Copy
	for c := range p.cores() {
		if p.allowed(tasks, c) {
			copies = append(copies, Copy{c, 1})
		}
	}
	return copies
}

// turn adds more turns to a copy; more is 1 or -1.
func (s *state) turn(u, at, more int) bool {
	x := &s.slots[u]
	total := more
	for _, c := range x.Copies {
		total += c.Turns
	}
	if len(x.Copies) < 2 || x.Copies[at].Turns+more < 1 || total > maxTurns {
		return false
	}
	copies := slices.Clone(x.Copies)
	copies[at].Turns += more
	s.replace(u, Unit{x.Tasks, copies})
	return true
}

// moveTask moves a task to another unit or, if both units are the same, to a new unit of its own.
func (s *state) moveTask(u, task, v int) bool {
	x, y := &s.slots[u], &s.slots[v]
	rest := slices.DeleteFunc(slices.Clone(x.Tasks), func(t int) bool { return t == task })
	if u == v {
		if len(rest) == 0 {
			return false
		}
		return s.putTwo(u, Unit{rest, slices.Clone(x.Copies)}, s.free(), Unit{[]int{task}, slices.Clone(x.Copies)})
	}
	if !s.canRun(y, []int{task}) {
		return false
	}
	tasks := append(slices.Clone(y.Tasks), task)
	slices.Sort(tasks)
	if len(rest) == 0 {
		return s.putTwo(u, Unit{}, v, Unit{tasks, slices.Clone(y.Copies)})
	}
	return s.putTwo(u, Unit{rest, slices.Clone(x.Copies)}, v, Unit{tasks, slices.Clone(y.Copies)})
}

// canRun reports whether all copies of a unit can run the given tasks.
func (s *state) canRun(x *slot, tasks []int) bool {
	return (len(x.Copies) == 1 || s.p.copyable(tasks)) &&
		!slices.ContainsFunc(x.Copies, func(c Copy) bool { return !s.p.allowed(tasks, c.Core) })
}

// free returns a free slot. A free slot exists as long as a unit has two tasks.
func (s *state) free() int {
	return slices.IndexFunc(s.slots, func(x slot) bool { return len(x.Tasks) == 0 })
}

// split divides the tasks of a unit at a random position. The second part keeps the copies, or runs on the given core.
func (s *state) split(u int, r *rand.Rand, core int) bool {
	x := &s.slots[u]
	if len(x.Tasks) < 2 {
		return false
	}
	cut := 1 + r.IntN(len(x.Tasks)-1)
	first, second := slices.Clone(x.Tasks[:cut]), slices.Clone(x.Tasks[cut:])
	if r.IntN(2) == 0 {
		first, second = second, first
	}
	copies := slices.Clone(x.Copies)
	if len(copies) == 1 || r.IntN(2) == 0 {
		if !s.p.allowed(second, core) {
			return false
		}
		copies = []Copy{{core, 1}}
	}
	return s.putTwo(u, Unit{first, slices.Clone(x.Copies)}, s.free(), Unit{second, copies})
}

// join merges two units, with the copies of the first unit (of = 0), of the second unit (1), or of both units (2).
func (s *state) join(u, v, of int) bool {
	if u == v {
		return false
	}
	x, y := &s.slots[u], &s.slots[v]
	copies := slices.Clone(x.Copies)
	switch of {
	case 1:
		copies = slices.Clone(y.Copies)
	case 2:
		for _, c := range y.Copies {
			if !x.on(c.Core) {
				copies = append(copies, c)
			}
		}
	}
	tasks := slices.Concat(x.Tasks, y.Tasks)
	slices.Sort(tasks)
	if !s.canRun(&slot{Unit: Unit{Copies: copies}}, tasks) {
		return false
	}
	return s.putTwo(u, Unit{tasks, copies}, v, Unit{})
}

// swap exchanges the cores of copy at of unit u and a random copy of unit v.
func (s *state) swap(u, at, v int, r *rand.Rand) bool {
	x, y := &s.slots[u], &s.slots[v]
	other := r.IntN(len(y.Copies))
	a, b := x.Copies[at].Core, y.Copies[other].Core
	if u == v || x.on(b) || y.on(a) || !s.p.allowed(x.Tasks, b) || !s.p.allowed(y.Tasks, a) {
		return false
	}
	first, second := slices.Clone(x.Copies), slices.Clone(y.Copies)
	first[at].Core, second[other].Core = b, a
	return s.putTwo(u, Unit{x.Tasks, first}, v, Unit{y.Tasks, second})
}

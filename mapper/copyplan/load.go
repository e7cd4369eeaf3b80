package copyplan

import (
	"math"
	"slices"
)

// state is a plan with its loads. A change of some units updates the loads, and can be undone. A slot without tasks is
// free. A state is not safe for concurrent use.
type state struct {
	p        *Problem
	incident [][]int // edges of each task that have a cost, or all edges if some cores have no route
	slots    []slot
	unit     []int // slot of each task
	loads
	before  loads // state at the last mark
	changed []change
	meet    meetings
}

// slot is a unit with the fraction of the stream that each copy processes, and the number that identifies its turns.
type slot struct {
	Unit
	share []float64
	turns int
}

// change records the former unit of a slot.
type change struct {
	at  int
	was slot
}

// loads contains the loads of cores and links. The load of a core with one task is in alone. The load of a core with
// several tasks is alone + shared.
type loads struct {
	alone, shared []float64
	tasks         []int
	links         []float64
	barred        int // number of streams between cores that no route connects
}

func (l *loads) copyTo(to *loads) {
	to.alone, to.shared = append(to.alone[:0], l.alone...), append(to.shared[:0], l.shared...)
	to.tasks, to.links, to.barred = append(to.tasks[:0], l.tasks...), append(to.links[:0], l.links...), l.barred
}

func newState(p *Problem, units []Unit) *state {
	s := &state{p: p, incident: make([][]int, len(p.Work))}
	routed := p.routed()
	for e := range p.Edges {
		if edge := &p.Edges[e]; !edge.free() || !routed {
			s.incident[edge.From] = append(s.incident[edge.From], e)
			s.incident[edge.To] = append(s.incident[edge.To], e)
		}
	}
	s.set(units)
	return s
}

// set replaces all units and computes the loads.
func (s *state) set(units []Unit) {
	s.slots = make([]slot, len(s.p.Work))
	s.unit = make([]int, len(s.p.Work))
	for u := range units {
		s.slots[u] = s.newSlot(units[u])
		for _, t := range units[u].Tasks {
			s.unit[t] = u
		}
	}
	s.refresh()
	s.mark()
}

// refresh recomputes the loads, to remove the accumulated rounding errors of changes.
func (s *state) refresh() {
	n := s.p.cores()
	s.loads = loads{make([]float64, n), make([]float64, n), make([]int, n), make([]float64, s.p.Links), 0}
	all := make([]int, len(s.slots))
	for u := range all {
		all[u] = u
	}
	s.account(1, all...)
}

// newSlot returns a slot for a unit, with the fractions of the stream for its copies.
func (s *state) newSlot(u Unit) slot {
	x := slot{Unit: u, share: make([]float64, len(u.Copies))}
	if len(u.Copies) > 1 {
		x.turns = s.meet.id(u.Copies)
	}
	total := 0
	for _, c := range u.Copies {
		total += c.Turns
	}
	for i, c := range u.Copies {
		x.share[i] = float64(c.Turns) / float64(total)
	}
	return x
}

func (s *state) units() []Unit {
	var units []Unit
	for i := range s.slots {
		if len(s.slots[i].Tasks) > 0 {
			units = append(units, s.slots[i].Unit)
		}
	}
	return clone(units)
}

// mark stores the current plan for undo.
func (s *state) mark() {
	s.loads.copyTo(&s.before)
	s.changed = s.changed[:0]
}

// undo restores the plan of the last mark.
func (s *state) undo() {
	for _, c := range slices.Backward(s.changed) {
		s.slots[c.at] = c.was
	}
	for _, c := range s.changed {
		for _, t := range s.slots[c.at].Tasks {
			s.unit[t] = c.at
		}
	}
	s.before.copyTo(&s.loads)
	s.changed = s.changed[:0]
}

// replace replaces the unit of a slot. A unit without tasks frees the slot.
func (s *state) replace(at int, u Unit) { s.replaceTwo(at, u, -1, Unit{}) }

// replaceTwo replaces the units of two slots by units of the same tasks. b is -1 to replace only one slot.
func (s *state) replaceTwo(a int, x Unit, b int, y Unit) {
	at := []int{a, b}
	if b < 0 {
		at = at[:1]
	}
	s.account(-1, at...)
	for i, u := range []Unit{x, y}[:len(at)] {
		s.changed = append(s.changed, change{at[i], s.slots[at[i]]})
		s.slots[at[i]] = s.newSlot(u)
	}
	for _, i := range at {
		for _, t := range s.slots[i].Tasks {
			s.unit[t] = i
		}
	}
	s.account(1, at...)
}

// account adds the loads of units, or subtracts them if sign is -1. An edge between two of the units counts once.
func (s *state) account(sign float64, at ...int) {
	for i, u := range at {
		x := &s.slots[u]
		for c, of := range x.Copies {
			s.tasks[of.Core] += int(sign) * len(x.Tasks)
			for _, t := range x.Tasks {
				work := s.p.Work[t][of.Core]
				s.alone[of.Core] += sign * x.share[c] * work
				if s.p.Shared != nil {
					s.shared[of.Core] += sign * x.share[c] * (s.p.Shared[t][of.Core] - work)
				}
				if s.p.Outside != nil {
					for _, l := range s.p.Outside[t][of.Core] {
						s.links[l.Link] += sign * x.share[c] * l.Load
					}
				}
			}
		}
		for _, t := range x.Tasks {
			for _, e := range s.incident[t] {
				other := s.unit[s.p.Edges[e].From] + s.unit[s.p.Edges[e].To] - u
				if other != u && !slices.Contains(at[:i], other) {
					s.cross(&s.p.Edges[e], sign)
				}
			}
		}
	}
}

// cross adds the costs of an edge between two units, for the part of its stream between different cores. It subtracts
// them if sign is -1.
func (s *state) cross(e *Edge, sign float64) {
	a, b := &s.slots[s.unit[e.From]], &s.slots[s.unit[e.To]]
	var both []float64
	if len(a.Copies) > 1 && len(b.Copies) > 1 {
		both = s.meet.of(a, b)
	}
	for i, x := range a.Copies {
		for j, y := range b.Copies {
			part := a.share[i] * b.share[j]
			if both != nil {
				part = both[i*len(b.Copies)+j]
			}
			if part > 0 && x.Core != y.Core {
				s.move(e, x.Core, y.Core, sign*part)
			}
		}
	}
}

// move adds the loads of a fraction of an edge's stream between two cores to the cores and links.
func (s *state) move(e *Edge, from, to int, part float64) {
	if e.Send != nil {
		s.alone[from] += part * e.Send[from]
	}
	if e.Receive != nil {
		s.alone[to] += part * e.Receive[to]
	}
	if s.p.Links == 0 {
		return
	}
	route := s.p.Routes[from*s.p.cores()+to]
	if len(route) == 0 {
		s.barred += int(math.Copysign(1, part))
		return
	}
	if e.Carried != nil {
		for _, l := range route {
			s.links[l] += part * e.Carried[l]
		}
	}
	if e.Sends != nil {
		s.alone[from] += part * e.Sends[route[0]]
	}
	if e.Receives != nil {
		s.alone[to] += part * e.Receives[route[len(route)-1]]
	}
}

// load returns the load of a core in the current plan.
func (s *state) load(core int) float64 {
	if s.tasks[core] > 1 {
		return s.alone[core] + s.shared[core]
	}
	return s.alone[core]
}

// value is the quality of a plan: its maximum load, and the logarithm of a norm of all loads. The norm distinguishes
// plans with equal maximum loads: lower other loads make further improvements more likely.
type value struct{ maximum, norm float64 }

// value returns the quality of the current plan. The norm is the 16-norm of the loads divided by scale.
func (s *state) value(scale float64) value {
	if s.barred > 0 {
		return value{math.Inf(1), math.Inf(1)}
	}
	v, sum := value{}, 0.0
	add := func(l float64) {
		v.maximum = max(v.maximum, l)
		l /= scale
		l *= l
		l *= l
		l *= l
		sum += l * l
	}
	for c := range s.alone {
		add(s.load(c))
	}
	for _, l := range s.links {
		add(l)
	}
	v.norm = math.Log(sum) / 16
	return v
}

func (v value) better(w value) bool {
	if v.maximum < w.maximum*(1-smallest) {
		return true
	}
	return v.maximum <= w.maximum*(1+smallest) && v.norm < w.norm-smallest
}

// LoadOf returns the maximum load of a core or link in a plan, in s per unit of throughput.
func LoadOf(p *Problem, units []Unit) float64 { return newState(p, clone(units)).value(1).maximum }

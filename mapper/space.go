package mapper

import (
	"fmt"
	"math/big"
	"slices"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/internal/unionfind"
)

// space is the set of mappings that a search may return. Kernels that must be together form one unit.
type space struct {
	problem       *flow.Problem
	routes        *flow.Routes
	units         [][]int // kernels of each unit
	unitOf        []int   // unit of each kernel
	allowed       [][]int // resources of each unit, ascending
	isIn          [][]bool
	separateUnits [][]int // by unit: units with which it must not share a resource
	near          [][]int // by unit: units that an edge connects to it
	class         []int   // by resource: class; equal for interchangeable resources
	byClass       [][]int // resources of each class, in ascending order
	// tooLarge lists, for each unit, the resources whose area is too small for this unit alone.
	tooLarge [][]int
	sizer    *buffers.Sizer // template for measurers; nil before the first
}

// newSpace computes the allowed resources of each unit. The error is a *NoMappingError that lists every contradiction.
func newSpace(p *flow.Problem, c *flow.Constraints) (*space, error) {
	return spaceWith(p, flow.NewRoutes(&p.Architecture), c)
}

// spaceWith is like newSpace, with given routes.
func spaceWith(p *flow.Problem, routes *flow.Routes, c *flow.Constraints) (*space, error) {
	if c == nil {
		c = &flow.Constraints{}
	}
	s := &space{problem: p, routes: routes}
	s.group(c)
	faults := s.allow(c)
	faults = append(faults, s.separate(c)...)
	if len(faults) > 0 {
		return nil, &NoMappingError{Proven: true, Faults: faults}
	}
	s.neighbors()
	s.classify()
	return s, nil
}

// group merges kernels that the constraints place together.
func (s *space) group(c *flow.Constraints) {
	sets := unionfind.New(len(s.problem.Application.Kernels))
	for _, g := range c.Together {
		for _, k := range g {
			sets.Union(k, g[0])
		}
	}
	s.units, s.unitOf = sets.Groups()
}

// merged returns the space in which units of the same group are one unit; nil if each group has only one unit. ok is
// false if no resource can run a group, or if constraints separate its units.
func (s *space) merged(group []int) (m *space, ok bool) {
	c := flow.Constraints{}
	for u, g := range group {
		if u != g {
			c.Together = append(c.Together, []int{s.units[g][0], s.units[u][0]})
		}
	}
	if len(c.Together) == 0 {
		return nil, true
	}
	c.Together = append(c.Together, s.units...)
	c.Fixed = make([][]int, len(s.unitOf))
	for k, u := range s.unitOf {
		c.Fixed[k] = s.allowed[u]
		for _, v := range s.separateUnits[u] {
			c.Separate = append(c.Separate, []int{k, s.units[v][0]})
		}
	}
	m, err := spaceWith(s.problem, s.routes, &c)
	return m, err == nil
}

// allow lists the resources of each unit. It returns a fault for each unit without a resource.
func (s *space) allow(c *flow.Constraints) []flow.Fault {
	p := s.problem
	var faults []flow.Fault
	s.allowed = make([][]int, len(s.units))
	s.isIn, s.tooLarge = make([][]bool, len(s.units)), make([][]int, len(s.units))
	for u, kernels := range s.units {
		s.isIn[u] = make([]bool, len(p.Architecture.Resources))
		tooLarge := ""
		for r := range p.Architecture.Resources {
			ok := true
			for _, k := range kernels {
				ok = ok && p.Figures[k][r].Available &&
					(len(c.Fixed) == 0 || c.Fixed[k] == nil || slices.Contains(c.Fixed[k], r)) &&
					(len(c.Forbidden) == 0 || !slices.Contains(c.Forbidden[k], r))
			}
			if ok && !s.fitsBeside(flow.Area{}, u, r) {
				ok = false
				tooLarge = p.Architecture.Resources[r].Name
				s.tooLarge[u] = append(s.tooLarge[u], r)
			}
			if ok {
				s.allowed[u] = append(s.allowed[u], r)
				s.isIn[u][r] = true
			}
		}
		if len(s.allowed[u]) == 0 {
			faults = append(faults, s.nowhere(c, kernels, tooLarge))
		}
	}
	return faults
}

// addArea adds the area of unit u on resource r to used.
func (s *space) addArea(used *flow.Area, u, r int) {
	for _, k := range s.units[u] {
		for kind, need := range &s.problem.Figures[k][r].Area {
			used[kind] += need
		}
	}
}

// fitsBeside reports whether a unit fits on a resource on which other units already use some area.
func (s *space) fitsBeside(used flow.Area, u, r int) bool {
	res := &s.problem.Architecture.Resources[r]
	if res.Sharing.Rule != flow.AreaOnly {
		return true
	}
	s.addArea(&used, u, r)
	for kind := range used {
		if used[kind] > res.Area[kind] {
			return false
		}
	}
	return true
}

// nowhere returns a fault with the reason why no resource can run a unit.
func (s *space) nowhere(c *flow.Constraints, kernels []int, tooLarge string) flow.Fault {
	p := s.problem
	names := ""
	for i, k := range kernels {
		if i > 0 {
			names += ", "
		}
		names += p.Application.Kernels[k].Name
	}
	f := flow.Fault{Kernels: kernels}
	if tooLarge != "" {
		f.Text = fmt.Sprintf("%s needs more area than %s has, and no other resource can run it", names, tooLarge)
		return f
	}
	if len(kernels) > 1 {
		f.Text = fmt.Sprintf("kernels %s must be together, but no resource can run them all", names)
		return f
	}
	k := kernels[0]
	var has []int
	for r := range p.Architecture.Resources {
		if p.Figures[k][r].Available {
			has = append(has, r)
		}
	}
	switch {
	case len(has) == 0:
		f.Text = fmt.Sprintf("kernel %s has no implementation for any resource", names)
	case len(c.Fixed) > 0 && c.Fixed[k] != nil:
		f.Text = fmt.Sprintf("kernel %s is fixed to %s, where it has no implementation or is forbidden", names,
			flow.ResourceNames(p, c.Fixed[k]))
	default:
		f.Text = fmt.Sprintf("kernel %s can run only on %s, but all of these are forbidden for it", names,
			flow.ResourceNames(p, has))
	}
	return f
}

// separate sets separateUnits from the constraints. It returns a fault for each contradiction.
func (s *space) separate(c *flow.Constraints) []flow.Fault {
	var faults []flow.Fault
	s.separateUnits = make([][]int, len(s.units))
	name := func(k int) string { return s.problem.Application.Kernels[k].Name }
	for _, g := range c.Separate {
		possible := make(map[int]bool)
		for i, k := range g {
			u := s.unitOf[k]
			for _, r := range s.allowed[u] {
				possible[r] = true
			}
			for _, other := range g[:i] {
				v := s.unitOf[other]
				if u == v && k != other {
					faults = append(faults, flow.Fault{Kernels: []int{other, k},
						Text: fmt.Sprintf("constraints require kernels %s and %s to be both together and "+
							"apart (remove one of these constraints)", name(other), name(k))})
					continue
				}
				if u != v && !slices.Contains(s.separateUnits[u], v) {
					s.separateUnits[u] = append(s.separateUnits[u], v)
					s.separateUnits[v] = append(s.separateUnits[v], u)
				}
			}
		}
		if len(g) > len(possible) {
			faults = append(faults, flow.Fault{Kernels: g, Text: fmt.Sprintf("%d kernels, starting with %s, must "+
				"be on different resources, but only %d resources can run them", len(g), name(g[0]), len(possible))})
		}
	}
	return faults
}

// neighbors sets near: for each unit, the units that an edge connects to it.
func (s *space) neighbors() {
	s.near = make([][]int, len(s.units))
	joined := make(map[[2]int]bool)
	for _, e := range s.problem.Application.Edges {
		u, v := s.unitOf[e.From], s.unitOf[e.To]
		if pair := [2]int{min(u, v), max(u, v)}; u != v && !joined[pair] {
			joined[pair] = true
			s.near[u] = append(s.near[u], v)
			s.near[v] = append(s.near[v], u)
		}
	}
}

// classify finds interchangeable resources: resources with equal sharing, area, figures, links and permitted kernels.
func (s *space) classify() {
	p := s.problem
	n := len(p.Architecture.Resources)
	s.class = make([]int, n)
	for r := range n {
		s.class[r] = r
		for q := range r {
			if s.class[q] == q && s.alike(q, r) {
				s.class[r] = q
				break
			}
		}
	}
	s.byClass = make([][]int, n)
	for r, c := range s.class {
		s.byClass[c] = append(s.byClass[c], r)
	}
}

// firstEmpty returns the first resource of r's class without units; -1 if there is none. units counts the units on
// each resource.
func (s *space) firstEmpty(units []int, r int) int {
	for _, q := range s.byClass[s.class[r]] {
		if units[q] == 0 {
			return q
		}
	}
	return -1
}

func (s *space) alike(q, r int) bool {
	p := s.problem
	a, b := &p.Architecture.Resources[q], &p.Architecture.Resources[r]
	if a.Platform != b.Platform || a.Memory != b.Memory || a.Area != b.Area || a.Sharing.Rule != b.Sharing.Rule ||
		a.Sharing.SwitchCost != b.Sharing.SwitchCost ||
		a.Power != b.Power || a.Idle != b.Idle || a.Price != b.Price {
		return false
	}
	for k := range p.Figures {
		f, g := p.Figures[k][q], p.Figures[k][r]
		if f.Available != g.Available || f.Available && (f.ServiceRate != g.ServiceRate ||
			f.CoLocationCost != g.CoLocationCost || f.SwitchCost != g.SwitchCost || f.SwitchKnown != g.SwitchKnown ||
			f.ReceiveCost != g.ReceiveCost || f.SendCost != g.SendCost ||
			f.MaxClock != g.MaxClock || f.Area != g.Area || !flow.SameContention(&f, &g)) {
			return false
		}
	}
	for l := range p.Architecture.Links {
		link := &p.Architecture.Links[l]
		for _, ends := range [][]int{link.Endpoints, link.From, link.To} {
			if slices.Contains(ends, q) != slices.Contains(ends, r) {
				return false
			}
		}
	}
	for u := range s.units {
		if s.isIn[u][q] != s.isIn[u][r] {
			return false
		}
	}
	return true
}

// size returns the number of placements, including those that differ only in the names of equal resources. It ignores
// area, and constraints that separate kernels.
func (s *space) size() *big.Int {
	times := make(map[int]int64) // units, by number of resources
	for _, a := range s.allowed {
		times[len(a)]++
	}
	n := big.NewInt(1)
	for choices, units := range times { // a product of one factor at a time would need quadratic time
		n.Mul(n, new(big.Int).Exp(big.NewInt(int64(choices)), big.NewInt(units), nil))
	}
	return n
}

func (s *space) mirrors() bool {
	return slices.ContainsFunc(s.byClass, func(of []int) bool { return len(of) > 1 })
}

// keyOf returns a string that identifies a placement and its routes. Interchangeable resources are numbered within
// their class by first use, so that mappings that differ only in their names have the same key. The first placeBytes
// per kernel encode the placement.
func keyOf[T int | int32](s *space, place []T, route func(edge int) []int) string {
	number := make(map[T]uint16)
	next := make(map[int]uint16)
	key := make([]byte, 0, placeBytes*len(place)+2*len(s.problem.Application.Edges))
	for _, r := range place {
		n, ok := number[r]
		if !ok {
			n = next[s.class[r]]
			next[s.class[r]]++
			number[r] = n
		}
		key = append(key, byte(s.class[r]), byte(s.class[r]>>8), byte(n), byte(n>>8))
	}
	for e := range s.problem.Application.Edges {
		for _, l := range route(e) {
			key = append(key, byte(l), byte(l>>8))
		}
		key = append(key, 0xff, 0xff)
	}
	return string(key)
}

// placeBytes is the size of a kernel's place in a key.
const placeBytes = 4

// canonical renames interchangeable resources in the order of their first kernels, so that mappings are easy to read
// and compare. Routes stay the same, because interchangeable resources share their links.
func (s *space) canonical(m *flow.Mapping) *flow.Mapping {
	byClass := make(map[int][]int)
	for r, c := range s.class {
		byClass[c] = append(byClass[c], r)
	}
	name := make(map[int]int)
	out := &flow.Mapping{Place: make([]int, len(m.Place)), Route: m.Route}
	for k, r := range m.Place {
		if _, ok := name[r]; !ok {
			c := s.class[r]
			name[r] = byClass[c][0]
			byClass[c] = byClass[c][1:]
		}
		out.Place[k] = name[r]
	}
	return out
}

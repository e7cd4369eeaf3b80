package mapper

import (
	"math/rand/v2"
	"slices"

	"xopt/flow"
)

// walkTries is the number of failed random walks after which draw constructs a mapping by backtracking.
const walkTries = 200

const backtrackNodes = 200_000

// RandomWalk draws a mapping as in Beard 2013 §4.4. It draws a random set of resources, and a random first kernel for
// each. A random walk along the edges starts at each first kernel, and places the unplaced kernels that it reaches on
// the same resource. It checks the constraints at each step. The error is a *NoMappingError.
func RandomWalk(p *flow.Problem, c *flow.Constraints, rng *rand.Rand) (*flow.Mapping, error) {
	s, err := newSpace(p, c)
	if err != nil {
		return nil, err
	}
	w := newWalker(s)
	if !w.draw(rng) {
		return nil, w.failure()
	}
	return w.mapping(), nil
}

// walker draws random mappings by placing units one by one.
type walker struct {
	*space
	at     []int // resource of each unit; -1 if unplaced
	area   []flow.Area
	nodes  int
	proven bool
}

func newWalker(s *space) *walker {
	return &walker{space: s, at: make([]int, len(s.units)), area: make([]flow.Area,
		len(s.problem.Architecture.Resources))}
}

// draw draws a mapping by random walks. It returns false if a unit does not fit.
func (w *walker) draw(rng *rand.Rand) bool {
	for range walkTries {
		if w.walk(rng) {
			return true
		}
	}
	return w.construct(rng)
}

func (w *walker) clear() {
	for u := range w.at {
		w.at[u] = -1
	}
	clear(w.area)
}

// walk tries to draw one mapping. It returns false if a unit does not fit.
func (w *walker) walk(rng *rand.Rand) bool {
	w.clear()
	resources := rng.Perm(len(w.problem.Architecture.Resources))
	resources = resources[:1+rng.IntN(len(resources))]
	var walks []int // one placed unit per walk
	for _, r := range resources {
		var candidates []int
		for u := range w.at {
			if w.at[u] < 0 && w.fits(u, r) {
				candidates = append(candidates, u)
			}
		}
		if len(candidates) > 0 {
			u := candidates[rng.IntN(len(candidates))]
			w.put(u, r)
			walks = append(walks, u)
		}
	}
	left := 0
	for u := range w.at {
		if w.at[u] < 0 {
			left++
		}
	}
	for left > 0 {
		if !w.step(rng, &walks, resources) {
			return false
		}
		left--
	}
	return true
}

// step places one more unit: a walk moves from a placed unit to random neighbors until it reaches an unplaced unit.
// step returns false if no unit can be placed.
func (w *walker) step(rng *rand.Rand, walks *[]int, resources []int) bool {
	u, r := -1, -1
	if len(*walks) > 0 {
		i := rng.IntN(len(*walks))
		at := (*walks)[i]
		r = w.at[at]
		for range min(4*len(w.at), maxSteps) {
			if len(w.near[at]) == 0 {
				break
			}
			at = w.near[at][rng.IntN(len(w.near[at]))]
			if w.at[at] < 0 {
				u = at
				break
			}
			(*walks)[i] = at
			r = w.at[at]
		}
	}
	if u < 0 { // the walk reached no unplaced unit; use another part of the application
		u = w.open(rng)
	}
	if r < 0 || !w.fits(u, r) {
		r = -1
		for _, i := range rng.Perm(len(resources)) {
			if w.fits(u, resources[i]) {
				r = resources[i]
				break
			}
		}
	}
	if r < 0 { // none of the drawn resources is suitable
		var all []int
		for _, q := range w.allowed[u] {
			if w.fits(u, q) {
				all = append(all, q)
			}
		}
		if len(all) == 0 {
			return false
		}
		r = all[rng.IntN(len(all))]
	}
	w.put(u, r)
	*walks = append(*walks, u)
	return true
}

// maxSteps limits the number of moves of a random walk to the next unplaced unit.
const maxSteps = 400

// maxListed is the maximum number of units with which open draws an unplaced unit from a list. If there are more units,
// open returns the first unplaced unit from a random index on.
const maxListed = 1000

func (w *walker) open(rng *rand.Rand) int {
	if n := len(w.at); n > maxListed {
		u := rng.IntN(n)
		for w.at[u] >= 0 {
			u = (u + 1) % n
		}
		return u
	}
	var open []int
	for v := range w.at {
		if w.at[v] < 0 {
			open = append(open, v)
		}
	}
	return open[rng.IntN(len(open))]
}

// fits reports whether a unit may be placed on a resource: constraints, area and routes to the placed units permit it.
func (w *walker) fits(u, r int) bool {
	if !w.isIn[u][r] || slices.ContainsFunc(w.separateUnits[u], func(v int) bool { return w.at[v] == r }) {
		return false
	}
	for _, v := range w.near[u] {
		if q := w.at[v]; q >= 0 && q != r && len(w.routes.Between(q, r)) == 0 {
			return false
		}
	}
	return w.fitsBeside(w.area[r], u, r)
}

func (w *walker) put(u, r int) {
	w.at[u] = r
	w.addArea(&w.area[r], u, r)
}

// construct searches for a mapping by backtracking, starting with the units that have the fewest allowed resources. It
// returns false if it finds none.
func (w *walker) construct(rng *rand.Rand) bool {
	w.clear()
	w.nodes, w.proven = 0, false
	found := w.place(rng)
	w.proven = !found && w.nodes < backtrackNodes
	return found
}

func (w *walker) place(rng *rand.Rand) bool {
	if w.nodes++; w.nodes >= backtrackNodes {
		return false
	}
	best, fewest := -1, 0
	for u := range w.at {
		if w.at[u] >= 0 {
			continue
		}
		n := 0
		for _, r := range w.allowed[u] {
			if w.fits(u, r) {
				n++
			}
		}
		if best < 0 || n < fewest {
			best, fewest = u, n
		}
	}
	if best < 0 {
		return true
	}
	for _, i := range rng.Perm(len(w.allowed[best])) {
		r := w.allowed[best][i]
		if !w.fits(best, r) {
			continue
		}
		saved := w.area[r]
		w.put(best, r)
		if w.place(rng) {
			return true
		}
		w.at[best], w.area[r] = -1, saved
	}
	return false
}

// mapping returns the placement with default routes.
func (w *walker) mapping() *flow.Mapping {
	m := &flow.Mapping{Place: make([]int, len(w.unitOf)), Route: make([][]int, len(w.problem.Application.Edges))}
	for k, u := range w.unitOf {
		m.Place[k] = w.at[u]
	}
	return m
}

// failure returns the reason why no mapping was found.
func (w *walker) failure() error {
	e := &NoMappingError{Proven: w.proven}
	if !w.proven {
		return e
	}
	text := "each kernel can be placed alone, but not all of them at once"
	limits := []string{}
	if slices.ContainsFunc(w.problem.Architecture.Resources,
		func(r flow.Resource) bool { return r.Sharing.Rule == flow.AreaOnly }) {
		limits = append(limits, "area")
	}
	if slices.ContainsFunc(w.separateUnits, func(a []int) bool { return len(a) > 0 }) {
		limits = append(limits, "apart constraints")
	}
	limits = append(limits, "missing links between resources")
	for i, l := range limits {
		sep := ", "
		switch {
		case i == 0:
			sep = ", because of "
		case i == len(limits)-1:
			sep = " or "
		}
		text += sep + l
	}
	e.Faults = []flow.Fault{{Text: text}}
	return e
}

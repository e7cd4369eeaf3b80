package flow

import "math"

// This file maintains the sums of pressure and sensitivity on the cores, for [Network] and [Scorer]. A move changes
// these sums in the same way as loads.

// scorerContention contains the contention of a Scorer's mapping. It is nil if no kernel slows another kernel.
type scorerContention struct {
	*contentionTables
	on  []pressing // resource × blocks
	all []levels   // memory × blocks: sum of the pressures of all resources on the memory

	scale  float64   // unit of a product of two loads, in squared units of loads
	square []float64 // by resource, if solved: the load due to contention, divided by the squared flow
	max    float64   // maximum effective load, if solved
	flow   float64   // flow that determines the slowdown of kernels in cycles, in units of loads
}

// levels is a block of up to four levels of pressure. The levels are integers, in a unit with which their total stays
// below 2^53. Therefore sums are exact, and subtraction exactly reverts addition.
type levels [4]float64

// pressing contains the pressure and the sensitivity of a kernel, or of a core with all of its kernels.
type pressing struct{ press, suffer levels }

// contentionTables contains the constants of a problem's contention.
type contentionTables struct {
	blocks   int   // number of blocks of each kernel on each resource
	memory   []int // by resource, -1 for none
	memories int
	of       []pressing // kernel × resource × blocks
	levels   []float64  // of pressure, ascending
	// pressUnit and sufferUnit are the units of pressure and sensitivity, per byte/s of the free source.
	pressUnit, sufferUnit float64
	each                  []bool // by resource: shared equally, so that each kernel has its own limit
}

// exactBits is the size of a float64's significand in bits.
const exactBits = 53

// newContentionTables returns the tables of a problem; nil without contention.
func newContentionTables(p *Prepared) *contentionTables {
	c := newContention(p.Problem, p.Flows)
	if c == nil {
		return nil
	}
	n := len(c.levels)
	pressure, suffer := 0.0, 0.0
	for i := range c.press {
		pressure += c.press[i]
		suffer += c.suffer[i]
	}
	unitOf := func(total float64) float64 {
		_, exponent := math.Frexp(total)
		return math.Ldexp(1, exponent-exactBits)
	}
	pressUnit, sufferUnit := unitOf(pressure), unitOf(suffer)
	size := len(levels{})
	x := &contentionTables{blocks: (n + size - 1) / size, memory: c.memory, memories: c.memories, levels: c.levels,
		pressUnit: pressUnit, sufferUnit: sufferUnit}
	resources := len(p.Architecture.Resources)
	rows := len(p.Figures) * resources
	x.of = make([]pressing, rows*x.blocks)
	for row := range rows {
		for l := range n {
			of := &x.of[row*x.blocks+l/size]
			of.press[l%size] = math.Round(c.press[row*n+l] / pressUnit)
			of.suffer[l%size] = math.Round(c.suffer[row*n+l] / sufferUnit)
		}
	}
	for r := range resources {
		x.each = append(x.each, p.Architecture.Resources[r].Sharing.Rule == Equal)
	}
	return x
}

// newScorerContention returns the contention of a mapping without kernels, for loads in the given unit; nil if no
// kernel slows another.
func newScorerContention(t *contentionTables, unit float64) *scorerContention {
	if t == nil {
		return nil
	}
	n := len(t.memory) * t.blocks
	return &scorerContention{contentionTables: t, on: make([]pressing, n), all: make([]levels, t.memories*t.blocks),
		square: make([]float64, len(t.memory)), scale: t.pressUnit / unit * (t.sufferUnit / unit)}
}

func (x *scorerContention) clone() *scorerContention {
	if x == nil {
		return nil
	}
	c := newScorerContention(x.contentionTables, 1)
	c.scale = x.scale
	copy(c.on, x.on)
	copy(c.all, x.all)
	return c
}

func (x *scorerContention) clear() {
	if x != nil {
		clear(x.on)
		clear(x.all)
	}
}

// enter adds a kernel to a resource.
func (x *scorerContention) enter(r, k int32) {
	m := x.memory[r]
	if m < 0 {
		return
	}
	from, at, all := (int(k)*len(x.memory)+int(r))*x.blocks, int(r)*x.blocks, m*x.blocks
	for b := range x.blocks {
		of, on := &x.of[from+b], &x.on[at+b]
		on.press.add(&of.press)
		on.suffer.add(&of.suffer)
		x.all[all+b].add(&of.press)
	}
}

// leave removes a kernel from a resource.
func (x *scorerContention) leave(r, k int32) {
	m := x.memory[r]
	if m < 0 {
		return
	}
	from, at, all := (int(k)*len(x.memory)+int(r))*x.blocks, int(r)*x.blocks, m*x.blocks
	for b := range x.blocks {
		of, on := &x.of[from+b], &x.on[at+b]
		on.press.subtract(&of.press)
		on.suffer.subtract(&of.suffer)
		x.all[all+b].subtract(&of.press)
	}
}

func (l *levels) add(other *levels) {
	l[0] += other[0]
	l[1] += other[1]
	l[2] += other[2]
	l[3] += other[3]
}

func (l *levels) subtract(other *levels) {
	l[0] -= other[0]
	l[1] -= other[1]
	l[2] -= other[2]
	l[3] -= other[3]
}

// under returns the slowdown of a core's kernels due to the pressure of all other cores.
func (l *levels) under(all, own *levels) float64 {
	return l[0]*(all[0]-own[0]) + l[1]*(all[1]-own[1]) + (l[2]*(all[2]-own[2]) + l[3]*(all[3]-own[3]))
}

// squareOf returns the load that contention adds to a resource, divided by the square of the flow.
func (x *scorerContention) squareOf(r, m int) float64 {
	sum := 0.0
	for b := range x.blocks {
		on := &x.on[r*x.blocks+b]
		sum += on.suffer.under(&x.all[m*x.blocks+b], &on.press)
	}
	return sum * x.scale
}

// squareOfMember returns the load that contention adds to one kernel, divided by the square of the flow.
func (x *scorerContention) squareOfMember(k, r int) float64 {
	m := x.memory[r]
	if m < 0 {
		return 0
	}
	sum := 0.0
	for b := range x.blocks {
		of := &x.of[(k*len(x.memory)+r)*x.blocks+b]
		sum += of.suffer.under(&x.all[m*x.blocks+b], &x.on[r*x.blocks+b].press)
	}
	return sum * x.scale
}

// slowdownOf returns the slowdown minus 1 of a kernel on a resource, per byte/s of the free source.
func (x *scorerContention) slowdownOf(c *Contention, r int) float64 {
	m, sum, size := x.memory[r], 0.0, len(levels{})
	if m < 0 || c == nil {
		return 0
	}
	for l, level := range x.levels {
		b := l / size
		others := x.all[m*x.blocks+b][l%size] - x.on[r*x.blocks+b].press[l%size]
		sum += (c.At(level) - 1) * others * x.pressUnit
	}
	return sum
}

// contended returns the largest effective load with contention.
func (s *Scorer) contended() float64 {
	x := s.contention
	if s.solved {
		return x.max
	}
	maximum := s.max
	for r, m := range x.memory {
		if m < 0 || s.count[r] == 0 {
			continue
		}
		if x.each[r] {
			s.ranked[r].each(func(k int32) {
				n := float64(s.count[r])
				maximum = max(maximum, effective(s.memberLoad(r, k, 0)*n, x.squareOfMember(int(k), r)*n, s.phi))
			})
			continue
		}
		square := x.squareOf(r, m)
		x.square[r] = square
		// effective exceeds maximum if and only if maximum² < load · maximum + φ square
		if load := s.load[r]; maximum*(maximum-load) < s.phi*square {
			maximum = effective(load, square, s.phi)
		}
	}
	if s.waiting != nil && maximum > 0 {
		maximum = s.contendedCycles(maximum)
	}
	x.max, s.solved = maximum, true
	return maximum
}

// contendedCycles returns the maximum load, including the cycles that contention slows; maximum is the load of
// resources and links. The result is +Inf if no data move.
func (s *Scorer) contendedCycles(maximum float64) float64 {
	flow := allowed(s.phi/maximum, func(flow float64) float64 {
		s.contention.flow = flow
		s.turn()
		turning := 0.0
		for i, c := range s.Flows.circles {
			turning = max(turning, c.turns[0]*s.waiting.ratio[i]*s.phi/s.unit)
		}
		return s.phi / turning
	})
	if s.stuck() {
		return math.Inf(1)
	}
	return max(maximum, s.phi/flow)
}

// slowedLoad returns the load of a resource or link, including contention, at a flow in units of loads.
func (s *Scorer) slowedLoad(c int, flow float64) float64 {
	load, x := s.load[c]*flow, s.contention
	switch {
	case x == nil || c >= s.resources || x.memory[c] < 0 || s.count[c] == 0:
		return load
	case !x.each[c]:
		return load + x.square[c]*flow*flow
	}
	n := float64(s.count[c])
	s.ranked[c].each(func(k int32) {
		load = max(load, n*(s.memberLoad(c, k, 0)*flow+x.squareOfMember(int(k), c)*flow*flow))
	})
	return load
}

// slower returns the load that contention adds to a kernel per unit of flow, at the flow in scorerContention.flow.
func (s *Scorer) slower(k, r int) float64 {
	if s.contention == nil {
		return 0
	}
	return s.contention.squareOfMember(k, r) * s.contention.flow
}

package flow

import (
	"fmt"
	"math"
	"slices"
)

// Contention describes how a kernel and the kernels on other cores of the same memory slow each other down. Calibration
// measures contention as in Bubble-Up (Mars et al., MICRO 2011). The unit is the pressure level of a program with an
// adjustable load on caches and memory.
type Contention struct {
	// Pressure is the level that slows other kernels as much as this kernel does at full speed. Pressure is 0 if this
	// kernel slows no other kernel.
	Pressure float64
	// Curve maps pressure levels to the factor on the kernel's execution time. Levels and factors increase along the
	// curve. Curve is empty for a kernel that no pressure slows.
	Curve []Slowdown
}

// Slowdown is a point of a curve.
type Slowdown struct {
	Level float64 // pressure, above 0
	Times float64 // execution time divided by the time alone, at least 1
}

// At returns the factor on the execution time at a pressure level. The factor is 1 at level 0, linear between the
// points of the curve, and constant after the last point.
func (c *Contention) At(level float64) float64 {
	if c == nil {
		return 1
	}
	before := Slowdown{Level: 0, Times: 1}
	for _, p := range c.Curve {
		if level < p.Level {
			return before.Times + (p.Times-before.Times)*max(0, level-before.Level)/(p.Level-before.Level)
		}
		before = p
	}
	return before.Times
}

// validate returns a description of the first error, or "".
func (c *Contention) validate() string {
	if !(c.Pressure >= 0) || math.IsInf(c.Pressure, 1) {
		return fmt.Sprintf("pressure is %g, expected a finite level of at least 0", c.Pressure)
	}
	before := Slowdown{Level: 0, Times: 1}
	for _, p := range c.Curve {
		if !(p.Level > before.Level) || math.IsInf(p.Level, 1) || !(p.Times >= before.Times) || math.IsInf(p.Times, 1) {
			return fmt.Sprintf("slowdown %g at level %g follows slowdown %g at level %g, expected increasing values",
				p.Times, p.Level, before.Times, before.Level)
		}
		before = p
	}
	return ""
}

// equal reports whether c and d are equal; nil equals only nil.
func (c *Contention) equal(d *Contention) bool {
	if c == nil || d == nil {
		return c == d
	}
	return c.Pressure == d.Pressure && slices.Equal(c.Curve, d.Curve)
}

// SameContention reports whether a kernel has the same contention in both figures.
func SameContention(a, b *Figures) bool { return a.Contention.equal(b.Contention) }

// contention expresses the contention of a problem as sums over kernels. Contention multiplies the service time of a
// kernel k by
//
//	s = 1 + Σ λj/μj (Sk(pj) - 1)
//
// The sum is over the kernels j on other cores of the same memory. λj/μj is the fraction of full speed at which j
// works, and Sk is the curve of k.
//
// The levels l are the levels of all curves. The hat function h(l, p) is the weight of level l in pressure p. Therefore
// Sk(p) - 1 is exactly Σ (Sk(l) - 1) h(l, p) over the levels l. Two sums over kernels determine the contention at each
// level: the pressure of a core, Σ λj/μj h(l, pj), and the sensitivity of its kernels, Σ λk/μk (Sk(l) - 1). Contention
// adds the product of pressure and sensitivity to the load of a core, so it grows with the square of the flow.
type contention struct {
	levels   []float64
	memory   []int // by resource; -1 if it shares no memory
	memories int
	press    []float64 // kernel × resource × level, per byte/s of the free source
	suffer   []float64 // kernel × resource × level: sensitivity, per byte/s of the free source
}

// newContention returns the contention of a problem. It returns nil if no kernel slows another kernel, or if there are
// several free sources (see [Network.unknownContention]).
func newContention(p *Problem, flows *Flows) *contention {
	if flows.Free > 1 || !p.contends() {
		return nil
	}
	resources := len(p.Architecture.Resources)
	c := &contention{memory: make([]int, resources)}
	number := make(map[string]int)
	for r := range p.Architecture.Resources {
		name := p.Architecture.Resources[r].Memory
		if c.memory[r] = -1; name == "" || p.Architecture.Resources[r].Sharing.Rule == AreaOnly {
			continue
		}
		if _, isKnown := number[name]; !isKnown {
			number[name] = len(number)
		}
		c.memory[r] = number[name]
	}
	c.memories = len(number)
	for k := range p.Figures {
		for r := range p.Figures[k] {
			if x := p.Figures[k][r].Contention; x != nil && p.Figures[k][r].Available && c.memory[r] >= 0 {
				for _, point := range x.Curve {
					c.levels = append(c.levels, point.Level)
				}
			}
		}
	}
	slices.Sort(c.levels)
	c.levels = slices.Compact(c.levels)
	c.fill(p, flows)
	return c
}

// contends reports whether a kernel can slow another kernel: a sensitive kernel and a kernel with pressure can run on
// two resources of one memory.
func (p *Problem) contends() bool {
	type has struct{ presses, suffers []int }
	of := make(map[string]*has)
	for k := range p.Figures {
		for r := range p.Figures[k] {
			f, res := &p.Figures[k][r], &p.Architecture.Resources[r]
			if !f.Available || f.Contention == nil || res.Memory == "" || res.Sharing.Rule == AreaOnly {
				continue
			}
			h := of[res.Memory]
			if h == nil {
				h = &has{}
				of[res.Memory] = h
			}
			if f.Contention.Pressure > 0 && !slices.Contains(h.presses, r) {
				h.presses = append(h.presses, r)
			}
			if f.Contention.At(math.Inf(1)) > 1 && !slices.Contains(h.suffers, r) {
				h.suffers = append(h.suffers, r)
			}
		}
	}
	for _, h := range of {
		for _, r := range h.suffers {
			if len(h.presses) > 1 || len(h.presses) == 1 && h.presses[0] != r {
				return true
			}
		}
	}
	return false
}

// fill computes the pressure and the sensitivity of all kernels.
func (c *contention) fill(p *Problem, flows *Flows) {
	resources, levels := len(p.Architecture.Resources), len(c.levels)
	c.press = make([]float64, len(p.Figures)*resources*levels)
	c.suffer = make([]float64, len(p.Figures)*resources*levels)
	for k := range p.Figures {
		for r := range resources {
			f := &p.Figures[k][r]
			if !f.Available || f.Contention == nil || c.memory[r] < 0 {
				continue
			}
			alone := flows.Arrival(k)[0] * f.TimePerByte()
			at := (k*resources + r) * levels
			for l, level := range c.levels {
				c.press[at+l] = alone * c.part(l, f.Contention.Pressure)
				c.suffer[at+l] = alone * (f.Contention.At(level) - 1)
			}
		}
	}
}

// part returns h(l, p): the weight of level l in a pressure.
func (c *contention) part(l int, pressure float64) float64 {
	at, below := c.levels[l], 0.0
	if l > 0 {
		below = c.levels[l-1]
	}
	switch {
	case pressure <= below:
		return 0
	case pressure < at:
		return (pressure - below) / (at - below)
	case l == len(c.levels)-1 || pressure == at:
		return 1
	}
	above := c.levels[l+1]
	return max(0, (above-pressure)/(above-at))
}

// effective returns the load without contention that permits the same flow z as a load with contention. The flow z is
// the root of square z² + load z = φ, and the result is φ/z.
func effective(load, square, phi float64) float64 {
	return (load + math.Sqrt(load*load+4*phi*square)) / 2
}

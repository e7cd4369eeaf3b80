package calibrate

import (
	"fmt"
	"math"
	"slices"

	"xopt/calibrate/faults"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/profile/goodtime"
	"xopt/internal/fault"
	"xopt/internal/units"
)

const (
	// ringSlack is the largest plausible cost of an element at one end of an edge, as a multiple of the measured time
	// of a message. This time is that of the slower end, for consecutive messages of equal size.
	ringSlack = 3
	cacheLine = 64 // bytes
)

// ring contains the measured costs of ring buffers between cores of this machine.
type ring struct {
	message, perByte float64 // s
	line             float64 // transfer time of a cache line between cores, in s; 0 if not measured
}

// ringOf returns the costs of ring buffers from a profile; false if the link between cores was not measured.
func ringOf(p *profile.Profile) (ring, bool) {
	for i := range p.Links {
		l := &p.Links[i]
		if l.Where != betweenCores && l.Where != "" || l.Bandwidth == nil || l.TransferCost == nil || l.Link != "" {
			continue
		}
		r := ring{message: l.TransferCost.Value, perByte: 1 / l.Bandwidth.Value}
		if l.Distance != nil {
			r.line = l.Distance.Good
		}
		return r, true
	}
	return ring{}, false
}

// perByteOf returns the largest plausible cost of sending or receiving elements of a size, in s/byte. It is the larger
// of two costs: ringSlack times the time of messages of this size, and the transfer of a single element's cache lines
// and of the ring's index.
func (r *ring) perByteOf(bytes float64) float64 {
	lines := 1 + math.Ceil(bytes/cacheLine)
	return math.Max(ringSlack*(r.message+bytes*r.perByte), lines*r.line) / bytes
}

// moving is the send or receive cost of a kernel, with the size of its smallest element.
type moving struct {
	kernel *profile.Kernel
	cost   *profile.Figure
	side   string // "send" or "receive"
	bytes  float64
}

// movings returns the send and receive costs in a profile of kernels on cores.
func movings(d *design.Design, p *profile.Profile) []moving {
	var list []moving
	for i := range p.Kernels {
		k := &p.Kernels[i]
		kernel := onCore(d, k)
		if kernel == nil {
			continue
		}
		for _, x := range []moving{{k, k.SendCost, "send", smallestElement(kernel.Outputs)},
			{k, k.ReceiveCost, "receive", smallestElement(kernel.Inputs)}} {
			if x.cost.State() != profile.Absent && !math.IsInf(x.bytes, 1) {
				list = append(list, x)
			}
		}
	}
	return list
}

// bound replaces implausibly high send and receive costs by the largest plausible costs (perByteOf). It returns the
// kernels to measure again, in descending order of the excess.
func bound(d *design.Design, p *profile.Profile) (again []Doubt) {
	ring, ok := ringOf(p)
	if !ok {
		return nil
	}
	list := movings(d, p)
	type change struct {
		moving
		max float64
	}
	var changes []change
	for i := range list {
		x := &list[i]
		if maximum := ring.perByteOf(x.bytes); x.cost.Value > maximum && len(x.cost.Refined) == 0 {
			changes = append(changes, change{*x, maximum})
		}
	}
	slices.SortStableFunc(changes, func(x, y change) int {
		return -int(math.Copysign(1, x.cost.Value/x.max-y.cost.Value/y.max))
	})
	for _, x := range changes {
		again = append(again, Doubt{x.kernel.Instance, fmt.Sprintf("its %s cost of %.3g ns/B is higher than "+
			"possible for elements of %g B on this machine: xopt uses %.3g ns/B", x.side, 1e9*x.cost.Value, x.bytes,
			1e9*x.max)})
		x.cost.Bound(x.max)
		if x.kernel.Doubt == "" {
			x.kernel.Doubt = "the cost of moving elements was implausible"
		}
	}
	return again
}

const (
	// nearBytes is the number of bytes that the probe "near vectors" reads from the first-level cache in a turn: two
	// arrays of NEAR_FLOATS floats, NEAR_PASSES times (deploy/runtime/reference.c).
	nearBytes = 160 * 2 * 1024 * 4
	// nearSlack is the largest plausible rate of a kernel, as a multiple of the rate of this probe. The probe reads
	// vectors of 16 bytes, and the widest vectors of processors have 64 bytes.
	nearSlack = 4
)

// farOff is the largest plausible factor between a window's cost and the median, in either direction. A busy machine
// slows windows by a small factor. Inconsistent counts, or a process without a processor, cause errors of orders of
// magnitude.
const farOff = 8

// plausible reports, by window, whether its cost is plausible, and whether enough windows agree for a figure. minimum
// is the lowest physically possible cost; 0 if unknown. If at most half of the costs reach minimum, plausible ignores
// minimum, because the kernel does not access its elements. [boundRates] reports such kernels.
func plausible(costs []float64, minimum float64) (counts []bool, agree bool) {
	counts = make([]bool, len(costs))
	possible := make([]float64, 0, len(costs))
	for _, c := range costs {
		if c >= minimum {
			possible = append(possible, c)
		}
	}
	if 2*len(possible) <= len(costs) {
		possible, minimum = costs, 0
	}
	middle, n := profile.MedianOf(possible).Value, 0
	for i, c := range costs {
		if counts[i] = c >= minimum && c <= farOff*middle && c >= middle/farOff; counts[i] {
			n++
		}
	}
	return counts, len(costs) < profile.FewestWindows || 2*n > len(costs)
}

// without returns the items of a list for which counts is true.
func without[T any](list []T, counts []bool) []T {
	out := make([]T, 0, len(list))
	for i, x := range list {
		if counts[i] {
			out = append(out, x)
		}
	}
	return out
}

// minCost returns the lowest possible cost in s/byte of a kernel that accesses its elements; 0 if the reference load
// yields no bound.
func (m *reference) minCost() float64 {
	if m == nil || len(m.probes) == 0 {
		return 0
	}
	return m.undisturbedProbes()[slices.Index(goodtime.ProbeNames(), nearProbe)] / (nearSlack * nearBytes)
}

// nearProbe is the probe that reads the first-level cache.
const nearProbe = "near vectors"

// cacheRate returns the maximum rate in bytes/s at which a kernel can access data on the machine of a profile; +Inf if
// unknown.
func cacheRate(p *profile.Profile) float64 {
	if p.Reference != nil {
		for i := range p.Reference.Probes {
			if f := &p.Reference.Probes[i]; f.Name == nearProbe && f.Good > 0 {
				return nearSlack * nearBytes / f.Good
			}
		}
	}
	return math.Inf(1)
}

// boundRates replaces service rates that are too high for accessing the elements by the largest plausible rate, as a
// lower bound. It returns a warning for each of these kernels. Such a kernel does not access its elements, because of
// its source code or because the compiler removed its work.
func boundRates(p *profile.Profile) (warnings []fault.Note) {
	maximum := cacheRate(p)
	for i := range p.Kernels {
		k := &p.Kernels[i]
		f := k.ServiceRate
		if f == nil || k.How != "" || k.Elsewhere != "" || len(f.Refined) > 0 {
			continue
		}
		if f.Value > maximum {
			f.Bounded = max(f.Bounded, f.Value)
			f.Value, f.CI95, f.AtLeast = maximum, [2]float64{}, true
		} else if f.CI95[1] > maximum {
			f.CI95[1] = maximum
		}
		if f.Bounded > 0 {
			warnings = append(warnings, faults.RateImplausible.Notef("%s was measured at %s, but the caches of this "+
				"machine deliver at most %s: the kernel does not access its elements, or the compiler removed its "+
				"work. Predictions use at least %s", k.Instance, units.Rate(f.Bounded), units.Rate(maximum),
				units.Rate(f.Value)))
		}
	}
	return warnings
}

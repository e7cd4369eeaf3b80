package design

import (
	"fmt"
	"math"
	"strings"

	"xopt/flow"
	"xopt/flow/profile"
	"xopt/internal/units"
)

// base is the measurement of a service rate, and the clock to which clockStep converts the rate.
type base struct {
	measured *profile.Kernel
	clock    float64 // Hz; 0 if the rate follows no clock
	note     string  // note that the clock differs from the clock of the measurement
}

// step is one change of a service rate.
type step struct {
	name string
	note string                     // note for the origin of the rate
	rate func(rate float64) float64 // returns the rate after the step; nondecreasing
	// isLimit reports whether the step does not change rates below a limit.
	isLimit bool
}

// adjustRates computes the service rates of the model: each measured or stated rate times all its factors. Limits
// depend on the rate, so the order of the steps matters.
func (b *builder) adjustRates() {
	for k := range b.p.Figures {
		for r := range b.p.Figures[k] {
			fig := &b.p.Figures[k][r]
			if !fig.Available || !(fig.ServiceRate > 0) {
				continue
			}
			for _, s := range []step{b.driftStep(k, r), b.clockStep(k, r), b.instancesStep(k, r), b.crossingStep(k, r),
				b.copiesStep(k, r), b.widthStep(k, r)} {
				if s.rate != nil {
					adjust(fig, s)
				}
			}
		}
	}
}

func adjust(fig *flow.Figures, s step) {
	was := fig.ServiceRate
	now := s.rate(was)
	if now == was && s.isLimit {
		return
	}
	fig.ServiceRate = now
	if fig.Low > 0 {
		fig.Low = s.rate(fig.Low)
	}
	if fig.High > 0 {
		fig.High = s.rate(fig.High)
	}
	fig.Note = strings.TrimPrefix(fig.Note+"; "+s.note, "; ")
	fig.Factors = append(fig.Factors, flow.Factor{Name: s.name, Times: now / was})
}

// limit returns a step that limits a rate.
func limit(name, note string, maximum float64) step {
	return step{name: name, note: note, isLimit: true, rate: func(rate float64) float64 {
		return math.Min(rate,
			maximum)
	}}
}

// times returns a step that multiplies a rate.
func times(name, note string, factor float64) step {
	return step{name: name, note: note, rate: func(rate float64) float64 { return rate * factor }}
}

// drifted records that a rate is stated for a clock with drift.
func (b *builder) drifted(k, r int) {
	if b.drifts[r] != 1 {
		b.drifting[pair{k, r}] = true
	}
}

// driftStep multiplies a stated rate by the drift factor of the resource's clock.
func (b *builder) driftStep(k, r int) step {
	if !b.drifting[pair{k, r}] {
		return step{}
	}
	return times("drift", fmt.Sprintf("with a clock deviation of %+.6g ppm", 1e6*(b.drifts[r]-1)), b.drifts[r])
}

// clockStep converts a rate that was measured at another clock.
func (b *builder) clockStep(k, r int) step {
	x := b.bases[pair{k, r}]
	if x == nil || x.clock == 0 || x.clock == x.measured.Clock {
		return step{}
	}
	return times("clock", x.note, x.clock/x.measured.Clock)
}

// clock sets the clock to which a measured rate is converted: the kernel's own clock, or the resource's clock. If
// neither is known, the clock is the kernel's f_max, which other kernels on the resource may reduce.
func (b *builder) clock(fig *flow.Figures, k, r int, measured *profile.Kernel) {
	if !(measured.Clock > 0) && measured.Cycles.Busiest() == 0 && measured.CopiesArea == nil {
		return
	}
	x := &base{measured: measured}
	b.bases[pair{k, r}] = x
	if !(measured.Clock > 0) {
		return
	}
	own := b.ownClock(k, r)
	switch {
	case own > 0:
		x.clock, x.note = own, "at its own clock, "+units.Frequency(own)
		b.crossing(k, r, measured)
	case b.clocks[r] > 0:
		x.clock, x.note = b.clocks[r], "at the clock of the architecture"
	case valueOr(measured.MaxClock, 0) > 0:
		x.clock = b.drifts[r] * measured.MaxClock.Value
		x.note, fig.MaxClock = "at its own f_max, and slower next to kernels with a lower f_max", x.clock
	}
}

// crossing stores the maximum rate of a kernel with its own clock: one word per cycle of the FPGA at the busiest port.
// This is the limit for words that cross between the kernel's clock and the FPGA's clock. If the profile does not
// contain the frequency of words, crossing assumes one word per cycle of the kernel. The argument measured describes
// one copy of the kernel.
func (b *builder) crossing(k, r int, measured *profile.Kernel) {
	busiest := measured.Cycles.Busiest()
	if busiest == 0 {
		busiest = 1
	}
	b.crossings[pair{k, r}] = b.clocks[r] * measured.ServiceRate.Value / (measured.Clock * busiest)
}

// crossingStep limits the rate of a kernel to the maximum rate of the crossing between clocks.
func (b *builder) crossingStep(k, r int) step {
	maximum, crosses := b.crossings[pair{k, r}]
	if !crosses {
		return step{}
	}
	return limit("crossing", fmt.Sprintf("limited to one word per cycle of %s, at %s", b.prog.Resources[r].Name,
		units.Frequency(b.clocks[r])), maximum)
}

// instancesStep treats the copies of a kernel on an FPGA as one station: see [builder.instances].
func (b *builder) instancesStep(k, r int) step {
	n := float64(b.prog.Kernels[k].Instances)
	if n < 2 || !IsFPGA(b.prog, r) {
		return step{}
	}
	note, working := fmt.Sprintf("%g copies", n), n
	if x := b.bases[pair{k, r}]; x != nil && x.measured.Cycles.Busiest() > 0 {
		working = max(1, min(n, 1/x.measured.Cycles.Busiest()))
	}
	if working < n {
		note += fmt.Sprintf(", but the streams supply only %.3g copies", working)
	}
	return times("instances", note, working)
}

// copiesStep reduces the rate of a kernel by the costs of dividing a stream among copies and collecting their output.
func (b *builder) copiesStep(k, r int) step {
	x, copied := b.copyCosts[k]
	if !copied || !IsCore(b.prog, r) {
		return step{}
	}
	return step{name: "copies", note: fmt.Sprintf("with a cost of %s for each batch of the copies", units.Time(x.cost)),
		rate: func(rate float64) float64 { return 1 / (1/rate + x.cost/x.bytes) }}
}

// widthStep limits the rate of a kernel so that no stream carries more bits per cycle than the width of its FPGA.
func (b *builder) widthStep(k, r int) step {
	x, limited := b.widthLimits[pair{k, r}]
	if !limited {
		return step{}
	}
	return limit("width", fmt.Sprintf("limited to %g bits per cycle by a stream", x.bits), x.rate)
}

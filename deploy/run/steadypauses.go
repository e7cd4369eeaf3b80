package run

import (
	"fmt"
	"math"
	"slices"

	"xopt/deploy/faults"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// A stall of the machine is not part of the steady state. Other programs use the processors for tens or hundreds of
// milliseconds, and the run makes no progress. A stall must neither end the steady state nor count as a steady state in
// a short run.
const (
	// slowLook is the fraction of the usual movement below which a sample belongs to a stall if its processes waited.
	slowLook = 0.5
	// waitedLook is the minimum fraction of time for which processes wait for a processor in a stall. waitedUsual is
	// the minimum ratio of that fraction to the usual fraction.
	waitedLook  = 0.5
	waitedUsual = 2
	// fewStalls is the maximum number of unexplained pauses that count as stalls. A source that sends in bursts pauses
	// more often.
	fewStalls = 2
	// longRamp is the fraction of the throughput that start-up and end may cost without a warning. longRampTime is
	// their allowed duration in seconds, in which processes start and buffers fill.
	longRamp     = 0.1
	longRampTime = 0.2
)

// stretch is a stall between two pulses.
type stretch struct {
	from, to int
	waited   bool
}

// stallsIn returns the stalls in pulses at equal distances. A stall consists of at least batchLooks samples without
// movement, or with little movement while processes waited for a processor. Pulses before the first movement belong to
// start-up.
func stallsIn(x []pulse) []stretch {
	moved := make([]float64, len(x)-1)
	for _, of := range []func(*pulse) float64{sentOf, consumedOf} {
		d, moves := differences(x, of)
		mean := meanOf(d)
		for i := range moved {
			if batchLooks*moves >= len(d) && mean > 0 { // this excludes a slow sink, for example
				moved[i] += d[i] / mean
			}
		}
	}
	waits, _ := differences(x, waitedOf)
	usual := profile.MedianOf(slices.DeleteFunc(slices.Clone(moved), func(v float64) bool { return v == 0 })).Value
	waitedFor := max(waitedLook*(x[1].at-x[0].at), waitedUsual*profile.MedianOf(waits).Value)
	begun := slices.IndexFunc(moved, func(v float64) bool { return v > 0 })
	if begun < 0 {
		return nil
	}
	var all []stretch
	still := 0
	for i := begun; i < len(moved); {
		stop, sum := i, 0.0
		for stop < len(moved) && (moved[stop] == 0 || moved[stop] < slowLook*usual && waits[stop] >= waitedFor) {
			sum += waits[stop]
			stop++
		}
		s := stretch{i, stop, sum >= waitedFor*float64(stop-i)}
		i = max(stop, i+1)
		if s.to-s.from < batchLooks {
			continue
		}
		if !s.waited {
			if still++; slices.Max(moved[s.from:s.to]) > 0 {
				continue
			}
		}
		if s.from > begun && moved[s.from-1] < usual { // a stall may begin and end within a sample
			s.from--
		}
		if s.to < len(moved) && moved[s.to] < usual {
			s.to, i = s.to+1, i+1
		}
		all = append(all, s)
	}
	if still > fewStalls {
		all = slices.DeleteFunc(all, func(s stretch) bool { return !s.waited })
	}
	return all
}

// without removes stalls from pulses. It also returns the original index of each remaining pulse.
func without(x []pulse, stalls []stretch) (y []pulse, from []int) {
	y, from = []pulse{x[0]}, []int{0}
	for i := 1; i < len(x); i++ {
		if slices.ContainsFunc(stalls, func(s stretch) bool { return i > s.from && i <= s.to }) {
			continue
		}
		p := y[len(y)-1]
		y = append(y, pulse{p.at + x[i].at - x[i-1].at, p.sent + x[i].sent - x[i-1].sent,
			p.consumed + x[i].consumed - x[i-1].consumed, p.waited + x[i].waited - x[i-1].waited})
		from = append(from, i)
	}
	return y, from
}

// after returns the time of a pulse, or the end of the stall that begins at this pulse.
func after(x []pulse, stalls []stretch, at int) float64 {
	for _, s := range stalls {
		if s.from == at && at > 0 {
			at = s.to
		}
	}
	return x[at].at
}

// restOf returns the relative excess of the rate over all pulses above the rate between two of these pulses. The
// sources are faster than the sinks while buffers fill. The result is therefore the smallest excess of all sources and
// sinks, or 0 if the signs of these excesses differ.
func restOf(y []pulse, first, last int, sides []func(*pulse) float64) float64 {
	minimum := math.Inf(1)
	for i, of := range sides {
		stop := len(y) - 1
		steady := (of(&y[last]) - of(&y[first])) / (y[last].at - y[first].at)
		x := (of(&y[stop])-of(&y[0]))/(y[stop].at-y[0].at)/steady - 1
		if i > 0 && x > 0 != (minimum > 0) || math.IsNaN(x) || math.IsInf(x, 0) {
			return 0
		}
		if math.Abs(x) < math.Abs(minimum) {
			minimum = x
		}
	}
	if math.IsInf(minimum, 0) {
		return 0
	}
	return minimum
}

// differs returns a warning if the throughput differs from the throughput of the complete run. The warning contains
// both figures and the cause. There is no warning if start-up and end explain the difference.
func differs(m *result.Measured) []fault.Note {
	s := m.Steady
	if s == nil {
		return nil
	}
	reported := "the throughput is " + units.Rate(m.Throughput) +
		" over the complete run, which has no usable steady part"
	if s.Short == "" {
		reported = fmt.Sprintf("the throughput is %s, from %s of steady state, but %s over the complete run",
			units.Rate(s.Throughput), units.Time(s.Seconds-s.Stalled), units.Rate(m.Throughput))
	}
	stood, waited := 0.0, 0.0
	for _, x := range s.Stalls {
		if stood += x.Seconds; x.Waited {
			waited += x.Seconds
		}
	}
	switch {
	case stood > alike*m.Seconds:
		at := units.Time(s.Stalls[0].At)
		if n := len(s.Stalls); n > 1 {
			at = fmt.Sprintf("in %d parts, the first at %s", n, at)
		} else {
			at = "at " + at
		}
		why := ""
		if 2*waited >= stood {
			why = ", while the processes waited for a processor"
		}
		return []fault.Note{faults.RunStalled.Notef("%s: no element moved for %s, %s%s", reported, units.Time(stood),
			at, why)}
	case s.Slower:
		return []fault.Note{faults.LongRamp.Notef("%s: %s", reported, slope(m))}
	case s.Short == "" && m.Throughput < (1-longRamp)*s.Throughput && m.Seconds-s.Seconds > longRampTime:
		return []fault.Note{faults.LongRamp.Notef("%s: start-up took %s, and the end took %s", reported,
			units.Time(s.StartUp),
			units.Time(max(m.Seconds-s.Until(), 0)))}
	}
	return nil
}

// slope describes the change of the rate of a run whose longest even part was slower than its other parts.
func slope(m *result.Measured) string {
	s := m.Steady
	if s.StartUp > m.Seconds-s.Until() {
		return fmt.Sprintf("the rate fell during the run: it was %s from %s on", units.Rate(s.Throughput),
			units.Time(s.StartUp))
	}
	return fmt.Sprintf("the rate rose during the run: it was %s until "+
		"%s", units.Rate(s.Throughput), units.Time(s.Until()))
}

package calibrate

import (
	"fmt"
	"math"
	"slices"

	"xopt/flow/profile"
)

// moment is a window of a run with pressure that lies within one turn.
type moment struct {
	turn  int
	at    float64 // s, time of its middle
	cost  float64 // s per byte of the kernel; 0 if the kernel moved no bytes
	rate  float64 // bytes/s of the kernel
	probe float64 // s per chunk of the probe in its turns; 0 for none

	chunk   float64 // s per chunk of the pressure
	present float64 // chunks of the pressure per second
}

// mostlyPresent is the minimum fraction of the pressure's full speed in a window, below which other programs used its
// processor.
const mostlyPresent = 0.6

// present omits the windows in which other programs used the processor of the pressure for a long time. In such
// windows, the pressure completed far fewer chunks than at the highest speed in turns of this kind. In turns without
// pressure, a chunk is a sleep. The rule therefore applies to these turns, too. Otherwise, windows with pressure would
// be from quieter times than windows without pressure.
func present(list []moment) []moment {
	minimum := [turnKinds]float64{}
	for i := range list {
		m := &list[i]
		if minimum[m.turn] == 0 || m.chunk < minimum[m.turn] {
			minimum[m.turn] = m.chunk
		}
	}
	return slices.DeleteFunc(list, func(m moment) bool {
		return m.present*minimum[m.turn] < mostlyPresent
	})
}

// nearby is the maximum time in seconds between two moments for a comparison: one and a half turns.
const nearby = 0.045

// besideOf returns the mean of value over two moments of the given kind of turn: the nearest before moment i, and the
// nearest after it. It ignores moments that are not nearby. It returns 0 if there is none.
func besideOf(list []moment, i, turn int, value func(*moment) float64) float64 {
	sum, n := 0.0, 0
	for _, step := range []int{-1, 1} {
		for j := i + step; j >= 0 && j < len(list) && math.Abs(list[j].at-list[i].at) <= nearby; j += step {
			if list[j].turn == turn && value(&list[j]) > 0 {
				sum, n = sum+value(&list[j]), n+1
				break
			}
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

func costOf(m *moment) float64  { return m.cost }
func probeOf(m *moment) float64 { return m.probe }

// slower returns the cost of the kernel in each moment of a kind of turn, divided by its cost without pressure.
func slower(list []moment, turn int) []float64 {
	var times []float64
	for i := range list {
		if list[i].turn != turn || !(list[i].cost > 0) {
			continue
		}
		if alone := besideOf(list, i, turnAlone, costOf); alone > 0 {
			times = append(times, list[i].cost/alone)
		}
	}
	return times
}

// minSlowdown is the minimum relative slowdown that counts as contention.
const minSlowdown = 0.01

// slowdowns returns the slowdown of a kernel at each level: the median over the moments of all runs, made monotonic by
// isotonic regression. It returns nil if the slowdown at the highest level is not significant.
func slowdowns(runs [][]moment) []profile.Slowdown {
	levels := pressureLevels()
	var curve []profile.Slowdown
	for _, turn := range []int{turnLow, turnMiddle, turnHigh} {
		var all, medians []float64
		for _, list := range runs {
			times := slower(list, turn)
			all = append(all, times...)
			if len(times) > 0 {
				medians = append(medians, profile.MedianOf(times).Value)
			}
		}
		if len(all) == 0 {
			return nil
		}
		curve = append(curve, profile.Slowdown{Level: levels[turn], Times: positiveFigure(all, medians)})
	}
	rising(curve)
	low, _, ok := curve[len(curve)-1].Times.Interval()
	if last := curve[len(curve)-1].Times.Value; !ok || low <= 1 || last < 1+minSlowdown {
		return nil
	}
	return curve
}

// rising makes the values of a curve nondecreasing and at least 1. It replaces decreasing values by their mean (pool
// adjacent violators), and widens their intervals to include the new values.
func rising(curve []profile.Slowdown) {
	type block struct {
		sum float64
		n   int
	}
	var blocks []block
	for i := range curve {
		blocks = append(blocks, block{max(1, curve[i].Times.Value), 1})
		for n := len(blocks); n > 1 &&
			blocks[n-2].sum/float64(blocks[n-2].n) > blocks[n-1].sum/float64(blocks[n-1].n); n-- {
			blocks[n-2] = block{blocks[n-2].sum + blocks[n-1].sum, blocks[n-2].n + blocks[n-1].n}
			blocks = blocks[:n-1]
		}
	}
	i := 0
	for _, b := range blocks {
		for range b.n {
			f := &curve[i].Times
			f.Value = b.sum / float64(b.n)
			if f.CI95 != [2]float64{} {
				f.CI95 = [2]float64{min(f.CI95[0], f.Value), max(f.CI95[1], f.Value)}
			}
			i++
		}
	}
}

// minSpeed is the minimum fraction of its full speed at which a kernel must run beside the probe for a valid estimate
// of its pressure.
const minSpeed = 0.1

// pressure returns the load level that slows the probe as much as the kernel does at full speed. probe is the slowdown
// curve of the probe. If the level is not distinguishable from 0, pressure returns nil and the reason.
func pressure(runs [][]moment, probe []profile.Slowdown) (_ *profile.Figure, whyUnmeasured string) {
	if len(probe) == 0 {
		return nil, "memory pressure does not slow the probe"
	}
	var all, medians, speeds []float64
	for _, list := range runs {
		var own []float64
		for i := range list {
			m := &list[i]
			if m.turn != turnProbed || !(m.probe > 0) || !(m.cost > 0) {
				continue
			}
			alone, rests := fullCost(list), besideOf(list, i, turnRests, probeOf)
			if !(alone > 0) || !(rests > 0) {
				continue
			}
			speed := m.rate * alone
			speeds = append(speeds, speed)
			if speed >= minSpeed {
				own = append(own, 1+(m.probe/rests-1)/speed)
			}
		}
		all = append(all, own...)
		if len(own) > 0 {
			medians = append(medians, profile.MedianOf(own).Value)
		}
	}
	switch {
	case len(speeds) == 0:
		return nil, "the kernel never ran together with the probe"
	case profile.MedianOf(speeds).Value < minSpeed:
		return nil, fmt.Sprintf("the kernel is busy for only %.0f %% of the time, limited by its source and sink",
			100*profile.MedianOf(speeds).Value)
	}
	f := figure(all, medians)
	low, high, ok := f.Interval()
	if !ok || low <= 1 || f.Value < 1+minSlowdown {
		return nil, ""
	}
	out := profile.Figure{Value: levelOf(probe, f.Value), N: f.N,
		CI95: [2]float64{levelOf(probe, low), levelOf(probe, high)}}
	for _, w := range f.Windows {
		out.Windows = append(out.Windows, levelOf(probe, w))
	}
	return &out, ""
}

// fullCost returns the median cost of the kernel without pressure, in s/byte.
func fullCost(list []moment) float64 {
	var costs []float64
	for i := range list {
		if list[i].turn == turnAlone && list[i].cost > 0 {
			costs = append(costs, list[i].cost)
		}
	}
	if len(costs) == 0 {
		return 0
	}
	slices.Sort(costs)
	return costs[len(costs)/2]
}

// levelOf returns the level at which a curve reaches the slowdown times, at most the last level of the curve.
func levelOf(curve []profile.Slowdown, times float64) float64 {
	level, before := 0.0, 1.0
	for i := range curve {
		now := curve[i].Times.Value
		if times < now {
			return level + (curve[i].Level-level)*max(0, times-before)/(now-before)
		}
		level, before = curve[i].Level, now
	}
	return level
}

package sdf

import "math"

// Ticks turns times in seconds into whole numbers of a unit, with a power of ten of a second where
// all of them are whole numbers of it; else with a unit so fine that what is lost is less than
// 1e-12 of the shortest, or as fine as an iteration in which actor a fires q[a] times allows.
func Ticks(times []float64, q []int64) (ticks []int64, unit float64) {
	shortest, sum := math.Inf(1), 0.0
	for a, t := range times {
		if t > 0 {
			shortest = math.Min(shortest, t)
			sum += t * float64(q[a])
		}
	}
	ticks = make([]int64, len(times))
	if sum == 0 {
		return ticks, 1
	}
	finest := sum / (1 << 60)
	for digits := range 19 {
		unit = math.Pow(10, -float64(digits))
		if unit >= finest && wholeTimes(times, unit, ticks) {
			return ticks, unit
		}
	}
	unit = math.Max(finest, shortest/(1<<40))
	for a, t := range times {
		ticks[a] = int64(math.Round(t / unit))
	}
	return ticks, unit
}

// wholeRounding is what a time computed from a rate may be off a whole number, relative.
const wholeRounding = 1e-12

func wholeTimes(times []float64, unit float64, ticks []int64) bool {
	for a, t := range times {
		n := math.Round(t / unit)
		if math.Abs(t/unit-n) > wholeRounding*n {
			return false
		}
		ticks[a] = int64(n)
	}
	return true
}

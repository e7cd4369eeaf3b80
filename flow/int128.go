package flow

import (
	"math"
	"math/bits"
)

// int128 is a signed number of 128 bits, in two's complement, in the unit of a scorer's tables.
// Sums of it are exact: whatever is added can be taken out again, in any order, and millions
// of moves leave no rounding behind, as sums of floating-point numbers would where a load of
// 1 is left on a resource that held one of 10⁹.
type int128 struct{ hi, lo uint64 }

// wideBits is the length of the largest number that is ever added up: what is left over is
// for the sign.
const wideBits = 120

// wideUnit is the exponent of a unit, a power of two, in which numbers whose magnitudes add
// up to total fit.
func wideUnit(total float64) int {
	_, exponent := math.Frexp(total)
	return exponent - wideBits
}

// widen rounds x to a number of units 2^unit; numbers of 2^67th of the total and more are
// exact.
func widen(x float64, unit int) int128 {
	fraction, exponent := math.Frexp(math.Abs(x))
	const mantissa = 53
	w := int128{lo: uint64(math.Ldexp(fraction, mantissa))}
	switch shift := exponent - mantissa - unit; {
	case shift >= 64:
		w = int128{hi: w.lo << (shift - 64)}
	case shift >= 0:
		w = int128{hi: w.lo >> (64 - shift), lo: w.lo << shift}
	case shift > -64:
		w.lo = (w.lo + 1<<(-shift-1)) >> -shift
	default:
		w.lo = 0
	}
	if x < 0 {
		return int128{}.minus(w)
	}
	return w
}

func (a int128) plus(b int128) int128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return int128{hi, lo}
}

func (a int128) minus(b int128) int128 {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return int128{hi, lo}
}

// float is the number of units, but for the last of them.
func (a int128) float() float64 {
	return float64(int64(a.hi))*(1<<64) + float64(int64(a.lo>>1))*2
}

// load is float, and 0 for what is below.
func (a int128) load() float64 {
	if int64(a.hi) < 0 {
		return 0
	}
	return a.float()
}

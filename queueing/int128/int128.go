// Package int128 implements 128-bit integers for exact sums.
package int128

import (
	"math"
	"math/bits"
)

// Int is a signed 128-bit number in two's complement, in a unit of the caller's choice. Sums are exact. Added numbers
// can be subtracted in any order without rounding errors, even after millions of operations. In floating point, the sum
// would still contain rounding errors of large loads after their removal.
type Int struct{ hi, lo uint64 }

// wideBits is the maximum length in bits of a sum of magnitudes. The remaining bits contain the sign.
const wideBits = 120

// Unit returns the exponent of a power of two as the unit for numbers whose magnitudes add up to total.
func Unit(total float64) int {
	_, exponent := math.Frexp(total)
	return exponent - wideBits
}

// New rounds x to a number of units 2^unit. Numbers of at least 2^-67 of the total are exact.
func New(x float64, unit int) Int {
	fraction, exponent := math.Frexp(math.Abs(x))
	const mantissa = 53
	w := Int{lo: uint64(math.Ldexp(fraction, mantissa))}
	switch shift := exponent - mantissa - unit; {
	case shift >= 64:
		w = Int{hi: w.lo << (shift - 64)}
	case shift >= 0:
		w = Int{hi: w.lo >> (64 - shift), lo: w.lo << shift}
	case shift > -64:
		w.lo = (w.lo + 1<<(-shift-1)) >> -shift
	default:
		w.lo = 0
	}
	if x < 0 {
		return Int{}.Minus(w)
	}
	return w
}

// Plus returns a + b.
func (a Int) Plus(b Int) Int {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return Int{hi, lo}
}

// Minus returns a - b.
func (a Int) Minus(b Int) Int {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return Int{hi, lo}
}

// Float returns the number of units, rounded to the nearest float64.
func (a Int) Float() float64 {
	return float64(int64(a.hi))*(1<<64) + float64(int64(a.lo>>1))*2
}

// Load returns the result of Float, or 0 for negative numbers.
func (a Int) Load() float64 {
	if int64(a.hi) < 0 {
		return 0
	}
	return a.Float()
}

// Less reports whether a < b.
func (a Int) Less(b Int) bool {
	if a.hi != b.hi {
		return int64(a.hi) < int64(b.hi)
	}
	return a.lo < b.lo
}

// Product returns a·b.
func Product(a, b int64) Int {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if (a < 0) != (b < 0) {
		return Int{}.Minus(Int{hi, lo})
	}
	return Int{hi, lo}
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

package sdf

import "math/bits"

// int128 is a whole number of 128 bits, in two's complement: sums of times by delays need more
// than 64.
type int128 struct {
	hi int64
	lo uint64
}

// product is a·b.
func product(a, b int64) int128 {
	negative := (a < 0) != (b < 0)
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	p := int128{int64(hi), lo}
	if negative {
		return int128{}.minus(p)
	}
	return p
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func (a int128) plus(b int128) int128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(uint64(a.hi), uint64(b.hi), carry)
	return int128{int64(hi), lo}
}

func (a int128) minus(b int128) int128 {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(uint64(a.hi), uint64(b.hi), borrow)
	return int128{int64(hi), lo}
}

func (a int128) less(b int128) bool {
	if a.hi != b.hi {
		return a.hi < b.hi
	}
	return a.lo < b.lo
}

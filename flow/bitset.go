package flow

import (
	"cmp"
	"math/bits"
	"slices"
)

// bitset is a set of members of a resource or link, in the order of their loads. The last set bit is the member with
// the largest load, which is the load of the resource or link.
type bitset struct {
	*ranking
	words []uint64
}

// ranking is the constant part of a bitset: the place of each member in the order, and the member and value at each
// place.
type ranking struct {
	place  []int32   // of each member
	member []int32   // at each place
	value  []float64 // at each place, ascending
}

func newRanking(value []float64) *ranking {
	r := &ranking{place: make([]int32, len(value)), member: make([]int32, len(value)), value: make([]float64,
		len(value))}
	for i := range r.member {
		r.member[i] = int32(i)
	}
	slices.SortStableFunc(r.member, func(a, b int32) int { return cmp.Compare(value[a], value[b]) })
	for i, m := range r.member {
		r.place[m], r.value[i] = int32(i), value[m]
	}
	return r
}

func newBitset(r *ranking) bitset { return bitset{r, make([]uint64, (len(r.value)+63)/64)} }

func cloneBitsets(list []bitset) []bitset {
	out := slices.Clone(list)
	for i := range out {
		out[i].words = slices.Clone(list[i].words)
	}
	return out
}

// flip adds a member that is not in the set, and removes a member that is in the set.
func (r *bitset) flip(member int32) {
	at := r.place[member]
	r.words[at>>6] ^= 1 << (at & 63)
}

// greatest returns the largest value in the set; 0 if the set is empty.
func (r *bitset) greatest() float64 {
	for i := len(r.words) - 1; i >= 0; i-- {
		if w := r.words[i]; w != 0 {
			return r.value[i<<6+63-bits.LeadingZeros64(w)]
		}
	}
	return 0
}

// each calls visit for every member.
func (r *bitset) each(visit func(member int32)) {
	for i, w := range r.words {
		for ; w != 0; w &= w - 1 {
			visit(r.member[i<<6+bits.TrailingZeros64(w)])
		}
	}
}

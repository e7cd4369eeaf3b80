package cutbound

import (
	"math"
	"math/big"
)

// Certificate proves that no mapping has a maximum load at or below a target. Its leaves are parts that together
// contain all mappings. Each leaf has either prices that exclude it (see Prices), or rows with multipliers such that no
// valid values of the columns satisfy the weighted sum of the rows. Valid values place each unit on one allowed kind.
// Valid values of x are between 0 and 1, or fixed by the leaf's decisions.
type Certificate struct {
	Target int64  `json:"target"` // load in units of 1/One
	Leaves []Leaf `json:"leaves"`
}

// Term is a row of a proof with its positive multiplier.
type Term struct {
	Row        Row   `json:"row"`
	Multiplier int64 `json:"multiplier"`
}

// priced is a row with a multiplier that is not yet rounded.
type priced struct {
	row   row
	price float64
}

// multiplierBits is the number of bits of the largest multiplier.
const multiplierBits = 40

// certify rounds multipliers to integers. It returns nil if the rounded multipliers do not exclude the target.
func (p *Problem) certify(target int64, list []priced) (terms []Term) {
	maximum := 0.0
	for _, t := range list {
		maximum = math.Max(maximum, t.price)
	}
	if !(maximum > 0) || math.IsInf(maximum, 1) {
		return nil
	}
	sum := make([]big.Int, p.columns())
	var need, factor, product big.Int
	for _, t := range list {
		m := int64(math.Ldexp(t.price/maximum, multiplierBits))
		if m <= 0 {
			continue
		}
		terms = append(terms, Term{t.row.Row, m})
		factor.SetInt64(m)
		for i, column := range t.row.column {
			product.SetInt64(t.row.value[i])
			sum[column].Add(&sum[column], product.Mul(&product, &factor))
		}
		product.SetInt64(t.row.min)
		need.Add(&need, product.Mul(&product, &factor))
	}
	if p.maxValue(target, sum).Cmp(&need) < 0 {
		return terms
	}
	return nil
}

// maxValue returns the maximum of a weighted sum of columns over all valid values. It ignores units that are not
// allowed on any kind: the target is then infeasible.
func (p *Problem) maxValue(target int64, sum []big.Int) *big.Int {
	total := new(big.Int)
	for u := range p.Units {
		best := (*big.Int)(nil)
		for c := range p.Kinds {
			if v := &sum[p.in(u, c)]; p.allowed(u, c, target) && (best == nil || v.Cmp(best) > 0) {
				best = v
			}
		}
		if best != nil {
			total.Add(total, best)
		}
	}
	for e := range p.Edges {
		for _, column := range []int{p.cut(e), p.across(e)} {
			if v := &sum[column]; v.Sign() > 0 {
				total.Add(total, v)
			}
		}
	}
	return total
}

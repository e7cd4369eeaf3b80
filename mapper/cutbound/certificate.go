package cutbound

import (
	"math"
	"math/big"
)

// Certificate is why no mapping has its greatest load at or below a target: the leaves are parts that
// together are all mappings. Each has either prices that exclude it (see Prices), or rows that, each times its
// multiplier, add up to one that no values of the columns keep, where each unit is on one of the kinds that it may be
// on, and x is from 0 to 1, or what the part says.
type Certificate struct {
	Target int64  `json:"target"` // in parts of Whole
	Leaves []Leaf `json:"leaves"`
}

// Term is a row and its multiplier, which is above 0.
type Term struct {
	Row        Row   `json:"row"`
	Multiplier int64 `json:"multiplier"`
}

// priced is a row with a multiplier that is not yet a whole number.
type priced struct {
	row   row
	price float64
}

// multiplierBits is the length of the largest multiplier.
const multiplierBits = 40

// certify makes multipliers whole; nil where they prove nothing.
func (p *Problem) certify(target int64, list []priced) (terms []Term) {
	most := 0.0
	for _, t := range list {
		most = math.Max(most, t.price)
	}
	if !(most > 0) || math.IsInf(most, 1) {
		return nil
	}
	sum := make([]big.Int, p.columns())
	var need, factor, product big.Int
	for _, t := range list {
		m := int64(math.Ldexp(t.price/most, multiplierBits))
		if m <= 0 {
			continue
		}
		terms = append(terms, Term{t.row.Row, m})
		factor.SetInt64(m)
		for i, column := range t.row.column {
			product.SetInt64(t.row.value[i])
			sum[column].Add(&sum[column], product.Mul(&product, &factor))
		}
		product.SetInt64(t.row.least)
		need.Add(&need, product.Mul(&product, &factor))
	}
	if p.most(target, sum).Cmp(&need) < 0 {
		return terms
	}
	return nil
}

// most is the greatest value of a sum of columns; what no unit can be on leaves nothing to prove.
func (p *Problem) most(target int64, sum []big.Int) *big.Int {
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

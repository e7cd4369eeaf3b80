package mapper

import (
	"context"
	"math"
)

// The second bound does not split kernels. Let π_u be prices of units. A mapping with its maximum load below L can
// place all units only if
//
// Σ_u π_u ≤ Σ_c m_c K_c(π, L)
//
// where K_c is the largest total price of the units on one resource of class c. K_c is a knapsack problem (the dual of
// Gilmore and Gomory's linear program over packing patterns). Prices that violate the inequality prove that there is no
// such mapping. Weights are loads or areas as integer fractions of the capacity, rounded down so that the bound remains
// valid. If there are several kinds of area, the bound uses only the scarcest.

// The number of weight units in the capacity, and the maximum number of price updates.
const (
	fillingParts = 2048
	packingSteps = 160
	fillingUnits = 400 // with more units, the knapsack problems take too long
)

// packingBound searches for prices that refute a maximum load below a target.
type packingBound struct {
	r      *relaxation
	weight [][]int32 // class × unit; -1 if not permitted
	free   []bool    // by class: no limit of the resource applies
	value  []float64
	used   []bool // unit × capacity
	price  []float64
	chosen []float64 // number of packing patterns, over all resources, that contain each unit
}

// refutes tries to prove that no mapping has a maximum load below the target. It reports whether it succeeded.
func (r *relaxation) refutes(ctx context.Context, target float64) bool {
	if r.units > fillingUnits {
		return false
	}
	f := &packingBound{r: r, value: make([]float64, fillingParts), used: make([]bool, r.units*fillingParts),
		price: make([]float64, r.units), chosen: make([]float64, r.units)}
	if !f.reaches(target) {
		return true // a unit fits on no resource
	}
	r.ascend(ctx, target)
	mean := 0.0
	for u := range f.price {
		f.price[u], _ = r.cheapest(u, target)
		mean += f.price[u] / float64(r.units)
	}
	if !(mean > 0) || math.IsInf(mean, 1) {
		return math.IsInf(mean, 1)
	}
	step := 0.3 * mean
	for range packingSteps {
		if ctx.Err() != nil {
			return false
		}
		if f.gap() > 1e-9*mean*float64(r.units) {
			return true
		}
		for u := range f.price {
			f.price[u] = math.Max(0, f.price[u]+step*(1-f.chosen[u]))
		}
		step *= 0.975
	}
	return false
}

// reaches computes the weights of the units for a target load. It returns false if a unit fits on no resource.
func (f *packingBound) reaches(target float64) bool {
	r := f.r
	placed := make([]bool, r.units)
	for c := range r.many {
		kind, scarce := 0, 0.0
		if !r.timed[c] {
			for j, have := range r.have[c] {
				sum := 0.0
				for u := range r.units {
					if r.work[u][c] < target && have > 0 {
						sum += r.area[u][c][j] / have
					}
				}
				if sum > scarce {
					kind, scarce = j, sum
				}
			}
		}
		f.free = append(f.free, !r.timed[c] && scarce <= 1)
		weight := make([]int32, r.units)
		for u := range weight {
			w := r.work[u][c]
			if w >= target {
				weight[u] = -1
				continue
			}
			placed[u] = true
			if r.timed[c] {
				weight[u] = int32(w / target * fillingParts)
			} else if have := r.have[c][kind]; have > 0 {
				// An exactly full area must count as below the capacity.
				weight[u] = int32(r.area[u][c][kind] / (have * (1 + sameLoad)) * (fillingParts - 1))
			}
		}
		f.weight = append(f.weight, weight)
	}
	for _, ok := range placed {
		if !ok {
			return false
		}
	}
	return true
}

// gap returns Σ π - Σ m K(π), and sets chosen.
func (f *packingBound) gap() float64 {
	gap := 0.0
	for u, p := range f.price {
		gap += p
		f.chosen[u] = 0
	}
	for c, m := range f.r.many {
		gap -= m * f.fill(c, m)
	}
	return gap
}

// fill returns K_c for a class c of m resources, and adds its packing patterns to chosen.
func (f *packingBound) fill(c int, m float64) float64 {
	weight := f.weight[c]
	if f.free[c] {
		sum := 0.0
		for u, p := range f.price {
			if weight[u] >= 0 {
				sum += p
				f.chosen[u] += m
			}
		}
		return sum
	}
	value := f.value
	clear(value)
	for u, p := range f.price {
		consumed := f.used[u*fillingParts : (u+1)*fillingParts]
		clear(consumed)
		w := int(weight[u])
		if w < 0 || p <= 0 {
			continue
		}
		for at := fillingParts - 1; at >= w; at-- {
			if v := value[at-w] + p; v > value[at] {
				value[at], consumed[at] = v, true
			}
		}
	}
	at := fillingParts - 1
	for u := len(f.price) - 1; u >= 0; u-- {
		if f.used[u*fillingParts+at] {
			f.chosen[u] += m
			at -= int(weight[u])
		}
	}
	return value[fillingParts-1]
}

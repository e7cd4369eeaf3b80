package mapper

import (
	"math"
	"slices"
)

// front is a Pareto front. It contains at most frontSize mappings: beyond that, it removes mappings in crowded regions.
type front struct {
	list    []Candidate
	changes int // number of insertions
}

// The maximum number of mappings in a front, and the default number that a search returns.
const (
	frontSize  = 64
	frontShown = 20
)

// atMost reports whether every value of a is at most the corresponding value of b, within rounding.
func atMost(a, b []float64) bool {
	for i := range a {
		if a[i] > b[i]+sameThroughput*math.Abs(b[i]) {
			return false
		}
	}
	return true
}

// wants reports whether no mapping of the front dominates or equals the given values.
func (f *front) wants(values []float64) bool {
	for i := range f.list {
		if atMost(f.list[i].values, values) {
			return false
		}
	}
	return true
}

// insert adds a candidate unless another is at least as good in all objectives, and removes the candidates that it
// dominates. Of two equal candidates, the better one by [better] stays.
func (f *front) insert(c Candidate) {
	for i := range f.list {
		if o := &f.list[i]; atMost(o.values, c.values) && !(atMost(c.values, o.values) && better(&c, o)) {
			return
		}
	}
	f.list = slices.DeleteFunc(f.list, func(o Candidate) bool { return atMost(c.values, o.values) })
	at, _ := slices.BinarySearchFunc(f.list, c, func(x, y Candidate) int {
		if n := slices.Compare(x.values, y.values); n != 0 {
			return n
		}
		return -1
	})
	f.list = slices.Insert(f.list, at, c)
	f.changes++
	f.thin(frontSize)
}

// thin removes the mappings with the smallest crowding distance (Deb et al. 2002, §III-B) until size mappings remain.
// The extremes of every objective stay.
func (f *front) thin(size int) {
	for len(f.list) > size {
		f.drop()
	}
}

func (f *front) drop() {
	n := len(f.list)
	distance := make([]float64, n)
	order := make([]int, n)
	for v := range f.list[0].values {
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return slices.Compare(f.list[a].values[v:v+1],
				f.list[b].values[v:v+1])
		})
		at := func(i int) float64 { return f.list[order[i]].values[v] }
		distance[order[0]], distance[order[n-1]] = math.Inf(1), math.Inf(1)
		if span := at(n-1) - at(0); span > 0 {
			for i := 1; i < n-1; i++ {
				distance[order[i]] += (at(i+1) - at(i-1)) / span
			}
		}
	}
	minimum := 0
	for i := range distance {
		if distance[i] < distance[minimum] {
			minimum = i
		}
	}
	f.list = slices.Delete(f.list, minimum, minimum+1)
}

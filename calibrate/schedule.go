package calibrate

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"time"

	"xopt/flow/design"
	"xopt/flow/profile"
)

// turn is a candidate kernel for the next turn.
type turn struct {
	precision float64 // relative half-width of the kernel's interval; +Inf if it has none
	windows   int
	spent     time.Duration
}

// greedy is the maximum measurement time of a kernel, as a multiple of the mean time of all kernels. A kernel with more
// time waits for the other kernels.
const greedy = 2

// order returns the order of turns: kernels without an interval first, then by decreasing interval width. It omits
// kernels that have had more than greedy times the mean time.
func order(turns []turn) []int {
	var list []int
	mean := time.Duration(0)
	for i := range turns {
		mean += turns[i].spent / time.Duration(len(turns))
	}
	for i := range turns {
		if len(turns) == 1 || turns[i].spent <= greedy*mean {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		x, y := &turns[a], &turns[b]
		if math.IsInf(x.precision, 1) && math.IsInf(y.precision, 1) {
			return cmp.Compare(x.windows, y.windows)
		}
		return cmp.Compare(y.precision, x.precision)
	})
	return list
}

// Alternating returns the numbers from 0 to n-1, in ascending order in even rounds and in descending order in odd
// rounds. A steady drift of the machine then affects the n measurements equally.
func Alternating(round, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if round%2 == 1 {
				i = n - 1 - i
			}
			if !yield(i) {
				return
			}
		}
	}
}

// leastCertain returns the kernels of a design, in descending order of interval width in an earlier profile. Kernels
// without an interval are first, and kernels that need no further measurement are last.
func leastCertain(d *design.Design, earlier *profile.Profile) []int {
	turns := make([]turn, len(d.Program.Kernels))
	for k := range turns {
		turns[k].precision = math.Inf(1)
		if earlier == nil {
			continue
		}
		platform := d.Program.Resources[d.Mapping.Place[k]].Platform
		at := slices.IndexFunc(earlier.Kernels, func(x profile.Kernel) bool {
			return x.Instance == d.Program.Kernels[k].Name && x.Platform == platform && x.ServiceRate != nil
		})
		if at < 0 {
			continue
		}
		old := &earlier.Kernels[at]
		turns[k].windows = old.ServiceRate.N
		if p, ok := old.ServiceRate.Precision(); ok {
			turns[k].precision = p
		}
		if old.Doubt == "" {
			turns[k].precision = 0
		}
	}
	return order(turns)
}

package copyplan

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Bound returns a lower bound on the load of all plans, and of all mappings without copies. The bound combines two
// limits: all cores together must execute all tasks, each at its lowest load. Each task needs at least the time of its
// fastest core or, if it may be copied, of all cores together.
func (p *Problem) Bound() float64 {
	total, maximum := 0.0, 0.0
	for t, work := range p.Work {
		minimum, rate := math.Inf(1), 0.0
		for _, w := range work {
			minimum = math.Min(minimum, w)
			rate += 1 / w
		}
		total += minimum
		if !p.divisible(t) {
			maximum = math.Max(maximum, minimum)
		} else {
			maximum = math.Max(maximum, 1/rate)
		}
	}
	return math.Max(maximum, total/float64(p.cores()))
}

// boundPrecision is the relative precision of bounds: searches for a bound end at this width of the interval.
const boundPrecision = 0.001

// Tighten returns a lower bound on the load of all plans, given the load of a plan. It assumes that copyable tasks are
// arbitrarily divisible, that every other task runs on one core, and that streams between cores cost nothing. A load is
// a bound if no distribution of the other tasks leaves enough time for the divisible tasks. Tighten decides this by
// branch and bound, with at most the given number of nodes.
func (p *Problem) Tighten(ctx context.Context, load float64, nodes int) float64 {
	low := p.Bound()
	x := newPacking(p)
	if x.impossible(ctx, load*(1-smallest), nodes/2) {
		return load * (1 - smallest)
	}
	nodes /= 16
	for high := load; high > low*(1+boundPrecision) && ctx.Err() == nil; {
		middle := math.Sqrt(low * high)
		if x.impossible(ctx, middle, nodes) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// packing is a search for a distribution of tasks over the cores with a given maximum load.
type packing struct {
	classes  [][]int
	work     [][]float64 // task × class
	complete []int       // tasks that need one core, in descending order of work
	divided  []int
	price    [][]float64 // prices of time on each class, for the relaxations
	limit    float64
	nodes    int
	load     [][]float64 // class × core: load of the undivided tasks on the core, ascending
	left     []float64   // free time of each class
	seen     map[string]bool
	memory   int // limit of seen, in bytes
}

// maxSeen limits the memory for the keys of failed nodes, in bytes. keyBytes is the memory of a key in addition to its
// text.
const (
	maxSeen  = 128 << 20
	keyBytes = 48
)

func newPacking(p *Problem) *packing {
	x := &packing{classes: p.classes(), memory: maxSeen}
	for t := range p.Work {
		row := make([]float64, len(x.classes))
		price := make([]float64, len(x.classes))
		for k, cores := range x.classes {
			row[k] = p.Work[t][cores[0]]
			if row[k] > 0 {
				price[k] = 1 / row[k]
			}
		}
		x.work, x.price = append(x.work, row), append(x.price, price)
		if p.divisible(t) {
			x.divided = append(x.divided, t)
		} else {
			x.complete = append(x.complete, t)
		}
	}
	x.price = append(x.price, slices.Repeat([]float64{1}, len(x.classes)))
	slices.SortStableFunc(x.complete, func(a, b int) int {
		return cmp.Or(cmp.Compare(slices.Min(x.work[b]), slices.Min(x.work[a])), a-b)
	})
	return x
}

// impossible reports whether it proves that the tasks do not fit with the given maximum load. It returns false if the
// given number of nodes does not suffice.
func (x *packing) impossible(ctx context.Context, limit float64, nodes int) bool {
	x.limit, x.nodes, x.seen = limit, nodes, make(map[string]bool)
	x.load, x.left = make([][]float64, len(x.classes)), make([]float64, len(x.classes))
	for k, cores := range x.classes {
		x.load[k], x.left[k] = make([]float64, len(cores)), limit*float64(len(cores))
	}
	return !x.fits(ctx, 0) && x.nodes > 0 && ctx.Err() == nil
}

// fits reports whether the undivided tasks from the given one on, together with the divided tasks, may fit. It returns
// true if the limit of nodes is reached.
func (x *packing) fits(ctx context.Context, next int) bool {
	if x.nodes--; x.nodes <= 0 || x.nodes%1024 == 0 && ctx.Err() != nil {
		return true
	}
	if !x.relaxed(next) {
		return false
	}
	if next == len(x.complete) {
		return true
	}
	key := x.key(next)
	if x.seen[key] {
		return false
	}
	t := x.complete[next]
	for k := range x.classes {
		w := x.work[t][k]
		for c := len(x.load[k]) - 1; c >= 0; c-- { // try the fullest core first
			was := x.load[k][c]
			if was+w > x.limit || c+1 < len(x.load[k]) && x.load[k][c+1] == was {
				continue
			}
			at := slices.Clone(x.load[k])
			x.load[k][c] += w
			slices.Sort(x.load[k])
			x.left[k] -= w
			fit := x.fits(ctx, next+1)
			x.load[k] = at
			x.left[k] += w
			if fit {
				return true
			}
		}
	}
	if len(x.seen)*(len(key)+keyBytes) < x.memory {
		x.seen[key] = true
	}
	return false
}

// key returns a string that identifies a node by its next task and the loads of the cores.
func (x *packing) key(next int) string {
	b := []byte{byte(next), byte(next >> 8)}
	for _, loads := range x.load {
		for _, l := range loads {
			bits := math.Float64bits(float64(float32(l)))
			b = append(b, byte(bits>>29), byte(bits>>37), byte(bits>>45), byte(bits>>53), byte(bits>>61))
		}
	}
	return string(b)
}

// relaxed reports whether the remaining tasks may fit if all of them are divisible. It only requires that each
// undivided task has some core with enough free time for this task. By linear-programming duality, tasks can fit only
// if, at any prices, the free time is worth at least the work of all tasks, each in its cheapest class.
func (x *packing) relaxed(next int) bool {
	for _, price := range x.price {
		have, need := 0.0, 0.0
		for k, left := range x.left {
			have += price[k] * left
		}
		for _, t := range x.divided {
			need += x.cheapest(t, price, false)
		}
		for _, t := range x.complete[next:] {
			need += x.cheapest(t, price, true)
		}
		if need > have*(1+smallest) {
			return false
		}
	}
	return true
}

// cheapest returns the lowest price of a task's work over the classes that can run the task. If complete is set, one
// core must have enough free time for the task.
func (x *packing) cheapest(t int, price []float64, complete bool) float64 {
	minimum := math.Inf(1)
	for k, w := range x.work[t] {
		if math.IsInf(w, 1) || complete && x.load[k][0]+w > x.limit {
			continue
		}
		minimum = math.Min(minimum, price[k]*w)
	}
	return minimum
}

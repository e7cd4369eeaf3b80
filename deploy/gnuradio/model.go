package gnuradio

import "slices"

// Load contains the processor time per second of each thread at the measured rate, and the number of processors
// available to the graph.
//
// GNU Radio runs one thread per block, and Linux moves threads between processors without losing time. The sharing is
// work-conserving. The unpinned graph can reach the measured rate times 1/B, where
//
//	B = max(max share, Σ shares / processors)
//
// On pinned processors, the sum of the threads on each processor replaces the shares. B is below 1 if threads wait for
// wake-ups. A prediction assumes that a change does not affect B.
type Load struct {
	Shares     []float64
	Processors float64
	Limit      LimitKind // "" for the busiest thread or processor
}

// Sum returns the processors that all threads use.
func (l Load) Sum() float64 {
	sum := 0.
	for _, s := range l.Shares {
		sum += s
	}
	return sum
}

// Busy returns B, the utilization of the limiting resource.
func (l Load) Busy() float64 {
	if len(l.Shares) == 0 {
		return 0
	}
	return max(slices.Max(l.Shares), l.Sum()/l.Processors)
}

// scaled returns the load with the processor time of one block multiplied by a factor.
func (l Load) scaled(block int, factor float64) Load {
	shares := slices.Clone(l.Shares)
	shares[block] *= factor
	return Load{shares, l.Processors, l.Limit}
}

// Faster returns the relative gain if a block needs 1/factor of its processor time per item.
func (l Load) Faster(block int, factor float64) float64 { return l.gain(l.scaled(block, 1/factor)) }

// Replicated returns the relative gain if n copies with separate threads share the work of a block.
func (l Load) Replicated(block, n int) float64 {
	changed := l.scaled(block, 1/float64(n))
	for range n - 1 {
		changed.Shares = append(changed.Shares, changed.Shares[block])
	}
	return l.gain(changed)
}

func (l Load) gain(changed Load) float64 {
	if b := changed.Busy(); b > 0 && !l.Limit.IsFixed() {
		return l.Busy()/b - 1
	}
	return 0
}

// Slowed returns the relative change of the rate if the thread of a block executes additional work in s/s. The
// additional work does not depend on the rate. The change is never positive. Blocks that wait for each other run in
// turn, so that the work delays all of them. If they use s processors, s of them run at once on average, and the delay
// is 1/s of the work. If a thread is the limit although the sum is larger, work in other threads does not change the
// rate: these threads then need less processor time. If the rate is set from outside, the work first uses idle time.
func (l Load) Slowed(block int, work float64) float64 {
	limit, busiest := l.Busy(), slices.Max(l.Shares)
	elastic := l.Limit == LimitThread && limit > busiest
	switch {
	case l.Limit == LimitWaiting:
		return -min(work/max(1, l.Sum()), 1)
	case elastic && l.Shares[block] == busiest:
		return -min(work, 1)
	case elastic:
		return 0
	}
	if l.Limit.IsFixed() {
		limit = max(limit, saturated)
	}
	ratio := 1.
	for i, s := range l.Shares {
		if i == block && s > 0 {
			ratio = min(ratio, (max(limit, s)-work)/s)
		}
	}
	if sum := l.Sum(); sum > 0 {
		ratio = min(ratio, (max(limit, 1e-9)*l.Processors-work)/sum)
	}
	return max(ratio, 0) - 1
}

// Pinned returns the utilization of the busiest processor if the threads of each block run on one processor.
func (l Load) Pinned(processor []int, processors int) float64 {
	sums := make([]float64, processors)
	for i, s := range l.Shares {
		sums[processor[i]] += s
	}
	return slices.Max(sums)
}

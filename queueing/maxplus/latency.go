package maxplus

import "math"

// latencies contains times from source to sink, in bins of equal ratio.
type latencies struct {
	count    int64
	sum, max float64
	early    latencyPart // latencies of the first half of the run, after the warm-up
	min      float64     // lower edge of the first bin
	bins     []int64
}

// latencyPart is the number and the sum of the latencies in a part of a run.
type latencyPart struct {
	count int64
	sum   float64
}

// unsteady is the maximum relative difference between the mean latencies of both halves of a run for a steady latency.
const unsteady = 0.2

// steady reports whether both halves of the run have approximately the same latency.
func (l *latencies) steady() bool {
	late := l.count - l.early.count
	if late == 0 || l.early.count == 0 {
		return false
	}
	a, b := l.early.sum/float64(l.early.count), (l.sum-l.early.sum)/float64(late)
	return math.Abs(a-b) <= unsteady*max(a, b)
}

// binsPerOctave is the number of bins per factor of 2. The width of a bin is then 2.2 %.
const binsPerOctave = 32

// latencyOctaves is the range of the bins in factors of 2: from a millionth of the first latency to a million times
// that latency.
const latencyOctaves = 40

func (l *latencies) add(t float64, early bool) {
	if l.bins == nil {
		if !(t > 0) {
			return
		}
		l.min = t / (1 << (latencyOctaves / 2))
		l.bins = make([]int64, latencyOctaves*binsPerOctave)
	}
	l.count++
	l.sum += t
	if early {
		l.early.count++
		l.early.sum += t
	}
	l.max = max(l.max, t)
	bin := 0
	if t > l.min {
		bin = min(len(l.bins)-1, int(binsPerOctave*math.Log2(t/l.min)))
	}
	l.bins[bin]++
}

func (l *latencies) quantile(q float64) float64 {
	left := int64(math.Ceil(q * float64(l.count)))
	for b, n := range l.bins {
		if left -= n; left <= 0 {
			return min(l.max, l.min*math.Exp2((float64(b)+1)/binsPerOctave))
		}
	}
	return l.max
}

func (l *latencies) result() *LatencyResult {
	if l.count == 0 {
		return nil
	}
	return &LatencyResult{Mean: l.sum / float64(l.count), P50: l.quantile(.5), P99: l.quantile(.99),
		P999: l.quantile(.999), Max: l.max, Steady: l.steady()}
}

// stampConsumed sets the origin of a firing. For each channel, it considers the origin of the oldest consumed element.
// The origin of the firing is the newest of these origins.
func (s *Simulator) stampConsumed(st *station) {
	group := st.groups[st.group]
	st.origin = math.Inf(-1)
	for k := group[0]; k < group[1]; k++ {
		in := &s.ins[k]
		n := int64(in.need)
		if st.bulk > 0 {
			n = int64(st.moves)
		}
		st.origin = max(st.origin, s.channels[in.channel].stamps.remove(n))
	}
}

// stampFinish forwards the origin of a firing to its outputs or, at a sink, records the latency.
func (s *Simulator) stampFinish(st *station) {
	origin := st.origin
	if len(st.groups) == 0 {
		origin = s.run.now
	}
	for k := st.outs[0]; k < st.outs[1]; k++ {
		if o := &s.outs[k]; o.flight > 0 {
			s.channels[o.channel].stamps.push(origin, int64(o.flight))
		}
	}
	if st.outs[0] == st.outs[1] && len(st.groups) > 0 && s.run.warm >= 0 {
		s.run.latency.add(s.run.now-origin, len(s.run.marks) <= marksPerRun/2)
	}
}

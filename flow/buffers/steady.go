package buffers

import (
	"context"
	"fmt"
	"math"

	"xopt/queueing/maxplus"
)

// The stop rule of every simulated throughput that xopt prints. A simulation of one seed has to last until its
// buffers are filled and its rarest kernel has fired often enough ([Simulation.Settled]). The throughput is the mean of
// independent seeds, and all of them get longer until its confidence interval is narrow.
const (
	// steadySeeds is the number of seeds; steadyStudent and steadyOneSided are the quantiles of Student's t with one
	// degree of freedom less, for 95 % between two limits and above one.
	steadySeeds    = 5
	steadyStudent  = 2.776
	steadyOneSided = 2.132
	// steadyWidth is the half width of the interval, relative, at which it is narrow.
	steadyWidth = 0.005
	// confirmEvents and confirmLimit are the numbers of events of each seed of [ConfirmRule].
	confirmEvents = 50_000
	confirmLimit  = 16 * confirmEvents
	// seedStride separates the seeds that two values of --seed use.
	seedStride = 64
	// rareFirings is the least number of firings of a kernel with varying times over all seeds, if the kernel is busy
	// for more than settledLoss of the time.
	rareFirings = 200
)

// Steadiness says how long [Simulation.Steady] simulates.
type Steadiness struct {
	Seed   uint64
	Events int64 // of each seed, at first
	// Limit is the number of events of a seed up to which the interval is narrowed.
	Limit int64
	// Fill is the number of events of a seed in which buffers have to be filled; 0 for settledLimit.
	Fill    int64
	Latency bool // of the first seed
}

// ConfirmRule is the rule that eval and buffers end with.
func ConfirmRule(seed uint64) Steadiness {
	return Steadiness{Seed: seed, Events: confirmEvents, Limit: confirmLimit, Latency: true}
}

// Steady simulates sizes until the buffers are filled in each of several independent seeds and the throughput is known
// to half a percent with 95 % confidence. Where nothing varies it simulates once.
func (s *Simulation) Steady(ctx context.Context, sizes []int, o Steadiness) (*Outcome, error) {
	seeds := 1
	if s.varies {
		seeds = steadySeeds
	}
	if o.Fill == 0 {
		o.Fill = settledLimit
	}
	o.Events = s.Events(max(o.Events, int64(math.Min(s.rareEvents(), settledLimit))))
	for {
		outs := make([]*Outcome, seeds)
		for i := range outs {
			out, err := s.Settled(ctx, sizes, maxplus.Options{Events: o.Events, Seed: o.Seed*seedStride + uint64(i),
				Latency: o.Latency && i == 0}, o.Fill)
			if err != nil {
				return nil, err
			}
			if out.Stopped != "" || out.Unsettled != "" {
				return pooled([]*Outcome{out}), nil
			}
			outs[i] = out
			o.Events = max(o.Events, min(out.Events, 2*o.Events)) // the other seeds take as long to fill
		}
		out := pooled(outs)
		if out.Throughput.High-out.Throughput.Value <= steadyWidth*out.Throughput.Value || 2*o.Events > o.Limit {
			return out, nil
		}
		o.Events *= 2
	}
}

// pooled is the outcome of several seeds: the mean throughput with its interval from their differences.
func pooled(outs []*Outcome) *Outcome {
	all := *outs[0]
	if len(outs) == 1 {
		all.Seeds = []float64{all.Throughput.Value}
		return &all
	}
	all.Events = 0
	all.Blocked = make([]float64, len(outs[0].Blocked))
	for _, out := range outs {
		all.Seeds = append(all.Seeds, out.Throughput.Value)
		all.Events += out.Events
		for e, b := range out.Blocked {
			all.Blocked[e] += b / float64(len(outs))
		}
	}
	mean, deviation := meanOf(all.Seeds)
	half := steadyStudent * deviation
	all.Throughput = maxplus.Rate{Value: mean, Low: max(0, mean-half), High: mean + half}
	return &all
}

// meanOf returns the mean of values and its standard deviation.
func meanOf(values []float64) (mean, deviation float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	if n < 2 {
		return mean, 0
	}
	return mean, math.Sqrt(squares / (n - 1) / n)
}

// rareKernel finds the kernel with varying times that fires least often of those that are busy for a part of the time
// that matters; -1 where each fires often enough for one seed of several.
func (s *Simulation) rareKernel(r *maxplus.Result) (kernel int, fired int64) {
	kernel, fired = -1, rareFirings/steadySeeds
	for k, i := range s.Kernel {
		if i >= 0 && r.Firings[i] < fired && s.rareMatters(k) {
			kernel, fired = k, r.Firings[i]
		}
	}
	return kernel, fired
}

// rareMatters reports whether single firings of a kernel may cost throughput: its times vary, and it is busy for more
// than settledLoss of the time.
func (m *Model) rareMatters(k int) bool {
	service := m.Net.Stations[m.Kernel[k]].Service
	return service != nil && service.SCV() > 0 &&
		service.Mean()*m.flow.Firings(m.solution, k) > settledLoss
}

// rareEvents is the number of events of one seed in which each kernel fires often enough.
func (m *Model) rareEvents() float64 {
	all, least := 0.0, math.Inf(1)
	for k, i := range m.Kernel {
		if i < 0 {
			continue
		}
		rate := m.flow.Firings(m.solution, k)
		all += rate
		if m.rareMatters(k) {
			least = min(least, rate)
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return 1.2 * rareFirings / steadySeeds * all / least // a fifth more: firings of links count as events, too
}

// rare says that a kernel has fired too rarely; "" where none has.
func (s *Simulation) rare(r *maxplus.Result) string {
	k, fired := s.rareKernel(r)
	if k < 0 {
		return ""
	}
	return fmt.Sprintf("%s fires %d times in %d events, and at least %d are needed",
		s.flow.Problem.Application.Kernels[k].Name, fired, r.Events, rareFirings/steadySeeds)
}

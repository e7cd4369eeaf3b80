package buffers

import (
	"context"
	"fmt"
	"math"

	"xopt/internal/units"
	"xopt/queueing/maxplus"
)

// These constants define the stopping rule of every simulated throughput that xopt prints. The simulation of a seed
// lasts until its buffers have filled and its rarest kernel has fired often enough ([Simulation.Settled]). The
// throughput is the mean of independent seeds. Steady extends all seeds until the confidence interval of the mean is
// narrow.
const (
	// steadySeeds is the number of seeds. steadyStudent and steadyOneSided are quantiles of Student's t with
	// steadySeeds-1 degrees of freedom, for a two-sided and a one-sided 95 % interval.
	steadySeeds    = 5
	steadyStudent  = 2.776
	steadyOneSided = 2.132
	// steadyWidth is the maximum relative half-width of a narrow interval.
	steadyWidth = 0.005
	// confirmEvents and confirmLimit are the initial and the maximum number of events of each seed of [ConfirmRule].
	confirmEvents = 50_000
	confirmLimit  = 16 * confirmEvents
	// seedStride separates the seeds of two values of --seed.
	seedStride = 64
	// rareFirings is the minimum number of firings over all seeds. It applies to kernels whose times vary and that are
	// busy for more than settledLoss of the time.
	rareFirings = 200
)

// Steadiness sets the length of simulations by [Simulation.Steady].
type Steadiness struct {
	Seed   uint64
	Events int64 // initial number of events of each seed
	// Limit is the maximum number of events of a seed for narrowing the interval.
	Limit int64
	// Fill is the maximum number of events of a seed until the buffers have filled; 0 means settledLimit.
	Fill    int64
	Latency bool // measure the latency in the first seed
}

// ConfirmRule returns the rule for the final simulations of the commands eval and buffers.
func ConfirmRule(seed uint64) Steadiness {
	return Steadiness{Seed: seed, Events: confirmEvents, Limit: confirmLimit, Latency: true}
}

// Steady simulates sizes with several independent seeds until the buffers have filled in each seed. It continues until
// the half-width of the 95 % interval of the throughput is at most half a percent, or until a seed has o.Limit events.
// If no counts, times or delays are random, Steady simulates once.
func (s *Simulation) Steady(ctx context.Context, sizes []int, o Steadiness) (*Outcome, error) {
	seeds := 1
	if s.varies {
		seeds = steadySeeds
	}
	if o.Fill == 0 {
		o.Fill = settledLimit
	}
	rare, wide := s.rareEvents()
	o.Events = s.Events(max(o.Events, int64(math.Min(rare, settledLimit)), min(int64(wide), o.Limit)))
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
			o.Events = max(o.Events, min(out.Events, 2*o.Events)) // the other seeds need as many events
		}
		out := pooled(outs)
		if out.Throughput.High-out.Throughput.Value <= steadyWidth*out.Throughput.Value || 2*o.Events > o.Limit {
			return out, nil
		}
		o.Events *= 2
	}
}

// pooled returns the combined outcome of several seeds: their mean throughput, and an interval computed from their
// differences.
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

// meanOf returns the mean of values, and the standard deviation of this mean.
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

// rareKernel finds the kernel with varying times that fires least often, among kernels that are busy for a relevant
// part of the time. It returns -1 if each of these kernels fires often enough in a single seed.
func (s *Simulation) rareKernel(r *maxplus.Result) (kernel int, fired int64) {
	kernel, fired = -1, rareFirings/steadySeeds
	for k, i := range s.Kernel {
		if i >= 0 && r.Firings[i] < fired && s.rareMatters(k) {
			kernel, fired = k, r.Firings[i]
		}
	}
	return kernel, fired
}

// rareMatters reports whether single firings of a kernel may reduce the throughput. This is the case if the kernel's
// times vary and the kernel is busy for more than settledLoss of the time.
func (m *Model) rareMatters(k int) bool {
	service := m.Net.Stations[m.Kernel[k]].Service
	return service != nil && service.SCV() > 0 &&
		service.Mean()*m.flow.Firings(m.solution, k) > settledLoss
}

// rareEvents returns two numbers of events of one seed. rare is the number of events after which each kernel has fired
// often enough. wide is the number after which the service times also average out. Times that vary more than
// exponential times need more firings, because a few long firings dominate their sum.
func (m *Model) rareEvents() (rare, wide float64) {
	all, minimum, minWide := 0.0, math.Inf(1), math.Inf(1)
	for k, i := range m.Kernel {
		if i < 0 {
			continue
		}
		rate := m.flow.Firings(m.solution, k)
		all += rate
		if m.rareMatters(k) {
			minimum = min(minimum, rate)
			minWide = min(minWide, rate/max(1, m.Net.Stations[i].Service.SCV()))
		}
	}
	if math.IsInf(minimum, 1) {
		return 0, 0
	}
	events := 1.2 * rareFirings / steadySeeds * all // a fifth more, because firings of links count as events
	return events / minimum, events / minWide
}

// wander returns the largest relative standard deviation of a kernel's work, given the firings in a part of a
// simulation. It considers only kernels whose service times vary more than exponential times. It returns 0 without such
// kernels.
func (s *Simulation) wander(fired func(station int) float64) float64 {
	squares := 0.0
	for k, i := range s.Kernel {
		if i >= 0 && s.rareMatters(k) {
			squares = max(squares, (s.Net.Stations[i].Service.SCV()-1)/max(1, fired(i)))
		}
	}
	return math.Sqrt(squares)
}

// A simulation predicts the long-term throughput only after its buffers have filled. Until the buffers have filled, the
// sources or the bottleneck may run faster than the kernels after them.
const (
	// settledLoss is the fraction of the throughput by which a station may lag in the second half of a simulation,
	// beyond random variation.
	settledLoss = 0.005
	// settledChance is the number of standard deviations of a count that settle attributes to chance. settledSlack is
	// the lag in firings that settle always permits, because queue lengths differ between the start and the end.
	settledChance, settledSlack = 4, 16
	// settledDrift is the permitted relative loss of throughput between the halves of a simulation, beyond the
	// confidence interval.
	settledDrift = 0.01
	// tooEarly is the change of throughput between the halves, or the lag of a kernel, above which a simulated
	// throughput is not a valid estimate.
	tooEarly = 0.1
	// settledTransfers is the number of bulks that a link must move for a valid rate. With fewer bulks, a single
	// transfer changes the rate by more than 5 %.
	settledTransfers = 20
	// settledLimit is the maximum number of events of a seed until the buffers have filled.
	settledLimit = 1 << 22
)

// settle returns the index of the kernel that lags most in the second half of a simulation, while elements accumulate
// at its input. It returns -1 if no kernel lags. It also returns the lag as a fraction. If all flows are proportional
// to one source, the lag is relative to the estimated throughput. Otherwise it is relative to the output of the
// writers.
func (s *Simulation) settle(r *maxplus.Result, claimed float64) (kernel int, by float64) {
	n := len(r.Marks) - 1
	if n < 2 || !(claimed > 0) {
		return -1, 0
	}
	from, to := &r.Marks[n/2], &r.Marks[n]
	fired := func(i int) float64 { return float64(to.Firings[i] - from.Firings[i]) }
	kernel = -1
	wander := s.wander(fired)
	look := func(k int, has, wanted float64) {
		chance := settledSlack + settledChance*wander*wanted
		if s.random {
			chance += settledChance * math.Sqrt(wanted)
		}
		if part := (wanted - has - chance) / wanted; part > settledLoss && part > by {
			kernel, by = k, part
		}
	}
	if s.flow.Flows.Free == 1 {
		for k, i := range s.Kernel {
			if i >= 0 {
				look(k, fired(i), s.wanted(k, claimed)*(to.Time-from.Time))
			}
		}
		return kernel, by
	}
	for e, b := range s.Edge {
		if b < 0 || s.several[s.flow.Problem.Application.Edges[e].To] {
			continue
		}
		channels := s.Net.Buffers[b].Channels
		first, last := &s.Net.Channels[channels[0]], &s.Net.Channels[channels[len(channels)-1]]
		look(s.flow.Problem.Application.Edges[e].To, fired(last.To), fired(first.From)*first.Sends.PerFiring/
			float64(max(1, last.Consumes)))
	}
	return kernel, by
}

// wanted returns the firing rate that a throughput requires from a kernel, in 1/s.
func (s *Simulation) wanted(k int, throughput float64) float64 {
	return s.flow.Firings(s.solution, k) * throughput / s.solution.Throughput
}

// Settled repeats [Simulation.Run], each time with twice as many events, until no kernel lags behind the throughput.
// After limit events, Settled stops, and [Outcome.Unsettled] contains the reason.
func (s *Simulation) Settled(ctx context.Context, sizes []int, o maxplus.Options, limit int64) (*Outcome, error) {
	return s.settled(ctx, sizes, o, limit, 0)
}

// settled is like [Simulation.Settled], but also stops when a kernel lags so far that the goal cannot be reached.
func (s *Simulation) settled(ctx context.Context, sizes []int, o maxplus.Options, limit int64,
	goal float64) (*Outcome, error) {
	for {
		out, err := s.Run(ctx, sizes, o)
		if err != nil || out.Stopped != "" || out.Unsettled == "" || 2*o.Events > limit ||
			out.Throughput.High*(1-out.Behind) < goal {
			return out, err
		}
		o.Events *= 2
	}
}

// unsettled returns the reason why a simulation was too short, or "". It also reports whether the throughput is not
// even an estimate, because a long pipeline was not yet filled.
func (s *Simulation) unsettled(r *maxplus.Result, all maxplus.Rate) (why string, early bool) {
	if i, moved := s.rareTransfer(r); i >= 0 {
		return fmt.Sprintf("%s moves %s of %s in %d events, but the result needs at least %d bulks",
			s.Net.Stations[i].Name, units.Counted(int(moved), "bulk", "bulks"), units.Elements(s.Net.Stations[i].Bulk),
			r.Events, settledTransfers), false
	}
	if k, fired := s.rareKernel(r); k >= 0 {
		return fmt.Sprintf("%s fires %d times in %d events, but the result needs at least %d firings",
			s.flow.Problem.Application.Kernels[k].Name, fired, r.Events, rareFirings/steadySeeds), false
	}
	if k := s.unreached(r); k >= 0 {
		return fmt.Sprintf("%s has consumed no elements after the first %d of %d events",
			s.flow.Problem.Application.Kernels[k].Name, r.Events/10, r.Events), true
	}
	if k, by := s.settle(r, all.Value); k >= 0 {
		return fmt.Sprintf("buffers still fill after %d events: %s consumes %s %% less than arrives", r.Events,
			s.flow.Problem.Application.Kernels[k].Name, short(math.Round(1000*by)/10)), by > tooEarly
	}
	n := len(r.Marks) - 1
	if n < 4 {
		return "", false
	}
	first, second := *r, *r
	first.Marks, second.Marks = r.Marks[:n/2+1], r.Marks[n/2:]
	before, after := s.rate(&first).Value, s.rate(&second).Value
	// While buffers fill, the throughput falls slowly. While a long pipeline fills, the throughput rises steeply.
	if half := all.High - all.Value; before-after > settledDrift*all.Value+half ||
		after-before > tooEarly*all.Value+2*half {
		return fmt.Sprintf("the throughput is not steady after %d events: in the second half of the simulation, it is "+
				"%s %% of the throughput in the first half", r.Events, short(math.Round(1000*after/before)/10)),
			math.Abs(after/before-1) > tooEarly
	}
	return "", false
}

// unreached returns a kernel that has not fired during the warm-up of a simulation, or -1. Until the last kernel of a
// long pipeline fires, the throughput does not predict later throughput.
func (s *Simulation) unreached(r *maxplus.Result) int {
	for k, i := range s.Kernel {
		if i >= 0 && len(r.Marks) > 0 && r.Marks[0].Firings[i] == 0 && s.flow.Firings(s.solution, k) > 0 {
			return k
		}
	}
	return -1
}

// rareTransfer returns the link that has moved the fewest bulks and their number; -1 if all links have moved enough.
func (s *Simulation) rareTransfer(r *maxplus.Result) (station int, moved int64) {
	station, moved = -1, settledTransfers
	for i := range s.Net.Stations {
		if s.Net.Stations[i].Bulk > 1 && r.Firings[i] < moved {
			station, moved = i, r.Firings[i]
		}
	}
	return station, moved
}

// transfers returns the link that needs the most events to move settledTransfers bulks, and that number of events; -1
// if no link moves bulks.
func (m *Model) transfers() (station int, events float64) {
	all, station := 0.0, -1 // firings per second
	for k, i := range m.Kernel {
		if i >= 0 {
			all += m.flow.Firings(m.solution, k)
		}
	}
	for e := range m.flow.Problem.Application.Edges {
		for hop := range m.flow.Mapping.Route[e] {
			i, ok := m.crossing[crossing{e, hop}]
			if !ok || m.Net.Stations[i].Bulk <= 1 {
				continue
			}
			st := &m.Net.Stations[i]
			fills := float64(st.Bulk) / (m.flow.Firings(m.solution,
				m.flow.Problem.Application.Edges[e].From) * m.perFiring(e))
			if n := settledTransfers * all * math.Min(fills, st.Flush); n > events {
				station, events = i, n
			}
		}
	}
	return station, events
}

func (s *Simulation) rate(r *maxplus.Result) maxplus.Rate {
	if s.Work {
		return r.WorkRate(s.Weight)
	}
	return r.Rate(s.Weight)
}

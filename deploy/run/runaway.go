package run

import (
	"fmt"
	"time"

	"xopt/internal/units"
)

// runaway detects a kernel that sends elements forever without releasing its input. Elements then move, but not on the
// outputs of sources.
type runaway struct {
	r       *run
	sources uint64 // elements sent and consumed on the outputs of all sources
	since   time.Time
	looked  time.Time
	before  [][2]uint64 // elements consumed and sent by each kernel at since
}

// look returns a failure after a stall limit in which no element of a source moved, and a kernel sent elements without
// releasing any. It returns nil in virtual time and in runs over hosts.
func (x *runaway) look(now time.Time, stall time.Duration) *Failure {
	if x.r.virtual() || x.r.parts != nil {
		return nil
	}
	// If there was no sample for a long time, the kernels did not run either (see stillness).
	if maximum := stall / notLooked; !x.looked.IsZero() && now.Sub(x.looked) > maximum {
		x.since = x.since.Add(now.Sub(x.looked) - maximum)
	}
	x.looked = now
	moved := uint64(0)
	for k := range x.r.prog.Kernels {
		if x.r.prog.Kernels[k].IsSource() {
			for _, port := range x.r.prog.Kernels[k].Outputs {
				for _, e := range port.Edges {
					moved += x.r.sent(e) + x.r.tail(e)
				}
			}
		}
	}
	if x.before == nil || moved != x.sources {
		x.since, x.sources, x.before = now, moved, x.before[:0]
		for k := range x.r.prog.Kernels {
			consumed, sent := x.r.throughputOf(k)
			x.before = append(x.before, [2]uint64{consumed, sent})
		}
		return nil
	}
	if now.Sub(x.since) < stall {
		return nil
	}
	return x.failure(now, false)
}

// atLimit returns the failure of a run that reached its time limit before the stall limit. In such a run, no element of
// a source moved for at least half of the time, and a kernel has released no element.
func (x *runaway) atLimit(now time.Time, stall time.Duration) *Failure {
	if still := now.Sub(x.since); x.before == nil || still < stall/notLooked || 2*still < now.Sub(x.r.started) {
		return nil
	}
	return x.failure(now, true)
}

// failure returns the failure of a kernel that has input and sends elements without releasing any; nil if there is no
// such kernel. The kernel has released no element since the sources stopped or, if none is set, in the entire run.
func (x *runaway) failure(now time.Time, none bool) *Failure {
	for k := range x.r.prog.Kernels {
		kernel, stored := &x.r.prog.Kernels[k], uint64(0)
		for _, port := range kernel.Inputs {
			for _, e := range port.Edges {
				stored += x.r.queued(e)
			}
		}
		consumed, sent := x.r.throughputOf(k)
		if stored == 0 || consumed != x.before[k][0] || none && consumed > 0 || sent == x.before[k][1] {
			continue
		}
		return &Failure{Kind: "hang", Kernel: kernel.Name, Text: fmt.Sprintf("%s sends without consuming its input: "+
			"in %s, it sent %s and released no element (if a kernel needs longer for one element, raise --stall)",
			x.r.sourceText(k), units.Time(now.Sub(x.since).Seconds()), units.Elements(sent-x.before[k][1])),
			State: x.r.state()}
	}
	return nil
}

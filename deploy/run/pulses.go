package run

import (
	"time"

	"xopt/deploy/abi"
)

// pulse is a snapshot of a run. It contains its time in seconds, and the bytes that all sources have sent and all sinks
// have received. waited is the total time in seconds for which the processes have waited for a processor.
type pulse struct{ at, sent, consumed, waited float64 }

func sentOf(p *pulse) float64     { return p.sent }
func consumedOf(p *pulse) float64 { return p.consumed }
func waitedOf(p *pulse) float64   { return p.waited }

// pulses contains the pulses of a run. It stores one pulse per sample at first, and one pulse per several samples in a
// long run.
type pulses struct {
	list  []pulse
	every int // samples between stored pulses
	looks int
}

// maxPulses is the maximum number of stored pulses. When the list reaches it, add drops half of the pulses.
const maxPulses = 4096

// due counts a sample, and reports whether to store its pulse.
func (p *pulses) due() bool {
	p.every = max(p.every, 1)
	p.looks++
	return p.looks%p.every == 0
}

// add stores a pulse for which due returned true.
func (p *pulses) add(x pulse) {
	if p.list = append(p.list, x); len(p.list) < maxPulses {
		return
	}
	for i := range len(p.list) / 2 {
		p.list[i] = p.list[2*i+1]
	}
	p.list, p.every = p.list[:len(p.list)/2], 2*p.every
}

// counted returns the bytes that an element of an edge adds to the output of the sources and to the input of the
// sinks.
func (r *run) counted(e int) (out, in uint64) {
	edge := &r.prog.Edges[e]
	from, to := &r.prog.Kernels[edge.From], &r.prog.Kernels[edge.To]
	if from.IsSource() && !from.Once && !edge.IsCopy {
		out = edge.ElementBytes
	}
	if len(to.Outputs) == 0 && !to.Inputs[edge.ToPort].Once {
		in = edge.ElementBytes
	}
	return out, in
}

// pulse reads the current counters of the sources and sinks.
func (c *collector) pulse(now time.Time) pulse {
	x := pulse{at: c.elapsed(now), waited: c.scheduling.waited(c.run)}
	for e := range c.prog.Edges {
		if out, in := c.run.counted(e); out|in != 0 {
			x.sent += float64(out * c.sent(e))
			x.consumed += float64(in * c.consumed(e))
		}
	}
	return x
}

// virtualPulses returns the pulses that the runtime of a virtual run stored (pulses.c).
func (r *run) virtualPulses() []pulse {
	length := 1e-12 * float64(r.load64(abi.RunPulseLength))
	list := make([]pulse, min(r.load64(abi.RunPulses), abi.Pulses))
	for i := range list {
		at := 8 * uint64(i)
		list[i] = pulse{at: float64(i+1) * length,
			sent:     float64(r.watch.figure(abi.RunPulseSent+at, "a pulse of the run", -1)),
			consumed: float64(r.watch.figure(abi.RunPulseTaken+at, "a pulse of the run", -1))}
	}
	return list
}

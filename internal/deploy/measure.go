package deploy

import "time"

// Measurement is what was measured in one run. Everything in it is read from
// counters that the application keeps anyway, but for the queues, which are
// sampled.
type Measurement struct {
	Seconds    float64 // from the start signal to the end of the last process
	Throughput float64 // bytes/s out of all sources, over the whole run
	Edges      []EdgeMeasurement
	Kernels    []KernelMeasurement
	Failure    *Failure // nil when the run ended by itself; else all of this is partial
	Notes      []string
}

// EdgeMeasurement is one edge.
type EdgeMeasurement struct {
	Edge          int
	Elements      uint64  // that went into it
	Left          uint64  // that were never read
	ElementRate   float64 // elements/s
	Rate          float64 // bytes/s
	Capacity      int     // elements
	MeanOccupancy float64 // elements, mean of samples every millisecond
	MaxOccupancy  uint64  // elements, largest sample
	Samples       int
	Waits         uint64 // times that the writer found no room
}

// KernelMeasurement is one kernel.
type KernelMeasurement struct {
	Kernel  int
	Process string
	Calls   uint64  // of go or push
	Busy    float64 // seconds in them, without waiting for room
	// Utilization is Busy over the run.
	Utilization float64
	In, Out     float64 // bytes
	// ServiceRate is bytes in (a source: out) per busy second; 0 when not busy.
	ServiceRate float64
	Gain        float64 // bytes out per byte in; 0 for sources and sinks
}

// watch samples the queues.
type watch struct {
	sum     []uint64
	largest []uint64
	samples int
}

func newWatch(p *plan) *watch {
	return &watch{sum: make([]uint64, len(p.program.Edges)), largest: make([]uint64, len(p.program.Edges))}
}

// sample reads every queue once. The tail is read first, so that a queue never
// seems to hold less than nothing.
func (w *watch) sample(r *run) {
	for e := range w.sum {
		taken := r.taken(e)
		held := r.sent(e) - taken
		held = min(held, uint64(r.capacity[e])) // between the two reads more may have gone through
		w.sum[e] += held
		w.largest[e] = max(w.largest[e], held)
	}
	w.samples++
}

// measure reads the counters after the run.
func (r *run) measure(failure *Failure) *Measurement {
	m := &Measurement{Seconds: max(r.end.Sub(r.begin), time.Nanosecond).Seconds(), Failure: failure}
	bytesIn, bytesOut := make([]float64, len(r.program.Kernels)), make([]float64, len(r.program.Kernels))
	for e, edge := range r.program.Edges {
		sent, taken := r.sent(e), r.taken(e)
		size := float64(r.elementBytes(e))
		bytesOut[edge.From] += float64(sent) * size
		bytesIn[edge.To] += float64(taken) * size
		x := EdgeMeasurement{Edge: e, Elements: sent, Left: sent - taken, ElementRate: float64(sent) / m.Seconds, Rate: float64(sent) * size / m.Seconds,
			Capacity: r.capacity[e], MaxOccupancy: r.watch.largest[e], Samples: r.watch.samples, Waits: r.load64(r.layout.control[e] + ringWaits)}
		if r.watch.samples > 0 {
			x.MeanOccupancy = float64(r.watch.sum[e]) / float64(r.watch.samples)
		}
		m.Edges = append(m.Edges, x)
	}
	for k := range r.program.Kernels {
		at := r.kernelAt(k)
		x := KernelMeasurement{Kernel: k, Process: r.names[r.process[k]], Calls: r.load64(at + kernelCalls), Busy: float64(r.load64(at+kernelBusy)) * 1e-9,
			In: bytesIn[k], Out: bytesOut[k]}
		x.Utilization = x.Busy / m.Seconds
		if r.isSource[k] {
			m.Throughput += bytesOut[k] / m.Seconds
		} else if x.In > 0 && len(r.out[k]) > 0 {
			x.Gain = x.Out / x.In
		}
		work := x.In
		if r.isSource[k] {
			work = x.Out
		}
		if x.Busy > 0 {
			x.ServiceRate = work / x.Busy
		}
		m.Kernels = append(m.Kernels, x)
	}
	return m
}

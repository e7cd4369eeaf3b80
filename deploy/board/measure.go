package board

import (
	"math"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/hdl"
	"xopt/hdl/rtl"
	"xopt/mapper/result"
)

// records computes the counts and samples of the taps from the records of all frames.
func (r *reader) records(list []hdl.Record) {
	if len(list) == 0 {
		if r.about.Figures+r.about.Histograms > 0 {
			r.m.Notes = append(r.m.Notes, faults.NoTapRecords.Notef("the host received no tap records, so the taps "+
				"have no values"))
		}
		return
	}
	if lost := list[len(list)-1].Lost; lost > 0 {
		r.m.Notes = append(r.m.Notes, faults.TapRecordsLost.Notef("%d records of the tap agent were lost: the host "+
			"was too slow (use a longer --frame)", lost))
	}
	cycles := list[len(list)-1].Cycle + 1
	for i := range r.about.Taps {
		t := &r.about.Taps[i]
		e := r.edge[t.Edge]
		switch tap := t.tap(e); tap.Kind {
		case hdl.ActivityTap:
			h := run.NewHardwareTap(r.about.FPGA, tap)
			h.Moved, h.Waited, h.Idle = sum(list, t, "MOVED"), sum(list, t, "WAITED"), sum(list, t, "IDLE")
			h.Cycles = h.Moved + h.Waited + h.Idle
			r.tapped[e] = h.Moved * uint64(t.Bytes)
			r.m.Hardware = append(r.m.Hardware, h)
		case hdl.QueueTap:
			h := run.NewHardwareTap(r.about.FPGA, tap)
			h.Min, h.Max = extremes(list, t)
			h.Cycles, h.Mean = cycles, float64(long(list, t, "SUM"))/float64(cycles)
			r.m.Hardware = append(r.m.Hardware, h)
		case hdl.OccupancyTap, hdl.LatencyTap, hdl.GapTap:
			r.m.Taps = append(r.m.Taps, r.sampled(list, t, tap))
		}
	}
}

func figure(x *hdl.Record, t *Tap, name string) uint64 {
	return uint64(x.Figures[t.At+hdl.TapKind(t.Kind).At(name)])
}

func sum(list []hdl.Record, t *Tap, name string) (n uint64) {
	for i := range list {
		n += figure(&list[i], t, name)
	}
	return n
}

// long returns a 64-bit figure, summed over the records. name is the name of the figure without _LOW and _HIGH.
func long(list []hdl.Record, t *Tap, name string) uint64 {
	return sum(list, t, name+"_LOW") + sum(list, t, name+"_HIGH")<<32
}

func extremes(list []hdl.Record, t *Tap) (minimum, maximum uint64) {
	minimum = math.MaxUint64
	for i := range list {
		minimum, maximum = min(minimum, figure(&list[i], t, "MIN")), max(maximum, figure(&list[i], t, "MAX"))
	}
	return minimum, maximum
}

// sampled returns the measurement of a tap that samples occupancies in elements, or times in seconds.
func (r *reader) sampled(list []hdl.Record, t *Tap, tap program.FederateTap) run.TapMeasurement {
	unit := 1 / r.summary.clock
	x := run.TapMeasurement{Tap: program.Tap{Edge: tap.Edge, Every: 1, Kind: program.Latency},
		Bins: program.Scale{Log: true, N: tap.Bins, Unit: unit}}
	switch {
	case tap.Kind == hdl.OccupancyTap:
		unit = 1
		x.Kind = program.Occupancy
		x.Bins = program.Scale{Width: float64(uint64(1) << t.Shift), N: tap.Bins - 1}
	case tap.Kind == hdl.GapTap && tap.Put:
		x.Kind = program.Gap
	case tap.Kind == hdl.GapTap:
		x.Kind = program.Busy
	}
	s := &x.Total
	s.Min, s.Squares = math.Inf(1), math.NaN()
	if t.Hist < 0 {
		x.Bins = program.Scale{}
	}
	s.Histogram = make([]float64, x.Bins.N)
	for i := range list {
		n := figure(&list[i], t, "COUNT")
		if n == 0 {
			continue
		}
		s.Samples += n
		s.Min = min(s.Min, unit*float64(figure(&list[i], t, "MIN")))
		s.Max = max(s.Max, unit*float64(figure(&list[i], t, "MAX")))
		if t.Hist < 0 {
			continue
		}
		for b, count := range list[i].Bins[t.Hist*rtl.Bins : (t.Hist+1)*rtl.Bins] {
			if b < len(s.Histogram) {
				s.Histogram[b] += float64(count)
			} else {
				s.Above += float64(count)
			}
		}
	}
	if tap.Kind == hdl.GapTap {
		s.Products = float64(long(list, t, "PRODUCTS"))
	}
	s.Weight, s.Sum = float64(s.Samples), unit*float64(long(list, t, "SUM"))
	return x
}

// edges determines the traffic of each edge. At the border, the traffic is the host's count. Inside the FPGA, it is the
// count of the taps. Edges between cores and edges without taps have the traffic of the exported run. If the traffic at
// the border differs from the exported run, edges scales their traffic with the input of the FPGA.
func (r *reader) edges() {
	moved := make(map[int]uint64)
	same := true
	var here, there float64 // bytes on the streams
	exported := make(map[int]*Edge)
	for i := range r.about.Edges {
		exported[r.edge[r.about.Edges[i].Edge]] = &r.about.Edges[i]
	}
	for _, s := range r.about.Streams {
		e := r.edge[s.Edge]
		moved[e] = r.summary.bytes[s.Name]
		was := uint64(0)
		if x := exported[e]; x != nil {
			was = x.Elements * uint64(s.Element)
		}
		same = same && was == moved[e]
		if s.Input {
			here, there = here+float64(moved[e]), there+float64(was)
		}
	}
	for e, n := range r.tapped {
		if _, ok := moved[e]; !ok {
			moved[e] = n
		}
	}
	scale := 1.0
	if !same {
		if there > 0 {
			scale = here / there
		}
		r.m.Notes = append(r.m.Notes, faults.OtherAmounts.Notef("the host sent or received a different amount of "+
			"data than the exported run. The report scales the data on edges outside the board in proportion"))
	}
	p := r.d.Program
	for e := range p.Edges {
		size := p.Kernels[p.Edges[e].From].Outputs[p.Edges[e].FromPort].ElementBytes
		x := result.MeasuredEdge{Edge: p.Edges[e].Name, Initial: uint64(p.Edges[e].Initial)}
		if was := exported[e]; was != nil {
			x.Capacity, x.Elements = was.Capacity, uint64(scale*float64(was.Elements))
		}
		if n, ok := moved[e]; ok {
			x.Elements = uint64(float64(n) / size)
		}
		x.ElementRate = float64(x.Elements) / r.m.Seconds
		x.Rate = x.ElementRate * size
		r.m.Edges = append(r.m.Edges, x)
	}
}

// moving returns, for each kernel on the FPGA, the fraction of cycles in which its busiest monitored stream moved a
// word.
func (r *reader) moving() map[int]float64 {
	p, maximum := r.d.Program, make(map[int]float64)
	see := func(k int, words float64) { maximum[k] = max(maximum[k], min(words/float64(r.summary.cycles), 1)) }
	for _, s := range r.about.Streams {
		k := p.Edges[r.edge[s.Edge]].From
		if s.Input {
			k = p.Edges[r.edge[s.Edge]].To
		}
		see(k, float64(r.summary.bytes[s.Name])/float64(s.Word))
	}
	for i := range r.m.Hardware {
		h := &r.m.Hardware[i]
		if edge := &p.Edges[h.Tap.Edge]; h.Tap.Kind == hdl.ActivityTap && r.inner[h.Tap.Edge] {
			k := edge.To
			if h.Tap.Put {
				k = edge.From
			}
			see(k, float64(h.Moved))
		}
	}
	return maximum
}

// kernels computes the input and output of each kernel from the traffic of its edges.
func (r *reader) kernels() {
	a, p := &r.d.Problem.Application, r.d.Program
	moving := r.moving()
	in, out := make([]float64, len(p.Kernels)), make([]float64, len(p.Kernels))
	for e := range r.m.Edges {
		bytes := r.m.Edges[e].Rate * r.m.Seconds
		in[p.Edges[e].To] += bytes
		if !a.Edges[e].Copy {
			out[p.Edges[e].From] += bytes
		}
	}
	for k := range p.Kernels {
		x := result.MeasuredKernel{Kernel: p.Kernels[k].Name, Process: p.Resources[r.d.Mapping.Place[k]].Name,
			In: in[k], Out: out[k], Utilization: moving[k], Busy: moving[k] * r.m.Seconds}
		switch {
		case len(p.Kernels[k].Inputs) == 0 && !p.Kernels[k].Once:
			r.m.Throughput += out[k] / r.m.Seconds
		case len(p.Kernels[k].Outputs) == 0:
			r.m.SinkRate += in[k] / r.m.Seconds
		case in[k] > 0:
			x.Gain = out[k] / in[k]
		}
		r.m.Kernels = append(r.m.Kernels, x)
	}
}

package record

import (
	"math"
	"slices"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/mapper/result"
)

// Run puts together what was measured of a design's mapping.
func Run(d *design.Design, m *run.Measurement) *result.Measured {
	r := recorder{design: d, from: m, out: &result.Measured{Machine: profile.ThisMachine(),
		Clock:   result.Clock{Name: m.Clock.Name, Hertz: result.Number(m.Clock.Hertz)},
		Seconds: result.Number(m.Seconds), Throughput: result.Number(m.Throughput),
		SinkRate: result.Number(m.SinkRate)}}
	r.out.Machine.Compiler = m.Compiler
	if s := m.Steady; s != nil {
		r.out.Steady = &result.SteadyPart{StartUp: result.Number(s.StartUp), Seconds: result.Number(s.Seconds),
			Batches: s.Batches, Throughput: result.Number(s.Throughput), SinkRate: result.Number(s.SinkRate),
			Short: s.Short, Unsteady: s.Unsteady, Enough: s.Enough}
	}
	if m.Virtual {
		r.out.Simulated, r.out.WallSeconds = "federated simulation in virtual time", result.Number(m.Wall)
	}
	if m.Failure != nil {
		r.out.Partial, r.out.FaultOf = m.Failure.Text, m.Failure.Kernel
	}
	for _, p := range m.Processes {
		r.out.Processes = append(r.out.Processes, result.Process{Name: p.Name, Processor: p.Processor,
			Wait: string(p.Wait), Scheduler: string(p.Scheduler), Schedule: string(p.Schedule),
			Batch: result.Number(p.Batch), BatchFrom: p.BatchFrom})
	}
	for k, res := range d.Mapping.Place {
		r.out.Place = append(r.out.Place, result.Placement{Kernel: d.Program.Kernels[k].Name,
			Resource: d.Program.Resources[res].Name, Copies: d.Program.Kernels[k].Instances})
	}
	r.kernels()
	r.edges()
	r.waits()
	r.used()
	r.hardware()
	r.packets()
	r.monitors()
	r.buffers()
	r.paths()
	if len(m.Frames) > 1 {
		for i := range m.Frames {
			r.frame(&m.Frames[i])
		}
	}
	return r.out
}

type recorder struct {
	design *design.Design
	from   *run.Measurement
	out    *result.Measured
}

// tap finds what measured a quantity of an edge or kernel, with a histogram if there
// is one; -1 for none.
func (r *recorder) tap(kind program.TapKind, of int) int {
	if i := r.tapWith(kind, of, true); i >= 0 {
		return i
	}
	return r.tapWith(kind, of, false)
}

func (r *recorder) tapWith(kind program.TapKind, of int, histogram bool) int {
	return slices.IndexFunc(r.from.Taps, func(t run.TapMeasurement) bool {
		if t.Kind != kind || t.Frame > 0 || t.When != nil || kind == program.Latency && len(t.Path) > 1 || histogram &&
			t.Bins.N == 0 {
			return false
		}
		if kind == program.Service {
			return t.Kernel == of
		}
		return t.Edge == of
	})
}

func (r *recorder) distribution(kind program.TapKind, of int) *result.Distribution {
	if i := r.tap(kind, of); i >= 0 {
		return newDistribution(&r.from.Taps[i], &r.from.Taps[i].Total)
	}
	return nil
}

// hasMean reports whether a summary has a mean. A frame that is read while a tap writes may have counted a sample
// whose weight is not there yet; the next frame has it.
func hasMean(s *run.Summary) bool { return s.Samples > 0 && s.Weight > 0 }

// newDistribution returns nil if there was no sample.
func newDistribution(t *run.TapMeasurement, s *run.Summary) *result.Distribution {
	if !hasMean(s) {
		return nil
	}
	d := &result.Distribution{Every: t.Every, Samples: s.Samples, Elements: result.Number(s.Weight),
		Mean: result.Number(s.Mean()),
		Min:  result.Number(s.Min), Max: result.Number(s.Max)}
	if scv := result.Number(s.SCV()); s.Mean() != 0 && !math.IsNaN(float64(scv)) {
		d.SCV = &scv
	}
	if s.Below > 0 {
		d.Bins = append(d.Bins, result.Bin{From: result.Number(s.Min), To: result.Number(t.Bins.From(0)),
			Elements: result.Number(s.Below)})
	}
	for i, w := range s.Histogram {
		if w > 0 {
			d.Bins = append(d.Bins, result.Bin{From: result.Number(t.Bins.From(i)),
				To: result.Number(t.Bins.From(i + 1)), Elements: result.Number(w)})
		}
	}
	if s.Above > 0 {
		d.Bins = append(d.Bins, result.Bin{From: result.Number(t.Bins.From(t.Bins.N)), To: result.Number(s.Max),
			Elements: result.Number(s.Above)})
	}
	return d
}

func (r *recorder) kernels() {
	for _, k := range r.from.Kernels {
		kernel := &r.design.Program.Kernels[k.Kernel]
		x := result.MeasuredKernel{Kernel: kernel.Name, Process: k.Process, Calls: k.Calls, Firings: k.Firings,
			Busy: result.Number(k.Busy), Utilization: result.Number(k.Utilization),
			ServiceRate: result.Number(k.ServiceRate), ServiceTime: result.Number(k.ServiceTime),
			Gain:    result.Number(k.Gain),
			Service: r.distribution(program.Service, k.Kernel)}
		if len(k.Routing) > 1 && k.Out > 0 {
			for i, f := range k.Routing {
				x.Routing = append(x.Routing, result.PortFraction{Port: kernel.Outputs[i].Name,
					Fraction: result.Number(f)})
			}
		}
		x.Log = r.log(program.Service, k.Kernel)
		if i := r.spentOf(k.Kernel); i >= 0 {
			x.Cycles = r.cycles(i, &r.from.Spent[i].Spent)
		}
		r.out.Kernels = append(r.out.Kernels, x)
	}
}

// log is what was logged of a kernel or edge, up to as much as was asked for.
func (r *recorder) log(kind program.TapKind, of int) []result.Logged {
	var out []result.Logged
	for i := range r.from.Taps {
		t := &r.from.Taps[i]
		if t.Kind != kind || t.Logged == 0 || t.When != nil || t.Frame > 0 || len(t.Path) > 1 ||
			kind == program.Service && t.Kernel != of || kind != program.Service && t.Edge != of {
			continue
		}
		for _, f := range r.from.Frames {
			for _, e := range f.Logs[i] {
				if len(out) == t.Logged {
					return out
				}
				out = append(out, result.Logged{Index: e.Index, Time: result.Number(e.Time),
					Value: result.Number(e.Value)})
			}
		}
		return out
	}
	return nil
}

// over names the links that an edge crosses.
func (r *recorder) over(e int) []string {
	var names []string
	if e < len(r.design.Mapping.Route) {
		for _, l := range r.design.Mapping.Route[e] {
			names = append(names, r.design.Problem.Architecture.Links[l].Name)
		}
	}
	return names
}

func (r *recorder) edges() {
	for _, e := range r.from.Edges {
		edge, stream := &r.design.Program.Edges[e.Edge], &r.design.Problem.Application.Edges[e.Edge]
		source := len(r.design.Program.Kernels[edge.From].Inputs) == 0 &&
			!r.design.Problem.Application.Kernels[edge.From].Preload
		if r.from.Failure != nil && source && !stream.Copy && e.Elements > 0 {
			r.out.Filling += result.Number(e.Rate * float64(e.Left) / float64(e.Elements))
		}
		r.out.Edges = append(r.out.Edges, result.MeasuredEdge{Edge: edge.Name, Elements: e.Elements, Initial: e.Initial,
			Left:        e.Left,
			ElementRate: result.Number(e.ElementRate), Rate: result.Number(e.Rate),
			Utilization: result.Number(r.from.Kernels[edge.To].Utilization), Waits: e.Waits,
			Backpressure: result.Number(e.Backpressure), Capacity: e.Capacity,
			MeanHeld: result.Number(e.MeanOccupancy), MostHeld: e.MaxOccupancy, Looks: e.Looks,
			Occupancy: r.distribution(program.Occupancy, e.Edge), Latency: r.distribution(program.Latency, e.Edge),
			Over: r.over(e.Edge), Log: r.log(program.Occupancy, e.Edge), Released: r.log(program.Latency, e.Edge)})
		last := &r.out.Edges[len(r.out.Edges)-1]
		last.MostHeld = last.Most()
	}
}

func (r *recorder) frame(f *run.FrameData) {
	length := f.End - f.Start
	if !(length > 0) {
		return
	}
	mean := func(kind program.TapKind, of int) *result.Number {
		if i := r.tap(kind, of); i >= 0 && hasMean(&f.Taps[i].Summary) {
			m := result.Number(f.Taps[i].Mean())
			return &m
		}
		return nil
	}
	out := result.MeasuredFrame{Frame: f.Frame, Start: result.Number(f.Start), End: result.Number(f.End)}
	for e, x := range f.Edges {
		edge := &r.design.Program.Edges[e]
		port := &r.design.Program.Kernels[edge.From].Outputs[edge.FromPort]
		bytes := float64(x.Sent) * port.ElementBytes
		out.Edges = append(out.Edges, result.FrameEdge{Sent: x.Sent, Taken: x.Taken,
			Rate:         result.Number(bytes / length),
			Backpressure: result.Number(min(x.Blocked/length, 1)),
			Occupancy:    mean(program.Occupancy, e), Latency: mean(program.Latency, e)})
	}
	for k, x := range f.Kernels {
		kernel := result.FrameKernel{Utilization: result.Number(x.Worked / length), ServiceTime: mean(program.Service,
			k)}
		if i := r.spentOf(k); i >= 0 && i < len(f.Spent) {
			kernel.Cycles = r.cycles(i, &f.Spent[i].Spent)
		}
		out.Kernels = append(out.Kernels, kernel)
	}
	r.out.Frames = append(r.out.Frames, out)
}

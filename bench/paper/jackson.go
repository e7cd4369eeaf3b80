package paper

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"time"

	"xopt/bench/apps"

	"xopt/calibrate"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/queueing"
)

// JacksonCase is a run of the BLASTN pipeline and its prediction by the Jackson network model (Lancaster 2011 §7.3,
// Tables 7.1 and 7.2). The inputs of the model are from separate measurements of each kernel.
type JacksonCase struct {
	Name     string
	Arrival  float64 // λ_in, elements/s from the database, measured
	Stations []JacksonStation
}

// JacksonStation is a stage of the pipeline, predicted and measured. Rates are in consumed elements/s.
type JacksonStation struct {
	Kernel      string
	ServiceRate float64 // μ of the isolated kernel
	Crossing    float64 // cost of receiving from and sending to the other core, s per consumed element
	Pass        float64 // p: output elements per input element, measured separately; 0 for the last stage

	// Utilization is ρ = λ(1/μ + crossing cost). Queue is N_Q, the mean queue length in elements, of an M/M/1 station
	// that uses the time not used by the other kernels of its core. It is negative if the queue would grow without
	// bound.
	Utilization, MeasuredUtilization float64
	Queue, MeasuredQueue             float64
	Samples                          uint64
}

// jacksonRun is a run of the pipeline at one load.
type jacksonRun struct {
	name string
	set  map[string]string
	load float64 // utilization of the bottleneck core
}

// Jackson calibrates the BLASTN pipeline, and compares predictions with runs at several loads.
func Jackson(ctx context.Context, o Options) (cases []JacksonCase, err error) {
	runs := []jacksonRun{
		{"few planted matches, half the load", map[string]string{}, 0.5},
		{"few planted matches, high load", map[string]string{}, 0.85},
		{"five times as many planted matches, half the load", map[string]string{"top.planted": "0.05"}, 0.5},
		{"five times as many planted matches, high load", map[string]string{"top.planted": "0.05"}, 0.85},
	}
	if o.Short {
		runs = runs[:1]
	}
	dir, err := apps.Unpack("blastn")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, r := range runs {
		o.Note("blastn, " + r.name)
		c, err := jackson(ctx, dir, r, o)
		if err != nil {
			return cases, fmt.Errorf("%s: %w", r.name, err)
		}
		cases = append(cases, *c)
	}
	return cases, nil
}

// jackson calibrates and runs the pipeline with stage 1a on one core and the other stages on another core. Of all
// mappings to two cores, this one is most similar to the machine of the thesis.
func jackson(ctx context.Context, dir string, r jacksonRun, o Options) (*JacksonCase, error) {
	s := subject{name: "blastn", dir: dir, files: []string{"app.x", "arch.x"}, set: r.set, elements: 60_000}
	d, err := s.load(nil)
	if err != nil {
		return nil, err
	}
	ho := calibrate.Options{Elements: s.elements}
	if o.Short {
		ho.Precision, ho.Budget = 0.2, 20*time.Second // gives each kernel enough time on a busy machine
	}
	profile, _, err := calibrate.Calibrate(ctx, d, ho)
	if err != nil {
		return nil, err
	}
	if d, err = s.load(profile); err != nil {
		return nil, err
	}
	place := make([]int, len(d.Program.Kernels))
	for k := range place {
		if d.Program.Kernels[k].Block != "Bloom" {
			place[k] = 1
		}
	}
	d.Mapping = &flow.Mapping{Place: place, Route: make([][]int, len(d.Program.Edges))}
	n, err := flow.NewNetwork(d.Problem, d.Mapping)
	if err != nil {
		return nil, err
	}
	maximum, err := flow.Fast{}.Solve(ctx, n)
	if err != nil {
		return nil, err
	}
	const element = 64 // bytes
	set := map[string]string{"top.time": fmt.Sprintf("%.6g", 1e6*element/(r.load*maximum.Throughput))}
	maps.Copy(set, r.set)
	s.set = set
	timed, err := s.load(nil)
	if err != nil {
		return nil, err
	}
	timed.Mapping = d.Mapping
	window := max(o.Window, time.Second)
	// Taps sample, and stages send in batches, as usual: a stage needs approximately 25 ns per element, so that sending
	// and tapping each element separately would overload its core.
	var taps []program.Tap
	for e := range timed.Program.Edges {
		taps = append(taps, program.Tap{Kind: program.Occupancy, Edge: e})
	}
	m, err := runDesign(ctx, timed, window, program.Options{Elements: math.MaxInt64, Taps: taps})
	if err != nil {
		return nil, err
	}
	return compareJackson(d, m, r.name), nil
}

// compareJackson predicts every station of a pipeline from λ_in and the separately measured kernels (§7.3), and adds
// the measurements of the run.
func compareJackson(d *design.Design, m *run.Measurement, name string) *JacksonCase {
	c := &JacksonCase{Name: name}
	load := make(map[int]float64) // utilization of each core
	var at []int                  // core of each station
	rate := 0.0
	for e, edge := range d.Program.Edges { // edges of a pipeline are in order
		if e > 0 && len(d.Program.Kernels[edge.From].Inputs) == 0 {
			continue // the filter, which arrives once
		}
		if e == 0 {
			c.Arrival = m.Edges[e].ElementRate
			rate = c.Arrival
			fig := d.Problem.Figures[edge.From][d.Mapping.Place[edge.From]]
			load[d.Mapping.Place[edge.From]] += rate * d.Problem.Application.Edges[e].ElementBytes / fig.ServiceRate
		}
		fig := d.Problem.Figures[edge.To][d.Mapping.Place[edge.To]]
		bytes := d.Problem.Application.Edges[e].ElementBytes
		st := JacksonStation{Kernel: d.Program.Kernels[edge.To].Name, ServiceRate: fig.ServiceRate / bytes,
			MeasuredUtilization: m.Kernels[edge.To].Utilization}
		here := d.Mapping.Place[edge.To]
		if d.Mapping.Place[edge.From] != here {
			st.Crossing = bytes * fig.ReceiveCost
		}
		next := rate
		if e+1 < len(d.Program.Edges) && d.Program.Edges[e+1].From == edge.To {
			sent := d.Problem.Application.Kernels[edge.To].Gain * bytes
			st.Pass = sent / d.Problem.Application.Edges[e+1].ElementBytes
			next *= st.Pass
			if d.Mapping.Place[d.Program.Edges[e+1].To] != here {
				st.Crossing += sent * fig.SendCost
			}
		}
		st.Utilization = rate * (1/st.ServiceRate + st.Crossing)
		load[here] += st.Utilization
		at = append(at, here)
		rate = next
		if t := m.Taps[e].Total; t.Samples > 0 {
			// Subtract the element in service, which arriving elements also find, but N_Q does not include.
			st.MeasuredQueue, st.Samples = math.Max(t.Mean()-st.MeasuredUtilization, 0), t.Samples
		}
		c.Stations = append(c.Stations, st)
	}
	for i := range c.Stations {
		st := &c.Stations[i]
		left := 1 - (load[at[i]] - st.Utilization)
		if rho := st.Utilization / left; rho < 1 && left > 0 {
			st.Queue = queueing.MM1{Utilization: rho}.MeanQueue()
		} else {
			st.Queue = -1
		}
	}
	return c
}

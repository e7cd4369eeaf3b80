// Package timeline writes a run as a timeline that Perfetto and chrome://tracing open: a
// track for each core, FPGA and link, a slice for each firing that was logged, counters for
// queues. The format is Chrome's Trace Event Format (JSON object).
package timeline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"xopt/internal/result"
	"xopt/internal/safetext"
)

// event is one of the format's events. Times are in us.
type event struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	Time  float64        `json:"ts"`
	Lasts float64        `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

// clean makes the names of an event safe to show: they come from files of others.
func (e event) clean() event {
	e.Name = safetext.Line(e.Name)
	if name, ok := e.Args["name"].(string); ok {
		e.Args["name"] = safetext.Line(name)
	}
	return e
}

type file struct {
	Other  map[string]string `json:"otherData"` // first: it says who wrote the file
	Unit   string            `json:"displayTimeUnit"`
	Events []event           `json:"traceEvents"`
}

// The processes of the timeline.
const (
	resources = 1
	queues    = 2
	rates     = 3
)

// tolerance is by how much slices may seem to overlap, for times are rounded; in us.
const tolerance = 1e-3

// lanes puts slices that overlap, where processes share a core, on tracks of their own: on
// one track they would have to lie inside each other.
func lanes(list []event, on []result.Resource) []event {
	slices.SortStableFunc(list, func(a, b event) int { return cmp.Compare(a.Time, b.Time) })
	ends := make(map[int][]float64) // of each resource's lanes
	var names []event
	for i := range list {
		e := &list[i]
		lane := slices.IndexFunc(ends[e.TID], func(end float64) bool { return end <= e.Time+tolerance })
		if lane < 0 {
			lane = len(ends[e.TID])
			ends[e.TID] = append(ends[e.TID], 0)
			if lane > 0 {
				names = append(names, event{Name: "thread_name", Phase: "M", PID: resources,
					TID: e.TID + lane*(len(on)+1), Args: map[string]any{"name": beside(on, e.TID)}})
			}
		}
		ends[e.TID][lane] = e.Time + e.Lasts
		e.TID += lane * (len(on) + 1)
	}
	return append(names, list...)
}

// beside names a further track of a resource.
func beside(on []result.Resource, track int) string {
	if track < 1 || track > len(on) {
		return "no resource, beside it"
	}
	return on[track-1].Name + ", beside it"
}

// Write writes the timeline of a result that holds a run.
func Write(w io.Writer, r *result.Result) error {
	m := r.Measured
	if m == nil {
		return fmt.Errorf("the result holds no run")
	}
	out := file{Events: []event{}, Unit: "ms", Other: map[string]string{"application": safetext.Line(r.Application),
		"program": r.Tool + " " + r.Version}}
	if m.Simulated != "" {
		out.Other["times"] = "virtual, of " + m.Simulated
	}
	out.process(resources, "resources")
	firings := out.tracks(r)
	for _, e := range lanes(firings, r.Architecture) {
		out.add(e)
	}
	if len(firings) == 0 {
		out.busy(m)
	}
	out.process(queues, "queues (elements)")
	out.process(rates, "edges and links (bytes/s)")
	out.edges(m)
	out.links(r)
	if len(firings) == 0 && len(m.Frames) == 0 {
		return fmt.Errorf("the run has neither logged firings nor frames to draw: deploy it with --log 10000, or " +
			"--frame 10ms")
	}
	if err := json.NewEncoder(w).Encode(out); err != nil {
		return fmt.Errorf("writing a timeline: %w", err)
	}
	return nil
}

func (f *file) add(e event) { f.Events = append(f.Events, e.clean()) }

// process names a group of tracks.
func (f *file) process(pid int, name string) {
	f.add(event{Name: "process_name", Phase: "M", PID: pid, Args: map[string]any{"name": name}})
}

// count adds a value of a counter at a time in seconds.
func (f *file) count(pid int, name, unit string, time, value float64) {
	f.add(event{Name: name, Phase: "C", Time: 1e6 * time, PID: pid, Args: map[string]any{unit: value}})
}

// tracks names a track for each resource in use, and returns the firings that were logged.
func (f *file) tracks(r *result.Result) []event {
	m := r.Measured
	tracks := make(map[string]int)
	for i, res := range r.Architecture {
		tracks[res.Name] = i + 1
		if slices.ContainsFunc(m.Place, func(p result.Placement) bool { return p.Resource == res.Name }) {
			f.add(event{Name: "thread_name", Phase: "M", PID: resources, TID: i + 1,
				Args: map[string]any{"name": res.Name + " (" + res.Platform + ")"}})
		}
	}
	on := make(map[string]int)
	for _, p := range m.Place {
		on[p.Kernel] = tracks[p.Resource]
	}
	var firings []event
	for _, k := range m.Kernels {
		for _, f := range k.Log {
			firings = append(firings, event{Name: k.Kernel, Phase: "X", Time: 1e6 * float64(f.Time-f.Value),
				Lasts: 1e6 * float64(f.Value), PID: resources, TID: on[k.Kernel],
				Args: map[string]any{"element": f.Index}})
		}
	}
	return firings
}

// busy adds how busy each kernel was, frame by frame.
func (f *file) busy(m *result.Measured) {
	for _, frame := range m.Frames {
		for k := range frame.Kernels {
			if k < len(m.Kernels) {
				f.count(resources, m.Kernels[k].Kernel+" busy (%)", "%", float64(frame.Start),
					100*float64(frame.Kernels[k].Utilization))
			}
		}
	}
}

// edges adds what each edge held and carried.
func (f *file) edges(m *result.Measured) {
	for i, e := range m.Edges {
		for _, o := range e.Log {
			f.count(queues, e.Edge, "elements", float64(o.Time), float64(o.Value))
		}
		for _, frame := range m.Frames {
			if i >= len(frame.Edges) {
				continue
			}
			if o := frame.Edges[i].Occupancy; o != nil && len(e.Log) == 0 {
				f.count(queues, e.Edge, "elements", float64(frame.Start), float64(*o))
			}
			f.count(rates, e.Edge, "bytes/s", float64(frame.Start), float64(frame.Edges[i].Rate))
		}
	}
}

// links adds what each link carried.
func (f *file) links(r *result.Result) {
	m := r.Measured
	for _, l := range r.Links {
		for _, frame := range m.Frames {
			sum := 0.0
			for i, e := range m.Edges {
				if slices.Contains(e.Over, l.Name) && i < len(frame.Edges) {
					sum += float64(frame.Edges[i].Rate)
				}
			}
			if sum > 0 {
				f.count(rates, l.Name, "bytes/s", float64(frame.Start), sum)
			}
		}
	}
}

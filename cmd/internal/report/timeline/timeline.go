// Package timeline writes a run as a timeline for Perfetto and chrome://tracing. Each core, FPGA and link has a track.
// A slice represents a logged firing, and an arrow leads from the firing that sent an element to the firing that
// consumed it. Marks show frames, failed assertions and stalls. Counters show queues and rates.
//
// The format is Chrome's Trace Event Format (JSON object).
package timeline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/internal/fault"
	"xopt/internal/safetext"
	"xopt/mapper/result"
)

// event is an event of the Trace Event Format. Times are in µs.
type event struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	ID    string         `json:"id,omitempty"` // links the ends of a flow
	Scope string         `json:"s,omitempty"`  // scope of an instant event: "t" for its track, "g" for all tracks
	Bind  string         `json:"bp,omitempty"` // "e": the end of a flow belongs to the enclosing slice
	Time  float64        `json:"ts"`
	Lasts float64        `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

// clean makes the names in an event safe to display, because they may come from untrusted files.
func (e event) clean() event {
	e.Name = safetext.Line(e.Name)
	if name, ok := e.Args["name"].(string); ok {
		e.Args["name"] = safetext.Line(name)
	}
	return e
}

type file struct {
	Other  map[string]string `json:"otherData"` // first, because it contains the program's name
	Unit   string            `json:"displayTimeUnit"`
	Events []event           `json:"traceEvents"`
}

// Process IDs in the timeline.
const (
	resources = 1
	queues    = 2
	rates     = 3
	marks     = 4 // viewers show the marks first
	signals   = 5
)

// tolerance is the maximum overlap of slices that is due to rounding, in µs.
const tolerance = 1e-3

// lanes moves overlapping slices to separate tracks. Slices overlap if several processes share a core. On one track,
// slices would have to be nested.
func lanes(list []event, on []result.Resource) []event {
	slices.SortStableFunc(list, func(a, b event) int { return cmp.Compare(a.Time, b.Time) })
	ends := make(map[int][]float64) // by resource, the end of each lane
	var names []event
	for i := range list {
		e := &list[i]
		lane := slices.IndexFunc(ends[e.TID], func(stop float64) bool { return stop <= e.Time+tolerance })
		if lane < 0 {
			lane = len(ends[e.TID])
			ends[e.TID] = append(ends[e.TID], 0)
			if lane > 0 {
				tid := e.TID + lane*(len(on)+1)
				names = append(names, event{Name: "thread_name", Phase: "M", PID: resources, TID: tid,
					Args: map[string]any{"name": furtherTrack(on, e.TID)}}, sorted("thread", resources, tid,
					e.TID*laneSpace+lane))
			}
		}
		ends[e.TID][lane] = e.Time + e.Lasts
		e.TID += lane * (len(on) + 1)
	}
	return append(names, list...)
}

// furtherTrack returns the name of an additional track of a resource.
func furtherTrack(on []result.Resource, track int) string {
	if track < 1 || track > len(on) {
		return "no resource, further track"
	}
	return on[track-1].Name + ", further track"
}

// laneSpace is the number of positions reserved for the tracks of each resource.
const laneSpace = 1000

// sorted returns the metadata event that sets the position of a process or thread.
func sorted(what string, pid, tid, index int) event {
	return event{Name: what + "_sort_index", Phase: "M", PID: pid, TID: tid, Args: map[string]any{"sort_index": index}}
}

// Write writes the timeline of a result with a run.
func Write(w io.Writer, r *result.Result) error {
	m := r.Measured
	if m == nil {
		return fault.NoRun.Errorf("the result contains no run (use a result of xopt deploy)")
	}
	out := file{Events: []event{}, Unit: "ms", Other: about(r)}
	out.process(resources, "resources", 1)
	firings := out.tracks(r)
	for _, e := range lanes(firings, r.Architecture) {
		out.add(e)
	}
	out.flows(r, firings)
	out.markLogEnd(m, firings)
	out.busy(m)
	out.process(queues, "queues (elements)", 2)
	out.process(rates, "edges and links (bytes/s)", 3)
	out.edges(m)
	out.links(r)
	out.marks(m)
	if traced := out.signals(m); len(firings) == 0 && len(m.Frames) == 0 && !traced {
		return faults.NothingLogged.Errorf("the run has no logged firings or frames to draw (deploy again with --log " +
			"10000 or --frame 10ms)")
	}
	if err := json.NewEncoder(w).Encode(out); err != nil {
		return fmt.Errorf("writing a timeline: %w", err)
	}
	return nil
}

func (f *file) add(e event) { f.Events = append(f.Events, e.clean()) }

// process names a group of tracks and sets its position.
func (f *file) process(pid int, name string, place int) {
	f.add(event{Name: "process_name", Phase: "M", PID: pid, Args: map[string]any{"name": name}})
	f.add(sorted("process", pid, 0, place))
}

// thread names a track and sets its position.
func (f *file) thread(pid, tid int, name string, place int) {
	f.add(event{Name: "thread_name", Phase: "M", PID: pid, TID: tid, Args: map[string]any{"name": name}})
	f.add(sorted("thread", pid, tid, place))
}

// counter is a type of counter: its process, category and unit.
type counter struct {
	pid       int
	cat, unit string
}

func busyCounter() counter   { return counter{resources, "busy", "%"} }
func queueCounter() counter  { return counter{queues, "queue", "elements"} }
func rateCounter() counter   { return counter{rates, "rate", "bytes/s"} }
func signalCounter() counter { return counter{signals, "signal", "value"} }

// count adds a value of a counter at a time in seconds.
func (f *file) count(c counter, name string, time, value float64) {
	f.add(event{Name: name, Cat: c.cat, Phase: "C", Time: 1e6 * time, PID: c.pid,
		Args: map[string]any{c.unit: value}})
}

// tracks names a track for each resource in use. It returns the logged firings.
func (f *file) tracks(r *result.Result) []event {
	m := r.Measured
	tracks := make(map[string]int)
	for i, res := range r.Architecture {
		tracks[res.Name] = i + 1
		if slices.ContainsFunc(m.Place, func(p result.Placement) bool { return p.Resource == res.Name }) {
			f.thread(resources, i+1, res.Name+" ("+res.Platform+")", (i+1)*laneSpace)
		}
	}
	on := make(map[string]int)
	for _, p := range m.Place {
		on[p.Kernel] = tracks[p.Resource]
	}
	var firings []event
	for _, k := range m.Kernels {
		for _, f := range k.Log {
			e := event{Name: k.Kernel, Cat: "firing", Phase: "X", Time: 1e6 * float64(f.Time-f.Value),
				Lasts: 1e6 * f.Value, PID: resources, TID: on[k.Kernel]}
			if f.Index > 0 { // a source in hardware has no index
				e.Args = map[string]any{"firing": f.Index}
			}
			firings = append(firings, e)
		}
	}
	return firings
}

// busy adds the utilization of each kernel in each frame.
func (f *file) busy(m *result.Measured) {
	for _, frame := range m.Frames {
		for k := range frame.Kernels {
			if k < len(m.Kernels) {
				f.count(busyCounter(), m.Kernels[k].Kernel+" busy (%)", frame.Start, 100*frame.Kernels[k].Utilization)
			}
		}
	}
}

// edges adds the occupancy and traffic of each edge.
func (f *file) edges(m *result.Measured) {
	for i, e := range m.Edges {
		for _, o := range e.Log {
			f.count(queueCounter(), e.Edge+" queue", o.Time, o.Value)
		}
		for _, frame := range m.Frames {
			if i >= len(frame.Edges) {
				continue
			}
			if o := frame.Edges[i].Occupancy; o != nil && len(e.Log) == 0 {
				f.count(queueCounter(), e.Edge+" queue", frame.Start, *o)
			}
			f.count(rateCounter(), e.Edge+" rate", frame.Start, frame.Edges[i].Rate)
		}
	}
}

// signals adds the signal traces of kernels on FPGAs. It reports whether the run has any.
func (f *file) signals(m *result.Measured) (any bool) {
	for i := range m.Queries {
		q := &m.Queries[i]
		if q.Of != "cycles" || len(q.Trace) == 0 {
			continue
		}
		if !any {
			f.process(signals, "signals", 4)
		}
		any = true
		for _, e := range q.Trace {
			f.count(signalCounter(), q.Name, e.Time, e.Value)
		}
	}
	return any
}

// links adds the traffic of each link.
func (f *file) links(r *result.Result) {
	m := r.Measured
	for _, l := range r.Links {
		for _, frame := range m.Frames {
			sum := 0.0
			for i, e := range m.Edges {
				if slices.Contains(e.Links, l.Name) && i < len(frame.Edges) {
					sum += frame.Edges[i].Rate
				}
			}
			if sum > 0 {
				f.count(rateCounter(), l.Name+" rate", frame.Start, sum)
			}
		}
	}
}

// about returns the program, command, mapping and machine for the timeline.
func about(r *result.Result) map[string]string {
	m := r.Measured
	list := map[string]string{"application": r.Application, "program": r.Tool + " " + r.Version,
		"command": safetext.ShellLine(r.Command), "mapping": mapping(r), "machine": machine(r),
		"times": "measured, in us since the start of the run", "run that did not end by itself": m.Partial,
		"disturbed": m.Disturbed}
	if m.Simulated != "" {
		list["times"] = "virtual, of " + m.Simulated
	}
	for key, text := range list {
		if list[key] = safetext.Line(text); text == "" {
			delete(list, key)
		}
	}
	return list
}

// mapping lists the kernels of each resource.
func mapping(r *result.Result) string {
	var parts []string
	for _, res := range r.Architecture {
		var names []string
		for _, p := range r.Measured.Place {
			if p.Resource == res.Name {
				names = append(names, p.Kernel)
			}
		}
		if len(names) > 0 {
			parts = append(parts, res.Name+": "+strings.Join(names, " "))
		}
	}
	return strings.Join(parts, "; ")
}

// machine describes the machine of the run.
func machine(r *result.Result) string {
	m := &r.Measured.Machine
	if m.CPU == "" {
		return ""
	}
	return fmt.Sprintf("%s, %d processors, %s", m.CPU, m.Cores, m.Kernel)
}

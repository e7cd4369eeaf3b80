package timed

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"xopt/flow/exchange/dot"
	"xopt/flow/faults"
	"xopt/internal/units"
)

// These constants limit the values in a file.
const (
	maxRate  = 1<<31 - 1
	maxBytes = 1 << 30
)

// WorstCase is the attribute for an operator's worst-case execution time in Holoscan's response-time analysis.
const WorstCase = "WCET"

// numbers returns the attributes of an edge that are whole numbers, with their fields in Edge and their limits.
func (e *Edge) numbers() map[string]struct {
	to  *int64
	min int64
	max float64
} {
	return map[string]struct {
		to  *int64
		min int64
		max float64
	}{"bytes": {&e.Bytes, 1, maxBytes}, "initial": {&e.Initial, 0, maxRate}, "buffer": {&e.Buffer, 1, maxRate}}
}

// FromDOT reads the attribute host of nodes, and the attributes rate, bytes, initial and buffer of edges. The attribute
// WCET of a node is its execution time on a core, in multiples of unit.
func FromDOT(d *dot.Graph, unit time.Duration) (*Graph, error) {
	g := &Graph{Name: d.Name, File: d.File, Place: d.Place}
	worst := false
	for _, n := range d.Nodes {
		for _, name := range n.Replaced {
			if name == "host" || name == WorstCase {
				return nil, faults.WrongGraphFile.Errorf("%s: %s of %s has two different values (delete one value)",
					d.Place(n.ID, name), name, n.ID)
			}
		}
		k := Kernel{Name: n.ID, Host: n.Attrs["host"], Times: make(map[string]Time)}
		if text, ok := n.Attrs[WorstCase]; ok {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || !IsTime(v*unit.Seconds()) {
				return nil, faults.WrongGraphFile.Errorf("%s: WCET of %s is %.60q in units of %v, expected 0, or a "+
					"time from %g to %g s", d.Place(n.ID), n.ID, text, unit, MinSeconds, MaxSeconds)
			}
			k.Times["core"] = Time{Seconds: v * unit.Seconds(), SCV: 0, From: Imported("published", d.File)}
			g.Resource("core").Type, worst = true, true
		}
		g.Kernels = append(g.Kernels, k)
	}
	for _, x := range d.Edges {
		e := Edge{Name: x.Attrs["label"], From: x.From, To: x.To, FromPort: x.FromPort, ToPort: x.ToPort}
		place := func() string { return d.Place(d.Nodes[x.From].ID, "->", d.Nodes[x.To].ID) }
		for _, name := range x.Replaced {
			if slices.Contains(edgeAttributes(), name) {
				return nil, faults.WrongGraphFile.Errorf("%s: %s has two different values (delete one value)",
					place(), name)
			}
		}
		var err error
		if e.Emits, e.Consumes, err = rates(place, x.Attrs["rate"]); err != nil {
			return nil, err
		}
		numbers := e.numbers()
		for _, name := range slices.Sorted(maps.Keys(numbers)) {
			text, ok := x.Attrs[name]
			if !ok {
				continue
			}
			v, err := units.ParseSize(text)
			if n, bad := strconv.ParseInt(text, 10, 64); bad == nil {
				v, err = float64(n), nil
			}
			w := numbers[name]
			if err != nil || v != math.Trunc(v) || !(v >= float64(w.min) && v <= w.max) {
				return nil, faults.WrongGraphFile.Errorf("%s: %s is %.60q, expected a whole number from %d to %.0f",
					place(), name, text, w.min, w.max)
			}
			*w.to = int64(v)
		}
		if worst && e.Bytes == 0 {
			e.Bytes = 1
		}
		g.Edges = append(g.Edges, e)
	}
	if names := ignored(d); len(names) > 0 {
		g.Notes = append(g.Notes, faults.AttributesIgnored.Notef("%s: xopt ignores the attributes %s", d.File,
			units.Some(names, 8)))
	}
	if worst {
		g.Notes = append(g.Notes, faults.SizesAssumed.Notef("WCET are worst-case times, so the predicted throughput "+
			"is a "+
			"lower bound. xopt assumes 1 byte for elements without bytes"))
	}
	return g, nil
}

// ignored returns the names of the attributes without an effect, except labels.
func ignored(d *dot.Graph) []string {
	names := make(map[string]bool)
	add := func(attrs map[string]string, converted ...string) {
		for name := range attrs {
			names[name] = names[name] || name != "label" && !slices.Contains(converted, name)
		}
	}
	for _, n := range d.Nodes {
		add(n.Attrs, "host", WorstCase)
	}
	for _, e := range d.Edges {
		add(e.Attrs, edgeAttributes()...)
	}
	maps.DeleteFunc(names, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(names))
}

// edgeAttributes returns the attributes of edges that have an effect.
func edgeAttributes() []string { return []string{"rate", "bytes", "initial", "buffer"} }

// rates reads `rate=2/3`: the writer sends 2 elements in a firing, and the reader consumes 3 elements. `rate=2` means
// 2/1.
func rates(place func() string, text string) (emits, consumes int64, err error) {
	if strings.TrimSpace(text) == "" {
		return 1, 1, nil
	}
	sent, read, ok := strings.Cut(text, "/")
	if !ok {
		read = "1"
	}
	emits, err = strconv.ParseInt(strings.TrimSpace(sent), 10, 64)
	if err == nil {
		consumes, err = strconv.ParseInt(strings.TrimSpace(read), 10, 64)
	}
	if err != nil || min(emits, consumes) < 1 || max(emits, consumes) > maxRate {
		return 0, 0, faults.WrongGraphFile.Errorf("%s: rate is %.60q, expected SENT/CONSUMED, such as 2/3, in whole "+
			"numbers from 1 to %d", place(), text, maxRate)
	}
	return emits, consumes, nil
}

package exchange

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"xopt/flow/exchange/tgff"
	"xopt/flow/exchange/timed"
	"xopt/flow/faults"
	"xopt/internal/units"
)

// maxBytes is the maximum size in bytes in a table of sizes.
const maxBytes = 1 << 30

// FromTGFF converts one graph of a file to an application. Each task fires once for the data of all its arcs. The
// tables of processing elements become platforms. unit is the unit of time.
func FromTGFF(f *tgff.File, graph int, name string, unit time.Duration) (*Application, error) {
	at := slices.IndexFunc(f.Graphs, func(g tgff.Graph) bool { return g.ID == graph })
	if at < 0 {
		var ids []string
		for _, g := range f.Graphs {
			ids = append(ids, fmt.Sprint(g.ID))
		}
		return nil, faults.UnknownTaskGraph.Errorf("%s: unknown task graph %d; the file contains task graph %s", name,
			graph, strings.Join(ids, ", "))
	}
	g := &f.Graphs[at]
	a := &Application{Source: fmt.Sprintf("%s (TGFF, task graph %d)", plain(name), graph), Unit: UnitText(unit)}
	blocks, inner := newNames(), newNames()
	for i := range g.Tasks {
		k := Kernel{Name: inner.unusedName(g.Tasks[i].Name)}
		k.Block = blocks.quiet(strings.ToUpper(k.Name))
		a.Kernels = append(a.Kernels, k)
	}
	a.Name = blocks.quiet(fmt.Sprintf("graph%d", graph))
	if err := a.tgffTimes(f, g, name, unit); err != nil {
		return nil, err
	}
	sizes, unsized := f.Sizes(), 0
	ports := make([]int, len(a.Kernels)) // number of ports of each kernel
	for _, arc := range g.Arcs {
		e := Edge{Name: inner.unusedName(arc.Name), From: arc.From, To: arc.To, Emits: 1, Consumes: 1, Bytes: 1,
			FromPort: fmt.Sprintf("y%d", ports[arc.From]), ToPort: fmt.Sprintf("x%d", ports[arc.To])}
		ports[arc.From]++
		ports[arc.To]++
		size, ok := sizes[arc.Type]
		switch {
		case !ok:
			unsized++
		case !(size >= 0 && size <= maxBytes):
			return nil, faults.ImportTooLarge.Errorf("%s: arcs of type %d carry %g bytes, expected at most %d bytes",
				name, arc.Type, size, maxBytes)
		default:
			e.Bytes = int64(math.Max(1, math.Ceil(size)))
		}
		a.Edges = append(a.Edges, e)
	}
	if unsized > 0 {
		a.notef(faults.SizesAssumed, "no table states the data size of %s, so xopt assumes 1 byte",
			units.Counted(unsized, "arc", "arcs"))
	}
	a.tgffTiming(g, unit)
	inner.addNote(a, "tasks and arcs")
	return a, a.check(name)
}

// tgffTiming describes the period and the deadlines of a graph, for which X has no statement.
func (a *Application) tgffTiming(g *tgff.Graph, unit time.Duration) {
	if s := g.Period * unit.Seconds(); s > 0 {
		a.notef(faults.LeftOut, "the period of %s is not part of the application: a mapping must reach at least %s "+
			"iterations/s",
			secondsText(s), strconv.FormatFloat(1/s, 'g', 6, 64))
	}
	if len(g.Deadlines) == 0 {
		return
	}
	first := slices.MinFunc(g.Deadlines, func(x, y tgff.Deadline) int { return cmp.Compare(x.At, y.At) })
	a.notef(faults.LeftOut, "%s not part of the application (the earliest is %s of %s on task %s): compare them with "+
		"the latency of a mapping", units.Counted(len(g.Deadlines), "deadline is", "deadlines are"),
		first.Name, secondsText(first.At*unit.Seconds()), g.Tasks[first.Task].Name)
}

// tgffTimes imports the tables of processing elements.
func (a *Application) tgffTimes(f *tgff.File, g *tgff.Graph, name string, unit time.Duration) error {
	given := newNames(reservedTypes()...)
	for i := range f.Tables {
		t := &f.Tables[i]
		times, ok := t.Times()
		if !ok {
			continue
		}
		platform := len(a.Platforms)
		a.Platforms = append(a.Platforms, given.quiet(fmt.Sprintf("%s_%d", strings.ToLower(t.Name), t.ID)))
		for k := range g.Tasks {
			v, ok := times[g.Tasks[k].Type]
			if !ok {
				continue
			}
			seconds := v * unit.Seconds()
			if !timed.IsTime(seconds) {
				return faults.ImportTooLarge.Errorf("%s: tasks of type %d take %g s, expected 0, or %g to %g s (set "+
					"the unit of time with --time-unit)", name, g.Tasks[k].Type, seconds, timed.MinSeconds,
					timed.MaxSeconds)
			}
			a.Kernels[k].Times = append(a.Kernels[k].Times, Time{Platform: platform, Text: secondsText(seconds),
				Attributes: constant})
		}
	}
	untimed := 0
	for k := range a.Kernels {
		if len(a.Kernels[k].Times) == 0 {
			untimed++
		}
	}
	if untimed > 0 {
		a.notef(faults.NoExecutionTimes, "no table states the execution time of %s: measure it with xopt calibrate, "+
			"or state it in impl statements", units.Counted(untimed, "task", "tasks"))
	}
	return nil
}

// timeRounding is the relative rounding error of the conversion of a time to another unit.
const timeRounding = 1e-15

// secondsText formats a time in X syntax: the shortest text with the same value.
func secondsText(seconds float64) string {
	best := strconv.FormatFloat(seconds, 'g', -1, 64) + "s"
	for _, u := range []struct {
		name string
		per  float64
	}{{"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}} {
		text := strconv.FormatFloat(seconds*u.per, 'g', 14, 64) + u.name
		if x, err := units.ParseTime(text); err == nil && math.Abs(x-seconds) <= timeRounding*seconds &&
			len(text) < len(best) {
			best = text
		}
	}
	return best
}

package exchange

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/exchange/sdf3"
	"xopt/flow/exchange/tgff"
	"xopt/flow/faults"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/queueing/sdf"
)

// NotStaticError is the error for an application that is not a static dataflow graph, and therefore cannot be exported
// to formats for such graphs.
type NotStaticError struct{ Why string }

func (e *NotStaticError) Error() string {
	return "not a static dataflow graph: " + e.Why + " (if these counts are constant, declare them in the block with " +
		"emit or join)"
}

// exported is an application with static counts, ready for writing.
type exported struct {
	name      string
	kernels   []string
	edges     []flow.Edge
	channels  []sdf.Channel // channels of the edges
	buffers   []int
	platforms []string
	times     [][]float64 // seconds per firing of each kernel on each platform; NaN if the kernel cannot run there
	notes     []fault.Note
}

func (x *exported) notef(id fault.ID, format string, args ...any) {
	x.notes = append(x.notes, id.Notef(format, args...))
}

// export converts a design to the data that the formats can represent.
func export(d *design.Design) (*exported, error) {
	app := &d.Problem.Application
	flows, err := flow.NewFlows(app, d.Problem.JoinTolerance)
	if err != nil {
		return nil, fmt.Errorf("cannot export %s: %w", app.Name, err)
	}
	if err := checkEmits(app); err != nil {
		return nil, err
	}
	g := buffers.Counts(app, flows)
	if g == nil || !g.Complete {
		return nil, &NotStaticError{buffers.WhyNotStatic(app, flows)}
	}
	x := &exported{name: app.Name}
	given := newNames()
	changed := &Application{}
	for k := range app.Kernels {
		x.kernels = append(x.kernels, given.unusedName(strings.TrimPrefix(app.Kernels[k].Name, app.Name+".")))
	}
	for c, e := range g.Edge {
		edge := app.Edges[e]
		edge.Name = given.unusedName(strings.TrimPrefix(edge.Name, app.Name+"."))
		x.edges = append(x.edges, edge)
		x.channels = append(x.channels, g.Channels[c])
		x.buffers = append(x.buffers, d.Buffers[e])
		if edge.ElementBytes != math.Trunc(edge.ElementBytes) || edge.ElementBytes > maxBytes {
			return nil, faults.NotInFormat.Errorf("cannot export %s: an element of %s has %g bytes, expected a whole "+
				"number of at most %d bytes", app.Name, edge.Name, edge.ElementBytes, maxBytes)
		}
	}
	given.addNote(changed, "kernels and edges")
	x.notes = changed.Notes
	if n := len(app.Edges) - len(x.edges); n > 0 {
		x.notef(faults.LeftOut, "%s omitted", units.Counted(n, "edge without flow in the steady state is",
			"edges without flow in the steady state are"))
	}
	x.computeTimes(d, flows)
	return x, nil
}

// checkEmits returns an error if an output has no emit statement. Without this check, the flow on the edges of this
// output, and on all later edges, would seem to be 0, because the gain is unknown.
func checkEmits(app *flow.Application) error {
	for e := range app.Edges {
		edge := &app.Edges[e]
		if from := &app.Kernels[edge.From]; edge.Emits == 0 {
			return fmt.Errorf("cannot export %s: %w", app.Name,
				&NotStaticError{fmt.Sprintf("no emit declares how many elements a firing of %s (block %s) sends on %s",
					from.Name, from.Block, edge.FromPort)})
		}
	}
	return nil
}

// computeTimes computes the firing times on each class of resources.
func (x *exported) computeTimes(d *design.Design, flows *flow.Flows) {
	p := d.Problem
	var classes, first = []string{}, []int{}
	given := newNames()
	for r := range p.Architecture.Resources {
		if res := &p.Architecture.Resources[r]; !slices.Contains(classes, res.Class) {
			classes, first = append(classes, res.Class), append(first, r)
			x.platforms = append(x.platforms, given.quiet(res.Platform))
		}
	}
	costs := false
	for k := range x.kernels {
		row := make([]float64, len(first))
		for i, r := range first {
			fig := &p.Figures[k][r]
			row[i] = math.NaN()
			if fig.Available && fig.ServiceRate > 0 {
				row[i] = bytesOf(flows, k) / fig.ServiceRate
				costs = costs || fig.CoLocationCost+fig.SwitchCost+fig.ReceiveCost+fig.SendCost > 0
			}
		}
		x.times = append(x.times, row)
	}
	for l := range p.Architecture.Links {
		costs = costs || p.Architecture.Links[l].HasWork()
	}
	if len(x.platforms) == 0 {
		x.notef(faults.NoExecutionTimes, "the output has no execution times, because the files have no architecture")
	}
	if costs {
		x.notef(faults.LeftOut, "the execution times do not include the measured costs of co-location and of "+
			"crossing between cores")
	}
}

// bytesOf returns the bytes that a firing of a kernel consumes, or that a firing of a source sends.
func bytesOf(flows *flow.Flows, k int) float64 {
	for s := range flows.Free {
		if rate := flows.FiringRate(k, s); rate > 0 {
			return flows.Arrival(k)[s] / rate
		}
	}
	return 0
}

// ToSDF3 converts a design to a graph in the SDF3 format, with times as integer multiples of unit. The notes list
// features that the format cannot represent. Every actor has a self-loop with one token, because a kernel has one
// instance. The error is a *[NotStaticError] if the counts are not static.
func ToSDF3(d *design.Design, unit time.Duration) (*sdf3.File, []fault.Note, error) {
	x, err := export(d)
	if err != nil {
		return nil, nil, err
	}
	f := &sdf3.File{Name: x.name, Graph: &sdf3.Graph{}}
	rough := 0
	for k, name := range x.kernels {
		a := sdf3.Actor{Name: name}
		preferred := false
		for p, t := range x.times[k] {
			n := t / unit.Seconds()
			complete := math.Round(n)
			switch {
			case math.IsNaN(t):
				continue
			case complete > maxTicks:
				return nil, nil, faults.NotInFormat.Errorf("cannot export %s: a firing of %s takes %g units of time, "+
					"expected at most %g: use a longer --time-unit", x.name, name, n, float64(maxTicks))
			case math.Abs(n-complete) > tickTolerance*complete:
				rough++
			}
			a.Processors = append(a.Processors, sdf3.Processor{Type: x.platforms[p], Default: !preferred,
				Time: int64(complete)})
			preferred = true
		}
		f.Graph.Actors = append(f.Graph.Actors, a)
	}
	x.addChannels(f.Graph)
	if rough > 0 {
		x.notef(faults.TimesRounded, "%s rounded to multiples of %v (a shorter --time-unit reduces the rounding)",
			units.Counted(rough, "execution time was", "execution times were"), unit)
	}
	return f, x.notes, nil
}

// These constants limit the conversion of times to integers.
const (
	maxTicks      = 1e15
	tickTolerance = 1e-9 // permitted relative rounding error of a time that is computed from a rate
)

func (x *exported) addChannels(g *sdf3.Graph) {
	used := make([]*names, len(x.kernels))
	for k := range used {
		used[k] = newNames()
	}
	port := func(k int, name string, out bool, rate int64) int {
		a := &g.Actors[k]
		a.Ports = append(a.Ports, sdf3.Port{Name: used[k].quiet(name), Out: out, Rate: rate})
		return len(a.Ports) - 1
	}
	all := newNames()
	for i, e := range x.edges {
		c := &x.channels[i]
		g.Channels = append(g.Channels, sdf3.Channel{Name: all.quiet(e.Name), From: e.From, To: e.To,
			FromPort: port(e.From, e.FromPort, true, c.Produced), ToPort: port(e.To, e.ToPort, false, c.Consumed),
			Initial: c.Initial, TokenBits: 8 * c.Bytes, Buffer: int64(x.buffers[i])})
	}
	for k, name := range x.kernels {
		g.Channels = append(g.Channels, sdf3.Channel{Name: all.quiet("one_" + name), From: k, To: k, Initial: 1,
			FromPort: port(k, "one_out", true, 1), ToPort: port(k, "one_in", false, 1)})
	}
}

// ToTGFF converts a design to a task graph, with times as multiples of unit. A task fires once per period, so all
// kernels must have the same firing rate, and no edge may have initial elements.
func ToTGFF(d *design.Design, unit time.Duration) (*tgff.File, []fault.Note, error) {
	x, err := export(d)
	if err != nil {
		return nil, nil, err
	}
	g := tgff.Graph{}
	sizes := tgff.Table{Name: "COMMUN", Columns: []string{"type", "bytes"}}
	for k, name := range x.kernels {
		g.Tasks = append(g.Tasks, tgff.Task{Name: name, Type: k})
	}
	for i, e := range x.edges {
		c := &x.channels[i]
		switch {
		case c.Produced != c.Consumed:
			return nil, nil, faults.NotInFormat.Errorf("cannot export %s: tasks of TGFF fire once in a period, but a "+
				"firing of %s sends %s on %s and a firing of %s consumes %s", x.name, x.kernels[e.From],
				units.Elements(int(c.Produced)), e.Name, x.kernels[e.To], units.Elements(int(c.Consumed)))
		case c.Initial > 0:
			return nil, nil, faults.NotInFormat.Errorf("cannot export %s: arcs of TGFF start empty, but %s contains %s",
				x.name, e.Name, units.Counted(int(c.Initial), "initial element", "initial elements"))
		}
		g.Arcs = append(g.Arcs, tgff.Arc{Name: e.Name, From: e.From, To: e.To, Type: i})
		sizes.Rows = append(sizes.Rows, []float64{float64(i), float64(c.Produced * c.Bytes)})
	}
	f := &tgff.File{Graphs: []tgff.Graph{g}, Tables: []tgff.Table{sizes}}
	for p := range x.platforms {
		times := tgff.Table{Name: "PE", ID: p, Columns: []string{"type", "exec_time"}}
		for k := range x.kernels {
			if t := x.times[k][p]; !math.IsNaN(t) {
				times.Rows = append(times.Rows, []float64{float64(k), rounded(t / unit.Seconds())})
			}
		}
		f.Tables = append(f.Tables, times)
	}
	if slices.ContainsFunc(x.buffers, func(n int) bool { return n > 0 }) {
		x.notef(faults.LeftOut, "the TGFF format has no buffer sizes, so the output omits them")
	}
	return f, x.notes, nil
}

// rounded returns a number rounded to 12 digits, because further digits of a rate are only rounding errors.
func rounded(v float64) float64 {
	x, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64) // a formatted number has no error
	return x
}

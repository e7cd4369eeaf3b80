package exchange

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"xopt/flow/exchange/sdf3"
	"xopt/flow/faults"
	"xopt/internal/units"
	"xopt/queueing/sdf"
)

// FromSDF3 converts a graph in the SDF3 format to an application. unit is the graph's unit of time. It returns an error
// if the graph is inconsistent or deadlocks.
func FromSDF3(f *sdf3.File, name string, unit time.Duration) (*Application, error) {
	if f.Graph == nil {
		return nil, faults.NoGraph.Errorf("%s contains an architecture, but no application graph", name)
	}
	a := &Application{Source: plain(name) + " (SDF3)", Unit: UnitText(unit)}
	blocks := newNames()
	inner := newNames() // kernels and edges share the names of the top-level block
	for i := range f.Graph.Actors {
		inner.exact[f.Graph.Actors[i].Name] = true
	}
	for i := range f.Graph.Actors {
		actor := &f.Graph.Actors[i]
		k := Kernel{Name: inner.unusedName(actor.Name), Default: -1}
		k.Block = blocks.quiet(strings.ToUpper(k.Name))
		a.Kernels = append(a.Kernels, k)
	}
	a.Name = blocks.unusedName(f.Name)
	a.sdf3Times(f, unit)
	if err := a.sdf3Edges(f, name, inner); err != nil {
		return nil, err
	}
	inner.addNote(a, "actors and channels")
	a.sdf3Platform(f, unit)
	if f.Throughput > 0 {
		a.notef(faults.LeftOut, "the file requires %s iterations/s, but X cannot state a required throughput (compare "+
			"it with the prediction of eval)", strconv.FormatFloat(f.Throughput/unit.Seconds(), 'g', 6, 64))
	}
	return a, a.check(name)
}

// sdf3Times imports processors and execution times.
func (a *Application) sdf3Times(f *sdf3.File, unit time.Duration) {
	given := newNames(reservedTypes()...)
	platforms := make(map[string]int)
	platform := func(typ string) int {
		if _, ok := platforms[typ]; !ok {
			platforms[typ] = len(a.Platforms)
			a.Platforms = append(a.Platforms, given.unusedName(typ))
		}
		return platforms[typ]
	}
	untimed := 0
	for i := range f.Graph.Actors {
		actor, k := &f.Graph.Actors[i], &a.Kernels[i]
		for _, p := range actor.Processors {
			t := Time{Platform: platform(p.Type), Text: timeText(p.Time, unit), Attributes: constant}
			if p.Default { // SDF3 uses the last processor with default="true"
				k.Default = len(k.Times)
			}
			k.Times = append(k.Times, t)
		}
		k.Default = max(k.Default, 0)
		if len(k.Times) == 0 {
			untimed++
		}
	}
	if untimed > 0 {
		a.notef(faults.NoExecutionTimes, "%s no execution time: measure it with xopt calibrate, or state it in impl "+
			"statements",
			units.Counted(untimed, "actor has", "actors have"))
	}
	for _, t := range f.Tiles {
		if t.Processor != "" {
			platform(t.Type)
		}
	}
	given.addNote(a, "types of processors")
	names := newNames(a.Platforms...)
	for _, t := range f.Tiles {
		if t.Processor != "" {
			a.Cores = append(a.Cores, Core{Name: names.unusedName(t.Name), Platform: platforms[t.Type]})
		}
	}
}

// timeText formats n units of time in X syntax.
func timeText(n int64, unit time.Duration) string {
	ns := float64(n) * float64(unit.Nanoseconds())
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}} {
		if ns >= u.ns && math.Mod(ns, u.ns) == 0 {
			return strconv.FormatFloat(ns/u.ns, 'f', -1, 64) + u.name
		}
	}
	return strconv.FormatFloat(ns, 'f', -1, 64) + "ns"
}

// selfLoop describes the self-loops of an actor.
type selfLoop struct {
	has   bool
	bound int64 // number of firings that may overlap
}

// sdf3Edges imports channels, except self-loops. A self-loop only limits the overlapping firings of an actor, but the
// firings of a kernel never overlap.
func (a *Application) sdf3Edges(f *sdf3.File, name string, inner *names) error {
	loops := make([]selfLoop, len(a.Kernels))
	ports := make([]*names, len(a.Kernels))
	for k := range ports {
		ports[k] = newNames()
	}
	odd, sized := 0, 0
	for i := range f.Graph.Channels {
		c := &f.Graph.Channels[i]
		from, to := &f.Graph.Actors[c.From], &f.Graph.Actors[c.To]
		emits, consumes := from.Ports[c.FromPort].Rate, to.Ports[c.ToPort].Rate
		if c.From == c.To {
			if emits != consumes {
				return faults.InconsistentRates.Errorf("%s:%d: self-loop %s: a firing of actor %s produces %s "+
					"and consumes %s, so tokens accumulate or run out (make both rates equal)", name, c.Line, c.Name,
					from.Name, units.Counted(int(emits), "token", "tokens"),
					units.Counted(int(consumes), "token", "tokens"))
			}
			n := c.Initial / consumes
			if n == 0 {
				return faults.Deadlock.Errorf("%s:%d: actor %s never fires: its self-loop %s contains %d of the %d "+
					"tokens that a firing consumes (add initial tokens)", name, c.Line, from.Name, c.Name, c.Initial,
					consumes)
			}
			if l := &loops[c.From]; !l.has || n < l.bound {
				*l = selfLoop{true, n}
			}
			continue
		}
		e := Edge{Name: inner.unusedName(c.Name), From: c.From, To: c.To, Emits: emits, Consumes: consumes,
			Initial: c.Initial, FromPort: ports[c.From].unusedName(from.Ports[c.FromPort].Name),
			ToPort: ports[c.To].unusedName(to.Ports[c.ToPort].Name),
			Bytes:  max(1, (c.TokenBits+7)/8), Buffer: c.Buffer}
		if c.TokenBits%8 != 0 {
			odd++
		}
		if c.TokenBits == 0 {
			sized++
		}
		a.Edges = append(a.Edges, e)
	}
	for k := range ports {
		ports[k].addNote(a, "ports of "+a.Kernels[k].Name)
	}
	if odd > 0 {
		a.notef(faults.SizesRounded, "the tokens of %s are not whole bytes, so xopt rounds their sizes up",
			units.Counted(odd, "channel", "channels"))
	}
	if sized > 0 {
		a.notef(faults.SizesAssumed, "%s no token size, so xopt assumes 1 byte",
			units.Counted(sized, "channel has", "channels have"))
	}
	a.noteLoops(loops)
	return nil
}

// noteLoops adds a note about actors whose firings may overlap according to the file.
func (a *Application) noteLoops(loops []selfLoop) {
	var without, several []string
	for k, l := range loops {
		switch {
		case !l.has:
			without = append(without, a.Kernels[k].Name)
		case l.bound > 1:
			several = append(several, fmt.Sprintf("%s (%d)", a.Kernels[k].Name, l.bound))
		}
	}
	report := func(list []string, what string) {
		a.notef(faults.FiringsInTurn, "%s: %s, but a kernel of xopt is one instance and fires sequentially",
			strings.Join(units.First(list, maxListedNames, andMore), ", "), what)
	}
	if len(without) > 0 {
		report(without, "without a self-loop, SDF3 allows any number of firings to overlap")
	}
	if len(several) > 0 {
		report(several, "self-loops allow these numbers of firings to overlap")
	}
}

// sdf3Platform imports the connections between tiles.
func (a *Application) sdf3Platform(f *sdf3.File, unit time.Duration) {
	core := make([]int, len(f.Tiles)) // by tile: index of its core; -1 for a tile without a processor
	n, bare := 0, 0
	for i, t := range f.Tiles {
		core[i] = -1
		if t.Processor != "" {
			core[i] = n
			n++
			continue
		}
		bare++
	}
	if bare > 0 {
		a.notef(faults.LeftOut, "%s omitted", units.Counted(bare, "tile without a processor is", "tiles without a "+
			"processor are"))
	}
	if len(a.Cores) == 0 {
		return
	}
	used := append([]string(nil), a.Platforms...)
	for _, c := range a.Cores {
		used = append(used, c.Name)
	}
	given, joined := newNames(used...), make(map[[2]int]int)
	for _, c := range f.Connections {
		x, y := core[c.From], core[c.To]
		pair := [2]int{min(x, y), max(x, y)}
		if _, ok := joined[pair]; ok || x < 0 || y < 0 || x == y {
			continue
		}
		joined[pair] = len(a.Links)
		l := Link{Name: given.unusedName(c.Name), A: pair[0], B: pair[1]}
		if c.Delay > 0 {
			l.Latency = timeText(c.Delay, unit)
		}
		a.Links = append(a.Links, l)
	}
	given.addNote(a, "connections")
	if len(a.Links) > 0 {
		a.notef(faults.LeftOut, "connections carry data in both directions, with their delay as latency. xopt ignores "+
			"the bandwidth of network interfaces and the time wheels of processors")
	}
}

// check returns an error if the counts are inconsistent, or if an iteration does not complete.
func (a *Application) check(name string) error {
	if err := a.dropLoose(name); err != nil {
		return err
	}
	g := &sdf.Graph{}
	for i := range a.Kernels {
		g.Actors = append(g.Actors, sdf.Actor{Name: a.Kernels[i].Name, Concurrent: 1})
	}
	for i := range a.Edges {
		e := &a.Edges[i]
		g.Channels = append(g.Channels, sdf.Channel{Name: e.Name, From: e.From, To: e.To, Produced: e.Emits,
			Consumed: e.Consumes, Initial: e.Initial, Bytes: e.Bytes})
	}
	q, err := g.Repetition()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	a.graph, a.repetition = g, q
	stuck, err := g.Play()
	switch {
	case errors.Is(err, sdf.ErrTooLarge):
		a.notef(faults.DeadlockUnknown, "it is unknown whether the graph deadlocks: %v", err)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case stuck != nil:
		return faults.Deadlock.Errorf("%s: the graph deadlocks with any buffer sizes: %w (add "+
			"initial elements to an edge of this cycle)", name, stuck)
	default:
		a.noteSmall()
	}
	return nil
}

// noteSmall adds a note about buffer sizes of the file that are too small, which xopt eval would reject.
func (a *Application) noteSmall() {
	g, sized, small := a.graph, a.graph.Capacities(), false
	for c := range g.Channels {
		given := a.Edges[c].Buffer
		if given == 0 {
			continue
		}
		sized[c] = given
		if minimum := g.Channels[c].Bound(); given < minimum {
			small = true
			a.notef(faults.ImportedBuffersTooSmall, "the bufferSize of channel %s is %d, but the minimum is %d "+
				"tokens: with fewer tokens, the kernels at its ends deadlock (raise bufferSize)", a.Edges[c].Name,
				given, minimum)
		}
	}
	if small {
		return
	}
	if stuck, err := g.With(sized).Play(); err == nil && stuck != nil {
		a.notef(faults.ImportedBuffersTooSmall, "with the bufferSize of its channels, the graph deadlocks: %v (xopt "+
			"buffers finds sufficient sizes)", stuck)
	}
}

package exchange

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"xopt/flow/exchange/timed"
	"xopt/flow/faults"
	"xopt/internal/units"
	"xopt/queueing/sdf"
)

// FromTimed converts a graph with times to an application. Each resource becomes a core or an FPGA, and the hosts of
// kernels become the mapping. It returns an error for a kernel without a time, an edge without a size, inconsistent
// rates, and a deadlock.
func FromTimed(g *timed.Graph) (*Application, error) {
	a := &Application{Source: plain(g.File), Devices: make(map[int]string), Notes: g.Notes}
	blocks, inner := newNames(), newNames()
	if n := len(g.Edges); n > 0 {
		g.Edges = slices.DeleteFunc(g.Edges, func(e timed.Edge) bool { return e.From == e.To })
		if n > len(g.Edges) {
			a.notef(faults.LeftOut, "edges from a kernel to itself are omitted: firings of a kernel never overlap")
		}
	}
	for i := range g.Kernels {
		inner.exact[g.Kernels[i].Name] = true
	}
	for i := range g.Kernels {
		k := Kernel{Name: inner.unusedName(g.Kernels[i].Name)}
		k.Block = blocks.quiet(strings.ToUpper(k.Name))
		a.Kernels = append(a.Kernels, k)
	}
	a.Name = blocks.quiet(g.Name)
	if a.Name == "_" {
		a.Name = blocks.quiet("graph")
	}
	if err := a.timedEdges(g, inner); err != nil {
		return nil, err
	}
	inner.addNote(a, "kernels and edges")
	if err := a.timedTimes(g); err != nil {
		return nil, err
	}
	kernels := a.kernelIndex()
	if err := a.check(g.File); err != nil {
		var rates *sdf.InconsistentError
		if errors.As(err, &rates) {
			i := slices.IndexFunc(a.Edges, func(e Edge) bool { return e.Name == rates.Channel })
			e := &g.Edges[i]
			return nil, faults.InconsistentRates.Errorf("%s: %w (correct the rate of this edge or of another edge)",
				g.Place(g.Kernels[e.From].Name, "->", g.Kernels[e.To].Name), rates)
		}
		return nil, err
	}
	return a, a.place(g, kernels)
}

// kernelIndex returns the index of each kernel by its name.
func (a *Application) kernelIndex() map[string]int {
	index := make(map[string]int)
	for k := range a.Kernels {
		index[a.Kernels[k].Name] = k
	}
	return index
}

// timedEdges imports the edges.
func (a *Application) timedEdges(g *timed.Graph, inner *names) error {
	ports := make([]*names, len(a.Kernels))
	for k := range ports {
		ports[k] = newNames()
	}
	port := func(k int, name, other string) string {
		if name == "" {
			name = other
		}
		return ports[k].quiet(name)
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		from, to := g.Kernels[e.From].Name, g.Kernels[e.To].Name
		if e.Bytes == 0 {
			return faults.NoElementSize.Errorf("%s: the edge from %s to %s has no element size (add [bytes=N], or "+
				"edge [bytes=N] for all edges)", g.Place(from, "->", to), from, to)
		}
		name := e.Name
		if name == "" {
			name = from + "_" + to
		}
		a.Edges = append(a.Edges, Edge{Name: inner.quiet(name), From: e.From, To: e.To, Emits: e.Emits,
			Consumes: e.Consumes, Initial: e.Initial, Bytes: e.Bytes, Buffer: e.Buffer,
			FromPort: port(e.From, e.FromPort, "to_"+to), ToPort: port(e.To, e.ToPort, "from_"+from)})
	}
	return nil
}

// timedTimes imports the resources and the times of kernels on them.
func (a *Application) timedTimes(g *timed.Graph) error {
	platforms, arrays := newNames(reservedTypes()...), newNames(reservedTypes()...)
	for i := range g.Resources {
		arrays.exact[g.Resources[i].Name] = true
	}
	for _, r := range g.Resources {
		array := arrays.unusedName(r.Name)
		a.Arrays = append(a.Arrays, array)
		p := platforms.quiet(array + "_type")
		arrays.used[p], platforms.used[array] = true, true
		if r.Area != nil {
			a.Devices[len(a.Platforms)] = areaText(r.Area, `"%d"`)
		}
		a.Platforms = append(a.Platforms, p)
		a.Counts = append(a.Counts, 1)
		if r.Type || len(g.Resources) == 1 {
			a.Counts[len(a.Counts)-1] = 0
		}
	}
	arrays.addNote(a, "resources")
	linked := make([]bool, len(g.Kernels)) // a later step omits kernels without edges
	for _, e := range a.Edges {
		linked[e.From], linked[e.To] = true, true
	}
	var without []string
	on := "core" // a resource for the first of them
	for k := range g.Kernels {
		for p, r := range g.Resources {
			t, ok := g.Kernels[k].Times[r.Name]
			if !ok {
				continue
			}
			x := Time{Platform: p, Text: secondsText(t.Seconds), From: t.From}
			if t.Half > 0 {
				x.Attributes = fmt.Sprintf(", interval=%q", secondsText(t.Half))
			}
			if !math.IsNaN(t.SCV) {
				x.Attributes += ", scv=" + strconv.FormatFloat(t.SCV, 'f', -1, 64)
			}
			if t.Area != nil {
				x.Attributes += ", " + areaText(t.Area, "%d")
			}
			a.Kernels[k].Times = append(a.Kernels[k].Times, x)
		}
		if len(a.Kernels[k].Times) == 0 && linked[k] {
			if host, _, _ := strings.Cut(g.Kernels[k].Host, "["); len(without) == 0 && host != "" {
				on = host
			}
			without = append(without, g.Kernels[k].Name)
		}
	}
	if len(without) > 0 {
		return faults.NoExecutionTimes.Errorf("%s: no time for %s (add --times FILE.csv with the columns "+
			"kernel,resource,seconds_per_firing, and lines such as %s,%s,0.001)", g.Place(without[0]),
			strings.Join(units.First(without, maxListedNames, andMore), ", "), without[0], on)
	}
	return nil
}

// areaText formats the area of a kernel or an FPGA in X syntax.
func areaText(area map[string]int64, number string) string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(area)) {
		list = append(list, fmt.Sprintf("%s="+number, kind, area[kind]))
	}
	return strings.Join(list, ", ")
}

// place maps each kernel to its host in the file. It maps a kernel without a host to the resource that then has the
// smallest load.
func (a *Application) place(g *timed.Graph, original map[string]int) error {
	hosted := slices.ContainsFunc(g.Kernels, func(k timed.Kernel) bool { return k.Host != "" })
	load := make([]float64, len(a.Platforms))
	for k := range a.Kernels {
		from := &g.Kernels[original[a.Kernels[k].Name]]
		if from.Host != "" {
			if err := a.host(g, k, from); err != nil {
				return err
			}
			continue
		}
		busy := func(i int) (float64, error) {
			t := a.Kernels[k].Times[i]
			s, err := units.ParseTime(t.Text)
			return load[t.Platform] + s*float64(a.repetition[k]), err
		}
		best := math.Inf(1)
		for i := range a.Kernels[k].Times {
			b, err := busy(i)
			if err != nil {
				return fmt.Errorf("the time of %s: %w", from.Name, err)
			}
			if b < best {
				best, a.Kernels[k].Default = b, i
			}
		}
		if p := a.Kernels[k].Times[a.Kernels[k].Default].Platform; a.Counts[p] > 0 {
			load[p] = best
		}
	}
	for p := range a.Counts {
		if hosted {
			a.Counts[p] = max(a.Counts[p], 1)
		}
	}
	return nil
}

// host maps a kernel to the resource that its file names: "cpu", or "cpu[2]" for the second core of cpu.
func (a *Application) host(g *timed.Graph, k int, from *timed.Kernel) error {
	name, index, found := strings.Cut(strings.TrimSuffix(from.Host, "]"), "[")
	n, err := 1, error(nil)
	if found {
		n, err = strconv.Atoi(index)
	}
	p := slices.IndexFunc(g.Resources, func(r timed.Resource) bool { return r.Name == name })
	at := slices.IndexFunc(a.Kernels[k].Times, func(t Time) bool { return t.Platform == p })
	switch {
	case err != nil || n < 1 || n > maxHosts:
		return faults.WrongGraphFile.Errorf("%s: host of %s is %.60q, expected a resource such as cpu, or cpu[2], "+
			"from 1 "+
			"to %d", g.Place(from.Name), from.Name, from.Host, maxHosts)
	case at < 0:
		return faults.NoExecutionTimes.Errorf("%s: %s is on host %.60q, but no time file contains its time there (add "+
			"a line %s,%s,SECONDS)", g.Place(from.Name), from.Name, from.Host, from.Name, name)
	}
	a.Kernels[k].Default, a.Kernels[k].Core = at, n
	a.Counts[p] = max(a.Counts[p], n)
	return nil
}

// maxHosts is the maximum number of cores of a resource.
const maxHosts = 10_000

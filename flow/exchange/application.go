// Package exchange converts graphs of other tools to applications in X, and back. It supports SDF3 and TGFF (packages
// sdf3 and tgff), and graphs with measured times (packages timed, dot, gstreamer, caret and vitis).
//
// Rates become counts in join and emit statements, so that counts are static. Execution times become figures of
// platforms, one for each type of processor, with the file as their origin. Initial tokens become initial elements, and
// token sizes become element sizes. Notes list features without a counterpart in X, and changed names.
package exchange

import (
	"fmt"
	"strings"
	"time"

	"xopt/flow/faults"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/queueing/sdf"
)

// Application is a graph of another tool, described in terms of X.
type Application struct {
	Name   string // name of the top-level block
	Source string // the file and its format, for comments and origins
	Unit   string // duration of one time unit of the file, such as "1us"

	Kernels   []Kernel
	Edges     []Edge
	Platforms []string       // types of processors
	Arrays    []string       // names of the cores of each platform; nil for names from Platforms
	Counts    []int          // number of cores of each platform; 0 for one core per kernel; nil for all zeros
	Devices   map[int]string // area of the platforms that are FPGAs, in X syntax
	Cores     []Core         // cores of the file's architecture; empty if the file has no architecture
	Links     []Link         // links between the cores
	Notes     []fault.Note   // notes about differences from the file

	graph      *sdf.Graph // the same graph, with times in units of the file
	repetition []int64
}

// Kernel is an actor or task.
type Kernel struct {
	Name, Block string
	Times       []Time // times of a firing, on each platform that can run it
	Default     int    // index in Times of the time on the default processor
	Core        int    // number of its core in the file, from 1; 0 if the file names none
}

// Time is the execution time of a firing.
type Time struct {
	Platform   int
	Text       string // time with its unit, in X syntax
	Attributes string // further attributes in X syntax, such as [constant]
	From       string // origin; "" for the published source of the application
}

// constant is the attribute for times without variation.
const constant = ", scv=0"

// Edge is a channel or arc.
type Edge struct {
	Name             string
	From, To         int
	FromPort, ToPort string
	Emits, Consumes  int64
	Initial          int64
	Bytes            int64 // size of an element
	Buffer           int64 // buffer size in elements; 0 if the file states none
}

// Core is a processor of the file's architecture.
type Core struct {
	Name     string
	Platform int
}

// Link connects two cores.
type Link struct {
	Name    string
	A, B    int
	Latency string // latency with its unit; "" for none
}

func (a *Application) notef(id fault.ID, format string, args ...any) {
	a.Notes = append(a.Notes, id.Notef(format, args...))
}

// names assigns unique valid X names.
type names struct {
	used map[string]bool
	// exact contains requested names, which a changed name must not equal.
	exact   map[string]bool
	changed []string
}

func newNames(consumed ...string) *names {
	n := &names{used: make(map[string]bool), exact: make(map[string]bool)}
	for _, t := range consumed {
		n.used[t] = true
	}
	return n
}

// unusedName returns an unused name that is as close as possible to the requested name.
func (n *names) unusedName(want string) string {
	var b strings.Builder
	for _, r := range want {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (r < '0' || r > '9') {
			r = '_'
		} else if !letter && b.Len() == 0 {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	base := b.String()
	if base == "" {
		base = "_"
	}
	name := base
	for i := 2; n.used[name] || name != want && n.exact[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	n.used[name] = true
	if name != want {
		n.changed = append(n.changed, fmt.Sprintf("%q is %s", want, name))
	}
	return name
}

// quiet is like unusedName, but does not record a changed name. It is for requested names that users have not seen.
func (n *names) quiet(want string) string {
	before := len(n.changed)
	name := n.unusedName(want)
	n.changed = n.changed[:before]
	return name
}

// maxListedNames limits the number of changed names in a note.
const maxListedNames = 8

const andMore = "and %d more"

// addNote adds a note about the changed names.
func (n *names) addNote(a *Application, of string) {
	if len(n.changed) == 0 {
		return
	}
	a.notef(faults.NamesChanged, "the conversion changed names of %s that are not valid in X, or already in use: %s",
		of, strings.Join(units.First(n.changed, maxListedNames, andMore), ", "))
}

// reservedTypes returns the platforms and linktypes of std.x.
func reservedTypes() []string { return []string{"C", "HDL", "VHDLSim", "bus", "switch", "memory"} }

// plain replaces the characters of a name that are invalid in comments and strings of X.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '"' || r == 0x7f {
			return '_'
		}
		return r
	}, text)
}

// dropLoose removes kernels without edges, because such kernels process no stream.
func (a *Application) dropLoose(name string) error {
	at := make([]int, len(a.Kernels)) // number among the remaining kernels, from 1
	for _, e := range a.Edges {
		at[e.From], at[e.To] = 1, 1
	}
	var kept []Kernel
	var loose []string
	for k := range a.Kernels {
		if at[k] == 0 {
			loose = append(loose, a.Kernels[k].Name)
			continue
		}
		kept = append(kept, a.Kernels[k])
		at[k] = len(kept)
	}
	if len(kept) == 0 {
		return faults.NoStreams.Errorf("%s contains no streams: no channel leads from one actor to another "+
			"(add one)", name)
	}
	for e := range a.Edges {
		a.Edges[e].From, a.Edges[e].To = at[a.Edges[e].From]-1, at[a.Edges[e].To]-1
	}
	a.Kernels = kept
	if len(loose) > 0 {
		a.notef(faults.LeftOut, "the conversion omits kernels without channels to or from other kernels: %s",
			strings.Join(units.First(loose, maxListedNames, andMore), ", "))
	}
	return nil
}

// UnitText formats a unit of time in ASCII.
func UnitText(unit time.Duration) string { return strings.ReplaceAll(unit.String(), "µ", "u") }

// Summary describes the graph without a mapping: the firings of an iteration, and its period with one core per kernel
// and unlimited buffers. It omits the period if a time is unknown or 0, or if the graph is too large.
func (a *Application) Summary() (string, error) {
	var fires []string
	for k, n := range a.repetition {
		fires = append(fires, fmt.Sprintf("%s %d", a.Kernels[k].Name, n))
	}
	text := "firings in one iteration: " + strings.Join(units.First(fires, maxListedNames, andMore), ", ")
	times := make([]float64, len(a.Kernels))
	for k := range a.Kernels {
		if len(a.Kernels[k].Times) == 0 {
			return text, nil
		}
		t, err := units.ParseTime(a.Kernels[k].Times[a.Kernels[k].Default].Text)
		if err != nil {
			return "", fmt.Errorf("the time of %s: %w", a.Kernels[k].Name, err)
		}
		times[k] = t
	}
	ticks, unit := sdf.Ticks(times, a.repetition)
	for k, t := range ticks {
		a.graph.Actors[k].Time = t
	}
	p, _, err := a.graph.Throughput()
	if err != nil || p.Time == 0 {
		return text, nil // the graph is too large, or no firing takes time
	}
	return fmt.Sprintf("%s; with a core for each kernel and unlimited buffers, an iteration takes %s (%s/s, exact)",
		text, units.Time(1/p.Rate()*unit), strings.TrimSpace(fmt.Sprintf("%.6g", p.Rate()/unit))), nil
}

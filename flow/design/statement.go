package design

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// statement is one `impl B on R (…)` of the X files, or one override.
type statement struct {
	rank int // without the distance to a platform
	// onPlatform is the platform named by the statement. The rank for a resource also depends on the distance in steps
	// from the resource's platform to onPlatform.
	onPlatform string
	resources  []int // named resources; nil if onPlatform is set

	rate, time, gain, scv figure
	area                  [flow.NumAreaKinds]figure
	origin                flow.Origin
	note                  string
	pos                   xlang.Pos
}

// figure is one attribute of a statement.
type figure struct {
	value  float64
	half   float64 // half of the 95 % confidence interval, in the unit of value; 0 if unknown
	set    bool
	origin flow.Origin
	note   string
	pos    xlang.Pos
	rank   int
}

// These are the ranks of statements. A larger rank has priority. rankFor subtracts the number of steps from a
// resource's platform to the named ancestor.
const (
	rankPlatform = 1000
	rankArray    = 2000
	rankResource = 3000
	rankInstance = 10000 // added if the statement names an instance
	rankOverride = 100000
)

// statements reads all figures of the X files and the overrides, and records the statements that name each kernel.
func (b *builder) statements() {
	b.byKernel = make([][]int, len(b.prog.Kernels))
	index := make(map[string]int, len(b.prog.Resources))
	for r := range b.prog.Resources {
		index[b.prog.Resources[r].Name] = r
	}
	one := make(map[xlang.Pos]string) // name of a resource; an array has several resources
	array := make(map[xlang.Pos]bool)
	for _, f := range b.prog.Figures {
		if r, ok := one[f.Pos]; ok && r != f.Resource {
			array[f.Pos] = true
		}
		one[f.Pos] = f.Resource
	}
	for _, f := range b.prog.Figures {
		s := statement{pos: f.Pos}
		switch {
		case f.OnPlatform:
			s.rank, s.onPlatform = rankPlatform, f.Resource
		case array[f.Pos]:
			s.rank = rankArray
		default:
			s.rank = rankResource
		}
		if !f.OnPlatform {
			r, ok := index[f.Resource]
			if !ok {
				b.diag.errorf(faults.UnknownResource, f.Pos, "figures need a resource or a platform, but %s is neither",
					f.Resource)
				continue
			}
			s.resources = []int{r}
		}
		if f.Instance {
			s.rank += rankInstance
		}
		b.read(&s, f.Attrs)
		if f.Instance {
			b.addStatement(s, b.byName[f.Block])
		} else {
			b.addStatement(s, b.byBlock[f.Block])
		}
	}
	for i, o := range b.opt.Overrides {
		b.overrideFigures(i, o)
	}
}

func (b *builder) addStatement(s statement, kernels []int) {
	for _, k := range kernels {
		b.byKernel[k] = append(b.byKernel[k], len(b.stated))
	}
	b.stated = append(b.stated, s)
}

// read reads the attributes of a statement.
func (b *builder) read(s *statement, attrs xlang.Values) {
	if v, ok := attrs["from"]; ok {
		s.origin, s.note = origin(v.Text), v.Text
	}
	parse := func(name string, into *figure, read func(xlang.Value) (float64, error), minimum float64, infinite bool) {
		v, ok := attrs[name]
		if !ok {
			return
		}
		x, err := read(v)
		switch {
		case err != nil:
			b.unreadable(v, name, err)
		case x < minimum || x != x || math.IsInf(x, 1) && !infinite:
			b.diag.errorf(faults.WrongFigure, v.Pos, "%s is %g; expected %s", name, x, rangeText(minimum, infinite))
		case !flow.InRange(x):
			b.extreme(v.Pos, name, x)
		case name == "scv" && x > flow.MaxSCV:
			b.diag.errorf(faults.WrongFigure, v.Pos, "scv is %g; expected a value of at most %g", x, flow.MaxSCV)
		default:
			*into = figure{value: x, set: true, origin: s.origin, note: s.note, pos: s.pos}
		}
	}
	parse("mu", &s.rate, with(units.ParseRate), math.SmallestNonzeroFloat64, true)
	parse("time", &s.time, with(units.ParseTime), 0, false)
	parse("gain", &s.gain, number, 0, false)
	parse("scv", &s.scv, number, 0, false)
	for kind := range s.area {
		parse(flow.AreaKind(kind), &s.area[kind], number, 0, false)
	}
	if s.rate.set && s.time.set {
		b.diag.errorf(faults.GivenTwice, s.pos, "the statement sets both mu and time, which are the same figure "+
			"(remove one of them)")
		s.time.set = false
	}
	b.interval(s, attrs)
}

// interval reads half of the confidence interval of a statement's rate or time, in the same unit.
func (b *builder) interval(s *statement, attrs xlang.Values) {
	v, ok := attrs["interval"]
	if !ok {
		return
	}
	f, read := &s.rate, with(units.ParseRate)
	if s.time.set {
		f, read = &s.time, with(units.ParseTime)
	}
	half, err := read(v)
	if !f.set || err != nil || !(half >= 0 && half <= profile.WidestHalf*f.value) || math.IsInf(f.value, 1) {
		b.diag.errorf(faults.WrongFigure, v.Pos, "interval is %s; expected half the width of the 95 %% confidence "+
			"interval of mu or time, in its unit and at most %g times its value", v.Text, profile.WidestHalf)
		return
	}
	f.half = half
}

// extreme reports a figure that is too small or too large for the computation.
func (b *builder) extreme(pos xlang.Pos, what string, x float64) {
	b.diag.errorf(faults.WrongFigure, pos, "%s is %g in SI units; expected 0 or a value from %g to %g", what,
		x, flow.MinFigure, flow.MaxFigure)
}

func rangeText(minimum float64, infinite bool) string {
	text := "value of at least 0"
	if minimum > 0 {
		text = "positive value"
	}
	if !infinite {
		text = "finite " + text
	}
	return "a " + text
}

// rankFor returns the rank of a statement for a resource, and whether the statement applies to the resource.
func (b *builder) rankFor(s *statement, r int, platforms []string) (int, bool) {
	if s.onPlatform == "" {
		return s.rank, s.resources == nil || slices.Contains(s.resources, r)
	}
	steps := slices.Index(platforms, s.onPlatform)
	return s.rank - steps, steps >= 0
}

// best returns the figure with the highest rank for a kernel on a resource. pick selects one figure from each
// applicable statement. Different figures of equal rank are an error.
func (b *builder) best(k, r int, platforms []string, what string, pick func(*statement) figure) figure {
	var best figure
	for _, i := range b.byKernel[k] {
		s := &b.stated[i]
		rank, applies := b.rankFor(s, r, platforms)
		f := pick(s)
		if !applies || !f.set {
			continue
		}
		f.rank = rank
		if best.set && f.rank == best.rank && f.value != best.value && f.rank < rankOverride {
			b.stateConflict(best.pos, f.pos, what, k, r)
		}
		if !best.set || f.rank >= best.rank {
			best = f
		}
	}
	return best
}

// stateConflict reports a contradiction between two statements once.
func (b *builder) stateConflict(first, second xlang.Pos, what string, k, r int) {
	for _, d := range b.diag.faults {
		if d.Pos == second && d.Related != nil && *d.Related == first {
			return
		}
	}
	b.diag.errorf(faults.GivenTwice, second, "two statements set different values of %s of %s on %s", what,
		b.prog.Kernels[k].Name, b.prog.Resources[r].Name).Relate(first, "keep one value, or name a resource or an "+
		"instance in the statement that should take precedence")
}

// minPhi is the smallest accepted upper limit of utilizations.
const minPhi = 1e-9

// options checks the caller's options.
func (b *builder) options() {
	if b.opt.Sharing != "" {
		if _, err := flow.ParseSharingRule(b.opt.Sharing, flow.CommonSharingRules()...); err != nil {
			b.diag.errorf(faults.WrongSharing, xlang.Pos{}, "sharing rule is %s", err)
		}
	}
	if phi := b.opt.MaxUtilization; phi < 0 || phi > 1 || phi != phi {
		b.diag.errorf(faults.WrongUtilization, xlang.Pos{}, "maximum utilization is %g; expected a value in (0, 1]",
			phi)
	} else if phi > 0 && phi < minPhi {
		b.diag.errorf(faults.WrongUtilization, xlang.Pos{}, "maximum utilization is %g; expected a value of at least "+
			"%g",
			phi, minPhi)
	}
}

const commandLineNote = "assumed: set on the command line"

// namesResource reports whether target is a resource, its array, its platform or an ancestor of the platform.
func (b *builder) namesResource(target, name, typ string) bool {
	array, _, _ := strings.Cut(name, "[")
	return target == name || target == array || slices.Contains(b.prog.Ancestors(typ), target)
}

// overrideFigures adds an override of figures as a statement of the highest rank.
func (b *builder) overrideFigures(index int, o Override) {
	s := statement{rank: rankOverride + index, origin: flow.Assumed, note: commandLineNote}
	if o.Resource != "" {
		s.resources = []int{}
		for r, res := range b.prog.Resources {
			if b.namesResource(o.Resource, res.Name, res.Platform) {
				s.resources = append(s.resources, r)
			}
		}
		if len(s.resources) == 0 {
			d := b.diag.errorf(faults.UnknownResource, xlang.Pos{}, "--figure %s: no resource, and no platform of a "+
				"resource, is named %s", o, o.Resource)
			d.Hint = meant(o.Resource, b.resourceNames())
		}
	}
	attrs := xlang.Values{"from": {Text: commandLineNote}}
	for _, a := range o.Attrs {
		if !slices.Contains(knownFigures(), a[0]) {
			b.diag.errorf(faults.UnknownFigure, xlang.Pos{}, "--figure %s: %s is not a figure of a kernel; expected %s",
				o, a[0], strings.Join(knownFigures(), ", "))
			continue
		}
		attrs[a[0]] = xlang.Value{Text: a[1]}
	}
	before := len(b.diag.faults)
	b.read(&s, attrs)
	for i := before; i < len(b.diag.faults); i++ {
		b.diag.faults[i].Message = fmt.Sprintf("--figure %s: %s", o, b.diag.faults[i].Message)
	}
	kernels := append(slices.Clone(b.byName[o.Target]), b.byBlock[o.Target]...)
	if len(kernels) == 0 {
		d := b.diag.errorf(faults.UnknownKernel, xlang.Pos{}, "--figure %s: no kernel or block is named %s", o,
			o.Target)
		d.Hint = meant(o.Target, maps.Keys(b.byName), maps.Keys(b.byBlock))
	}
	b.addStatement(s, kernels)
}

// meant returns a hint with an existing name that is similar to name; "" if there is none.
func meant(name string, existing ...iter.Seq[string]) string {
	var all []string
	for _, names := range existing {
		all = slices.AppendSeq(all, names)
	}
	slices.Sort(all)
	if near := xlang.Nearest(name, all); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// resourceNames returns the names of resources and of their platforms.
func (b *builder) resourceNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range b.prog.Resources {
			if r := &b.prog.Resources[i]; !yield(r.Name) || !yield(r.Platform) {
				return
			}
		}
	}
}

// knownFigures returns the attributes of a figure.
func knownFigures() []string {
	return []string{"mu", "time", "interval", "gain", "scv", "lut", "ff", "bram", "dsp", "from"}
}

package xlang

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"xopt/flow/faults"
)

// kernelSet is an assignment on the command line to a config of block instances: top.lo.band=2 or, with indices,
// top.pipe[1..3].fft.n=64.
type kernelSet struct {
	key, owner, config string
	path               string   // owner without indices
	indices            [][2]int // by segment: minimum and maximum index; 0, 0 for all
	stated             int      // number of segments with an index
	text               string
	used               bool
}

// overrides contains the kernelSets of a command line, and their matches.
type overrides struct {
	sets    []*kernelSet
	paths   map[string]bool         // of all instances, without indices
	configs map[*kernelSet][]string // for an override of an unknown config: the configs of its owner
}

// newOverrides selects the overrides of configs inside the application.
func newOverrides(set map[string]string, top string) *overrides {
	o := &overrides{paths: make(map[string]bool), configs: make(map[*kernelSet][]string)}
	for key, text := range set {
		i := strings.LastIndexByte(key, '.')
		if i < 0 || !strings.HasPrefix(key[:i], top+".") {
			continue
		}
		s := &kernelSet{key: key, owner: key[:i], config: key[i+1:], text: text}
		var names []string
		for _, segment := range splitPath(s.owner) {
			name, index, isArray := strings.Cut(segment, "[")
			names = append(names, name)
			lo, hi := 0, 0
			if index = strings.TrimSuffix(index, "]"); isArray && index != "*" {
				from, to, ranged := strings.Cut(index, "..")
				lo, _ = strconv.Atoi(from) // 0 if not a number; 0 matches no element
				if hi = lo; ranged {
					hi, _ = strconv.Atoi(to)
				}
				if lo < 1 || hi < lo {
					lo, hi = -1, -1
				}
				s.stated++
			}
			s.indices = append(s.indices, [2]int{lo, hi})
		}
		s.path = strings.Join(names, ".")
		o.sets = append(o.sets, s)
	}
	// An override of a single element takes precedence over an override of all elements of an array.
	slices.SortFunc(o.sets, func(a, b *kernelSet) int {
		return cmp.Or(cmp.Compare(a.stated, b.stated), strings.Compare(a.key, b.key))
	})
	return o
}

// splitPath splits a path at the dots outside brackets.
func splitPath(path string) []string {
	var out []string
	depth, from := 0, 0
	for i := range len(path) {
		switch path[i] {
		case '[':
			depth++
		case ']':
			depth--
		case '.':
			if depth == 0 {
				out = append(out, path[from:i])
				from = i + 1
			}
		}
	}
	return append(out, path[from:])
}

// instanceSets returns the assignments on the command line to the configs of an instance.
func (e *elaborator) instanceSets(name string, defs []configDef) []assign {
	o := e.overrides
	segments := strings.Split(name, ".")
	indices := make([]int, len(segments))
	for i, segment := range segments {
		base, index, isArray := strings.Cut(segment, "[")
		segments[i] = base
		if isArray {
			indices[i], _ = strconv.Atoi(strings.TrimSuffix(index, "]")) // instantiate wrote a valid index
		}
	}
	path := strings.Join(segments, ".")
	o.paths[path] = true
	var out []assign
	for _, s := range o.sets {
		if s.path != path || !s.matches(indices) {
			continue
		}
		s.used = true
		at := slices.IndexFunc(defs, func(d configDef) bool { return d.name == s.config })
		if at < 0 {
			o.configs[s] = configNames(defs)
			continue
		}
		out = append(out, e.commandLine(s.key, s.text, &defs[at]))
	}
	return out
}

func (s *kernelSet) matches(indices []int) bool {
	for i, r := range s.indices {
		if r != [2]int{} && (indices[i] < r[0] || indices[i] > r[1]) {
			return false
		}
	}
	return true
}

// commandLine returns an assignment on the command line to a block's config.
func (e *elaborator) commandLine(key, text string, d *configDef) assign {
	e.setType(key, d)
	x, err := strconv.ParseFloat(text, 64)
	want := ""
	switch complete := IsInteger(d.typ); {
	case d.numeric && (err != nil || math.IsInf(x, 0) || math.IsNaN(x)):
		want = "a number"
	case complete && x != math.Trunc(x):
		want = "a whole number"
	case x < 0 && strings.HasPrefix(d.typ, "UNSIGNED"):
		want = "at least 0"
	}
	if want != "" {
		e.fail(&mistake{faults.WrongConfigValue, Pos{}, fmt.Sprintf("%s=%s: config %s must be %s",
			e.opt.given(key), text, quote(d.name), want), "the config is declared as " + d.typ})
		text = "1"
	}
	quoted := `"` + text + `"`
	return assign{Name: d.name, Value: value{Text: &quoted}}
}

// setType records the type of a config that the command line sets.
func (e *elaborator) setType(key string, d *configDef) {
	if e.program.SetTypes == nil {
		e.program.SetTypes = make(map[string]string)
	}
	e.program.SetTypes[key] = d.typ
}

// setsFor returns the command line's overrides for one owner of configs, in the order of the configs.
func (e *elaborator) setsFor(owner string, defs []configDef) []assign {
	var out []assign
	for i := range defs {
		key := owner + "." + defs[i].name
		text, ok := e.opt.Set[key]
		if !ok {
			continue
		}
		e.setType(key, &defs[i])
		quoted := `"` + text + `"`
		out = append(out, assign{Name: defs[i].name, Value: value{Text: &quoted}})
	}
	return out
}

// given formats an override as on the command line, without its value.
func (o *Options) given(key string) string { return cmp.Or(o.SetBy[key], "--set") + " " + key }

// checkSet reports overrides that match no config.
func (e *elaborator) checkSet() {
	owners := make(map[string][]string)
	if b := e.blocks[e.program.Top]; b != nil {
		owners[e.program.Top] = configNames(e.blockConfigs(b))
	}
	for _, r := range e.program.Resources {
		owners[r.Name] = configNames(e.types[r.Platform].allConfigs())
	}
	for _, l := range e.program.Links {
		owners[l.Name] = configNames(e.types[l.Linktype].allConfigs())
	}
	inside := make(map[string]bool)
	for _, s := range e.overrides.all() {
		inside[s.key] = true
		existing, misnamed := e.overrides.configs[s]
		switch {
		case misnamed && len(existing) == 0:
			e.diags.add(faults.NamesNothing, Pos{}, e.opt.given(s.key)+": "+s.owner+" has no configs",
				"declare the config "+quote(s.config)+" in the block, or name another instance")
		case misnamed:
			e.diags.add(faults.UnknownConfig, Pos{}, e.opt.given(s.key)+": "+s.owner+" has no config "+quote(s.config),
				didYouMean(s.config, existing))
		case s.used || len(e.diags) > 0:
		case e.overrides.paths[s.path]:
			e.diags.add(faults.NamesNothing, Pos{}, e.opt.given(s.key)+": nothing is named "+quote(s.owner),
				"array indices start at 1, and only arrays have an index")
		default:
			e.diags.add(faults.NamesNothing, Pos{}, e.opt.given(s.key)+": nothing is named "+quote(s.owner),
				didYouMean(s.path, keys(e.overrides.paths)))
		}
	}
	for _, key := range keys(e.opt.Set) {
		i := strings.LastIndexByte(key, '.')
		if i < 0 {
			if _, ok := e.resourceArray[key]; !ok {
				e.diags.add(faults.WrongOverride, Pos{}, e.opt.given(key)+" names no config and no resource",
					"write NAME.config=value, such as PCI.bandwidth=10MB/s, or RESOURCE=number, such as fpga=2")
			}
			continue
		}
		configs, ok := owners[key[:i]]
		switch {
		case inside[key] || e.ofRemoved(key[:i]):
		case !ok && len(e.diags) == 0:
			e.diags.add(faults.NamesNothing, Pos{}, e.opt.given(key)+": nothing is named "+quote(key[:i]),
				didYouMean(key[:i], keys(owners)))
		case ok && !slices.Contains(configs, key[i+1:]):
			e.diags.add(faults.UnknownConfig, Pos{}, e.opt.given(key)+": "+key[:i]+" has no config "+quote(key[i+1:]),
				didYouMean(key[i+1:], configs))
		}
	}
}

// ofRemoved reports whether the owner of a config is a resource removed on the command line.
func (e *elaborator) ofRemoved(owner string) bool {
	name, _, _ := strings.Cut(owner, "[")
	array, ok := e.resourceArray[name]
	return ok && len(array) == 0
}

// overridden returns the assignments in sets, replaced or extended by the command line's overrides in own.
func overridden(sets, own []assign) []assign {
	if len(own) == 0 {
		return sets
	}
	kept := slices.DeleteFunc(slices.Clone(sets), func(a assign) bool {
		return slices.ContainsFunc(own, func(o assign) bool { return o.Name == a.Name })
	})
	return append(kept, lastOf(own)...)
}

// any reports whether the command line overrides configs inside the application.
func (o *overrides) any() bool { return len(o.all()) > 0 }

func (o *overrides) all() []*kernelSet {
	if o == nil {
		return nil
	}
	return o.sets
}

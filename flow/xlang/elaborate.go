package xlang

import (
	"fmt"
	"slices"
	"strings"

	"xopt/flow/faults"
	"xopt/internal/fault"
)

// elaborator converts the statements of all files to a Program.
type elaborator struct {
	*loader
	program *Program

	blocks     map[string]*blockDecl
	blockNames []string
	types      map[string]*typeInfo
	typeOrder  []*typeInfo

	resourceIndex map[string]int // "proc[1]" -> index
	resourceArray map[string][]int
	linkIndex     map[string]int
	placed        map[string]Pos // names of resources and links

	kernels   *pathIndex
	edges     *pathIndex
	excused   map[suppressed]bool
	work      int // number of resolved references
	overrides *overrides
	byEnds    *edgeEnds // nil until a statement names an edge by its ends
	portsSeen int       // number of ports at the ends of edge statements
	// noApplication is true if a missing application has been reported.
	noApplication bool
	ports         int // number of ports of all instances
	instances     int // number of created instances, including hierarchical blocks
	copied        int // number of statements that map copies
	// twoMappings contains the pairs of files that were reported because both map a kernel or an edge.
	twoMappings map[[2]string]bool
}

// typeInfo is a platform or linktype, with its base type.
type typeInfo struct {
	decl    *typeDecl
	base    *typeInfo
	configs []configDef // of this type alone, without inherited configs
}

type configDef struct {
	name     string
	pos      Pos
	numeric  bool   // declared with a numeric type
	typ      string // as declared, in upper case
	fallback *value
}

// elaborate checks and resolves all statements, and adds errors to the diagnostics.
func (l *loader) elaborate() *Program {
	e := &elaborator{
		loader: l, program: &Program{},
		blocks: make(map[string]*blockDecl), types: make(map[string]*typeInfo),
		resourceIndex: make(map[string]int), resourceArray: make(map[string][]int),
		linkIndex: make(map[string]int), placed: make(map[string]Pos),
		kernels: newPathIndex(), edges: newPathIndex(), excused: make(map[suppressed]bool),
		twoMappings: make(map[[2]string]bool),
	}
	for _, step := range []func(){e.declareTypes, e.declareBlocks, e.resources, e.application, e.figures, e.statements,
		e.checkSet} {
		if e.stopped() {
			return e.program
		}
		step()
	}
	if n := len(e.program.Kernels) * len(e.program.Resources); n > maxPlaces {
		e.failf(faults.TooLarge, e.program.UsePos, "use fewer kernels or resources", "%d kernels on %d resources "+
			"have more than %d possible placements", len(e.program.Kernels), len(e.program.Resources), maxPlaces)
	}
	return e.program
}

// fail adds an error to the diagnostics.
func (e *elaborator) fail(m *mistake) { e.diags.add(m.id, m.pos, m.message, m.hint) }

func (e *elaborator) failf(id fault.ID, pos Pos, hint, format string, args ...any) {
	e.diags.add(id, pos, fmt.Sprintf(format, args...), hint)
}

// unknown reports an undeclared name, unless a statement that could not be read may declare this name.
func (e *elaborator) unknown(pos Pos, what, name string, existing []string) {
	if what == "block" && e.withoutApplication(pos) {
		return
	}
	if !e.unread[name] && !e.diags.full() {
		e.diags.add(faults.UnknownName, pos, "unknown "+what+" "+quote(name), e.didYouMean(name, existing))
	}
}

// withoutApplication reports once that a name cannot be found because the files declare no block. It returns false if
// the files declare a block, or may declare a block in a statement that could not be read.
func (e *elaborator) withoutApplication(pos Pos) bool {
	if len(e.blockNames) > 0 || len(e.unread) > 0 {
		return false
	}
	if !e.noApplication {
		e.noApplication = true
		e.failf(faults.NoApplication, pos, "add the application's file to the command: app.x "+pos.File,
			"the application is missing: no file declares a block")
	}
	return true
}

// didYouMean returns the hint for an unknown name. If no name of the same kind is declared, the include of the library
// is probably missing.
func (e *elaborator) didYouMean(name string, existing []string) string {
	if len(existing) == 0 && len(e.typeOrder) == 0 {
		return `add #include "std.x", which declares C, HDL, bus, switch and memory`
	}
	return didYouMean(name, existing)
}

// duplicate reports a second declaration of a name.
func (e *elaborator) duplicate(pos, first Pos, what, name string) {
	e.diags.addRelated(fault.DeclaredTwice, pos, first, what+" "+quote(name)+" is declared twice",
		"rename one of the two declarations")
}

// declareTypes collects platforms and linktypes. Listings in the papers redeclare some types of std.x. A redeclaration
// is permitted unless it contradicts the first declaration.
func (e *elaborator) declareTypes() {
	for _, u := range e.units {
		d, ok := u.stmt.(*typeDecl)
		if !ok {
			continue
		}
		old := e.types[d.name]
		if old == nil {
			old = &typeInfo{decl: d}
			e.types[d.name] = old
			e.typeOrder = append(e.typeOrder, old)
		} else if old.decl.kind != d.kind || old.decl.base != d.base && d.base != "" {
			e.diags.addRelated(fault.DeclaredTwice, d.pos, old.decl.pos, fmt.Sprintf("%s %s has two different "+
				"declarations", d.kind, quote(d.name)), "rename one of the two declarations")
			continue
		}
		for _, c := range d.configs {
			e.typeConfigs(old, c)
		}
		for _, impl := range d.impls {
			e.sourceImpl(d, u.dir, impl)
		}
	}
	for _, t := range e.typeOrder {
		if t.decl.base == "" {
			continue
		}
		base := e.types[t.decl.base]
		if base == nil || base.decl.kind != t.decl.kind {
			e.unknown(t.decl.pos, t.decl.kind, t.decl.base, e.typeNames(t.decl.kind))
			continue
		}
		t.base = base
	}
	e.breakTypeCycles()
	done := make(map[*typeInfo]bool)
	for _, t := range e.typeOrder {
		e.emitType(t, done)
	}
}

func (e *elaborator) breakTypeCycles() {
	for _, t := range e.typeOrder {
		seen := map[*typeInfo]bool{t: true}
		for b := t.base; b != nil; b = b.base {
			if seen[b] {
				e.failf(faults.OwnBase, t.decl.pos, "name another base, or none", "%s %s is its own base", t.decl.kind,
					quote(t.decl.name))
				t.base = nil
				break
			}
			seen[b] = true
		}
	}
}

// emitType adds a type to the program's list of types, after its base types.
func (e *elaborator) emitType(t *typeInfo, done map[*typeInfo]bool) {
	var chain []*typeInfo
	for ; t != nil && !done[t]; t = t.base {
		chain = append(chain, t)
	}
	for _, t := range slices.Backward(chain) {
		done[t] = true
		out := Type{Name: t.decl.name}
		if t.base != nil {
			out.Base = t.base.decl.name
		}
		if t.decl.kind == "platform" {
			e.program.Platforms = append(e.program.Platforms, out)
		} else {
			e.program.Linktypes = append(e.program.Linktypes, out)
		}
	}
}

func (e *elaborator) typeNames(kind string) []string {
	var out []string
	for _, t := range e.typeOrder {
		if kind == "" || t.decl.kind == kind {
			out = append(out, t.decl.name)
		}
	}
	return out
}

func (e *elaborator) typeConfigs(t *typeInfo, c *configStmt) {
	for _, def := range e.configDefs(c) {
		if i := slices.IndexFunc(t.configs, func(d configDef) bool { return d.name == def.name }); i >= 0 {
			e.duplicate(def.pos, t.configs[i].pos, "config", def.name)
			continue
		}
		t.configs = append(t.configs, def)
	}
}

// configDefs reads one config statement.
func (e *elaborator) configDefs(c *configStmt) []configDef {
	numeric, typ := false, ""
	if c.Type != nil {
		typ = strings.ToUpper(c.Type.Name)
		if _, ok := elementBytes(c.Type.Name); !ok {
			e.failf(faults.UnknownType, position(c.Type.Pos), didYouMean(c.Type.Name, elementTypes()), "unknown type "+
				"%s", quote(c.Type.Name))
		} else {
			numeric = !strings.EqualFold(c.Type.Name, "STRING")
		}
	}
	var defs []configDef
	for i := range c.Items {
		item := &c.Items[i]
		defs = append(defs, configDef{name: item.Name, pos: position(item.Pos), numeric: numeric, typ: typ,
			fallback: item.Default})
	}
	return defs
}

// allConfigs returns the configs of a type, bases first. A derived type may redeclare a config of its base with another
// default.
func (t *typeInfo) allConfigs() []configDef {
	var chain []*typeInfo
	for ; t != nil; t = t.base {
		chain = append(chain, t)
	}
	var defs []configDef
	for _, t := range slices.Backward(chain) {
		for _, d := range t.configs {
			if i := slices.IndexFunc(defs, func(o configDef) bool { return o.name == d.name }); i >= 0 {
				defs[i] = d
			} else {
				defs = append(defs, d)
			}
		}
	}
	return defs
}

// configure returns the values of configs. It evaluates the assignments in sets in the scope outer, and the defaults of
// other configs in the scope of the preceding configs. what is the owner's name in messages.
func (e *elaborator) configure(what string, pos Pos, defs []configDef, sets []assign, outer Values) Values {
	given := make(map[string]Value)
	misnamed := false
	for i := range sets {
		if e.stopped() {
			break
		}
		a := &sets[i]
		at := position(a.Pos)
		j := slices.IndexFunc(defs, func(d configDef) bool { return d.name == a.Name })
		if j < 0 {
			e.failf(faults.UnknownConfig, at, didYouMean(a.Name, configNames(defs)), "%s has no config %s",
				what, quote(a.Name))
			misnamed = true
			continue
		}
		if old, ok := given[a.Name]; ok {
			e.duplicate(at, old.Pos, "config", a.Name)
			continue
		}
		v, err := a.Value.eval(outer)
		if err != nil {
			e.fail(err)
			v = Value{IsNumber: true, Number: 1}
		}
		v.Pos = at
		given[a.Name] = v
	}
	out := make(Values)
	for _, d := range defs {
		v, ok := given[d.name]
		if !ok && d.fallback != nil {
			var err *mistake
			if v, err = d.fallback.eval(out); err != nil {
				e.fail(err)
			}
			ok = true
		}
		if !ok && misnamed {
			out[d.name] = Value{Number: 1, IsNumber: true} // the wrong name probably means this config
			continue
		}
		if !ok {
			e.diags.addRelated(faults.ConfigMissing, pos, d.pos, fmt.Sprintf("%s needs a value for config %s",
				what, quote(d.name)), "write ("+d.name+"=…)")
			out[d.name] = Value{Number: 1, IsNumber: true} // prevents further errors
			continue
		}
		if d.numeric && !v.IsNumber && !v.Quoted {
			e.failf(faults.WrongConfigValue, v.Pos, "the config is declared as "+d.typ, "config %s of %s is a number, "+
				"not %s", quote(d.name), what, quote(v.Text))
		}
		v.Type = d.typ
		out[d.name] = v
	}
	return out
}

func configNames(defs []configDef) []string {
	var out []string
	for _, d := range defs {
		out = append(out, d.name)
	}
	return out
}

// derives reports whether t is the type base or derives from this type.
func (t *typeInfo) derives(base string) bool {
	for ; t != nil; t = t.base {
		if t.decl.name == base {
			return true
		}
	}
	return false
}

// declareBlocks collects the blocks, and reports blocks that contain themselves.
func (e *elaborator) declareBlocks() {
	for _, u := range e.units {
		b, ok := u.stmt.(*blockDecl)
		if !ok {
			continue
		}
		if old := e.blocks[b.name]; old != nil {
			e.duplicate(b.pos, old.pos, "block", b.name)
			continue
		}
		e.blocks[b.name] = b
		e.blockNames = append(e.blockNames, b.name)
	}
	for _, n := range e.blockNames {
		if !e.stopped() {
			e.checkBlock(e.blocks[n])
		}
	}
	e.breakBlockCycles()
}

// checkBlock reports the errors of a block, even if the application does not use the block.
func (e *elaborator) checkBlock(b *blockDecl) {
	seen := make(map[string]Pos)
	name := func(what, n string, pos Pos) {
		if old, ok := seen[n]; ok {
			e.duplicate(pos, old, what, n)
			return
		}
		seen[n] = pos
	}
	for _, c := range b.configs {
		for _, d := range c.Items {
			name("config", d.Name, position(d.Pos))
		}
	}
	for _, p := range b.ports {
		if _, ok := elementBytes(p.Type.Name); !ok {
			e.unknown(position(p.Type.Pos), "type", p.Type.Name, elementTypes())
			p.Type.Name = ""
		}
		for _, d := range p.Names {
			name("port", d.Name, position(d.Pos))
		}
	}
	for _, s := range b.instances {
		if e.stopped() {
			return
		}
		if e.blocks[s.Block] == nil {
			e.unknown(position(s.Pos), "block", s.Block, e.blockNames)
		}
		for _, n := range s.Names {
			name("instance", n.Name, position(n.Pos))
		}
	}
	for _, edge := range b.edges {
		if edge.Label != "" {
			name("edge", edge.Label, position(edge.Pos))
		}
	}
	if len(b.instances) == 0 && len(b.ports) == 0 && len(b.edges) == 0 {
		e.failf(faults.NoPorts, b.pos, "declare ports, or instances of other blocks", "block %s has no ports: no data "+
			"flows through it", quote(b.name))
	}
	if len(b.instances) > 0 && len(b.joins) > 0 {
		e.failf(faults.BlockOfBlocks, position(b.joins[0].Pos), "move the join into the block that consumes the data",
			"block %s contains instances and cannot have a join", quote(b.name))
	}
	if len(b.instances) > 0 && len(b.emits) > 0 {
		e.failf(faults.BlockOfBlocks, position(b.emits[0].Pos), "move the emit into the block that sends the data",
			"block %s contains instances and cannot have an emit", quote(b.name))
	}
	if len(b.once) > 0 && len(b.emits) > 0 {
		e.failf(faults.OnceAndEmit, position(b.emits[0].Pos), "remove the emit: data sent once does not belong to a "+
			"firing", "block %s sends once, and cannot have an emit", quote(b.name))
	}
	e.checkOnce(b)
	e.checkMisc(b)
	e.checkStateless(b)
	if len(b.instances) == 0 && len(b.edges) > 0 {
		e.failf(faults.NoInstances, position(b.edges[0].Pos),
			"declare instances: "+form("instance")[len("instances are declared as: "):],
			"block %s has edges but no instances", quote(b.name))
	}
}

// checkOnce checks the ports that a block declares to send once.
func (e *elaborator) checkOnce(b *blockDecl) {
	if len(b.once) == 0 {
		return
	}
	at := position(b.once[0].Pos)
	outputs, named := make(map[string]bool), make(map[string]bool)
	for _, s := range b.ports {
		for _, n := range s.Names {
			if s.Way == "input" || len(b.instances) > 0 {
				e.failf(faults.OnceWithInputs, at, "remove the once: a block with inputs sends when it receives data",
					"block %s is not a source, and cannot send once", quote(b.name))
				return
			}
			outputs[n.Name] = true
		}
	}
	for _, s := range b.once {
		for _, p := range s.Ports {
			if !outputs[p.Name] {
				e.failf(fault.UnknownPort, position(p.Pos), didYouMean(p.Name, keys(outputs)),
					"block %s has no output port %s", b.name, quote(p.Name))
				return
			}
			named[p.Name] = true
		}
	}
	for _, name := range keys(outputs) {
		if !named[name] {
			e.failf(faults.OnceOnSome, at, "split the block: one block for the outputs that send once, one for the "+
				"other outputs",
				"block %s sends once on some outputs but keeps sending on %s", quote(b.name), quote(name))
			return
		}
	}
}

// breakBlockCycles reports blocks that contain themselves, and removes the instances that close the cycles.
func (e *elaborator) breakBlockCycles() {
	state := make(map[string]int)
	var visit func(name string, chain []string)
	visit = func(name string, chain []string) {
		b := e.blocks[name]
		state[name] = 1
		chain = append(chain, name)
		kept := b.instances[:0]
		for _, s := range b.instances {
			if e.blocks[s.Block] != nil {
				switch {
				case state[s.Block] == 1:
					e.failf(faults.ContainsItself, position(s.Pos), "remove one of these instances",
						"block %s contains itself: %s -> %s", quote(s.Block), strings.Join(chain, " -> "), s.Block)
					continue
				case len(chain) >= maxBlockDepth:
					e.failf(fault.NestedTooDeep, position(s.Pos), "reduce the nesting of blocks",
						"blocks are nested more than %d levels deep", maxBlockDepth)
					continue
				case state[s.Block] == 0:
					visit(s.Block, chain)
				}
			}
			kept = append(kept, s)
		}
		b.instances = kept
		state[name] = 2
	}
	for _, n := range e.blockNames {
		if state[n] == 0 {
			visit(n, nil)
		}
	}
}

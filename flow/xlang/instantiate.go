package xlang

import (
	"fmt"
	"slices"

	"xopt/flow/faults"
	"xopt/internal/fault"
)

// leafPort is a port of a leaf kernel.
type leafPort struct{ kernel, port int }

// instance is a block instance. Its ports lead to the ports of leaf kernels.
type instance struct {
	name     string
	block    *blockDecl
	ports    []instancePort
	children map[string]*childArray
}

// instancePort is a port, or an array of ports, of an instance.
type instancePort struct {
	name    string
	input   bool
	isArray bool
	typ     portType
	slots   [][]leafPort // one for each element of the array
	pos     Pos
}

type childArray struct {
	isArray   bool
	instances []*instance
}

// application finds the top block and flattens its hierarchy.
func (e *elaborator) application() {
	top, sets := e.chooseTop()
	if top == nil {
		return
	}
	for _, d := range e.blockConfigs(top) {
		if text, ok := e.opt.Set[top.name+"."+d.name]; ok {
			sets = append(sets, e.commandLine(top.name+"."+d.name, text, &d))
		}
	}
	config := e.configure("block "+top.name, top.pos, e.blockConfigs(top), lastOf(sets), Values{})
	e.overrides = newOverrides(e.opt.Set, top.name)
	e.program.Top, e.program.TopConfig = top.name, config
	root := e.instantiate(top, top.name, config, e.program.UsePos)
	for _, p := range root.ports {
		e.failf(faults.ApplicationWithPort, p.pos, "remove the port: an application's data begins and ends in kernels",
			"block %s is the application and cannot have port %s", quote(top.name), quote(p.name))
	}
	if len(e.diags) > 0 && len(e.program.Kernels) >= maxKernels || e.ports > maxPorts {
		return // the application is incomplete
	}
	e.checkConnected()
	e.checkTwice()
	e.indexNames()
}

// chooseTop returns the block that `use` names or, without `use`, the only hierarchical block that no other block
// contains.
func (e *elaborator) chooseTop() (*blockDecl, []assign) {
	var chosen *useStmt
	var sets []assign
	for _, u := range e.units {
		s, ok := u.stmt.(*useStmt)
		if !ok {
			continue
		}
		if chosen != nil && chosen.Block != s.Block {
			e.diags.addRelated(faults.SeveralApplications, position(s.Pos), position(chosen.Pos),
				fmt.Sprintf("a use statement names %s, but an earlier one names %s",
					quote(s.Block), quote(chosen.Block)), "use one application")
			continue
		}
		chosen = s
		if s.Config != nil {
			sets = append(sets, s.Config.Sets...)
		}
	}
	if chosen != nil {
		e.program.UsePos = position(chosen.Pos)
		b := e.blocks[chosen.Block]
		if b == nil {
			e.unknown(position(chosen.Pos), "block", chosen.Block, e.blockNames)
		}
		return b, sets
	}
	inner := make(map[string]bool)
	for _, n := range e.blockNames {
		for _, s := range e.blocks[n].instances {
			inner[s.Block] = true
		}
	}
	var tops []*blockDecl
	for _, n := range e.blockNames {
		if b := e.blocks[n]; !inner[n] && len(b.instances) > 0 {
			tops = append(tops, b)
		}
	}
	switch {
	case len(tops) == 1:
		e.program.UsePos = tops[0].pos
		return tops[0], nil
	case len(tops) > 1:
		e.failf(faults.SeveralApplications, tops[1].pos, "add: use "+tops[0].name+";", "blocks %s and %s could both "+
			"be the application", quote(tops[0].name), quote(tops[1].name))
	case len(e.blockNames) > 0 && len(e.diags) == 0:
		e.failf(faults.NoApplication, e.blocks[e.blockNames[0]].pos, "declare a block with instances and edges, and: "+
			"use top;", "no top-level block found")
	}
	return nil, nil
}

// lastOf returns the last assignment to each config, so that a later `use` or the command line overrides earlier
// values.
func lastOf(sets []assign) []assign {
	last := make(map[string]int, len(sets))
	for i, s := range sets {
		last[s.Name] = i
	}
	var out []assign
	for i, s := range sets {
		if last[s.Name] == i {
			out = append(out, s)
		}
	}
	return out
}

func (e *elaborator) blockConfigs(b *blockDecl) []configDef {
	var defs []configDef
	for _, c := range b.configs {
		defs = append(defs, e.configDefs(c)...)
	}
	return defs
}

// instantiate creates an instance of a block. If the block contains no instances, the result is a kernel; otherwise
// instantiate also creates the instances inside it.
func (e *elaborator) instantiate(b *blockDecl, name string, config Values, pos Pos) *instance {
	in := &instance{name: name, block: b, children: make(map[string]*childArray)}
	if len(name) > maxNameBytes {
		e.fail(&mistake{faults.TooLarge, pos, fmt.Sprintf("the instance name is longer than %d bytes",
			maxNameBytes), "shorten the instance names, or nest fewer blocks"})
		return in
	}
	if e.instances++; e.instances > maxInstances {
		e.fail(&mistake{faults.TooLarge, pos, fmt.Sprintf("the application has more than %d instances",
			maxInstances), "use fewer instances or smaller arrays"})
		return in
	}
	for _, p := range b.ports {
		if p.Type.Name == "" {
			continue // checkBlock reports the unknown type
		}
		typ, err := p.Type.resolve(config)
		if err != nil {
			e.fail(err)
			continue
		}
		for i := range p.Names {
			d := &p.Names[i]
			n := 1
			if d.Size != nil {
				if n, err = d.Size.count(config, "port array "+d.Name); err != nil {
					e.fail(err)
					n = 1
				}
			}
			if e.ports += n; e.ports > maxPorts {
				e.fail(&mistake{faults.TooLarge, position(d.Pos), fmt.Sprintf("the application's instances have "+
					"more than %d ports", maxPorts), "use fewer instances or smaller port arrays"})
				return in
			}
			in.ports = append(in.ports, instancePort{name: d.Name, input: p.Way == "input", isArray: d.Size != nil,
				typ: typ, slots: make([][]leafPort, n), pos: position(d.Pos)})
		}
	}
	if len(b.instances) == 0 {
		e.addKernel(in, config, pos)
		return in
	}
	for _, s := range b.instances {
		for i := range s.Names {
			if e.stopped() || e.ports > maxPorts {
				return in
			}
			e.addChildren(in, s, &s.Names[i], config)
		}
	}
	for i := range b.edges {
		if e.stopped() || e.ports > maxPorts {
			return in
		}
		e.connect(in, &b.edges[i], config)
	}
	e.checkThrough(in)
	return in
}

// addChildren creates the instances of one name in an instance statement.
func (e *elaborator) addChildren(in *instance, s *instanceStmt, n *instanceName, config Values) {
	child := e.blocks[s.Block]
	pos := position(n.Pos)
	if _, ok := in.children[n.Name]; ok {
		return // declared twice; checkBlock reports this
	}
	array := &childArray{isArray: n.Size != nil}
	in.children[n.Name] = array
	if child == nil {
		return
	}
	count := 1
	if n.Size != nil {
		var err *mistake
		if count, err = n.Size.count(config, "array "+n.Name); err != nil {
			e.fail(err)
			return
		}
	}
	what, defs := in.block.name+"."+n.Name, e.blockConfigs(child)
	elements, err := elementSets(what, shape{n: count, isArray: array.isArray}, n.Config, nil, config)
	if err != nil {
		e.fail(err)
		return
	}
	var given Values
	for i := range count {
		if e.ports > maxPorts {
			return
		}
		if len(e.program.Kernels) >= maxKernels || len(e.program.Edges) >= maxEdges || e.instances > maxInstances {
			e.fail(&mistake{faults.TooLarge, pos, fmt.Sprintf("the application has more than %d kernels or %d "+
				"edges", maxKernels, maxEdges), "use fewer instances or smaller arrays"})
			return
		}
		name := in.name + "." + n.Name
		if n.Size != nil {
			name = fmt.Sprintf("%s[%d]", name, i+1)
		}
		sets := elements[min(i, len(elements)-1)]
		switch {
		case e.overrides.any():
			given = e.configure(what, pos, defs, overridden(sets, e.instanceSets(name, defs)), config)
		case i == 0 || len(elements) > 1:
			given = e.configure(what, pos, defs, sets, config)
		}
		array.instances = append(array.instances, e.instantiate(child, name, given, pos))
	}
}

// addKernel creates a leaf kernel.
func (e *elaborator) addKernel(in *instance, config Values, pos Pos) {
	k := Kernel{Name: in.name, Block: in.block.name, Once: len(in.block.once) > 0, Config: config, Pos: pos}
	index := len(e.program.Kernels)
	for i := range in.ports {
		p := &in.ports[i]
		for s := range p.slots {
			port := Port{Name: p.name, Type: p.typ.name, ElementBytes: p.typ.bytes}
			if p.isArray {
				port.Name = fmt.Sprintf("%s[%d]", p.name, s+1)
			}
			list := &k.Outputs
			if p.input {
				list = &k.Inputs
			}
			p.slots[s] = []leafPort{{index, len(*list)}}
			*list = append(*list, port)
		}
	}
	addMisc(&k, in.block)
	for _, j := range in.block.joins {
		e.addJoin(&k, in, j, config)
	}
	for _, s := range in.block.emits {
		e.addEmit(&k, in, s, config)
	}
	e.addStateless(&k, in)
	e.program.Kernels = append(e.program.Kernels, k)
}

func (e *elaborator) addJoin(k *Kernel, in *instance, j *joinStmt, config Values) {
	join := Join{Pos: position(j.Pos)}
	for i := range j.Items {
		item := &j.Items[i]
		pos := position(item.Pos)
		count := 1.0
		if item.Count != nil {
			var err error
			if count, err = perFiring(*item.Count); err != nil {
				e.fail(&mistake{faults.WrongCount, pos, "wrong number in join " + *item.Count + " " +
					item.Port.Name, err.Error()})
				continue
			}
		}
		for _, port := range e.listedPorts(in, &item.Port, true, config) {
			for _, other := range append(k.Joins, join) {
				if slices.Contains(other.Ports, port) {
					e.fail(&mistake{faults.GivenTwice, pos, "port " + quote(item.Port.Name) + " is joined twice",
						"list each input port once"})
				}
			}
			join.Ports = append(join.Ports, port)
			join.Counts = append(join.Counts, count)
		}
	}
	k.Joins = append(k.Joins, join)
}

// listedPorts returns the inputs or outputs of a kernel that an item of a join or emit statement names.
func (e *elaborator) listedPorts(in *instance, listed *segment, input bool, config Values) (ports []int) {
	at := slices.IndexFunc(in.ports, func(p instancePort) bool { return p.name == listed.Name && p.input == input })
	if at < 0 {
		if !e.unread[listed.Name] {
			kind := " has no output port "
			if input {
				kind = " has no input port "
			}
			e.fail(&mistake{fault.UnknownPort, position(listed.Pos), "block " + in.block.name + kind +
				quote(listed.Name), didYouMean(listed.Name, in.portNames(input))})
		}
		return nil
	}
	slots, err := e.choose(listed.Index, indexed{listed.Name, len(in.ports[at].slots), in.ports[at].isArray, true},
		position(listed.Pos), config)
	if err != nil {
		e.fail(err)
	}
	for _, slot := range slots {
		ports = append(ports, in.ports[at].slots[slot][0].port)
	}
	return ports
}

func (in *instance) portNames(input bool) []string {
	var out []string
	for _, p := range in.ports {
		if p.input == input {
			out = append(out, p.name)
		}
	}
	return out
}

// indexed describes the n elements of a name, from which an index selects. If isComplete is true, an array name without
// an index refers to all elements.
type indexed struct {
	name                string
	n                   int
	isArray, isComplete bool
}

// slotsBy describes the slots of a port for the selection by an index.
func (p *instancePort) slotsBy() indexed {
	return indexed{name: p.name, n: len(p.slots), isArray: p.isArray}
}

// choose returns the indices, from 0, that [*], [i], [i..j] or no index selects.
func (e *elaborator) choose(ix *index, of indexed, pos Pos, env Values) ([]int, *mistake) {
	n, isArray, name := of.n, of.isArray, of.name
	all := func() []int {
		out := make([]int, n)
		for i := range out {
			out[i] = i
		}
		return out
	}
	switch {
	case ix == nil && !isArray:
		return []int{0}, nil
	case ix == nil && of.isComplete:
		return all(), nil
	case ix == nil:
		return nil, &mistake{faults.NotAnArray, pos, quote(name) + " is an array and needs an index",
			fmt.Sprintf("write %s[*] for all elements, or %s[1] to %s[%d] for one", name, name, name, n)}
	case !isArray:
		return nil, &mistake{faults.NotAnArray, pos, quote(name) + " is not an array", "omit the index"}
	case ix.All:
		return all(), nil
	}
	lo, hi, err := ix.bounds(env)
	if err != nil {
		return nil, err
	}
	if lo != float64(int(lo)) || hi != float64(int(hi)) || lo < 1 || hi > float64(n) || hi < lo {
		return nil, &mistake{faults.IndexOutOfRange, pos, fmt.Sprintf("index %s of %s is out of range",
			indexText(lo, hi), quote(name)), fmt.Sprintf("%s has the indices 1 to %d", name, n)}
	}
	var out []int
	for i := int(lo); i <= int(hi); i++ {
		out = append(out, i-1)
	}
	return out, nil
}

// bounds returns the first and the last element of an index.
func (ix *index) bounds(env Values) (lo, hi float64, err *mistake) {
	if lo, err = ix.Lo.eval(env); err != nil || ix.Hi == nil {
		return lo, lo, err
	}
	hi, err = ix.Hi.eval(env)
	return lo, hi, err
}

func indexText(lo, hi float64) string {
	if lo == hi {
		return fmt.Sprintf("[%g]", lo)
	}
	return fmt.Sprintf("[%g..%g]", lo, hi)
}

package xeval

import (
	"fmt"

	"xopt/deploy/faults"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// check resolves the ports of rules, and reports rules that the language does not permit (Gayen 2008 §4.3.4).
func (p *parser) check() {
	blocks := make(map[string]*Block)
	for i := range p.out.Blocks {
		b := &p.out.Blocks[i]
		if before := blocks[b.Name]; before != nil {
			p.failRelated(fault.DeclaredTwice, b.Pos, before.Pos, "put the rules of both blocks into one block",
				"two blocks are named %s", b.Name)
		} else {
			blocks[b.Name] = b
		}
		p.ports(b)
	}
	for i := range p.rules {
		p.resolve(&p.rules[i])
	}
	for i := range p.out.Blocks {
		p.exclusive(&p.out.Blocks[i])
	}
}

func (p *parser) failRelated(id fault.ID, pos, related xlang.Pos, hint, format string, args ...any) {
	p.fail(id, pos, hint, format, args...)
	if n := len(p.faults); n > 0 {
		p.faults[n-1].Related = &related
	}
}

// ports checks the ports that a block declares: each name is unique, and each port has exactly the events that its side
// needs.
func (p *parser) ports(b *Block) {
	seen := make(map[string]*Port)
	for i := range b.Ports {
		x := &b.Ports[i]
		if before := seen[x.Name]; before != nil {
			p.failRelated(fault.DeclaredTwice, x.Pos, before.Pos, "remove one of the declarations",
				"port %s of block %s is declared twice", x.Name, b.Name)
			continue
		}
		seen[x.Name] = x
		p.events(x)
	}
}

// events checks the files of a port.
func (p *parser) events(x *Port) {
	side, kinds := "out_port", []Kind{Out}
	if x.Input {
		side, kinds = "in_port", []Kind{Available, In}
	}
	for i := range x.Events {
		e := &x.Events[i]
		if first := x.event(e.Kind); first != e {
			p.failRelated(faults.EventTwice, e.Pos, first.Pos, "put all events of a kind in one file",
				"port %s has two files with %ss", x.Name, e.Kind)
		}
		if x.Input == (e.Kind == Out) {
			p.fail(faults.WrongEvent, e.Pos, "an in_port has an avl_event and an in_event, and an out_port has an "+
				"out_event", "port %s has an %s, but is an %s", x.Name, e.Kind, side)
		}
	}
	for _, k := range kinds {
		if x.event(k) == nil {
			hint := fmt.Sprintf("add event FILE %s", k)
			if x.Input && len(x.Events) > 0 {
				hint += " (a testpoint, or a kernel that consumes elements on arrival, uses one file for both events)"
			}
			p.fail(faults.EventMissing, x.Pos, hint, "port %s has no %s", x.Name, k)
		}
	}
}

// maxOutputs is the maximum number of outputs that the byte in an _index.ts can distinguish.
const maxOutputs = 255

// resolve resolves the ports of a rule.
func (p *parser) resolve(t *ruleTree) {
	b := &p.out.Blocks[t.block]
	r := &b.Rules[t.rule]
	if n := len(t.sides[1]); n > maxOutputs {
		p.fail(faults.TooManyOutcomes, r.Pos, "split the block into several blocks",
			"the rule has %d ways to end, expected at most %d", n, maxOutputs)
	}
	for side, out := range [...]*Disjunction{&r.Inputs, &r.Outputs} {
		for _, tree := range t.sides[side] {
			var c Conjunction
			for _, m := range tree {
				at, ok := p.find(b, m)
				if !ok {
					continue
				}
				if x := &b.Ports[at]; x.Input != (side == 0) {
					declared, other := "an in_port", "after"
					if !x.Input {
						declared, other = "an out_port", "before"
					}
					p.failRelated(faults.WrongSide, m.pos, x.Pos, "declare a testpoint to the left of -> as in_port, "+
						"and to the right as out_port", "port %s is declared as %s, but is %s the ->",
						x.Name, declared, other)
				}
				c = append(c, Multiple{N: m.n, Port: at, Pos: m.pos})
			}
			*out = append(*out, c)
		}
	}
}

// find returns the index of the port of a multiple in its block; false after an error.
func (p *parser) find(b *Block, m multipleTree) (int, bool) {
	var names []string
	for i := range b.Ports {
		if b.Ports[i].Name == m.port {
			return i, true
		}
		names = append(names, b.Ports[i].Name)
	}
	hint := "declare port " + m.port + " as in_port or out_port, with its event files"
	if near := xlang.Nearest(m.port, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	p.fail(fault.UnknownPort, m.pos, hint, "block %s has no port %s", b.Name, m.port)
	return 0, false
}

// exclusive rejects a port that would trigger or end runs in two ways, because its events could not be assigned to a
// run.
func (p *parser) exclusive(b *Block) {
	used := make(map[int]Multiple)
	in := make(map[int]int) // rule of each port
	for i := range b.Rules {
		for _, d := range [...]Disjunction{b.Rules[i].Inputs, b.Rules[i].Outputs} {
			for _, c := range d {
				for _, m := range c {
					x := &b.Ports[m.Port]
					before, twice := used[m.Port]
					switch {
					case !twice:
						used[m.Port], in[m.Port] = m, i
					case in[m.Port] == i:
						p.failRelated(faults.PortInTwoRules, m.Pos, before.Pos, remedy(x),
							"port %s occurs twice in one rule, so xopt cannot assign its events to runs", x.Name)
					default:
						p.failRelated(faults.PortInTwoRules, m.Pos, before.Pos, remedy(x),
							"port %s occurs in %s and in %s of block %s, so xopt cannot assign its events to runs",
							x.Name, RuleName(in[m.Port]), RuleName(i), b.Name)
					}
				}
			}
		}
	}
}

// remedy suggests a testpoint instead of a port that a rule would use twice.
func remedy(x *Port) string {
	kernel := kernelOf(x.Name)
	if x.Input {
		return fmt.Sprintf("let the kernel pass a testpoint at its start, and use it as the trigger: rule %s.src "+
			"-> …", kernel)
	}
	return fmt.Sprintf("let the kernel pass a testpoint at its end, and end the rule with it: rule … -> "+
		"%s.done", kernel)
}

// kernelOf returns the part of a port's name before the last dot.
func kernelOf(port string) string {
	for i := len(port) - 1; i > 0; i-- {
		if port[i] == '.' {
			return port[:i]
		}
	}
	return port
}

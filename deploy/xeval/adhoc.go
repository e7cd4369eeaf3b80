package xeval

import (
	"fmt"
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/deploy/trace"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// Rules returns a file with one block of rules, which are given as text, such as "gen1.src -> store.sink". The rules
// name ports of a trace by their full names, or by suffixes of these names. The left side may also name an output port,
// for the send of its elements. The right side may name an input port, for their consumption. The error is
// xlang.Diagnostics.
func Rules(block string, rules []string, h *trace.Header) (*File, error) {
	p := &parser{out: File{Name: "the rules of --rule", Blocks: []Block{{Name: block}}}}
	for i, text := range rules {
		p.lexer = lexer{file: fmt.Sprintf("rule %d", i+1), text: text, line: 1, column: 1}
		p.out.Name = p.file
		p.advance()
		before := len(p.rules)
		p.ruleFrom(p.now.pos)
		if len(p.rules) > before && p.now.kind != endOfInput {
			p.unexpected("the end of the rule, 'and' or 'or'")
		}
	}
	for i := range p.rules {
		p.declare(&p.rules[i], h)
	}
	return p.checked()
}

// declare declares each port of a rule once, as an input or output according to its side of the rule.
func (p *parser) declare(t *ruleTree, h *trace.Header) {
	b := &p.out.Blocks[t.block]
	for side := range t.sides {
		for _, c := range t.sides[side] {
			for i := range c {
				m := &c[i]
				x, err := portIn(h, m.port, side == 0)
				if err != nil {
					p.fail(fault.Syntax, m.pos, "", "%v", err)
					continue
				}
				x.Pos = m.pos
				if !slices.ContainsFunc(b.Ports, func(y Port) bool { return y.Name == x.Name }) {
					b.Ports = append(b.Ports, *x)
				}
				m.port = x.Name
			}
		}
	}
}

// portIn finds a port or testpoint in a trace.
func portIn(h *trace.Header, name string, input bool) (*Port, error) {
	order := [...]trace.Kind{trace.In, trace.Point, trace.Out}
	if !input {
		order = [...]trace.Kind{trace.Out, trace.Point, trace.In}
	}
	var found []trace.Port
	var names []string
	at := len(order)
	for i := range h.Series {
		s := &h.Series[i]
		for rank, k := range order {
			p := s.Port(k)
			if !s.Has(k) || p == (trace.Port{}) {
				continue
			}
			names = append(names, p.String())
			full, suffix := plain(p.String()), plain(name)
			if full != suffix && !strings.HasSuffix(full, "_"+suffix) || rank > at {
				continue
			}
			if rank < at {
				found, at = nil, rank
			}
			if !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, p := range found { // an exact name takes precedence over a suffix
		if plain(p.String()) == plain(name) {
			found = []trace.Port{p}
		}
	}
	switch {
	case len(found) > 1:
		return nil, faults.AmbiguousName.Errorf("%s is ambiguous (%s or %s): write more of the name", name, found[0],
			found[1])
	case len(found) == 0:
		return nil, faults.NotInTrace.Errorf("the trace has no port or testpoint %s (%s)", name, nearNames(name, names))
	}
	p, k := found[0], order[at]
	x := &Port{Name: name, Input: input}
	switch {
	case !input:
		x.Events = []Event{{File: trace.FileName(p, k), Kind: Out}}
	case k == trace.In:
		x.Events = []Event{{File: trace.FileName(p, trace.Available), Kind: Available}, {File: trace.FileName(p, k),
			Kind: In}}
	default:
		x.Events = []Event{{File: trace.FileName(p, k), Kind: Available}, {File: trace.FileName(p, k), Kind: In}}
	}
	return x, nil
}

// nearNames returns a hint with the existing names nearest to an unknown name.
func nearNames(name string, names []string) string {
	candidates := slices.Clone(names)
	for _, full := range names { // compare without the name of the application
		if _, short, ok := strings.Cut(full, "."); ok && strings.Contains(short, ".") {
			candidates = append(candidates, short)
		}
	}
	if n := xlang.Nearest(name, candidates); n != "" {
		return "did you mean " + n + "?"
	}
	return "available: " + units.Some(names, maxNames)
}

// plain returns a name in the form used in file names, the only form in a folder of files.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(".[]", r) {
			return '_'
		}
		return r
	}, name)
}

// maxNames is the maximum number of ports that an error lists.
const maxNames = 8

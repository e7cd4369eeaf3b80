package xeval

import (
	"fmt"
	"strconv"
	"strings"

	"xopt/deploy/faults"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// maxBytes is the maximum size of a semantics file in bytes. maxMultiple is the maximum number before a port.
const (
	maxBytes    = 1 << 20
	maxMultiple = 1 << 20
)

// Parse reads a semantics file; name is the origin of the text. Its grammar is the grammar of the listings of Gayen
// 2008 (Figs. 4.15, 4.17, 5.3):
//
//	file = { "block" NAME { port | rule } }
//	port = "port" P ( "in_port" | "out_port" ) { "event" FILE ( "avl_event" | "in_event" | "out_event" ) [ "*" ] }
//	rule = "rule" disj "->" disj
//	disj = conj { "or" conj }
//	conj = mult { "and" mult } | "(" conj ")"
//	mult = [ INT ] P
//
// Ports of a block may be declared after the rules that use them. The error is xlang.Diagnostics, with every mistake.
// If rules are ambiguous, the error also names the testpoint that makes them unique (§4.3.4).
func Parse(name, text string) (*File, error) {
	p := &parser{lexer: lexer{file: name, text: text, line: 1, column: 1}, out: File{Name: name}}
	if len(text) > maxBytes {
		p.fail(faults.RulesTooLong, p.at(), "split the file",
			"the semantics file has %d bytes, expected at most %d bytes", len(text), maxBytes)
		return nil, p.faults
	}
	p.advance()
	for p.now.kind != endOfInput && len(p.faults) < xlang.MaxDiagnostics {
		p.block()
	}
	if len(p.out.Blocks) == 0 && len(p.faults) == 0 {
		p.fail(faults.NoBlock, p.now.pos, "start the file with: block top", "the file has no block")
	}
	return p.checked()
}

// checked returns the parsed file, or all mistakes in it.
func (p *parser) checked() (*File, error) {
	if len(p.faults) == 0 {
		p.check()
	}
	if len(p.faults) > 0 {
		return nil, p.faults
	}
	return &p.out, nil
}

// parser reads a semantics file.
type parser struct {
	lexer
	now    token
	out    File
	rules  []ruleTree // rules of all blocks, in order
	faults xlang.Diagnostics
}

// ruleTree is a parsed rule, before its ports are resolved.
type ruleTree struct {
	block, rule int
	sides       [2][][]multipleTree
}

type multipleTree struct {
	n    int
	port string
	pos  xlang.Pos
}

func (p *parser) fail(id fault.ID, pos xlang.Pos, hint, format string, args ...any) {
	if len(p.faults) < xlang.MaxDiagnostics {
		p.faults = append(p.faults, xlang.Diagnostic{ID: id, Pos: pos,
			Message: fmt.Sprintf(format, args...), Hint: hint})
	}
}

func (p *parser) advance() { p.now = p.next() }

// is reports whether the next token is the given keyword.
func (p *parser) is(keyword string) bool { return p.now.kind == word && p.now.text == keyword }

// unexpected reports the current token as an error and skips to the next statement.
func (p *parser) unexpected(want string) {
	switch p.now.kind {
	case broken:
		p.fail(fault.Syntax, p.now.pos, "", "%s", p.now.text)
	case endOfInput:
		p.fail(fault.Syntax, p.now.pos, "expected "+want, "the file ends too early")
	default:
		p.fail(fault.Syntax, p.now.pos, "expected "+want, "unexpected '%s'", p.now.text)
	}
	p.resume()
}

// resume continues with the next statement.
func (p *parser) resume() {
	for p.now.kind != endOfInput && !p.is("block") && !p.is("port") && !p.is("rule") {
		p.advance()
	}
}

// name parses a name other than a keyword; false after an error.
func (p *parser) name(what string) (string, bool) {
	if p.now.kind != quote && (p.now.kind != word || isKeyword(p.now.text)) {
		p.unexpected(what)
		return "", false
	}
	s := p.now.text
	p.advance()
	return s, true
}

func (p *parser) block() {
	pos := p.now.pos
	if !p.is("block") {
		p.unexpected("block and its name, as in: block top")
		for p.now.kind != endOfInput && !p.is("block") {
			p.advance()
		}
		return
	}
	p.advance()
	name, ok := p.name("the name of the block, as in: block top")
	if !ok {
		return
	}
	p.out.Blocks = append(p.out.Blocks, Block{Name: name, Pos: pos})
	for {
		switch {
		case p.is("port"):
			p.port()
		case p.is("rule"):
			p.rule()
		case p.is("block") || p.now.kind == endOfInput:
			return
		default:
			p.unexpected("port, rule or block")
		}
		if len(p.faults) >= xlang.MaxDiagnostics {
			return
		}
	}
}

// this returns the current block.
func (p *parser) this() *Block { return &p.out.Blocks[len(p.out.Blocks)-1] }

func (p *parser) port() {
	x := Port{Pos: p.now.pos}
	p.advance()
	var ok bool
	if x.Name, ok = p.name("a port or testpoint, as in: port gen1.src in_port"); !ok {
		return
	}
	switch {
	case p.is("in_port"):
		x.Input = true
	case p.is("out_port"):
	default:
		p.unexpected("in_port or out_port")
		return
	}
	p.advance()
	for p.is("event") {
		if e, ok := p.event(); ok {
			x.Events = append(x.Events, e)
		}
	}
	p.this().Ports = append(p.this().Ports, x)
}

func (p *parser) event() (Event, bool) {
	e := Event{Pos: p.now.pos}
	p.advance()
	var ok bool
	if e.File, ok = p.name("the file of the events, as in: event top_gen1_src_tpt.ts avl_event"); !ok {
		return e, false
	}
	switch {
	case p.is("avl_event"):
		e.Kind = Available
	case p.is("in_event"):
		e.Kind = In
	case p.is("out_event"):
		e.Kind = Out
	default:
		p.unexpected("avl_event, in_event or out_event")
		return e, false
	}
	p.advance()
	if p.now.kind == star {
		e.Shown = true
		p.advance()
	}
	return e, true
}

func (p *parser) rule() {
	pos := p.now.pos
	p.advance()
	p.ruleFrom(pos)
}

// ruleFrom parses a rule after its keyword.
func (p *parser) ruleFrom(pos xlang.Pos) {
	t := ruleTree{block: len(p.out.Blocks) - 1, rule: len(p.this().Rules)}
	if !p.disjunction(&t, 0) {
		return
	}
	if p.now.kind != arrow {
		p.unexpected("->, 'and' or 'or'")
		return
	}
	p.advance()
	if !p.disjunction(&t, 1) {
		return
	}
	p.this().Rules = append(p.this().Rules, Rule{Pos: pos})
	p.rules = append(p.rules, t)
}

func (p *parser) disjunction(t *ruleTree, side int) bool {
	for {
		c, ok := p.conjunction(side)
		if !ok {
			return false
		}
		t.sides[side] = append(t.sides[side], c)
		if !p.is("or") {
			return true
		}
		p.advance()
	}
}

// maxDepth is the maximum nesting depth of brackets in a conjunction.
const maxDepth = 100

// conjunction parses multiples, in brackets or not; false after an error. Brackets may also enclose single multiples.
func (p *parser) conjunction(side int) ([]multipleTree, bool) {
	depth := 0
	for ; p.now.kind == open; depth++ {
		if depth == maxDepth {
			p.unexpected("a port: brackets are nested too deeply")
			return nil, false
		}
		p.advance()
	}
	if p.now.kind == shut || depth == 0 && (p.now.kind == arrow || p.isNext()) {
		p.empty(side)
		return nil, false
	}
	var c []multipleTree
	for {
		m, ok := p.multiple()
		if !ok {
			return nil, false
		}
		c = append(c, m)
		for ; depth > 0 && p.now.kind == shut; depth-- {
			p.advance()
		}
		if !p.is("and") {
			break
		}
		p.advance()
		for ; p.now.kind == open && depth < maxDepth; depth++ {
			p.advance()
		}
	}
	if depth > 0 {
		if p.is("or") {
			p.unexpected("): brackets may contain only multiples and 'and'")
		} else {
			p.unexpected(")")
		}
		return nil, false
	}
	return c, true
}

// isNext reports whether the rule ends before the next token.
func (p *parser) isNext() bool {
	return p.now.kind == endOfInput || p.is("block") || p.is("port") || p.is("rule") || p.is("or")
}

// empty reports an error for a side without events, because nothing would mark the start or the end of a run (§4.3.4).
func (p *parser) empty(side int) {
	what, hint := "trigger", "a source needs a testpoint at its start, declared as an in_port: port gen.src "+
		"in_port, then: rule gen.src -> gen.y0"
	if side == 1 {
		what, hint = "end", "a kernel that drops elements needs a testpoint for each drop, declared as an "+
			"out_port: rule f.x0 -> f.y0 or f.filtered; a sink needs one at its end: s.x0 -> s.done"
	}
	p.fail(faults.EmptyConjunction, p.now.pos, hint, "the conjunction has no ports, so the trace contains no event "+
		"for the %s of a run",
		what)
	p.resume()
}

func (p *parser) multiple() (multipleTree, bool) {
	m := multipleTree{n: 1, pos: p.now.pos}
	const want = "a port or testpoint, as in sum.x0 or 2 sum.x0"
	if p.now.kind == word {
		digits := len(p.now.text) - len(strings.TrimLeft(p.now.text, "0123456789"))
		if digits > 0 {
			n, err := strconv.Atoi(p.now.text[:digits])
			if err != nil || n < 1 || n > maxMultiple {
				p.fail(faults.WrongMultiple, p.now.pos, "correct the number before the port",
					"the multiple is %s, expected 1 to %d", p.now.text[:digits], maxMultiple)
				n = 1
			}
			m.n = n
			if m.port = p.now.text[digits:]; m.port != "" {
				p.advance()
				return m, true
			}
			p.advance()
		}
	}
	var ok bool
	m.port, ok = p.name(want)
	return m, ok
}

// RuleText returns the text of a rule: "2x.a and x.b or x.c -> x.y".
func (b *Block) RuleText(rule int) string {
	r := &b.Rules[rule]
	return b.side(r.Inputs) + " -> " + b.side(r.Outputs)
}

func (b *Block) side(d Disjunction) string {
	var parts []string
	for _, c := range d {
		part := b.conjunction(c)
		if len(c) > 1 && len(d) > 1 {
			part = "(" + part + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " or ")
}

func (b *Block) conjunction(c Conjunction) string {
	var parts []string
	for _, m := range c {
		n := ""
		if m.N != 1 {
			n = strconv.Itoa(m.N) + " "
		}
		parts = append(parts, n+quoted(b.Ports[m.Port].Name))
	}
	return strings.Join(parts, " and ")
}

// quoted puts a name in quotes if it would not be read as one word.
func quoted(name string) string {
	l := lexer{text: name, line: 1, column: 1}
	t := l.next()
	if t.kind == word && t.text == name && !isKeyword(name) && (name[0] < '0' || name[0] > '9') {
		return name
	}
	return `"` + name + `"`
}

// Package timetrial parses the TimeTrial language (Lancaster 2011 §3.4, Fig. 3.4): statements that measure the
// edges of a streaming application, and assertions about them.
//
//	m1: measure rate at e1;
//	m2: measure hist(bins=32) occupancy at Convert.out -> FFT.in;
//	m3: measure mean latency at ReadEvent.out ... Merge.in;
//	m4: measure rate at FFT.in when (occupancy at FFT.in > 0 & !backpressure at FFT.out);
//	a1: assert m1 >= 100 Mtps | util at FFT.in < 0.5;
//
// The language is independent of the X language and of the packages that measure. It checks names and types, and
// determines whether each quantity has one value per frame or one per element. It measures nothing.
//
// If the thesis does not define the meaning, these rules apply:
//
//   - A target is an edge, a port or kernel with one edge there, both ends of an edge or, for latency, a path:
//     A.out ... D.in, with intermediate stations if there are several paths. Rates at a kernel's input count
//     consumed elements, other rates sent elements.
//   - A link, alone or with the resource that sends or receives its packets, is a target of rate, size and latency
//     of packets. The thesis's statements only have edges.
//   - rate, util and backpressure have one value per frame. A statistic of them is an error (Table 4.1).
//   - occupancy, latency and value have one value per element. With a statistic, in an expression, they have one value
//     per frame. Without a statistic, the expression is evaluated for each sampled element. backpressure alone,
//     without a comparison, is true while the writer waits.
//   - ! binds before &, and & before |. They may be written not, and, or.
//   - A number without a unit is in seconds, in elements/s, or dimensionless.
package timetrial

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"xopt/deploy/faults"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// maxBytes is the maximum size of a text of statements.
const maxBytes = 1 << 20

// maxDepth is the maximum nesting depth of parentheses and negations.
const maxDepth = 200

// Parse parses statements and resolves their targets in a program. name identifies the text in errors. The error has
// the type xlang.Diagnostics, and contains all errors found.
func Parse(name, text string, program *xlang.Program) (*Query, error) {
	r, err := newReader()
	if err != nil {
		return nil, fmt.Errorf("cannot build the TimeTrial parser: %w", err)
	}
	c := &checker{file: name, program: program, labels: make(map[string]*Measurement), asserts: make(map[string]bool)}
	if len(text) > maxBytes {
		c.fail(faults.QueryTooLong, lexer.Position{Line: 1, Column: 1}, "measure in several runs",
			"the statements have %d bytes, expected at most %d", len(text), maxBytes)
		return nil, c.faults
	}
	trees, sources := r.statements(c, text)
	for i, t := range trees {
		c.statement(t, sources[i])
	}
	if len(trees) == 0 && len(c.faults) == 0 {
		c.fail(faults.NoStatement, lexer.Position{Line: 1, Column: 1}, "write a statement, such as measure rate at e1",
			"the text contains no statement")
	}
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	c.query.Measurements = append(c.query.Measurements, c.unlabelled...)
	c.query.Unlabelled = len(c.unlabelled)
	return &c.query, nil
}

// statements splits a text into statements and parses each separately, so that one error hides no other.
func (r *reader) statements(c *checker, text string) ([]*statementTree, []string) {
	tokens, err := r.tokens.LexString(c.file, text)
	var all []lexer.Token
	if err == nil {
		all, err = lexer.ConsumeAll(tokens)
	}
	if err != nil {
		c.fail(fault.Syntax, lexer.Position{Line: 1, Column: 1}, "", "%v", err)
		return nil, nil
	}
	space := r.tokens.Symbols()["Space"]
	var words []lexer.Token
	for _, t := range all {
		if t.Type != space && !t.EOF() {
			words = append(words, t)
		}
	}
	var trees []*statementTree
	var sources []string
	for len(words) > 0 {
		if words[0].Value == ";" {
			words = words[1:]
			continue
		}
		n := statementLength(words)
		from, last := words[0].Pos.Offset, words[n-1]
		source := text[from : last.Pos.Offset+len(last.Value)]
		if tree := r.statement(c, words[:n], source); tree != nil {
			trees = append(trees, tree)
			sources = append(sources, source)
		}
		words = words[n:]
	}
	return trees, sources
}

// statementLength returns the index of the next statement or semicolon.
func statementLength(words []lexer.Token) int {
	begins := func(i int) bool {
		return i < len(words) && (words[i].Value == "measure" || words[i].Value == "assert")
	}
	head := 0 // the keyword of this statement
	if !begins(0) && len(words) > 1 && words[1].Value == ":" && begins(2) {
		head = 2
	}
	for n := head + 1; n < len(words); n++ {
		if words[n].Value == ";" || begins(n) || n+1 < len(words) && words[n+1].Value == ":" && begins(n+2) {
			return n
		}
	}
	return len(words)
}

// statement parses one statement. It shifts the positions in the tree to the positions in the complete text.
func (r *reader) statement(c *checker, words []lexer.Token, source string) *statementTree {
	depth, deepest := 0, 0
	for _, w := range words {
		switch w.Value {
		case "(", "!", "not":
			depth++
		case ")":
			depth--
		}
		deepest = max(deepest, depth)
	}
	if deepest > maxDepth {
		c.fail(fault.NestedTooDeep, words[0].Pos, "split the condition",
			"parentheses and negations are nested deeper than %d levels", maxDepth)
		return nil
	}
	tree, err := r.parser.ParseString(c.file, source)
	if err == nil {
		shift(tree, words[0].Pos)
		return tree
	}
	var unexpected participle.Error
	if !errors.As(err, &unexpected) {
		c.fail(fault.Syntax, words[0].Pos, "", "%v", err)
		return nil
	}
	at, near := words[0].Pos, ""
	for _, w := range words {
		if w.Pos.Offset-words[0].Pos.Offset == unexpected.Position().Offset {
			at, near = w.Pos, w.Value
		}
	}
	message, hint := "the statement ends too early", expectation(words, len(words))
	if near != "" {
		message = fmt.Sprintf("unexpected '%s'", near)
		for i, w := range words {
			if w.Pos.Offset == at.Offset {
				hint = expectation(words, i)
			}
		}
	} else {
		last := words[len(words)-1]
		at = last.Pos
		at.Column += len([]rune(last.Value))
	}
	c.fail(fault.Syntax, at, hint, "%s", message)
	return nil
}

// expectation returns a hint with the words that may follow the previous word.
func expectation(words []lexer.Token, i int) string {
	before := ""
	if i > 0 {
		before = words[i-1].Value
	}
	types := []string{"rate", "util", "occupancy", "latency", "backpressure", "value", "states", "size"}
	if i < len(words) && (words[i].Value == "at" || words[i].Value == "of") && !isKeyword(before) {
		hint := "expected one of " + strings.Join(types, ", ") + " before " + words[i].Value
		if n := xlang.Nearest(before, types); n != "" {
			hint = "did you mean " + n + " before " + words[i].Value + "?"
		}
		return hint
	}
	switch before {
	case "", ":":
		return "expected measure or assert, such as: measure rate at e1, or: assert m1 >= 100 Mtps"
	case "measure", "min", "max", "mean", "sum", "hist", "trace":
		hint := "expected one of " + strings.Join(types, ", ") + ", or the label of a measurement"
		if i < len(words) {
			if n := xlang.Nearest(words[i].Value, append(types, "min", "max", "mean", "sum", "hist",
				"trace")); n != "" {
				return "did you mean " + n + "?"
			}
		}
		return hint
	case "states":
		return "expected at KERNEL"
	case "after":
		return "expected KERNEL:SIGNAL (a signal of a kernel on an FPGA) or KERNEL:(A & B)"
	case "size":
		return "expected at LINK, at LINK -> RESOURCE or at RESOURCE -> LINK"
	case "rate", "util", "occupancy", "latency", "backpressure", "value":
		return "expected at EDGE, at PORT or at A.out -> B.in"
	case "at", "of", "->", "...", "=>", "=<":
		return "expected an edge, a port, or A.out -> B.in"
	case "<", ">", "<=", ">=", "==", "!=":
		return "expected a number or a measurement"
	case "&", "|", "!", "and", "or", "not", "when", "assert", "(", "&&", "||":
		return "expected a condition, such as occupancy at e1 > 0"
	}
	return "statements are: [label:] measure [statistic] type at target [when condition] " +
		"[after signal]; [label:] assert condition"
}

// shift converts positions in a tree from the statement's text to the complete text.
func shift(t *statementTree, from lexer.Position) {
	move := func(p *lexer.Position) {
		if p.Line == 1 {
			p.Column += from.Column - 1
		}
		p.Line += from.Line - 1
		p.Offset += from.Offset
	}
	move(&t.Pos)
	if t.Measure != nil {
		move(&t.Measure.Pos)
		t.Measure.What.shift(move)
		t.Measure.When.shift(move)
		t.Measure.WhenAt.shift(move)
		t.Measure.After.shift(move)
	}
	t.Assert.shift(move)
}

func (q *quantityTree) shift(move func(*lexer.Position)) {
	if q == nil {
		return
	}
	move(&q.Pos)
	if q.Stat != nil {
		move(&q.Stat.Pos)
		for i := range q.Stat.Params {
			move(&q.Stat.Params[i].Pos)
			move(&q.Stat.Params[i].Value.Pos)
		}
	}
	if t := q.Target; t != nil {
		move(&t.Pos)
		move(&t.At.Pos)
		if t.To != nil {
			move(&t.To.Pos)
		}
		t.Signal.shift(move)
		for i := range t.Via {
			move(&t.Via[i].Pos)
		}
	}
}

func (s *signalAtTree) shift(move func(*lexer.Position)) {
	if s == nil {
		return
	}
	move(&s.Pos)
	move(&s.At.Pos)
	s.Signal.shift(move)
}

func (s *signalTree) shift(move func(*lexer.Position)) {
	if s == nil {
		return
	}
	move(&s.Pos)
	if s.Name != nil {
		move(&s.Name.Pos)
	}
	shiftItems(s.Group, move)
}

func shiftItems(list []signalItemTree, move func(*lexer.Position)) {
	for i := range list {
		move(&list[i].Pos)
		if list[i].Name != nil {
			move(&list[i].Name.Pos)
		}
		shiftItems(list[i].Group, move)
	}
}

func (o *orTree) shift(move func(*lexer.Position)) {
	if o == nil {
		return
	}
	move(&o.Pos)
	for i := range o.Terms {
		for j := range o.Terms[i].Factors {
			o.Terms[i].Factors[j].shift(move)
		}
	}
}

func (n *notTree) shift(move func(*lexer.Position)) {
	if n == nil {
		return
	}
	move(&n.Pos)
	n.Not.shift(move)
	n.Group.shift(move)
	if c := n.Conditional; c != nil {
		move(&c.Pos)
		c.Left.shift(move)
		c.Right.shift(move)
	}
}

func (o *operandTree) shift(move func(*lexer.Position)) {
	if o == nil {
		return
	}
	move(&o.Pos)
	o.Quantity.shift(move)
	if o.Number != nil {
		move(&o.Number.Pos)
	}
}

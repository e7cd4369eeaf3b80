package timetrial

import (
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"xopt/deploy/faults"
	"xopt/hdl/signals"
	"xopt/internal/fault"
)

// signalTarget parses signals of a kernel on an FPGA; false after an error. Their existence is checked when xopt reads
// the hardware.
func (c *checker) signalTarget(m *Measurement, q *quantityTree) bool {
	at := &q.Target.At
	if m.Type != Util && m.Type != Value {
		c.fail(faults.NotOfSignals, q.Target.Pos, "expected util, or value with mean, min, max, sum, hist or trace",
			"signals have no %s", m.Type)
		return false
	}
	if q.Stat != nil && (m.Params.Every > 0 || m.Params.Frame > 0) {
		c.fail(faults.SignalsWithFrames, q.Stat.Pos, "omit every and frame (--frame 10ms sets time frames)",
			"every and frame do not apply to signals, which xopt samples in every cycle")
		return false
	}
	s := c.signal(at, q.Target.Signal)
	if s == nil {
		return false
	}
	m.Target.Text, m.Target.Kernel = s.Text, s.Kernel
	m.Target.Probe = &signals.Probe{Value: *s, Used: m.Type == Util}
	return true
}

// gates parses the condition that selects the cycles in which signals are measured; false after an error. m is nil
// after an earlier error.
func (c *checker) gates(m *Measurement, t *measureTree) bool {
	if m != nil && m.Target.Probe != nil && t.When != nil {
		c.fail(faults.ConditionOfSignals, t.Pos, "write a condition on signals, such as when KERNEL:(SIGNAL == 2)",
			"%s measures signals, but its condition is not on signals", m.Target.Text)
		return false
	}
	ok := true
	var list [2]*signals.Signal
	for i, x := range []*signalAtTree{t.WhenAt, t.After} {
		if x == nil {
			continue
		}
		list[i] = c.signal(&x.At, &x.Signal)
		if ok = ok && list[i] != nil; list[i] != nil && m != nil && m.Target.Probe == nil {
			c.fail(faults.ConditionOfSignals, x.Pos, "measure a signal (KERNEL:SIGNAL), or omit the condition",
				"%s measures no signals, but its condition is on signals", m.Target.Text)
			ok = false
		}
	}
	if ok && m != nil && m.Target.Probe != nil && (list[0] != nil || list[1] != nil) {
		probe := *m.Target.Probe
		probe.When, probe.After = list[0], list[1]
		m.Target.Probe = &probe
	}
	return ok
}

// signal parses an expression of a kernel's signals; nil after an error.
func (c *checker) signal(at *pathTree, t *signalTree) *signals.Signal {
	var m Measurement
	if !c.kernelTarget(&m, &targetTree{Pos: at.Pos, At: *at}) {
		return nil
	}
	s := &signals.Signal{Kernel: m.Target.Kernel}
	if t.Name != nil {
		s.Expr = c.signalName(t.Name)
		s.Text = at.name() + ":" + t.Name.text()
	} else {
		p := signalParser{c, t.Group, 0, t.Pos}
		s.Expr = p.all()
		s.Text = at.name() + ":(" + itemsText(t.Group) + ")"
	}
	if s.Expr == nil {
		return nil
	}
	return s
}

func (t *signalNameTree) text() string {
	name := strings.Join(t.Parts, "")
	if t.High != "" {
		name += "[" + t.High + ":" + t.Low + "]"
	}
	return name
}

func itemsText(list []signalItemTree) string {
	var words []string
	for i, x := range list {
		word := x.Number + x.Op + x.Relation
		switch {
		case x.Name != nil:
			word = x.Name.text()
		case x.Group != nil:
			word = "(" + itemsText(x.Group) + ")"
		}
		if i > 0 && list[i-1].Op == "!" {
			words[len(words)-1] += word
			continue
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// signalName parses the name of a signal with optional bits.
func (c *checker) signalName(t *signalNameTree) *signals.Expr {
	e := &signals.Expr{Op: signals.Name, Path: strings.Join(t.Parts, ""), Pos: c.pos(t.Pos)}
	if t.High == "" {
		return e
	}
	high, err1 := strconv.Atoi(t.High)
	low, err2 := strconv.Atoi(t.Low)
	if err1 != nil || err2 != nil || high < low {
		c.fail(faults.NoSuchBits, t.Pos, "write the higher bit first, such as x[7:4]", "invalid bits %s:%s of %s",
			t.High, t.Low, e.Path)
		return nil
	}
	e.Part, e.High, e.Low = true, high, low
	return e
}

// signalParser groups a list of operands and operators by precedence.
type signalParser struct {
	checker *checker
	list    []signalItemTree
	at      int
	start   lexer.Position
}

// all parses the entire list; nil after an error.
func (p *signalParser) all() *signals.Expr {
	e := p.binary(0)
	if e != nil && p.at < len(p.list) {
		p.checker.fail(fault.Syntax, p.list[p.at].Pos, "expected an operator: & | ^ + && || == != < <= > >=",
			"an operator is missing before %s", itemsText(p.list[p.at:p.at+1]))
		return nil
	}
	return e
}

// peek returns the next operator; "" for none.
func (p *signalParser) peek() signals.Op {
	if p.at >= len(p.list) {
		return ""
	}
	item := &p.list[p.at]
	word := item.Op + item.Relation
	if n := item.Name; n != nil && n.High == "" && (n.text() == "and" || n.text() == "or" || n.text() == "not") {
		word = n.text()
	}
	switch word {
	case "and":
		return signals.And
	case "or":
		return signals.Or
	case "not":
		return signals.Not
	}
	return signals.Op(word)
}

// binary parses operators of at least the given precedence.
func (p *signalParser) binary(level int) *signals.Expr {
	levels := signals.Operators()
	if level == len(levels) {
		return p.unary()
	}
	left := p.binary(level + 1)
	for left != nil {
		op := p.peek()
		if op == "" || !slices.Contains(levels[level], op) {
			return left
		}
		p.at++
		right := p.binary(level + 1)
		if right == nil {
			return nil
		}
		left = &signals.Expr{Op: op, Args: []*signals.Expr{left, right}, Pos: left.Pos}
	}
	return nil
}

func (p *signalParser) unary() *signals.Expr {
	const want = "expected a signal, a number or ("
	if p.at >= len(p.list) {
		at := p.start
		if len(p.list) > 0 {
			at = p.list[len(p.list)-1].Pos
		}
		p.checker.fail(fault.Syntax, at, want, "the combination of signals ends too early")
		return nil
	}
	item := &p.list[p.at]
	op := p.peek()
	p.at++
	switch {
	case op == signals.Not:
		if e := p.unary(); e != nil {
			return &signals.Expr{Op: signals.Not, Args: []*signals.Expr{e}, Pos: p.checker.pos(item.Pos)}
		}
		return nil
	case op != "":
		p.checker.fail(fault.Syntax, item.Pos, want, "unexpected '%s'", op)
		return nil
	case item.Group != nil:
		return (&signalParser{p.checker, item.Group, 0, item.Pos}).all()
	case item.Name != nil:
		return p.checker.signalName(item.Name)
	}
	v, err := strconv.ParseUint(item.Number, 0, 64)
	if err != nil {
		p.checker.fail(faults.WrongNumber, item.Pos, "write a number below 2^64, such as 12 or 0x3f",
			"%s is not a whole number of 64 bits", item.Number)
		return nil
	}
	return &signals.Expr{Op: signals.Number, Value: v, Pos: p.checker.pos(item.Pos)}
}

// statisticWord returns the statistic as written; "" for none.
func (m *Measurement) statisticWord(q *quantityTree) string {
	if q.Stat == nil {
		return ""
	}
	return q.Stat.Name
}

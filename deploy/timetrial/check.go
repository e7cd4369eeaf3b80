package timetrial

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"xopt/deploy/faults"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// checker translates syntax trees to a query.
type checker struct {
	file       string
	program    *xlang.Program
	query      Query
	labels     map[string]*Measurement
	asserts    map[string]bool
	unlabelled []*Measurement
	faults     xlang.Diagnostics
}

func (c *checker) pos(p lexer.Position) xlang.Pos {
	return xlang.Pos{File: c.file, Line: p.Line, Column: p.Column}
}

func (c *checker) fail(id fault.ID, at lexer.Position, hint, format string, args ...any) {
	c.faults = append(c.faults, xlang.Diagnostic{ID: id, Pos: c.pos(at),
		Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (c *checker) statement(t *statementTree, source string) {
	label := t.Label
	switch {
	case isKeyword(label):
		c.fail(faults.ReservedWord, t.Pos, "choose another label", "%s is a reserved word", label)
	case label != "" && (c.labels[label] != nil || c.asserts[label]):
		c.fail(faults.LabelTwice, t.Pos, "give each statement its own label", "label %s is used twice", label)
	}
	if t.Assert != nil {
		a := &Assertion{Label: label, Text: source, Pos: c.pos(t.Pos)}
		if a.Condition = c.or(t.Assert); a.Condition != nil {
			c.query.Assertions = append(c.query.Assertions, a)
		}
		c.asserts[label] = label != ""
		return
	}
	m := c.quantity(&t.Measure.What)
	var when *Expr
	if t.Measure.When != nil {
		when = c.or(t.Measure.When)
	}
	gates := c.gates(m, t.Measure)
	if m == nil || !gates {
		c.labels[label] = &Measurement{} // define the label, so that its uses cause no further errors
		return
	}
	m.Label, m.Text, m.Pos = label, source, c.pos(t.Pos)
	if m.When != nil && when != nil {
		when = &Expr{Op: And, Args: []*Expr{m.When, when}}
	}
	if when != nil {
		m.When = when
	}
	if m.Type == States && m.When != nil {
		c.fail(faults.StatesWithCondition, t.Pos, "omit the condition (frames show changes over time)",
			"states do not support a condition: xopt counts them in every cycle")
	}
	if label != "" {
		c.labels[label] = m
	}
	c.query.Measurements = append(c.query.Measurements, m)
}

// quantity returns a measurement without its own statement; nil after an error.
func (c *checker) quantity(q *quantityTree) *Measurement {
	if q.Label != "" {
		m := c.labels[q.Label]
		switch {
		case c.asserts[q.Label]:
			c.fail(faults.LabelOfAssertion, q.Pos, "name a measure statement", "%s is an assertion", q.Label)
			return nil
		case m == nil:
			existing := make([]string, 0, len(c.labels))
			for l := range c.labels {
				existing = append(existing, l)
			}
			hint := "a label must be defined before it is used"
			if n := xlang.Nearest(q.Label, existing); n != "" {
				hint = "did you mean " + n + "?"
			}
			c.fail(faults.UnknownLabel, q.Pos, hint, "unknown label %s", q.Label)
			return nil
		case m.Text == "":
			return nil // that statement has an error
		}
		again := *m
		return &again
	}
	m := &Measurement{Pos: c.pos(q.Pos)}
	if q.kind() == "" { // a signal has no measure type
		m.Type = Value
	}
	for _, t := range Types() {
		if t.String() == q.kind() {
			m.Type = t
		}
	}
	ok := true
	if q.Stat != nil {
		for s := Trace; s <= Hist; s++ {
			if s.String() == q.Stat.Name {
				m.Statistic = s
			}
		}
		if m.Type.PerFrame() && m.Statistic != Trace {
			c.fail(faults.StatisticOfFrame, q.Stat.Pos, fmt.Sprintf("write %s without %s (frames show changes "+
				"over time)", m.Type, m.Statistic), "%s has one value per frame, so its %s is undefined (Lancaster "+
				"2011, Table 4.1)", m.Type, m.Statistic)
			ok = false
		}
		ok = c.params(m, q.Stat) && ok
	}
	switch {
	case q.Target.Signal != nil:
		ok = c.signalTarget(m, q) && ok
	case q.kind() == "":
		c.fail(faults.NothingToMeasure, q.Target.Pos, "write rate, occupancy, latency or value before at "+
			"(only signals of kernels on FPGAs, KERNEL:SIGNAL, need no type)",
			"the type of measurement at %s is missing", q.Target.At.name())
		ok = false
	case m.Type == States:
		ok = c.kernelTarget(m, q.Target) && ok
	default:
		ok = c.target(m, q.Target) && ok
	}
	if !ok {
		return nil
	}
	var s strings.Builder
	for _, word := range []string{m.statisticWord(q), q.kind()} {
		if word != "" {
			s.WriteString(word + " ")
		}
	}
	fmt.Fprintf(&s, "at %s", m.Target.Text)
	m.Text = s.String()
	return m
}

// grouped formats an integer with groups of three digits.
func grouped(n float64) string {
	s := strconv.FormatFloat(n, 'f', 0, 64)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// params parses the parameters of a statistic; false after an error.
func (c *checker) params(m *Measurement, t *statisticTree) bool {
	ok := true
	wrong := func(id fault.ID, p paramTree, hint, format string, args ...any) {
		c.fail(id, p.Pos, hint, format, args...)
		ok = false
	}
	for _, p := range t.Params {
		name := p.Name
		if name == "" { // the only parameter without a name
			name = map[Statistic]string{Hist: "bins", Trace: "entries"}[m.Statistic]
		}
		v, unit, good := c.number(&p.Value)
		if !good {
			ok = false
			continue
		}
		complete := func(limit float64) float64 {
			if unit != "" || v != math.Trunc(v) || v < 1 || v > limit {
				wrong(faults.WrongParameter, p, "write a whole number, such as "+name+"=100",
					"%s of %s is %g%s, expected a whole number from 1 to %s", name, t.Name, v, unit, grouped(limit))
				return 1
			}
			return v
		}
		quantity := func() float64 {
			if want := dimension(m.Type); unit != "" && unit != want {
				wrong(faults.WrongParameter, p, validUnits(want), "%s has the unit %s, but %s is %s", name, unit,
					m.Type, inUnit(want))
			} else if unit == "" && want != "" && v != 0 {
				wrong(faults.WrongParameter, p, "write "+inUnits(fmt.Sprint(v), want), "%s is %g, without a unit",
					name, v)
			}
			return v
		}
		switch {
		case name == "bins" && m.Statistic == Hist:
			m.Params.Bins = int(complete(1 << 16))
		case name == "low" && m.Statistic == Hist:
			m.Params.Low = quantity()
		case name == "width" && m.Statistic == Hist:
			if m.Params.Width = quantity(); !(m.Params.Width > 0) {
				wrong(faults.WrongParameter, p, "write a positive width", "width is %g, expected more than 0", v)
			}
		case name == "entries" && m.Statistic == Trace:
			m.Params.Entries = int(complete(1 << 24))
		case name == "every":
			m.Params.Every = uint64(complete(1 << 40))
		case name == "frame":
			if unit == "s" {
				wrong(faults.FrameWithTime, p, "set time frames for all measurements with --frame 10ms",
					"frame has a unit of time, expected a number of elements")
				continue
			}
			m.Params.Frame = uint64(complete(1 << 40))
		default:
			existing := map[Statistic]string{Hist: "bins, low, width, every, frame",
				Trace: "entries, every, frame"}[m.Statistic]
			if existing == "" {
				existing = "every, frame"
			}
			wrong(faults.WrongParameter, p, "expected one of: "+existing, "%s has no parameter %s", t.Name, p.Name)
		}
	}
	if ok && m.Params.Width > 0 && m.Params.Bins == 0 {
		c.fail(faults.WidthWithoutBins, t.Pos, "add bins, such as hist(bins=32, width=4)",
			"hist has a width but no bins")
		return false
	}
	return ok
}

// dimension returns the SI unit of numbers compared with a type.
func dimension(t Type) string {
	return map[Type]string{Rate: "tps", Latency: "s", Size: "B"}[t]
}

func inUnit(u string) string {
	return map[string]string{"": "a plain number", "s": "in seconds", "tps": "in transfers per second",
		"B/s": "in bytes per second", "B": "in bytes"}[u]
}

// measuredUnit describes the unit of a type for error messages.
func measuredUnit(t Type) string {
	if t == Occupancy {
		return "in elements"
	}
	return inUnit(dimension(t))
}

// inUnits lists a number with each unit that is valid for the comparison.
func inUnits(number, dimension string) string {
	if dimension == "s" {
		return number + " us, " + number + " ms or " + number + " s"
	}
	if dimension == "B" {
		return number + " B or " + number + " KiB"
	}
	return number + " tps, " + number + " ktps or " + number + " MB/s"
}

// validUnits returns a hint with valid units of numbers in a dimension.
func validUnits(dimension string) string {
	return map[string]string{"": "omit the unit", "s": "use the unit us, ms or s",
		"tps": "use the unit tps, ktps or MB/s", "B": "use the unit B or KiB"}[dimension]
}

// number parses a number; ok is false after an error. It returns the value in its SI unit, which is "", "s", "tps", "B"
// or "B/s".
func (c *checker) number(t *numberTree) (v float64, unit string, ok bool) {
	v, err := strconv.ParseFloat(t.Value, 64)
	if err != nil {
		c.fail(faults.WrongNumber, t.Pos, "write a number of at most 1.79e308", "%s is too large a number", t.Value)
		return 0, "", false
	}
	if t.Minus {
		v = -v
	}
	written := strings.Join(t.Unit, "")
	prefixes := map[string]float64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
	switch {
	case written == "":
		return v, "", true
	case written == "%":
		return v / 100, "", true
	case strings.HasSuffix(written, "tps"):
		if f := prefixes[strings.TrimSuffix(written, "tps")]; f > 0 {
			return v * f, "tps", true
		}
	case strings.HasSuffix(written, "B/s"):
		if f := prefixes[strings.TrimSuffix(written, "B/s")]; f > 0 {
			return v * f, "B/s", true
		}
	case strings.HasSuffix(written, "B"):
		sizes := map[string]float64{"B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "KiB": 1 << 10, "MiB": 1 << 20}
		if f := sizes[written]; f > 0 {
			return v * f, "B", true
		}
	case strings.HasSuffix(written, "s"):
		if f, isKnown := map[string]float64{"s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6,
			"ns": 1e-9}[written]; isKnown {
			return v * f, "s", true
		}
	}
	hint := "expected one of: s, ms, us, ns, tps, ktps, Mtps, Gtps, B/s, kB/s, MB/s, GB/s, B, KiB, MiB, %"
	if n := xlang.Nearest(written, []string{"ms", "us", "ns", "tps", "ktps", "Mtps", "Gtps", "kB/s", "MB/s",
		"GB/s"}); n != "" {
		hint = "did you mean " + n + "?"
	}
	c.fail(faults.UnknownUnit, t.Pos, hint, "%s is not a unit", written)
	return 0, "", false
}

func (c *checker) or(t *orTree) *Expr {
	return c.combine(Or, len(t.Terms), func(i int) *Expr {
		and := t.Terms[i]
		return c.combine(And, len(and.Factors), func(j int) *Expr { return c.not(&and.Factors[j]) })
	})
}

// combine applies an operator to n parts; nil if one of them has an error.
func (c *checker) combine(op Op, n int, part func(int) *Expr) *Expr {
	e := &Expr{Op: op}
	bad := false
	for i := range n {
		p := part(i)
		bad = bad || p == nil
		e.Args = append(e.Args, p)
	}
	switch {
	case bad:
		return nil
	case n == 1:
		return e.Args[0]
	}
	return e
}

func (c *checker) not(t *notTree) *Expr {
	switch {
	case t.Not != nil:
		if e := c.not(t.Not); e != nil {
			return &Expr{Op: Not, Args: []*Expr{e}}
		}
		return nil
	case t.Group != nil:
		return c.or(t.Group)
	}
	return c.conditional(t.Conditional)
}

// side is an operand with its unit, if known.
type side struct {
	Operand
	unit string // unit of a number
	text string
}

func (c *checker) side(t *operandTree) (side, bool) {
	if t.Number != nil {
		v, unit, ok := c.number(t.Number)
		text := t.Number.Value
		if t.Number.Minus {
			text = "-" + text
		}
		if u := strings.Join(t.Number.Unit, ""); u != "" {
			text += " " + u
		}
		return side{Operand{Number: v}, unit, text}, ok
	}
	m := c.quantity(t.Quantity)
	if m == nil {
		return side{}, false
	}
	text := m.Text
	if l := t.Quantity.Label; l != "" {
		text = l
		m = c.labels[l] // the labeled measurement itself, not a copy
	}
	return side{Operand: Operand{Measurement: m}, text: text}, true
}

func (c *checker) conditional(t *conditionalTree) *Expr {
	left, ok := c.side(&t.Left)
	if t.Right == nil {
		if !ok {
			return nil
		}
		return c.bare(t, left)
	}
	right, rok := c.side(t.Right)
	if !ok || !rok {
		return nil
	}
	if left.Measurement == nil && right.Measurement == nil {
		c.fail(faults.ComparesNumbers, t.Pos, "compare a measurement with a number", "%s %s %s compares two numbers",
			left.text, t.Relation, right.text)
		return nil
	}
	if !c.agree(t, &left, &right) || !c.agree(t, &right, &left) {
		return nil
	}
	e := &Expr{Left: left.Operand, Right: right.Operand}
	c.keep(left, right)
	switch t.Relation {
	case ">", ">=":
		e.Left, e.Right = e.Right, e.Left
	}
	e.Op = map[string]Op{"<": Less, ">": Less, "<=": LessEqual, ">=": LessEqual, "==": Equal, "!=": Equal}[t.Relation]
	if t.Relation == "!=" {
		return &Expr{Op: Not, Args: []*Expr{e}}
	}
	return e
}

// keep adds the measurements without their own statement to the query.
func (c *checker) keep(sides ...side) {
	for _, s := range sides {
		if m := s.Measurement; m != nil && m.Label == "" {
			c.unlabelled = append(c.unlabelled, m)
		}
	}
}

// agree reports whether both sides of a comparison have compatible units. Otherwise, it adds an error.
func (c *checker) agree(t *conditionalTree, s, other *side) bool {
	m := s.Measurement
	if m == nil {
		return true
	}
	if m.Type == States {
		c.fail(faults.NotComparable, t.Pos, "measure states in a separate statement", "%s consists of many "+
			"numbers, which cannot be compared with one number", s.text)
		return false
	}
	if m.Target.Probe != nil && !m.PerFrame() {
		c.fail(faults.NotComparable, t.Pos, "compare the mean, min, max or util of the signal",
			"%s is a trace, which cannot be compared", s.text)
		return false
	}
	if m.Target.Packets != nil && !m.PerFrame() {
		c.fail(faults.NotComparable, t.Pos, "compare the mean, min or max of the packets",
			"%s has a value for each packet, which cannot be compared", s.text)
		return false
	}
	if m.Statistic == Hist {
		c.fail(faults.NotComparable, t.Pos, "compare a mean, min or max", "%s is a histogram, which cannot be "+
			"compared", s.text)
		return false
	}
	if o := other.Measurement; o != nil {
		if o.Type.Unit() != m.Type.Unit() {
			c.fail(faults.UnitsDiffer, t.Pos, "compare measurements with the same unit", "%s is %s, but %s is %s",
				s.text, measuredUnit(m.Type), other.text, measuredUnit(o.Type))
			return false
		}
		if o.PerFrame() != m.PerFrame() && !m.PerFrame() {
			c.fail(faults.NeedsStatistic, t.Pos, "add a statistic, such as mean "+m.Type.String(),
				"%s has one value per element, but %s has one value per frame", s.text, other.text)
			return false
		}
		return true
	}
	want := dimension(m.Type)
	switch {
	case other.unit == want:
	case other.unit == "" && other.Number == 0:
	case other.unit == "":
		c.fail(faults.UnitsDiffer, t.Pos, "write "+inUnits(other.text, want), "%s is compared with %s, which has no "+
			"unit", s.text, other.text)
		return false
	case other.unit == "B/s" && m.Target.Point != "":
		c.fail(faults.RateInBytes, t.Pos, "compare with a number of passes per second, such as 10 ktps",
			"%s counts passes of a testpoint, and a pass has no bytes", s.text)
		return false
	case other.unit == "B/s" && m.Target.Packets != nil:
		c.fail(faults.RateInBytes, t.Pos, "compare with a number of packets per second, such as 10 ktps", "%s counts "+
			"packets per second, not bytes", s.text)
		return false
	case other.unit == "B/s" && m.Type == Rate:
		other.Number /= c.elementBytes(m.Target.Edges[0])
	default:
		c.fail(faults.UnitsDiffer, t.Pos, validUnits(want), "%s is %s, but %s is %s", s.text, inUnit(want),
			other.text, inUnit(other.unit))
		return false
	}
	return true
}

func (c *checker) elementBytes(edge int) float64 {
	e := &c.program.Edges[edge]
	return c.program.Kernels[e.From].Outputs[e.FromPort].ElementBytes
}

// bare converts a quantity without a comparison. Only backpressure is a condition without a comparison.
func (c *checker) bare(t *conditionalTree, s side) *Expr {
	m := s.Measurement
	switch {
	case m == nil:
		c.fail(faults.NotACondition, t.Pos, "expected a condition, such as occupancy at e1 > 0",
			"%s is a number, not a condition", s.text)
		return nil
	case m.Type != Backpressure:
		c.fail(faults.NotACondition, t.Pos, fmt.Sprintf("write a comparison, such as %s > 0", s.text),
			"%s is a quantity, not a condition", s.text)
		return nil
	}
	c.keep(s)
	return &Expr{Op: Waiting, Left: s.Operand}
}

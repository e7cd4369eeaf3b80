// Package signals implements expressions over the signals of hardware kernels. Measure statements contain them (package
// timetrial), and monitors evaluate them in Verilog (package rtl).
//
// An expression refers to one kernel. Its values are unsigned 64-bit numbers; comparisons and negations are 1 or 0. A
// single signal keeps its sign if its source declares it as signed. The combination of signals in a monitor is step 5
// of Koehler 2007, §4.1.
package signals

import (
	"fmt"
	"math/bits"
	"strings"

	"xopt/flow/xlang"
)

// Op is the operator of a node in an expression.
type Op string

// The operators in Verilog's notation, and the kinds of leaves.
const (
	Name         Op = "name"   // a signal or the name of a state
	Number       Op = "number" // a 64-bit number
	Not          Op = "!"
	Times        Op = "&" // bitwise
	Either       Op = "|"
	Differ       Op = "^"
	And          Op = "&&"
	Or           Op = "||"
	Equal        Op = "=="
	Unequal      Op = "!="
	Less         Op = "<"
	LessEqual    Op = "<="
	Greater      Op = ">"
	GreaterEqual Op = ">="
	Plus         Op = "+"
)

// Operators returns the binary operators in order of increasing precedence, as in Verilog.
func Operators() [][]Op {
	return [][]Op{{Or}, {And}, {Either}, {Differ}, {Times}, {Equal, Unequal}, {Less, LessEqual, Greater, GreaterEqual},
		{Plus}}
}

// Expr is a node of an expression.
type Expr struct {
	Op   Op
	Args []*Expr // operands of an operator
	// Path is the path of a signal below its kernel, such as core.state, or the name of a state.
	Path string
	// Part is true if the expression consists only of bits High to Low of the signal.
	Part      bool
	High, Low int
	Value     uint64 // value of a number
	Pos       xlang.Pos
}

// Signal is an expression of the signals of a kernel.
type Signal struct {
	Kernel int    // index of the kernel in the program
	Text   string // text of the expression in the statement, including the kernel
	Expr   *Expr
}

// Probe is a value that a monitor evaluates in every clock cycle.
type Probe struct {
	Value Signal
	// When is a condition: a cycle counts only if When is not 0; nil for no condition.
	When *Signal
	// After is a condition: counting starts in the first cycle in which After is not 0; nil to count from the start.
	After *Signal
	// Used requests the fraction of cycles in which Value is not 0.
	Used bool
	// Width is the number of bits of the value, or 0 while unknown.
	Width int
}

// Signals returns all expressions of a probe.
func (p *Probe) Signals() []*Signal {
	list := []*Signal{&p.Value}
	for _, s := range []*Signal{p.When, p.After} {
		if s != nil {
			list = append(list, s)
		}
	}
	return list
}

// Text returns the value and its conditions for tables.
func (p *Probe) Text() string {
	text := p.Value.Text
	if p.When != nil {
		text += " when " + p.When.Text
	}
	if p.After != nil {
		text += " after " + p.After.Text
	}
	return text
}

// Leaf is the Verilog text of a name.
type Leaf struct {
	Text   string // Verilog text
	Width  int    // number of bits, 1 to 64
	Signed bool
}

// Verilog returns the expression in Verilog, with its width and sign. It calls leaf to resolve names and returns the
// errors of leaf. The text contains only operators, numbers and texts from leaf.
func (e *Expr) Verilog(leaf func(*Expr) (Leaf, error)) (Leaf, error) {
	switch e.Op {
	case Name:
		return leaf(e)
	case Number:
		return Leaf{Text: fmt.Sprintf("64'd%d", e.Value), Width: max(bits.Len64(e.Value), 1)}, nil
	}
	var parts []string
	width := 0
	for _, a := range e.Args {
		x, err := a.Verilog(leaf)
		if err != nil {
			return Leaf{}, err
		}
		parts, width = append(parts, x.Text), max(width, x.Width)
	}
	out := Leaf{Width: 1}
	switch e.Op {
	case Not:
		out.Text = "(!" + parts[0] + ")"
		return out, nil
	case Times, Either, Differ:
		out.Width = width
	case Plus:
		out.Width = min(width+1, 64)
	}
	out.Text = "(" + strings.Join(parts, " "+string(e.Op)+" ") + ")"
	return out, nil
}

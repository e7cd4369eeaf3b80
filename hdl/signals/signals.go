// Package signals implements expressions over the signals of hardware kernels. Measurement statements use them (package
// timetrial), and monitors evaluate them in Verilog (package rtl).
//
// An expression refers to one kernel. Its values are unsigned 64-bit numbers; comparisons and negations are 1 or 0. A
// single signal that its source declares as signed keeps its sign. Combinations of signals in the monitor are step 5 of
// Koehler 2007, §4.1.
package signals

import (
	"fmt"
	"math/bits"
	"strings"

	"xopt/flow/xlang"
)

// Op is the operator of an expression node.
type Op string

// The operators, in Verilog's notation, and the leaves.
const (
	Name         Op = "name"   // a signal, or the name of a state
	Number       Op = "number" // of 64 bits
	Not          Op = "!"
	Times        Op = "&" // bit by bit
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

// Operators returns the binary operators by precedence, the weakest first, as in Verilog.
func Operators() [][]Op {
	return [][]Op{{Or}, {And}, {Either}, {Differ}, {Times}, {Equal, Unequal}, {Less, LessEqual, Greater, GreaterEqual},
		{Plus}}
}

// Expr is a node of an expression.
type Expr struct {
	Op   Op
	Args []*Expr // of an operator
	// Path is the path of a signal below its kernel, such as core.state, or the name of a state.
	Path string
	// Part reports whether the expression is only the bits High to Low of the signal.
	Part      bool
	High, Low int
	Value     uint64 // of a number
	Pos       xlang.Pos
}

// Signal is an expression of the signals of a kernel.
type Signal struct {
	Kernel int    // an index into the program's kernels
	Text   string // as written, with the kernel
	Expr   *Expr
}

// Probe is the value that a monitor evaluates in every clock cycle.
type Probe struct {
	Value Signal
	// When, if set, is a condition: a cycle counts only if it is not 0.
	When *Signal
	// After, if set, starts the counting at the first cycle in which it is not 0.
	After *Signal
	// Used requests the share of cycles in which Value is not 0.
	Used bool
	// Width is the number of bits of the value, or 0 while it is unknown.
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

// Text returns the value and its conditions as text for tables.
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
	Text   string // in Verilog
	Width  int    // bits, 1 to 64
	Signed bool
}

// Verilog returns the expression in Verilog, with its width and sign. leaf resolves the names in it, and its errors are
// returned. The text contains only operators, numbers and the texts from leaf.
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

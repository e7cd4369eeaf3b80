// Package signals owns expressions of the signals of kernels in hardware: what statements of measurement say of them
// (package timetrial), and how they read in Verilog, where a monitor looks at them (package rtl).
//
// An expression is of one kernel. Its values are unsigned numbers of 64 bits; what is compared or negated is 1 or 0.
// A single signal that its source declares as signed keeps its sign. Combinations of signals in the monitor are step
// 5 of Koehler 2007, §4.1.
package signals

import (
	"fmt"
	"math/bits"
	"strings"

	"xopt/flow/xlang"
)

// Op is what a node of an expression does.
type Op string

// The operators, as Verilog has them, and the leaves.
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

// Operators are those of two operands, by how strongly they bind, the weakest first, as in Verilog.
func Operators() [][]Op {
	return [][]Op{{Or}, {And}, {Either}, {Differ}, {Times}, {Equal, Unequal}, {Less, LessEqual, Greater, GreaterEqual},
		{Plus}}
}

// Expr is a node of an expression.
type Expr struct {
	Op   Op
	Args []*Expr // of an operator
	// Path is a signal below its kernel, such as core.state, or the name of a state.
	Path string
	// Part is that bits High to Low of the signal are meant.
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

// Probe is what a monitor looks at in every cycle of a clock.
type Probe struct {
	Value Signal
	// When, if set, is looked at in the same cycle: where it is 0, the cycle does not count.
	When *Signal
	// After, if set, begins it: nothing counts before the first cycle in which it is not 0.
	After *Signal
	// Used is that the share of cycles is asked for in which Value is not 0.
	Used bool
	// Width is the bits of what is looked at, once that is known; else 0.
	Width int
}

// Signals are all expressions of a probe.
func (p *Probe) Signals() []*Signal {
	list := []*Signal{&p.Value}
	for _, s := range []*Signal{p.When, p.After} {
		if s != nil {
			list = append(list, s)
		}
	}
	return list
}

// Text is what is looked at, with its conditions, as a reader of tables wants it.
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

// Leaf is what a name stands for in the hardware.
type Leaf struct {
	Text   string // in Verilog
	Width  int    // bits, 1 to 64
	Signed bool
}

// Verilog writes an expression in Verilog, and tells of its value how many bits it has and whether it is signed. leaf
// finds what the names in it stand for; its error is returned. Nothing but operators, numbers and what leaf gives
// gets into the text.
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

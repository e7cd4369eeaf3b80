// Package xeval implements the analysis language X-Eval (Gayen 2008, ch. 4). Its production rules specify which events
// of a trace belong together. xopt computes from them the waiting times and execution times of a kernel, several
// kernels, a resource, or the complete application.
//
// In a rule "sum.x0 and sum.x1 -> sum.y0", one element on each of the two inputs starts a run. The run ends with the
// send of an element. The trigger of a run is the availability of the last input. The start is the consumption of the
// last input, and the finish is the send of the last output. The run waits from trigger to start, and executes from
// start to finish.
//
// [Parse] reads a semantics file (.smx). [Derive] returns the rules that the declarations of an X file imply.
// [Evaluate] applies rules to a trace (deploy/trace). [Substitute] replaces a block of one run by the execution times
// of another run, as xmodel2 of the thesis does (§5.2.1). Times are in ps. Memory use is proportional to the number of
// unfinished runs, not to the length of a trace.
package xeval

import (
	"strconv"

	"xopt/flow/xlang"
)

// File is a semantics file.
type File struct {
	Name   string // name under which it was opened
	Blocks []Block
}

// Block is an X-Eval block: a kernel, a group of kernels or the application, with the ports of its rules.
type Block struct {
	Name  string
	Ports []Port
	Rules []Rule
	Pos   xlang.Pos
}

// Port is a port of an X-Eval block: a port or a testpoint of a kernel. A testpoint is declared as an input or an
// output, depending on its rule.
type Port struct {
	Name   string // "gen1.src"
	Input  bool
	Events []Event
	Pos    xlang.Pos
}

// Event identifies the file and the kind of a port's events.
type Event struct {
	File  string // "top_gen1_src_tpt.ts"
	Kind  Kind
	Shown bool // the file has a line on the timeline: "*"
	Pos   xlang.Pos
}

// Kind is the role of the events of a file.
type Kind uint8

// The kinds of events. Input ports have Available and In; output ports have Out.
const (
	Available Kind = iota // an element became available
	In                    // the kernel consumed an element
	Out                   // the kernel sent an element
)

// String returns the word for a kind in a semantics file.
func (k Kind) String() string { return [...]string{"avl_event", "in_event", "out_event"}[k] }

// Rule is a production rule.
type Rule struct {
	Inputs, Outputs Disjunction
	Pos             xlang.Pos
}

// Disjunction is a condition that is true if any of its conjunctions is true.
type Disjunction []Conjunction

// Conjunction is a condition that is true if all of its multiples are satisfied.
type Conjunction []Multiple

// Multiple requires N events of one port.
type Multiple struct {
	N    int
	Port int // index into Block.Ports
	Pos  xlang.Pos
}

// RuleName returns the name of a rule, given its index from 0: rule1, rule2 (§4.4).
func RuleName(rule int) string { return "rule" + strconv.Itoa(rule+1) }

// event returns the port's event of a kind; nil if there is none.
func (p *Port) event(k Kind) *Event {
	for i := range p.Events {
		if p.Events[i].Kind == k {
			return &p.Events[i]
		}
	}
	return nil
}

// Package xeval owns the analysis language X-Eval (Gayen 2008, ch. 4): production rules that say
// which events of a trace belong together, and so make waiting times and execution times of them;
// of a kernel, of several, of a resource, or of the whole application.
//
// A rule "sum.x0 and sum.x1 -> sum.y0" says that an element on each of two inputs makes one run,
// which ends with an element sent. Its trigger is when the last of its inputs became available, its
// start when the last was taken, its finish when the last output was sent: the run waited from
// trigger to start, and executed from start to finish.
//
// [Parse] reads a semantics file (.smx), [Derive] makes the rules that the declarations of an X file
// imply, [Evaluate] applies rules to a trace (deploy/trace), and [Substitute] does what xmodel2 of
// the thesis did: it puts the execution times of one run in the place of a block in another (§5.2.1).
// Times are in ps. Memory grows with what is on its way between triggers and finishes, and not with
// the length of a trace.
package xeval

import (
	"strconv"

	"xopt/flow/xlang"
)

// File is a semantics file.
type File struct {
	Name   string // as it was opened
	Blocks []Block
}

// Block is an X-Eval block: whatever has the ports of its rules, a kernel or the whole application.
type Block struct {
	Name  string
	Ports []Port
	Rules []Rule
	Pos   xlang.Pos
}

// Port is a port of an X-Eval block: a port or a testpoint of a kernel. A testpoint is declared as an
// input or as an output, as its rule needs it.
type Port struct {
	Name   string // "gen1.src"
	Input  bool
	Events []Event
	Pos    xlang.Pos
}

// Event says where the events of a port are.
type Event struct {
	File  string // "top_gen1_src_tpt.ts"
	Kind  Kind
	Shown bool // it has a line on the timeline: "*"
	Pos   xlang.Pos
}

// Kind is as what the events of a file count.
type Kind uint8

// The kinds of events. Input ports have the first two, output ports the third.
const (
	Available Kind = iota // an element became available
	In                    // it was taken
	Out                   // it was sent
)

// String is the word for a kind in a semantics file.
func (k Kind) String() string { return [...]string{"avl_event", "in_event", "out_event"}[k] }

// Rule is a production rule.
type Rule struct {
	Inputs, Outputs Disjunction
	Pos             xlang.Pos
}

// Disjunction is satisfied by the events of any of its conjunctions.
type Disjunction []Conjunction

// Conjunction is satisfied by the events of all of its multiples.
type Conjunction []Multiple

// Multiple is satisfied by so many events of one port.
type Multiple struct {
	N    int
	Port int // index into Block.Ports
	Pos  xlang.Pos
}

// RuleName is what the rule of a number, counted from 0, is called: rule1, rule2 (§4.4).
func RuleName(rule int) string { return "rule" + strconv.Itoa(rule+1) }

// event is that of a kind; nil where the port has none.
func (p *Port) event(k Kind) *Event {
	for i := range p.Events {
		if p.Events[i].Kind == k {
			return &p.Events[i]
		}
	}
	return nil
}

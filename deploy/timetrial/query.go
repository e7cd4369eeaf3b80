package timetrial

import (
	"strings"

	"xopt/flow/xlang"
	"xopt/hdl/signals"
)

// Query is a list of statements whose names have been resolved.
type Query struct {
	// Measurements are the measure statements in order, followed by the unlabeled quantities that expressions name
	// directly.
	Measurements []*Measurement
	Unlabelled   int // number of measurements that appear only in expressions
	Assertions   []*Assertion
}

// Type is the kind of a measured quantity.
type Type int

// The measure types (Lancaster 2011 §3.4).
const (
	Rate         Type = iota // elements/s
	Util                     // fraction of the frame in which the reader of the edge was busy
	Occupancy                // elements that an element finds when it is sent
	Latency                  // seconds from the send of an element to its release
	Backpressure             // fraction of the frame in which the writer waited for space
	Value                    // numbers in the sent elements
	States                   // cycles of a kernel on an FPGA by state
	Size                     // bytes of a link's packets
)

// String returns the keyword of the type.
func (t Type) String() string {
	return [...]string{"rate", "util", "occupancy", "latency", "backpressure", "value", "states", "size"}[t]
}

// Types returns all measure types.
func Types() []Type {
	return []Type{Rate, Util, Occupancy, Latency, Backpressure, Value, States, Size}
}

// PerFrame reports whether the type itself has one value per frame.
func (t Type) PerFrame() bool { return t == Rate || t == Util || t == Backpressure || t == States }

// Unit returns the SI unit of the type, "" for none.
func (t Type) Unit() string {
	return [...]string{"elements/s", "", "elements", "s", "", "", "", "B"}[t]
}

// Statistic is the aggregation of values.
type Statistic int

// The statistics. Trace is the default: a rate for each frame, or a log of
// elements.
const (
	Trace Statistic = iota
	Min
	Max
	Mean
	Sum
	Hist
)

// String returns the keyword of the statistic.
func (s Statistic) String() string {
	return [...]string{"trace", "min", "max", "mean", "sum", "hist"}[s]
}

// Target is the object of a measurement.
type Target struct {
	Text string // text as written
	// Edges contains the index of the measured edge in the program or, for latency, the indices of the edges of a path.
	Edges []int
	// Kernel is the index in the program of the kernel for states and testpoints, which have no edges.
	Kernel int
	// Point is a testpoint of Kernel instead of edges, for rates only; "" for none.
	Point string
	// Probe contains signals of kernels on FPGAs instead of edges. The measured signals belong to Kernel, the signals
	// of conditions to any kernel.
	Probe *signals.Probe
	// Reader reports that the target is a kernel's input. Rates then count consumed elements.
	Reader bool
	// Packets is the link whose packets are measured, instead of edges; nil for other targets.
	Packets *Packets
}

// Packets describes the packets of edges on a link.
type Packets struct {
	Link string // name as declared
	// From and To are the indices of the sending and the receiving resource in the program; -1 for any resource.
	From, To int
}

// Unit returns the SI unit of the measured quantity, "" for none.
func (m *Measurement) Unit() string {
	if m.Type == Rate && m.Target.Packets != nil {
		return "packets/s"
	}
	return m.Type.Unit()
}

// Measurement is a measure statement, or a quantity in an expression.
type Measurement struct {
	Label     string // "" for none
	Text      string // text as written
	Pos       xlang.Pos
	Type      Type
	Statistic Statistic
	Target    Target
	Params    Params
	When      *Expr // nil for always
}

// Sampled reports whether the measurement consists of samples, of elements or of clock cycles.
func (m *Measurement) Sampled() bool { return m.Target.Probe != nil || !m.Type.PerFrame() }

// PerFrame reports whether the measurement has one value for a frame.
func (m *Measurement) PerFrame() bool { return m.Type.PerFrame() || m.Statistic != Trace }

// Params contains the parameters of a statistic, in parentheses; zero if omitted.
type Params struct {
	Bins       int     // number of bins of a histogram
	Low, Width float64 // start of the first bin, and width of all bins, in the SI unit of the type
	Entries    int     // maximum number of entries of a trace, from the start of the run
	Every      uint64  // sampling interval in elements
	Frame      uint64  // elements in a data frame (§3.3)
}

// Assertion is an assert statement.
type Assertion struct {
	Label     string
	Text      string
	Pos       xlang.Pos
	Condition *Expr
}

// Op is the operation of an expression.
type Op int

// The operations. Greater relations become Less with exchanged sides; unequal becomes Not Equal.
const (
	Not       Op = iota // negation of Args[0]
	And                 // conjunction of Args
	Or                  // disjunction of Args
	Less                // Left < Right
	LessEqual           // Left <= Right
	Equal               // Left = Right
	Waiting             // current backpressure at Left
)

// Expr is a Boolean expression.
type Expr struct {
	Op          Op
	Args        []*Expr
	Left, Right Operand
}

// Operand is a number or a measurement. A number has the unit of the measurement on the other side.
type Operand struct {
	Number      float64
	Measurement *Measurement // nil for a number
}

// PerFrame reports whether an expression of one comparison has a value for a frame instead of an element.
func (e *Expr) PerFrame() bool {
	if e.Op == Waiting {
		return false
	}
	for _, o := range []Operand{e.Left, e.Right} {
		if o.Measurement != nil && !o.Measurement.PerFrame() {
			return false
		}
	}
	return true
}

// Comparisons appends the comparisons of an expression to list, in the order of the expression.
func (e *Expr) Comparisons(list []*Expr) []*Expr {
	if e == nil {
		return list
	}
	if len(e.Args) == 0 {
		return append(list, e)
	}
	for _, a := range e.Args {
		list = a.Comparisons(list)
	}
	return list
}

// Name returns the label or, if there is none, the text.
func (m *Measurement) Name() string {
	if m.Label != "" {
		return m.Label
	}
	return strings.Join(strings.Fields(m.Text), " ")
}

// Truth is a three-valued truth value. A comparison without a value, such as the mean of no elements, is
// Unknown.
type Truth int8

// The truth values.
const (
	False Truth = iota
	True
	Unknown
)

// String returns "false", "true" or "unknown".
func (t Truth) String() string { return [...]string{"false", "true", "unknown"}[t] }

// TruthOf returns True or False.
func TruthOf(b bool) Truth {
	if b {
		return True
	}
	return False
}

// Evaluate computes an expression from the truth values of its comparisons. It uses Kleene's logic: a result that does
// not depend on unknown values is known.
func (e *Expr) Evaluate(comparison func(*Expr) Truth) Truth {
	switch e.Op {
	case Not:
		switch e.Args[0].Evaluate(comparison) {
		case True:
			return False
		case False:
			return True
		}
		return Unknown
	case And, Or:
		decides := TruthOf(e.Op == Or)
		result := TruthOf(e.Op == And)
		for _, a := range e.Args {
			switch a.Evaluate(comparison) {
			case decides:
				return decides
			case Unknown:
				result = Unknown
			}
		}
		return result
	}
	return comparison(e)
}

// Compare evaluates a comparison.
func (e *Expr) Compare(left, right float64) Truth {
	switch {
	case left != left || right != right:
		return Unknown
	case e.Op == Less:
		return TruthOf(left < right)
	case e.Op == LessEqual:
		return TruthOf(left <= right)
	}
	return TruthOf(left == right)
}

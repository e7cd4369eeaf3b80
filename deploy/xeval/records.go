package xeval

import (
	"xopt/internal/fault"
)

// Run is one run of a rule: the l-th record of its inputs with the l-th record of its outputs. Times are in ps. The
// waiting time is Start-Trigger, and the execution time is Finish-Start.
type Run struct {
	Block, Rule int
	Number      uint64 // number of the run, from 0
	Trigger     int64  // time at which the last event of its inputs became available
	Start       int64  // time at which the last input was consumed
	Finish      int64  // time at which the last output was sent
	Input       int    // input conjunction that triggered it, from 0
	Output      int    // output conjunction that ended it, or NoOutput; Gayen 2008 §4.4 counts from 1
}

// NoOutput is the Output of runs of a rule without outputs, which [Derive] returns if the end of runs is unknown. Their
// waits are known, and their Finish equals their Start.
const NoOutput = -1

// Wait returns the waiting time of the run in ps.
func (r *Run) Wait() int64 { return r.Start - r.Trigger }

// Execution returns the execution time of the run in ps.
func (r *Run) Execution() int64 { return r.Finish - r.Start }

// record consists of the events that satisfy one conjunction, as the latest time of each kind. Outputs have one time.
type record struct {
	available, time int64
	conjunction     int
}

// fifo is a queue that reuses its memory and never shrinks.
type fifo[T any] struct {
	ring  []T // its size is a power of two
	first uint64
	n     uint64
}

func (q *fifo[T]) put(x T) {
	if q.n == uint64(len(q.ring)) {
		ring := make([]T, max(16, 2*len(q.ring)))
		for i := range q.n {
			ring[i] = q.ring[(q.first+i)&uint64(len(q.ring)-1)]
		}
		q.ring, q.first = ring, 0
	}
	q.ring[(q.first+q.n)&uint64(len(q.ring)-1)] = x
	q.n++
}

func (q *fifo[T]) pop() T {
	x := q.ring[q.first&uint64(len(q.ring)-1)]
	q.first++
	q.n--
	return x
}

// needed is a port multiple of a conjunction, with the events that belong to no record yet. An input has events of both
// kinds. Their final numbers are equal, and available events come first.
type needed struct {
	n         uint64
	input     bool
	available fifo[int64]
	times     fifo[int64]
	// total is the number of events, including events missing in the trace. lacks reports that events for the
	// availability of elements are missing.
	total uint64
	lacks bool
}

// ready reports whether there are enough events for a complete record.
func (x *needed) ready() bool { return x.times.n >= x.n && (!x.input || x.available.n >= x.n) }

// conjunction forms records from the events of its ports, using the first remaining events of each (Fig. 4.13).
type conjunction struct {
	index int
	ports []*needed
	last  int64 // time of the last record
}

// record returns the next record if all of its events have arrived; false otherwise.
func (c *conjunction) record() (record, bool) {
	for _, x := range c.ports {
		if !x.ready() {
			return record{}, false
		}
	}
	r := record{conjunction: c.index}
	first := true
	for _, x := range c.ports {
		for range x.n {
			t := x.times.pop()
			a := t
			if x.input {
				a = x.available.pop()
			}
			if first {
				r.time, r.available, first = t, a, false
			}
			r.time, r.available = max(r.time, t), max(r.available, a)
		}
	}
	c.last = r.time
	return r, true
}

// side is one side of a rule, a disjunction, with the records of its conjunctions in the order of time.
type side struct {
	conjunctions []*conjunction
	records      fifo[record]
	made         uint64
}

// matcher builds the runs of a rule from its events in the order of time. The l-th record of the inputs belongs to
// the l-th record of the outputs, because rules preserve order (§4.3.3).
type matcher struct {
	block, rule int
	name        string // name of the rule, for errors
	sides       [2]side
	runs        uint64
	run         Run     // current run, stored here to avoid an allocation
	one         bool    // all of its ports belong to one kernel
	backlog     backlog // open triggers at the ends of runs
	lacks       bool    // the trace lacks events of its ports
	// cut reports that the events of an incomplete port are exhausted. The remaining events of other ports have no
	// counterpart.
	cut bool
}

// MaxWaiting is the maximum number of records of one side of a rule that wait for the other side. It also limits the
// events of one port that wait for other ports. A trace with more waiting records does not match the rule.
const MaxWaiting = 1 << 22

// target is the destination for the events of a stream.
type target struct {
	matcher     *matcher
	side        int
	conjunction *conjunction
	port        *needed
	kind        Kind
}

// add adds an event, and calls each for every run that it completes.
func (t *target) add(time int64, each func(*Run) error) error {
	q := &t.port.times
	if t.kind == Available {
		q = &t.port.available
	} else if t.port.lacks && t.port.times.n >= t.port.available.n {
		t.matcher.cut = true
		return nil
	}
	if q.put(time); q.n > MaxWaiting {
		return t.matcher.tooMany("events of one port wait for events of other ports")
	}
	s := &t.matcher.sides[t.side]
	for {
		r, ok := t.conjunction.record()
		if !ok {
			return nil
		}
		s.made++
		if s.records.put(r); s.records.n > MaxWaiting {
			what := "more records of the inputs than of the outputs"
			if t.side == 1 {
				what = "more records of the outputs than of the inputs"
			}
			return t.matcher.tooMany(what)
		}
		if err := t.matcher.match(each); err != nil {
			return err
		}
	}
}

func (m *matcher) tooMany(what string) error {
	return fault.RulesDoNotFit.Errorf("%s: %d %s (correct the multiples before the ports of the rule: they "+
		"do not match the trace)", m.name, MaxWaiting, what)
}

// match pairs the available records.
func (m *matcher) match(each func(*Run) error) error {
	in, out := &m.sides[0].records, &m.sides[1].records
	waits := len(m.sides[1].conjunctions) == 0
	for in.n > 0 && (waits || out.n > 0) {
		i := in.pop()
		o := record{time: i.time, conjunction: NoOutput}
		if !waits {
			o = out.pop()
		}
		m.run = Run{Block: m.block, Rule: m.rule, Number: m.runs, Trigger: i.available, Start: i.time, Finish: o.time,
			Input: i.conjunction, Output: o.conjunction}
		m.runs++
		m.backlog.see(in.n)
		if err := each(&m.run); err != nil {
			return err
		}
	}
	return nil
}

// left counts the events of a side that belong to no record.
func (s *side) left() uint64 {
	n := uint64(0)
	for _, c := range s.conjunctions {
		for _, x := range c.ports {
			n += x.times.n
		}
	}
	return n
}

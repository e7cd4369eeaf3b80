package xeval

import (
	"fmt"
	"strings"

	"xopt/deploy/faults"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// backlog counts the open triggers (triggers without an end) at the end of each run. It contains their maximum, their
// sum over all runs, and the sums over the runs until the last powers of two.
type backlog struct {
	seen, max, sum uint64
	until          [3]uint64 // last power of two, and the two before it; 0 for none
	sums           [3]uint64 // sums over the runs until then
}

func (b *backlog) see(n uint64) {
	b.max, b.sum = max(b.max, n), b.sum+n
	if b.seen++; b.seen&(b.seen-1) == 0 {
		b.until = [3]uint64{b.seen, b.until[0], b.until[1]}
		b.sums = [3]uint64{b.sum, b.sums[0], b.sums[1]}
	}
}

// growth returns the increase of the mean backlog from the first half of the runs to the second. The halves end at
// powers of two of runs. The first quarter of the runs, in which a pipeline may have filled, is omitted. If a rule
// constantly leaves triggers without an end, the result is about 0.4 times their number. If the number of open triggers
// is constant, it is 0.
func (b *backlog) growth() float64 {
	if b.until[2] == 0 {
		return float64(b.max)
	}
	return float64(b.sum-b.sums[1])/float64(b.seen-b.until[1]) -
		float64(b.sums[1]-b.sums[2])/float64(b.until[1]-b.until[2])
}

// explains reports whether the given number of open triggers may have been running at the end of the trace. It allows
// for random errors of the mean over some runs.
func (b *backlog) explains(without uint64) bool {
	const chance, share = 0.25, 1.0 / 16
	return without <= b.max && b.growth() <= chance+share*float64(without)
}

// ofOneKernel reports whether all ports of a block belong to one kernel. Its runs then do not overlap.
func ofOneKernel(b *Block) bool {
	kernel := ""
	for i := range b.Ports {
		at := strings.LastIndexByte(b.Ports[i].Name, '.')
		if at < 0 || i > 0 && b.Ports[i].Name[:at] != kernel {
			return false
		}
		kernel = b.Ports[i].Name[:at]
	}
	return true
}

// completeRecords returns the number of complete records of a conjunction, including records missing in the trace.
func (c *conjunction) completeRecords() uint64 {
	minimum := uint64(0)
	for i, x := range c.ports {
		if n := x.total / x.n; i == 0 || n < minimum {
			minimum = n
		}
	}
	return minimum
}

// records returns the number of records of a side.
func (m *matcher) records(side int) (n uint64) {
	s := &m.sides[side]
	if !m.lacks {
		return s.made
	}
	for _, c := range s.conjunctions {
		n += c.completeRecords()
	}
	return n
}

// uneven reports whether a port of a conjunction has complete multiples outside records, not counting multiples after
// the last record.
func (m *matcher) uneven(side int) bool {
	for _, c := range m.sides[side].conjunctions {
		for _, x := range c.ports {
			if excess := x.total/x.n - c.completeRecords(); excess == 0 || m.lacks && excess <= m.backlog.max {
				continue
			}
			if m.lacks || x.times.n < x.n || x.times.ring[x.times.first&uint64(len(x.times.ring)-1)] < c.last {
				return true
			}
		}
	}
	return false
}

// underWay reports whether the open triggers were running at the end of the trace. A kernel ends each run before it
// starts the next run, so all open triggers started after the last end. With several kernels, the typical number of
// running triggers decides.
func (m *matcher) underWay(without uint64, last int64) bool {
	if m.lacks || !m.one {
		return m.backlog.explains(without)
	}
	in := &m.sides[0].records
	return m.runs > 0 && in.n > 0 && in.ring[in.first&uint64(len(in.ring)-1)].time >= last
}

// judge checks the times of a rule. It removes invalid times, and returns notes about them.
func (e *evaluation) judge(m *matcher, r *RuleResult, c *collectedRule) (notes []fault.Note) {
	add := func(id fault.ID, format string, args ...any) {
		notes = append(notes, fault.Note{ID: id, Text: m.name + ": " + fmt.Sprintf(format, args...)})
	}
	switch n := c.wait.negative; {
	case n > 0:
		r.WaitUnfit = fmt.Sprintf("%s started before they were triggered: the two files have different clocks, or "+
			"belong to different recordings (record both with one clock)", units.Counted(int(n), "run", "runs"))
	case m.uneven(0):
		r.WaitUnfit = "the event counts of the joined inputs do not match: state how many elements of each input one " +
			"run consumes (2 k.a and k.b), or use only one of the inputs"
	}
	if len(m.sides[1].conjunctions) > 0 {
		r.Unfit = m.unfit(r, c)
	}
	if r.WaitUnfit != "" {
		add(faults.WaitsUnknown, "its waits are unknown: %s", r.WaitUnfit)
		r.Wait = Statistics{}
	}
	if r.Unfit != "" {
		add(faults.ExecutionsUnknown, "its executions are unknown: %s", r.Unfit)
		r.Execution, r.Outputs, r.Last = Statistics{}, nil, 0
		return notes
	}
	if without := r.Triggered - r.Finished; len(m.sides[1].conjunctions) > 0 && without > 0 {
		add(faults.RunsUnfinished, "%s no end, because the trace ends first",
			units.Counted(int(without), "trigger has", "triggers have"))
	}
	return notes
}

// unfit returns the reason why the ends of a rule do not belong to its triggers; "" if none is visible. It cannot
// detect elements that overtake each other, because at no time are there more ends than triggers.
func (m *matcher) unfit(r *RuleResult, c *collectedRule) string {
	counts := fmt.Sprintf("the rule was triggered %s and finished %s", times(r.Triggered), times(r.Finished))
	const mend = "the rule does not match the block: state how many elements one run consumes and sends (2 k.x -> " +
		"3 k.y), or end runs without output at a testpoint (k.x -> k.y or k.dropped)"
	switch {
	case m.uneven(0):
		return "the event counts of its inputs do not match, so its runs are unknown"
	case m.uneven(1):
		return "the event counts of the joined outputs do not match: " + mend
	case r.Finished > r.Triggered:
		return counts + ": some ends have no trigger, because the trace begins within a run, or " + mend
	case r.Triggered > r.Finished && !m.underWay(r.Triggered-r.Finished, c.last):
		return counts + ", and the triggers without an end are not the last triggers: " + mend
	case c.execution.negative > 0:
		return fmt.Sprintf("%s before they started: the files have different clocks or belong to different "+
			"recordings, or %s",
			units.Counted(int(c.execution.negative), "run finished", "runs finished"), mend)
	}
	return ""
}

// times formats a number of occurrences.
func times(n uint64) string { return units.Counted(int(n), "time", "times") }

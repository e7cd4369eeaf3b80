package gnuradio

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// LimitKind is the kind of a limit of a flow graph.
type LimitKind string

// IsFixed reports whether the rate is set from outside, so that faster blocks do not change it.
func (k LimitKind) IsFixed() bool { return k == LimitThrottle || k == LimitHardware || k == LimitIdle }

// Kinds of limits.
const (
	LimitThread     LimitKind = "thread"     // the thread of one block
	LimitProcessors LimitKind = "processors" // the sum of all threads
	LimitWaiting    LimitKind = "waiting"    // blocks wait for each other: wake-ups take most of the time
	LimitIdle       LimitKind = "idle"       // all blocks wait for the source or for messages
	LimitUnsteady   LimitKind = "unsteady"   // the rate varies too much to name a limit
	LimitThrottle   LimitKind = "throttle"
	LimitHardware   LimitKind = "hardware"
)

// Limit is the resource that limits the rate.
type Limit struct {
	Kind  LimitKind `json:"kind"`
	Block string    `json:"block"` // the busiest block, or the throttle
	Busy  float64   `json:"busy"`  // utilization of the limiting resource
	Rate  float64   `json:"rate,omitempty"`
}

// saturated is the utilization from which a resource limits the rate. The threads of GNU Radio lose some percent of
// their time to wake-ups.
const saturated = 0.85

// A graph is idle if its threads are runnable for less than idleBelow processors. It is unsteady if half of the
// confidence interval of its rate is above unsteadyFrom of the rate.
const (
	idleBelow    = 0.3
	unsteadyFrom = 0.25
)

// Limit returns the resource that limits the rate at the sink. Blocks without a connection to the sink only load the
// processors.
func (m *Measurement) Limit() Limit {
	load := m.Load()
	connected := m.connected()
	order := slices.DeleteFunc(m.ByShare(), func(i int) bool { return !connected[i] })
	if len(order) == 0 {
		return Limit{Kind: LimitIdle}
	}
	at := order[0]
	share := load.Shares[at]
	l := Limit{Kind: LimitWaiting, Block: m.Blocks[at].Label(), Busy: share}
	runnable, sum := 0., 0. // runnable threads, whether they run or wait for a processor
	for i := range m.Figures {
		runnable += load.Shares[i] + m.Figures[i].Queued
	}
	if runnable >= saturated { // otherwise, other programs use the processors while the graph sleeps
		sum = load.Sum() / load.Processors
	}
	busy := max(share+m.Figures[at].Queued, sum)
	if b := m.limitingThrottle(busy); b != nil {
		return Limit{LimitThrottle, b.Label(), l.Busy, b.Throttle}
	}
	switch {
	case m.Rate.N > 1 && m.Rate.High-m.Rate.Low > 2*unsteadyFrom*m.Rate.Mean:
		l.Kind = LimitUnsteady
	case busy >= saturated && sum > share && sum >= saturated && !m.isElastic():
		l.Kind, l.Busy = LimitProcessors, sum
	case busy >= saturated:
		l.Kind = LimitThread
	case len(m.Hardware) > 0:
		l.Kind, l.Block = LimitHardware, m.Hardware[0]
	case runnable < idleBelow:
		l.Kind = LimitIdle
	}
	return l
}

// limitingThrottle returns the first throttle that limits the rate, or nil. busy is the utilization of the busiest
// resource.
func (m *Measurement) limitingThrottle(busy float64) *Block {
	if busy >= saturated || m.Unthrottled {
		return nil
	}
	for i := range m.Blocks {
		// A throttle sends in bursts, so that its rate in a window is uncertain.
		const near, idle = 0.9, 0.5
		b, f := &m.Blocks[i], &m.Figures[i]
		isFull := len(f.Written) > 0 && f.Written[0] > near*b.Throttle
		if b.Throttle > 0 && (busy < idle || isFull) {
			return b
		}
	}
	return nil
}

// isElastic reports whether the sum of the threads does not limit the rate, according to the slowed blocks: additional
// work in the busiest block lowers the rate, but the same work in another block does not, or by less than half. The
// other threads then make fewer work calls, with more items each, so that they need less processor time per item.
func (m *Measurement) isElastic() bool {
	if len(m.Slowed) < 2 {
		return false
	}
	busiest, other, noticeable := m.Slowed[0].Loss(), m.Slowed[1].Loss(), half/float64(len(m.CPUs))
	return busiest >= noticeable && other < max(noticeable, half*busiest)
}

// Advice is a change and its predicted effect.
type Advice struct {
	Name   string           `json:"name"` // for apply; "" for changes that it cannot make
	Text   string           `json:"text"`
	Block  string           `json:"block,omitempty"`
	Gain   Estimate         `json:"gain"`   // relative gain
	Origin string           `json:"origin"` // "measured" or "predicted"
	Pins   map[string][]int `json:"affinity,omitempty"`
	Bytes  int              `json:"minBytes,omitempty"`
	// MaxNouts is the maximum number of items that a work call produces; 0 for no change.
	MaxNouts  int  `json:"maxNouts,omitempty"`
	Confirmed bool `json:"confirmed,omitempty"` // see [Trial.Confirmed]
}

// Worth is the gain from which a change is advised.
const Worth = 0.03

// IsWorthwhile reports whether new runs confirmed that a change gains more than [Worth], with an interval that excludes
// a loss.
func (a *Advice) IsWorthwhile() bool { return a.Confirmed && a.Gain.Mean > Worth && a.Gain.Low > 0 }

// byGain compares changes by their mean gain. Gains whose interval contains 0 come last.
func byGain(a, b Advice) int {
	if isA, isB := a.Gain.Low > 0, b.Gain.Low > 0; isA != isB {
		if isA {
			return -1
		}
		return 1
	}
	return cmp.Compare(b.Gain.Mean, a.Gain.Mean)
}

// All returns the settings and the changes of blocks, the best first.
func (m *Measurement) All() []Advice {
	list := append(m.Settings(), m.WhatIfs()...)
	slices.SortStableFunc(list, byGain)
	return list
}

// Settings returns the trials as advice, the best first. They include trials that lower the rate.
func (m *Measurement) Settings() []Advice {
	var list []Advice
	for i := range m.Trials {
		t := &m.Trials[i]
		a := Advice{Name: t.Name, Gain: t.Gain, Origin: "measured", Pins: t.Affinity, Bytes: t.MinBytes,
			MaxNouts: t.MaxNouts, Confirmed: t.Confirmed}
		switch {
		case t.MinBytes > 0:
			a.Text = fmt.Sprintf("output buffers of at least %d KiB", t.MinBytes>>10)
		case t.MaxNouts > 0:
			a.Text = fmt.Sprintf("work calls of at most %d items", t.MaxNouts)
		default:
			a.Text = "pin " + pinText(t.Affinity)
		}
		list = append(list, a)
	}
	slices.SortStableFunc(list, byGain)
	return list
}

// pinText lists the blocks of each processor, or their numbers if there are many.
func pinText(affinity map[string][]int) string {
	by := make(map[int][]string)
	var cpus []int
	for name, at := range affinity {
		if by[at[0]] == nil {
			cpus = append(cpus, at[0])
		}
		by[at[0]] = append(by[at[0]], name)
	}
	slices.Sort(cpus)
	text := ""
	for i, c := range cpus {
		slices.Sort(by[c])
		if i > 0 {
			text += "; "
		}
		text += fmt.Sprintf("CPU %d: ", c)
		if len(affinity) > maxPinned {
			text += units.Counted(len(by[c]), "block", "blocks")
			continue
		}
		for k, name := range by[c] {
			if k > 0 {
				text += ", "
			}
			text += name
		}
	}
	return text
}

// maxPinned is the number of blocks up to which a text names each of them.
const maxPinned = 6

// MaxOthers is the maximum number of processors used by other programs at which settings are advised. The best pinning
// avoids the processors of other programs, which may use other processors after the measurement.
const MaxOthers = 0.2

// Best returns the setting that xopt gnuradio apply makes. It returns nil if no setting is worthwhile, or if other
// programs disturbed the measurement.
func (m *Measurement) Best() *Advice {
	list := m.Settings()
	if i := slices.IndexFunc(list, func(a Advice) bool { return a.IsWorthwhile() }); i >= 0 && m.Others <= MaxOthers {
		return &list[i]
	}
	return nil
}

// WhatIfs returns the predicted effects of changes of blocks: half the processor time per item, and two copies. The
// best are first. There are none if the limit is unknown.
func (m *Measurement) WhatIfs() []Advice {
	if m.Limit().Kind == LimitUnsteady {
		return nil
	}
	const blocks = 3 // number of the busiest blocks to change: other blocks gain less
	var list []Advice
	order := m.ByShare()
	for _, i := range order[:min(blocks, len(order))] {
		name := m.Blocks[i].Label()
		list = append(list,
			Advice{Block: name, Text: name + " twice as fast", Origin: "predicted",
				Gain: m.predicted(func(l Load) float64 { return l.Faster(i, 2) })},
			Advice{Block: name, Text: "two copies of " + name, Origin: "predicted",
				Gain: m.predicted(func(l Load) float64 { return l.Replicated(i, 2) })})
	}
	slices.SortStableFunc(list, byGain)
	const smallest = 0.005 // relative gain below which only the best change is listed
	return slices.DeleteFunc(list, func(a Advice) bool { return a.Gain.Mean < smallest && a.Text != list[0].Text })
}

// predicted returns a prediction with the interval that the windows support.
func (m *Measurement) predicted(f func(l Load) float64) Estimate {
	var list []float64
	limit := m.Limit().Kind
	for _, l := range m.loads() {
		l.Limit = limit
		list = append(list, f(l))
	}
	e, l := estimate(list), m.Load()
	l.Limit = limit
	e.Mean = f(l)
	e.Low, e.High = min(e.Low, e.Mean), max(e.High, e.Mean)
	return e
}

// Choose returns the change with a name or, for "", the best one. It returns an error if none is worthwhile.
func (m *Measurement) Choose(name string) (*Advice, error) {
	list := m.Settings()
	var names []string
	for i := range list {
		if list[i].Name == name {
			return &list[i], nil
		}
		names = append(names, list[i].Name)
	}
	if name != "" {
		return nil, fault.WrongValue("change", name, "one of the changes tried: %s", strings.Join(names, ", "))
	}
	if best := m.Best(); best != nil {
		return best, nil
	}
	why, do := m.Obstacle()
	if len(names) > 0 {
		do = strings.TrimPrefix(do+", or use --change", ", or ")
	}
	if do != "" {
		do = " (" + do + ")"
	}
	return nil, faults.NothingToApply.Errorf("%s; nothing was written%s", why, do)
}

// Obstacle returns the reason why no setting is advised, and what the user can do about it; do is "" for nothing.
func (m *Measurement) Obstacle() (why, do string) {
	switch {
	case m.Limit().Kind.IsFixed():
		return "the graph runs at the rate that its source, throttle or hardware sets", ""
	case m.Interrupted:
		return "the measurement was interrupted before all settings were tried", "measure again"
	case m.Others > MaxOthers:
		return fmt.Sprintf("other programs used %.2f processors during the measurement, so no gain is significant",
			m.Others), "measure again on a quiet machine"
	}
	return "no change of affinity or buffers has a significant gain above " + units.Percent(Worth), ""
}

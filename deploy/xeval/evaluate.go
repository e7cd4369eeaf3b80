package xeval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/deploy/trace"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// Options configure an evaluation.
type Options struct {
	// Each, if set, receives every run of every rule, in order for each rule. It must not retain the run.
	Each func(*Run) error
	// Streams, if set, returns the streams of the trace with a port's events of a kind. If it is nil, they come from
	// the file that the rules name.
	Streams func(p *Port, k Kind) ([]trace.Stream, error)
}

// Result is the result of the evaluation of a trace by rules.
type Result struct {
	Blocks []BlockResult `json:"blocks"`
	Events uint64        `json:"events"` // number of events read
	// Notes describe reasons to doubt the figures.
	Notes []fault.Note `json:"notes,omitempty"`
}

// BlockResult contains the results of the rules of a block.
type BlockResult struct {
	Name  string       `json:"block"`
	Rules []RuleResult `json:"rules"`
}

// RuleResult is the result of a rule.
type RuleResult struct {
	Name string `json:"rule"` // such as rule1
	Text string `json:"text"`
	// Unfit is the reason why the events of the trace do not match the rule, so that its executions are not reported.
	// WaitUnfit is the reason why its waits are not reported. Both are "" if the rule matches.
	Unfit     string     `json:"unfit,omitempty"`
	WaitUnfit string     `json:"waitUnfit,omitempty"`
	Paired    uint64     `json:"runs"` // records of both sides that were paired
	Wait      Statistics `json:"wait"`
	Execution Statistics `json:"execution"` // empty if the end of runs is unknown
	// Inputs and Outputs count the runs that each conjunction triggered or ended. The counts of outputs are the rule's
	// routing. Outputs is empty if the rule has none.
	Inputs  []uint64 `json:"inputs"`
	Outputs []uint64 `json:"outputs"`
	// Triggered and Finished are the numbers of records of the two sides, including records missing in the trace.
	Triggered uint64 `json:"triggered"`
	Finished  uint64 `json:"finished"`
	// LeftIn and LeftOut are the numbers of events outside records, because other events of their record are missing.
	LeftIn  uint64 `json:"leftIn,omitempty"`
	LeftOut uint64 `json:"leftOut,omitempty"`
	// First is the time of the first trigger, and Last the time of the last finish, in seconds.
	First float64 `json:"first"`
	Last  float64 `json:"last"`
}

// Runs returns the number of runs of the rule.
func (r *RuleResult) Runs() uint64 { return r.Paired }

// Unfit describes each rule that does not match the trace.
func (r *Result) Unfit() (list []string) {
	for i := range r.Blocks {
		for j := range r.Blocks[i].Rules {
			x := &r.Blocks[i].Rules[j]
			why := slices.DeleteFunc([]string{x.WaitUnfit, x.Unfit}, func(s string) bool { return s == "" })
			if len(why) > 0 {
				list = append(list, fmt.Sprintf("%s of block %s (%s): %s", x.Name, r.Blocks[i].Name, x.Text,
					strings.Join(why, "; ")))
			}
		}
	}
	return list
}

// evaluation is an evaluation in progress.
type evaluation struct {
	file     *File
	table    trace.Table
	options  Options
	streams  []trace.Stream // in the order of the rules
	targets  map[trace.Stream][]*target
	matchers []*matcher
	rules    []*collectedRule        // rule of each matcher
	left     map[trace.Stream]uint64 // number of events of each incomplete stream
}

type collectedRule struct {
	wait, execution collected
	inputs, outputs []uint64
	first, last     int64
}

// Evaluate applies rules to a trace. It reads every event of their ports once, in the order of time, and stores only
// events that wait for other events. If the trace reveals errors in the rules, such as a missing file, the error is
// xlang.Diagnostics.
func Evaluate(ctx context.Context, f *File, t trace.Table, o Options) (*Result, error) {
	e := &evaluation{file: f, table: t, options: o, targets: make(map[trace.Stream][]*target),
		left: make(map[trace.Stream]uint64)}
	for _, l := range t.Header().Left {
		e.left[l.Stream] += l.Events
	}
	if e.options.Streams == nil {
		e.options.Streams = func(p *Port, k Kind) ([]trace.Stream, error) { return t.Header().Find(p.event(k).File) }
	}
	if err := e.plan(); err != nil {
		return nil, err
	}
	n, err := e.read(ctx)
	if err != nil {
		return nil, err
	}
	return e.result(n), nil
}

// plan finds the streams of all ports and creates the consumers of their events.
func (e *evaluation) plan() error {
	var faults xlang.Diagnostics
	for i := range e.file.Blocks {
		b := &e.file.Blocks[i]
		for j := range b.Rules {
			r := &b.Rules[j]
			m := &matcher{block: i, rule: j, one: ofOneKernel(b), name: fmt.Sprintf("%s of block %s (%s)",
				RuleName(j), b.Name, b.RuleText(j))}
			e.matchers = append(e.matchers, m)
			e.rules = append(e.rules, &collectedRule{inputs: make([]uint64, len(r.Inputs)),
				outputs: make([]uint64, len(r.Outputs))})
			faults = append(faults, e.side(m, b, 0, r.Inputs)...)
			faults = append(faults, e.side(m, b, 1, r.Outputs)...)
		}
	}
	if len(faults) > 0 {
		return faults
	}
	return nil
}

// side adds a side of a rule to its matcher.
func (e *evaluation) side(m *matcher, b *Block, at int, d Disjunction) (faults xlang.Diagnostics) {
	for i, c := range d {
		x := &conjunction{index: i}
		m.sides[at].conjunctions = append(m.sides[at].conjunctions, x)
		for _, multiple := range c {
			p := &b.Ports[multiple.Port]
			n := &needed{n: uint64(multiple.N), input: p.Input}
			x.ports = append(x.ports, n)
			kinds := []Kind{Out}
			if p.Input {
				kinds = []Kind{Available, In}
			}
			for _, k := range kinds {
				streams, err := e.options.Streams(p, k)
				if err != nil {
					pos := multiple.Pos
					if ev := p.event(k); ev != nil {
						pos = ev.Pos
					}
					faults = append(faults, xlang.Diagnostic{Pos: pos, Message: fmt.Sprintf("port %s: %v", p.Name,
						err)})
				}
				for _, s := range streams {
					m.lacks = m.lacks || e.left[s] > 0
					if k == Available {
						n.lacks = n.lacks || e.left[s] > 0
					} else {
						n.total += e.table.Count(s) + e.left[s]
					}
					if _, isKnown := e.targets[s]; !isKnown {
						e.streams = append(e.streams, s)
					}
					e.targets[s] = append(e.targets[s], &target{matcher: m, side: at, conjunction: x, port: n, kind: k})
				}
			}
		}
	}
	return faults
}

// batch is the number of events read at a time. Cancellation is checked between batches.
const batch = 4096

// read passes all events to their rules and counts the events.
func (e *evaluation) read(ctx context.Context) (n uint64, err error) {
	if len(e.streams) == 0 {
		return 0, nil
	}
	r, err := e.table.Open(e.streams...)
	if err != nil {
		return 0, fmt.Errorf("reading the trace: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	each, targets, ends := e.each(), e.byStream(), e.incompleteStreams()
	buf := make([]trace.Event, batch)
	for {
		count, err := r.Read(buf)
		if err != nil && !errors.Is(err, io.EOF) {
			return n, fmt.Errorf("reading the trace: %w", err)
		}
		for i := range buf[:count] {
			ev := &buf[i]
			at := int(ev.Series)*kinds + int(ev.Kind)
			for _, t := range targets[at] {
				if t.matcher.cut {
					continue
				}
				if err := t.add(ev.Time, each); err != nil {
					return n, err
				}
			}
			if ends != nil && ends[at] > 0 {
				if ends[at]--; ends[at] == 0 {
					for _, t := range targets[at] {
						t.matcher.cut = true
					}
				}
			}
		}
		n += uint64(count)
		if err != nil || count == 0 {
			return n, nil
		}
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
	}
}

// kinds is the number of event kinds in a trace.
const kinds = int(trace.Point) + 1

// byStream returns the targets of each stream, by series and kind.
func (e *evaluation) byStream() [][]*target {
	list := make([][]*target, len(e.table.Header().Series)*kinds)
	for s, t := range e.targets {
		list[int(s.Series)*kinds+int(s.Kind)] = t
	}
	return list
}

// incompleteStreams returns the number of events of each incomplete stream, by series and kind; nil if the trace is
// complete. It omits the times at which elements became available, which are needed only if the elements were consumed.
func (e *evaluation) incompleteStreams() (list []uint64) {
	for s := range e.targets {
		if e.left[s] > 0 && s.Kind != trace.Available {
			if list == nil {
				list = make([]uint64, len(e.table.Header().Series)*kinds)
			}
			list[int(s.Series)*kinds+int(s.Kind)] = e.table.Count(s)
		}
	}
	return list
}

// each returns a function that adds a run to the statistics of its rule, and calls Options.Each.
func (e *evaluation) each() func(*Run) error {
	of := make([][]*collectedRule, len(e.file.Blocks))
	for i, m := range e.matchers {
		of[m.block] = append(of[m.block], e.rules[i])
	}
	return func(r *Run) error {
		c := of[r.Block][r.Rule]
		if r.Number == 0 {
			c.first = r.Trigger
		}
		c.last = max(c.last, r.Finish)
		c.wait.add(r.Wait())
		c.inputs[r.Input]++
		if r.Output != NoOutput {
			c.execution.add(r.Execution())
			c.outputs[r.Output]++
		}
		if e.options.Each != nil {
			return e.options.Each(r)
		}
		return nil
	}
}

// result returns the results of all rules.
func (e *evaluation) result(events uint64) *Result {
	out := &Result{Events: events}
	for i := range e.file.Blocks {
		out.Blocks = append(out.Blocks, BlockResult{Name: e.file.Blocks[i].Name})
	}
	for i, m := range e.matchers {
		c := e.rules[i]
		r := RuleResult{Name: RuleName(m.rule), Text: e.file.Blocks[m.block].RuleText(m.rule),
			Paired: m.runs, Wait: c.wait.statistics(), Execution: c.execution.statistics(), Inputs: c.inputs,
			Outputs: c.outputs, Triggered: m.records(0), Finished: m.records(1), LeftIn: m.sides[0].left(),
			LeftOut: m.sides[1].left(), First: float64(c.first) * picosecond, Last: float64(c.last) * picosecond}
		out.Notes = append(out.Notes, e.judge(m, &r, c)...)
		b := &out.Blocks[m.block]
		b.Rules = append(b.Rules, r)
	}
	out.Notes = append(out.Notes, e.lost()...)
	return out
}

// lost returns notes about events of the read streams that are missing in the trace.
func (e *evaluation) lost() []fault.Note {
	missing := uint64(0)
	for _, l := range e.table.Header().Left {
		if slices.Contains(e.streams, l.Stream) {
			missing += l.Events
		}
	}
	if missing == 0 {
		return nil
	}
	return []fault.Note{faults.EventsLost.Notef("the trace lacks %d events of ports in the rules: the figures cover "+
		"only the part before the first missing event", missing)}
}

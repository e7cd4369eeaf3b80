package xeval

import (
	"context"
	"fmt"
	"path/filepath"

	"xopt/deploy/trace"
	"xopt/flow/xlang"
)

// Substitution is the result of [Substitute].
type Substitution struct {
	Block    string
	Runs     []uint64 // number of runs of each rule
	Last     int64    // time in ps at which the last run finished
	Repeated uint64   // number of runs that reused times
	Clipped  uint64   // number of draws below 0
}

// Emit receives the events of a substituted block: n events of a port at a time, with kind In for inputs and Out for
// outputs. The events of a port arrive in the order of time.
type Emit func(p *Port, k Kind, time int64, n int) error

// Substitute replaces a block of one run by its execution times in another run: xmodel2 of Gayen 2008, §5.2.1. Its
// input is the availability of elements at the inputs of the block in the new run. Its output is the times at which the
// block consumes these elements and sends other elements. The l-th run of a rule is triggered when the last element of
// its record becomes available. The run starts then, or when the block has finished the previous run, and lasts for the
// l-th time of the rule. A rule whose inputs are all testpoints is a source. A source starts whenever the block is
// idle, until its times end. Several sources of a block alternate.
func Substitute(ctx context.Context, b *Block, t trace.Table, times []*Times, emit Emit) (*Substitution, error) {
	s := &substituting{block: b, times: times, emit: emit, done: Substitution{Block: b.Name,
		Runs: make([]uint64, len(b.Rules))}}
	if err := s.open(t); err != nil {
		return nil, err
	}
	if s.reader != nil {
		defer s.reader.Close()
	}
	for n := 0; ; n++ {
		more, err := s.step()
		if err != nil {
			return nil, fmt.Errorf("substituting block %s: %w", b.Name, err)
		}
		if !more {
			break
		}
		if n%batch == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	for _, x := range times {
		s.done.Repeated += x.Repeated
		s.done.Clipped += x.Clipped
	}
	return &s.done, nil
}

// triggered is a run that may start.
type triggered struct {
	time        int64
	rule, input int
}

// substituting is a substitution in progress.
type substituting struct {
	block   *Block
	times   []*Times
	emit    Emit
	targets map[trace.Stream][]*target
	reader  trace.Reader
	events  *trace.Cursor // its events; nil without a reader
	pending fifo[triggered]
	sources []int // rules that are sources
	turn    int   // next source
	free    int64 // time at which the block becomes idle
	done    Substitution
}

// isTestpoint reports whether an input is a testpoint.
func isTestpoint(p *Port) bool {
	e := p.event(Available)
	matched, err := filepath.Match("*_tpt.ts", filepath.Base(e.File))
	return err == nil && matched
}

// open finds the triggers of the rules.
func (s *substituting) open(t trace.Table) error {
	s.targets = make(map[trace.Stream][]*target)
	var streams []trace.Stream
	var faults xlang.Diagnostics
	for i := range s.block.Rules {
		source := true
		m := &matcher{rule: i, name: RuleName(i) + " of block " + s.block.Name}
		for j, c := range s.block.Rules[i].Inputs {
			x := &conjunction{index: j}
			for _, multiple := range c {
				p := &s.block.Ports[multiple.Port]
				if isTestpoint(p) {
					continue // the block passes this testpoint when it starts
				}
				source = false
				n := &needed{n: uint64(multiple.N)}
				x.ports = append(x.ports, n)
				found, err := t.Header().Find(p.event(Available).File)
				if err != nil {
					faults = append(faults, xlang.Diagnostic{Pos: p.event(Available).Pos,
						Message: fmt.Sprintf("port %s: %v", p.Name, err)})
				}
				for _, stream := range found {
					if _, isKnown := s.targets[stream]; !isKnown {
						streams = append(streams, stream)
					}
					s.targets[stream] = append(s.targets[stream], &target{matcher: m, conjunction: x, port: n,
						kind: In})
				}
			}
		}
		if source {
			s.sources = append(s.sources, i)
		}
	}
	if len(faults) > 0 {
		return faults
	}
	if len(streams) == 0 {
		return nil
	}
	var err error
	if s.reader, err = t.Open(streams...); err != nil {
		return fmt.Errorf("reading the trace: %w", err)
	}
	s.events = trace.NewCursor(s.reader)
	return nil
}

// fill reads events until a run is triggered; false at the end of the trace.
func (s *substituting) fill() (bool, error) {
	for s.pending.n == 0 {
		if s.events == nil {
			return false, nil
		}
		e, err := s.events.Next()
		if err != nil {
			return false, fmt.Errorf("reading the trace: %w", err)
		}
		if e == nil {
			return false, nil
		}
		for _, t := range s.targets[trace.Stream{Series: e.Series, Kind: e.Kind}] {
			if t.port.times.put(e.Time); t.port.times.n > MaxWaiting {
				return false, t.matcher.tooMany("events of one port wait for events of other ports")
			}
			for {
				r, ok := t.conjunction.record()
				if !ok {
					break
				}
				s.pending.put(triggered{r.time, t.matcher.rule, t.conjunction.index})
			}
		}
	}
	return true, nil
}

// step executes the next run; false if there is none.
func (s *substituting) step() (bool, error) {
	more, err := s.fill()
	if err != nil {
		return false, err
	}
	if more && (len(s.sources) == 0 || s.pending.ring[s.pending.first&uint64(len(s.pending.ring)-1)].time <= s.free) {
		t := s.pending.pop()
		return true, s.run(t.rule, t.input, max(t.time, s.free))
	}
	for len(s.sources) > 0 {
		at := s.turn % len(s.sources)
		rule := s.sources[at]
		if x := s.times[rule]; s.done.Runs[rule] < x.Size() {
			s.turn = at + 1
			return true, s.run(rule, 0, s.free)
		}
		s.sources = append(s.sources[:at], s.sources[at+1:]...)
		s.turn = at
	}
	if more {
		t := s.pending.pop()
		return true, s.run(t.rule, t.input, max(t.time, s.free))
	}
	return false, nil
}

// run emits the events of a run of a rule that starts at the given time.
func (s *substituting) run(rule, input int, start int64) error {
	elapsed, output, err := s.times[rule].Next()
	if err != nil {
		return err
	}
	r := &s.block.Rules[rule]
	for _, m := range r.Inputs[input] {
		if err := s.emit(&s.block.Ports[m.Port], In, start, m.N); err != nil {
			return err
		}
	}
	s.free = start + elapsed
	for _, m := range r.Outputs[output] {
		if err := s.emit(&s.block.Ports[m.Port], Out, s.free, m.N); err != nil {
			return err
		}
	}
	s.done.Runs[rule]++
	s.done.Last = max(s.done.Last, s.free)
	return nil
}

package run

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"xopt/deploy/abi"
	"xopt/deploy/program"
	"xopt/deploy/trace"
)

// listener reads the events that the processes of a run write to their pipes (runtime/events.c), and forwards them to a
// trace writer.
type listener struct {
	run      *run
	to       trace.Writer
	pipes    []*os.File // read ends, by process
	finished sync.WaitGroup
	mu       sync.Mutex
	kept     []uint64 // number of stored events of each stream, by series and kind
	err      error    // first error, after which events are discarded
	reading  bool
}

// newListener creates a listener; nil if there is nothing to record.
func newListener(r *run) *listener {
	if !r.prog.Events || r.limits.Events == nil {
		return nil
	}
	l := &listener{run: r, to: r.limits.Events, pipes: make([]*os.File, len(r.prog.Processes))}
	l.kept = make([]uint64, 4*(len(r.prog.Edges)+len(r.prog.Points)))
	return l
}

// pipe creates the pipe of a process and returns the process's end.
func (l *listener) pipe(process int) (*os.File, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("creating a pipe for events: %w", err)
	}
	l.pipes[process] = from
	return to, nil
}

// start starts reading the pipes, once the clock of the run is known.
func (l *listener) start() {
	if l == nil {
		return
	}
	l.reading = true
	for _, p := range l.pipes {
		l.finished.Add(1)
		go l.listen(p)
	}
}

// stop waits until it has read everything that the processes wrote. It does not wait for other processes that keep a
// pipe open.
func (l *listener) stop() {
	if l == nil {
		return
	}
	for _, p := range l.pipes {
		if p != nil && l.reading {
			_ = p.SetReadDeadline(time.Now().Add(tailGrace)) // reads also end when the pipe closes
		}
	}
	l.finished.Wait()
	for _, p := range l.pipes {
		if p != nil {
			_ = p.Close() // the pipe has been read to its end
		}
	}
}

const (
	readEvents = 4096 // events read and forwarded together
	maxAtOnce  = 1 << 28
)

var errEvents = errors.New("a process wrote invalid events to its event pipe (file descriptor 4)")

// listen reads the pipe of one process.
func (l *listener) listen(from *os.File) {
	defer l.finished.Done()
	buf := make([]byte, 0, readEvents*abi.EventBytes)
	out := make([]trace.Event, 0, readEvents)
	for {
		n, err := from.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		complete := len(buf) / abi.EventBytes * abi.EventBytes
		out = l.decode(out, buf[:complete])
		buf = buf[:copy(buf[:cap(buf)], buf[complete:])]
		if err == nil {
			continue
		}
		if len(out) > 0 {
			l.pass(out)
		}
		if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrDeadlineExceeded) {
			l.fail(fmt.Errorf("reading the events of a run: %w", err))
		}
		return
	}
}

// decode appends the events of complete records to out, and forwards them when out is full. It returns the remaining
// events.
func (l *listener) decode(out []trace.Event, records []byte) []trace.Event {
	le := binary.LittleEndian
	edges := len(l.run.prog.Edges)
	for ; len(records) > 0; records = records[abi.EventBytes:] {
		what := le.Uint32(records[abi.EventWhat:])
		series, kind := int(what>>2), trace.Kind(what&3)
		count := le.Uint32(records[abi.EventCount:])
		isPoint := series >= edges
		if series >= edges+len(l.run.prog.Points) || isPoint != (kind == trace.Point) || count > maxAtOnce {
			l.fail(errEvents)
			return out[:0]
		}
		e := trace.Event{Time: l.time(le.Uint64(records[abi.EventTime:])), Series: int32(series), Kind: kind}
		if !isPoint {
			e.Bytes = l.run.prog.Edges[series].ElementBytes
		}
		index := le.Uint64(records[abi.EventIndex:])
		if e.Time < 0 || e.Time > maxFigure || index > maxFigure {
			l.fail(errEvents)
			return out[:0]
		}
		for i := range uint64(count) {
			e.Index = index + i
			if out = append(out, e); len(out) == cap(out) {
				out = l.pass(out)
			}
		}
	}
	return out
}

// time converts a tick to the time in a trace, which starts with the run. Earlier events, such as events in a kernel's
// init, have time 0.
func (l *listener) time(tick uint64) int64 {
	if l.run.virtual() {
		return int64(tick)
	}
	return max(int64(tick-l.run.collector.startTick), 0)
}

func (l *listener) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
}

// pass forwards the events and clears the list.
func (l *listener) pass(list []trace.Event) []trace.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return list[:0]
	}
	if l.err = l.to.Write(list); l.err == nil {
		for i := range list {
			l.kept[4*int(list[i].Series)+int(list[i].Kind)]++
		}
	}
	return list[:0]
}

// header returns the run's part of the trace header: the series, the omitted events, and the clock.
func (l *listener) header() *trace.Header {
	p, r := l.run.prog, l.run
	h := &trace.Header{Origin: "measured", Seconds: r.elapsed(r.ended), Series: EventSeries(p)}
	if r.virtual() {
		h.Origin = "simulated"
	} else if seconds, _ := r.tick(0); seconds > 0 {
		h.Frequency = 1 / seconds
	}
	for i := range p.FPGAs {
		if h.Clocks == nil {
			h.Clocks = make(map[string]float64)
		}
		h.Clocks[p.FPGAs[i].Name] = p.FPGAs[i].Period
	}
	for k := range p.Kernels {
		h.Places = append(h.Places, trace.Place{Kernel: p.Kernels[k].Name, Resource: p.Kernels[k].Where})
	}
	for i := range h.Series {
		s := &h.Series[i]
		if s.IsPoint() {
			passed := r.load64(p.Points[i-len(p.Edges)].At)
			if passed == 0 {
				h.Unpassed = append(h.Unpassed, s.Point)
			}
			l.left(h, i, trace.Point, passed)
			continue
		}
		initial := uint64(p.Edges[i].Initial)
		l.left(h, i, trace.Out, r.sent(i))
		l.left(h, i, trace.Available, max(r.tail(i), l.kept[4*i+int(trace.Available)]))
		l.left(h, i, trace.In, min(r.tail(i), initial+r.sent(i)))
	}
	return h
}

// left records the number of events of a stream that are missing in the trace.
func (l *listener) left(h *trace.Header, series int, kind trace.Kind, all uint64) {
	if n := since(all, l.kept[4*series+int(kind)]); n > 0 {
		h.Left = append(h.Left, trace.Left{Stream: trace.Stream{Series: int32(series), Kind: kind}, Events: n})
	}
}

// EventSeries returns the series of a program's events: its edges in order, then its testpoints.
func EventSeries(p *program.Description) []trace.Series {
	var list []trace.Series
	for e := range p.Edges {
		x := &p.Edges[e]
		from, to := &p.Kernels[x.From], &p.Kernels[x.To]
		s := trace.Series{Name: x.Name, From: trace.Port{Kernel: from.Name, Name: from.Outputs[x.FromPort].Name},
			To: trace.Port{Kernel: to.Name, Name: to.Inputs[x.ToPort].Name}, Bytes: x.ElementBytes}
		if from.OnFPGA {
			s.FromFPGA = from.Where
		}
		if to.OnFPGA {
			s.ToFPGA = to.Where
		}
		list = append(list, s)
	}
	for i := range p.Points {
		x := trace.Port{Kernel: p.Kernels[p.Points[i].Kernel].Name, Name: p.Points[i].Name}
		list = append(list, trace.Series{Name: x.String(), Point: x})
	}
	return list
}

package trace

import (
	"bufio"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"xopt/internal/fault"
)

// VCDMark identifies the header of a dump written by WriteVCD.
const VCDMark = "$version xopt trace "

// usualPeriod is the period in ps that WriteVCD assumes for an unknown clock.
const usualPeriod = 10_000

// maxIdle is the maximum number of clock cycles without an event in a dump. They need 25 MB of text.
const maxIdle = 1 << 20

// WriteVCD writes the streams at the FPGAs of a trace as a value change dump. The dump contains valid and ready of each
// stream and one word per element, with its value if the trace contains it. An input is valid from the availability of
// an element until the last available element is consumed. ready is high in the cycle of the consumption. The dump
// contains a clock with a known period from its first event on, with up to maxIdle idle cycles in total. It contains
// other clocks only in cycles with events. Waveform viewers and OpenFile can read the dump.
func WriteVCD(w io.Writer, t Table, version string) error {
	v := &vcdWriter{out: bufio.NewWriterSize(w, 1<<16), available: make(map[int32]uint64),
		falls: make(map[int32]int64), elements: make(map[Stream]*vcdElements), table: t,
		wide: make(map[int]bool)}
	if x, ok := t.(*window); ok {
		v.table = x.Table
	}
	streams := v.declare(t.Header(), version)
	defer v.closeElements()
	if len(streams) == 0 {
		return fault.NoKernelOnFPGA.Errorf("the trace has no kernel on an FPGA, but a VCD dump contains only streams " +
			"of FPGAs: write the trace as .csv or .pftrace")
	}
	r, err := t.Open(streams...)
	if err != nil {
		return err
	}
	if err := readAll(r, func(events []Event) error {
		for i := range events {
			v.event(&events[i])
		}
		return nil
	}); err != nil {
		return err
	}
	v.advance(v.last + 1)
	v.before(1<<63 - 1)
	return errors.Join(v.err, v.out.Flush())
}

// vcdEnd is one end of a series: the indices of its signals and clock, and half the clock period in ps.
type vcdEnd struct{ valid, ready, clock, half int }

// vcdClock is a clock with a known period: the time of its last rising edge at an event, and the number of
// edges since.
type vcdClock struct {
	signal int
	half   int64
	period float64 // ps
	begun  bool
	rose   int64
	idle   int64
}

// vcdElements reads the elements of a stream whose values the dump contains.
type vcdElements struct {
	from   io.ReadCloser
	in     *bufio.Reader
	signal int
	next   uint64 // index of the next element
	buf    []byte
}

// maxValueBytes is the maximum size of elements whose values a dump contains.
const maxValueBytes = 64

// vcdChange is a new value of a signal. If the signal contains elements, bits is the new value in binary.
type vcdChange struct {
	time   int64
	signal int
	value  bool
	bits   string
}

// vcdChanges is a heap of changes by time. Changes to 0 precede other changes at the same time.
type vcdChanges []vcdChange

func (h vcdChanges) Len() int { return len(h) }

func (h vcdChanges) Less(i, j int) bool {
	if h[i].time != h[j].time {
		return h[i].time < h[j].time
	}
	return !h[i].value && h[j].value
}

func (h vcdChanges) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *vcdChanges) Push(x any) { *h = append(*h, x.(vcdChange)) }

func (h *vcdChanges) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

type vcdWriter struct {
	out       *bufio.Writer
	table     Table // source of elements
	elements  map[Stream]*vcdElements
	clocks    []vcdClock
	clockAt   map[int]int // index in clocks, by signal
	drawn     int         // written cycles without an event
	next      int64       // no clock rises before this time without an event
	last      int64       // time of the last event
	err       error       // error of reading elements
	signals   map[Stream]vcdEnd
	names     []string // identifiers of signals
	high      []bool
	wide      map[int]bool     // signals of several bits
	available map[int32]uint64 // available elements of each series
	falls     map[int32]int64  // time of the last falling edge of valid of each series
	changes   vcdChanges
	now       int64
	any       bool
	longest   int64 // half the longest clock period, ps
	buf       []byte
}

// signal creates a signal with an identifier of printable characters, and returns its index.
func (v *vcdWriter) signal() int {
	n := len(v.names)
	id := ""
	for x := n; ; x = x/94 - 1 {
		id += string(rune('!' + x%94))
		if x < 94 {
			break
		}
	}
	v.names, v.high = append(v.names, id), append(v.high, false)
	return n
}

// placesOf returns a function that returns the resource of a kernel. The kernel's clock has the name of this resource.
// Each scope of a converted dump has its own clock.
func placesOf(h *Header) func(kernel string) string {
	places := make(map[string]string)
	for _, p := range h.Places {
		places[p.Kernel] = p.Resource
	}
	return func(kernel string) string {
		if r, ok := places[kernel]; ok {
			return r
		}
		return kernel
	}
}

// vcdDrawn is an end of a series that the dump contains.
type vcdDrawn struct {
	kernel, name string
	streams      []Stream
}

// drawnEnds lists the ends of series and the testpoints in hardware, by kernel.
func drawnEnds(h *Header) []vcdDrawn {
	on := placesOf(h)
	var list []vcdDrawn
	for i := range h.Series {
		s, n := &h.Series[i], int32(i)
		_, clocked := h.Clocks[on(s.Point.Kernel)]
		switch {
		case s.IsPoint() && clocked:
			list = append(list, vcdDrawn{s.Point.Kernel, "tp_" + s.Point.Name, []Stream{{n, Point}}})
		case s.IsPoint():
		default:
			if s.FromFPGA != "" {
				list = append(list, vcdDrawn{s.From.Kernel, "m_axis_" + s.From.Name, []Stream{{n, Out}}})
			}
			if s.ToFPGA != "" {
				list = append(list, vcdDrawn{s.To.Kernel, "s_axis_" + s.To.Name, []Stream{{n, Available}, {n, In}}})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b vcdDrawn) int { return cmp.Compare(a.kernel, b.kernel) })
	return list
}

// declare writes the header, and returns the streams that the dump contains.
func (v *vcdWriter) declare(h *Header, version string) []Stream {
	v.signals, v.clockAt = make(map[Stream]vcdEnd), make(map[int]int)
	on, unvalued, list := placesOf(h), 0, drawnEnds(h)
	fmt.Fprintf(v.out, "%s%s $end\n$timescale 1ps $end\n", VCDMark, strings.ReplaceAll(version, "$", "_"))
	var streams []Stream
	open, clock, seen := "", 0, make(map[string]bool)
	for i, d := range list {
		if i == 0 || d.kernel != open {
			if i > 0 {
				v.upscope(open)
			}
			open = d.kernel
			for _, part := range strings.Split(open, ".") {
				fmt.Fprintf(v.out, "$scope module %s $end\n", vcdName(part))
			}
			clock = v.signal()
			fmt.Fprintf(v.out, "$var wire 1 %s clk $end\n", v.names[clock])
			if period := h.Clocks[on(open)] * PerSecond; period >= 2 {
				v.clockAt[clock] = len(v.clocks)
				v.clocks = append(v.clocks, vcdClock{signal: clock, half: int64(period / 2), period: period})
			}
		}
		name := vcdName(d.name)
		for n := 2; seen[open+" "+name]; n++ {
			name = fmt.Sprintf("%s_%d", vcdName(d.name), n) // a port with several edges
		}
		seen[open+" "+name] = true
		stop := vcdEnd{valid: v.signal(), clock: clock, half: usualPeriod / 2}
		if period := h.Clocks[on(open)]; period > 0 {
			stop.half = max(int(period*PerSecond/2), 1)
		}
		v.longest = max(v.longest, int64(stop.half))
		if strings.HasPrefix(d.name, "tp_") {
			fmt.Fprintf(v.out, "$var wire 1 %s %s $end\n", v.names[stop.valid], name)
		} else {
			stop.ready = v.signal()
			fmt.Fprintf(v.out, "$var wire 1 %s %s_tvalid $end\n$var wire 1 %s %s_tready $end\n", v.names[stop.valid],
				name, v.names[stop.ready], name)
			if !v.values(h, d.streams[len(d.streams)-1], name) {
				unvalued++
			}
		}
		for _, s := range d.streams {
			v.signals[s] = stop
			streams = append(streams, s)
		}
	}
	if len(list) > 0 {
		v.upscope(open)
	}
	if unvalued > 0 {
		fmt.Fprintf(v.out, "$comment the trace has no values of the elements of %d streams: record them with "+
			"--trace-data $end\n", unvalued)
	}
	fmt.Fprint(v.out, "$enddefinitions $end\n#0\n$dumpvars\n")
	for n, id := range v.names {
		if !v.wide[n] {
			fmt.Fprintf(v.out, "0%s\n", id)
		}
	}
	fmt.Fprint(v.out, "$end\n")
	return streams
}

// values declares the signal for a stream's element values. It returns false if these values are not in the trace, or
// are larger than maxValueBytes.
func (v *vcdWriter) values(h *Header, s Stream, name string) bool {
	bytes := h.Series[s.Series].Bytes
	if bytes == 0 || bytes > maxValueBytes || v.err != nil {
		return false
	}
	from, _, err := elementsOf(v.table, s.Series)
	if v.err = err; from == nil {
		return false
	}
	x := &vcdElements{from: from, in: bufio.NewReader(from), signal: v.signal(), buf: make([]byte, bytes)}
	v.wide[x.signal] = true
	v.elements[s] = x
	fmt.Fprintf(v.out, "$var wire %d %s %s_tdata $end\n", 8*bytes, v.names[x.signal], name)
	return true
}

func (v *vcdWriter) closeElements() {
	for _, x := range v.elements {
		_ = x.from.Close() // the file was only read
	}
}

// value writes the value of an element, as long as the trace contains values.
func (v *vcdWriter) value(e *Event, time int64) {
	x := v.elements[Stream{e.Series, e.Kind}]
	if x == nil || e.Index < x.next || v.err != nil {
		return
	}
	for ; x.next <= e.Index; x.next++ {
		if _, err := io.ReadFull(x.in, x.buf); err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				v.err = err
			}
			x.next = math.MaxUint64 // later elements are not stored
			return
		}
	}
	bits := make([]byte, 0, 8*len(x.buf))
	for i := len(x.buf) - 1; i >= 0; i-- { // in memory the lowest byte comes first
		bits = fmt.Appendf(bits, "%08b", x.buf[i])
	}
	heap.Push(&v.changes, vcdChange{time: max(time, 0), signal: x.signal, bits: string(bits)})
}

// advance writes the clock cycles without an event before a time.
func (v *vcdWriter) advance(time int64) {
	if time <= v.next || v.drawn == maxIdle {
		return
	}
	v.next = time
	for i := range v.clocks {
		c := &v.clocks[i]
		for c.begun {
			t := c.rose + int64(math.Round(float64(c.idle+1)*c.period))
			if t >= time {
				v.next = min(v.next, t)
				break
			}
			if v.drawn++; v.drawn == maxIdle {
				fmt.Fprintf(v.out, "$comment xopt wrote clock edges for %d cycles without an event: from here on, "+
					"clocks rise only at events (choose a shorter --window) $end\n", v.drawn)
				return
			}
			c.idle++
			v.at(t, c.signal, true)
			v.at(t+c.half, c.signal, false)
		}
	}
}

func (v *vcdWriter) upscope(kernel string) {
	for range strings.Split(kernel, ".") {
		fmt.Fprint(v.out, "$upscope $end\n")
	}
}

// vcdName returns a name that viewers accept. Names of arrays contain brackets.
func vcdName(s string) string {
	if s = strings.Map(fileRune, s); s == "" {
		return "_"
	}
	return strings.ReplaceAll(s, "-", "_")
}

// at changes a signal at a time in ps. A negative time becomes the start of the dump.
func (v *vcdWriter) at(time int64, signal int, value bool) {
	heap.Push(&v.changes, vcdChange{time: max(time, 0), signal: signal, value: value})
}

// event writes an event. The clock edge is at the time of the event. The streams are stable around this edge.
func (v *vcdWriter) event(e *Event) {
	stop := v.signals[Stream{e.Series, e.Kind}]
	half := int64(stop.half)
	at := max(e.Time, half)
	v.last = e.Time
	v.advance(e.Time - v.longest)
	v.before(e.Time - v.longest)
	if e.Kind == Available {
		v.available[e.Series]++
		v.at(max(e.Time, v.falls[e.Series]), stop.valid, true)
		return
	}
	v.at(at, stop.clock, true)
	v.at(at+half, stop.clock, false)
	if i, ok := v.clockAt[stop.clock]; ok {
		c := &v.clocks[i]
		c.begun, c.rose, c.idle = true, at, 0
	}
	v.value(e, at-half)
	switch e.Kind {
	case In:
		v.at(at-half, stop.ready, true)
		v.at(at+half, stop.ready, false)
		v.at(at-half, stop.valid, true)
		if v.available[e.Series] > 0 {
			v.available[e.Series]--
		}
		if v.available[e.Series] == 0 {
			v.at(at+half, stop.valid, false)
			v.falls[e.Series] = at + half
		}
	case Out:
		v.at(at-half, stop.ready, true)
		v.at(at+half, stop.ready, false)
		fallthrough
	case Point:
		v.at(at-half, stop.valid, true)
		v.at(at+half, stop.valid, false)
	}
}

// before writes the changes before a time. If a signal has several changes at one time, only its last change counts.
func (v *vcdWriter) before(time int64) {
	for len(v.changes) > 0 && v.changes[0].time < time {
		c := heap.Pop(&v.changes).(vcdChange)
		if next := v.changes; c.bits == "" && !c.value && len(next) > 0 && next[0].time == c.time && v.again(c) {
			continue
		}
		if c.bits == "" && v.high[c.signal] == c.value {
			continue
		}
		v.high[c.signal] = c.value
		if !v.any || c.time != v.now {
			v.any, v.now = true, c.time
			v.buf = fmt.Appendf(v.buf[:0], "#%d\n", c.time)
			_, _ = v.out.Write(v.buf) // the writer reports an error at Flush
		}
		switch {
		case c.bits != "":
			v.buf = append(append(append(v.buf[:0], 'b'), c.bits...), ' ')
		case c.value:
			v.buf = append(v.buf[:0], '1')
		default:
			v.buf = append(v.buf[:0], '0')
		}
		v.buf = append(append(v.buf, v.names[c.signal]...), '\n')
		_, _ = v.out.Write(v.buf)
	}
}

// again reports whether a falling signal rises at the same time, so that it stays high.
func (v *vcdWriter) again(c vcdChange) bool {
	return slices.ContainsFunc(v.changes, func(x vcdChange) bool {
		return x.time == c.time && x.signal == c.signal && x.value
	})
}

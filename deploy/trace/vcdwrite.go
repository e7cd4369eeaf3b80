package trace

import (
	"bufio"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// VCDMark is in the header of every dump that WriteVCD makes.
const VCDMark = "$version xopt trace "

// usualPeriod is that of a clock that is not known, in ps.
const usualPeriod = 10_000

// WriteVCD writes the streams at the FPGAs of a trace as a value change dump: valid and ready of each, an element a
// word. An input is valid from when an element is available until the last
// one is taken; ready is high in the cycle in which one is. A clock is drawn only in cycles in which something
// happens. Viewers of waves open it, and OpenFile reads it.
func WriteVCD(w io.Writer, t Table, version string) error {
	v := &vcdWriter{out: bufio.NewWriterSize(w, 1<<16), held: make(map[int32]uint64),
		falls: make(map[int32]int64)}
	streams := v.declare(t.Header(), version)
	if len(streams) == 0 {
		return errors.New("the trace has no kernel on an FPGA, and a dump is of the streams of hardware: write it as " +
			".csv or .pftrace")
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
	v.before(1<<63 - 1)
	return v.out.Flush()
}

// vcdEnd is one end of a series: the numbers of its signals, of its clock, and half a period of it in ps.
type vcdEnd struct{ valid, ready, clock, half int }

// vcdChange is a value that a signal takes.
type vcdChange struct {
	time   int64
	signal int
	value  bool
}

// vcdChanges is a heap of them, by time; of one time, those to 0 first.
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
	out     *bufio.Writer
	ends    map[Stream]vcdEnd
	names   []string // identifiers of signals
	value   []bool
	held    map[int32]uint64 // elements of each series that are available
	falls   map[int32]int64  // when its valid last falls
	changes vcdChanges
	now     int64
	any     bool
	longest int64 // half a period
	buf     []byte
}

// signal makes a signal, with an identifier of printable characters.
func (v *vcdWriter) signal() int {
	n := len(v.names)
	id := ""
	for x := n; ; x = x/94 - 1 {
		id += string(rune('!' + x%94))
		if x < 94 {
			break
		}
	}
	v.names, v.value = append(v.names, id), append(v.value, false)
	return n
}

// placesOf finds where a kernel ran, by whose name its clock goes. Of a dump that was read each scope has its own.
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

// declare writes the header, and lists the streams that are drawn.
func (v *vcdWriter) declare(h *Header, version string) []Stream {
	v.ends = make(map[Stream]vcdEnd)
	on := placesOf(h)
	type drawn struct {
		kernel, name string
		streams      []Stream
	}
	var list []drawn
	for i := range h.Series {
		s, n := &h.Series[i], int32(i)
		_, clocked := h.Clocks[on(s.Point.Kernel)]
		switch {
		case s.IsPoint() && clocked:
			list = append(list, drawn{s.Point.Kernel, "tp_" + s.Point.Name, []Stream{{n, Point}}})
		case s.IsPoint():
		default:
			if s.FromFPGA != "" {
				list = append(list, drawn{s.From.Kernel, "m_axis_" + s.From.Name, []Stream{{n, Out}}})
			}
			if s.ToFPGA != "" {
				list = append(list, drawn{s.To.Kernel, "s_axis_" + s.To.Name, []Stream{{n, Available}, {n, In}}})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b drawn) int { return cmp.Compare(a.kernel, b.kernel) })
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
		}
		name := vcdName(d.name)
		for n := 2; seen[open+" "+name]; n++ {
			name = fmt.Sprintf("%s_%d", vcdName(d.name), n) // a port with several edges
		}
		seen[open+" "+name] = true
		end := vcdEnd{valid: v.signal(), clock: clock, half: usualPeriod / 2}
		if period := h.Clocks[on(open)]; period > 0 {
			end.half = max(int(period*PerSecond/2), 1)
		}
		v.longest = max(v.longest, int64(end.half))
		if strings.HasPrefix(d.name, "tp_") {
			fmt.Fprintf(v.out, "$var wire 1 %s %s $end\n", v.names[end.valid], name)
		} else {
			end.ready = v.signal()
			fmt.Fprintf(v.out, "$var wire 1 %s %s_tvalid $end\n$var wire 1 %s %s_tready $end\n", v.names[end.valid],
				name, v.names[end.ready], name)
		}
		for _, s := range d.streams {
			v.ends[s] = end
			streams = append(streams, s)
		}
	}
	if len(list) > 0 {
		v.upscope(open)
	}
	fmt.Fprint(v.out, "$enddefinitions $end\n#0\n$dumpvars\n")
	for _, id := range v.names {
		fmt.Fprintf(v.out, "0%s\n", id)
	}
	fmt.Fprint(v.out, "$end\n")
	return streams
}

func (v *vcdWriter) upscope(kernel string) {
	for range strings.Split(kernel, ".") {
		fmt.Fprint(v.out, "$upscope $end\n")
	}
}

// vcdName is a name that viewers take: those of arrays have brackets.
func vcdName(s string) string {
	if s = strings.Map(fileRune, s); s == "" {
		return "_"
	}
	return strings.ReplaceAll(s, "-", "_")
}

// at changes a signal at a time; before the start of the dump is at it.
func (v *vcdWriter) at(time int64, signal int, value bool) {
	heap.Push(&v.changes, vcdChange{max(time, 0), signal, value})
}

// event draws an event. An edge of the clock is at its time; streams hold still around it.
func (v *vcdWriter) event(e *Event) {
	end := v.ends[Stream{e.Series, e.Kind}]
	half := int64(end.half)
	at := max(e.Time, half)
	v.before(e.Time - v.longest)
	if e.Kind == Available {
		v.held[e.Series]++
		v.at(max(e.Time, v.falls[e.Series]), end.valid, true)
		return
	}
	v.at(at, end.clock, true)
	v.at(at+half, end.clock, false)
	switch e.Kind {
	case In:
		v.at(at-half, end.ready, true)
		v.at(at+half, end.ready, false)
		v.at(at-half, end.valid, true)
		if v.held[e.Series] > 0 {
			v.held[e.Series]--
		}
		if v.held[e.Series] == 0 {
			v.at(at+half, end.valid, false)
			v.falls[e.Series] = at + half
		}
	case Out:
		v.at(at-half, end.ready, true)
		v.at(at+half, end.ready, false)
		fallthrough
	case Point:
		v.at(at-half, end.valid, true)
		v.at(at+half, end.valid, false)
	}
}

// before writes the changes before a time. Of those of one signal at one time the last counts.
func (v *vcdWriter) before(time int64) {
	for len(v.changes) > 0 && v.changes[0].time < time {
		c := heap.Pop(&v.changes).(vcdChange)
		if next := v.changes; !c.value && len(next) > 0 && next[0].time == c.time && v.again(c) {
			continue
		}
		if v.value[c.signal] == c.value {
			continue
		}
		v.value[c.signal] = c.value
		if !v.any || c.time != v.now {
			v.any, v.now = true, c.time
			v.buf = fmt.Appendf(v.buf[:0], "#%d\n", c.time)
			_, _ = v.out.Write(v.buf) // an error is kept until Flush
		}
		bit := byte('0')
		if c.value {
			bit = '1'
		}
		v.buf = append(append(append(v.buf[:0], bit), v.names[c.signal]...), '\n')
		_, _ = v.out.Write(v.buf)
	}
}

// again reports whether a signal that falls is to rise at the same time: it stays high.
func (v *vcdWriter) again(c vcdChange) bool {
	return slices.ContainsFunc(v.changes, func(x vcdChange) bool {
		return x.time == c.time && x.signal == c.signal && x.value
	})
}

package run

import (
	"math"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/hdl/rtl"
	"xopt/mapper/result"
)

// collector reads the counters of the processes during a run. It reads the indices of the rings at every sample, the
// slots of the taps after their frames, and the logs.
type collector struct {
	*run
	looks     int
	sum       []uint64 // sum over the samples, by edge
	largest   []uint64
	taps      []TapMeasurement
	startTick uint64
	starts    []uint64 // start tick of each host, in a run over hosts

	frame   uint64  // current frame
	from    float64 // start of the frame, in seconds since the start of the run
	going   bool
	before  []EdgeFrame   // totals at the end of the previous frame
	worked  []KernelFrame // totals of the kernels at that time
	passed  []uint64      // totals of the testpoints at that time
	working working
	// spentBefore contains the cycle counts of kernels on FPGAs at the end of the previous frame.
	spentBefore []rtl.Spent
	pending     *FrameData // ended frame whose slots processes may still be writing
	data        [][]TapFrame
	logs        [][]result.Logged // entries since the last delivered frame, by tap
	conditions  []Looked          // polls in the current frame
	unkept      []uint64          // by log: values dropped for lack of memory
	drained     []uint64          // by log: values read
	logged      []int             // by log: values stored
	next        []uint64          // by tap with data frames: the first unread frame
	frames      []FrameData
	kept        int // bytes in frames and logs
	dropped     bool
	ended       bool // the finished frame is the last and includes all remaining log entries
	pulses      pulses
	scheduling  scheduling
}

// keepBytes is the maximum size in bytes of the stored frames and logs of a run. xopt drops further frames and log
// entries, but counts them in the totals and passes them to OnFrame.
const keepBytes = 256 << 20

// keepLogs is the part of keepBytes for log entries of incomplete frames. The other part is large enough for a frame
// with all of these entries.
const keepLogs = keepBytes / 2

func newCollector(r *run) *collector {
	edges, taps := len(r.prog.Edges), len(r.prog.Taps)
	c := &collector{run: r, sum: make([]uint64, edges), largest: make([]uint64, edges), before: make([]EdgeFrame,
		edges), worked: make([]KernelFrame, len(r.prog.Kernels)), working: newWorking(len(r.prog.Processes),
		len(r.prog.Kernels)),
		passed: make([]uint64, len(r.prog.Points)),
		data:   make([][]TapFrame, taps), logs: make([][]result.Logged, taps), next: make([]uint64, taps),
		unkept: make([]uint64, taps), drained: make([]uint64, taps), logged: make([]int, taps),
		conditions: make([]Looked,
			len(r.prog.Conditions))}
	for i := range r.prog.Taps {
		t := &r.prog.Taps[i]
		c.taps = append(c.taps, TapMeasurement{Tap: t.Tap, Bins: t.Bins})
	}
	return c
}

// start starts the collection. The caller must start the processes first.
func (c *collector) start() {
	c.going = true
	if c.virtual() {
		return
	}
	if c.parts != nil {
		c.starts = c.parts.starts()
		return
	}
	// All processes have the same time stamp counter. Its value now follows from a process's readings of both clocks.
	c.startTick = c.load64(c.processAt(0)+abi.ProcessTick0) +
		uint64(float64(monotonic()-c.load64(c.processAt(0)+abi.ProcessNs0))*1e-9/c.tickSeconds(0))
}

// look samples the counters. It must be called every few milliseconds.
func (c *collector) look(now time.Time) {
	for e := range c.sum {
		stored := min(c.queued(e), c.capacity(e))
		c.sum[e] += stored
		c.largest[e] = max(c.largest[e], stored)
	}
	c.looks++
	if !c.virtual() && c.pulses.due() {
		c.pulses.add(c.pulse(now))
	}
	c.lookConditions()
	c.read(false)
	c.deliver()
	switch at := c.elapsed(now); {
	case c.limits.Frame == 0:
	case c.virtual(): // the run waits at the end of a frame
		if uint64(c.load32(abi.RunEnded)) > c.frame {
			c.close(float64(c.frame+1) * c.limits.Frame.Seconds())
		}
	case at-c.from >= c.limits.Frame.Seconds():
		c.close(at)
	}
}

// finish reads the remaining data after all processes have ended.
func (c *collector) finish() {
	c.scheduling.close()
	if !c.going {
		return // the processes never started
	}
	c.read(true)
	c.deliver()
	c.close(c.elapsed(c.run.ended))
	c.ended = true
	c.deliver()
	if c.dropped {
		c.notes = append(c.notes, faults.FramesDropped.Notef("xopt dropped frames and logs beyond %d MiB. The totals "+
			"still include them", keepBytes>>20))
	}
}

// close ends the current frame.
func (c *collector) close(at float64) {
	f := &FrameData{Frame: c.frame, Start: c.from, End: at}
	c.frame++
	if !c.virtual() {
		c.store32(abi.RunFrame, uint32(c.frame))
	}
	for e := range c.prog.Edges {
		total := EdgeFrame{c.sent(e), c.consumed(e), c.blocked(e)}
		f.Edges = append(f.Edges, EdgeFrame{since(total.Sent, c.before[e].Sent), since(total.Consumed,
			c.before[e].Consumed),
			max(total.Blocked-c.before[e].Blocked, 0)})
		c.before[e] = total
	}
	for i := range c.prog.Points {
		total := c.load64(c.prog.Points[i].At)
		f.Points = append(f.Points, since(total, c.passed[i]))
		c.passed[i] = total
	}
	for k := range c.prog.Kernels {
		total := KernelFrame{Calls: c.calls(k), Busy: c.busy(k)}
		f.Kernels = append(f.Kernels, KernelFrame{Calls: since(total.Calls, c.worked[k].Calls),
			Busy: max(total.Busy-c.worked[k].Busy, 0)})
		c.worked[k] = total
	}
	for i, x := range c.spent() {
		if i == len(c.spentBefore) {
			c.spentBefore = append(c.spentBefore, rtl.Spent{})
		}
		f.Spent = append(f.Spent, FrameSpent{x.Kernel, x.Since(&c.spentBefore[i])})
		c.spentBefore[i] = x.Spent
	}
	c.share(f)
	f.Conditions = slices.Clone(c.conditions)
	clear(c.conditions)
	if c.virtual() { // the run waits for the reader
		c.store32(abi.RunFrame, uint32(c.frame))
	}
	c.from = at
	c.pending = f
}

// forget drops the frames and pulses that end after a given time of the run, because their figures were overwritten.
func (c *collector) forget(after float64) {
	c.frames = slices.DeleteFunc(c.frames, func(f FrameData) bool { return f.End > after })
	c.pulses.list = slices.DeleteFunc(c.pulses.list, func(p pulse) bool { return p.at > after })
	if c.pending != nil && c.pending.End > after {
		c.pending = nil
	}
}

// since returns the increase of a nondecreasing counter.
func since(now, before uint64) uint64 { return max(now, before) - before }

// deliver adds the data of the taps to a finished frame and delivers it.
func (c *collector) deliver() {
	f := c.pending
	if f == nil {
		return
	}
	c.pending = nil
	f.Taps = make([]TapFrame, len(c.taps))
	f.Data = c.data
	f.Logs = make([][]result.Logged, len(c.taps))
	for i := range c.taps {
		if t := &c.prog.Taps[i]; t.Slots > 0 && t.Frame == 0 {
			f.Taps[i] = c.slot(t, f.Frame)
			c.taps[i].Total.Add(&f.Taps[i].Summary)
		}
		n := 0
		for n < len(c.logs[i]) && (c.ended || c.logs[i][n].Time < f.End) {
			n++
		}
		f.Logs[i] = c.logs[i][:n:n]
		c.logs[i] = slices.Clone(c.logs[i][n:])
	}
	c.data = make([][]TapFrame, len(c.taps))
	if size := f.bytes(); c.kept+size <= keepBytes {
		c.kept += size
		c.frames = append(c.frames, *f)
	} else {
		c.dropped = true
	}
	if c.limits.OnFrame != nil {
		c.limits.OnFrame(f)
	}
}

// bytes returns the approximate size of a frame in memory.
func (f *FrameData) bytes() int {
	n := 64 + 24*len(f.Edges)
	for i := range f.Taps {
		n += 100 + 8*len(f.Taps[i].Histogram) + 24*len(f.Logs[i])
		for j := range f.Data[i] {
			n += 100 + 8*len(f.Data[i][j].Histogram)
		}
	}
	return n
}

// read reads the logs and the completed data frames. If final is set, it reads all data frames.
func (c *collector) read(final bool) {
	for i := range c.taps {
		t := &c.prog.Taps[i]
		if t.Kind == program.Record {
			if final {
				c.taps[i].Recorded = c.recorded(t)
			}
			continue
		}
		if t.Trace > 0 {
			c.readLog(i, t)
		}
		if t.Frame > 0 && t.Slots > 0 {
			c.readData(i, t, final)
		}
	}
}

// recorded copies the elements that a tap recorded.
func (c *collector) recorded(t *program.PlacedTap) []byte {
	from := t.LogAt()
	maximum := uint64(t.Trace) * abi.TraceBytes / c.prog.Edges[t.Edge].ElementBytes
	return slices.Clone(c.mem[from : from+min(c.load64(t.At+abi.TapTraced), maximum)*c.prog.Edges[t.Edge].ElementBytes])
}

// readLog reads the new values of a log.
func (c *collector) readLog(i int, t *program.PlacedTap) {
	entries := t.LogAt()
	first := c.drained[i]
	last := min(max(c.load64(t.At+abi.TapTraced), first), first+uint64(t.Trace))
	c.drained[i] = last
	lost := c.load64(t.At + abi.TapLost)
	if lost > maxFigure {
		c.distrustTap(t)
		lost = 0
	}
	c.taps[i].Lost = lost + c.unkept[i]
	process := c.tapProcess(t)
	for n := first; n < last && (t.Logged == 0 || c.logged[i] < t.Logged); n++ {
		if (len(c.logs[i])+1)*abi.TraceBytes > keepLogs/len(c.taps) {
			c.unkept[i] += last - n
			c.taps[i].Lost += last - n
			c.dropped = true
			break
		}
		c.logged[i]++
		at := entries + n%uint64(t.Trace)*abi.TraceBytes
		x := result.Logged{Index: c.load64(at + abi.TraceIndex), Time: c.seconds(c.load64(at+abi.TraceTick), process),
			Value: math.Float64frombits(c.load64(at + abi.TraceValue))}
		if x.Index > maxFigure || !ofData(t) && !(math.Abs(x.Value) <= maxFigure) {
			c.distrustTap(t)
			break
		}
		c.logs[i] = append(c.logs[i], x)
	}
	c.store64(t.At+abi.TapDrained, last)
}

// readData reads the data frames whose elements have all been counted.
func (c *collector) readData(i int, t *program.PlacedTap, final bool) {
	excess := c.counted(t) / t.Frame
	if final {
		excess++
	}
	if n := uint64(t.Slots); excess > c.next[i]+n {
		c.next[i] = excess - n // the slots of the earlier frames have been overwritten
	}
	for ; c.next[i] < excess; c.next[i]++ {
		f := c.slot(t, c.next[i])
		if f.Samples == 0 {
			if !final && t.When == nil { // with a condition, a frame may have no samples
				c.taps[i].Missed++
			}
			continue
		}
		c.taps[i].Total.Add(&f.Summary)
		c.data[i] = append(c.data[i], f)
	}
}

// counted returns a lower bound on the number of elements that a tap has seen. Each element is recorded before it is
// published.
func (c *collector) counted(t *program.PlacedTap) uint64 {
	switch t.Kind {
	case program.Latency:
		return c.returned(t.Path[len(t.Path)-1])
	case program.Service:
		return c.firings(t.Kernel, c.returned, c.shown)
	case program.Consumed:
		return c.returned(t.Edge)
	}
	return c.shown(t.Edge)
}

// slot reads the data of a tap for a frame. The summary has no samples if there are no data.
func (c *collector) slot(t *program.PlacedTap, frame uint64) TapFrame {
	at := t.SlotAt(frame)
	f := TapFrame{Frame: frame}
	if c.load64(at+abi.TapSlotFrame) != frame+1 {
		return f
	}
	number := func(at uint64) float64 { return math.Float64frombits(c.load64(at)) }
	f.Samples = c.load64(at + abi.TapSlotSamples)
	f.Weight, f.Sum = number(at+abi.TapSlotWeight), number(at+abi.TapSlotSum)
	f.Squares, f.Min, f.Max = number(at+abi.TapSlotSquares), number(at+abi.TapSlotMin), number(at+abi.TapSlotMax)
	f.Products = number(at + abi.TapSlotProducts)
	f.Below, f.Above = number(at+abi.TapSlotBelow), number(at+abi.TapSlotAbove)
	for b := range uint64(t.Bins.N) {
		f.Histogram = append(f.Histogram, number(abi.TapSlotBinAt(at, b)))
	}
	if c.load64(at+abi.TapSlotFrame) != frame+1 { // overwritten by a later frame during the read
		return TapFrame{Frame: frame}
	}
	if !f.possible(ofData(t)) {
		c.distrustTap(t)
		return TapFrame{Frame: frame}
	}
	return f
}

// distrustTap records that the figures of a tap are impossible.
func (c *collector) distrustTap(t *program.PlacedTap) {
	k := t.Owner(c.prog)
	c.watch.distrust("impossible figures of a tap of kernel "+c.prog.Kernels[k].Name, k)
}

// ofData reports whether a tap samples the values of elements, which may be any number or NaN.
func ofData(t *program.PlacedTap) bool { return t.Kind == program.Value || t.Kind == program.Probed }

// possible reports whether samples can have this summary.
func (s *Summary) possible(data bool) bool {
	if s.Samples > maxFigure {
		return false
	}
	for _, w := range append([]float64{s.Weight, s.Below, s.Above}, s.Histogram...) {
		if !(w >= 0 && w <= maxFigure) {
			return false
		}
	}
	const maximum = 1e30 // limit for a time in s or a count, and for their squares
	for _, v := range [...]float64{s.Sum, s.Min, s.Max, s.Products} {
		if !data && !(math.Abs(v) <= maximum) {
			return false
		}
	}
	squares := s.Squares >= 0 && s.Squares <= maximum || math.IsNaN(s.Squares) // taps in hardware compute no squares
	return data || squares && s.Products >= 0
}

// blocked returns the time in seconds for which the writer of an edge has waited for space.
func (r *run) blocked(e int) float64 {
	at := r.prog.Edges[e].Control
	process := r.prog.Kernels[r.prog.Edges[e].From].Process
	ticks := r.load64(at + abi.RingBlocked)
	if since := r.load64(at + abi.RingBlockedSince); since != 0 && since >= r.collector.started(process) {
		if now := r.collector.ticks(process); now > since {
			ticks += now - since
		}
	}
	return float64(ticks) * r.tickSeconds(process)
}

// started returns the value of a process's clock at the start of the run.
func (c *collector) started(process int) uint64 {
	if c.starts != nil {
		return c.starts[c.prog.Processes[process].Host]
	}
	return c.startTick
}

// tapProcess returns the process whose clock a tap uses.
func (c *collector) tapProcess(t *program.PlacedTap) int {
	if c.starts == nil {
		return 0 // all processes use the same clock
	}
	return c.prog.Kernels[t.Owner(c.prog)].Process
}

// ticks returns the current clock of a process, or its clock at the end of the run.
func (c *collector) ticks(process int) uint64 {
	if c.virtual() {
		return c.load64(abi.RunNow)
	}
	now := time.Now()
	if c.run.ended.After(c.run.started) {
		now = c.run.ended
	}
	return c.started(process) + uint64(max(now.Sub(c.run.started).Seconds(), 0)/c.tickSeconds(0))
}

// seconds converts ticks of a process to seconds since the start of the run.
func (c *collector) seconds(tick uint64, process int) float64 {
	return float64(int64(tick-c.started(process))) * c.tickSeconds(0)
}

// tickSeconds returns the length in seconds of a tick of the clock in runtime/clock.h. A process reads this clock and
// the monotonic clock twice at its start and once at its end. The length follows from the first and the last of these
// readings.
func (r *run) tickSeconds(process int) float64 {
	seconds, _ := r.tick(process)
	return seconds
}

// tick returns the length of a tick, and whether it was measured. A process that ended immediately has no measurement,
// and tick assumes 1 ns.
func (r *run) tick(process int) (seconds float64, measured bool) {
	at := r.processAt(process)
	tick, now := uint64(abi.ProcessTick1), uint64(abi.ProcessNs1)
	if r.done(process) && r.load64(at+abi.ProcessTick2) != 0 {
		tick, now = abi.ProcessTick2, abi.ProcessNs2
	}
	ticks, ns := r.load64(at+tick)-r.load64(at+abi.ProcessTick0), r.load64(at+now)-r.load64(at+abi.ProcessNs0)
	if ticks == 0 || ns == 0 {
		return 1e-9, false
	}
	return 1e-9 * float64(ns) / float64(ticks), true
}

// monotonic returns CLOCK_MONOTONIC in ns.
func monotonic() uint64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0
	}
	return uint64(t.Nano())
}

// packets returns the traffic on links.
func (r *run) packets() (list []result.LinkPackets) {
	const ps = 1e-12
	for _, x := range r.prog.Packets {
		figure := func(offset uint64) uint64 {
			return r.watch.figure(x.At+offset, "a figure of the packets on "+x.Link, r.prog.Edges[x.Edge].From)
		}
		l := result.LinkPackets{Index: x.Edge, Link: x.Link, Packets: figure(abi.PacketsCount),
			Bytes: figure(abi.PacketsSum), Smallest: figure(abi.PacketsSmallest),
			Largest: figure(abi.PacketsLargest), Quickest: ps * float64(figure(abi.PacketsQuickest)),
			Slowest: ps * float64(figure(abi.PacketsSlowest))}
		if l.Packets > 0 {
			l.Latency = ps * float64(figure(abi.PacketsLatency)) / float64(l.Packets)
		}
		list = append(list, l)
	}
	return list
}

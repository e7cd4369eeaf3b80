package run

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"

	"xopt/deploy/abi"
	"xopt/deploy/program"
	"xopt/internal/units"
)

// watcher checks the plausibility of the processes' data in shared memory. Kernels are users' code and can write
// anywhere in this memory, so xopt uses only checked data. The watcher stores the last valid state, so that xopt can
// report the measurement until then.
type watcher struct {
	*run
	sent, consumed, calls, busy []uint64 // values at the last sample, which never decrease
	clock                       [][4]uint64
	now                         uint64 // virtual time in ps
	good                        []byte // control structures at the last sample
	copied                      []byte // control structures at this sample, until they are checked
	kept                        time.Time
	waits, blocked              []uint64
	damage                      *damage // the first impossible figure; nil for none
	host                        int     // host of this memory, for a part of a run over hosts; otherwise -1
}

// damage is an impossible figure in shared memory. kernel is the owner of the figure; -1 for none.
type damage struct {
	what   string
	kernel int
}

func newWatcher(r *run) *watcher {
	edges, kernels := len(r.prog.Edges), len(r.prog.Kernels)
	return &watcher{run: r, sent: make([]uint64, edges), consumed: make([]uint64, edges), calls: make([]uint64,
		kernels),
		busy: make([]uint64, kernels), waits: make([]uint64, edges), blocked: make([]uint64, edges), host: -1}
}

// start records the initial state. It must be called when all processes are ready, before their kernels start. The data
// about the processes' clocks do not change afterwards.
func (w *watcher) start() {
	defer w.parts.freeze()()
	for i := range w.prog.Processes {
		w.clock = append(w.clock, w.clockOf(i))
	}
}

func (w *watcher) clockOf(process int) (c [4]uint64) {
	for i, at := range []uint64{abi.ProcessTick0, abi.ProcessNs0, abi.ProcessTick1, abi.ProcessNs1} {
		c[i] = w.load64(w.processAt(process) + at)
	}
	return c
}

// These limits are for large applications, where a copy of the state would cost more than a sample. If the control
// structures exceed keepOftenBytes, look copies and checks the complete state only once per keepSeldom.
const (
	keepOftenBytes = 256 << 10
	keepSeldom     = 500 * time.Millisecond
)

// look checks the shared memory and returns an impossible figure, or nil. It copies the state before the check, because
// kernels run in the meantime. The check finds damage from before the copy, and the copy does not contain later damage.
func (w *watcher) look(now time.Time) *damage {
	defer w.parts.freeze()()
	complete := w.prog.Controls <= keepOftenBytes || now.Sub(w.kept) > keepSeldom
	if w.damage == nil && complete {
		w.copied = append(w.copied[:0], w.mem[:w.prog.Controls]...)
	}
	if w.damage == nil {
		w.damage = w.find(complete)
	}
	if w.damage == nil && complete {
		w.good, w.copied, w.kept = w.copied, w.good, now
	}
	return w.damage
}

// distrust records an impossible figure found while reading figures. It ends the run.
func (w *watcher) distrust(what string, kernel int) {
	if w.damage == nil {
		w.damage = &damage{what, kernel}
	}
}

// maxFigure is the maximum valid value of a counter. It is above all real counts. Sums of larger values could overflow.
const maxFigure = 1 << 62

// figure returns a counter in shared memory; 0 if its value is impossible. kernel is the owner of the counter; -1 for
// none.
func (w *watcher) figure(at uint64, what string, kernel int) uint64 {
	v := w.load64(at)
	if v > maxFigure {
		w.distrust(fmt.Sprintf("%s is %d", what, v), kernel)
		return 0
	}
	return v
}

// restore restores the last valid state and drops later data. The processes must have ended.
func (w *watcher) restore() {
	if w.damage != nil && w.good != nil {
		copy(w.mem, w.good)
	} else if w.damage != nil {
		clear(w.mem[:w.prog.Controls])
	}
	if w.damage != nil && w.clock != nil {
		w.collector.forget(w.elapsed(w.kept))
	}
}

func (w *watcher) find(complete bool) *damage {
	if w.parts == nil {
		if d := w.findControl(); d != nil {
			return d
		}
	}
	for i := range w.prog.Processes {
		if d := w.findProcess(i); d != nil {
			return d
		}
	}
	for k := range w.prog.Kernels {
		if d := w.findKernel(k); d != nil {
			return d
		}
	}
	for e := range w.prog.Edges {
		if d := w.findEdge(e); d != nil {
			return d
		}
	}
	for i := range w.prog.Taps {
		if d := w.findTap(i); d != nil {
			return d
		}
	}
	if !complete || w.parts != nil {
		return nil
	}
	var empty [abi.PageBytes]byte
	for _, s := range w.prog.Slack {
		if !bytes.Equal(w.mem[s[0]:s[1]], empty[:s[1]-s[0]]) {
			return &damage{"the unused memory behind the counters is not zero", -1}
		}
	}
	return nil
}

// findControl checks the data that only xopt writes, and the virtual time.
func (w *watcher) findControl() *damage {
	going, frame := uint32(0), uint64(0)
	if w.collector.going {
		going, frame = 1, w.collector.frame
	}
	if w.load32(abi.RunStart) != going || uint64(w.load32(abi.RunFrame)) != frame || w.load32(abi.RunFinished) > 1 {
		return &damage{"the start signal and the frame number were overwritten", -1}
	}
	if !w.virtual() {
		return nil
	}
	at := w.load64(abi.RunNow)
	if at < w.now || at > math.MaxInt64 || w.load64(abi.RunLimit) != uint64(w.limits.Time.Nanoseconds())*1000 ||
		w.load64(abi.RunFrameLength) != uint64(w.limits.Frame.Nanoseconds())*1000 ||
		uint64(w.load32(abi.RunEnded)) > frame+1 || w.load64(abi.RunPulses) > abi.Pulses {
		return &damage{"the virtual time is out of range", -1}
	}
	w.now = at
	return nil
}

// findProcess checks the data of a process.
func (w *watcher) findProcess(i int) *damage {
	at := w.processAt(i)
	kernel := int32(w.load32(at + abi.ProcessKernel))
	switch {
	case w.load32(at+abi.ProcessReady) > 1 || w.load32(at+abi.ProcessDone) > 1 || w.load32(at+abi.ProcessSleeping) > 1,
		kernel < -1 || int(kernel) >= len(w.prog.Order) || kernel >= 0 &&
			w.prog.Kernels[w.prog.Order[kernel]].Process != i:
		return &damage{"the state of the process of " + w.prog.Processes[i].Name + " is invalid",
			w.owner(i)}
	case w.clock != nil && w.clock[i] != w.clockOf(i):
		return &damage{"the clock of the process of " + w.prog.Processes[i].Name + " has changed", w.owner(i)}
	}
	if s := w.tickSeconds(i); w.clock != nil && !(s > 1e-13 && s < 1e-5) {
		return &damage{fmt.Sprintf("the clock of the process of %s has a period of %.3g s, which is impossible",
			w.prog.Processes[i].Name,
			s), w.owner(i)}
	}
	return nil
}

// findKernel checks the work of a kernel. It reads the elapsed time after the kernel's counters, because on a busy
// machine seconds can pass between two statements while the kernel continues.
func (w *watcher) findKernel(k int) *damage {
	calls, busy := w.load64(w.kernelAt(k)+abi.KernelCalls), w.load64(w.kernelAt(k)+abi.KernelBusy)
	elapsed := time.Since(w.run.started).Seconds()
	if calls < w.calls[k] || busy < w.busy[k] || !w.virtual() && w.clock != nil &&
		float64(busy)*w.tickSeconds(w.prog.Kernels[k].Process) > 2*elapsed+1 {
		return &damage{fmt.Sprintf("the counters of kernel %s are impossible: %d calls and %d ticks of work, after "+
			"%d calls and %d ticks",
			w.prog.Kernels[k].Name, calls, busy, w.calls[k], w.busy[k]), k}
	}
	w.calls[k], w.busy[k] = calls, busy
	return nil
}

// findEdge checks the counters of both ends of an edge.
func (w *watcher) findEdge(e int) *damage {
	edge := &w.prog.Edges[e]
	shown, returned := w.shown(e), w.returned(e)
	before := w.run.tail(e) // read first, because elements move in the meantime
	sent := w.run.head(e)
	used := w.run.tail(e)
	owner := edge.From
	if before < w.consumed[e] || before > sent && !edge.Way.Crosses() || used > maxFigure {
		owner = edge.To
	}
	bad := sent < w.sent[e] || before < w.consumed[e] || used < before || sent > maxFigure || used > maxFigure
	// The counts of both ends were read at the same time only if their processes share this memory.
	if !w.prog.Kernels[edge.From].OnFPGA && !w.prog.Kernels[edge.To].OnFPGA && !edge.Way.Crosses() &&
		w.parts == nil {
		bad = bad || before > sent || sent > used+w.capacity(e) && !w.abandoned(e)
		bad = bad || !w.virtual() && (shown > sent || returned > used)
	}
	if bad {
		return &damage{fmt.Sprintf("the counters of edge %s contradict each other: %s elements written, %d read, "+
			"buffer size %d",
			edge.Name, units.Elements(sent), used, w.capacity(e)), owner}
	}
	w.sent[e], w.consumed[e] = sent, used
	return w.findWaits(e)
}

// findWaits checks the time for which the writer of an edge waited for space.
func (w *watcher) findWaits(e int) *damage {
	edge := &w.prog.Edges[e]
	waits, blocked := w.load64(edge.Control+abi.RingWaits), w.load64(edge.Control+abi.RingBlocked)
	elapsed := time.Since(w.run.started).Seconds()
	if waits < w.waits[e] || blocked < w.blocked[e] || waits > maxFigure || blocked > maxFigure ||
		!w.virtual() && w.clock != nil &&
			float64(blocked)*w.tickSeconds(w.prog.Kernels[edge.From].Process) > 2*elapsed+1 {
		return &damage{fmt.Sprintf("the writer of edge %s has impossible counters: %d waits (%d ticks), after %d "+
			"waits (%d ticks)", edge.Name, waits, blocked, w.waits[e], w.blocked[e]), edge.From}
	}
	w.waits[e], w.blocked[e] = waits, blocked
	return nil
}

// abandoned reports whether an edge closes a loop to a kernel that has ended. Further elements on this edge then need
// no space.
func (w *watcher) abandoned(e int) bool {
	edge := &w.prog.Edges[e]
	return edge.Back && w.load32(w.kernelAt(edge.To)+abi.KernelDone) != 0
}

// findTap checks the amount of data in a tap.
func (w *watcher) findTap(i int) *damage {
	t := &w.prog.Taps[i]
	traced, bad := w.load64(t.At+abi.TapTraced), false
	switch {
	case t.Kind == program.Record:
		bad = traced > uint64(t.Trace)*abi.TraceBytes/w.prog.Edges[t.Edge].ElementBytes
	case t.Trace > 0:
		drained := w.collector.drained[i]
		bad = w.load64(t.At+abi.TapDrained) != drained || traced < drained || traced-drained > uint64(t.Trace)
	}
	if bad {
		return &damage{"the counts of a tap are impossible", t.Owner(w.prog)}
	}
	return nil
}

// overwritten returns the failure of a run whose shared memory is damaged. ended is the kernel that was running when a
// process ended, or -1.
func (w *watcher) overwritten(ended int) *Failure {
	f := &Failure{Kind: "overwritten"}
	by, where := "one of the kernels "+w.kernelNames(), ""
	who := w.damage.kernel
	if who >= 0 && !w.writes(who) {
		who = -1
	}
	if who >= 0 && w.parts != nil {
		where = "on host " + w.parts.list[w.prog.Processes[w.prog.Kernels[who].Process].Host].name + ": "
	}
	switch {
	case ended >= 0:
		f.Kernel = w.prog.Kernels[ended].Name
		by = w.kernelText(ended) + ", whose process ended, or by another kernel of the run"
	case who >= 0:
		f.Kernel = w.prog.Kernels[who].Name
		by = w.kernelText(who) + " or by another kernel of the run"
	}
	f.Text = fmt.Sprintf("%sshared memory was overwritten by %s: %s. The figures are from before the damage", where, by,
		w.damage.what)
	return f
}

// writes reports whether a kernel runs on the host of the watched memory, and can therefore write to this memory.
func (w *watcher) writes(kernel int) bool {
	return w.host < 0 || w.prog.Processes[w.prog.Kernels[kernel].Process].Host == w.host
}

// kernelNames lists the kernels that can write to shared memory.
func (w *watcher) kernelNames() string {
	const maximum = 6
	var names []string
	for k := range w.prog.Kernels {
		if w.prog.Kernels[k].OnFPGA || !w.writes(k) {
			continue
		}
		if len(names) == maximum {
			names = append(names, "…")
			break
		}
		names = append(names, w.prog.Kernels[k].Name)
	}
	return strings.Join(names, ", ")
}

// brokenFence returns the failure of a kernel that wrote past its space in the buffer of an edge; nil if there is none.
// It finds writes that the kernel's process did not detect (runtime/overrun.c). The processes must have ended.
func (r *run) brokenFence() *Failure {
	for e := range r.prog.Edges {
		if r.prog.Kernels[r.prog.Edges[e].From].OnFPGA {
			continue
		}
		at := r.prog.Edges[e].Writer
		head, limit := r.load64(at+abi.WriterHead), r.load64(at+abi.WriterLimit)
		if r.load64(at+abi.WriterFenced) != abi.FencedRing || limit-head > r.capacity(e) {
			continue
		}
		var found [abi.FenceBytes]byte
		area, bytes := r.grower.area(e)
		from := (limit + uint64(r.prog.Edges[e].First)) * r.prog.Edges[e].ElementBytes % bytes
		for i := range found {
			found[i] = r.mem[area+(from+uint64(i))%bytes]
		}
		if binary.LittleEndian.Uint64(found[:]) == abi.Fence {
			continue
		}
		k := r.prog.Edges[e].From
		port := r.prog.Kernels[k].Outputs[r.prog.Edges[e].FromPort].Name
		return &Failure{Kind: "overrun", Kernel: r.prog.Kernels[k].Name,
			Text: fmt.Sprintf("%s wrote beyond its space on output %s (edge %s), after %s (--guard shows the firing)",
				r.sourceText(k), port, r.prog.Edges[e].Name, r.lastProgress(k))}
	}
	return nil
}

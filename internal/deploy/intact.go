package deploy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// watcher looks whether what the processes show of themselves in shared memory can be.
// Kernels are users' code, and any of them can write anywhere in it: what is read there is
// believed only as far as it was checked. It keeps the last state that was whole, so that
// what was measured until then can be reported.
type watcher struct {
	*run
	sent, taken, calls, busy []uint64 // at the last look: they never go back
	clock                    [][4]uint64
	now                      uint64 // of a virtual run, in ps
	good                     []byte // the control structures, as they were at the last look
	kept                     time.Time
	damage                   *damage // found
}

// damage is what in shared memory cannot be, and whose it was; -1 for nobody's.
type damage struct {
	what   string
	kernel int
}

func newWatcher(r *run) *watcher {
	edges, kernels := len(r.program.Edges), len(r.program.Kernels)
	return &watcher{run: r, sent: make([]uint64, edges), taken: make([]uint64, edges), calls: make([]uint64, kernels),
		busy: make([]uint64, kernels)}
}

// begin is called before the processes go: what they have said of their clocks does not
// change from then on.
func (w *watcher) begin() {
	for i := range w.processes {
		w.clock = append(w.clock, w.clockOf(i))
	}
}

func (w *watcher) clockOf(process int) (c [4]uint64) {
	for i, at := range []uint64{processTick0, processNs0, processTick1, processNs1} {
		c[i] = w.load64(w.processAt(process) + at)
	}
	return c
}

// Copying the state, and looking between its parts, would cost a large application more than
// the looks, if that were done at each.
const (
	keepOftenBytes = 256 << 10
	keepSeldom     = 500 * time.Millisecond
)

// look returns what cannot be, or nil.
func (w *watcher) look(now time.Time) *damage {
	whole := w.layout.controls <= keepOftenBytes || now.Sub(w.kept) > keepSeldom
	if w.damage == nil {
		w.damage = w.find(now, whole)
	}
	if w.damage == nil && whole {
		w.good, w.kept = append(w.good[:0], w.mem[:w.layout.controls]...), now
	}
	return w.damage
}

// restore puts back what was last whole. The processes must have ended.
func (w *watcher) restore() {
	if w.damage != nil && w.good != nil {
		copy(w.mem, w.good)
	} else if w.damage != nil {
		clear(w.mem[:w.layout.controls])
	}
}

func (w *watcher) find(now time.Time, whole bool) *damage {
	if d := w.findControl(); d != nil {
		return d
	}
	elapsed := now.Sub(w.run.begin).Seconds()
	for i := range w.processes {
		if d := w.findProcess(i); d != nil {
			return d
		}
	}
	for k := range w.program.Kernels {
		if d := w.findKernel(k, elapsed); d != nil {
			return d
		}
	}
	for e := range w.program.Edges {
		if d := w.findEdge(e); d != nil {
			return d
		}
	}
	for i := range w.plan.taps {
		if d := w.findTap(i); d != nil {
			return d
		}
	}
	if !whole {
		return nil
	}
	var empty [pageBytes]byte
	for _, s := range w.layout.slack {
		if !bytes.Equal(w.mem[s[0]:s[1]], empty[:s[1]-s[0]]) {
			return &damage{"what lies behind the counters is not empty", -1}
		}
	}
	return nil
}

// findControl checks what only xopt writes, and how far a virtual run has come.
func (w *watcher) findControl() *damage {
	going, frame := uint32(0), uint64(0)
	if w.collector.going {
		going, frame = 1, w.collector.frame
	}
	if w.load32(runStart) != going || uint64(w.load32(runFrame)) != frame || w.load32(runOver) > 1 {
		return &damage{"the start signal and the number of the frame are not those that xopt gave", -1}
	}
	if !w.virtual() {
		return nil
	}
	at := w.load64(runNow)
	if at < w.now || at > math.MaxInt64 || w.load64(runLimit) != uint64(w.limits.Time.Nanoseconds())*1000 ||
		w.load64(runFrameLength) != uint64(w.limits.Frame.Nanoseconds())*1000 || uint64(w.load32(runEnded)) > frame+1 {
		return &damage{"the virtual time is not what it can be", -1}
	}
	w.now = at
	return nil
}

// findProcess checks what a process shows of itself.
func (w *watcher) findProcess(i int) *damage {
	at := w.processAt(i)
	owner := slices.Index(w.process, i)
	kernel := int32(w.load32(at + processKernel))
	switch {
	case w.load32(at+processReady) > 1 || w.load32(at+processDone) > 1 || w.load32(at+processSleeping) > 1,
		kernel < -1 || int(kernel) >= len(w.order) || kernel >= 0 && w.process[w.order[kernel]] != i:
		return &damage{"the state of the process of " + w.processes[i].name + " is none that it can be in", owner}
	case w.clock != nil && w.clock[i] != w.clockOf(i):
		return &damage{"the clock of the process of " + w.processes[i].name + " has changed", owner}
	}
	if s := w.tickSeconds(i); w.clock != nil && !(s > 1e-13 && s < 1e-5) {
		return &damage{fmt.Sprintf("the clock of the process of %s is said to tick every %.3g s", w.processes[i].name,
			s), owner}
	}
	return nil
}

// findKernel checks what a kernel has worked.
func (w *watcher) findKernel(k int, elapsed float64) *damage {
	calls, busy := w.load64(w.kernelAt(k)+kernelCalls), w.load64(w.kernelAt(k)+kernelBusy)
	if calls < w.calls[k] || busy < w.busy[k] || !w.virtual() && w.clock != nil &&
		float64(busy)*w.tickSeconds(w.process[k]) > 2*elapsed+1 {
		return &damage{fmt.Sprintf("kernel %s is said to have been called %d times and to have worked for %d ticks, "+
			"%d and %d before", w.program.Kernels[k].Name, calls, busy, w.calls[k], w.busy[k]), k}
	}
	w.calls[k], w.busy[k] = calls, busy
	return nil
}

// findEdge checks what has gone into an edge and out of it.
func (w *watcher) findEdge(e int) *damage {
	edge := &w.program.Edges[e]
	shown, returned := w.shown(e), w.returned(e)
	before := w.run.taken(e) // first: more is sent meanwhile, and more is taken
	sent := w.run.sent(e)
	taken := w.run.taken(e)
	owner := edge.From
	if before < w.taken[e] || before > sent {
		owner = edge.To
	}
	bad := sent < w.sent[e] || before < w.taken[e] || taken < before
	if !w.onFPGA(edge.From) && !w.onFPGA(edge.To) {
		bad = bad || before > sent || sent > taken+uint64(w.capacity[e])
		bad = bad || !w.virtual() && (shown > sent || returned > taken)
	}
	if bad {
		return &damage{fmt.Sprintf("edge %s is said to have taken %d elements in and given %d, with room for %d",
			edge.Name, sent, taken, w.capacity[e]), owner}
	}
	w.sent[e], w.taken[e] = sent, taken
	return nil
}

// findTap checks how much a tap says that it has.
func (w *watcher) findTap(i int) *damage {
	t := &w.plan.taps[i]
	traced, bad := w.load64(t.at+tapTraced), false
	switch {
	case t.Kind == Record:
		bad = traced > uint64(t.Trace)*traceBytes/w.element[t.Edge]
	case t.Trace > 0:
		drained := w.collector.drained[i]
		bad = w.load64(t.at+tapDrained) != drained || traced < drained || traced-drained > uint64(t.Trace)
	}
	if bad {
		return &damage{"what a tap has counted cannot be", w.tapKernel(t)}
	}
	return nil
}

// tapKernel is whose process writes a tap.
func (w *watcher) tapKernel(t *tap) int {
	if t.Kind == Service {
		return t.Kernel
	}
	return w.program.Edges[t.Edges()[0]].From
}

// overwritten is the failure of a run whose shared memory is damaged; ended, if not -1, is
// the kernel that was running when a process ended.
func (w *watcher) overwritten(ended int) *Failure {
	f := &Failure{Kind: "overwritten"}
	by := "one of the kernels " + w.kernelNames()
	switch who := w.damage.kernel; {
	case ended >= 0:
		f.Kernel = w.program.Kernels[ended].Name
		by = w.kernelText(ended) + ", whose process it ended, or a neighbour"
	case who >= 0:
		f.Kernel = w.program.Kernels[who].Name
		by = w.kernelText(who) + " or a neighbour"
	}
	f.Text = fmt.Sprintf("shared memory was overwritten, by %s: %s; figures are those before it", by, w.damage.what)
	return f
}

// kernelNames lists the kernels that can write to shared memory.
func (w *watcher) kernelNames() string {
	const most = 6
	var names []string
	for k := range w.program.Kernels {
		if w.onFPGA(k) {
			continue
		}
		if len(names) == most {
			names = append(names, "…")
			break
		}
		names = append(names, w.program.Kernels[k].Name)
	}
	return strings.Join(names, ", ")
}

// brokenFence finds an edge whose writer has written past the room that it had, and has
// not been told so itself (runtime/overrun.c). The processes must have ended.
func (r *run) brokenFence() *Failure {
	for e := range r.program.Edges {
		if r.onFPGA(r.program.Edges[e].From) {
			continue
		}
		at := r.layout.writer[e]
		head, limit := r.load64(at+endCount), r.load64(at+endLimit)
		if r.load64(at+endFenced) != 1 || limit-head > uint64(r.capacity[e]) {
			continue
		}
		var found [fenceBytes]byte
		from := limit * r.element[e] % r.ring[e]
		for i := range found {
			found[i] = r.mem[r.layout.data[e]+(from+uint64(i))%r.ring[e]]
		}
		if binary.LittleEndian.Uint64(found[:]) == fence {
			continue
		}
		k := r.program.Edges[e].From
		port := r.program.Kernels[k].Outputs[r.program.Edges[e].FromPort].Name
		return &Failure{"overrun", r.program.Kernels[k].Name,
			fmt.Sprintf("%s wrote past the room that it had on output %s (edge %s), after %s; --guard tells in "+
				"which firing",
				r.kernelText(k), port, r.program.Edges[e].Name, r.lastProgress(k))}
	}
	return nil
}

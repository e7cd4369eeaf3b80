package run

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"unsafe"

	"xopt/deploy/abi"
	"xopt/internal/units"
)

// load32 and load64 atomically read values that the processes write. The offsets must be aligned.
func (r *run) load32(at uint64) uint32 {
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&r.mem[at])))
}

func (r *run) load64(at uint64) uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&r.mem[at])))
}

func (r *run) store32(at uint64, v uint32) {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&r.mem[at])), v)
}

func (r *run) store64(at uint64, v uint64) {
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&r.mem[at])), v)
}

func (r *run) processAt(i int) uint64 { return r.prog.Processes[i].Control }

// kernelAt returns the offset of the control structure of a kernel in shared memory.
func (r *run) kernelAt(k int) uint64 { return r.prog.Kernels[k].Control }

func (r *run) allReady() bool {
	defer r.parts.freeze()()
	for i := range r.prog.Processes {
		if r.load32(r.processAt(i)+abi.ProcessReady) == 0 {
			return false
		}
	}
	return true
}

func (r *run) done(i int) bool { return r.load32(r.processAt(i)+abi.ProcessDone) != 0 }

// calls returns the number of completed function calls of a kernel.
func (r *run) calls(k int) uint64 { return r.load64(r.kernelAt(k) + abi.KernelCalls) }

// kernelIn returns the kernel whose code a process runs. It returns -1 if there is none, or if the value in shared
// memory is not a kernel of the process.
func (r *run) kernelIn(i int) int {
	n := int32(r.load32(r.processAt(i) + abi.ProcessKernel))
	if n < 0 || int(n) >= len(r.prog.Order) || r.prog.Kernels[r.prog.Order[n]].Process != i {
		return -1
	}
	return r.prog.Order[n]
}

// message returns the text that a kernel passed to X_fail.
func (r *run) message(i int) string {
	text := r.mem[r.processAt(i)+abi.ProcessMessage : r.processAt(i)+abi.ProcessMessage+abi.MessageBytes]
	if n := bytes.IndexByte(text, 0); n >= 0 {
		text = text[:n]
	}
	return strings.ToValidUTF8(string(text), "?")
}

// progress returns a number that changes whenever an element moves.
func (r *run) progress() uint64 {
	sum := uint64(0)
	for e := range r.prog.Edges {
		sum += r.sent(e) + r.tail(e)
	}
	return sum
}

// sent returns the number of elements sent on an edge, without its initial elements. Like tail, it reads the counter of
// the edge's end, which is ahead of the published counter.
func (r *run) sent(e int) uint64 { return since(r.head(e), uint64(r.prog.Edges[e].Initial)) }

// head returns the writer's count of elements, including the initial elements even before the writer's process starts.
func (r *run) head(e int) uint64 {
	return max(r.load64(r.prog.Edges[e].Writer+abi.WriterHead), uint64(r.prog.Edges[e].Initial))
}

func (r *run) tail(e int) uint64 {
	return r.load64(r.prog.Edges[e].Reader + abi.ReaderTail)
}

// passed returns the number of consumed elements that belong to other copies of the kernel.
func (r *run) passed(e int) uint64 {
	return min(r.load64(r.prog.Edges[e].Control+abi.RingPassed), r.tail(e))
}

// consumed returns the number of elements that the reader of an edge has consumed, without the elements of other
// copies.
func (r *run) consumed(e int) uint64 {
	passed := r.passed(e)
	return r.tail(e) - passed
}

// fill writes the initial elements of edges to shared memory, which is initially zero.
func (r *run) fill() {
	for e := range r.prog.Edges {
		edge := &r.prog.Edges[e]
		copy(r.mem[edge.Data+uint64(edge.First)*edge.ElementBytes:edge.Data+edge.RingBytes], edge.Values)
		if r.virtual() {
			out, in := r.counted(e)
			r.store64(edge.Control+abi.RingSentCounts, out)
			r.store64(edge.Control+abi.RingTakenCounts, in)
		}
	}
}

// writeTimes writes recorded times to shared memory.
func (r *run) writeTimes() {
	const timeBytes = 8
	for k := range r.prog.Kernels {
		kernel := &r.prog.Kernels[k]
		for i, t := range kernel.Times {
			r.store64(kernel.TimesAt+uint64(i)*timeBytes, t)
		}
	}
}

// shown and returned return the published numbers of sent and released elements of an edge. Taps have recorded at least
// as many elements.
func (r *run) shown(e int) uint64    { return r.load64(r.prog.Edges[e].Control + abi.RingHead) }
func (r *run) returned(e int) uint64 { return r.load64(r.prog.Edges[e].Control + abi.RingTail) }

// progressIn describes the progress of the kernel that was running when its process ended. If kernel is -1, no kernel
// was running, and the text is about all kernels of the process.
func (r *run) progressIn(process, kernel int) string {
	switch {
	case kernel >= 0:
		return r.lastProgress(kernel)
	case r.done(process):
		return "all its kernels had ended"
	}
	var all []string
	for _, k := range r.prog.KernelsOf(process) {
		all = append(all, fmt.Sprintf("%s (%s)", r.prog.Kernels[k].Name, r.lastProgress(k)))
	}
	return "calls of " + listed(all, " and ") + ", and before their next calls"
}

// lastProgress states the numbers of elements that a kernel has consumed and sent.
func (r *run) lastProgress(k int) string {
	var in, out uint64
	for _, port := range r.prog.Kernels[k].Inputs {
		for _, e := range port.Edges {
			in += r.consumed(e)
		}
	}
	for _, port := range r.prog.Kernels[k].Outputs {
		if len(port.Edges) > 0 {
			out += r.sent(port.Edges[0]) // the other edges carry the same data
		}
	}
	return fmt.Sprintf("consuming %s and sending %s", units.Elements(in), units.Elements(out))
}

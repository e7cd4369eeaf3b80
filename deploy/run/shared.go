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

// load32 and load64 read what the processes write; the offsets are aligned.
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

// kernelAt is where the control of a kernel lies.
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

// calls counts how often a kernel's functions have returned.
func (r *run) calls(k int) uint64 { return r.load64(r.kernelAt(k) + abi.KernelCalls) }

// kernelIn returns the kernel whose code a process runs, or -1. What the process shows counts only if it is one of its
// own kernels.
func (r *run) kernelIn(i int) int {
	n := int32(r.load32(r.processAt(i) + abi.ProcessKernel))
	if n < 0 || int(n) >= len(r.prog.Order) || r.prog.Kernels[r.prog.Order[n]].Process != i {
		return -1
	}
	return r.prog.Order[n]
}

// message is what a kernel gave X_fail.
func (r *run) message(i int) string {
	text := r.mem[r.processAt(i)+abi.ProcessMessage : r.processAt(i)+abi.ProcessMessage+abi.MessageBytes]
	if n := bytes.IndexByte(text, 0); n >= 0 {
		text = text[:n]
	}
	return strings.ToValidUTF8(string(text), "?")
}

// progress is a number that changes whenever an element moves.
func (r *run) progress() uint64 {
	sum := uint64(0)
	for e := range r.prog.Edges {
		sum += r.sent(e) + r.taken(e)
	}
	return sum
}

// sent and taken count the elements that have gone into and out of an edge. They are the ends' own
// counters, ahead of what each has shown to the other. What an edge holds at the start was not sent, and
// is taken.
func (r *run) sent(e int) uint64 { return since(r.head(e), uint64(r.prog.Edges[e].Initial)) }

// head is the writer's count, which begins with the initial elements, once its process has begun.
func (r *run) head(e int) uint64 {
	return max(r.load64(r.prog.Edges[e].Writer+abi.WriterHead), uint64(r.prog.Edges[e].Initial))
}

func (r *run) taken(e int) uint64 {
	return r.load64(r.prog.Edges[e].Reader + abi.ReaderTail)
}

// passed is how many of the elements taken were for other copies of the kernel.
func (r *run) passed(e int) uint64 {
	return min(r.load64(r.prog.Edges[e].Control+abi.RingPassed), r.taken(e))
}

// consumed is how many elements a kernel has taken for itself.
func (r *run) consumed(e int) uint64 {
	passed := r.passed(e)
	return r.taken(e) - passed
}

// fill puts the initial elements of edges into shared memory; it is empty, so that zeros are there.
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

// giveTimes puts recorded times into shared memory.
func (r *run) giveTimes() {
	const timeBytes = 8
	for k := range r.prog.Kernels {
		kernel := &r.prog.Kernels[k]
		for i, t := range kernel.Times {
			r.store64(kernel.TimesAt+uint64(i)*timeBytes, t)
		}
	}
}

// shown and returned are what the ends have shown; taps have recorded that much.
func (r *run) shown(e int) uint64    { return r.load64(r.prog.Edges[e].Control + abi.RingHead) }
func (r *run) returned(e int) uint64 { return r.load64(r.prog.Edges[e].Control + abi.RingTail) }

// progressIn says what a kernel has done that was at work when its process ended; where none was, -1, whether
// all had ended.
func (r *run) progressIn(process, kernel int) string {
	switch {
	case kernel >= 0:
		return r.lastProgress(kernel)
	case r.done(process):
		return "its kernels had ended"
	}
	var all []string
	for _, k := range r.prog.KernelsOf(process) {
		all = append(all, fmt.Sprintf("%s (%s)", r.prog.Kernels[k].Name, r.lastProgress(k)))
	}
	return "calls of " + listed(all, " and ") + ", and before their next"
}

// lastProgress says what a kernel has done.
func (r *run) lastProgress(k int) string {
	var in, out uint64
	for _, port := range r.prog.Kernels[k].Inputs {
		for _, e := range port.Edges {
			in += r.consumed(e)
		}
	}
	for _, port := range r.prog.Kernels[k].Outputs {
		if len(port.Edges) > 0 {
			out += r.sent(port.Edges[0]) // the others carry the same
		}
	}
	return fmt.Sprintf("taking %d and sending %s", in, units.Elements(out))
}

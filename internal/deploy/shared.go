package deploy

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"unsafe"
)

// Offsets in the structures of runtime/xrt.h.
const (
	runStart, runFrame                                           = 0, 64
	runOver, runNow, runEnded, runLimit, runFrameLength          = 68, 72, 80, 88, 96
	processReady, processDone, processKernel, processResolution  = 64, 68, 72, 76
	processTick0, processNs0, processTick1, processNs1           = 80, 88, 96, 104
	processTick2, processNs2                                     = 112, 120
	processSleeps, processMessage, processMessageEnd             = 128, 192, 512
	processSleeping                                              = 512
	kernelCalls, kernelBusy, kernelDone                          = 0, 8, 16
	ringHead, ringWaits, ringBlocked, ringBlockedSince, ringTail = 0, 8, 16, 24, 128
	ringHeld, ringMost                                           = 136, 144
	endCount, endLimit, endFenced                                = 16, 24, 56
	tapTraced, tapLost, tapLatest, tapKnown, tapDrained          = 0, 8, 16, 24, 64
)

// fence is X_FENCE of runtime/xrt.h.
const fence = 0xc3a5e97bd1f08d6b

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

func (r *run) processAt(i int) uint64 { return r.layout.processes + uint64(i)*processControlBytes }

// kernelAt is where the control of a kernel lies.
func (r *run) kernelAt(k int) uint64 { return r.layout.kernel[k] }

func (r *run) allReady() bool {
	for i := range r.processes {
		if r.load32(r.processAt(i)+processReady) == 0 {
			return false
		}
	}
	return true
}

func (r *run) done(i int) bool { return r.load32(r.processAt(i)+processDone) != 0 }

// calls counts how often a kernel's functions have returned.
func (r *run) calls(k int) uint64 { return r.load64(r.kernelAt(k) + kernelCalls) }

// kernelIn is the kernel whose code a process runs, or -1.
func (r *run) kernelIn(i int) int {
	n := int32(r.load32(r.processAt(i) + processKernel))
	if n < 0 || int(n) >= len(r.order) {
		return -1
	}
	return r.order[n]
}

// message is what a kernel gave X_fail.
func (r *run) message(i int) string {
	text := r.mem[r.processAt(i)+processMessage : r.processAt(i)+processMessageEnd]
	if n := bytes.IndexByte(text, 0); n >= 0 {
		text = text[:n]
	}
	return strings.ToValidUTF8(string(text), "?")
}

// progress is a number that changes whenever an element moves.
func (r *run) progress() uint64 {
	sum := uint64(0)
	for e := range r.program.Edges {
		sum += r.sent(e) + r.taken(e)
	}
	return sum
}

// sent and taken count the elements that have gone into and out of an edge. They
// are the ends' own counters, ahead of what each has shown to the other.
func (r *run) sent(e int) uint64 {
	return r.load64(r.layout.writer[e] + endCount)
}

func (r *run) taken(e int) uint64 {
	return r.load64(r.layout.reader[e] + endCount)
}

// shown and returned are what the ends have shown; taps have recorded that much.
func (r *run) shown(e int) uint64    { return r.load64(r.layout.control[e] + ringHead) }
func (r *run) returned(e int) uint64 { return r.load64(r.layout.control[e] + ringTail) }

// lastProgress says what a kernel has done.
func (r *run) lastProgress(k int) string {
	if k < 0 {
		return "its kernels had returned"
	}
	var in, out uint64
	for _, port := range r.in[k] {
		for _, e := range port {
			in += r.taken(e)
		}
	}
	for _, port := range r.out[k] {
		if len(port) > 0 {
			out += r.sent(port[0]) // the others carry the same
		}
	}
	return fmt.Sprintf("taking %d and sending %d elements", in, out)
}

// Package abi is what the supervisor and the programs that it starts agree on: the sizes of the
// structures in shared memory, and where their members lie (runtime/xrt.h).
//
// It stands below build, which lays the structures out, and run, which reads them.
package abi

// Sizes of the structures in shared memory, which runtime/xrt.h asserts.
const (
	RunControlBytes     = 128
	ProcessControlBytes = 640
	KernelControlBytes  = 64
	RingControlBytes    = 256
	EndBytes            = 256
	MarkQueueBytes      = 128
	MarkBytes           = 24
	TapControlBytes     = 128
	TapSlotBytes        = 80
	TraceBytes          = 24
)

// Offsets in the structures of runtime/xrt.h.
const (
	RunStart, RunFrame                                           = 0, 64
	RunOver, RunNow, RunEnded, RunLimit, RunFrameLength          = 68, 72, 80, 88, 96
	ProcessReady, ProcessDone, ProcessKernel, ProcessResolution  = 64, 68, 72, 76
	ProcessTick0, ProcessNs0, ProcessTick1, ProcessNs1           = 80, 88, 96, 104
	ProcessTick2, ProcessNs2                                     = 112, 120
	ProcessSleeps, ProcessMessage, ProcessMessageEnd             = 128, 192, 512
	ProcessSleeping                                              = 512
	KernelCalls, KernelBusy, KernelDone                          = 0, 8, 16
	RingHead, RingWaits, RingBlocked, RingBlockedSince, RingTail = 0, 8, 16, 24, 128
	RingHeld, RingMost                                           = 136, 144
	EndCount, EndLimit, EndFenced                                = 16, 24, 56
	TapTraced, TapLost, TapLatest, TapKnown, TapDrained          = 0, 8, 16, 24, 64
)

// Fence is X_FENCE of runtime/xrt.h.
const Fence = 0xc3a5e97bd1f08d6b

// Offsets in an x_federate, and where the figures of its taps begin.
const (
	FederateRecords, FederateLost, FederateWrong, FederateTapped = 64, 72, 80, 88
	FederateTaps                                                 = 96
)

// PageBytes is the size of a page; FenceBytes that of what stands behind the room of a writer
// (runtime/overrun.c).
const (
	PageBytes  = 4096
	FenceBytes = 8
)

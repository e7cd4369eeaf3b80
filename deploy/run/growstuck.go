package run

import (
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"xopt/deploy/abi"
	"xopt/deploy/program"
)

// stuck detects a deadlock: every kernel waits, and no work in progress can end the waiting.
//
// A process reports that it is idle when none of its kernels can continue and it has published all of their results.
// When all processes are idle, the grower requests that they check again whether their kernels can continue. Suppose
// that all processes have answered no, and that no process has continued since before the question. Then nothing has
// changed between the question and the last answer, so all answers are true at that moment and remain true. The proof
// does not depend on time. Detection only takes longer on a busy machine, and a process whose kernel computes is not
// idle.
type stuck struct {
	asking bool
	look   uint32
	idle   []uint32 // by process, before the question
}

// stuckPeriod is the interval between polls for answers.
const stuckPeriod = time.Millisecond

// ended is the count that idleNow returns for a process that has ended.
const ended = ^uint32(0)

// allStuck reports whether every kernel waits forever, at least one of them for space.
func (g *grower) allStuck() bool {
	s := &g.stuck
	waiting := g.anyRequested()
	if s.asking {
		answered := g.allLooked()
		if now, idle := g.idleNow(); waiting && idle && slices.Equal(now, s.idle) {
			s.asking = !answered
			return answered
		}
		s.asking = false
	}
	now, idle := g.idleNow()
	if !waiting || !idle {
		return false
	}
	s.asking, s.idle = true, now
	s.look++
	g.store32(abi.RunLook, s.look)
	for i := range g.prog.Processes {
		g.wake(i)
	}
	return false
}

// anyRequested reports whether a writer waits for space on an edge.
func (r *run) anyRequested() bool {
	for e := range r.prog.Edges {
		if r.requested(e) > 0 {
			return true
		}
	}
	return false
}

// allLooked reports whether all processes have answered.
func (g *grower) allLooked() bool {
	for i := range g.prog.Processes {
		if !g.done(i) && g.load32(g.processAt(i)+abi.ProcessLooked) != g.stuck.look {
			return false
		}
	}
	return true
}

// idleNow reports whether all processes are idle. It also returns the number of changes to and from idle, by process.
func (g *grower) idleNow() (counts []uint32, all bool) {
	all = true
	for i := range g.prog.Processes {
		n := g.load32(g.processAt(i) + abi.ProcessIdle)
		if g.done(i) {
			n = ended
		}
		counts = append(counts, n)
		all = all && n%2 == 1
	}
	return counts, all
}

// mend enlarges the full buffer that is smallest in bytes. All kernels wait, so no elements move during the call.
func (g *grower) mend() *Failure {
	smallest, bytes := -1, uint64(0)
	for e := range g.prog.Edges {
		requested := g.requested(e)
		if requested == 0 || g.queued(e)+requested <= g.capacity(e) {
			continue
		}
		if b := g.capacity(e) * g.prog.Edges[e].ElementBytes; smallest < 0 || b < bytes {
			smallest, bytes = e, b
		}
	}
	if smallest < 0 || g.doubles(smallest) {
		return nil
	}
	return g.enlarge(smallest, g.queued(smallest)+g.requested(smallest), "every kernel waited, and "+
		g.prog.Kernels[g.prog.Edges[smallest].From].Name+" waited for space")
}

// blockedWriter is the state of GrowWhenBlocked for the writer of an edge.
type blockedWriter struct {
	seconds float64 // its waiting time at the last sample
	count   int     // samples at which it was blocked since its buffer last grew
}

// The parameters of RaftLib (src/dynalloc.cpp).
const (
	blockedPeriod = 3 * time.Millisecond
	blockedPart   = 0.8
	blockedLooks  = 4
)

// lookBlocked doubles the buffers whose writers are blocked.
func (g *grower) lookBlocked(now time.Time) {
	elapsed := now.Sub(g.looked)
	if elapsed < blockedPeriod*9/10 { // delayed ticks arrive together
		return
	}
	first := g.looked.IsZero()
	g.looked = now
	for e := range g.prog.Edges {
		w, waited := &g.writers[e], g.run.blocked(e)
		part := (waited - w.seconds) / elapsed.Seconds()
		w.seconds = waited
		if first || part < blockedPart || g.prog.Edges[e].Fixed {
			continue
		}
		if w.count++; w.count < blockedLooks || !g.settled(e) || !g.fits(e, 2*g.capacity(e)) {
			continue
		}
		w.count = 0
		// The new size fits, so there is no failure.
		_ = g.enlarge(e, 2*g.capacity(e), "its writer was blocked for at least 80 % of the time in 4 checks, 3 ms "+
			"apart")
	}
}

// doubles reports whether GrowWhenBlocked will double the buffer of a writer that stays blocked. It returns false in
// virtual time, because virtual time stops while every kernel waits.
func (g *grower) doubles(e int) bool {
	return g.prog.Growth.Policy == program.GrowWhenBlocked && !g.virtual() && !g.prog.Edges[e].Fixed &&
		g.fits(e, 2*g.capacity(e))
}

// wakeAt wakes a process that sleeps on a word of shared memory.
func wakeAt(word *byte) {
	bell := (*uint32)(unsafe.Pointer(word))
	atomic.AddUint32(bell, 1)
	const futexWake = 1
	// If the call fails, the process wakes a little later.
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(bell)), futexWake, 1, 0, 0, 0)
}

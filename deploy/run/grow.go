package run

import (
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"xopt/deploy/abi"
	"xopt/deploy/program"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// ring is the data area of a port's elements, with the edges that use it.
type ring struct {
	edges     []int
	given     uint32 // number of assigned areas, 0 for the initial area
	at, bytes uint64 // offset and size of the last area
	before    [2]uint64
	old       [][2]uint64 // areas that a process may still use
}

// grower enlarges buffers (runtime/grow.c).
type grower struct {
	*run
	shared  *os.File
	rings   map[int]*ring // by first edge
	next    uint64        // offset of the free part of the reserve
	memory  uint64        // size of all areas in use
	max     uint64
	events  []result.GrownBuffer
	stuck   stuck
	writers []blockedWriter // the writer of each edge
	looked  time.Time
}

func newGrower(r *run) *grower {
	g := &grower{run: r, rings: make(map[int]*ring), next: r.prog.Reserve, memory: r.prog.BufferBytes,
		max: r.prog.BufferBytes, writers: make([]blockedWriter, len(r.prog.Edges))}
	for e := range r.prog.Edges {
		x := &r.prog.Edges[e]
		if g.rings[x.Ring] == nil {
			g.rings[x.Ring] = &ring{at: x.Data, bytes: x.RingBytes}
		}
		g.rings[x.Ring].edges = append(g.rings[x.Ring].edges, e)
	}
	return g
}

// capacity returns the current size of an edge's buffer in elements.
func (r *run) capacity(e int) uint64 { return r.capacities[e] }

// period returns the sampling interval: the usual one, or a shorter one that growth requires.
func (g *grower) period(usual time.Duration) time.Duration {
	switch {
	case !g.prog.Grows:
	case g.stuck.asking:
		return min(usual, stuckPeriod)
	case g.prog.Growth.Policy == program.GrowWhenBlocked:
		return min(usual, blockedPeriod)
	}
	return usual
}

// look enlarges the buffers that must grow. It returns a failure if there is too little memory.
func (g *grower) look(now time.Time) *Failure {
	if !g.prog.Grows {
		return nil
	}
	settled := true
	for _, x := range g.rings {
		settled = g.settle(x) && settled
	}
	for e := range g.prog.Edges { // a writer may request more elements than its buffer can contain
		if requested := g.requested(e); requested > g.capacity(e) && g.settled(e) {
			why := fmt.Sprintf("%s requests space for %s at once", g.prog.Kernels[g.prog.Edges[e].From].Name,
				units.Elements(requested))
			if f := g.enlarge(e, g.queued(e)+requested, why); f != nil {
				return f
			}
		}
	}
	if g.limits.grow != nil {
		g.limits.grow(g)
	}
	if g.prog.Growth.Policy == program.GrowWhenBlocked {
		g.lookBlocked(now)
	}
	if settled && g.allStuck() {
		return g.mend()
	}
	return nil
}

// requested returns the number of elements for which the writer of an edge waits for space; 0 if it does not wait.
func (r *run) requested(e int) uint64 {
	return min(r.load64(r.prog.Edges[e].Control+abi.RingRequested), 1<<62)
}

// settle releases the areas that a ring no longer needs. It reports whether the writer uses the latest area.
func (g *grower) settle(x *ring) bool {
	adopted, followed := true, true
	for _, e := range x.edges {
		c := g.prog.Edges[e].Control
		adopted = adopted && g.load32(c+abi.RingArea) == x.given
		followed = followed && g.load32(c+abi.RingFollows) == x.given
		if followed && len(x.old) > 0 { // a kernel may still read elements that it has not released
			followed = g.tail(e) >= g.load64(c+abi.RingAreaFrom)
		}
	}
	if adopted && followed {
		for _, old := range x.old {
			g.memory -= old[1]
			// A failure only delays the release of the memory.
			_ = unix.Fallocate(int(g.shared.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, int64(old[0]),
				int64(old[1]))
		}
		x.old = nil
	}
	return adopted
}

// settled reports whether both ends of an edge use the latest area of its ring, so that the buffer can grow again.
func (g *grower) settled(e int) bool {
	x := g.rings[g.prog.Edges[e].Ring]
	return !slices.ContainsFunc(x.edges, func(e int) bool {
		c := g.prog.Edges[e].Control
		return g.load32(c+abi.RingArea) != x.given || g.load32(c+abi.RingFollows) != x.given
	})
}

// enlarge enlarges the buffer of an edge to at least the given number of elements. If there is enough memory, the size
// at least doubles. The writer starts to use the new size when it waits for space.
func (g *grower) enlarge(e int, minimum uint64, why string) *Failure {
	now := g.capacity(e)
	minimum = max(minimum, now+1)
	want := max(2*now, minimum)
	x, size := g.rings[g.prog.Edges[e].Ring], g.prog.Edges[e].ElementBytes
	if !g.fits(e, want) { // limited by memory
		if !g.fits(e, minimum) {
			return g.tooLarge(e, minimum)
		}
		room := x.bytes // size of the current area, or all remaining memory
		if g.memory < g.prog.Growth.MaxBytes {
			room = max(room, (g.prog.Growth.MaxBytes-g.memory)/abi.PageBytes*abi.PageBytes)
		}
		if want = min(want, max((room-abi.FenceBytes)/size, minimum)); !g.fits(e, want) {
			want = minimum
		}
	}
	g.grant(e, want, why)
	return nil
}

// grant enlarges the buffer of an edge to the given number of elements.
func (g *grower) grant(e int, want uint64, why string) {
	now, x, size := g.capacity(e), g.rings[g.prog.Edges[e].Ring], g.prog.Edges[e].ElementBytes
	x.before = [2]uint64{x.at, x.bytes}
	if bytes := program.AreaBytes(want, size); bytes > x.bytes {
		x.old = append(x.old, x.before)
		x.at, x.bytes = g.next, bytes
		g.next += bytes
		g.memory += bytes
		g.max = max(g.max, g.memory)
	}
	g.capacities[e] = want
	x.given++
	for i := len(x.edges) - 1; i >= 0; i-- { // the first edge last, because the writer checks it
		c := g.prog.Edges[x.edges[i]].Control
		g.store64(c+abi.RingGrowOffset, x.at)
		g.store64(c+abi.RingGrowBytes, x.bytes)
		g.store64(c+abi.RingGrowCapacity, g.capacity(x.edges[i]))
		g.store32(c+abi.RingGrow, x.given)
	}
	g.wake(g.prog.Kernels[g.prog.Edges[e].From].Process)
	g.events = append(g.events, result.GrownBuffer{Index: e, Edge: g.prog.Edges[e].Name,
		Time: g.elapsed(time.Now()), From: int(now), To: int(want), All: g.memory, Why: why})
}

// after returns the memory that all buffers would use if the buffer of an edge had the given size. Elements move from
// one area to another, so both areas count. The old area counts until no process can read it.
func (g *grower) after(e int, elements uint64) uint64 {
	if more := program.AreaBytes(elements, g.prog.Edges[e].ElementBytes); more > g.rings[g.prog.Edges[e].Ring].bytes {
		return g.memory + more
	}
	return g.memory
}

// fits reports whether the buffer of an edge may grow to the given number of elements.
func (g *grower) fits(e int, elements uint64) bool {
	size := g.prog.Edges[e].ElementBytes
	if elements > 1<<62/size {
		return false
	}
	more := program.AreaBytes(elements, size)
	return g.after(e, elements) <= g.prog.Growth.MaxBytes && g.next+more <= g.prog.Reserve+g.prog.Reserved
}

// tooLarge returns the failure of a run whose buffers would exceed the memory limit.
func (g *grower) tooLarge(e int, minimum uint64) *Failure {
	edge := &g.prog.Edges[e]
	from := &g.prog.Kernels[edge.From]
	if minimum > 1<<62/edge.ElementBytes {
		return &Failure{Kind: "memory", Kernel: from.Name, Text: fmt.Sprintf("%s requests space for %d elements on "+
			"%s, more than a buffer can have (check that the number is not negative)",
			g.sourceText(edge.From), minimum, edge.Name)}
	}
	return &Failure{Kind: "memory", Kernel: from.Name,
		Text: fmt.Sprintf("buffers may use %s (--max-buffer-memory), but %s waits for space on %s. This buffer has "+
			"space for %s and needs space for at least %s, so all buffers together would need %s; %s",
			units.Size(float64(g.prog.Growth.MaxBytes)), g.kernelText(edge.From), edge.Name,
			units.Elements(g.capacity(e)), units.Elements(minimum),
			units.SizeUp(float64(g.after(e, minimum))), g.fullAndEmpty())}
}

// wake wakes a sleeping process.
func (g *grower) wake(process int) {
	at := g.processAt(process)
	if g.load32(at+abi.ProcessSleeping) != 0 {
		wakeAt(&g.mem[at+abi.ProcessDoorbell])
	}
}

// area returns the area in which the writer of an edge currently stores its elements.
func (g *grower) area(e int) (at, bytes uint64) {
	x := g.rings[g.prog.Edges[e].Ring]
	if g.load32(g.prog.Edges[e].Control+abi.RingArea) != x.given {
		return x.before[0], x.before[1]
	}
	return x.at, x.bytes
}

// measure returns the growth of the buffers. The processes must have ended.
func (g *grower) measure() *result.MeasuredBuffers {
	b := &result.MeasuredBuffers{Start: g.prog.BufferBytes, Max: g.max, Grown: g.events}
	if g.prog.Grows {
		b.Limit = g.prog.Growth.MaxBytes
	}
	for first, x := range g.rings {
		if g.shared != nil && !g.prog.Edges[first].Inside {
			b.Touched += touched(g.shared, int64(x.at), int64(x.bytes))
		}
	}
	return b
}

// touched returns the number of bytes in a range of a file that are backed by memory.
func touched(f *os.File, from, bytes int64) uint64 {
	total, stop := int64(0), from+bytes
	for from < stop {
		data, err := unix.Seek(int(f.Fd()), from, unix.SEEK_DATA)
		if err != nil || data >= stop {
			break
		}
		hole, err := unix.Seek(int(f.Fd()), data, unix.SEEK_HOLE)
		if err != nil {
			break
		}
		total += min(hole, stop) - data
		from = hole
	}
	return uint64(total)
}

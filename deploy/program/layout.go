package program

import (
	"fmt"
	"math"
	"slices"

	"xopt/deploy/abi"
	"xopt/flow"
	"xopt/flow/design"
)

// layout contains the offsets of all objects in shared memory.
type layout struct {
	processes, federates, size uint64
	controls                   uint64      // end of the control structures
	slack                      [][2]uint64 // ranges without objects
	kernel                     []uint64    // counters, by kernel
	control, data              []uint64    // offsets, by edge
	ring                       []int       // by edge: the edge that owns its data area
	reader, writer             []uint64    // ends, by edge
	batches                    []uint64    // by edge: the queue of a copy's batches
	claims                     []claimed   // claims of batches, by kernel
	reference                  []uint64    // turns of the reference load, by process; nil without one
	times                      []uint64    // recorded firing times, by kernel
	points                     uint64      // counts of testpoint passes
	packets                    []uint64    // by edge: traffic counts of its links, in virtual time
	reserve, reserved          uint64      // address space for growing buffers, and its size
}

// size determines the capacities of the edges. A given size must be at least the minimum size. The default is
// [plan.usual], but at least twice the minimum size. The writer can then fill an edge while its reader works.
func (p *plan) size(d *design.Design) error {
	total, rates := 0.0, p.options.Flow
	if !p.mayGrow() {
		rates = nil
	}
	for e, minimum := range d.MinSizes() {
		edge := &p.program.Edges[e]
		element := p.program.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes
		if !(element >= 1) || element > 1<<40 || element != math.Trunc(element) {
			return fmt.Errorf("an element of edge %s has %g bytes, expected a whole number from 1 to 2^40", edge.Name,
				element)
		}
		capacity := max(minBufferElements, p.usual(e, element, rates), int(2*minimum.Elements), edge.Round)
		if given, ok := d.Buffers[e]; ok {
			capacity = given
			if text := minimum.TooSmall(edge.Name, given); text != "" {
				return &tooSmall{text}
			}
		}
		total += float64(capacity) * element
		p.element = append(p.element, uint64(element))
		p.capacity = append(p.capacity, capacity)
	}
	return checkMemory(uint64(min(total, math.MaxInt64)))
}

// The predicted flow limits default sizes to the larger of these values. Each element of a full buffer waits until the
// reader has processed the contents, so a larger buffer adds latency.
const (
	flowTime     = 10e-3 // s; the Linux scheduler interrupts a process for about 3 ms
	flowElements = 64    // allowance for variable service times
)

// usual returns the default size of an edge in elements. rates are the predicted flows of all edges in bytes/s; nil if
// they are unknown, or if buffers cannot grow. The flow does not limit edges between a split and its join, because the
// other inputs of the join may lag behind.
func (p *plan) usual(e int, element float64, rates []float64) int {
	if p.ways != nil && p.ways[e].Crosses() {
		return int(design.NetworkBufferBytes / element)
	}
	size := design.DefaultBufferBytes / element
	if rates != nil && (p.bridges[e] || !p.joined[p.program.Edges[e].To]) {
		if limited := max(flowElements, rates[e]/element*flowTime); limited < size {
			size = limited
		}
	}
	return int(size)
}

// timeBytes is the size of a recorded time in bytes.
const timeBytes = 8

// referenceTurns is the maximum number of stored turns of the reference load, for each process.
const referenceTurns = 4096

// layOut computes the layout of shared memory.
func (p *plan) layOut() error {
	at := uint64(abi.PageBytes)
	allocate := func(n uint64) uint64 {
		start := at
		at += (n + abi.PageBytes - 1) / abi.PageBytes * abi.PageBytes
		return start
	}
	control := func(n uint64) uint64 {
		start := allocate(n)
		p.layout.slack = append(p.layout.slack, [2]uint64{start + n, at})
		return start
	}
	p.layout.slack = [][2]uint64{{abi.RunBytes, abi.PageBytes}}
	p.layout.processes = control(uint64(len(p.processes)) * abi.ProcessBytes)
	controls := control(uint64(len(p.program.Edges)) * abi.RingBytes)
	p.allocateOwn(control)
	if p.options.Reference {
		for range p.processes {
			p.layout.reference = append(p.layout.reference, control(abi.ReferenceWith(referenceTurns)))
		}
	}
	if n := len(slices.Concat(p.points...)); n > 0 && p.options.Events {
		p.layout.points = control(8 * uint64(n))
	}
	p.layout.controls = at
	if v := p.options.Virtual; v != nil {
		p.layout.federates = allocate(p.federateAt(len(v.Federates)))
		p.allocatePackets(v, allocate)
		for k := range v.Times {
			p.layout.times = append(p.layout.times, allocate(uint64(len(v.Times[k]))*timeBytes))
		}
	}
	p.layout.data = make([]uint64, len(p.program.Edges))
	p.ring, p.layout.ring = make([]uint64, len(p.program.Edges)), make([]int, len(p.program.Edges))
	for e := range p.program.Edges {
		p.layout.control = append(p.layout.control, controls+uint64(e)*abi.RingBytes)
		p.allocateData(e, allocate)
	}
	p.layout.batches = make([]uint64, len(p.program.Edges))
	for e := range p.program.Edges {
		if p.announcesBatches(e) {
			p.layout.batches[e] = allocate(abi.BatchQueueWith(abi.Batches))
		}
	}
	p.allocateClaims(allocate)
	for i := range p.taps {
		t := &p.taps[i]
		t.at = allocate(abi.TapWith(uint64(t.slots), uint64(t.bins), uint64(t.Trace)))
	}
	for i := range p.hops {
		p.hops[i].At = allocate(abi.MarkQueueWith(uint64(p.hops[i].Slots)))
	}
	err := p.planGrowth(allocate)
	p.layout.size = at
	return err
}

// allocatePackets allocates the packet counters for each link on the route of each edge.
func (p *plan) allocatePackets(v *Virtual, allocate func(bytes uint64) uint64) {
	hops := uint64(0)
	for _, route := range v.Routes {
		p.layout.packets = append(p.layout.packets, hops*abi.PacketsBytes)
		hops += uint64(len(route))
	}
	at := allocate(hops * abi.PacketsBytes)
	for e := range p.layout.packets {
		p.layout.packets[e] += at
	}
}

// allocateData allocates the elements of an edge. All edges that leave the same port of a kernel on a core share one
// area, which has the size of the largest buffer. Each reader has its own end. Edges from an FPGA have separate areas,
// because their streams progress independently, word by word.
func (p *plan) allocateData(e int, allocate func(bytes uint64) uint64) {
	edge := &p.program.Edges[e]
	group := []int{e}
	if !p.onFPGA(edge.From) {
		if p.copies[e] {
			return // allocated with the first edge
		}
		group = p.out[edge.From][edge.FromPort]
	}
	bytes := uint64(0)
	for _, x := range group {
		bytes = max(bytes, AreaBytes(uint64(p.capacity[x]), p.element[x]))
	}
	at := allocate(bytes)
	for _, x := range group {
		p.ring[x], p.layout.data[x], p.layout.ring[x] = bytes, at, group[0]
	}
}

// allocateOwn allocates the data that only one process writes frequently: the counters of its kernels and the ends of
// their edges. Each process has its own pages, because a processor that prefetches within a page would evict lines that
// another processor writes.
func (p *plan) allocateOwn(allocate func(bytes uint64) uint64) {
	p.layout.kernel = make([]uint64, len(p.program.Kernels))
	p.layout.reader = make([]uint64, len(p.program.Edges))
	p.layout.writer = make([]uint64, len(p.program.Edges))
	kernels := make([][]int, len(p.processes)) // kernels of each process
	for _, k := range p.order {
		kernels[p.process[k]] = append(kernels[p.process[k]], k)
	}
	for _, own := range kernels {
		var places []*uint64
		for _, k := range own {
			for _, port := range p.in[k] {
				for _, e := range port {
					places = append(places, &p.layout.reader[e])
				}
			}
			for _, port := range p.out[k] {
				for _, e := range port {
					places = append(places, &p.layout.writer[e])
				}
			}
		}
		at := allocate(uint64(len(own))*abi.KernelBytes + uint64(len(places))*abi.EndBytes)
		for _, place := range places {
			*place, at = at, at+abi.EndBytes
		}
		for _, k := range own {
			p.layout.kernel[k], at = at, at+abi.KernelBytes
		}
	}
}

// needs returns the number of elements of each input that a kernel consumes together, from its declaration.
func (p *plan) needs(k int) []uint64 {
	n := make([]uint64, len(p.program.Kernels[k].Inputs))
	for i := range n {
		n[i] = 1
	}
	for _, j := range p.program.Kernels[k].Joins {
		for i, port := range j.Ports {
			n[port] = max(n[port], uint64(j.Counts[i]))
		}
	}
	return n
}

// tooSmall is an input error: a buffer is smaller than the number of elements that a kernel consumes together.
type tooSmall struct{ text string }

func (e *tooSmall) Error() string { return e.text }

// Is reports whether target is flow.ErrInvalid, the kind of all input errors.
func (e *tooSmall) Is(target error) bool { return target == flow.ErrInvalid }

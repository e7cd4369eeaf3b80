package trace

import (
	"bufio"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"xopt/internal/safetext"
)

// Field numbers and values of Perfetto's schema (perfetto.dev/docs/reference/trace-packet-proto).
const (
	tracePacket = 1

	packetTimestamp       = 8
	packetSequence        = 10
	packetTrackEvent      = 11
	packetInternedData    = 12
	packetSequenceFlags   = 13
	packetTrackDescriptor = 60

	stateCleared, needsState = 1, 2 // sequence_flags

	trackUUID    = 1
	trackName    = 2
	trackParent  = 5
	trackCounter = 8
	counterUnit  = 3
	unitCount    = 2

	internedNames, internedArguments = 2, 3
	internedID, internedName         = 1, 2

	eventArguments   = 4
	eventType        = 9
	eventNameID      = 10
	eventTrack       = 11
	eventCounter     = 30
	eventFlows       = 47
	eventEndsFlows   = 48
	argumentNameID   = 1
	argumentUnsigned = 3

	typeBegin, typeEnd, typeInstant, typeCounter = 1, 2, 3, 4
)

// WritePerfetto writes a table as a trace of Perfetto's TrackEvents, in its protobuf encoding. ui.perfetto.dev and its
// trace processor open the trace. Each resource has a track, with tracks of its kernels below. The trace contains:
//
//   - an instant for each element that the kernel consumes and sends, and for each testpoint that it passes;
//   - a slice from the first element consumed to the last element sent before the next element is consumed;
//   - a flow from the send of an element to its consumption;
//   - a counter of the elements that have arrived at each edge and wait.
//
// Times are rounded to ns.
func WritePerfetto(w io.Writer, t Table) error {
	p := &perfetto{out: bufio.NewWriterSize(w, 1<<16), header: t.Header(), kernels: make(map[string]*perfettoKernel)}
	p.declare()
	r, err := t.Open()
	if err != nil {
		return err
	}
	if err := readAll(r, func(events []Event) error {
		for i := range events {
			p.event(&events[i])
		}
		return nil
	}); err != nil {
		return err
	}
	p.closeSlices()
	return p.out.Flush()
}

// perfettoKernel is the track of a kernel, with its open slice.
type perfettoKernel struct {
	track uint64
	sends bool // it has outputs, and therefore slices
	open  bool
	began int64
	sent  int64 // time of the last send in the slice; before began if there is none
}

type perfetto struct {
	out     *bufio.Writer
	header  *Header
	kernels map[string]*perfettoKernel
	order   []string             // names of kernels
	of      [][2]*perfettoKernel // of each series: the kernels at out (or the testpoint) and at in
	waiting []int64              // number of waiting elements of each series
	names   map[string]uint64
	listed  []string // names, by number minus 1
	base    uint64   // track of the first series' counter
	packet  []byte
	now     []byte // the current event
	inner   []byte
}

// track writes the declaration of a track with the given number.
func (p *perfetto) track(parent uint64, name string, counter bool, number uint64) uint64 {
	p.inner = protowire.AppendVarint(protowire.AppendTag(p.inner[:0], trackUUID, protowire.VarintType), number)
	p.inner = protowire.AppendString(protowire.AppendTag(p.inner, trackName, protowire.BytesType), safetext.Line(name))
	if parent > 0 {
		p.inner = protowire.AppendVarint(protowire.AppendTag(p.inner, trackParent, protowire.VarintType), parent)
	}
	if counter {
		unit := protowire.AppendVarint(protowire.AppendTag(nil, counterUnit, protowire.VarintType), unitCount)
		p.inner = protowire.AppendBytes(protowire.AppendTag(p.inner, trackCounter, protowire.BytesType), unit)
	}
	p.writePreamble()
	p.packet = protowire.AppendBytes(protowire.AppendTag(p.packet, packetTrackDescriptor, protowire.BytesType), p.inner)
	p.write()
	return number
}

// writePreamble starts a packet. All packets belong to one sequence.
func (p *perfetto) writePreamble() {
	p.packet = protowire.AppendVarint(protowire.AppendTag(p.packet[:0], packetSequence, protowire.VarintType), 1)
}

func (p *perfetto) write() {
	head := protowire.AppendTag(make([]byte, 0, 16), tracePacket, protowire.BytesType)
	head = protowire.AppendVarint(head, uint64(len(p.packet)))
	_, _ = p.out.Write(head) // the writer reports an error at Flush
	_, _ = p.out.Write(p.packet)
}

// nameID returns the number of a name.
func (p *perfetto) nameID(name string) uint64 {
	id, ok := p.names[name]
	if !ok {
		p.listed = append(p.listed, name)
		id = uint64(len(p.listed))
		p.names[name] = id
	}
	return id
}

// declare writes tracks and names.
func (p *perfetto) declare() {
	h := p.header
	p.names = make(map[string]uint64)
	p.waiting = make([]int64, len(h.Series))
	p.of = make([][2]*perfettoKernel, len(h.Series))
	resources, places := make(map[string]uint64), make(map[string]string)
	for _, x := range h.Places {
		places[x.Kernel] = x.Resource
	}
	next := uint64(1)
	number := func() uint64 { next++; return next - 1 }
	root := p.track(0, "xopt trace of "+h.Application+", times "+h.Origin, false, number())
	kernel := func(name string) *perfettoKernel {
		if k := p.kernels[name]; k != nil || name == "" {
			return k
		}
		at := places[name]
		if _, ok := resources[at]; !ok && at != "" {
			resources[at] = p.track(root, at, false, number())
		}
		above := resources[at]
		if above == 0 {
			above = root
		}
		k := &perfettoKernel{track: p.track(above, name, false, number())}
		p.kernels[name] = k
		p.order = append(p.order, name)
		p.nameID(name)
		return k
	}
	for i := range h.Series {
		s := &h.Series[i]
		if s.IsPoint() {
			p.of[i][0] = kernel(s.Point.Kernel)
			p.nameID(s.Point.Name)
			continue
		}
		p.of[i] = [2]*perfettoKernel{kernel(s.From.Kernel), kernel(s.To.Kernel)}
		for _, port := range []Port{s.From, s.To} {
			p.nameID(port.Name)
		}
		if p.of[i][0] != nil {
			p.of[i][0].sends = true
		}
	}
	base := next
	for i := range h.Series {
		if next++; !h.Series[i].IsPoint() {
			p.track(root, h.Series[i].Name+" waiting (elements)", true, base+uint64(i))
		}
	}
	p.base = base
	p.intern()
}

// intern writes the names that events refer to by number.
func (p *perfetto) intern() {
	p.inner = p.inner[:0]
	entry := func(field protowire.Number, id uint64, name string) {
		e := protowire.AppendVarint(protowire.AppendTag(nil, internedID, protowire.VarintType), id)
		e = protowire.AppendString(protowire.AppendTag(e, internedName, protowire.BytesType), safetext.Line(name))
		p.inner = protowire.AppendBytes(protowire.AppendTag(p.inner, field, protowire.BytesType), e)
	}
	for i, name := range p.listed {
		entry(internedNames, uint64(i+1), name)
	}
	entry(internedArguments, 1, "element")
	entry(internedArguments, 2, "bytes")
	p.writePreamble()
	p.packet = protowire.AppendVarint(protowire.AppendTag(p.packet, packetSequenceFlags, protowire.VarintType),
		stateCleared)
	p.packet = protowire.AppendBytes(protowire.AppendTag(p.packet, packetInternedData, protowire.BytesType), p.inner)
	p.write()
}

// put writes the current event.
func (p *perfetto) put(at int64) {
	p.writePreamble()
	ns := uint64(math.Round(float64(at) / 1000))
	p.packet = protowire.AppendVarint(protowire.AppendTag(p.packet, packetTimestamp, protowire.VarintType), ns)
	p.packet = protowire.AppendVarint(protowire.AppendTag(p.packet, packetSequenceFlags, protowire.VarintType),
		needsState)
	p.packet = protowire.AppendBytes(protowire.AppendTag(p.packet, packetTrackEvent, protowire.BytesType), p.now)
	p.write()
}

// start starts an event of a type on a track.
func (p *perfetto) start(kind, track uint64) {
	p.now = protowire.AppendVarint(protowire.AppendTag(p.now[:0], eventType, protowire.VarintType), kind)
	p.now = protowire.AppendVarint(protowire.AppendTag(p.now, eventTrack, protowire.VarintType), track)
}

func (p *perfetto) named(name string) {
	p.now = protowire.AppendVarint(protowire.AppendTag(p.now, eventNameID, protowire.VarintType), p.nameID(name))
}

func (p *perfetto) argument(id, value uint64) {
	p.inner = protowire.AppendVarint(protowire.AppendTag(p.inner[:0], argumentNameID, protowire.VarintType), id)
	p.inner = protowire.AppendVarint(protowire.AppendTag(p.inner, argumentUnsigned, protowire.VarintType), value)
	p.now = protowire.AppendBytes(protowire.AppendTag(p.now, eventArguments, protowire.BytesType), p.inner)
}

// instant writes an instant of a kernel for an event, with the flow of its element.
func (p *perfetto) instant(k *perfettoKernel, name string, e *Event, flow protowire.Number) {
	if k == nil {
		return
	}
	p.start(typeInstant, k.track)
	p.named(name)
	if flow != 0 {
		id := uint64(e.Series+1)<<40 | e.Index&(1<<40-1)
		p.now = protowire.AppendFixed64(protowire.AppendTag(p.now, flow, protowire.Fixed64Type), id)
	}
	p.argument(1, e.Index)
	if e.Bytes > 0 {
		p.argument(2, e.Bytes)
	}
	p.put(e.Time)
}

// count changes the number of waiting elements of an edge, and writes it.
func (p *perfetto) count(e *Event, change int64) {
	p.waiting[e.Series] += change
	p.start(typeCounter, p.base+uint64(e.Series))
	p.now = protowire.AppendVarint(protowire.AppendTag(p.now, eventCounter, protowire.VarintType),
		uint64(p.waiting[e.Series]))
	p.put(e.Time)
}

func (p *perfetto) event(e *Event) {
	s := &p.header.Series[e.Series]
	of := p.of[e.Series]
	switch e.Kind {
	case Out:
		p.instant(of[0], s.From.Name, e, eventFlows)
		if of[0] != nil {
			of[0].sent = e.Time
		}
	case Available:
		p.count(e, 1)
	case In:
		p.count(e, -1)
		if k := of[1]; k != nil && k.sends {
			p.openSlice(k, s.To.Kernel, e.Time)
		}
		p.instant(of[1], s.To.Name, e, eventEndsFlows)
	case Point:
		p.instant(of[0], s.Point.Name, e, 0)
	}
}

// openSlice starts a slice when a kernel consumes the first element after a send.
func (p *perfetto) openSlice(k *perfettoKernel, name string, at int64) {
	if k.open && k.sent < k.began {
		return
	}
	p.close(k)
	k.open, k.began, k.sent = true, at, at-1
	p.start(typeBegin, k.track)
	p.named(name)
	p.put(at)
}

func (p *perfetto) close(k *perfettoKernel) {
	if k.open {
		k.open = false
		p.start(typeEnd, k.track)
		p.put(max(k.sent, k.began))
	}
}

// closeSlices closes the open slices.
func (p *perfetto) closeSlices() {
	for _, name := range p.order {
		p.close(p.kernels[name])
	}
}

// isPerfetto reports whether a file starts with a packet that has the fields of a Perfetto packet.
func isPerfetto(head []byte) bool {
	number, kind, n := protowire.ConsumeTag(head)
	if n < 0 || number != tracePacket || kind != protowire.BytesType {
		return false
	}
	size, m := protowire.ConsumeVarint(head[n:])
	if m < 0 {
		return false
	}
	packet := head[n+m:]
	complete := uint64(len(packet)) >= size
	switch {
	case complete:
		packet = packet[:size]
	case len(head) < peeked:
		return false // truncated, or another format
	}
	isKnown := false
	for len(packet) > 0 {
		number, _, n := protowire.ConsumeField(packet)
		if n < 0 {
			return isKnown && !complete // the text ends within the packet
		}
		isKnown = isKnown || number >= packetTimestamp && number <= packetSequenceFlags ||
			number == packetTrackDescriptor
		packet = packet[n:]
	}
	return isKnown
}

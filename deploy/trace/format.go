package trace

import (
	"encoding/binary"
	"hash/crc32"
)

// The file of a table consists of Magic, chunks, and the end.
//
// A chunk contains consecutive events of one stream. Its head has a fixed size. The events follow, each as the
// difference of its time from the previous time (varint). If the head marks indices and sizes as varying, the
// difference of indices minus 1 and the bytes follow. The end consists of the Header as JSON, the list of chunks, and a
// trailer of fixed size. The trailer contains the offset of the end, the size of the Header and the number of chunks.
// Chunks of dataKind contain elements of edges in the layout of memory. All numbers are little-endian. Each chunk and
// the end have a checksum (CRC-32C).
const (
	// Magic is the first line of the file.
	Magic = "xopt table of events 1\n"
	// tail is the end of the file.
	tail = "xoptEND\n"

	chunkHead   = 64
	trailerSize = 8 + 8 + 8 + 4 + 4 + len(tail)
)

// Limits of a file. A chunk of chunkEvents has 64 KiB at 4 bytes per event.
const (
	chunkEvents    = 1 << 14
	maxChunkBytes  = chunkEvents * 3 * binary.MaxVarintLen64
	maxHeaderBytes = 256 << 20
	maxEvents      = 1 << 48
)

// The parts of an event that a chunk stores in addition to its time.
const (
	withIndices = 1 << iota
	withBytes
)

// chunk is the head of a chunk, and its entry in the list.
type chunk struct {
	stream Stream
	flags  uint8
	events uint32
	size   uint32 // bytes after the head
	sum    uint32 // CRC-32C of these bytes
	time   uint64 // time of the first event, to which index and bytes also belong
	index  uint64
	bytes  uint64
	last   uint64 // time of the last event
	at     int64  // offset of the head in the file; only in the list
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// put appends the encoded head of a chunk.
func (c *chunk) put(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(c.stream.Series))
	b = append(b, byte(c.stream.Kind), c.flags, 0, 0)
	b = le.AppendUint32(b, c.events)
	b = le.AppendUint32(b, c.size)
	b = le.AppendUint32(b, c.sum)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint64(b, c.time)
	b = le.AppendUint64(b, c.index)
	b = le.AppendUint64(b, c.bytes)
	b = le.AppendUint64(b, c.last)
	return le.AppendUint64(b, uint64(c.at))
}

// parse parses the output of put.
func (c *chunk) parse(b []byte) {
	le := binary.LittleEndian
	c.stream = Stream{int32(le.Uint32(b)), Kind(b[4])}
	c.flags, c.events, c.size, c.sum = b[5], le.Uint32(b[8:]), le.Uint32(b[12:]), le.Uint32(b[16:])
	c.time, c.index, c.bytes = le.Uint64(b[24:]), le.Uint64(b[32:]), le.Uint64(b[40:])
	c.last, c.at = le.Uint64(b[48:]), int64(le.Uint64(b[56:]))
}

// packer collects the events of one stream into a chunk.
type packer struct {
	head    chunk
	payload []byte
	before  Event // the last event
}

// add adds an event whose order has been checked. full reports that the storage format must change, so that the stored
// events must first be written as a chunk.
func (p *packer) add(e *Event) (full bool) {
	if p.head.events == 0 {
		p.head = chunk{stream: Stream{e.Series, e.Kind}, events: 1, time: uint64(e.Time), index: e.Index,
			bytes: e.Bytes}
		p.before = *e
		return false
	}
	want := p.head.flags
	if e.Index != p.before.Index+1 {
		want |= withIndices
	}
	if e.Bytes != p.head.bytes {
		want |= withBytes
	}
	if want != p.head.flags {
		if p.head.events > 1 {
			return true
		}
		p.head.flags = want
	}
	p.payload = binary.AppendUvarint(p.payload, uint64(e.Time-p.before.Time))
	if want&withIndices != 0 {
		p.payload = binary.AppendUvarint(p.payload, e.Index-p.before.Index-1)
	}
	if want&withBytes != 0 {
		p.payload = binary.AppendUvarint(p.payload, e.Bytes)
	}
	p.head.events++
	p.before = *e
	return false
}

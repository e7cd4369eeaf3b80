package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"
)

// Range is a range of shared memory, excluding its end. Both bounds are multiples of 8.
type Range struct{ From, To uint64 }

// Mirror contains another host's copy of ranges of this host's memory. Each word has one writer: the host that writes a
// range sends it to the other hosts.
type Mirror struct {
	mem    []byte
	ranges []Range
	sent   [][]uint64
}

// NewMirror returns a mirror of memory that is zero on the other host.
func NewMirror(mem []byte, ranges []Range) *Mirror {
	m := &Mirror{mem: mem, ranges: ranges}
	for _, r := range ranges {
		m.sent = append(m.sent, make([]uint64, (r.To-r.From)/8))
	}
	return m
}

func word(mem []byte, at uint64) *uint64 { return (*uint64)(unsafe.Pointer(&mem[at])) }

// AppendChanges appends the words that have changed since the last call, in runs of adjacent words. Each run consists
// of the number of unchanged words before it, its number of words, and the words.
func (m *Mirror) AppendChanges(b []byte) []byte {
	last := uint64(0) // number of the last word, counted over all ranges
	base := uint64(0)
	for i, r := range m.ranges {
		existing := m.sent[i]
		for j := 0; j < len(existing); {
			x := atomic.LoadUint64(word(m.mem, r.From+8*uint64(j)))
			if x == existing[j] {
				j++
				continue
			}
			first := j
			var words []byte
			for j < len(existing) {
				if x = atomic.LoadUint64(word(m.mem, r.From+8*uint64(j))); x == existing[j] {
					break
				}
				existing[j] = x
				words = binary.LittleEndian.AppendUint64(words, x)
				j++
			}
			b = binary.AppendUvarint(b, base+uint64(first)-last)
			b = binary.AppendUvarint(b, uint64(j-first))
			b = append(b, words...)
			last = base + uint64(j)
		}
		base += uint64(len(existing))
	}
	return b
}

// errMirror reports changes outside the memory.
var errMirror = errors.New("the copy of shared memory is invalid")

// Apply writes the output of AppendChanges for the same ranges on another host to this host's memory. It records that
// the other host has these words, so that overlapping ranges are not sent back.
func (m *Mirror) Apply(b []byte) error {
	at := uint64(0)
	for len(b) > 0 {
		skip, n := binary.Uvarint(b)
		if n <= 0 {
			return errMirror
		}
		count, k := binary.Uvarint(b[n:])
		if b = b[n+max(k, 0):]; k <= 0 || count > uint64(len(b))/8 || skip > 1<<40 {
			return errMirror
		}
		at += skip
		for range count {
			p, existing := m.at(at)
			if p == nil {
				return fmt.Errorf("%w: word %d", errMirror, at)
			}
			*existing = binary.LittleEndian.Uint64(b)
			atomic.StoreUint64(p, *existing)
			b, at = b[8:], at+1
		}
	}
	return nil
}

// at returns a word by its number over all ranges; nil for none.
func (m *Mirror) at(n uint64) (p, existing *uint64) {
	for i, r := range m.ranges {
		words := uint64(len(m.sent[i]))
		if n < words {
			return word(m.mem, r.From+8*n), &m.sent[i][n]
		}
		n -= words
	}
	return nil, nil
}

package abi

import (
	"fmt"
	"strings"
)

// placed is a member, or a gap between members, with its offset.
type placed struct {
	Field
	offset, bytes int
	gap           bool
}

// place computes the layout of a structure: its members, the gaps between them, and its size.
func (s *Struct) place() (members []placed, size int) {
	at := 0
	fill := func(multiple int) {
		if gap := (multiple - at%multiple) % multiple; gap > 0 {
			members = append(members, placed{Field{Name: fmt.Sprintf("gap%d", at), Type: "char", Count: gap}, at, gap,
				true})
			at += gap
		}
	}
	for _, f := range s.Fields {
		bytes := bytesOf(f.Type)
		fill(max(f.Line, bytes, 1))
		bytes *= max(f.Count, 1)
		members = append(members, placed{f, at, bytes, false})
		at += bytes
	}
	fill(max(s.Multiple, 8))
	return members, at
}

// goName converts a C name such as x_some_name or XRT_SOME_NAME to a Go name such as SomeName. It drops the suffix
// control, which adds no information.
func goName(c string) string {
	c = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(c), "x_"), "xrt_")
	c = strings.TrimSuffix(c, "_control")
	var b strings.Builder
	for _, word := range strings.Split(c, "_") {
		switch word {
		case "fd":
			b.WriteString("FD")
		default:
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// TapSlotAt returns the offset of slot i of a tap, given the number of bins in a slot. layout.h contains the same
// function in C.
func TapSlotAt(tap, i, bins uint64) uint64 { return tap + TapBytes + i*TapSlotWith(bins) }

// TapWith returns the size of an x_tap_control with its slots and its log. bins is the number of bins in a slot, and
// entries is the number of log entries.
func TapWith(slots, bins, entries uint64) uint64 {
	return TapSlotAt(0, slots, bins) + entries*TraceBytes
}

package abi

// TapSlotAt returns the offset of slot i of a tap, given the number of bins in a slot. layout.h defines the same in
// C.
func TapSlotAt(tap, i, bins uint64) uint64 { return tap + TapBytes + i*TapSlotWith(bins) }

// TapWith returns the size of an x_tap_control followed by the given numbers of slots and bins, and a log.
func TapWith(slots, bins, entries uint64) uint64 {
	return TapLogAt(0, slots, bins) + entries*TraceBytes
}

// TapLogAt returns the offset of a tap's log or recorded data.
func TapLogAt(tap, slots, bins uint64) uint64 { return TapSlotAt(tap, slots, bins) }

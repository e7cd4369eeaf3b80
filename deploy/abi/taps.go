package abi

// TapSlotAt is where slot i of the tap at an offset lies, when its slots have so many bins; layout.h
// has the same in C.
func TapSlotAt(tap, i, bins uint64) uint64 { return tap + TapBytes + i*TapSlotWith(bins) }

// TapWith is the size of an x_tap_control with so many slots of so many bins, and a log, behind it.
func TapWith(slots, bins, entries uint64) uint64 {
	return TapLogAt(0, slots, bins) + entries*TraceBytes
}

// TapLogAt is where the log of the tap at an offset lies, or what it has recorded.
func TapLogAt(tap, slots, bins uint64) uint64 { return TapSlotAt(tap, slots, bins) }

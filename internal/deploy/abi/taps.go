package abi

// tapRuns is how C and C++ find what lies behind an x_tap_control: slots, each with its bins, and
// behind all of them the log. TapSlotAt and TapLogAt are the same in Go.
const tapRuns = `
static inline struct x_tap_slot *x_tap_control_slot(struct x_tap_control *c, uint64_t i, uint64_t bins) {
    return (struct x_tap_slot *)((uint8_t *)(c + 1) + i * x_tap_slot_bytes(bins));
}
static inline struct x_trace *x_tap_control_log(struct x_tap_control *c, uint64_t slots, uint64_t bins) {
    return (struct x_trace *)x_tap_control_slot(c, slots, bins);
}
`

// TapSlotAt is where slot i of the tap at an offset lies, when its slots have so many bins.
func TapSlotAt(tap, i, bins uint64) uint64 { return tap + TapBytes + i*TapSlotWith(bins) }

// TapWith is the size of an x_tap_control with so many slots of so many bins, and a log, behind it.
func TapWith(slots, bins, entries uint64) uint64 {
	return TapLogAt(0, slots, bins) + entries*TraceBytes
}

// TapLogAt is where the log of the tap at an offset lies, or what it has recorded.
func TapLogAt(tap, slots, bins uint64) uint64 { return TapSlotAt(tap, slots, bins) }

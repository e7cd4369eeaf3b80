package hdl

import "slices"

// TapKind is the kind of measurement that a tap makes.
type TapKind int

// The kinds of taps, with their Verilog modules.
const (
	ActivityTap  TapKind = iota // xopt_activity: cycles by the state of a stream
	QueueTap                    // xopt_queue: queue length in each cycle
	OccupancyTap                // xopt_occupancy: queue length that each element finds
	LatencyTap                  // xopt_latency: time of each element in a queue
	GapTap                      // xopt_gap: time between successive elements
)

// Merge is the rule that combines the values of a figure in several frames.
type Merge int

// The merge rules. A 64-bit number consists of two figures, lower half first.
const (
	MergeNone    Merge = iota // not merged; each record is a sample
	MergeSum                  // added
	MergeMin                  // the minimum
	MergeMax                  // the maximum
	MergeSumLow               // sum; the lower half of a 64-bit number
	MergeSumHigh              // sum; the upper half of a 64-bit number
)

// Name returns the name of the rule's constant in C++.
func (m Merge) Name() string {
	return [...]string{"MERGE_NONE", "MERGE_SUM", "MERGE_MIN", "MERGE_MAX", "MERGE_SUM_LOW", "MERGE_SUM_HIGH"}[m]
}

// Figure is a word of a tap in a record.
type Figure struct {
	Name  string
	Merge Merge
}

// Figures returns the figures of a tap, in the order in which the tap shifts them out.
func (k TapKind) Figures() []Figure {
	switch k {
	case ActivityTap: // cycles in which a word moved, waited for space, or was missing
		return []Figure{{"MOVED", MergeSum}, {"WAITED", MergeSum}, {"IDLE", MergeSum}}
	case QueueTap: // words in the queue; the sum is over cycles
		return []Figure{{"MIN", MergeMin}, {"MAX", MergeMax}, {"SUM_LOW", MergeSumLow}, {"SUM_HIGH", MergeSumHigh}}
	case OccupancyTap: // queue length that each element finds, in elements
		return []Figure{{Name: "COUNT"}, {Name: "MIN"}, {Name: "MAX"}, {Name: "LAST"}, {Name: "SUM_LOW"},
			{Name: "SUM_HIGH"}}
	case LatencyTap: // cycles; MISSED is the number of elements not measured
		return []Figure{{Name: "COUNT"}, {Name: "MIN"}, {Name: "MAX"}, {Name: "SUM_LOW"}, {Name: "SUM_HIGH"},
			{Name: "MISSED"}}
	case GapTap: // cycles; PRODUCTS sums (bin + 1) (next bin + 1)
		return []Figure{{Name: "COUNT"}, {Name: "MIN"}, {Name: "MAX"}, {Name: "LAST"}, {Name: "SUM_LOW"},
			{Name: "SUM_HIGH"}, {Name: "PRODUCTS_LOW"}, {Name: "PRODUCTS_HIGH"}}
	}
	return nil
}

// At returns the index of a figure among the figures of its tap, or -1 for an unknown name.
func (k TapKind) At(name string) int {
	return slices.IndexFunc(k.Figures(), func(f Figure) bool { return f.Name == name })
}

// name returns the part of C++ constants that identifies the kind.
func (k TapKind) name() string {
	return [...]string{"ACTIVITY", "QUEUE", "OCCUPANCY", "LATENCY", "GAP"}[k]
}

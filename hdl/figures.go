package hdl

import "slices"

// TapKind is what a tap counts.
type TapKind int

// The kinds of taps whose figures records have: cycles in which words pass a place, how full a
// queue is cycle by cycle, how many elements an element finds before it, how long elements stay,
// and how long after the one before an element passes.
const (
	ActivityTap  TapKind = iota // xopt_activity
	QueueTap                    // xopt_queue
	OccupancyTap                // xopt_occupancy
	LatencyTap                  // xopt_latency
	GapTap                      // xopt_gap
)

// Merge is how the figures of several frames become one of all of them.
type Merge int

// A number of 64 bits is two figures, the lower half first.
const (
	MergeNone    Merge = iota // not: a tap's samples are taken from each record
	MergeSum                  // added
	MergeMin                  // the least
	MergeMax                  // the most
	MergeSumLow               // added, as a number of 64 bits with the next figure
	MergeSumHigh              // the upper half of the one before
)

// Name is that of the constant in C++.
func (m Merge) Name() string {
	return [...]string{"MERGE_NONE", "MERGE_SUM", "MERGE_MIN", "MERGE_MAX", "MERGE_SUM_LOW", "MERGE_SUM_HIGH"}[m]
}

// Figure is one word among those of a tap in a record.
type Figure struct {
	Name  string
	Merge Merge
}

// Figures are those of a tap, in the order in which it shifts them out.
func (k TapKind) Figures() []Figure {
	switch k {
	case ActivityTap: // cycles in which a word moved, waited for room, was not there
		return []Figure{{"MOVED", MergeSum}, {"WAITED", MergeSum}, {"IDLE", MergeSum}}
	case QueueTap: // words in the queue; the sum is over cycles
		return []Figure{{"MIN", MergeMin}, {"MAX", MergeMax}, {"SUM_LOW", MergeSumLow}, {"SUM_HIGH", MergeSumHigh}}
	case OccupancyTap: // elements, as each finds them
		return []Figure{{Name: "COUNT"}, {Name: "MIN"}, {Name: "MAX"}, {Name: "LAST"}, {Name: "SUM_LOW"},
			{Name: "SUM_HIGH"}}
	case LatencyTap: // cycles; MISSED elements were not measured
		return []Figure{{Name: "COUNT"}, {Name: "MIN"}, {Name: "MAX"}, {Name: "SUM_LOW"}, {Name: "SUM_HIGH"},
			{Name: "MISSED"}}
	case GapTap: // cycles; the products are of bins plus one
		return []Figure{{Name: "COUNT"}, {Name: "MIN"}, {Name: "MAX"}, {Name: "LAST"}, {Name: "SUM_LOW"},
			{Name: "SUM_HIGH"}, {Name: "PRODUCTS_LOW"}, {Name: "PRODUCTS_HIGH"}}
	}
	return nil
}

// At is the place of a figure among those of its tap; -1 for a name that there is not.
func (k TapKind) At(name string) int {
	return slices.IndexFunc(k.Figures(), func(f Figure) bool { return f.Name == name })
}

// name is that of the kind in constants of C++.
func (k TapKind) name() string {
	return [...]string{"ACTIVITY", "QUEUE", "OCCUPANCY", "LATENCY", "GAP"}[k]
}

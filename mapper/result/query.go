package result

import "xopt/flow/profile"

// Query is one measure statement of the TimeTrial language with what it has
// measured. Values are in the SI unit of its type: elements/s, fractions of the
// time, elements, seconds, or what the elements hold.
type Query struct {
	Name      string       `json:"name"` // its label, or what it measures
	Text      string       `json:"text"` // as written
	Type      string       `json:"type"`
	Statistic string       `json:"statistic"`
	Unit      string       `json:"unit,omitempty"`
	Target    string       `json:"target"`
	Width     int          `json:"width,omitempty"` // of signals, in bits
	Of        string       `json:"of,omitempty"`    // what samples stand for: "cycles" of signals; "" for elements
	Every     uint64       `json:"every"`           // of samples: one element in so many; 0: one in about 300 us
	Bins      int          `json:"bins,omitempty"`  // of the histogram, where they were asked for
	Total     QueryValue   `json:"total"`
	Frames    []QueryValue `json:"frames,omitempty"` // when there are several
	Box       *Box         `json:"box,omitempty"`    // of the frames' values
	Trace     []Logged     `json:"trace,omitempty"`
	Lost      uint64       `json:"lost,omitempty"` // values or frames that were not kept
	// Cycles are those of a kernel on an FPGA, of a statement that measures states; CycleFrames are those of frames,
	// when there are several.
	Cycles      *profile.Cycles `json:"cycles,omitempty"`
	CycleFrames []CycleFrame    `json:"cycleFrames,omitempty"`
	// VirtualQueue is there for the histogram of a queue that crosses a link.
	VirtualQueue *VirtualQueue `json:"virtualQueue,omitempty"`
}

// CycleFrame is where the cycles of a kernel on an FPGA went in a frame.
type CycleFrame struct {
	Frame  uint64          `json:"frame"`
	Start  float64         `json:"start"` // seconds since the start of the run
	End    float64         `json:"end"`
	Cycles *profile.Cycles `json:"cycles"`
}

// QueryValue is a value in one frame, or in the whole run.
type QueryValue struct {
	Frame uint64   `json:"frame"`
	Start *float64 `json:"start,omitempty"` // seconds since the start of the run
	End   *float64 `json:"end,omitempty"`
	// Value is missing where no element, or no moment, met the condition.
	Value *float64 `json:"value,omitempty"`
	// Samples is the distribution of the samples that it is from.
	Samples *Distribution `json:"samples,omitempty"`
	// Looks and Held count looks at the condition and those at which it held.
	Looks uint64 `json:"looks,omitempty"`
	Held  uint64 `json:"held,omitempty"`
}

// Logged is one element of a trace.
type Logged struct {
	Index uint64  `json:"index"`
	Time  float64 `json:"time"` // seconds since the start of the run
	Value float64 `json:"value"`
	// Stops is that from here on the value of a signal does not count: there is none.
	Stops bool `json:"stops,omitempty"`
}

// Assertion is one assert statement with what became of it.
type Assertion struct {
	Name    string `json:"name"`
	Text    string `json:"text"`
	Holds   bool   `json:"holds"`
	Frames  uint64 `json:"frames"` // that could be judged
	Failed  uint64 `json:"failed"` // of them
	Unknown uint64 `json:"unknown,omitempty"`
	// Tested and Wrong count elements, or looks, where it is about those.
	Tested   float64  `json:"tested,omitempty"`
	Wrong    float64  `json:"wrong,omitempty"`
	Failures []Breach `json:"failures,omitempty"` // the first ones
}

// Breach is a frame in which an assertion failed.
type Breach struct {
	Frame    uint64     `json:"frame"`
	Start    float64    `json:"start"`
	End      float64    `json:"end"`
	Observed []Observed `json:"observed,omitempty"`
	Text     string     `json:"text"` // all of this, to read
}

// Observed is a value that took part.
type Observed struct {
	What  string   `json:"what"`
	Value *float64 `json:"value,omitempty"`
	// Estimated is that the value is not exactly known.
	Estimated bool     `json:"estimated,omitempty"`
	Index     *uint64  `json:"index,omitempty"` // of the element
	Time      *float64 `json:"time,omitempty"`
}

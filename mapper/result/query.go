package result

import "xopt/flow/profile"

// Query is the result of one measure statement of the TimeTrial language. Values are in the unit of the statement's
// type: elements/s, fractions of the time, elements, seconds, or the unit of the elements' contents.
type Query struct {
	Name      string       `json:"name"` // label of the statement, or a description
	Text      string       `json:"text"` // text of the statement
	Type      string       `json:"type"`
	Statistic string       `json:"statistic"`
	Unit      string       `json:"unit,omitempty"`
	Target    string       `json:"target"`
	Width     int          `json:"width,omitempty"` // width of signals, in bits
	Of        string       `json:"of,omitempty"`    // unit of samples: "cycles" for signals; "" for elements
	Every     uint64       `json:"every"`           // elements per sample; 0 for one sample per approximately 300 us
	Bins      int          `json:"bins,omitempty"`  // number of bins of the histogram, if requested
	Total     QueryValue   `json:"total"`
	Frames    []QueryValue `json:"frames,omitempty"` // values of the frames, if there are several frames
	Box       *Box         `json:"box,omitempty"`    // summary of the frames' values
	Trace     []Logged     `json:"trace,omitempty"`
	Lost      uint64       `json:"lost,omitempty"` // number of values or frames that were dropped
	// Cycles counts the cycles of a kernel on an FPGA, for a statement about states. CycleFrames contains these counts
	// by frame, if there are several frames.
	Cycles      *profile.Cycles `json:"cycles,omitempty"`
	CycleFrames []CycleFrame    `json:"cycleFrames,omitempty"`
	// VirtualQueue is set for the histogram of a queue that crosses a link.
	VirtualQueue *VirtualQueue `json:"virtualQueue,omitempty"`
}

// CycleFrame contains the cycle counts of a kernel on an FPGA in one frame.
type CycleFrame struct {
	Frame  uint64          `json:"frame"`
	Start  float64         `json:"start"` // seconds since the start of the run
	End    float64         `json:"end"`
	Cycles *profile.Cycles `json:"cycles"`
}

// QueryValue is a value in one frame, or in the complete run.
type QueryValue struct {
	Frame uint64   `json:"frame"`
	Start *float64 `json:"start,omitempty"` // seconds since the start of the run
	End   *float64 `json:"end,omitempty"`
	// Value is nil if the condition held for no element, or at no time.
	Value *float64 `json:"value,omitempty"`
	// Samples is the distribution of the underlying samples.
	Samples *Distribution `json:"samples,omitempty"`
	// Looks is the number of times that the condition was checked. Held is the number of times that it was true.
	Looks uint64 `json:"looks,omitempty"`
	Held  uint64 `json:"held,omitempty"`
}

// Logged is one entry of a trace: a value at a time.
type Logged struct {
	Index uint64  `json:"index"`
	Time  float64 `json:"time"` // seconds since the start of the run
	Value float64 `json:"value"`
	// Stops reports that the signal has no value from this time on.
	Stops bool `json:"stops,omitempty"`
}

// Assertion is the result of one assert statement.
type Assertion struct {
	Name    string `json:"name"`
	Text    string `json:"text"`
	Holds   bool   `json:"holds"`
	Frames  uint64 `json:"frames"` // number of checked frames
	Failed  uint64 `json:"failed"` // number of failed checks
	Unknown uint64 `json:"unknown,omitempty"`
	// Tested is the number of checked elements or samples, and Wrong the number for which the check failed, for
	// statements about elements or samples.
	Tested   float64  `json:"tested,omitempty"`
	Wrong    float64  `json:"wrong,omitempty"`
	Failures []Breach `json:"failures,omitempty"` // first failures
}

// Breach describes a frame in which an assertion failed.
type Breach struct {
	Frame    uint64     `json:"frame"`
	Start    float64    `json:"start"`
	End      float64    `json:"end"`
	Observed []Observed `json:"observed,omitempty"`
	Text     string     `json:"text"` // description in words
}

// Observed is a value that an assertion compared.
type Observed struct {
	What  string   `json:"what"`
	Value *float64 `json:"value,omitempty"`
	// Estimated reports that the value is not exact.
	Estimated bool     `json:"estimated,omitempty"`
	Index     *uint64  `json:"index,omitempty"` // index of the element
	Time      *float64 `json:"time,omitempty"`
}

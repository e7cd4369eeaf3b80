// Package trace defines the table of events of a run (Gayen 2008 §3.3). An event is the send of an element, its arrival
// at the end of its edge, its consumption, or the passing of a testpoint. A run writes the table as it proceeds
// (deploy/run), and X-Eval reads the table. The package also reads and writes the formats of other tools.
//
// A table contains series: one for each edge, one for each testpoint. The events of a series and a kind are a stream.
// Neither times nor indices decrease within a stream. A table stores its streams separately. A reader of some streams
// reads only these streams, and merges their events by time.
package trace

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"xopt/deploy/faults"
	"xopt/internal/units"
)

// Kind is the kind of an event.
type Kind uint8

// The kinds of events. An element of an edge has these events in the order Out, Available, In.
const (
	Available Kind = iota // the element arrived at the end of its edge: its reader may consume it
	In                    // the reader consumed it: a firing accessed it for the first time
	Out                   // the writer sent it
	Point                 // a kernel passed a testpoint
	kinds                 // number of kinds
)

var kindNames = [kinds]string{"available", "in", "out", "point"}

// String returns the name of a kind in tables and CSV files.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// PerSecond is the number of units of Event.Time in a second. The unit is 1 ps.
const PerSecond = 1_000_000_000_000

// Longest is the latest possible time of an event, in seconds since the start of its run.
const Longest = math.MaxInt64 / PerSecond

// Event is one row of the table.
type Event struct {
	Time   int64  // ps since the start of the run
	Index  uint64 // index of the element on its edge, from 0; for a testpoint, the number of earlier passes
	Bytes  uint64 // size of the element; 0 if unknown, and for testpoints
	Series int32  // index in Header.Series
	Kind   Kind
}

// Seconds returns the time of an event in seconds since the start of its run.
func (e *Event) Seconds() float64 { return float64(e.Time) / PerSecond }

// Time converts a time in seconds to a value for Event.Time, rounded to a ps. It returns an error for times before the
// start of the run or after Longest.
func Time(seconds float64) (int64, error) {
	if !(seconds >= 0) || seconds > Longest {
		return 0, fmt.Errorf("the time %v s is not between 0 and %d s", seconds, int64(Longest))
	}
	return int64(math.Round(seconds * PerSecond)), nil
}

// Port is a port or a testpoint of a kernel. Kernel is its full name: "top.gen1".
type Port struct{ Kernel, Name string }

// String returns the port's full name: "top.gen1.y0".
func (p Port) String() string { return p.Kernel + "." + p.Name }

// Series is an edge or a testpoint whose events are rows of the table.
type Series struct {
	Name     string // name of the edge in the result ("top.e1"), or full name of the testpoint
	From, To Port   // ports of an edge
	Point    Port   // testpoint; zero for an edge
	Bytes    uint64 // size of an element; 0 if unknown, and for testpoints
	// BytesAt is the first line, as FILE:LINE, that states Bytes in a table of another program; "" for none. OtherBytes
	// is the first different size, stated at OtherBytesAt; 0 for none.
	BytesAt      string `json:",omitempty"`
	OtherBytes   uint64 `json:",omitempty"`
	OtherBytesAt string `json:",omitempty"`
	// FromFPGA and ToFPGA are the FPGAs at the ends of an edge, or the scopes of a hardware dump; "" for a processor
	// core.
	FromFPGA, ToFPGA string
}

// IsPoint reports whether the series belongs to a testpoint.
func (s *Series) IsPoint() bool { return s.Point.Kernel != "" }

// Stream identifies the events of one series and kind.
type Stream struct {
	Series int32
	Kind   Kind
}

// Origin is the origin of a kernel's times, such as "simulated" or "assumed, drawn from figures".
type Origin struct{ Kernel, Origin string }

// OriginWord returns the first word of an origin: "measured", "simulated", "published" or "assumed".
func OriginWord(origin string) string {
	word, _, _ := strings.Cut(origin, " ")
	return strings.TrimRight(word, ",:;")
}

// OriginsByKernel returns a function that returns the origin of a kernel's times. It also accepts the names of files in
// place of kernel names.
func (h *Header) OriginsByKernel() func(kernel string) string {
	of := make(map[string]string, len(h.Origins))
	for _, x := range h.Origins {
		if name := strings.Map(fileRune, x.Kernel); of[name] == "" {
			of[name] = x.Origin
		}
	}
	return func(kernel string) string {
		if origin, ok := of[strings.Map(fileRune, kernel)]; ok {
			return origin
		}
		return h.Origin
	}
}

// OriginOf returns the origin of one kernel's times.
func (h *Header) OriginOf(kernel string) string { return h.OriginsByKernel()(kernel) }

// Kernels is a list of kernels whose times have the same origin.
type Kernels struct {
	Origin  string
	Kernels []string
}

// ByOrigin groups the kernels of Origins, in their order.
func (h *Header) ByOrigin() (list []Kernels) {
	places := make(map[string]int)
	for _, x := range h.Origins {
		at, ok := places[x.Origin]
		if !ok {
			at = len(list)
			places[x.Origin] = at
			list = append(list, Kernels{Origin: x.Origin})
		}
		list[at].Kernels = append(list[at].Kernels, x.Kernel)
	}
	return list
}

// OriginText describes the origin of a trace's times, including different origins of kernels.
func (h *Header) OriginText() string {
	if h.Origin == "" {
		return "of a trace of unknown origin"
	}
	text := h.Origin
	for _, x := range h.ByOrigin() {
		if word := OriginWord(x.Origin); word != OriginWord(h.Origin) {
			text += fmt.Sprintf(", times of %s %s", units.Counted(len(x.Kernels), "kernel", "kernels"), word)
		}
	}
	return text
}

// Place is the resource of a kernel.
type Place struct{ Kernel, Resource string }

// Left is the number of a stream's events that a run omitted.
type Left struct {
	Stream Stream
	Events uint64
}

// Header describes a trace. A writer receives it at the end of the run, when the numbers of omitted events are known.
type Header struct {
	Application string // name of the application
	Origin      string // origin of its times: "simulated", "measured", "measured elsewhere: FILE"
	// Origins are the origins of the times of single kernels, if they differ from Origin.
	Origins  []Origin `json:",omitempty"`
	Command  string
	Tool     string             // recording program and its version
	Places   []Place            // resources of the kernels
	Clocks   map[string]float64 // clock period in seconds of each FPGA, or scope of a dump
	Series   []Series
	Unpassed []Port  // declared testpoints that no kernel has passed
	Left     []Left  // numbers of events missing in the table
	Seconds  float64 // length of the run; 0 if unknown
	// Folders contains the folder for the .ts files of each kernel whose block declares such a folder (filepath).
	Folders map[string]string
	// Shift is the time in ps that readers subtract from all times of a Writer, for clocks that started long before the
	// run. It is 0 in the headers that readers return.
	Shift int64 `json:",omitempty"`
	// Frequency is the frequency in Hz of the clock whose ticks a Writer receives; 0 for ps. Readers always
	// return ps.
	Frequency float64
}

// Writer stores the events of a run. The events of a stream must arrive in order. Events of different streams may be
// interleaved.
type Writer interface {
	// Write stores events, and does not retain the slice. The error wraps ErrOrder if an event is earlier than the
	// previous event of its stream.
	Write(events []Event) error
	// Finish completes the table with its header. The table exists only after Finish.
	Finish(h *Header) error
}

// Reader reads events as an io.Reader reads bytes: as many as available up to the length of the slice, and io.EOF
// after the last.
type Reader interface {
	Read(events []Event) (int, error)
	Close() error
}

// Table is a complete trace. Several readers may read it concurrently and repeatedly.
type Table interface {
	Header() *Header
	// Count returns the number of events of a stream in the table.
	Count(s Stream) uint64
	// Open reads the given streams, or all if there are none, in the order of time. It returns simultaneous events in
	// the order of the given streams. If no streams are given, this order is by series, and then out, available, in.
	Open(streams ...Stream) (Reader, error)
	Close() error
}

// Errors of this package for errors.Is.
var (
	ErrOrder = errors.New("an event is before the previous one in time or index")
	ErrName  = errors.New("no such series")
	ErrCut   = faults.DamagedTrace.Errorf("the trace is incomplete (copy or record it again)")
)

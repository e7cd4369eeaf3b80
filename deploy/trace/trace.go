// Package trace defines the table of events of a run (Gayen 2008 §3.3). Events are the send of an element, its arrival
// at the other end of its edge, its consumption there, and the passing of a testpoint. A run writes the table as it
// proceeds (deploy/run), and X-Eval reads it. Other files of this package write it in the formats of other tools, and
// read their formats.
//
// A table contains series: one for each edge, one for each testpoint. The events of a series and a kind are a stream.
// Within a stream neither times nor indices decrease. A table stores its streams separately. A reader of two streams
// reads nothing else, and a reader of several merges them by time. Only Memory, which tests use, keeps a table in
// memory.
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

// The kinds of events. An element of an edge has them in the order Out, Available, In.
const (
	Available Kind = iota // the element arrived at the end of its edge: its reader may consume it
	In                    // the reader consumed it: the firing that consumes it first accessed it
	Out                   // the writer sent it
	Point                 // a kernel passed a testpoint
	kinds                 // number of kinds
)

var kindNames = [kinds]string{"available", "in", "out", "point"}

// String returns the name of a kind in tables and in CSV.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// PerSecond is the number of units of Event.Time in a second: times are in ps.
const PerSecond = 1_000_000_000_000

// Longest is the latest time of an event, in seconds since the start of its run.
const Longest = math.MaxInt64 / PerSecond

// Event is one row of the table.
type Event struct {
	Time   int64  // ps since the start of the run
	Index  uint64 // of the element on its edge, from 0; for a testpoint, the number of earlier passes
	Bytes  uint64 // of the element; 0 if it is unknown, and of testpoints
	Series int32  // which of Header.Series it belongs to
	Kind   Kind
}

// Seconds returns the time of an event in seconds since the start of its run.
func (e *Event) Seconds() float64 { return float64(e.Time) / PerSecond }

// Time returns a time in seconds as Event.Time, rounded to a ps. It fails for times before the start of
// the run, and for those after Longest.
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

// Series is the subject of a row of the table: an edge, or a testpoint.
type Series struct {
	Name     string // the name of the edge in the result ("top.e1"), or the full name of the testpoint
	From, To Port   // of an edge
	Point    Port   // of a testpoint; without a kernel for an edge
	Bytes    uint64 // of an element; 0 if it is unknown, and for testpoints
	// BytesAt is the first line, as FILE:LINE, that states Bytes in a table of another program; "" if there is none.
	// OtherBytes is the first other size, at OtherBytesAt; 0 for none.
	BytesAt      string `json:",omitempty"`
	OtherBytes   uint64 `json:",omitempty"`
	OtherBytesAt string `json:",omitempty"`
	// FromFPGA and ToFPGA are the FPGAs at the ends of an edge, or the scopes of a dump of hardware; "" for a
	// processor core.
	FromFPGA, ToFPGA string
}

// IsPoint reports whether the series belongs to a testpoint.
func (s *Series) IsPoint() bool { return s.Point.Kernel != "" }

// Stream is the events of one series and kind.
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

// OriginsByKernel returns a function that looks up the origin of a kernel's times. Names of files count as names of
// their kernels.
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

// Kernels contains the kernels whose times have one origin.
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

// OriginText returns the origin of the times of a trace in words, with different origins of kernels.
func (h *Header) OriginText() string {
	if h.Origin == "" {
		return "of a trace of unknown origin"
	}
	text := h.Origin
	for _, x := range h.ByOrigin() {
		if word := OriginWord(x.Origin); word != OriginWord(h.Origin) {
			text += fmt.Sprintf(", those of %s %s", units.Counted(len(x.Kernels), "kernel", "kernels"), word)
		}
	}
	return text
}

// Place is the resource of a kernel.
type Place struct{ Kernel, Resource string }

// Left is the number of events of a stream that a run did not keep.
type Left struct {
	Stream Stream
	Events uint64
}

// Header describes a trace. A writer receives it at its end, because only then a run has determined which events it
// omitted.
type Header struct {
	Application string // by its name
	Origin      string // where its times come from: "simulated", "measured", "measured elsewhere: FILE"
	// Origins are the origins of single kernels' times that differ from Origin.
	Origins  []Origin `json:",omitempty"`
	Command  string
	Tool     string             // recording program with its version
	Places   []Place            // which kernel ran where
	Clocks   map[string]float64 // the period of the clock of each FPGA, or scope of a dump, in seconds
	Series   []Series
	Unpassed []Port  // testpoints that are declared, and were never passed
	Left     []Left  // the events that are not in the table
	Seconds  float64 // length of the run; 0 if unknown
	// Folders contains the folder for the .ts files of a kernel whose block declares one (filepath).
	Folders map[string]string
	// Shift is the time in ps that readers subtract from all times of a Writer, for clocks that started long before the
	// run. The headers that readers return do not contain it.
	Shift int64 `json:",omitempty"`
	// Frequency is the frequency in Hz of the clock whose ticks a Writer receives; 0 for ps. Readers always
	// return ps.
	Frequency float64
}

// Lossless reports whether the table contains all events of its run.
func (h *Header) Lossless() bool { return len(h.Left) == 0 }

// Writer stores the events of a run. The events of a stream arrive in order; streams may be interleaved in any way.
type Writer interface {
	// Write keeps events; it does not keep the slice. ErrOrder is in the error for an event that is earlier than the
	// previous one in its stream.
	Write(events []Event) error
	// Finish completes the table with its header. Without it there is no table.
	Finish(h *Header) error
}

// Reader reads events as an io.Reader reads bytes: as many as available up to the length of the slice, and io.EOF
// after the last.
type Reader interface {
	Read(events []Event) (int, error)
	Close() error
}

// Table is a complete trace. Several readers may read it at once, and repeatedly.
type Table interface {
	Header() *Header
	// Count returns the number of events of a stream in the table.
	Count(s Stream) uint64
	// Open reads some streams together, all for none: in the order of time, events of one time
	// in the order in which the streams are given (of all: by series, then out, available, in).
	Open(streams ...Stream) (Reader, error)
	Close() error
}

// Errors of this package, for errors.Is.
var (
	ErrOrder = errors.New("an event is before the previous one in time or index")
	ErrName  = errors.New("no such series")
	ErrCut   = faults.DamagedTrace.Errorf("the trace is incomplete: copy it again, or record it again")
)

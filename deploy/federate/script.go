package federate

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// Script is the input of the simulation of an FPGA. Addresses are offsets in the shared memory of the run (package
// abi).
type Script struct {
	Run     Run
	Parts   []Part
	Outers  []Outer
	Inners  []Inner
	Samples []Sample
	Borders []Border
	Points  []Point
	Probes  []Probe
}

// Probe is a tap of the run on signals. The simulation samples them in every cycle.
type Probe struct {
	Number  uint64  `doc:"of the model's, from 0"`
	Control uint64  `doc:"place of the tap's x_tap_control"`
	Slots   uint64  `doc:"of it"`
	Bins    uint64  `doc:"of a slot"`
	Log     uint64  `doc:"entries of its log"`
	Maximum uint64  `doc:"values that the log gets in all; 0 for no end"`
	Octaves bool    `doc:"bins are four to an octave, else linear"`
	Low     float64 `doc:"where the first bin begins"`
	Width   float64 `doc:"of a bin"`
}

// Point is a testpoint. The order is the model's.
type Point struct {
	Series uint64 `doc:"of its events"`
	Count  uint64 `doc:"place of how often it was passed"`
}

// Run is the line with the values for the complete run.
type Run struct {
	SharedBytes uint64  `doc:"of the shared memory"`
	Process     uint64  `doc:"place of the x_process_control of this process"`
	Federate    uint64  `doc:"place of its x_federate"`
	Period      float64 `doc:"of a cycle, ps"`
	Phase       float64 `doc:"before the first cycle, ps"`
	Drain       uint64  `doc:"cycles in which a kernel must have done nothing to have ended"`
	Rest        uint64  `doc:"cycles in which one in a loop must have done nothing to rest"`
	Events      bool    `doc:"events are recorded"`
	Maximum     uint64  `doc:"of a series, at most; 0 for all"`
}

// Part is a kernel. The order is the model's.
type Part struct {
	Control uint64  `doc:"place of its x_kernel_control"`
	Loop    bool    `doc:"it is in a loop"`
	Spent   uint64  `doc:"the first of its counts of cycles, among the figures behind the x_federate"`
	Counts  uint64  `doc:"how many these are"`
	Clock   float64 `doc:"of a cycle of its own clock, ps; 0 where it has that of the FPGA"`
}

// Outer is an edge that leaves the FPGA.
type Outer struct {
	Stream   string `doc:"of the model"`
	Part     uint64 `doc:"the kernel at this end, from 0"`
	Control  uint64 `doc:"place of the edge's x_ring_control"`
	Reader   uint64 `doc:"place of its x_reader"`
	Writer   uint64 `doc:"place of its x_writer"`
	Data     uint64 `doc:"place of its elements"`
	Ring     uint64 `doc:"bytes of that"`
	Capacity uint64 `doc:"elements that it may hold"`
	Element  uint64 `doc:"bytes of an element"`
	Initial  uint64 `doc:"elements that it holds at the start"`
	First    uint64 `doc:"where the first of them lies, in elements"`
	Series   uint64 `doc:"of its events"`
}

// Inner is an edge inside the FPGA.
type Inner struct {
	From     uint64 `doc:"the kernel that sends, from 0"`
	To       uint64 `doc:"the kernel that receives"`
	Control  uint64 `doc:"place of the edge's x_ring_control"`
	Reader   uint64 `doc:"place of its x_reader"`
	Writer   uint64 `doc:"place of its x_writer"`
	Element  uint64 `doc:"bytes of an element"`
	PutBytes uint64 `doc:"bytes of a word where it goes in"`
	GotBytes uint64 `doc:"bytes of a word where it comes out"`
	Initial  uint64 `doc:"elements that it holds at the start"`
	Back     bool   `doc:"it leads back in a loop: what it holds then ends when the loop rests"`
	Series   uint64 `doc:"of its events"`
}

// The kinds of samples.
const (
	Occupancy = "occupancy"
	Latency   = "latency"
	Gap       = "gap"
)

// Sample is a tap of the run whose samples come from a tap in hardware.
type Sample struct {
	Kind      string  `doc:"occupancy, latency or gap"`
	Control   uint64  `doc:"place of the tap's x_tap_control"`
	Slots     uint64  `doc:"of it"`
	Bins      uint64  `doc:"of a slot"`
	First     uint64  `doc:"of the tap's figures in a record"`
	Unit      float64 `doc:"what one of them is worth"`
	Histogram int64   `doc:"of the records that is its own; -1 for none"`
}

// Border is a tap of the run on an edge that leaves the FPGA. It samples elements as they pass.
type Border struct {
	Kind    string  `doc:"occupancy or latency"`
	Control uint64  `doc:"place of the tap's x_tap_control"`
	Slots   uint64  `doc:"of it"`
	Bins    uint64  `doc:"of a slot"`
	Log     uint64  `doc:"entries of its log"`
	Outer   uint64  `doc:"the edge, from 0"`
	Every   uint64  `doc:"one element in so many is sampled"`
	Queue   uint64  `doc:"place of the x_mark_queue of a latency"`
	Marks   uint64  `doc:"that the queue has room for"`
	Octaves bool    `doc:"bins are four to an octave, else linear"`
	Low     float64 `doc:"where the first bin begins"`
	Width   float64 `doc:"of a bin"`
}

// snake returns the name of a field in the script: put_bytes for PutBytes.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Text returns the script in the form that the program reads. Each line consists of its kind, followed by names with
// values.
func (s *Script) Text() string {
	var b strings.Builder
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		lines := v.Field(i)
		if lines.Kind() != reflect.Slice {
			writeLine(&b, lines)
			continue
		}
		for n := range lines.Len() {
			writeLine(&b, lines.Index(n))
		}
	}
	return b.String()
}

func writeLine(b *strings.Builder, line reflect.Value) {
	b.WriteString(snake(line.Type().Name()))
	for i := range line.NumField() {
		value := fmt.Sprint(line.Field(i).Interface())
		if f := line.Field(i); f.Kind() == reflect.Float64 {
			value = strconv.FormatFloat(f.Float(), 'g', 17, 64)
		}
		fmt.Fprintf(b, " %s=%s", snake(line.Type().Field(i).Name), value)
	}
	b.WriteByte('\n')
}

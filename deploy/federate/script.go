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

// Probe is a tap of the run that samples signals in every cycle.
type Probe struct {
	Number  uint64  `doc:"number of the model's probe, from 0"`
	Control uint64  `doc:"offset of the tap's x_tap_control"`
	Slots   uint64  `doc:"number of slots of the tap"`
	Bins    uint64  `doc:"number of bins of a slot"`
	Log     uint64  `doc:"number of entries of its log"`
	Maximum uint64  `doc:"maximum number of logged values; 0 for no limit"`
	Octaves bool    `doc:"true for four bins per octave, false for linear bins"`
	Low     float64 `doc:"lower end of the first bin"`
	Width   float64 `doc:"width of a bin"`
}

// Point is a testpoint. Points are in the order of the hardware model.
type Point struct {
	Series uint64 `doc:"series of its events"`
	Count  uint64 `doc:"offset of the number of its passes"`
}

// Run is the line with the values that apply to the run.
type Run struct {
	SharedBytes uint64  `doc:"size of the shared memory, in bytes"`
	Process     uint64  `doc:"offset of the x_process_control of this process"`
	Federate    uint64  `doc:"offset of its x_federate"`
	Period      float64 `doc:"length of a cycle, in ps"`
	Phase       float64 `doc:"time before the first cycle, in ps"`
	Drain       uint64  `doc:"number of idle cycles after which a kernel has ended"`
	Rest        uint64  `doc:"number of idle cycles after which a kernel in a loop is at rest"`
	Events      bool    `doc:"true if events are recorded"`
	Maximum     uint64  `doc:"maximum number of events of a series; 0 for no limit"`
}

// Part is a kernel. Parts are in the order of the hardware model.
type Part struct {
	Control uint64  `doc:"offset of its x_kernel_control"`
	Loop    bool    `doc:"whether it is in a loop"`
	Spent   uint64  `doc:"index of its first count of cycles among the figures after the x_federate"`
	Counts  uint64  `doc:"number of these counts"`
	Clock   float64 `doc:"length of a cycle of its own clock, in ps; 0 if it uses the clock of the FPGA"`
}

// Outer is an edge that leaves the FPGA.
type Outer struct {
	Stream   string `doc:"stream of the model"`
	Part     uint64 `doc:"kernel at this end, from 0"`
	Control  uint64 `doc:"offset of the edge's x_ring_control"`
	Reader   uint64 `doc:"offset of its x_reader"`
	Writer   uint64 `doc:"offset of its x_writer"`
	Data     uint64 `doc:"offset of its elements"`
	Ring     uint64 `doc:"size of this area, in bytes"`
	Capacity uint64 `doc:"capacity, in elements"`
	Element  uint64 `doc:"size of an element, in bytes"`
	Initial  uint64 `doc:"number of initial elements"`
	First    uint64 `doc:"position of the first initial element, in elements"`
	Series   uint64 `doc:"series of its events"`
}

// Inner is an edge inside the FPGA.
type Inner struct {
	From     uint64 `doc:"sending kernel, from 0"`
	To       uint64 `doc:"receiving kernel"`
	Control  uint64 `doc:"offset of the edge's x_ring_control"`
	Reader   uint64 `doc:"offset of its x_reader"`
	Writer   uint64 `doc:"offset of its x_writer"`
	Element  uint64 `doc:"size of an element, in bytes"`
	PutBytes uint64 `doc:"size of a word at the sender, in bytes"`
	GotBytes uint64 `doc:"size of a word at the receiver, in bytes"`
	Initial  uint64 `doc:"number of initial elements"`
	Back     bool   `doc:"whether it closes a loop: its stream then ends when the loop is at rest"`
	Series   uint64 `doc:"series of its events"`
}

// The kinds of samples.
const (
	Occupancy = "occupancy"
	Latency   = "latency"
	Gap       = "gap"
)

// Sample connects a tap of the run to the tap in the FPGA that provides its samples.
type Sample struct {
	Kind      string  `doc:"occupancy, latency or gap"`
	Control   uint64  `doc:"offset of the tap's x_tap_control"`
	Slots     uint64  `doc:"number of slots of the tap"`
	Bins      uint64  `doc:"number of bins of a slot"`
	First     uint64  `doc:"index of the tap's first figure in a record"`
	Unit      float64 `doc:"value of one unit of a figure"`
	Histogram int64   `doc:"index of its histogram in a record; -1 for none"`
}

// Border is a tap of the run on an edge that leaves the FPGA. It samples elements as they pass.
type Border struct {
	Kind    string  `doc:"occupancy or latency"`
	Control uint64  `doc:"offset of the tap's x_tap_control"`
	Slots   uint64  `doc:"number of slots of the tap"`
	Bins    uint64  `doc:"number of bins of a slot"`
	Log     uint64  `doc:"number of entries of its log"`
	Outer   uint64  `doc:"edge, from 0"`
	Every   uint64  `doc:"sampling interval, in elements"`
	Queue   uint64  `doc:"offset of the x_mark_queue of a latency tap"`
	Marks   uint64  `doc:"capacity of this queue, in marks"`
	Octaves bool    `doc:"true for four bins per octave, false for linear bins"`
	Low     float64 `doc:"lower end of the first bin"`
	Width   float64 `doc:"width of a bin"`
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

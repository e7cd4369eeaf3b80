package federate

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// Script tells the simulation of an FPGA what to do. Places are offsets in the shared memory of
// the run (package abi).
type Script struct {
	Run     Run
	Parts   []Part
	Outers  []Outer
	Inners  []Inner
	Samples []Sample
	Borders []Border
}

// Run is the line of the whole.
type Run struct {
	SharedBytes uint64  `doc:"of the shared memory"`
	Process     uint64  `doc:"place of the x_process_control of this process"`
	Federate    uint64  `doc:"place of its x_federate"`
	Period      float64 `doc:"of a cycle, ps"`
	Drain       uint64  `doc:"cycles in which a kernel must have done nothing to have ended"`
}

// Part is a kernel, in the order of the model.
type Part struct {
	Control uint64 `doc:"place of its x_kernel_control"`
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
}

// The kinds of samples.
const (
	Occupancy = "occupancy"
	Latency   = "latency"
)

// Sample is a tap of the run whose samples a tap in hardware has.
type Sample struct {
	Kind      string  `doc:"occupancy or latency"`
	Control   uint64  `doc:"place of the tap's x_tap_control"`
	Slots     uint64  `doc:"of it"`
	Bins      uint64  `doc:"of a slot"`
	First     uint64  `doc:"of the tap's figures in a record"`
	Unit      float64 `doc:"what one of them is worth"`
	Histogram int64   `doc:"of the records that is its own; -1 for none"`
}

// Border is a tap of the run on an edge that leaves the FPGA, sampled as elements pass.
type Border struct {
	Kind    string  `doc:"occupancy or latency"`
	Control uint64  `doc:"place of the tap's x_tap_control"`
	Slots   uint64  `doc:"of it"`
	Bins    uint64  `doc:"of a slot"`
	Log     uint64  `doc:"entries of its log"`
	Outer   uint64  `doc:"the edge, from 0"`
	Every   uint64  `doc:"one element in so many is looked at"`
	Queue   uint64  `doc:"place of the x_mark_queue of a latency"`
	Marks   uint64  `doc:"that the queue has room for"`
	Octaves bool    `doc:"bins are four to an octave, else linear"`
	Low     float64 `doc:"where the first bin begins"`
	Width   float64 `doc:"of a bin"`
}

// snake is the name of a field in the script: put_bytes for PutBytes.
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

// Text is the script as the program reads it: lines of a word that names the line, and names with
// their values.
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

// ScriptH returns script.h: the lines as structures of C++ that know the names of their members.
func ScriptH() string {
	var b, lists, each strings.Builder
	b.WriteString("// script.h: the lines of the script that tells the simulation of an FPGA what to do, generated " +
		"by\n// package federate from its types; do not edit it. Places are offsets in shared memory.\n" +
		"#ifndef SCRIPT_H\n#define SCRIPT_H\n\n#include <cstdint>\n#include <string>\n#include <vector>\n")
	script := reflect.TypeFor[Script]()
	for i := range script.NumField() {
		line, list := script.Field(i).Type, snake(script.Field(i).Name)
		kind := ""
		if line.Kind() == reflect.Slice {
			line = line.Elem()
			kind = line.Name() + "Line"
			fmt.Fprintf(&lists, "    std::vector<%s> %s;\n", kind, list)
		} else {
			kind = line.Name() + "Line"
			fmt.Fprintf(&lists, "    %s %s;\n", kind, list)
		}
		fmt.Fprintf(&each, "        f(\"%s\", %s);\n", snake(line.Name()), list)
		writeStruct(&b, kind, line)
	}
	fmt.Fprintf(&b, "\nstruct Script {\n%s\n    template <class F> void lines(F &&f) {\n%s    }\n};\n\n#endif\n",
		lists.String(),
		each.String())
	return b.String()
}

func writeStruct(b *strings.Builder, name string, line reflect.Type) {
	fmt.Fprintf(b, "\nstruct %s {\n", name)
	var fields strings.Builder
	for i := range line.NumField() {
		f := line.Field(i)
		declared := map[reflect.Kind]string{reflect.Uint64: "uint64_t %s = 0;", reflect.Int64: "int64_t %s = 0;",
			reflect.Float64: "double %s = 0;", reflect.Bool: "bool %s = false;",
			reflect.String: "std::string %s;"}[f.Type.Kind()]
		fmt.Fprintf(b, "    %-32s // %s\n", fmt.Sprintf(declared, snake(f.Name)), f.Tag.Get("doc"))
		fmt.Fprintf(&fields, "        f(\"%[1]s\", %[1]s);\n", snake(f.Name))
	}
	fmt.Fprintf(b, "    %-32s // in the script, from 1\n", "int line = 0;")
	fmt.Fprintf(b, "\n    template <class F> void fields(F &&f) {\n%s    }\n};\n", fields.String())
}

package board

import (
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/hdl"
	"xopt/hdl/rtl"
	"xopt/internal/files/jsonfile"
)

// descriptionName is the name of the file that describes a project's design.
const descriptionName = "design.json"

// Description describes an exported design and the traffic of its run.
type Description struct {
	Schema      int      `json:"schema"`
	Tool        string   `json:"tool"`
	Application string   `json:"application"`
	FPGA        string   `json:"fpga"`
	Design      uint32   `json:"design"` // value of the ID register
	Clock       float64  `json:"clock"`  // Hz
	ClockFrom   string   `json:"clockFrom"`
	Kernels     []string `json:"kernels"` // kernels on the FPGA
	Streams     []Stream `json:"streams"`
	Inner       []string `json:"inner"` // edges inside the FPGA, in the order of Tap.Wire
	Figures     int      `json:"figures"`
	Histograms  int      `json:"histograms"`
	// Bins is the number of bins of a histogram; 0 for rtl.Bins.
	Bins int   `json:"bins,omitempty"`
	Taps []Tap `json:"taps"`
	// Monitors count the cycles of kernels by state.
	Monitors []Monitor `json:"monitors,omitempty"`
	// Traces are the rings that record signals.
	Traces []Trace `json:"traces,omitempty"`
	Edges  []Edge  `json:"edges"` // edges of the application, with their traffic in the run
}

// Stream is an edge that leaves the FPGA.
type Stream struct {
	Name    string `json:"name"`
	Edge    string `json:"edge"`
	Input   bool   `json:"input"`
	Word    int    `json:"word"`    // bytes
	Element int    `json:"element"` // bytes
}

// Tap is a tap in hardware: a program.FederateTap with the name of its edge.
type Tap struct {
	Edge  string `json:"edge"`
	Kind  int    `json:"kind"` // hdl.TapKind
	Put   bool   `json:"put,omitempty"`
	Bytes int    `json:"bytes"`
	At    int    `json:"at"`
	Hist  int    `json:"hist"`
	Shift int    `json:"shift,omitempty"`
}

// Edge contains the traffic of an edge in the exported run, in elements.
type Edge struct {
	Edge     string `json:"edge"`
	Elements uint64 `json:"elements"`
	Capacity int    `json:"capacity"`
}

func format() jsonfile.Format {
	return jsonfile.Format{What: "description of an exported design", Schema: 1, Tool: "xopt"}
}

func describe(t *projectText, h *xsim.Hardware, d *design.Design, m *run.Measurement) *Description {
	x := &Description{Schema: 1, Tool: "xopt", Application: d.Program.Top, FPGA: h.FPGA.Name, Design: t.ID,
		Clock: h.Clock, ClockFrom: h.ClockFrom, Figures: h.Partition.TapWords(), Histograms: h.Partition.Histograms(),
		Bins: h.Partition.Bins(), Monitors: monitorsOf(h, d)}
	for _, k := range h.Federate.Parts {
		x.Kernels = append(x.Kernels, d.Program.Kernels[k].Name)
	}
	for i, s := range t.Streams {
		x.Streams = append(x.Streams, Stream{s.Name, d.Program.Edges[h.Federate.Outer[i].Edge].Name, s.Input, s.Bytes,
			s.Element})
	}
	for i := range h.Federate.Inner {
		x.Inner = append(x.Inner, d.Program.Edges[h.Federate.Inner[i].Edge].Name)
	}
	for i := range h.Federate.Taps {
		f := &h.Federate.Taps[i]
		x.Taps = append(x.Taps, Tap{d.Program.Edges[f.Edge].Name, int(f.Kind), f.Put, f.Bytes, f.At, f.Hist, f.Shift})
	}
	for i := range m.Edges {
		e := &m.Edges[i]
		x.Edges = append(x.Edges, Edge{d.Program.Edges[i].Name, e.Elements, e.Capacity})
	}
	return x
}

// tap converts a tap to the form that package program uses. edge is the index of the tap's edge.
func (t *Tap) tap(edge int) program.FederateTap {
	kind := hdl.TapKind(t.Kind)
	return program.FederateTap{Edge: edge, Kind: kind, Put: t.Put, Bytes: t.Bytes, At: t.At, Words: len(kind.Figures()),
		Hist: t.Hist, Bins: rtl.Bins, Shift: t.Shift}
}

package main

import (
	"bytes"
	"io"

	"xopt/cmd/faults"
	"xopt/deploy/program"
	deployrun "xopt/deploy/run"
	"xopt/deploy/trace"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// mostTraceData is how much --trace-data keeps of an edge at the most, in bytes: it lies in memory until the run ends.
const mostTraceData = 1 << 30

// keepElements asks for the first elements of each edge that does not stay on FPGAs, where nothing sees them.
func (f *deployCommand) keepElements(o *program.Options, d *design.Design) error {
	most, err := units.ParseSize(f.traceData)
	if err != nil || most > mostTraceData {
		return faults.WrongOptionValue.Usagef("--trace-data %s: want a size of at most 1GiB, such as 1MiB",
			f.traceData)
	}
	for e := range d.Program.Edges {
		if !staysInFPGA(d, e) {
			o.Taps = append(o.Taps, program.Tap{Kind: program.Record, Edge: e,
				Bytes: max(int(most), elementBytes(d.Program, e))})
		}
	}
	return nil
}

func elementBytes(p *xlang.Program, e int) int {
	edge := &p.Edges[e]
	return int(p.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes)
}

// staysInFPGA reports whether both ends of an edge are on FPGAs.
func staysInFPGA(d *design.Design, e int) bool {
	edge := &d.Program.Edges[e]
	return design.IsFPGA(d.Program, d.Mapping.Place[edge.From]) && design.IsFPGA(d.Program, d.Mapping.Place[edge.To])
}

// writeElements adds to a trace what was kept of the elements: behind those that an edge held at the start, what was
// sent.
func writeElements(w *trace.FileWriter, p *xlang.Program, m *deployrun.Measurement, taps []program.Tap) error {
	for i := range taps {
		if taps[i].Kind != program.Record || i >= len(m.Taps) {
			continue
		}
		start, err := program.StartElements(p, taps[i].Edge)
		if err != nil {
			return err
		}
		if err := w.Data(int32(taps[i].Edge), io.MultiReader(bytes.NewReader(start),
			bytes.NewReader(m.Taps[i].Recorded))); err != nil {
			return err
		}
	}
	return nil
}

// tellElements tells of which edges a trace has not all elements.
func (f *deployCommand) tellElements(p *xlang.Program, m *deployrun.Measurement, taps []program.Tap) {
	if f.traceData == "" {
		return
	}
	cut, inside := 0, len(p.Edges)
	for i := range taps {
		if taps[i].Kind != program.Record || i >= len(m.Taps) {
			continue
		}
		inside--
		if e := taps[i].Edge; uint64(len(m.Taps[i].Recorded)) < m.Edges[e].Elements*uint64(elementBytes(p, e)) {
			cut++
		}
	}
	if cut > 0 {
		f.noteID(faults.TraceDataCut, "note: the trace has only the first elements of %s, up to %s (--trace-data)",
			units.Counted(cut, "edge", "edges"), f.traceData)
	}
	if inside > 0 {
		f.noteID(faults.NoDataInFPGAs, "note: the trace has no elements of %s inside FPGAs", units.Counted(inside,
			"edge", "edges"))
	}
}

package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/trace"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// TraceOptions contains the settings of a trace.
type TraceOptions struct {
	Target  trace.Target
	Command string
	Origins []trace.Origin // origins of the times of a run in virtual time
	Max     uint64         // maximum number of events of each edge and testpoint; 0 for all
	Data    string         // text for the stored bytes of each edge's elements; "" for none
	Taps    []program.Tap
}

// FinishTrace completes the trace of a run and returns notes about its missing parts.
func FinishTrace(w *trace.FileWriter, d *design.Design, m *Measurement, o TraceOptions) (notes []string, err error) {
	p := d.Program
	if m.EventsError != nil {
		return nil, errors.Join(fmt.Errorf("recording the trace: %w", m.EventsError), w.Abort())
	}
	h := m.Events
	if m.Virtual {
		h.Origins = o.Origins
	}
	h.Application, h.Command, h.Tool = p.Top, o.Command, "xopt "+o.Target.Version
	for k := range p.Kernels {
		if folder := p.Kernels[k].TraceFolder; folder != "" {
			if h.Folders == nil {
				h.Folders = make(map[string]string)
			}
			h.Folders[p.Kernels[k].Name] = folder
		}
	}
	err = writeElements(w, p, m, o.Taps)
	if err == nil {
		err = w.FinishTo(&o.Target, h)
	}
	if err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return append(lackingEvents(h, m, o.Max), lackingElements(p, m, &o)...), nil
}

// writeElements adds the stored elements of each edge to a trace. The initial elements precede the sent elements.
func writeElements(w *trace.FileWriter, p *xlang.Program, m *Measurement, taps []program.Tap) error {
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

// maxNamedPoints is the maximum number of testpoints that a note names.
const maxNamedPoints = 6

// lackingEvents returns notes about the events that a trace lacks, and about testpoints that no kernel passed.
func lackingEvents(h *trace.Header, m *Measurement, maximum uint64) (notes []string) {
	left, series := uint64(0), 0
	for i, x := range h.Left {
		left += x.Events
		if i == 0 || h.Left[i-1].Stream.Series != x.Stream.Series {
			series++
		}
	}
	lacks := fmt.Sprintf("%s of %s", units.Counted(int(left), "event", "events"),
		units.Counted(series, "edge or testpoint", "edges and testpoints"))
	switch {
	case left == 0:
	case maximum > 0:
		notes = append(notes, faults.TraceIncomplete.Textf(
			"note: the trace omits %s: --trace-max keeps only the first %d events of each edge or testpoint",
			lacks, maximum))
	case m.Virtual || m.Failure != nil:
		notes = append(notes, faults.TraceIncomplete.Textf(
			"note: the trace omits the last %s: the run ended before the processes delivered these events", lacks))
	default:
		notes = append(notes, faults.TraceIncomplete.Textf("note: the trace omits the last %s: this machine could "+
			"not write the events fast enough (use --trace-max to record fewer events, or --simulate to lose none)",
			lacks))
	}
	if n := len(h.Unpassed); n > 0 {
		var names []string
		for _, p := range h.Unpassed {
			names = append(names, p.String())
		}
		notes = append(notes, faults.TestpointNotPassed.Textf("note: %s declared but never reached: %s",
			units.Counted(n, "testpoint is", "testpoints are"),
			strings.Join(units.First(names, maxNamedPoints, "and %d more"), ", ")))
	}
	return notes
}

// lackingElements returns notes about edges with missing elements in a trace.
func lackingElements(p *xlang.Program, m *Measurement, o *TraceOptions) (notes []string) {
	if o.Data == "" {
		return nil
	}
	cut, inside := 0, len(p.Edges)
	for i := range o.Taps {
		if o.Taps[i].Kind != program.Record || i >= len(m.Taps) {
			continue
		}
		inside--
		e := o.Taps[i].Edge
		if all := m.Edges[e].Elements * uint64(program.ElementBytes(p, e)); uint64(len(m.Taps[i].Recorded)) < all {
			cut++
		}
	}
	if cut > 0 {
		notes = append(notes, faults.TraceDataCut.Textf(
			"note: the trace has only the first elements of %s, up to %s (--trace-data)",
			units.Counted(cut, "edge", "edges"), o.Data))
	}
	if inside > 0 {
		notes = append(notes, faults.NoDataInFPGAs.Textf("note: the trace has no elements of %s inside FPGAs",
			units.Counted(inside, "edge", "edges")))
	}
	return notes
}

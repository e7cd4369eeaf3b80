package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/deploy/program"
	deployrun "xopt/deploy/run"
	"xopt/deploy/trace"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// planTrace plans the trace of a run.
func (f *deployCommand) planTrace(p *output.Plan) {
	if f.trace != "" {
		format, _ := fileFormat(f.trace) // events has refused others
		p.File("--trace", f.trace, traceKind(f.trace, format))
	}
}

// events says in the options of a program whether it records events, and the elements themselves.
func (f *deployCommand) events(o *program.Options, d *design.Design) error {
	o.Events, o.EventsMost = f.trace != "", f.traceMost
	switch {
	case f.traceMost > 0 && f.trace == "":
		return faults.OptionRequires.Usagef("--trace-most bounds what --trace FILE records: name a file")
	case f.traceData != "" && f.trace == "":
		return faults.OptionRequires.Usagef("--trace-data is for what --trace FILE records: name a file")
	}
	if err := f.traceFormat(d); err != nil {
		return err
	}
	if f.traceData != "" {
		return f.keepElements(o, d)
	}
	return nil
}

// traceFormat refuses formats that the trace of a run cannot be written in.
func (f *deployCommand) traceFormat(d *design.Design) error {
	if f.trace == "" {
		return nil
	}
	format, err := fileFormat(f.trace)
	onFPGA := func(r int) bool { return design.IsFPGA(d.Program, r) }
	switch {
	case err != nil:
		return fault.Usage(fmt.Errorf("--trace: %w; xopt trace FILE.xtrace -o FOLDER makes .ts files of one", err))
	case format == formatVCD && d.Mapping != nil && !slices.ContainsFunc(d.Mapping.Place, onFPGA):
		return faults.WrongTraceFormat.Usagef("--trace %s: the mapping has no kernel on an FPGA, and .vcd is of "+
			"the streams of hardware: name it .xtrace, .csv or .pftrace", f.trace)
	case format != formatOwn && f.traceData != "":
		return faults.WrongTraceFormat.Usagef("--trace %s: %s holds no elements (--trace-data): name it .xtrace",
			f.trace, format)
	}
	return nil
}

// runOnce runs the program of an attempt once, and removes it. The trace of the run, nil where none was asked for, is
// not finished.
func (f *deployCommand) runOnce(ctx context.Context, x attempt, limits deployrun.Options) (attempt, error) {
	var err error
	if f.trace != "" {
		if x.trace, err = f.beginTrace(); err != nil {
			return attempt{}, errors.Join(err, x.program.Remove())
		}
		limits.Events = x.trace
	}
	x.watch = profile.NewWatch()
	x.run, err = deployrun.Once(ctx, x.program, limits)
	if err = errors.Join(err, x.program.Remove()); err != nil {
		return attempt{}, errors.Join(err, x.trace.Abort())
	}
	return x, nil
}

// beginTrace begins the trace of a run: where it is to be, or, in another format, in a temporary file.
func (f *deployCommand) beginTrace() (*trace.FileWriter, error) {
	if format, err := fileFormat(f.trace); err != nil || format == formatOwn {
		return trace.Create(f.trace)
	}
	return trace.CreateTemp()
}

// convertTrace writes a trace that is finished in the format that its name asks for.
func (f *deployCommand) convertTrace(w *trace.FileWriter, path string) (err error) {
	format, err := fileFormat(path)
	if err != nil || format == formatOwn {
		return err
	}
	t, err := w.OpenTemp()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	return f.writeTrace(path, format, t)
}

// keepTrace ends the trace of a run, and tells what it has not.
func (f *deployCommand) keepTrace(w *trace.FileWriter, d *design.Design, m *deployrun.Measurement, taps []program.Tap,
	command []string) error {
	p := d.Program
	if w == nil || m.Events == nil {
		return nil
	}
	if m.EventsError != nil {
		return errors.Join(fmt.Errorf("recording the trace: %w", m.EventsError), w.Abort())
	}
	h := m.Events
	if m.Virtual {
		h.Origins = f.timesOrigins(d)
	}
	h.Application, h.Command, h.Tool = p.Top, safetext.ShellLine(command), "xopt "+version()
	for k := range p.Kernels {
		if folder := p.Kernels[k].TraceFolder; folder != "" {
			if h.Folders == nil {
				h.Folders = make(map[string]string)
			}
			h.Folders[p.Kernels[k].Name] = folder
		}
	}
	err := writeElements(w, p, m, taps)
	if err == nil {
		err = w.Finish(h)
	}
	if err == nil {
		err = f.convertTrace(w, f.trace)
	}
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	f.wrote = append(f.wrote, f.trace)
	f.tellTrace(h, m)
	f.tellElements(p, m, taps)
	return nil
}

// timesOrigins are where the times of kernels on cores come from in a run in virtual time, if they did not take them
// here: from figures, or from another run, whose times a replay does not make better.
func (f *deployCommand) timesOrigins(d *design.Design) []trace.Origin {
	if f.settings.From == fromProfile {
		return xsim.DrawnOrigins(d)
	}
	return f.replay.Origins(d)
}

// tellTimes puts these origins into what was measured, and tells of those of a replay.
func (f *deployCommand) tellTimes(m *result.Measured, d *design.Design) (notes []string) {
	if m.Simulated == "" {
		return nil
	}
	h := trace.Header{Origins: f.timesOrigins(d)}
	originOf := h.OriginsByKernel()
	for i := range m.Kernels {
		m.Kernels[i].TimesFrom = originOf(m.Kernels[i].Kernel)
	}
	if f.replay == nil {
		return nil
	}
	for _, of := range h.ByOrigin() {
		names := of.Kernels
		if n := len(names); n > mostNamed {
			names = append(names[:mostNamed:mostNamed], fmt.Sprintf("and %d more", n-mostNamed))
		}
		notes = append(notes, fmt.Sprintf("replay: nobody measured the times of %s: %s", strings.Join(names, ", "),
			of.Origin))
	}
	return notes
}

// boundLogs leaves of the firings and elements of --log as many as a result may have, and tells of the others.
func boundLogs(r *result.Result) {
	left := r.Measured.BoundLogs(result.MostLogged)
	if left == 0 {
		return
	}
	r.Notes = append(r.Notes, fmt.Sprintf("the result has the first %d of the firings and elements that --log has "+
		"recorded, firings first; %d more are left out. --trace FILE keeps all of a run in a file of 4 bytes for each "+
		"event, which --from replay reads, too", result.MostLogged, left))
}

// mostNamed is how many testpoints a note names.
const mostNamed = 6

// tellTrace tells what a trace has not, and which testpoints were never passed.
func (f *deployCommand) tellTrace(h *trace.Header, m *deployrun.Measurement) {
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
	case f.traceMost > 0:
		f.noteID(faults.TraceIncomplete, "note: the trace lacks %s: --trace-most keeps the first %d of each",
			lacks, f.traceMost)
	case m.Virtual || m.Failure != nil:
		f.noteID(faults.TraceIncomplete, "note: the trace lacks the last %s: the run was ended before they were "+
			"delivered", lacks)
	default:
		f.noteID(faults.TraceIncomplete, "note: the trace lacks the last %s: they came faster than this machine could "+
			"write them; --trace-most bounds what is kept, --simulate loses none", lacks)
	}
	if n := len(h.Unpassed); n > 0 {
		var names []string
		for _, p := range h.Unpassed {
			names = append(names, p.String())
		}
		if n > mostNamed {
			names = append(names[:mostNamed], fmt.Sprintf("and %d more", n-mostNamed))
		}
		f.noteID(faults.TestpointNotPassed, "note: %s declared and never passed: %s", units.Counted(n, "testpoint is",
			"testpoints are"), strings.Join(names, ", "))
	}
}

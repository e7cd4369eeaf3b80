package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"xopt/cmd/faults"
	"xopt/cmd/internal/settings"
	"xopt/deploy/program"
	deployrun "xopt/deploy/run"
	"xopt/deploy/trace"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/safetext"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// maxTraceData is the maximum of --trace-data, in bytes. The data stay in memory until the run ends.
const maxTraceData = 1 << 30

// events sets whether a program records events and the data of elements.
func (f *deployCommand) events(o *program.Options, d *design.Design) error {
	o.Events, o.EventsMost = f.Trace != "", f.TraceMax
	switch {
	case f.TraceMax > 0 && f.Trace == "":
		return faults.OptionRequires.Usagef("--trace-max limits the events of --trace FILE; add --trace")
	case f.TraceData != "" && f.Trace == "":
		return faults.OptionRequires.Usagef("--trace-data stores data in the file of --trace FILE; add --trace")
	}
	if err := f.traceFormat(d); err != nil {
		return err
	}
	if f.TraceData != "" {
		maximum, err := units.ParseSize(f.TraceData)
		if err != nil || maximum > maxTraceData {
			return fault.WrongValue("trace-data", f.TraceData, "a size of at most 1GiB, such as 1MiB")
		}
		o.Taps = append(o.Taps, program.RecordTaps(d, int(maximum))...)
	}
	return nil
}

// traceFormat rejects formats that cannot contain the trace of a run.
func (f *deployCommand) traceFormat(d *design.Design) error {
	if f.Trace == "" {
		return nil
	}
	format, err := trace.FileFormat(f.Trace)
	f.format = format
	onFPGA := func(r int) bool { return design.IsFPGA(d.Program, r) }
	switch {
	case err != nil:
		return fault.Usage(fmt.Errorf("--trace: %w; xopt trace FILE.xtrace -o FOLDER writes .ts files", err))
	case format == trace.VCD && d.Mapping != nil && !slices.ContainsFunc(d.Mapping.Place, onFPGA):
		return fault.WrongTraceFormat.Usagef("--trace %s: .vcd needs a kernel on an FPGA; use .xtrace, .csv or "+
			".pftrace", f.Trace)
	case format != trace.Own && f.TraceData != "":
		return fault.WrongTraceFormat.Usagef("--trace %s: %s cannot store data (--trace-data); use .xtrace",
			f.Trace, format)
	}
	return nil
}

// runOnce runs the program of an attempt once and removes it. It leaves the trace of the run open; nil without a trace.
func (f *deployCommand) runOnce(ctx context.Context, x attempt, limits deployrun.Options) (attempt, error) {
	var err error
	if f.Trace != "" {
		if x.trace, err = trace.CreateAs(f.Trace); err != nil {
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

// keepTrace completes the trace of a run and reports missing events.
func (f *deployCommand) keepTrace(w *trace.FileWriter, d *design.Design, m *deployrun.Measurement, taps []program.Tap,
	command []string) error {
	if w == nil || m.Events == nil {
		return nil
	}
	notes, err := deployrun.FinishTrace(w, d, m, deployrun.TraceOptions{Command: safetext.ShellLine(command),
		Target:  trace.Target{Path: f.Trace, Format: f.format, Version: version(), Plan: f.plan()},
		Origins: f.timesOrigins(d), Max: f.TraceMax, Data: f.TraceData, Taps: taps})
	if err != nil {
		return err
	}
	f.wrote = append(f.wrote, f.Trace)
	noteEach(f.app, "%s", notes)
	return nil
}

// timesOrigins returns the origins of service times that a run in virtual time did not measure: figures, or another
// run.
func (f *deployCommand) timesOrigins(d *design.Design) []trace.Origin {
	if f.settings.From == settings.FromProfile {
		return xsim.DrawnOrigins(d)
	}
	return f.replay.Origins(d)
}

// boundLogs limits the firings and elements of --log to the maximum that a result may contain. A note in the result
// counts the removed entries.
func boundLogs(r *result.Result) {
	left := r.Measured.BoundLogs(result.MaxLogged)
	if left == 0 {
		return
	}
	r.Notes = append(r.Notes, faults.LogBounded.Notef("the result omits %[2]d entries of --log: it contains at most "+
		"%[1]d entries, firings first (use --trace FILE to store all events, at 4 bytes each; --from replay also "+
		"reads that file)", result.MaxLogged, left))
}

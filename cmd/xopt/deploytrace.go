package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
		format, _ := trace.FileFormat(f.trace) // traceFormat has refused others
		p.File("--trace", f.trace, format.Kind(f.trace))
	}
}

// mostTraceData is the largest --trace-data, in bytes: it lies in memory until the run ends.
const mostTraceData = 1 << 30

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
		most, err := units.ParseSize(f.traceData)
		if err != nil || most > mostTraceData {
			return fault.WrongValue("trace-data", f.traceData, "a size of at most 1GiB, such as 1MiB")
		}
		o.Taps = append(o.Taps, program.RecordTaps(d, int(most))...)
	}
	return nil
}

// traceFormat refuses formats that the trace of a run cannot be written in.
func (f *deployCommand) traceFormat(d *design.Design) error {
	if f.trace == "" {
		return nil
	}
	format, err := trace.FileFormat(f.trace)
	f.format = format
	onFPGA := func(r int) bool { return design.IsFPGA(d.Program, r) }
	switch {
	case err != nil:
		return fault.Usage(fmt.Errorf("--trace: %w; xopt trace FILE.xtrace -o FOLDER makes .ts files of one", err))
	case format == trace.VCD && d.Mapping != nil && !slices.ContainsFunc(d.Mapping.Place, onFPGA):
		return fault.WrongTraceFormat.Usagef("--trace %s: the mapping has no kernel on an FPGA, and .vcd is of "+
			"the streams of hardware: name it .xtrace, .csv or .pftrace", f.trace)
	case format != trace.Own && f.traceData != "":
		return fault.WrongTraceFormat.Usagef("--trace %s: %s holds no elements (--trace-data): name it .xtrace",
			f.trace, format)
	}
	return nil
}

// runOnce runs the program of an attempt once, and removes it. The trace of the run, nil where none was asked for, is
// not finished.
func (f *deployCommand) runOnce(ctx context.Context, x attempt, limits deployrun.Options) (attempt, error) {
	var err error
	if f.trace != "" {
		if x.trace, err = trace.Begin(f.trace); err != nil {
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

// keepTrace ends the trace of a run, and notes what it lacks.
func (f *deployCommand) keepTrace(w *trace.FileWriter, d *design.Design, m *deployrun.Measurement, taps []program.Tap,
	command []string) error {
	if w == nil || m.Events == nil {
		return nil
	}
	notes, err := deployrun.FinishTrace(w, d, m, deployrun.TraceOptions{Command: safetext.ShellLine(command),
		Target:  trace.Target{Path: f.trace, Format: f.format, Version: version(), Plan: f.plan()},
		Origins: f.timesOrigins(d), Most: f.traceMost, Data: f.traceData, Taps: taps})
	if err != nil {
		return err
	}
	f.wrote = append(f.wrote, f.trace)
	for _, n := range notes {
		f.note("%s", n)
	}
	return nil
}

// timesOrigins returns the origins of the times of kernels on cores in a run in virtual time, if they were not measured
// in it: figures, or another run.
func (f *deployCommand) timesOrigins(d *design.Design) []trace.Origin {
	if f.settings.From == fromProfile {
		return xsim.DrawnOrigins(d)
	}
	return f.replay.Origins(d)
}

// boundLogs leaves of the firings and elements of --log as many as a result may have, and tells of the others.
func boundLogs(r *result.Result) {
	left := r.Measured.BoundLogs(result.MostLogged)
	if left == 0 {
		return
	}
	r.Notes = append(r.Notes, faults.LogBounded.Notef("the result has the first %d of the firings and elements that "+
		"--log has recorded, firings first; %d more are left out. --trace FILE keeps all of a run in a file of 4 "+
		"bytes for each event, which --from replay reads, too", result.MostLogged, left))
}

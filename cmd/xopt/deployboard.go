package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/settings"
	"xopt/deploy/board"
	"xopt/deploy/measure"
	"xopt/deploy/program"
	deployrun "xopt/deploy/run"
	"xopt/deploy/timetrial"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/mapper/result"
)

// planExport checks that the project of --export can be written.
func planExport(p *output.Plan, d *design.Design, f *deployCommand) {
	if err := board.Exportable(d); err != nil {
		p.Refuse("--export", "%w", err)
	}
	if err := board.Free(f.Export); err != nil {
		p.Refuse("--export", "%w", err)
		return
	}
	if f.Time > 0 {
		p.Refuse("--export", "the project needs a complete run; use --elements instead of --time")
	}
	p.Build("--export", f.Export)
}

// beginExport starts the project of --export for a run. Each signal that the run traces has a ring buffer in the
// hardware. beginExport checks that the rings fit.
func (f *deployCommand) beginExport(ctx context.Context, d *design.Design, o program.Options) error {
	if f.Export == "" {
		return nil
	}
	traces, err := xsim.TracesInHardware(o.Taps)
	if err != nil {
		return fault.Usage(fmt.Errorf("--export: %w", err))
	}
	if len(traces) > 0 {
		if _, err := f.hardware(ctx, d, o); err != nil {
			return fmt.Errorf("--export: %w", err)
		}
	}
	f.project, err = board.New(f.Export)
	return err
}

// hardware returns the hardware to export for a run with the given options.
func (f *deployCommand) hardware(ctx context.Context, d *design.Design, o program.Options) (*xsim.Hardware, error) {
	area, err := f.monitorShare(d)
	if err != nil {
		return nil, err
	}
	return xsim.NewHardware(ctx, d, o, xsim.Options{MonitorArea: area, MonitorChoice: f.MonitorChoice()},
		xsim.FPGAs(d)[0])
}

// keepExport completes the project after a successful run.
func (f *deployCommand) keepExport(ctx context.Context, d *design.Design, o program.Options,
	m *deployrun.Measurement) error {
	if f.project == nil || ctx.Err() != nil {
		return nil
	}
	if m.Failure != nil {
		f.noteID(faults.NotWritten, "note: %s was not written because the run failed", f.Export)
		return nil
	}
	h, err := f.hardware(ctx, d, o)
	if err != nil {
		return fmt.Errorf("exporting: %w", err)
	}
	work := f.longWork("synthesizing the exported design")
	defer work.Stop()
	if err := f.project.Finish(ctx, &board.Run{Design: d, Hardware: h, Measurement: m, Traced: f.traced}); err != nil {
		return err
	}
	f.wrote = append(f.wrote, f.Export)
	return nil
}

// withBoard runs deploy with a board. ran is false if the user requested no board.
func (f *deployCommand) withBoard(c *cobra.Command, files []string, d *design.Design,
	predicted *result.Candidate) (ran bool, err error) {
	if path, ok := strings.CutPrefix(f.settings.From, settings.FromBoard); ok && f.Board == "" {
		return true, f.fromBoard(c, files, d, predicted, path)
	}
	if f.BoardAt != "" && f.Board == "" {
		return true, faults.OptionRequires.Usagef("--board-at requires --board DIR")
	}
	if f.Board != "" {
		return true, f.onBoard(c, files, d, predicted)
	}
	return false, nil
}

// fromBoard prints and writes measurements that a board sent, beside the prediction. It runs nothing.
func (f *deployCommand) fromBoard(c *cobra.Command, files []string, d *design.Design,
	predicted *result.Candidate, path string) error {
	if err := f.inForce.Exclude("--from "+f.settings.From+" only reads the data of a board", "export",
		"measure"); err != nil {
		return err
	}
	if err := f.planDeploy(d, files); err != nil {
		return err
	}
	answer, err := board.Read(path, d)
	if err != nil {
		return fault.Usage(fmt.Errorf("--from %s%s: %w", settings.FromBoard, path, err))
	}
	r := newResult(d, f.typed(c, files))
	r.Notes = append(answer.Measurement.Notes, f.unpredicted...)
	r.Measured = answer.Measurement.Result(d)
	r.Measured.Board, r.Measured.Buffers = "the board at "+answer.Where, nil
	if answer.Model {
		r.Measured.Simulated = "RTL simulation of the exported design"
		r.Measured.Board = "a model in RTL simulation of the exported design, " + answer.Where
	}
	r.Measured.WallSeconds = answer.Measurement.Wall
	r.Measured.Queries = answer.Queries
	r.Prediction = predicted
	return f.keepRun(r, files)
}

// onBoard runs a mapping with its FPGA kernels on a board and the other kernels on this machine.
func (f *deployCommand) onBoard(c *cobra.Command, files []string, d *design.Design,
	predicted *result.Candidate) error {
	ctx := c.Context()
	if err := f.inForce.Exclude("--board supports fewer options", "export", "measure", "frame",
		"log", "trace", "guard", "simulate", "from"); err != nil {
		return err
	}
	live, err := board.NewLive(d, f.Board, cmp.Or(f.BoardAt, board.DefaultBoard(f.Board)))
	if err != nil {
		return fault.Usage(fmt.Errorf("--board %s: %w", f.Board, err))
	}
	o, err := f.prepared(ctx, live.Design, files)
	if err != nil {
		return err
	}
	o.Taps = live.Taps(o.Taps)
	work := f.longWork("building")
	defer work.Stop()
	prog, err := program.New(ctx, live.Design, o, f.Keep)
	if err != nil {
		return fmt.Errorf("deploying: %w", err)
	}
	work.At("running")
	limits := deployrun.Options{Time: f.Time, Stall: f.Stall, Printed: aboveProgress{f.app, f.stderr}}
	x, err := f.runOnce(ctx, attempt{program: prog}, limits)
	work.Stop()
	if err != nil {
		return fmt.Errorf("deploying: %w", err)
	}
	switch { // in these cases, the board has sent no summary
	case ctx.Err() != nil:
		f.code = exitInterrupted
		return nil
	case x.run.Failure != nil:
		return x.run.Failure
	}
	answer, err := live.Measured(x.run)
	if err != nil {
		return fmt.Errorf("reading the data of the board: %w", err)
	}
	r := newResult(d, f.typed(c, files))
	r.Notes = append(answer.Measurement.Notes, f.unpredicted...)
	r.Measured = answer.Measurement.Result(d)
	r.Measured.Queries = append(r.Measured.Queries, answer.Queries...)
	r.Prediction = predicted
	return f.keepRun(r, files)
}

// tracedSignals returns the measure statements of a run that rings in hardware can answer.
func tracedSignals(answers []measure.Answer, queries []result.Query) (list []board.Traced) {
	for i := range answers {
		m := answers[i].Measurement
		if m.Target.Probe != nil && m.Statistic == timetrial.Trace && m.Type != timetrial.Util {
			list = append(list, board.NewTraced(queries[i], m.Params.Entries))
		}
	}
	return list
}

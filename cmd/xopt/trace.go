package main

import (
	"context"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/options"
	"xopt/cmd/internal/progress"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/deploy/trace"
	"xopt/internal/fault"
)

// traceCommand is the command xopt trace.
type traceCommand struct {
	*app
	*settings.Trace
}

func (f *traceCommand) command() *cobra.Command {
	return &cobra.Command{
		Use:        "trace FILE",
		SuggestFor: []string{"events"},
		Short:      "show a trace, and convert it to Perfetto, CSV, VCD or .ts",
		Long: `trace reports the number of elements on each edge, their mean travel and waiting times,
and the count of each testpoint. FILE is a trace of deploy --trace, a CSV table of events, a VCD file of
a hardware simulation with AXI streams, or a folder of .ts files, with elements in .dat files (Gayen
2008, chapter 3). -o converts the trace to Perfetto (.pftrace), CSV, VCD or .ts.`,
		Example: `xopt trace run.xtrace
xopt trace run.xtrace -o run.pftrace     for ui.perfetto.dev
xopt trace run.xtrace --window 10ms..12ms -o run.csv.gz
xopt trace waves.vcd -o events.csv       AXI streams of a simulation
xopt deploy app.x arch.x map.x --simulate --trace run.xtrace`,
		Args: options.ExactArgs(1, "a trace of deploy --trace, a CSV or VCD file, or a folder of .ts files"),
		RunE: func(c *cobra.Command, args []string) error { return f.trace(c.Context(), args[0]) },
	}
}

func (f *traceCommand) trace(ctx context.Context, path string) error {
	plan := f.plan()
	format, err := trace.OutputFormat(f.Out)
	if err != nil {
		return fault.WrongOptionValue.Usagef("-o: %w", err)
	}
	if format != trace.TSFolder {
		plan.File("-o", f.Out, format.Kind(f.Out))
	}
	plan.Read(path)
	if err := plan.Err(); err != nil {
		return err
	}
	work := f.longWork("reading " + path)
	defer work.Stop()
	t, err := openTrace(path)
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }() // t was only read
	shown, err := trace.InWindow(t, f.Window)
	if err != nil {
		return fault.WrongOptionValue.Usagef("--window: %w", err)
	}
	return f.showTrace(ctx, shown, format, work)
}

// showTrace prints the contents of a trace or converts it to another format.
func (f *traceCommand) showTrace(ctx context.Context, t trace.Table, format trace.Format, work *progress.Work) error {
	if f.Out == "" {
		list, err := trace.Summarize(ctx, t)
		if work.Stop(); err != nil {
			return err
		}
		if f.settings.JSON {
			return f.printJSON(struct {
				*trace.Header
				Summaries []trace.Summary
			}{t.Header(), list})
		}
		return f.show(report.Trace(t.Header(), list)...)
	}
	work.At("writing " + f.Out)
	err := (&trace.Target{Path: f.Out, Format: format, Version: version(), Plan: f.plan()}).Save(t)
	work.Stop()
	return f.written(f.Out, err)
}

// openTrace opens a trace. An error in the file is an input error.
func openTrace(path string) (trace.Table, error) {
	t, err := trace.OpenFile(path)
	if err != nil {
		return nil, fault.Usage(err)
	}
	return t, nil
}

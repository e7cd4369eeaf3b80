package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"xopt/internal/output"
	"xopt/internal/trace"
	"xopt/internal/view"
)

// traceFlags are the options of trace.
type traceFlags struct{ out string }

// traceOptions are those of trace.
func traceOptions() []option {
	return []option{
		{name: "out", short: "o", kind: kindFile, group: groupOutput, perhaps: ofCommand,
			in: []string{"trace"},
			to: func(s *settings) any { return &s.trace.out },
			help: "write the trace to this file in the format that its ending names: .csv, .vcd, .pftrace (Perfetto) " +
				"or .xtrace; any other name is a folder for .ts and .dat files"},
	}
}

// traceCommand shows a trace, and writes it in other formats.
func (a *app) traceCommand() *cobra.Command {
	return &cobra.Command{
		Use:        "trace FILE",
		SuggestFor: []string{"events"},
		Short:      "show what a trace holds, and convert it: Perfetto, CSV, VCD, .ts",
		Long: `trace shows what is in a trace: how many elements each edge carried, how long they travelled
and waited on average, and how often each testpoint was passed. FILE is what deploy --trace
wrote, a table of events as CSV, the waves of a simulation of hardware as VCD (the AXI
streams in it), or a folder of .ts files, perhaps with the elements in .dat files (Gayen 2008,
chapter 3). With -o it is written in another of these formats, or for ui.perfetto.dev.`,
		Example: `xopt deploy app.x arch.x map.x --simulate --trace run.xtrace
xopt trace run.xtrace
xopt trace run.xtrace -o run.pftrace     for ui.perfetto.dev
xopt trace waves.vcd -o events.csv       the AXI streams of a simulation, as a table`,
		Args: oneFile("a trace, as deploy --trace writes it, CSV, VCD, or a folder of .ts files"),
		RunE: func(c *cobra.Command, args []string) error { return a.trace(c.Context(), args[0], &a.settings.trace) },
	}
}

func (a *app) trace(ctx context.Context, path string, f *traceFlags) error {
	plan := a.plan()
	folder := f.out != "" && traceFormat(f.out) == ""
	if f.out != "" && !folder {
		plan.File("-o", f.out, traceKind(f.out))
	}
	plan.Read(path)
	if err := planned(plan); err != nil {
		return err
	}
	work := a.longWork("reading " + path)
	defer work.end()
	t, err := openTrace(path)
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }() // it was read
	if f.out == "" {
		list, err := trace.Summarize(ctx, t)
		if work.end(); err != nil {
			return err
		}
		if a.settings.JSON {
			return a.printJSON(struct {
				*trace.Header
				Summaries []trace.Summary
			}{t.Header(), list})
		}
		return a.show(view.Trace(t.Header(), list)...)
	}
	work.at("writing " + f.out)
	if folder {
		err = a.writeTS(f.out, t)
	} else {
		err = writeTrace(f.out, t)
	}
	if work.end(); err == nil {
		a.note("wrote %s", f.out)
	}
	return err
}

// openTrace opens a trace; what is wrong with it is wrong input.
func openTrace(path string) (trace.Table, error) {
	t, err := trace.OpenFile(path)
	if err != nil {
		return nil, &usageError{err}
	}
	return t, nil
}

// traceFormat is the format that the name of a file asks for; "" for a folder.
func traceFormat(path string) string {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".csv", ".vcd", ".pftrace", ".xtrace":
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return ext
		}
	}
	return ""
}

// traceKind is what a format writes.
func traceKind(path string) output.Kind {
	switch traceFormat(path) {
	case ".csv":
		return output.EventsCSV()
	case ".vcd":
		return output.EventsVCD()
	case ".pftrace":
		return output.EventsPerfetto()
	}
	return output.Events()
}

// writeTrace writes a trace in the format that a name asks for.
func writeTrace(path string, t trace.Table) error {
	switch traceFormat(path) {
	case ".csv":
		return output.WriteFile(path, func(w io.Writer) error { return trace.WriteCSV(w, t) })
	case ".vcd":
		return output.WriteFile(path, func(w io.Writer) error { return trace.WriteVCD(w, t, version()) })
	case ".pftrace":
		return output.WriteFile(path, func(w io.Writer) error { return trace.WritePerfetto(w, t) })
	}
	return trace.Copy(path, t)
}

// writeTS writes a trace as .ts files.
func (a *app) writeTS(folder string, t trace.Table) error {
	names, err := trace.TSFiles(t)
	if err != nil {
		return err
	}
	p := a.plan()
	times := ""
	for _, n := range names {
		path := filepath.Join(folder, n)
		if filepath.Ext(n) == ".dat" {
			p.Beside("-o", path, times, output.TS())
			continue
		}
		times = path
		if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return fmt.Errorf("-o: making the folder: %w", err)
			}
		}
		p.File("-o", path, output.TS())
	}
	if err := planned(p); err != nil {
		return err
	}
	return trace.WriteTS(folder, t)
}

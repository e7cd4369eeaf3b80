package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/settings"
	"xopt/flow/exchange"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/internal/files/output"
	"xopt/internal/units"
)

// exchangeCommand implements xopt import and xopt export, which convert graphs of other tools.
type exchangeCommand struct {
	*app
	*settings.Exchange
}

// importCommand returns the command that converts other tools' files to applications.
func (f *exchangeCommand) importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import GRAPH",
		Short: "convert a graph with times to an application",
		Long: `import converts a graph to an application. It recognizes the format by the content:

  DOT    nodes with host=RESOURCE, edges with bytes=N and rate=SENT/CONSUMED;
         pipelines of GStreamer (GST_DEBUG_DUMP_DOT_DIR); Holoscan's WCET
  SDF3   static dataflow graphs with rates, times and buffer sizes (XML)
  TGFF   task graphs: a task fires once for the data of all its arcs
  CARET  architecture.yaml of ROS 2, with stats_node.yaml in --times

--times adds times to a graph in DOT: CSV files (kernel,resource,seconds_per_firing,interval or
kernel,port,items_per_firing), logs of GStreamer's tracers, and csynth.xml reports of Vitis HLS.
Resources become cores, and hosts the mapping. import prints the exact duration of an iteration.`,
		Example: `xopt import graph.dot --times times.csv -o app.x --arch arch.x --map map.x
xopt import pipeline.dot --times trace.log -o app.x --arch arch.x --map m.x
xopt import h263decoder.xml --time-unit 2ns -o app.x     cycles at 500 MHz
xopt eval app.x arch.x map.x`,
		Args: options.ExactArgs(1, "a graph file"),
		RunE: func(_ *cobra.Command, args []string) error { return f.importFile(args[0]) },
	}
}

// importFile reads files of another tool and writes the converted application.
func (f *exchangeCommand) importFile(path string) error {
	plan := f.plan()
	for _, x := range []struct{ flag, out string }{{"-o", f.Out}, {"--arch", f.Arch}, {"--map", f.Mapping}} {
		if x.out != "" {
			plan.File(x.flag, x.out, output.Imported())
		}
	}
	plan.Read(append([]string{path}, f.Times...)...)
	if err := plan.Err(); err != nil {
		return err
	}
	graph, err := readGraph(path)
	if err != nil {
		return err
	}
	o := exchange.Options{Unit: f.Unit, Graph: f.Graph}
	for _, name := range f.Times {
		file, err := readGraph(name)
		if err != nil {
			return err
		}
		o.Times = append(o.Times, file)
	}
	x, err := exchange.Read(graph, o)
	if err != nil {
		return fault.Usage(err)
	}
	if f.Mapping != "" && len(x.Cores) > 0 {
		return faults.OptionsConflict.Usagef("--map: %s has its own architecture with %s; leave out --map, and "+
			"find a mapping with xopt search", path, units.Counted(len(x.Cores), "core", "cores"))
	}
	if f.Arch != "" && len(x.Platforms) == 0 {
		return faults.NoProcessor.Usagef("--arch: %s contains no processor; leave out --arch", path)
	}
	for _, note := range x.Notes {
		f.note("note: %s", note)
	}
	if f.Out == "" {
		if err := x.WriteX(f.stdout); err != nil {
			return err
		}
	}
	return f.writeImported(x)
}

// readGraph reads a file of another tool.
func readGraph(path string) (exchange.File, error) {
	text, err := infile.Read(path, exchange.MaxBytes+1)
	if err != nil {
		err = fault.Usage(fmt.Errorf("reading a graph: %w", err))
	}
	return exchange.File{Name: path, Text: text}, err
}

// writeImported writes the requested files and lists their contents.
func (f *exchangeCommand) writeImported(x *exchange.Application) error {
	var wrote []string
	for _, file := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{f.Out, x.WriteX},
		{f.Arch, func(w io.Writer) error { return x.WriteArch(w, f.Cores) }},
		{f.Mapping, func(w io.Writer) error { return x.WriteMap(w, f.Cores) }},
	} {
		if file.path == "" {
			continue
		}
		if err := output.WriteFile(file.path, file.write); err != nil {
			return err
		}
		wrote = append(wrote, file.path)
	}
	if f.Out == "" {
		return nil
	}
	summary, err := x.Summary()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.stdout, "wrote %s: %s, %s; %s\n", strings.Join(wrote, ", "),
		units.Counted(len(x.Kernels), "kernel", "kernels"), units.Counted(len(x.Edges), "edge", "edges"), summary)
	return err
}

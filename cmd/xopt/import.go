package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/settings"
	"xopt/flow/exchange"
	"xopt/flow/exchange/sdf3"
	"xopt/flow/exchange/tgff"
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
	c := &cobra.Command{
		Use:   "import",
		Short: "convert an SDF3 or TGFF graph to an application",
		Args:  options.OnlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(
		&cobra.Command{
			Use:   "sdf3 FILE.xml",
			Short: "convert an SDF3 static dataflow graph to an application",
			Long: `sdf3 converts a static dataflow graph in the XML format of SDF3. Rates become join
and emit multiples, execution times become figures of kernels, initial tokens become initial elements,
and token sizes become element sizes. Firings of a kernel never overlap; a note names actors whose
self-loops permit overlap. An error names the channel of an inconsistent graph, or the cycle of a
deadlock. sdf3 changes and lists names that are not valid in X. It prints the firings and the exact
duration of one iteration.`,
			Example: `xopt import sdf3 h263decoder.xml -o app.x --arch arch.x --map map.x
xopt import sdf3 graph.xml --time-unit 2ns -o app.x     cycles at 500 MHz
xopt eval app.x arch.x map.x`,
			Args: options.ExactArgs(1, "an SDF3 file"),
			RunE: func(_ *cobra.Command, args []string) error {
				return f.importFile(args[0], func(r io.Reader, f *exchangeCommand) (*exchange.Application, error) {
					file, err := sdf3.Read(args[0], r)
					if err != nil {
						return nil, err
					}
					return exchange.FromSDF3(file, filepath.Base(args[0]), f.Unit)
				})
			},
		},
		&cobra.Command{
			Use:   "tgff FILE.tgff",
			Short: "convert a TGFF task graph to an application",
			Long: `tgff converts a task graph in the format of TGFF. Each task fires once for each arc's
data. Sizes come from the communication tables, and times from the tables of processing elements, which
become types of processors. tgff lists periods and deadlines, but does not convert them. xbench synthetic
--tgff FILE generates kernels that can run.`,
			Example: `xopt import tgff office.tgff --graph 1 -o app.x --arch arch.x
xopt search app.x arch.x`,
			Args: options.ExactArgs(1, "a TGFF file"),
			RunE: func(_ *cobra.Command, args []string) error {
				return f.importFile(args[0], func(r io.Reader, f *exchangeCommand) (*exchange.Application, error) {
					file, err := tgff.Read(args[0], r)
					if err != nil {
						return nil, err
					}
					return exchange.FromTGFF(file, f.Graph, filepath.Base(args[0]), f.Unit)
				})
			},
		})
	return c
}

// importFile reads a file of another tool and writes the converted application.
func (f *exchangeCommand) importFile(path string,
	read func(io.Reader, *exchangeCommand) (*exchange.Application, error)) error {
	plan := f.plan()
	for _, x := range []struct{ flag, out string }{{"-o", f.Out}, {"--arch", f.Arch}, {"--map", f.Mapping}} {
		if x.out != "" {
			plan.File(x.flag, x.out, output.Imported())
		}
	}
	plan.Read(path)
	if err := plan.Err(); err != nil {
		return err
	}
	r, err := infile.Open(path)
	if err != nil {
		return fault.Usage(fmt.Errorf("reading a graph: %w", err))
	}
	defer r.Close()
	x, err := read(r, f)
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

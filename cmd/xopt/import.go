package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/flow/exchange"
	"xopt/flow/exchange/sdf3"
	"xopt/flow/exchange/tgff"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/internal/files/output"
	"xopt/internal/units"
)

// exchangeCommand is import and export: graphs of other tools.
type exchangeCommand struct {
	*app
	out, arch, mapping string
	cores, graph       int
	unit               time.Duration
}

// maxCores is the largest number of cores of each type that an import makes.
const maxCores = 10_000

// options are those of import and export.
func (f *exchangeCommand) options() []options.Option {
	imports, exports := []string{"import sdf3", "import tgff"}, []string{"export sdf3", "export tgff"}
	list := []options.Option{
		{Name: "arch", Kind: options.File, Group: options.GroupOutput,
			Commands: imports, To: &f.arch,
			Help: "also write an architecture: the file's, or cores for its kernels"},
		{Name: "map", Kind: options.File, Group: options.GroupOutput,
			Commands: imports, To: &f.mapping,
			Help: "also write a mapping to these cores: each kernel on the processor that it usually runs on; not " +
				"where the file has an architecture"},
		{Name: "graph", Kind: options.Number, Default: "0",
			Group: options.GroupOutput, Traits: options.PerCommand,
			Check:    options.AtLeast(0),
			Commands: []string{"import tgff"}, To: &f.graph,
			Help: "which of the file's task graphs, by number"},
	}
	for _, command := range imports {
		list = append(list,
			options.Option{Name: "out", Short: "o", Kind: options.File,
				Group: options.GroupOutput, Traits: options.PerCommand,
				Commands: []string{command}, To: &f.out,
				Help: "write the application to this file (default: standard output)"},
			options.Option{Name: "cores", Kind: options.Number, Default: "0",
				Group: options.GroupOutput, Traits: options.PerCommand,
				Check:    options.Between(0, maxCores),
				Commands: []string{command}, To: &f.cores,
				Help: "number of cores of each type of processor; 0 for one for each kernel that can run there"})
	}
	for _, command := range exports {
		list = append(list, options.Option{Name: "out", Short: "o", Kind: options.File,
			Group: options.GroupOutput, Traits: options.PerCommand,
			Commands: []string{command}, To: &f.out,
			Help: "write the graph to this file (default: standard output)"})
	}
	for _, x := range []struct{ command, usual string }{{"import sdf3", "1us"}, {"export sdf3", "1us"},
		{"import tgff", "1s"}, {"export tgff", "1s"}} {
		list = append(list, options.Option{Name: "time-unit", Kind: options.Duration,
			Default: x.usual, Group: options.GroupModel,
			Traits: options.PerCommand, Check: options.Positive,
			Commands: []string{x.command}, To: &f.unit,
			Help: "what a time of 1 in the file means"})
	}
	return list
}

// commands returns import and export.
func (f *exchangeCommand) commands() []*cobra.Command {
	return []*cobra.Command{f.importCommand(), f.exportCommand()}
}

// importCommand makes applications of other tools' files.
func (f *exchangeCommand) importCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "import",
		Short: "make an application of a graph in the format of SDF3 or TGFF",
		Args:  options.OnlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(
		&cobra.Command{
			Use:   "sdf3 FILE.xml",
			Short: "make an application of a static dataflow graph of SDF3",
			Long: `sdf3 makes an application of a static dataflow graph in the XML format of SDF3: rates
become multiples of join and emit, execution times figures with the file as their origin,
initial tokens initial elements, token sizes element sizes. A self-loop only says how many
firings of an actor may overlap. The firings of a kernel never overlap, and a note names
the actors for which the file says otherwise. An error names the channel of an
inconsistent graph, or the cycle of one that stops. Names that are not valid in X are
changed, and listed.

The answer says what one iteration fires and, exactly, how long it takes.`,
			Example: `xopt import sdf3 h263decoder.xml -o app.x --arch arch.x --map map.x
xopt eval app.x arch.x map.x
xopt import sdf3 graph.xml --time-unit 2ns -o app.x     its times are cycles at 500 MHz`,
			Args: options.ExactArgs(1, "a file of SDF3"),
			RunE: func(_ *cobra.Command, args []string) error {
				return f.importFile(args[0], func(r io.Reader, f *exchangeCommand) (*exchange.Application, error) {
					file, err := sdf3.Read(args[0], r)
					if err != nil {
						return nil, err
					}
					return exchange.FromSDF3(file, filepath.Base(args[0]), f.unit)
				})
			},
		},
		&cobra.Command{
			Use:   "tgff FILE.tgff",
			Short: "make an application of a task graph of TGFF",
			Long: `tgff makes an application of a task graph in the format of TGFF: every task fires once
for each arc's data, sizes and times come from the tables of communication and of
processing elements, which become types of processors. Periods and deadlines are
named, and are not part of the application. For kernels that can run, see xbench synthetic --tgff FILE.`,
			Example: `xopt import tgff office.tgff --graph 1 -o app.x --arch arch.x
xopt search app.x arch.x`,
			Args: options.ExactArgs(1, "a file of TGFF"),
			RunE: func(_ *cobra.Command, args []string) error {
				return f.importFile(args[0], func(r io.Reader, f *exchangeCommand) (*exchange.Application, error) {
					file, err := tgff.Read(args[0], r)
					if err != nil {
						return nil, err
					}
					return exchange.FromTGFF(file, f.graph, filepath.Base(args[0]), f.unit)
				})
			},
		})
	return c
}

// importFile reads a file of another tool and writes what is made of it.
func (f *exchangeCommand) importFile(path string,
	read func(io.Reader, *exchangeCommand) (*exchange.Application, error)) error {
	plan := f.plan()
	for _, x := range []struct{ flag, out string }{{"-o", f.out}, {"--arch", f.arch}, {"--map", f.mapping}} {
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
	if f.mapping != "" && len(x.Cores) > 0 {
		return faults.OptionsConflict.Usagef("--map: %s has an architecture of its own, with %s; xopt search maps "+
			"to it", path, units.Counted(len(x.Cores), "core", "cores"))
	}
	if f.arch != "" && len(x.Platforms) == 0 {
		return faults.NoProcessor.Usagef("--arch: %s names no processor", path)
	}
	for _, note := range x.Notes {
		f.note("note: %s", note)
	}
	if f.out == "" {
		if err := x.WriteX(f.stdout); err != nil {
			return err
		}
	}
	return f.writeImported(x)
}

// writeImported writes the files that are asked for and says what is in them.
func (f *exchangeCommand) writeImported(x *exchange.Application) error {
	var wrote []string
	for _, file := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{f.out, x.WriteX},
		{f.arch, func(w io.Writer) error { return x.WriteArch(w, f.cores) }},
		{f.mapping, func(w io.Writer) error { return x.WriteMap(w, f.cores) }},
	} {
		if file.path == "" {
			continue
		}
		if err := output.WriteFile(file.path, file.write); err != nil {
			return err
		}
		wrote = append(wrote, file.path)
	}
	if f.out == "" {
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

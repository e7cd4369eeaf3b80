package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/options"
	"xopt/flow/design"
	"xopt/flow/exchange"
	"xopt/flow/exchange/tgff"
	"xopt/internal/fault"
	"xopt/internal/files/output"
)

// exportCommand returns xopt export, which converts applications to graphs for other tools.
func (f *exchangeCommand) exportCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "export",
		Short: "convert an application to an SDF3 or TGFF graph",
		Args:  options.OnlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(
		&cobra.Command{
			Use:   "sdf3 APP.x [ARCH.x]",
			Short: "convert an application to an SDF3 static dataflow graph",
			Long: `sdf3 writes an application in the XML format of SDF3. The counts of each firing must
be static: join on the inputs, emit on all outputs. With an architecture, each type of resource becomes
a type of processor, with execution times as integers of --time-unit. Each actor has a self-loop with
one token, because a kernel has one instance.`,
			Example:           `xopt export sdf3 app.x arch.x --time-unit 1ns -o app.xml`,
			Args:              options.MinArgs(1, "X files with an application and optionally an architecture"),
			ValidArgsFunction: completeX,
			RunE: func(c *cobra.Command, files []string) error {
				return f.exportFile(c, files, func(d *design.Design, f *exchangeCommand) (writer, []fault.Note, error) {
					file, notes, err := exchange.ToSDF3(d, f.Unit)
					if err != nil {
						return nil, nil, err
					}
					comment := fmt.Sprintf("Exported by xopt from %s; one time unit is %s", d.Program.Top,
						exchange.UnitText(f.Unit))
					return func(w io.Writer) error {
						return file.Write(w, strings.ReplaceAll(comment, "--", "__"))
					}, notes, nil
				})
			},
		},
		&cobra.Command{
			Use:   "tgff APP.x [ARCH.x]",
			Short: "convert an application to a TGFF task graph",
			Long: `tgff writes an application in the format of TGFF, with a table of arc sizes in bytes.
With an architecture, it adds a table of execution times on each type of resource, in --time-unit. A
task fires once: each edge must carry exactly the input of one firing of its reader, without initial
elements.`,
			Example:           `xopt export tgff app.x arch.x -o app.tgff`,
			Args:              options.MinArgs(1, "X files with an application and optionally an architecture"),
			ValidArgsFunction: completeX,
			RunE: func(c *cobra.Command, files []string) error {
				return f.exportFile(c, files, func(d *design.Design, f *exchangeCommand) (writer, []fault.Note, error) {
					file, notes, err := exchange.ToTGFF(d, f.Unit)
					if err != nil {
						return nil, nil, err
					}
					return func(w io.Writer) error { return writeTGFF(w, file, d.Program.Top, f) }, notes, nil
				})
			},
		})
	return c
}

// writer writes a converted file.
type writer func(io.Writer) error

func writeTGFF(w io.Writer, file *tgff.File, name string, f *exchangeCommand) error {
	_, err := fmt.Fprintf(w, "# Exported by xopt from %s; one time unit is %s\n\n", name, exchange.UnitText(f.Unit))
	if err != nil {
		return err
	}
	return file.Write(w)
}

// exportFile reads X files and writes the graph that make returns.
func (f *exchangeCommand) exportFile(c *cobra.Command, files []string,
	make func(*design.Design, *exchangeCommand) (writer, []fault.Note, error)) error {
	plan := f.plan()
	if f.Out != "" {
		plan.File("-o", f.Out, output.Exported())
	}
	plan.Read(files...)
	if err := plan.Err(); err != nil {
		return err
	}
	d, err := f.design(c.Context(), files, design.ForCheck)
	if err != nil {
		return err
	}
	if err := f.keepsRead(plan, d.Program, false, ""); err != nil { // including included files
		return err
	}
	write, notes, err := make(d, f)
	if err != nil {
		return fault.Usage(err)
	}
	for _, note := range notes {
		f.note("note: %s", note)
	}
	if f.Out == "" {
		return write(f.stdout)
	}
	if err := output.WriteFile(f.Out, write); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.stdout, "wrote %s\n", f.Out)
	return err
}

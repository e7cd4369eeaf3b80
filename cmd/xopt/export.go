package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/options"
	"xopt/flow/design"
	"xopt/flow/exchange"
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
	c.AddCommand(f.exportTo(&cobra.Command{
		Use:   "sdf3 APP.x [ARCH.x]",
		Short: "convert an application to an SDF3 static dataflow graph",
		Long: `sdf3 writes an application in the XML format of SDF3. The counts of each firing must
be static: join on the inputs, emit on all outputs. With an architecture, each type of resource becomes
a type of processor, with execution times as integers of --time-unit. Each actor has a self-loop with
one token, because a kernel has one instance.`,
		Example: `xopt export sdf3 app.x arch.x --time-unit 1ns -o app.xml`,
	}, func(d *design.Design, comment string) (writer, []fault.Note, error) {
		file, notes, err := exchange.ToSDF3(d, f.Unit)
		return func(w io.Writer) error { return file.Write(w, strings.ReplaceAll(comment, "--", "__")) }, notes, err
	}), f.exportTo(&cobra.Command{
		Use:   "tgff APP.x [ARCH.x]",
		Short: "convert an application to a TGFF task graph",
		Long: `tgff writes an application in the format of TGFF, with a table of arc sizes in bytes.
With an architecture, it adds a table of execution times on each type of resource, in --time-unit. A
task fires once: each edge must carry exactly the input of one firing of its reader, without initial
elements.`,
		Example: `xopt export tgff app.x arch.x -o app.tgff`,
	}, func(d *design.Design, comment string) (writer, []fault.Note, error) {
		file, notes, err := exchange.ToTGFF(d, f.Unit)
		return func(w io.Writer) error {
			_, werr := fmt.Fprintf(w, "# %s\n\n", comment)
			return errors.Join(werr, file.Write(w))
		}, notes, err
	}))
	return c
}

// writer writes a converted file.
type writer func(io.Writer) error

// exportTo completes a command that reads X files and writes the graph that convert returns, with a comment.
func (f *exchangeCommand) exportTo(c *cobra.Command,
	convert func(d *design.Design, comment string) (writer, []fault.Note, error)) *cobra.Command {
	c.Args = options.MinArgs(1, "X files with an application and optionally an architecture")
	c.ValidArgsFunction = completeX
	c.RunE = func(c *cobra.Command, files []string) error { return f.exportFile(c, files, convert) }
	return c
}

func (f *exchangeCommand) exportFile(c *cobra.Command, files []string,
	convert func(*design.Design, string) (writer, []fault.Note, error)) error {
	plan := f.plan()
	plan.File("-o", f.Out, output.Exported())
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
	write, notes, err := convert(d, fmt.Sprintf("Exported by xopt from %s; one time unit is %s", d.Program.Top,
		exchange.UnitText(f.Unit)))
	if err != nil {
		return fault.Usage(err)
	}
	noteEach(f.app, "note: %s", notes)
	if f.Out == "" {
		return write(f.stdout)
	}
	if err := output.WriteFile(f.Out, write); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.stdout, "wrote %s\n", f.Out)
	return err
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/options"
	"xopt/flow/design"
	"xopt/flow/exchange"
	"xopt/internal/fault"
	"xopt/internal/files/output"
)

// exportCommand returns xopt export, which converts applications to files for other tools.
func (f *exchangeCommand) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export APP.x [ARCH.x] [MAP.x]",
		Short: "convert an application or a mapping to a file of another tool",
		Long: `export writes a file for another tool. The formats are:

  sdf3       a static dataflow graph in XML, with times in --time-unit
  tgff       a task graph, whose tasks fire once, with times in --time-unit
  gstreamer  queues for gst-launch-1.0 between cores, with recommended sizes
  affinity   a table of kernels and processors for taskset

sdf3 and tgff need static counts: join on the inputs, emit on all outputs. With an architecture, each
type of resource becomes a type of processor. gstreamer and affinity need a mapping.`,
		Example: `xopt export app.x arch.x --time-unit 1ns -o app.xml
xopt export app.x arch.x map.x --format gstreamer
xopt export app.x arch.x map.x --format affinity -o pins.tsv`,
		Args:              options.MinArgs(1, "X files with an application and optionally an architecture"),
		ValidArgsFunction: completeX,
		RunE:              f.exportFile,
	}
}

// exportFile reads X files and writes them in another format.
func (f *exchangeCommand) exportFile(c *cobra.Command, files []string) error {
	plan := f.plan()
	if f.Out != "" {
		plan.File("-o", f.Out, output.Exported())
	}
	plan.Read(files...)
	if err := plan.Err(); err != nil {
		return err
	}
	purpose := design.ForCheck
	if exchange.NeedsMapping(f.Format) {
		purpose = design.ForMapping
	}
	d, err := f.design(c.Context(), files, purpose)
	if err != nil {
		return err
	}
	if err := f.keepsRead(plan, d.Program, false, ""); err != nil { // including included files
		return err
	}
	write, notes, err := exchange.Write(c.Context(), d, f.Format, f.Unit)
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

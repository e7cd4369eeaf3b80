package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/flow/machine"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
)

// machineCommand is the command xopt machine.
type machineCommand struct {
	*app
	*settings.Machine
}

func (f *machineCommand) command() *cobra.Command {
	return &cobra.Command{
		Use:   "machine",
		Short: "show this machine, and write it as an architecture",
		Long: `machine prints the sockets, cores, hardware threads, shared caches and NUMA nodes of this
machine, and the limits of this process (taskset, cpusets, container quota). It names the Linux file of
each number, and measures nothing. -o writes an architecture for check, calibrate, search and deploy. The
architecture has a pinned resource for each core, and a link for each level of the hierarchy that cores
share. xopt calibrate measures the cost of messages over these links.`,
		Example: `xopt machine
xopt machine -o machine.x
xopt calibrate app.x machine.x`,
		Args: options.MaxArgs(0),
		RunE: func(c *cobra.Command, args []string) error {
			plan := f.plan()
			plan.File("-o", f.Out, output.Architecture())
			if err := plan.Err(); err != nil {
				return err
			}
			m, err := machine.In(f.From)
			if err != nil {
				return err
			}
			arch := machine.NewArchitecture(m, f.Threads)
			if f.Out != "" {
				text := arch.X(f.machineHead(safetext.ShellLine(f.typed(c, args)))...)
				if err := output.WriteFile(f.Out, func(w io.Writer) error {
					_, err := io.WriteString(w, text)
					return err
				}); err != nil {
					return err
				}
			}
			if f.settings.JSON {
				return f.printJSON(m)
			}
			if err := f.show(report.Topology(arch)...); err != nil {
				return err
			}
			if f.Out != "" {
				_, err = fmt.Fprintf(f.stdout, "wrote %s; next: xopt check APP.x %s\n", f.Out,
					safetext.ShellWord(f.Out))
			}
			return err
		},
	}
}

// machineHead returns the comment at the top of an architecture.
func (f *machineCommand) machineHead(command string) []string {
	host := "a machine"
	if name, err := os.Hostname(); err == nil && f.From == "" {
		host = name
	}
	return []string{
		"Written by xopt machine " + version() + ": " + command,
		fmt.Sprintf("Machine %s, as described by Linux on %s; nothing is measured.", host,
			time.Now().UTC().Format("2006-01-02")),
	}
}

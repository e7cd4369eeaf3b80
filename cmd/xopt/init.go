package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/examples"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/settings"
	"xopt/configs"
)

// initCommand is the command xopt init, which writes a first application.
type initCommand struct {
	*app
	*settings.Init
}

// command returns the command that writes the user's first application.
func (f *initCommand) command() *cobra.Command {
	return &cobra.Command{
		Use:   "init FOLDER",
		Short: "create a small application that builds and runs",
		Long: `init writes a small application to a folder: four kernels in C, an architecture with two
cores, a mapping, and a README.md with commands to try. Comments explain each statement. The application
builds, runs and calibrates without changes, so that you can modify it step by step. init never
overwrites existing files.`,
		Example: `xopt init first
xopt init first --fpga`,
		Args: options.ExactArgs(1, "a folder to write to"),
		RunE: func(c *cobra.Command, args []string) error {
			contents, err := configs.Init(f.FPGA)
			if err != nil {
				return err
			}
			if err := examples.WriteNew(args[0], contents, "xopt init FOLDER"); err != nil {
				return err
			}
			_, err = fmt.Fprintf(f.stdout, "wrote %s with %d files; start with %s\n", args[0], len(contents),
				filepath.Join(args[0], "README.md"))
			return err
		},
	}
}

package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/options"
	"xopt/internal/release"
)

// version describes the build: release, commit if known, and included solvers.
func version() string {
	engine := "without CLP"
	if hasCLP {
		engine = "with CLP"
	}
	return fmt.Sprintf("%s (%s, %s)", release.Build(), runtime.Version(), engine)
}

// versionCommand prints the same as --version.
func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  options.MaxArgs(0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "xopt %s\n", version())
			return err
		},
	}
}

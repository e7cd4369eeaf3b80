package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/campaign/hosts"
	deployrun "xopt/deploy/run"
	"xopt/flow/design"
	"xopt/internal/fault"
)

// partCommand returns the command that runs on each host in a run on several hosts.
func (a *app) partCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "part",
		Short:   "run this host's processes of a mapping (started by deploy)",
		Example: "xopt part",
		Hidden:  true,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := deployrun.Part(c.Context(), os.Stdin, os.Stdout, version()); err != nil {
				return fmt.Errorf("running this host's part of a mapping: %w", err)
			}
			return nil
		},
	}
}

// withParts returns a context that defines how runs on several hosts start their parts.
func (a *app) withParts(ctx context.Context) context.Context {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	launch := a.settings.Launch
	return deployrun.WithParts(ctx, &deployrun.Parts{Command: []string{self, "part"}, Version: version(),
		Launch: func(host string, command []string) ([]string, error) {
			switch {
			case launch != "":
				return hosts.Line(launch, host, command)
			case hosts.IsHere(host):
				return command, nil
			}
			return hosts.Line(hosts.Usual, host, command)
		}})
}

// checkLaunch checks --launch against the hosts in a design.
func (a *app) checkLaunch(d *design.Design) error {
	for r := range d.Program.Resources {
		if name, _ := design.HostOf(d.Program, r); name != "" && a.settings.Launch != "" {
			if _, err := hosts.Line(a.settings.Launch, name, []string{"xopt", "part"}); err != nil {
				return fault.Usage(fmt.Errorf("--launch: %w", err))
			}
		}
	}
	return nil
}

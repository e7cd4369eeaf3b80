package main

import (
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/options"
)

// configCommand returns xopt config, which shows possible and current settings.
func (a *app) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "show the settings in force and all available settings",
		Args:  options.OnlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.configShowCommand(),
		&cobra.Command{
			Use:     "file",
			Short:   "print an " + options.FileName + " with all settings, commented out",
			Example: "xopt config file > " + options.FileName,
			Args:    options.MaxArgs(0),
			RunE:    func(*cobra.Command, []string) error { return a.table.WriteFile(a.stdout) },
		},
		&cobra.Command{
			Use:     "docs",
			Short:   "print a table of all options as Markdown",
			Example: "xopt config docs > options.md",
			Args:    options.MaxArgs(0),
			RunE:    func(*cobra.Command, []string) error { return a.table.WriteDoc(a.stdout) },
		})
	return c
}

// configShowCommand returns the command that shows the settings of all commands. Its subcommands show the settings of
// one command each.
func (a *app) configShowCommand() *cobra.Command {
	show := &cobra.Command{
		Use:   "show [COMMAND]",
		Short: "print the settings of all commands or of one command, and their origins",
		Long: `Flags override environment variables (XOPT_SEED=7). Variables override the file ` + options.FileName + `
in the working folder (or --config FILE, or XOPT_CONFIG). The file overrides the defaults.

A setting in a command's section of the file overrides the same setting at the top level. If commands use
the same name with different meanings, set it in a section. config show prints it as COMMAND.NAME:

    seed: 7
    deploy:
      time: 10s`,
		Example: "xopt config show\nxopt config show search --seed 7",
		Args:    options.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error {
			if a.table.HasOwn(options.CommandOf(c)) {
				return options.Show(a.stdout, a.table.ForCommand(options.CommandOf(c)),
					func(o *options.Option) *options.Value { return a.inForce[o.Name] })
			}
			return options.Show(a.stdout, a.table.Distinct(),
				func(o *options.Option) *options.Value { return a.inForce[o.Key()] })
		},
	}
	for _, path := range a.table.Sections() {
		parent := show
		parts := strings.Split(path, ".")
		for _, name := range parts[:len(parts)-1] {
			for _, sub := range parent.Commands() {
				if sub.Name() == name {
					parent = sub
				}
			}
		}
		command := strings.Join(parts, " ")
		sub := &cobra.Command{
			Use:   parts[len(parts)-1],
			Short: "print the settings of xopt " + command,
			Args:  options.OnlyCommands,
			RunE:  show.RunE,
		}
		if !a.table.HasOwn(command) {
			sub.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
		parent.AddCommand(sub)
	}
	return show
}

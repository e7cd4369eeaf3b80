package main

import (
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/options"
)

// configCommand shows what can be set, and what is in force.
type configCommand struct {
	*app
}

// options are those of all commands alone.
func (f *configCommand) options() []options.Option { return nil }

// commands returns the command that shows what can be set, and what is in force.
func (f *configCommand) commands() []*cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "show the settings in force and all available settings",
		Args:  options.OnlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(f.configShowCommand(),
		&cobra.Command{
			Use:     "file",
			Short:   "print an " + options.FileName + " with all settings, commented out",
			Example: "xopt config file > " + options.FileName,
			Args:    options.MaxArgs(0),
			RunE:    func(*cobra.Command, []string) error { return f.table.WriteFile(f.stdout) },
		},
		&cobra.Command{
			Use:     "docs",
			Short:   "print a table of all options as Markdown",
			Example: "xopt config docs > options.md",
			Args:    options.MaxArgs(0),
			RunE:    func(*cobra.Command, []string) error { return f.table.WriteDoc(f.stdout) },
		})
	return []*cobra.Command{c}
}

// configShowCommand shows the settings of all commands, and below it those of each command.
func (f *configCommand) configShowCommand() *cobra.Command {
	show := &cobra.Command{
		Use:   "show [COMMAND]",
		Short: "print the settings of all commands or of one, and their origins",
		Long: `Flags override environment variables (XOPT_SEED=7). Variables override the file ` + options.FileName + `
in the working folder (or --config FILE, or XOPT_CONFIG). The file overrides the defaults.

A setting in a command's section of the file overrides the same setting at the top level. If commands use
the same name with different meanings, it can only be set in a section, and is shown as COMMAND.NAME:

    seed: 7
    deploy:
      time: 10s`,
		Example: "xopt config show\nxopt config show search --seed 7",
		Args:    options.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.table.HasOwn(options.CommandOf(c)) {
				return options.Show(f.stdout, f.table.ForCommand(options.CommandOf(c)),
					func(o *options.Option) *options.Value { return f.inForce[o.Name] })
			}
			return options.Show(f.stdout, f.table.Distinct(),
				func(o *options.Option) *options.Value { return f.inForce[o.Key()] })
		},
	}
	for _, path := range f.table.Sections() {
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
		if !f.table.HasOwn(command) {
			sub.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
		parent.AddCommand(sub)
	}
	return show
}

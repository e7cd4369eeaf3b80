package main

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// configCommand shows what can be set, and what is in force.
type configCommand struct {
	*app
}

// options are those of all commands alone.
func (f *configCommand) options() []option { return nil }

// commands returns the command that shows what can be set, and what is in force.
func (f *configCommand) commands() []*cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "show the settings in force, and all that can be set",
		Args:  onlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(f.configShowCommand(),
		&cobra.Command{
			Use:     "file",
			Short:   "print an " + configName + " with every setting and its default, all commented out",
			Example: "xopt config file > " + configName,
			Args:    atMost(0),
			RunE:    func(*cobra.Command, []string) error { return f.table.writeConfigFile(f.stdout) },
		},
		&cobra.Command{
			Use:     "docs",
			Short:   "print a table of all options as Markdown",
			Example: "xopt config docs > options.md",
			Args:    atMost(0),
			RunE:    func(*cobra.Command, []string) error { return f.table.writeDoc(f.stdout) },
		})
	return []*cobra.Command{c}
}

// configShowCommand shows the settings of all commands, and below it those of each command.
func (f *configCommand) configShowCommand() *cobra.Command {
	show := &cobra.Command{
		Use:   "show [COMMAND]",
		Short: "print the settings of all commands, or of one, with where each comes from",
		Long: `A flag goes before the environment (XOPT_SEED=7), the environment before the file ` + configName + `
in the working folder (or --config FILE, or XOPT_CONFIG), the file before the default.

In the file a setting may stand in the section of a command, which goes before what is said
for all of them. Settings whose name means something else in another command stand only
there; config show prints them as COMMAND.NAME:

    seed: 7
    deploy:
      time: 10s`,
		Example: "xopt config show\nxopt config show search --seed 7",
		Args:    onlyCommands,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.table.hasOwn(commandOf(c)) {
				return showOptions(f.stdout, f.table.of(commandOf(c)),
					func(o *option) *value { return f.inForce[o.name] })
			}
			return showOptions(f.stdout, f.table.distinct(), func(o *option) *value { return f.inForce[o.key()] })
		},
	}
	for _, path := range f.table.sections() {
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
			Args:  onlyCommands,
			RunE:  show.RunE,
		}
		if !f.table.hasOwn(command) {
			sub.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
		parent.AddCommand(sub)
	}
	return show
}

// showOptions prints options with their values and where those come from.
func showOptions(w io.Writer, list table, find func(*option) *value) error {
	width, valueWidth := 0, 0
	shown := make(map[*option]string)
	const widest = 24
	for _, o := range list {
		v := find(o)
		if v == nil || o.is(notInFile) {
			continue
		}
		if shown[o] = v.String(); shown[o] == "" {
			shown[o] = "-"
		}
		width, valueWidth = max(width, len(o.key())), max(valueWidth, min(widest, len(shown[o])))
	}
	for _, o := range list {
		if text, ok := shown[o]; ok {
			_, err := fmt.Fprintf(w, "%-*s  %-*s  %s\n", width, o.key(), valueWidth, text, find(o).from)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// writeConfigFile prints a file that sets every option to its default, all of it commented out.
func (t table) writeConfigFile(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# The settings of xopt with their defaults, each as a comment. Put a copy into the folder where
# you work, as %[1]s, and take away the # before what you change; xopt config show prints what
# is in force. Flags go before XOPT_… in the environment, and both before this file.
#
# A setting may stand in the section of a command too, which goes before the others here:
#
#   search:
#     threads: 2
#
# Printed by: xopt config file
`, configName)
	for _, group := range groups() {
		begun := false
		for _, o := range t.distinct() {
			if o.group != group || o.is(notInFile) {
				continue
			}
			if !begun {
				begun = true
				fmt.Fprintf(&b, "\n# %s\n", group)
			}
			fmt.Fprintf(&b, "#%s: %s  # %s%s\n", o.key(), yamlDefault(o), t.place(o), o.help)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// yamlDefault is the default of an option as YAML.
func yamlDefault(o *option) string {
	switch {
	case o.kind.list() && o.usual == "":
		return "[]"
	case o.kind.list():
		return "[" + strings.ReplaceAll(o.usual, ",", ", ") + "]"
	case o.kind == kindSwitch && o.usual == "":
		return "false"
	case o.usual == "":
		return `""`
	}
	return o.usual
}

// place names the commands of an option before its help.
func (t table) place(o *option) string {
	if o.in == nil {
		return ""
	}
	return strings.Join(t.commandsOf(o.key()), ", ") + ": "
}

// writeDoc prints the table of all options as Markdown.
func (t table) writeDoc(w io.Writer) error {
	var b strings.Builder
	b.WriteString(optionsDocHead)
	for _, group := range groups() {
		begun := false
		for _, o := range t {
			if o.group != group {
				continue
			}
			if !begun {
				begun = true
				fmt.Fprintf(&b, "\n## %s\n\n| flag | commands | default | in %s | variable | what |\n"+
					"|---|---|---|---|---|---|\n", group, configName)
			}
			b.WriteString(o.docRow())
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// optionsDocHead is what stands before the tables.
//
//go:embed optionshead.md
var optionsDocHead string

// docRow is the row of an option in the documentation.
func (o *option) docRow() string {
	flag := "`--" + o.name
	if o.short != "" {
		flag = "`-" + o.short + "`, " + flag
	}
	if p := o.placeholder(); p != "" {
		flag += " " + p
	}
	commands := "all"
	if o.in != nil {
		commands = strings.Join(o.in, ", ")
	}
	usual := "-"
	if o.usual != "" {
		usual = "`" + o.usual + "`"
	}
	key := "`" + o.key() + "`"
	if o.is(notInFile) {
		key = "-"
	}
	help := strings.ReplaceAll(o.help, "|", `\|`)
	if o.is(notInProject) {
		help += " (not in the `" + configName + "` of a folder)"
	}
	return fmt.Sprintf("| %s` | %s | %s | %s | `%s` | %s |\n", flag, commands, usual, key, o.variable(), help)
}

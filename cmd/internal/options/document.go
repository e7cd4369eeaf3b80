package options

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
)

// Show prints options with their values and the origins of the values.
func Show(w io.Writer, list Table, find func(*Option) *Value) error {
	width, valueWidth := 0, 0
	shown := make(map[*Option]string)
	const widest = 24
	for _, o := range list {
		v := find(o)
		if v == nil || o.Is(NotInFile) {
			continue
		}
		if shown[o] = v.String(); shown[o] == "" {
			shown[o] = "-"
		}
		width, valueWidth = max(width, len(o.Key())), max(valueWidth, min(widest, len(shown[o])))
	}
	for _, o := range list {
		if text, ok := shown[o]; ok {
			_, err := fmt.Fprintf(w, "%-*s  %-*s  %s\n", width, o.Key(), valueWidth, text, find(o).Origin)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteFile prints a settings file that sets every option to its default, with all lines commented out.
func (t Table) WriteFile(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# The settings of xopt with their defaults, all commented out. Copy this file as %[1]s to your
# working folder and remove the # of each setting that you change. xopt config show prints the
# settings in force. Flags override XOPT_… variables, and both override this file.
#
# A setting in the section of a command overrides the same setting at the top level:
#
#   search:
#     threads: 2
#
# Printed by: xopt config file
`, FileName)
	for _, group := range Groups() {
		begun := false
		for _, o := range t.Distinct() {
			if o.Group != group || o.Is(NotInFile) {
				continue
			}
			if !begun {
				begun = true
				fmt.Fprintf(&b, "\n# %s\n", group)
			}
			fmt.Fprintf(&b, "#%s: %s  # %s%s\n", o.Key(), yamlDefault(o), t.place(o), o.Help)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func yamlDefault(o *Option) string {
	switch {
	case o.Kind.IsList() && o.Default == "":
		return "[]"
	case o.Kind.IsList():
		return "[" + strings.ReplaceAll(o.Default, ",", ", ") + "]"
	case o.Kind == Switch && o.Default == "":
		return "false"
	case o.Default == "":
		return `""`
	}
	return o.Default
}

// place returns the commands that have an option, as a prefix of its help.
func (t Table) place(o *Option) string {
	if o.Commands == nil {
		return ""
	}
	return strings.Join(t.commandsOf(o.Key()), ", ") + ": "
}

// WriteDoc prints the tables of all options in Markdown.
func (t Table) WriteDoc(w io.Writer) error {
	var b strings.Builder
	b.WriteString(optionsDocHead)
	for _, group := range Groups() {
		begun := false
		for _, o := range t {
			if o.Group != group {
				continue
			}
			if !begun {
				begun = true
				fmt.Fprintf(&b, "\n## %s\n\n| option | commands | default | in %s | variable | meaning |\n"+
					"|---|---|---|---|---|---|\n", group, FileName)
			}
			b.WriteString(o.docRow())
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// optionsDocHead is the text before the tables of docs/options.md.
//
//go:embed head.md
var optionsDocHead string

// docRow returns the row of an option in the tables of docs/options.md.
func (o *Option) docRow() string {
	flag := "`--" + o.Name
	if o.Short != "" {
		flag = "`-" + o.Short + "`, " + flag
	}
	if p := o.values(); p != "" {
		flag += " " + p
	}
	commands := "all"
	if o.Commands != nil {
		commands = strings.Join(o.Commands, ", ")
	}
	usual := "-"
	if o.Default != "" {
		usual = "`" + o.Default + "`"
	}
	key := "`" + o.Key() + "`"
	if o.Is(NotInFile) {
		key = "-"
	}
	help := strings.TrimSpace(sentence(o.Help) + " " + o.more())
	if o.Is(NotInProject) {
		help += " Not allowed in the `" + FileName + "` of a working folder."
	}
	help = strings.ReplaceAll(help, "|", `\|`)
	return fmt.Sprintf("| %s` | %s | %s | %s | `%s` | %s |\n", flag, commands, usual, key, o.Variable(), help)
}

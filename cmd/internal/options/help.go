package options

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xopt/cmd/internal/progress"
	"xopt/cmd/internal/report/text"
	"xopt/internal/safetext"
)

// helpWidth is the maximum width of --help, in characters.
const helpWidth = 80

// helpExamples is the number of examples in a short --help.
const helpExamples = 2

// CommandGroup is a heading of the program's --help and the commands below it, in order of use.
type CommandGroup struct {
	Title    string
	Commands []string
}

// helpAllName is the name of the flag for the complete help of a command.
const helpAllName = "help-all"

// helpAll is the value of --help-all. Like -h, it stops the parsing of flags when it is set.
type helpAll struct{ given bool }

func (h *helpAll) Set(string) error { h.given = true; return pflag.ErrHelp }
func (h *helpAll) String() string   { return "false" }
func (h *helpAll) Type() string     { return "bool" }

// Help prints one sentence about a command, its usage, two examples and its common options. With --help-all, it prints
// the explanation, all examples, and all options with their details.
func Help(w *safetext.Writer, c *cobra.Command, groups []CommandGroup) error {
	if c.HasAvailableSubCommands() { // for example, xopt campaign measure --help, which names no existing command
		if err := OnlyCommands(c, c.Flags().Args()); err != nil {
			return err
		}
	}
	c.InheritedFlags() // cobra adds the flags of parent commands to c here
	all := false
	if f := c.Flags().Lookup(helpAllName); f != nil {
		v, ok := f.Value.(*helpAll)
		all = ok && v.given
	}
	width := helpWidth
	if n := progress.LineWidth(w); n > 0 {
		width = min(width, n)
	}
	if c.Short != "" {
		fmt.Fprintf(w, "%s\n\n", strings.Join(text.Fold(sentence(c.Short), width), "\n"))
	}
	usage := c.UseLine()
	if c.HasAvailableSubCommands() && !strings.Contains(c.Use, " ") {
		usage = c.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(w, "Usage: %s\n", usage)
	examples := slices.Collect(strings.Lines(strings.Trim(c.Example, "\n") + "\n"))
	if !all {
		examples = examples[:min(len(examples), helpExamples)]
	}
	if c.HasParent() {
		helpText(w, examples)
	}
	if all && c.Long != "" {
		fmt.Fprintf(w, "\n%s\n", refolded(strings.TrimSpace(c.Long), width))
	}
	if c.HasAvailableSubCommands() {
		helpCommands(w, c, groups, width)
	}
	if all {
		helpOptions(w, c, width)
		return nil
	}
	helpCommon(w, c, width)
	if !c.HasParent() {
		helpText(w, examples)
		fmt.Fprint(w, "\nManual: docs/README.md in xopt's source code\n")
	}
	helpMore(w, c)
	return nil
}

// sentence adds a capital letter and a full stop to a phrase.
func sentence(phrase string) string {
	r, n := utf8.DecodeRuneInString(phrase)
	return string(unicode.ToUpper(r)) + phrase[n:] + "."
}

// helpText prints examples.
func helpText(w io.Writer, examples []string) {
	if text := strings.TrimSpace(strings.Join(examples, "")); text != "" {
		fmt.Fprintf(w, "\nExamples:\n    %s\n", strings.ReplaceAll(text, "\n", "\n    "))
	}
}

// helpMore prints how to get the complete help.
func helpMore(w io.Writer, c *cobra.Command) {
	path := c.CommandPath()
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s COMMAND --help explains a command.\n%s --help-all shows all options.\n", path, path)
		return
	}
	n := 0
	c.Flags().VisitAll(func(*pflag.Flag) { n++ })
	fmt.Fprintf(w, "\n%s --help-all explains the command and all %d options.\n", path, n)
}

// HelpCommand returns the command that shows the help of a named command. An unknown name is a usage error.
func HelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "explain a command",
		// Do not load settings: help must work even if they are invalid.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(_ *cobra.Command, names []string) error {
			of := root
			for i, name := range names {
				at := slices.IndexFunc(of.Commands(), func(sub *cobra.Command) bool { return sub.Name() == name })
				if at < 0 {
					return OnlyCommands(of, names[i:])
				}
				of = of.Commands()[at]
			}
			of.InitDefaultHelpFlag()
			of.InitDefaultVersionFlag()
			return of.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, names []string, begun string) ([]string, cobra.ShellCompDirective) {
			var list []string
			if of, rest, err := root.Find(names); err == nil && len(rest) == 0 {
				for _, sub := range of.Commands() {
					if sub.IsAvailableCommand() && strings.HasPrefix(sub.Name(), begun) {
						list = append(list, cobra.CompletionWithDesc(sub.Name(), sub.Short))
					}
				}
			}
			return list, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// refolded wraps paragraphs that are too wide for the terminal, but not indented lines.
func refolded(s string, width int) string {
	paragraphs := strings.Split(s, "\n\n")
	for i, p := range paragraphs {
		wide := false
		for line := range strings.Lines(p) {
			wide = wide || len([]rune(strings.TrimRight(line, "\n"))) > width
		}
		if wide && !strings.Contains("\n"+p, "\n ") {
			paragraphs[i] = strings.Join(text.Fold(strings.ReplaceAll(p, "\n", " "), width), "\n")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// helpCommands lists the subcommands of a command below the headings of groups, or below one heading.
func helpCommands(w io.Writer, c *cobra.Command, groups []CommandGroup, width int) {
	below := make(map[string]*cobra.Command)
	rest := CommandGroup{Title: "Commands"}
	for _, sub := range c.Commands() {
		below[sub.Name()] = sub
		if sub.IsAvailableCommand() {
			rest.Commands = append(rest.Commands, sub.Name())
		}
	}
	if c.HasParent() {
		groups = []CommandGroup{rest}
	}
	for _, g := range groups {
		var rows []helpRow
		for _, name := range g.Commands {
			if sub := below[name]; sub != nil {
				about := strings.ToLower(sub.Short[:1]) + sub.Short[1:] // cobra's own texts start with a capital
				rows = append(rows, helpRow{fmt.Sprintf("%-*s", sub.NamePadding(), name), about, ""})
			}
		}
		fmt.Fprintf(w, "\n%s:\n", g.Title)
		helpRows(w, rows, width)
	}
}

// helpRow is the row of a command or an option.
type helpRow struct{ name, text, more string }

// helpRows prints rows in two columns, with any further text below each row.
func helpRows(w io.Writer, rows []helpRow, width int) {
	indent := 0
	for _, r := range rows {
		indent = max(indent, len(r.name)+4)
	}
	for _, r := range rows {
		lines := text.Fold(r.text, max(width-indent, 0))
		if r.more != "" {
			lines = append(lines, text.Fold(r.more, max(width-indent, 0))...)
		}
		fmt.Fprintf(w, "  %-*s%s\n", indent-2, r.name, strings.Join(lines, "\n"+strings.Repeat(" ", indent)))
	}
}

// helpCommon lists the options that most users of a command need.
func helpCommon(w io.Writer, c *cobra.Command, width int) {
	var rows []helpRow
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(*Value); ok && slices.Contains(v.Option.Common, CommandOf(c)) {
			rows = append(rows, helpRow{v.Option.flag(), v.Option.line(), ""})
		}
	})
	if len(rows) > 0 {
		fmt.Fprint(w, "\nOptions:\n")
		helpRows(w, rows, width)
	}
}

// helpOptions lists all options with their details below their headings.
func helpOptions(w io.Writer, c *cobra.Command, width int) {
	under := make(map[string][]helpRow)
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(*Value); ok {
			o := v.Option
			under[o.Group] = append(under[o.Group], helpRow{o.flag(), o.line(), o.more()})
			return
		}
		o := Option{Name: f.Name, Short: f.Shorthand} // help and version, which cobra adds
		under[GroupGlobal] = append(under[GroupGlobal], helpRow{o.flag(), f.Usage, ""})
	})
	for _, group := range Groups() {
		if rows := under[group]; rows != nil {
			fmt.Fprintf(w, "\n%s:\n", group)
			helpRows(w, rows, width)
		}
	}
}

package options

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xopt/cmd/internal/progress"
	"xopt/cmd/internal/report/text"
	"xopt/internal/safetext"
)

// helpWidth is how many columns --help fills at the most, and where the width is not known.
const helpWidth = 100

// Help prints what a command is for: one line, its usage, examples, the explanation, and its options under headings.
func Help(w *safetext.Writer, c *cobra.Command) error {
	if c.HasAvailableSubCommands() { // xopt measure --help: there is no such command
		if err := OnlyCommands(c, c.Flags().Args()); err != nil {
			return err
		}
	}
	width := helpWidth
	if n := progress.LineWidth(w); n > 0 {
		width = min(width, n)
	}
	if short := []rune(c.Short); len(short) > 0 {
		about := strings.ToUpper(string(short[0])) + string(short[1:]) + "."
		fmt.Fprintf(w, "%s\n\n", strings.Join(text.Fold(about, width), "\n"))
	}
	usage := c.UseLine()
	if c.HasAvailableSubCommands() && !strings.Contains(c.Use, " ") {
		usage = c.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(w, "Usage: %s\n", usage)
	if c.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.TrimRight(indented(c.Example), "\n"))
	}
	if c.Long != "" {
		fmt.Fprintf(w, "\n%s\n", refolded(strings.TrimSpace(c.Long), width))
	}
	helpCommands(w, c, width)
	c.InheritedFlags() // cobra adds those of the root here
	helpOptions(w, c.Flags(), width)
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s COMMAND --help explains a command.\n", c.CommandPath())
	}
	return nil
}

// HelpCommand returns the command that explains the command that is named. One that there is not is wrong use.
func HelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "explain a command",
		// No settings are read: help must work where they are wrong.
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

// indented indents each line of a text.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		b.WriteString("    " + line)
	}
	return b.String()
}

// refolded folds the paragraphs of a text that are too wide for the terminal; what is indented stays
// as it is.
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

// helpCommands lists the commands below one.
func helpCommands(w io.Writer, c *cobra.Command, width int) {
	if !c.HasAvailableSubCommands() {
		return
	}
	fmt.Fprint(w, "\nCommands:\n")
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			indent := 2 + sub.NamePadding() + 2
			lines := text.Fold(sub.Short, max(width-indent, 0))
			fmt.Fprintf(w, "  %-*s  %s\n", sub.NamePadding(), sub.Name(),
				strings.Join(lines, "\n"+strings.Repeat(" ", indent)))
		}
	}
}

// helpOptions lists options under their headings.
func helpOptions(w io.Writer, flags *pflag.FlagSet, width int) {
	under := make(map[string]*pflag.FlagSet)
	flags.VisitAll(func(f *pflag.Flag) {
		group := GroupGlobal // those of cobra: help and version
		if v, ok := f.Value.(*Value); ok {
			group = v.Option.Group
		}
		if under[group] == nil {
			under[group] = pflag.NewFlagSet(group, pflag.ContinueOnError)
			under[group].SortFlags = false
		}
		under[group].AddFlag(f)
	})
	for _, group := range Groups() {
		if under[group] != nil {
			fmt.Fprintf(w, "\n%s:\n%s", group, under[group].FlagUsagesWrapped(width))
		}
	}
}

package options

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xopt/cmd/faults"
	"xopt/internal/fault"
)

// MinArgs is cobra.MinimumNArgs with an error that describes the expected arguments.
func MinArgs(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < n {
			return faults.ArgumentMissing.Usagef("%s needs %s; see %s --help", c.Name(),
				what, c.CommandPath())
		}
		return nil
	}
}

// ExactArgs is cobra.ExactArgs with an error that describes the arguments.
func ExactArgs(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := MinArgs(n, what)(c, args); err != nil {
			return err
		}
		return MaxArgs(n)(c, args)
	}
}

// MaxArgs is cobra.MaximumNArgs with an error that describes the arguments.
func MaxArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > n {
			return faults.WrongArgument.Usagef("%s does not accept %q; see %s --help",
				c.CommandPath(), args[n], c.CommandPath())
		}
		return nil
	}
}

// OnlyCommands checks the arguments of a command that only groups subcommands.
func OnlyCommands(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	meant := DidYouMean("", args[0], names)
	var others []string // commands with a similar function
	for _, sub := range c.Commands() {
		if slices.Contains(sub.SuggestFor, args[0]) {
			others = append(others, sub.Name())
		}
	}
	if len(others) > 0 {
		meant = ", did you mean " + strings.Join(others, " or ") + "?"
	}
	return faults.UnknownCommand.Usagef("unknown command %q%s; see %s --help", args[0],
		meant, c.CommandPath())
}

// FlagError converts an error about a flag to a usage error with a suggestion or the expected values.
func (t Table) FlagError(c *cobra.Command, err error) error {
	see := "; see " + c.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return pflag.ErrHelp
	case errors.As(err, &unknown):
		if why := lacking(t, c, unknown); why != "" {
			return faults.WrongOption.Usagef("%s%s", why, see)
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		return faults.UnknownOption.Usagef("%w%s%s", err,
			DidYouMean("--", unknown.GetSpecifiedName(), names), see)
	case errors.As(err, &value):
		return fault.Usage(ValueError("--"+value.GetFlag().Name, errors.Unwrap(value)))
	}
	return fault.Usage(fmt.Errorf("%w%s", err, see))
}

// lacking explains why a command does not have an option that other commands have, and suggests an alternative; "" if
// no command has the option.
func lacking(t Table, c *cobra.Command, unknown *pflag.NotExistError) string {
	var commands []string
	name := ""
	for _, o := range t {
		if o.Name == unknown.GetSpecifiedName() || o.Short != "" && o.Short == unknown.GetSpecifiedShortnames() {
			name = o.Name
			commands = append(commands, o.Commands...)
		}
	}
	if len(commands) == 0 {
		return ""
	}
	slices.Sort(commands)
	text := fmt.Sprintf("%s has no option --%s; it belongs to %s", c.CommandPath(), name,
		strings.Join(slices.Compact(commands), ", "))
	if way := alternative(c, name); way != "" {
		text += "; " + way
	}
	return text
}

// alternative suggests a replacement for an option that this command does not have; "" for none.
func alternative(c *cobra.Command, option string) string {
	switch option {
	case "objective", "robust":
		return "use xopt search --" + option
	case "resume":
		return "the command writes no checkpoint: run it again"
	case "md":
		return "xopt report NAME.result.json --format md writes any result as Markdown"
	case "out":
		return "--json > NAME.result.json writes the answer to a file"
	case "time":
		if c.Flags().Lookup("run-time") != nil {
			return "--run-time sets the time of each run"
		}
		return "the command needs no time limit"
	case "seed":
		return "the command uses no random numbers"
	case "json", "csv", "report":
		if c.Name() == "report" {
			return "--format writes json, csv, md or html"
		}
	}
	return ""
}

// completeWords completes one of the given words. rest is the directive for other values.
func completeWords(words []string, rest cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var list []cobra.Completion
		for _, w := range words {
			if strings.HasPrefix(w, begun) {
				list = append(list, w)
			}
		}
		return list, rest
	}
}

// Complete completes the values of an option.
func Complete(c *cobra.Command, o *Option) error {
	switch {
	case len(o.Values) > 0 && (o.Kind == Words || o.Name == "objective" && c.Name() == "search"):
		return c.RegisterFlagCompletionFunc(o.Name, completeList(o.Values))
	case len(o.Values) > 0:
		return c.RegisterFlagCompletionFunc(o.Name, completeWords(o.Values, cobra.ShellCompDirectiveNoFileComp))
	case len(o.Suggested) > 0:
		return c.RegisterFlagCompletionFunc(o.Name, completeWords(o.Suggested, cobra.ShellCompDirectiveDefault))
	case o.Name == "profile", o.Name == "check", o.Name == "against":
		return c.MarkFlagFilename(o.Name, "json")
	case o.Kind == Folder:
		return c.MarkFlagDirname(o.Name)
	case o.Kind != Switch && o.Kind != File && o.Kind != Files && o.Name != "measure":
		return c.RegisterFlagCompletionFunc(o.Name, cobra.NoFileCompletions)
	}
	return nil
}

// completeList completes the last word in a comma-separated list, without the words already in the list.
func completeList(words []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := strings.LastIndexByte(begun, ',') + 1
		given := strings.Split(begun[:at], ",")
		var list []cobra.Completion
		for _, w := range words {
			if strings.HasPrefix(w, begun[at:]) && !slices.Contains(given, w) {
				list = append(list, begun[:at]+w)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

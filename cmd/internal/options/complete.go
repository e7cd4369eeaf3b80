package options

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// completeWords completes one of some words.
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

// completeList completes the last of several comma-separated words with those not used yet.
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

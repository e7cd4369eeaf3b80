package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/options"
	"xopt/flow"
)

// Completion of what stands behind flags and commands in the shells that cobra
// writes scripts for.

// engines are the solvers of eval.
func engines() []string { return []string{"fast", "clp"} }

// sharings are the rules that --sharing takes.
func sharings() []string {
	var names []string
	for _, rule := range flow.CommonSharingRules() {
		names = append(names, rule.String())
	}
	return names
}

// completeX completes X files.
func completeX(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"x"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeExample completes the name of an example, then a folder.
func completeExample(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	var names []cobra.Completion
	for _, group := range bundles() {
		for _, b := range group.list {
			names = append(names, cobra.CompletionWithDesc(b.name, b.about))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

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

// completeOption completes the values of an option.
func completeOption(c *cobra.Command, o *options.Option) error {
	switch {
	case len(o.Values) > 0 && (o.Kind == options.Words || o.Name == "objective" && c.Name() == "search"):
		return c.RegisterFlagCompletionFunc(o.Name, completeList(o.Values))
	case len(o.Values) > 0:
		return c.RegisterFlagCompletionFunc(o.Name, completeWords(o.Values, cobra.ShellCompDirectiveNoFileComp))
	case o.Name == "buffers":
		words := []string{buffersDefault, buffersTuned, buffersRaftLib} // or a file
		return c.RegisterFlagCompletionFunc(o.Name, completeWords(words, cobra.ShellCompDirectiveDefault))
	case o.Name == "profile", o.Name == "check", o.Name == "against":
		return c.MarkFlagFilename(o.Name, "json")
	case o.Kind == options.Folder:
		return c.MarkFlagDirname(o.Name)
	case o.Kind != options.Switch && o.Kind != options.File && o.Kind != options.Files && o.Name != "measure":
		return c.RegisterFlagCompletionFunc(o.Name, cobra.NoFileCompletions)
	}
	return nil
}

// completeList completes the last of several words with commas between: those that are not there yet.
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

package main

import (
	"github.com/spf13/cobra"

	"xopt/cmd/internal/examples"
)

// Shell completion of flags and arguments, for the scripts that cobra generates.

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
	for _, group := range examples.Groups() {
		for _, b := range group.List {
			names = append(names, cobra.CompletionWithDesc(b.Name, b.About))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

package main

import (
	"fmt"
	"path"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/examples"
	"xopt/cmd/internal/options"
)

// examplesCommand returns xopt examples, which lists the bundled examples or writes one to disk.
func (a *app) examplesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "examples [NAME [FOLDER]]",
		Short: "list the bundled applications, or write an example to a folder",
		Long: `Without a name, examples lists the bundled applications, which can run, and sets of
published figures, for predictions and searches. With a name, it writes this example to the given folder,
or to a folder of the same name. It never overwrites existing files.`,
		Example: `xopt examples
xopt examples jpeg
xopt examples gayen-veritas`,
		Args:              options.MaxArgs(2),
		ValidArgsFunction: completeExample,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return examples.List(a.stdout)
			}
			folder := args[0]
			if len(args) == 2 {
				folder = args[1]
			}
			n, err := examples.Write(args[0], folder)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "wrote %s with %d files; start with %s\n", folder, n,
				path.Join(folder, "README.md"))
			return err
		},
	}
}

// completeX completes the names of X files.
func completeX(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"x"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeExample completes the name of an example, and then a folder.
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

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xopt/configs"
	"xopt/internal/report"
)

// examplesCommand lists the bundled examples or writes one to disk.
func (a *app) examplesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "examples [NAME [FOLDER]]",
		Short: "list the bundled examples, or write one to a folder",
		Long: `Without a name, examples lists the bundled examples. With a name it writes that example to
a folder, by default one of its name. No file that is there already is touched: one that is
in the way is an error.`,
		Example: `xopt examples
xopt examples gayen-veritas`,
		Args:              atMost(2),
		ValidArgsFunction: completeExample,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listExamples()
			}
			folder := args[0]
			if len(args) == 2 {
				folder = args[1]
			}
			return a.writeExample(args[0], folder)
		},
	}
}

func (a *app) listExamples() error {
	for _, e := range examples() {
		if _, err := fmt.Fprintf(a.stdout, "%-16s %s\n", e.Name, e.About); err != nil {
			return err
		}
	}
	return nil
}

// writeExample copies an example from the program to disk.
func (a *app) writeExample(name, folder string) error {
	bundled := configs.ExampleFiles()
	var names []string
	for _, e := range examples() {
		names = append(names, e.Name)
	}
	if !slices.Contains(names, name) {
		return &usageError{fmt.Errorf("no example is named %q; there are %s", name, strings.Join(names, ", "))}
	}
	var files []string
	err := fs.WalkDir(bundled, name, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, p)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("reading example %s: %w", name, err)
	}
	contents := make(map[string][]byte, len(files))
	for _, p := range files {
		data, err := fs.ReadFile(bundled, p)
		if err != nil {
			return fmt.Errorf("reading example %s: %w", name, err)
		}
		contents[strings.TrimPrefix(p, name+"/")] = data
	}
	if err := writeNew(folder, contents, "xopt examples "+name+" FOLDER"); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "wrote %s with %d files; begin with %s\n", folder, len(files), path.Join(folder, "README.md"))
	return nil
}

// writeNew writes files, by their paths below a folder, none of which may be there yet; another
// is how to name another folder.
func writeNew(folder string, contents map[string][]byte, another string) error {
	names := slices.Sorted(maps.Keys(contents))
	for _, name := range names {
		target := filepath.Join(folder, filepath.FromSlash(name))
		if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
			return &usageError{fmt.Errorf("%s is in the way; name another folder: %s", target, another)}
		}
	}
	for _, name := range names {
		target := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("writing %s: %w", target, err)
		}
		err := report.WriteFile(target, func(w io.Writer) error {
			_, err := w.Write(contents[name])
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

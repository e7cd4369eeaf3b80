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

	"xopt/bench/apps"
	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/configs"
	"xopt/internal/fault"
	"xopt/internal/files/output"
)

// bundle is what examples offers: a folder of files in the program.
type bundle struct {
	name, about string
	files       fs.FS // with the folder in it
}

// bundleGroup is the bundles that the same can be done with.
type bundleGroup struct {
	title string
	list  []bundle
}

// bundles are the applications, whose kernels can run, and the published figures.
func bundles() []bundleGroup {
	runnable := bundleGroup{title: "Applications: their kernels are here, to calibrate, search, deploy and validate"}
	for _, x := range apps.List() {
		code := "C"
		if x.Verilog {
			code = "C and Verilog"
		}
		runnable.list = append(runnable.list, bundle{x.Name, x.About + "; " + code, apps.Files()})
	}
	figures := bundleGroup{
		title: "Published figures: what papers print of applications and machines, to eval, search and sweep"}
	for _, x := range configs.Examples() {
		if !strings.Contains(x.Name, "/") { // else it is a part of another
			figures.list = append(figures.list, bundle{x.Name, x.About, configs.ExampleFiles()})
		}
	}
	return []bundleGroup{runnable, figures}
}

// examplesCommand writes bundled examples.
type examplesCommand struct {
	*app
}

// options are those of all commands alone.
func (f *examplesCommand) options() []options.Option { return nil }

// commands returns the command that lists what is bundled or writes one of it to disk.
func (f *examplesCommand) commands() []*cobra.Command {
	return []*cobra.Command{{
		Use:   "examples [NAME [FOLDER]]",
		Short: "list the bundled applications and published figures, or write one to a folder",
		Long: `Without a name, examples lists the bundled applications, whose kernels can run, and the
published figures of the papers, which can be searched. With a name it writes that example to
a folder, by default one of its name. Existing files are not changed: a file in the way is an
error.`,
		Example: `xopt examples
xopt examples jpeg
xopt examples gayen-veritas`,
		Args:              options.MaxArgs(2),
		ValidArgsFunction: completeExample,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return f.listExamples()
			}
			folder := args[0]
			if len(args) == 2 {
				folder = args[1]
			}
			return f.writeExample(args[0], folder)
		},
	}}
}

func (f *examplesCommand) listExamples() error {
	var b strings.Builder
	for i, group := range bundles() {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintln(&b, group.title)
		for _, x := range group.list {
			fmt.Fprintf(&b, "  %-16s %s\n", x.name, x.about)
		}
	}
	b.WriteString("\nxopt examples NAME writes one to the folder NAME; its README.md says how to go on.\n")
	_, err := io.WriteString(f.stdout, b.String())
	return err
}

// writeExample copies an example from the program to disk.
func (a *app) writeExample(name, folder string) error {
	var names []string
	var chosen *bundle
	for _, group := range bundles() {
		for i, x := range group.list {
			names = append(names, x.name)
			if x.name == name {
				chosen = &group.list[i]
			}
		}
	}
	if chosen == nil {
		return faults.UnknownExample.Usagef("no example is named %q; there are %s", name,
			strings.Join(names, ", "))
	}
	contents := make(map[string][]byte)
	err := fs.WalkDir(chosen.files, name, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(chosen.files, p)
		contents[strings.TrimPrefix(p, name+"/")] = data
		return err
	})
	if err != nil {
		return fmt.Errorf("reading example %s: %w", name, err)
	}
	if err := writeNew(folder, contents, "xopt examples "+name+" FOLDER"); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "wrote %s with %d files; begin with %s\n", folder, len(contents),
		path.Join(folder, "README.md"))
	return err
}

// writeNew writes files, by their paths below a folder, none of which may be there yet; another
// is how to name another folder.
func writeNew(folder string, contents map[string][]byte, another string) error {
	names := slices.Sorted(maps.Keys(contents))
	for _, name := range names {
		target := filepath.Join(folder, filepath.FromSlash(name))
		if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
			return fault.AlreadyExists.Usagef("%s is in the way; name another folder: %s", target, another)
		}
	}
	for _, name := range names {
		target := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("writing %s: %w", target, err)
		}
		err := output.WriteFile(target, func(w io.Writer) error {
			_, err := w.Write(contents[name])
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

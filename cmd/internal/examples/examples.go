// Package examples writes the bundled examples to disk.
package examples

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/bench/apps"
	"xopt/cmd/faults"
	"xopt/configs"
	"xopt/internal/fault"
	"xopt/internal/files/output"
)

// Bundle is an example: a folder of files embedded in the program.
type Bundle struct {
	Name, About string
	files       fs.FS // including the folder itself
}

// Group is a list of examples for the same commands.
type Group struct {
	title string
	List  []Bundle
}

// Groups returns the runnable applications and the examples with published figures.
func Groups() []Group {
	runnable := Group{title: "Applications with kernels, to calibrate, search, deploy and validate"}
	for _, x := range apps.List() {
		code := "C"
		if x.Verilog {
			code = "C and Verilog"
		}
		runnable.List = append(runnable.List, Bundle{x.Name, x.About + "; " + code, apps.Files()})
	}
	figures := Group{
		title: "Published figures of applications and machines, to evaluate, search and sweep"}
	for _, x := range configs.Examples() {
		if !strings.Contains(x.Name, "/") { // otherwise it is part of another example
			figures.List = append(figures.List, Bundle{x.Name, x.About, configs.ExampleFiles()})
		}
	}
	return []Group{runnable, figures}
}

// List writes the names of all examples.
func List(w io.Writer) error {
	var b strings.Builder
	for i, group := range Groups() {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintln(&b, group.title)
		for _, x := range group.List {
			fmt.Fprintf(&b, "  %-16s %s\n", x.Name, x.About)
		}
	}
	b.WriteString("\nxopt examples NAME writes an example to the folder NAME. Its README.md lists the next steps.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Write copies an example from the program to a folder, and returns the number of files.
func Write(name, folder string) (int, error) {
	var names []string
	var chosen *Bundle
	for _, group := range Groups() {
		for i, x := range group.List {
			names = append(names, x.Name)
			if x.Name == name {
				chosen = &group.List[i]
			}
		}
	}
	if chosen == nil {
		return 0, faults.UnknownExample.Usagef("unknown example %q; the examples are %s", name,
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
		return 0, fmt.Errorf("reading example %s: %w", name, err)
	}
	return len(contents), WriteNew(folder, contents, "xopt examples "+name+" FOLDER")
}

// WriteNew writes files by their paths below a folder. None of them may exist. another is the command that writes to
// another folder, for the error message.
func WriteNew(folder string, contents map[string][]byte, another string) error {
	names := slices.Sorted(maps.Keys(contents))
	for _, name := range names {
		target := filepath.Join(folder, filepath.FromSlash(name))
		if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
			return fault.AlreadyExists.Usagef("%s already exists; name another folder: %s", target, another)
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

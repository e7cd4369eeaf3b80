// Package lint enforces the rules of this repository that the compiler does not check: which layer may import which,
// the length of lines and functions, the first words of comments, the links, paths, sentences and length of the
// documentation, and the entries at the top of the repository.
//
// No other package imports it. Its test checks the repository and writes nothing. The idea comes from
// cockroachdb/pebble's internal/lint.
package lint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// faults are violations of the rules, one line for each.
type faults []string

func (f *faults) addf(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// goFiles calls each with every Go file of a repository, by its path from the top with slashes. It omits hidden folders
// and those named testdata.
func goFiles(root string, each func(file string) error) error { return files(root, ".go", each) }

// files calls each with every file whose name ends in suffix.
func files(root, suffix string, each func(file string) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("reading the repository: %w", err)
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "demo") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, suffix) {
			return nil
		}
		file, err := filepath.Rel(root, path)
		if err != nil {
			return fmt.Errorf("reading the repository: %w", err)
		}
		return each(filepath.ToSlash(file))
	})
}

// top checks the entries at the top of a repository: allowed names, hidden files, and names in .gitignore.
func top(root string, allowed []string) (faults, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("reading the repository: %w", err)
	}
	ignored, err := ignored(root)
	if err != nil {
		return nil, err
	}
	var found faults
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || ignored(e.Name()) || slices.Contains(allowed, e.Name()) {
			continue
		}
		found.addf("%s stands at the top of the repository, where only %s do: put it into the folder it is part of",
			e.Name(), strings.Join(allowed, ", "))
	}
	return found, nil
}

// ignored reports whether .gitignore names an entry at the top.
func ignored(root string) (func(name string) bool, error) {
	text, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading what git ignores: %w", err)
	}
	var patterns []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			patterns = append(patterns, strings.Trim(line, "/"))
		}
	}
	return func(name string) bool {
		for _, p := range patterns {
			if ok, err := filepath.Match(p, name); err == nil && ok {
				return true
			}
		}
		return false
	}, nil
}

// foreign reports C, C++ and assembler files in folders that also contain Go. A build with cgo compiles them as parts
// of the package, and fails if the package does not use cgo. A build without cgo hides the error.
func foreign(root string) (faults, error) {
	withGo := make(map[string]bool)
	if err := goFiles(root, func(file string) error {
		withGo[path.Dir(file)] = true
		return nil
	}); err != nil {
		return nil, err
	}
	var found faults
	for _, suffix := range []string{".c", ".cc", ".cpp", ".cxx", ".m", ".s", ".S", ".f", ".swig"} {
		err := files(root, suffix, func(file string) error {
			if withGo[path.Dir(file)] {
				found.addf("%s stands beside Go files, where a build with cgo takes it for a part of the package: "+
					"give it a folder of its own", file)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// conflicts reports lines of texts at which a merge left a conflict. Go files with such lines do not compile.
func conflicts(root string) (faults, error) {
	var found faults
	for _, suffix := range []string{".md", ".x", ".smx", ".html", ".css", ".js", ".yaml", ".v", ".h"} {
		err := files(root, suffix, func(file string) error {
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
			if err != nil {
				return fmt.Errorf("reading a text: %w", err)
			}
			for n, line := range strings.Split(string(text), "\n") {
				if strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") {
					found.addf("%s:%d: conflict of a merge: %s", file, n+1, line)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

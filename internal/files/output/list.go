package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/internal/files/infile"
)

// listName is the file in a folder of tables and plots that lists the files that xopt wrote, in the format of sha256sum
// --check.
const listName = "xopt-files.txt"

// listHead is the first line of the list.
const listHead = "# xopt wrote these files, and replaces them while they are as it left them"

// readList returns the files in a folder that xopt wrote, with their checksums. The result is empty if there is no
// list.
func readList(folder string) map[string]string {
	list := make(map[string]string)
	f, err := os.Open(filepath.Join(folder, listName))
	if err != nil {
		return list
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, 1<<20))
	if !lines.Scan() || lines.Text() != listHead {
		return list
	}
	for lines.Scan() {
		if sum, name, ok := strings.Cut(lines.Text(), "  "); ok {
			list[name] = sum
		}
	}
	return list
}

// sum returns the SHA-256 of a file, or "" if it cannot be read.
func sum(path string) string {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	hash, err := infile.SHA256(path)
	if err != nil {
		return ""
	}
	return hash
}

// Record adds newly written files to the list in their folder.
func Record(folder string, names []string) error {
	list := readList(folder)
	for _, n := range names {
		list[n] = sum(filepath.Join(folder, n))
	}
	var existing []string
	for n, sum := range list {
		if _, err := os.Lstat(filepath.Join(folder, n)); err == nil && sum != "" {
			existing = append(existing, n)
		}
	}
	slices.Sort(existing)
	return WriteFile(filepath.Join(folder, listName), func(w io.Writer) error {
		_, err := fmt.Fprintln(w, listHead)
		for _, n := range existing {
			_, e := fmt.Fprintf(w, "%s  %s\n", list[n], n)
			err = errors.Join(err, e)
		}
		return err
	})
}

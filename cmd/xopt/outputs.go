package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// outputs are the files that a search writes, by the name that they share.
type outputs struct{ name string }

// baseName is what outputs are called by: the first file, without folder and ending.
func baseName(files []string) string { return strings.TrimSuffix(filepath.Base(files[0]), ".x") }

func (o outputs) result() string { return o.name + ".result.json" }

func (o outputs) mapping(candidate int) string {
	return fmt.Sprintf("%s.%d.map.x", o.name, candidate)
}

// mapMark is in the head of every map file that a search writes, resultMark in
// that of every result file.
const (
	mapMark    = "// Found by: xopt "
	resultMark = `"tool": "xopt"`
)

// check refuses, before a long search, what could not be written after it, and
// what would overwrite a file that no search wrote.
func (o outputs) check(top int) error {
	f, err := os.CreateTemp(filepath.Dir(o.name), ".xopt-*")
	if err != nil {
		return &usageError{fmt.Errorf("cannot write %s: %w", o.result(), err)}
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return err
	}
	if err := ours(o.result(), resultMark); err != nil {
		return err
	}
	for i := 1; i <= top; i++ {
		if err := ours(o.mapping(i), mapMark); err != nil {
			return err
		}
	}
	return nil
}

// stale lists map files that an earlier search of the same name left behind,
// beyond the number written now.
func (o outputs) stale(written int) []string {
	var left []string
	for i := written + 1; ; i++ {
		if _, err := os.Lstat(o.mapping(i)); err != nil || ours(o.mapping(i), mapMark) != nil {
			return left
		}
		left = append(left, o.mapping(i))
	}
}

// headBytes is how much of a file is read to see who wrote it.
const headBytes = 4096

// ours is an error when a file is there that does not bear the mark of those that
// this program writes.
func ours(path, mark string) error {
	foreign := &usageError{fmt.Errorf("%s is there and was not written by a search; move it, or name the output: -o NAME", path)}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &usageError{err}
	case !info.Mode().IsRegular():
		return foreign
	}
	f, err := os.Open(path)
	if err != nil {
		return foreign
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headBytes))
	if err != nil || !strings.Contains(string(head), mark) {
		return foreign
	}
	return nil
}

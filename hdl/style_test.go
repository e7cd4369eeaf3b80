package hdl

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// verilogFiles returns the hand-written files and the templates of the others. It omits the cores in testdata/machines,
// which follow users' styles.
func verilogFiles(t *testing.T) []string {
	t.Helper()
	var paths []string
	for _, folder := range []string{"agent", "board", "net", "stream", "tap", "testdata", "../bench", "../configs",
		"rtl"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "machines" {
				return filepath.SkipDir
			}
			if err == nil && (strings.HasSuffix(path, ".v") || strings.HasSuffix(path, ".v.tmpl") &&
				!strings.HasPrefix(path, "rtl/testdata")) {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(paths) < 40 {
		t.Fatalf("only %d files of Verilog were found", len(paths))
	}
	return paths
}

var (
	moduleLine    = regexp.MustCompile(`(?m)^module +(\w+)`)
	parameterLine = regexp.MustCompile(`(?m)^((?: *//.*\n)*) +parameter (\w+)\b.*$`)
	anyValue      = regexp.MustCompile(`(?i)\b(any other|other values|otherwise)\b`) // no value is wrong
	fatalText     = regexp.MustCompile(`(?s)initial begin.*?\$fatal.*?\n    end\n`)
)

// TestStyle checks the style of each file. It begins with `resetall and `default_nettype none, and ends with `resetall.
// It contains one module, named after the file. Each parameter has a description and a check, unless any value is valid
// or it follows from others.
func TestStyle(t *testing.T) {
	for _, path := range verilogFiles(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		start := strings.Replace(text, "`timescale 1ns/1ps\n", "", 1)
		if !strings.HasPrefix(start, "`resetall\n`default_nettype none\n\n") ||
			!strings.HasSuffix(text, "\n\n`resetall\n") &&
				!strings.Contains(text, "\n\n`resetall\n{{define") {
			t.Errorf("%s does not begin with `resetall and `default_nettype none, and end with `resetall", path)
		}
		modules := moduleLine.FindAllStringSubmatch(text, -1)
		if len(modules) != 1 && !strings.HasSuffix(path, ".tmpl") {
			t.Errorf("%s holds %d modules, want one", path, len(modules))
			continue
		}
		if strings.Contains(path, "testdata") || strings.HasSuffix(path, ".tmpl") {
			continue
		}
		if name := strings.TrimSuffix(filepath.Base(path), ".v"); modules[0][1] != name {
			t.Errorf("%s holds module %s, want %s", path, modules[0][1], name)
		}
		checks := strings.Join(fatalText.FindAllString(text, -1), "")
		for _, p := range parameterLine.FindAllStringSubmatch(text, -1) {
			comment, name := p[1], p[2]
			if comment == "" {
				t.Errorf("%s: parameter %s has no comment", path, name)
			}
			free := anyValue.MatchString(comment) || strings.Contains(comment, "Follows from")
			if !free && !regexp.MustCompile(`\b`+name+`\b`).MatchString(checks) {
				t.Errorf("%s: parameter %s is not checked", path, name)
			}
		}
		if lines := strings.Split(text, "\n"); slices.ContainsFunc(lines, func(l string) bool { return len(l) > 120 }) {
			t.Errorf("%s has lines of more than 120 characters", path)
		}
	}
}

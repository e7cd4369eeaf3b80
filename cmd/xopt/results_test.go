package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// understood checks that a command exists, with its options.
func understood(args []string) error {
	root, err := newApp(io.Discard, io.Discard).rootCommand()
	if err != nil {
		return err
	}
	c, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if !c.Runnable() || c.HasSubCommands() {
		return fmt.Errorf("%q is not a whole command", strings.Join(args, " "))
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	return c.ValidateArgs(c.Flags().Args())
}

// TestResults checks that the commands that wrote the pages in docs/results are still valid.
func TestResults(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/results/*.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, path := range pages {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range regexp.MustCompile("(?m)^    xopt (.*)$|^Measured by `xopt ([^`]*)`").
			FindAllStringSubmatch(string(text), -1) {
			commands++
			if err := understood(strings.Fields(x[1] + x[2])); err != nil {
				t.Errorf("%s: xopt %s: %v", path, x[1]+x[2], err)
			}
		}
	}
	if commands == 0 {
		t.Error("no page names its command")
	}
}

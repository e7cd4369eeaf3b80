package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"xopt/internal/cache"
)

// TestMain lets the scripts run the program itself as a command.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"xbench": func() { os.Exit(execute(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs the scripts in testdata/script: commands, their output, and the exit code.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			self, err := exec.LookPath("xbench")
			env.Setenv("XBENCH", self)
			examples, exErr := filepath.Abs("../../configs/examples")
			env.Setenv("EXAMPLES", examples)
			kept, dirErr := cache.Dir() // scripts have another home folder
			env.Setenv(cache.Variable, kept)
			return errors.Join(err, exErr, dirErr)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status},
	})
}

// status runs the program and checks its exit code: status CODE ARGS…
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE ARGS…")
	}
	err := ts.Exec("xbench", args[1:]...)
	code := "0"
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		code = strconv.Itoa(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("running xbench: %v", err)
	}
	if code != args[0] {
		ts.Fatalf("xbench %s ended with %s, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}

// commands returns the xbench commands in a page: those that measured it, or between back quotes.
func commands(text string) [][]string {
	var list [][]string
	for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return r == '`' }) {
		if words := strings.Fields(piece); len(words) > 1 && words[0] == "xbench" {
			list = append(list, words[1:])
		}
	}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "    xbench "); ok {
			rest, _, _ = strings.Cut(rest, "   ") // the description of the command
			list = append(list, strings.Fields(rest))
		}
	}
	return list
}

// TestPages checks that every xbench command in the manual and the results pages exists, with its options.
func TestPages(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"../../docs/*.md", "../../docs/results/*.md", "../../README.md",
		"../../bench/apps/*/README.md"} {
		for _, path := range globbed(t, pattern) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, args := range commands(string(text)) {
				if slices.Contains(args, "…") {
					continue
				}
				seen++
				if err := understood(args); err != nil {
					t.Errorf("%s: xbench %s: %v", path, strings.Join(args, " "), err)
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("%d commands", seen)
	}
	for _, bad := range [][]string{{"rings"}, {"ring", "--rnus", "7"}, {"ring", "--runs", "many"}, {"ring",
		"app.x"}} {
		if understood(bad) == nil {
			t.Errorf("xbench %s is understood", strings.Join(bad, " "))
		}
	}
}

// TestShows checks that the page of every benchmark begins with a sentence.
func TestShows(t *testing.T) {
	for _, b := range benchmarks() {
		if shows()[strings.Fields(b.use)[0]] == "" {
			t.Errorf("%s has no sentence", b.use)
		}
	}
}

// understood checks that a command exists and has the given options.
func understood(args []string) error {
	c, rest, err := rootCommand(&session{}).Find(args)
	if err != nil {
		return err
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	return c.ValidateArgs(c.Flags().Args())
}

// globbed returns the files that match a pattern. There must be some.
func globbed(t *testing.T, pattern string) []string {
	t.Helper()
	list, err := filepath.Glob(pattern)
	if err != nil || len(list) == 0 {
		t.Fatalf("%s: %d files, error %v", pattern, len(list), err)
	}
	return list
}

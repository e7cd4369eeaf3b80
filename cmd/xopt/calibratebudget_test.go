package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// TestWithBudget checks that the budget of a command line is replaced in a copy.
func TestWithBudget(t *testing.T) {
	line := []string{"xopt", "calibrate", "app.x", "--budget", "15s", "--force"}
	if got := withBudget(line, 100*time.Second); got != "xopt calibrate app.x --budget 1m40s --force" ||
		line[4] != "15s" {
		t.Errorf("the command is %s, of %v", got, line)
	}
}

// TestTyped checks that a command is printed as users type it.
func TestTyped(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XOPT_PRECISION", "0.02")
	a, c := loaded(t, "calibrate", "--all", "--kernels-only=true", "--guard=false", "--budget", "15s", "--quiet")
	if got, want := strings.Join(a.typed(c, []string{"app.x"}), " "), "xopt calibrate app.x --all --budget 15s "+
		"--guard=false --kernels-only --precision 0.02"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestNextLine checks that the command for the remaining measurements does not repeat the others.
func TestNextLine(t *testing.T) {
	t.Chdir(t.TempDir())
	next := func(args ...string) (got, same string) {
		a, c := loaded(t, append([]string{"calibrate", "--kernels-only"}, args...)...)
		x := &calibration{app: a, command: c, all: a.settings.Calibrate.All}
		return strings.Join(x.nextLine()[2:], " "), x.sameCommand()
	}
	if got, same := next("--all"); got != "--kernels-only" || same == "the same command" {
		t.Errorf("after --all: %s, %s", got, same)
	}
	if got, same := next(); got != "--kernels-only" || same != "the same command" {
		t.Errorf("without --all: %s, %s", got, same)
	}
	t.Setenv("XOPT_ALL", "true")
	if got, _ := next(); got != "--all=false --kernels-only" {
		t.Errorf("with XOPT_ALL: %s", got)
	}
}

// loaded returns a command with its options loaded, but not run.
func loaded(t *testing.T, args ...string) (*app, *cobra.Command) {
	t.Helper()
	a := newApp(io.Discard, io.Discard)
	root, err := a.rootCommand()
	if err != nil {
		t.Fatal(err)
	}
	c, flags, err := root.Find(args)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.ParseFlags(flags); err != nil {
		t.Fatal(err)
	}
	if err := a.load(c); err != nil {
		t.Fatal(err)
	}
	return a, c
}

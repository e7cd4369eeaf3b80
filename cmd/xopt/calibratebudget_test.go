package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/profile"
)

// TestLongerBudget: the budget that is offered is never the one that was too short, and holds
// all that is to be measured.
func TestLongerBudget(t *testing.T) {
	m := machineFigures{about: 91 * time.Second}
	for budget, want := range map[time.Duration]time.Duration{
		time.Millisecond:  100 * time.Second,
		15 * time.Second:  100 * time.Second,
		100 * time.Second: 200 * time.Second,
	} {
		if got := m.longer(budget); got != want {
			t.Errorf("after %v, %v is offered, want %v", budget, got, want)
		}
	}
	line := []string{"xopt", "calibrate", "app.x", "--budget", "15s", "--force"}
	if got := withBudget(line, 100*time.Second); got != "xopt calibrate app.x --budget 1m40s --force" ||
		line[4] != "15s" {
		t.Errorf("the command is %s, of %v", got, line)
	}
}

// TestTyped: a command is printed as people type it.
func TestTyped(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XOPT_PRECISION", "0.02")
	a, c := loaded(t, "calibrate", "--all", "--kernels-only=true", "--guard=false", "--budget", "15s", "--quiet")
	if got, want := strings.Join(a.typed(c, []string{"app.x"}), " "), "xopt calibrate app.x --all --budget 15s "+
		"--guard=false --kernels-only --precision 0.02"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// loaded is a command with its options put together, as before it runs.
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

// TestLackingBandwidth: links without a bandwidth are named once, as they are declared.
func TestLackingBandwidth(t *testing.T) {
	links := []flow.Link{{Name: "bus", Bandwidth: 1}, {Name: "memory"}, {Name: "pcie>", Declared: "pcie"},
		{Name: "pcie<", Declared: "pcie"}}
	d := &design.Design{Problem: &flow.Problem{Architecture: flow.Architecture{Links: links}}}
	if got := strings.Join(lackingBandwidth(d), " "); got != "memory pcie" {
		t.Errorf("got %s", got)
	}
}

// TestLeftOfMachine: what of the machine there was no time for is in the profile, unless it has it from before.
func TestLeftOfMachine(t *testing.T) {
	for _, c := range []struct {
		was, want string
		known     bool
	}{
		{"", "the time ran out; not measured: sharing", false},
		{"interrupted", "interrupted; not measured: sharing", false},
		{"the time ran out; not measured: top.a", "the time ran out; not measured: top.a; nor sharing", false},
		{"", "", true},
	} {
		m := machineFigures{left: "sharing"}
		p := &profile.Profile{Conditions: &profile.Conditions{Incomplete: c.was}}
		if c.known {
			p.Links, p.Sharing = make([]profile.Link, 1), make([]profile.Sharing, 1)
		}
		lacks := m.noteLeft(p)
		if got := p.Conditions.Incomplete; got != c.want || lacks == c.known {
			t.Errorf("%q became %q, want %q; lacks anything: %v", c.was, got, c.want, lacks)
		}
	}
}

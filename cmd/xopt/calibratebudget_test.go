package main

import (
	"strings"
	"testing"
	"time"

	"xopt/flow"
	"xopt/internal/design"
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
	c := (&app{}).calibrateCommand()
	if err := c.ParseFlags([]string{"--all", "--kernels-only=true", "--guard=false", "--budget", "15s"}); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(typed(c, []string{"app.x"}), " "), "xopt calibrate app.x --all --budget 15s "+
		"--guard=false --kernels-only"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
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

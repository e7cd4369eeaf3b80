package calibrate

import (
	"strings"
	"testing"
	"time"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
)

// pairOnTwoCores is a source and a sink that may run on two cores.
const pairOnTwoCores = `#include "std.x"
block G { output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top { G g; S s; g -> s; };
use top;
platform C { impl G (src="g.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc });
`

// TestBudget: a longer budget is never the one that was too short and holds all that is to be measured; data sets have
// equal parts of what is left, and a part is set aside for a machine of which nothing is known.
func TestBudget(t *testing.T) {
	d := flowtest.X{Files: []string{}, More: pairOnTwoCores}.Design(t, design.Options{Purpose: design.ForCheck})
	for _, budget := range []time.Duration{time.Millisecond, 15 * time.Second, 10 * time.Minute} {
		p := NewPlan(Plan{Design: d, Budget: budget})
		if got := p.LongerBudget(); got < 2*budget || got < p.Time() || got%(10*time.Second) != 0 {
			t.Errorf("after %v, %v is offered for %v", budget, got, p.Time())
		}
	}
	here := profile.ThisMachine()
	known := &profile.Profile{Machine: here, Links: make([]profile.Link, 1)}
	p := NewPlan(Plan{Design: d, Budget: 100 * time.Second, DataSets: 2})
	now := p.Deadline().Add(-100 * time.Second)
	if got := p.until(now, known).Sub(now); got != 50*time.Second {
		t.Errorf("the first of two data sets has %v", got)
	}
	if got := p.until(now, nil).Sub(now); got != 30*time.Second { // machinePart is for the machine
		t.Errorf("beside a machine that is not known it has %v", got)
	}
	p.measured = 1
	if got := p.until(now, known).Sub(now); got != 100*time.Second {
		t.Errorf("the last data set has %v", got)
	}
	if p := NewPlan(Plan{Design: d, KernelsOnly: true}); p.MachineTime() != 0 || !p.until(now, nil).IsZero() {
		t.Error("kernels alone leave time for a machine, or end without a budget")
	}
	if p, check := NewPlan(Plan{Design: d}), NewPlan(Plan{Design: d, CheckOnly: true}); check.Time() >= p.Time() ||
		p.MachineTime() != linksTime+sharingTime {
		t.Errorf("a check takes %v of %v, the machine %v", check.Time(), p.Time(), p.MachineTime())
	}
}

// TestLackingBandwidth: links without a bandwidth are named once, as they are declared.
func TestLackingBandwidth(t *testing.T) {
	links := []flow.Link{{Name: "bus", Bandwidth: 1}, {Name: "memory"}, {Name: "pcie>", Declared: "pcie"},
		{Name: "pcie<", Declared: "pcie"}}
	d := &design.Design{Problem: &flow.Problem{Architecture: flow.Architecture{Links: links}}}
	if got := strings.Join(LackingBandwidth(d), " "); got != "memory pcie" {
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
		m := machine{left: "sharing"}
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

package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"xopt/flow/profile"
)

// TestNodesToldOf: what a budget left out of the profile of a node is named, and so is what is in doubt.
func TestNodesToldOf(t *testing.T) {
	rate := &profile.Figure{Value: 1e6}
	whole := &profile.Profile{Conditions: &profile.Conditions{}, Kernels: []profile.Kernel{{Instance: "top.a",
		ServiceRate: rate}}}
	part := &profile.Profile{Conditions: &profile.Conditions{
		Disturbed:  "other processes used 1.40 processors meanwhile",
		Incomplete: "the time ran out; not measured: top.b, top.c"}, Kernels: []profile.Kernel{{Instance: "top.a",
		ServiceRate: rate, Doubt: "not within 1 %"}}}
	for _, c := range []struct {
		p      *profile.Profile
		budget time.Duration
		lacks  bool
		want   string
	}{
		{whole, 0, false, ""},
		{part, 12 * time.Second, true, `warning: node n1 was disturbed: other processes used 1.40 processors meanwhile
note: node n1: not within 1 %: top.a
warning: the profile of node n1 is incomplete: the time ran out; not measured: top.b, top.c
note: a longer --budget than 12s measures what was left out: submit the campaign with it, into another folder
`},
	} {
		var said bytes.Buffer
		a := newApp(&bytes.Buffer{}, &said)
		a.settings.calibrate.budget = c.budget
		lacks := a.noteNodes([]profile.Measured{{Node: "n1", Profile: c.p}})
		a.flush()
		if got := said.String(); got != c.want || lacks != c.lacks {
			t.Errorf("lacks %v, want %v; it says\n%swant\n%s", lacks, c.lacks, got, strings.TrimSpace(c.want))
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"xopt/cmd/internal/campaign/testcluster"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/flow/profile"
	"xopt/internal/testkit"
)

// TestNodesToldOf checks that figures omitted from a node's profile for lack of time are named, and doubtful ones
// too.
func TestNodesToldOf(t *testing.T) {
	rate := &profile.Figure{Value: 1e6}
	complete := &profile.Profile{Conditions: &profile.Conditions{}, Kernels: []profile.Kernel{{Instance: "top.a",
		ServiceRate: rate}}}
	part := &profile.Profile{Conditions: &profile.Conditions{
		Disturbed:  "other processes used 1.40 processors meanwhile",
		Incomplete: "time limit reached; not measured: top.b, top.c"}, Kernels: []profile.Kernel{{Instance: "top.a",
		ServiceRate: rate, Doubt: "interval wider than ±1 %"}}}
	for _, c := range []struct {
		p      *profile.Profile
		budget string
		lacks  bool
		want   string
	}{
		{complete, "", false, ""},
		{part, "12s", true, `warning: node n1 was disturbed: other processes used 1.40 processors ` +
			`meanwhile [machine-disturbed]
note: node n1: top.a: interval wider than ±1 % [rate-in-doubt]
warning: the profile of node n1 is incomplete: time limit reached; not measured: top.b, top.c [profile-incomplete]
note: to measure the missing figures, submit the campaign to a new folder with a --budget above 12s [longer-budget]
`},
	} {
		notes, lacks := report.NodeNotes([]profile.Measured{{Node: "n1", Profile: c.p}}, c.budget)
		if got := strings.Join(append(notes, ""), "\n"); got != c.want || lacks != c.lacks {
			t.Errorf("lacks %v, want %v; it says\n%swant\n%s", lacks, c.lacks, got, strings.TrimSpace(c.want))
		}
	}
}

// TestCampaignNodes measures each node of a cluster on that node, and compares them. Here they are one machine and so
// have one type, whose profile is written.
func TestCampaignNodes(t *testing.T) {
	testkit.Long(t, "a cluster; TestTypes compares nodes that differ")
	testkit.Tool(t, "cc", "gcc")
	t.Parallel()
	k := newCampaignTest(t, testcluster.ForTest(t, 2))
	app, err := filepath.Abs(filepath.Join("..", "..", "bench", "apps", "test1"))
	if err != nil {
		t.Fatal(err)
	}
	text := "kind: calibrate\nfiles: [" + app + "/app.x, " + app + "/arch.x]\nnodes: [n1, n2]\nkernels-only: true\n" +
		"engine: slurm\n"
	if err := os.WriteFile(filepath.Join(k.home, "nodes.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	k.run("campaign", "submit", "nodes.yaml", "--dir", "nodes")
	k.run("campaign", "status", "nodes", "--watch")
	out := k.run("campaign", "collect", "nodes", "-o", "here.profile.json")
	if !regexp.MustCompile(`^Type 1: .*; 2 nodes, `).MatchString(out) || strings.Count(out, "\nn1 ") != 1 ||
		strings.Count(out, "\nn2 ") != 1 {
		t.Errorf("collect prints\n%s", out)
	}
	p, err := settings.ReadProfile("out", filepath.Join(k.home, "here.profile.json"))
	if err != nil || len(p.Kernels) == 0 {
		t.Errorf("the profile has no kernels, error %v", err)
	}
	files, err := filepath.Glob(filepath.Join(k.home, "nodes", "results", "*"))
	if err != nil || len(files) != 2 { // a worker takes only the point of its own node
		t.Errorf("%d workers have written results, error %v; want one on each node", len(files), err)
	}
}

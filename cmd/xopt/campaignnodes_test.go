package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"xopt/cmd/internal/campaign/cluster"
	"xopt/internal/testkit"
)

// TestCampaignNodes measures each node of a cluster on that node, and compares them: they are one machine here, and so
// of one type, whose profile is written.
func TestCampaignNodes(t *testing.T) {
	testkit.Long(t, "a cluster; TestTypes compares nodes that differ")
	testkit.Tool(t, "cc", "gcc")
	t.Parallel()
	k := newCampaignTest(t, cluster.ForTest(t, 2))
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
	p, err := readProfile("out", filepath.Join(k.home, "here.profile.json"))
	if err != nil || len(p.Kernels) == 0 {
		t.Errorf("the profile has no kernels, error %v", err)
	}
	files, err := filepath.Glob(filepath.Join(k.home, "nodes", "results", "*"))
	if err != nil || len(files) != 2 { // a worker takes the point of its own node alone
		t.Errorf("%d workers have written results, error %v; want one on each node", len(files), err)
	}
}

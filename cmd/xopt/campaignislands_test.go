package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"xopt/cmd/internal/campaign/cluster"
	"xopt/internal/testkit"
)

// islandFile writes a campaign file of a search that four islands share; for branch and bound, of a chain of kernels
// that differ by as much as makes it hard to fill the cores evenly.
func (k *campaignTest) islandFile(name, method string, evals int, more string) {
	k.Helper()
	const kernels = 18
	app, chain := "#include \"std.x\"\n", "block top {\n"
	for i := range kernels {
		ports := "input UNSIGNED8[8] x; output UNSIGNED8[8] y; emit y;"
		switch i {
		case 0:
			ports = "output UNSIGNED8[8] y; emit y;"
		case kernels - 1:
			ports = "input UNSIGNED8[8] x;"
		}
		app += fmt.Sprintf("block K%d { %s };\nimpl K%d on C (time=\"%dns\");\n", i, ports, i, 100+i*i*37%397)
		chain += fmt.Sprintf("  K%d k%d;\n", i, i)
		if i > 0 {
			chain += fmt.Sprintf("  e%d: k%d.y -> k%d.x;\n", i, i-1, i)
		}
	}
	testkit.Write(k, filepath.Join(k.home, "chain.x"), app+chain+"};\nuse top;\n")
	testkit.Write(k, filepath.Join(k.home, "cores.x"), "#include \"std.x\"\nresource p[5] is C;\n"+
		"resource m is memory ({ p }, bandwidth=\"2GB/s\");\n")
	files := "gayen-veritas/pipes1.x, gayen-veritas/arch_slow.x"
	if method == "exact" {
		files = "chain.x, cores.x"
	}
	testkit.Write(k, filepath.Join(k.home, name), fmt.Sprintf("kind: search\nfiles: [%s]\nmethod: %s\n"+
		"evals: %d\nislands: 4\nrounds: 5\ntop: 2\nstale: 20s\n%s", files, method, evals, more))
}

// answers are the answers of a campaign by point, without times.
func (k *campaignTest) answers(dir string) map[int]string {
	k.Helper()
	all := make(map[int]string)
	paths, err := filepath.Glob(filepath.Join(k.home, dir, "results", "*.jsonl"))
	if err != nil {
		k.Fatal(err)
	}
	for _, p := range paths {
		head, body, _ := strings.Cut(testkit.Read(k, p), "\n")
		var h struct{ Done []struct{ N int } }
		if err := json.Unmarshal([]byte(head), &h); err != nil {
			k.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSpace(body), "\n") {
			all[h.Done[i].N] = timelessAnswer(line)
		}
	}
	return all
}

// timelessAnswer takes out of the answer of an island what tells of time, and how often a process went on with it.
func timelessAnswer(text string) string {
	return regexp.MustCompile(`"(elapsed|runs|seconds|made|host)":[^,}\]]*`).ReplaceAllString(text, "")
}

// sameAnswers checks that the points of two campaigns have the same answers, byte for byte but for times.
func (k *campaignTest) sameAnswers(dir, like string) {
	k.Helper()
	got, want := k.answers(dir), k.answers(like)
	if len(got) != len(want) || len(want) != k.all(like) {
		k.Errorf("%s has %d answers, %s %d, want %d", dir, len(got), like, len(want), k.all(like))
	}
	for n, text := range want {
		if got[n] != text {
			k.Errorf("point %d of %s:\n%.2000s\nof %s:\n%.2000s", n, dir, got[n], like, text)
		}
	}
}

// TestCampaignIslands: islands give the same answers on one worker and on two, and where the worker is killed again and
// again; so do the shares of branch and bound.
func TestCampaignIslands(t *testing.T) {
	t.Parallel()
	k := newCampaignTest(t, nil)
	evals := map[string]int{"mixed": 400_000, "exact": 8_000_000}
	if testing.Short() { // the sizes of the buffers of exact take seconds; TestBranches is short
		evals = map[string]int{"mixed": 120_000}
	}
	for method, evals := range evals {
		k.islandFile(method+".yaml", method, evals, "")
		k.run("campaign", "submit", method+".yaml", "--dir", method+"1", "--workers", "1")
		if !testing.Short() { // the short ring has the two workers that are killed
			k.run("campaign", "submit", method+".yaml", "--dir", method+"2", "--workers", "2")
			k.sameAnswers(method+"2", method+"1")
			k.same(method+"2", method+"1")
		}
		cmd := k.command("campaign", "submit", method+".yaml", "--dir", method+"3", "--workers", "2")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for _, points := range []int{3, 9, 14} {
			k.eventually("more points", func() bool { return k.begun(method+"3") && k.count(method+"3") >= points })
			if worker := childOf(cmd.Process.Pid); worker > 0 {
				_ = syscall.Kill(worker, syscall.SIGKILL) // it may have ended
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, k.logs())
		}
		k.sameAnswers(method+"3", method+"1")
		k.same(method+"3", method+"1")
		if method != "exact" {
			continue
		}
		if out := k.run("campaign", "collect", method+"1"); !strings.Contains(out, "proven the best") {
			t.Errorf("the shares of branch and bound have not proven the best:\n%s", out)
		}
	}
}

// begun reports whether a campaign has a folder.
func (k *campaignTest) begun(dir string) bool {
	_, err := os.Stat(filepath.Join(k.home, dir, "campaign.json"))
	return err == nil
}

// TestCampaignIslandsOnSlurm searches by islands on four nodes, kills workers, and has the answers of one machine.
func TestCampaignIslandsOnSlurm(t *testing.T) {
	testkit.Long(t, "four nodes of Slurm; TestCampaignIslands does the same on one machine")
	t.Parallel()
	k := newCampaignTest(t, cluster.ForTest(t, 4))
	k.islandFile("local.yaml", "mixed", 400_000, "")
	k.islandFile("slurm.yaml", "mixed", 400_000, "engine: slurm\nworkers: 4\n")
	k.run("campaign", "submit", "local.yaml", "--dir", "local")
	k.run("campaign", "submit", "slurm.yaml", "--dir", "slurm")
	k.eventually("the first points", func() bool { return k.count("slurm") >= 5 })
	for _, w := range k.workers("slurm")[:1] {
		_ = syscall.Kill(w.By.PID, syscall.SIGKILL) // it may have ended
	}
	k.finish("slurm", "")
	k.sameAnswers("slurm", "local")
	k.same("slurm", "local")
}

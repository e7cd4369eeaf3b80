package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"xopt/internal/testkit"
)

// TestCampaignLocalWorkerKilled kills the only worker of a campaign on this machine several times. The command that
// started it continues by itself. Then the test shows the campaign without some points.
func TestCampaignLocalWorkerKilled(t *testing.T) {
	testkit.Long(t, "workers are killed, and points computed twice")
	t.Parallel()
	k := newCampaignTest(t, nil)
	k.write("want.yaml", 1, 35, "")
	k.run("campaign", "submit", "want.yaml", "--dir", "want")
	cmd := k.command("campaign", "submit", "want.yaml", "--dir", "killed", "--chunk-time", "10ms")
	var output bytes.Buffer
	cmd.Stderr = &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for kills := range 3 {
		worker := 0
		k.eventually("another worker, and more points", func() bool {
			if worker = childOf(cmd.Process.Pid); worker == 0 {
				return false
			}
			for _, w := range k.workers("killed") {
				if w.By.PID == worker {
					return k.count("killed") > 10*kills
				}
			}
			return false
		})
		if err := syscall.Kill(worker, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &output)
	}
	if n := strings.Count(output.String(), "the worker ended with signal: killed; starting another worker"); n != 3 {
		t.Errorf("it says\n%s", &output)
	}
	k.finish("killed", "want")
	if left := asXoptLeft(filepath.Join(k.home, "killed")); left > 0 {
		t.Errorf("%d processes are left", left)
	}
	k.partial("killed", k.run("campaign", "collect", "want"))
}

// partial removes some results of a campaign, and checks that collect reports that and shows the others unchanged.
func (k *campaignTest) partial(dir, complete string) {
	k.Helper()
	files, err := filepath.Glob(filepath.Join(k.home, dir, "results", "*"))
	if err != nil || len(files) < 4 {
		k.Fatalf("results %v, error %v", files, err)
	}
	for _, path := range files[:2] {
		k.must(os.Remove(path))
	}
	missing := k.all(dir) - k.count(dir)
	if out, err := k.command("campaign", "collect", dir).CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "--partial prints the partial result") {
		k.Errorf("error %v: %s", err, out)
	}
	out := k.run("campaign", "collect", dir, "--partial")
	if n := strings.Count(out, "not computed"); n != missing || missing == 0 {
		k.Errorf("%d points are shown as not computed, want %d:\n%s", n, missing, out)
	}
	if of := fmt.Sprintf("; %d of %d points are done", k.count(dir), k.all(dir)); !strings.Contains(
		strings.Join(strings.Fields(out), " "), of) {
		k.Errorf("it does not say %q:\n%s", of, out)
	}
	rows := make(map[string]bool) // by varied settings and throughput, because mappings may have other letters
	first := func(line string) string {
		words := strings.Fields(line)
		return strings.Join(words[:min(3, len(words))], " ")
	}
	for line := range strings.Lines(complete) {
		rows[first(line)] = true
	}
	k.uncomputed(dir, missing)
	for line := range strings.Lines(out) {
		if strings.Contains(line, "not computed") && !regexp.MustCompile(` - +not computed`).MatchString(line) {
			k.Errorf("a point that was not computed has a figure: %q", line)
		}
		if !strings.Contains(line, "not computed") && strings.Contains(line, "proc") && !rows[first(line)] {
			k.Errorf("%q is not a line of the whole campaign", line)
		}
	}
}

// uncomputed checks that points of a sweep that were not computed have no figure in files.
func (k *campaignTest) uncomputed(dir string, missing int) {
	k.Helper()
	k.run("campaign", "collect", dir, "--partial", "-o", "part.csv")
	rows, err := csv.NewReader(strings.NewReader(testkit.Read(k, filepath.Join(k.home, "part.csv")))).ReadAll()
	if err != nil {
		k.Fatal(err)
	}
	empty, at := 0, slices.Index(rows[0], "throughput (B/s)")
	for _, row := range rows[1:] {
		if slices.Contains(row, "not computed") != (row[at] == "") {
			k.Errorf("a row is %q", row)
		}
		if row[at] == "" {
			empty++
		}
	}
	k.run("campaign", "collect", dir, "--partial", "-o", "part.json")
	var r struct {
		Sweep struct {
			Points []struct {
				Throughput *float64
				Proof      string
			}
		}
	}
	if err := json.Unmarshal([]byte(testkit.Read(k, filepath.Join(k.home, "part.json"))), &r); err != nil {
		k.Fatal(err)
	}
	absent := 0
	for _, p := range r.Sweep.Points {
		if p.Throughput == nil {
			absent++
		}
		if (p.Throughput == nil) != (p.Proof == "not computed") {
			k.Errorf("a point is %+v", p)
		}
	}
	if empty != missing || absent != missing {
		k.Errorf("%d rows and %d points have no throughput, want %d", empty, absent, missing)
	}
}

// TestCampaignSearchKilled kills a search of a campaign after its first checkpoint. The resumed search must find the
// mappings of an uninterrupted one.
func TestCampaignSearchKilled(t *testing.T) {
	testkit.Long(t, "a search of some seconds, twice; TestCheckpoints resumes points without one")
	t.Parallel()
	k := newCampaignTest(t, nil)
	testkit.Write(t, filepath.Join(k.home, "chain.x"), chainOf(60, 9))
	search := []string{"search", "chain.x", "--evals", "10000000", "--seeds", "2", "--campaign"}
	k.run(append(search, "whole")...)
	cmd := k.command(append(search, "killed")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	own := filepath.Join(k.home, "killed", "checkpoints", "000000")
	checkpoint := filepath.Join(own, "chain.checkpoint.json")
	k.eventually("a checkpoint", func() bool {
		_, err := os.Stat(checkpoint)
		return err == nil || len(ended) > 0
	})
	_ = cmd.Process.Kill()
	<-ended
	if _, err := os.Stat(checkpoint); err != nil {
		t.Fatal("the search ended before its first checkpoint: it needs more --evals to be killed in the middle")
	}
	k.run("campaign", "resume", "killed")
	if _, err := os.Stat(own); !os.IsNotExist(err) {
		t.Errorf("the folder of the point is left: %v", err)
	}
	var maps [2]string
	for i, dir := range []string{"killed", "whole"} {
		k.run("campaign", "collect", dir, "-o", "found")
		text := testkit.Read(t, filepath.Join(k.home, "found.1.map.x"))
		maps[i] = text[strings.Index(text, "\n\n"):]
	}
	if maps[0] != maps[1] {
		t.Errorf("the best mapping is\n%s\nwant\n%s", maps[0], maps[1])
	}
}

// chainOf returns an application with a chain of kernels, on a number of cores.
func chainOf(kernels, cores int) string {
	var blocks, impls, instances, edges strings.Builder
	at := "s.y0"
	for i := range kernels {
		fmt.Fprintf(&blocks, "block F%d { input UNSIGNED8[64] x0; output UNSIGNED8[64] y0; };\n", i)
		fmt.Fprintf(&impls, "impl F%d on C (mu=\"%dMB/s\", gain=1, from=\"assumed\");\n", i, 50+i*i*37%850)
		fmt.Fprintf(&instances, " F%d f%d;", i, i)
		fmt.Fprintf(&edges, " e%d: %s -> f%d.x0;", i, at, i)
		at = fmt.Sprintf("f%d.y0", i)
	}
	return fmt.Sprintf(`#include "std.x"
block S { output UNSIGNED8[64] y0; };
block D { input UNSIGNED8[64] x0; };
%sblock top { S s; D d;%s%s z: %s -> d.x0; };
use top;
resource p[%d] is C;
resource mem is memory ({ p }, bandwidth="3GB/s", from="published: in this test");
impl S on C (mu="1GB/s", gain=1, from="assumed");
impl D on C (mu="1GB/s", gain=1, from="assumed");
%s`, blocks.String(), instances.String(), edges.String(), at, cores, impls.String())
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCampaignLocalWorkerKilled kills the only worker of a campaign on this machine, several times: the command that
// started it goes on by itself. Then it shows the campaign without some of its points.
func TestCampaignLocalWorkerKilled(t *testing.T) {
	t.Parallel()
	k := newCampaignTest(t, nil)
	k.write("want.yaml", 1, 60, "")
	k.run("campaign", "submit", "want.yaml", "--dir", "want")
	cmd := k.command("campaign", "submit", "want.yaml", "--dir", "killed", "--chunk-time", "10ms")
	var said bytes.Buffer
	cmd.Stderr = &said
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
		t.Fatalf("%v: %s", err, &said)
	}
	if n := strings.Count(said.String(), "warning: the worker ended with signal: killed; another one goes on"); n != 3 {
		t.Errorf("it says\n%s", &said)
	}
	k.finish("killed", "want")
	if left := asXoptLeft(filepath.Join(k.home, "killed")); left > 0 {
		t.Errorf("%d processes are left", left)
	}
	k.partial("killed", k.run("campaign", "collect", "want"))
}

// partial takes away results of a campaign, and checks that collect says so and shows the others as they are.
func (k *campaignTest) partial(dir, whole string) {
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
		!strings.Contains(string(out), "--partial shows what is done") {
		k.Errorf("error %v: %s", err, out)
	}
	out := k.run("campaign", "collect", dir, "--partial")
	if n := strings.Count(out, "not computed"); n != missing || missing == 0 {
		k.Errorf("%d points are shown as not computed, want %d:\n%s", n, missing, out)
	}
	rows := make(map[string]bool) // by what varies and throughput: mappings may have other letters
	first := func(line string) string {
		words := strings.Fields(line)
		return strings.Join(words[:min(3, len(words))], " ")
	}
	for line := range strings.Lines(whole) {
		rows[first(line)] = true
	}
	for line := range strings.Lines(out) {
		if !strings.Contains(line, "not computed") && strings.Contains(line, "proc") && !rows[first(line)] {
			k.Errorf("%q is not a line of the whole campaign", line)
		}
	}
}

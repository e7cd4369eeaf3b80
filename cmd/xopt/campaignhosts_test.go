package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestCampaignHosts computes a campaign on two hosts, which are this one. One dies: it is named, the other computes its
// points, and the result is that of one machine.
func TestCampaignHosts(t *testing.T) {
	t.Parallel()
	k := newCampaignTest(t, nil)
	k.write("local.yaml", 1, 100, "")
	k.run("campaign", "submit", "local.yaml", "--dir", "local")
	k.write("hosts.yaml", 1, 100, "engine: ssh\nhosts: [a, b]\nlaunch: env AT={host}\n")
	cmd := k.command("campaign", "submit", "hosts.yaml", "--dir", "hosts")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	k.eventually("points and both workers", func() bool { return len(k.workers("hosts")) == 2 && k.count("hosts") > 0 })
	killed := 0
	for _, w := range k.workers("hosts") {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(w.By.PID), "environ"))
		if err == nil && strings.Contains("\x00"+string(text), "\x00AT=a\x00") {
			killed++
			if err := syscall.Kill(w.By.PID, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil || killed != 1 {
		t.Fatalf("killed %d, error %v: %s", killed, err, &said)
	}
	for _, want := range []string{
		"warning: host a: its worker was ended (signal: killed); the other hosts compute its points",
		"all 200 points are done",
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it says\n%s\nwant %q in it", &said, want)
		}
	}
	k.finish("hosts", "local")
}

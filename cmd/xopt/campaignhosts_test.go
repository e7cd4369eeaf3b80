package main

import (
	"strings"
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
	said := k.loseHost("hosts", "a", func(pid int) int { return pid })
	for _, want := range []string{
		"warning: host a: its worker was ended (signal: killed); the other hosts compute its points",
		"all 200 points are done",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it says\n%s\nwant %q in it", said, want)
		}
	}
	k.finish("hosts", "local")
}

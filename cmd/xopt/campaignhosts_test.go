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
	k.onHosts("env AT={host}", func(pid int) int { return pid },
		"warning: host a: its worker was ended (signal: killed); the other hosts compute its points")
}

// onHosts computes a campaign on the hosts a and b, has the process killed that of finds for the worker on a, and
// checks that this is said and that the result is that of one machine.
func (k *campaignTest) onHosts(launch string, of func(pid int) int, lost string) {
	k.Helper()
	k.write("local.yaml", 1, 100, "")
	k.run("campaign", "submit", "local.yaml", "--dir", "local")
	k.write("hosts.yaml", 1, 100, "engine: ssh\nhosts: [a, b]\nlaunch: "+launch+"\n")
	said := k.loseHost("hosts", "a", of)
	for _, want := range []string{lost, "all 200 points are done"} {
		if !strings.Contains(said, want) {
			k.Errorf("it says\n%s\nwant %q in it", said, want)
		}
	}
	k.finish("hosts", "local")
}

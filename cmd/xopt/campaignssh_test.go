package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"xopt/internal/testkit"
)

// sshServer starts a private ssh server on a port of this machine, with its own keys, and returns the launch command
// for it.
func sshServer(t *testing.T, home string) (launch string) {
	t.Helper()
	const program = "/usr/sbin/sshd"
	for _, p := range []string{program, "ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed (make setup installs it)", p)
		}
	}
	if os.Getuid() == 0 { // without its service, nobody has created its chroot folder
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skipf("a server of ssh cannot run here: %v", err)
		}
	}
	for _, key := range []string{"host", "user"} {
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
			filepath.Join(home, key)).CombinedOutput()
		if err != nil {
			t.Fatalf("ssh-keygen: %v: %s", err, out)
		}
	}
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listen.Addr().String()
	_ = listen.Close() // its port is for the server
	_, port, _ := net.SplitHostPort(address)
	testkit.Write(t, filepath.Join(home, "sshd_config"), fmt.Sprintf("ListenAddress %s\nHostKey %s/host\n"+
		"AuthorizedKeysFile %s/user.pub\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"+
		"KbdInteractiveAuthentication no\nPermitRootLogin yes\nAcceptEnv AT\n", address, home, home))
	config := ""
	for _, host := range []string{"a", "b"} {
		config += fmt.Sprintf("Host %s\n HostName 127.0.0.1\n Port %s\n IdentityFile %s/user\n IdentitiesOnly yes\n"+
			" UserKnownHostsFile %s/known\n StrictHostKeyChecking accept-new\n SetEnv AT=%s\n", host, port, home, home,
			host)
	}
	testkit.Write(t, filepath.Join(home, "ssh_config"), config)
	var output bytes.Buffer
	server := exec.Command(program, "-D", "-e", "-f", filepath.Join(home, "sshd_config"))
	server.Stderr = &output
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill() // it serves until then
		_ = server.Wait()
	})
	if !testkit.Eventually(func() bool {
		c, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = c.Close() // it was reached
		}
		return err == nil
	}) {
		t.Fatalf("the server of ssh is not reached: %s", &output)
	}
	return "ssh -F " + filepath.Join(home, "ssh_config") + " -o BatchMode=yes {host} {command}"
}

// TestCampaignSSH computes a campaign on two hosts through a real ssh server. One connection is lost: the host is
// named, its worker ends, the other host computes its points, and the result equals that of one machine.
func TestCampaignSSH(t *testing.T) {
	testkit.Long(t, "a server of ssh; TestCampaignHosts does the same without")
	t.Parallel()
	k := newCampaignTest(t, nil)
	k.onHosts(sshServer(t, k.home), parentOf,
		"warning: the worker on host a could not be reached, or its connection was lost (exit status 255); the other")
	if left := asXoptLeft(filepath.Join(k.home, "hosts")); left > 0 {
		t.Errorf("%d processes are left", left)
	}
}

// loseHost submits the campaign of a file with a name, kills the process that of finds for the worker on a host, and
// returns the output.
func (k *campaignTest) loseHost(name, host string, of func(pid int) int) string {
	k.Helper()
	cmd := k.command("campaign", "submit", name+".yaml", "--dir", name)
	var output bytes.Buffer
	cmd.Stderr = &output
	if err := cmd.Start(); err != nil {
		k.Fatal(err)
	}
	worker := 0
	k.eventually("a point, and the worker on "+host, func() bool {
		worker = k.workerOn(name, host)
		return worker > 0 && k.count(name) > 0
	})
	pid := of(worker)
	if pid < 2 { // it would mean many processes
		k.Fatalf("the process to be killed was not found for worker %d", worker)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		k.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		k.Fatalf("error %v: %s", err, &output)
	}
	return output.String()
}

// workerOn returns the process of the worker that computes a campaign on a host, by its environment; 0 for none.
func (k *campaignTest) workerOn(name, host string) int {
	for _, w := range k.workers(name) {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(w.By.PID), "environ"))
		if err == nil && strings.Contains("\x00"+string(text), "\x00AT="+host+"\x00") {
			return w.By.PID
		}
	}
	return 0
}

// parentOf returns the parent of a process; 0 if unknown.
func parentOf(pid int) int {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return parent
}

// TestCampaignHosts computes a campaign on two hosts, which are both this machine. One dies: it is named, the other
// computes its points, and the result equals that of one machine.
func TestCampaignHosts(t *testing.T) {
	testkit.Long(t, "workers are killed, and points computed twice")
	t.Parallel()
	k := newCampaignTest(t, nil)
	k.onHosts("env AT={host}", func(pid int) int { return pid },
		"warning: the worker on host a was stopped (signal: killed); the other hosts compute its points")
}

// onHosts computes a campaign on the hosts a and b, and kills the process that of finds for the worker on a. It
// checks the report of that, and that the result equals that of one machine.
func (k *campaignTest) onHosts(launch string, of func(pid int) int, lost string) {
	k.Helper()
	k.write("local.yaml", 1, 40, "")
	k.run("campaign", "submit", "local.yaml", "--dir", "local")
	k.write("hosts.yaml", 1, 40, "engine: ssh\nhosts: [a, b]\nlaunch: "+launch+"\n")
	output := k.loseHost("hosts", "a", of)
	for _, want := range []string{lost, "all 80 points are done"} {
		if !strings.Contains(output, want) {
			k.Errorf("it says\n%s\nwant %q in it", output, want)
		}
	}
	k.finish("hosts", "local")
}

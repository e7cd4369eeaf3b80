package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"xopt/bench/networks"
	"xopt/internal/testkit"
)

// lab returns hosts in network namespaces. It skips the test without permission to create them; any other failure is
// an error.
func lab(t *testing.T, hosts int, c networks.Cable) *networks.Lab {
	t.Helper()
	l, err := networks.NewLab(t.Context(), hosts, c)
	if errors.Is(err, networks.ErrRoot) {
		t.Skipf("%v: sudo go test ./cmd/xopt -run Namespaces", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// labFiles returns the paths of test1, of a machine with the hosts of a lab, and of a mapping for each list of
// kernels on the last host. The other kernels are on the first.
func labFiles(t *testing.T, l *networks.Lab, network string, there ...string) (app, arch string, maps []string) {
	t.Helper()
	dir := t.TempDir()
	hosts, addresses := "", ""
	for i, h := range l.Hosts() {
		hosts, addresses = fmt.Sprintf("%s, %q", hosts, h), fmt.Sprintf("%s, %q", addresses, l.Address(i))
	}
	arch = filepath.Join(dir, "arch.x")
	testkit.Write(t, arch, fmt.Sprintf("#include \"std.x\"\nresource proc[%d] is C (host=[%s], address=[%s]);\n"+
		"resource net is network ({ proc }%s);\n", len(l.Hosts()), hosts[2:], addresses[2:], network))
	for i, kernels := range there {
		here := slices.DeleteFunc([]string{"top.gen1", "top.gen2", "top.sum", "top.half", "top.store"},
			func(k string) bool { return slices.Contains(strings.Split(kernels, ", "), k) })
		path := filepath.Join(dir, fmt.Sprintf("m%d.map.x", i))
		testkit.Write(t, path, fmt.Sprintf("map { %s } to proc[1];\nmap { %s } to proc[%d];\n",
			strings.Join(here, ", "), kernels, len(l.Hosts())))
		maps = append(maps, path)
	}
	app, err := filepath.Abs("../../bench/apps/test1/app.x")
	if err != nil {
		t.Fatal(err)
	}
	return app, arch, maps
}

// xoptCommand returns the command that runs this program, as scripts do.
func xoptCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := exec.LookPath("xopt")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Dir = t.TempDir()
	return cmd
}

// TestNamespaces calibrates the network of two hosts and searches for a mapping, whose predictions must hold for runs
// in which the network is the bottleneck. The accuracy on a quiet machine is measured by xbench hosts. Data that
// arrived while a host had no processor may be consumed at once, faster than the cable.
func TestNamespaces(t *testing.T) {
	testkit.Long(t, "it calibrates a network")
	self, err := exec.LookPath("xopt")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := networks.Measure(t.Context(), networks.Options{Runs: 1, Window: 500 * time.Millisecond, Mappings: 3,
		Networks: []networks.Network{{Hosts: 2, Cable: networks.Cable{Bits: 80e6}}}, Seed: 1, Budget: 2 * time.Second,
		Command: []string{self, "part"}, Version: version()})
	if errors.Is(err, networks.ErrRoot) {
		t.Skipf("%v: sudo go test ./cmd/xopt -run Namespaces", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &cases[0]
	if c.Bandwidth < 7e6 || c.Bandwidth > 10e6 || !(c.Latency > 0) || !(c.Send > 0) || !(c.Receive > 0) {
		t.Errorf("calibrated: %+v", c)
	}
	if len(c.Mappings) != 3 || !c.Mappings[0].First || !c.Mappings[0].Allowed {
		t.Errorf("mappings: %+v", c.Mappings)
	}
	for _, m := range c.Mappings {
		t.Logf("%s: predicted %.4g, measured %.4g MB/s", m.Text, m.Predicted/1e6, m.Measured/1e6)
		if m.Fail != "" || !(m.Measured > 0) {
			t.Errorf("%s: predicted %.4g, measured %.4g MB/s %s", m.Text, m.Predicted/1e6, m.Measured/1e6, m.Fail)
		}
	}
	median, _ := c.Median()
	t.Logf("the median error is %.1f %%, the first choice %.1f %% below the best", 100*median, 100*c.Choice())
}

// slowCable returns a cable with a delay, so that it can stall.
func slowCable() networks.Cable { return networks.Cable{Bits: 80e6, Delay: time.Millisecond} }

// networkFault is a fault of an endless run over two hosts, with the expected message.
type networkFault struct {
	name  string
	cable networks.Cable
	env   []string // of the run
	do    func(t *testing.T, l *networks.Lab, run *exec.Cmd)
	text  []string // one of these must be printed
}

// networkFaults returns the faults that occur only between hosts.
func networkFaults() []networkFault {
	nothing := func(*testing.T, *networks.Lab, *exec.Cmd) {}
	return []networkFault{
		{"link down", networks.Cable{}, nil, func(t *testing.T, l *networks.Lab, _ *exec.Cmd) {
			if err := l.Unplug(t.Context(), 0); err != nil {
				t.Error(err)
			}
		}, []string{"timed out", "No route to host", "unreachable"}},
		{"link stalled", slowCable(), nil, func(t *testing.T, l *networks.Lab, _ *exec.Cmd) {
			if err := l.Stall(); err != nil {
				t.Error(err)
			}
		}, []string{"timed out"}},
		{"host killed", networks.Cable{}, nil, func(t *testing.T, l *networks.Lab, _ *exec.Cmd) {
			kill(t, l, 1)
		}, []string{"xopt's process ended"}},
		{"control killed", networks.Cable{}, nil, func(t *testing.T, _ *networks.Lab, run *exec.Cmd) {
			if err := run.Process.Kill(); err != nil {
				t.Error(err)
			}
		}, nil},
		{"disk full at once", networks.Cable{}, []string{"SMALL=16k"}, nothing, []string{"no space left on device"}},
		{"disk full later", networks.Cable{}, []string{"SMALL=4m"}, nothing, []string{"No space left on device"}},
	}
}

// kill ends all processes of a host, like its end.
func kill(t *testing.T, l *networks.Lab, host int) {
	t.Helper()
	pids, err := l.Processes(t.Context(), host)
	if err != nil || len(pids) == 0 {
		t.Fatalf("processes %v: %v", pids, err)
	}
	if out, err := exec.Command("kill", append([]string{"-9"}, pids...)...).CombinedOutput(); err != nil {
		t.Logf("kill: %v: %s", err, out) // one may have ended meanwhile
	}
}

// launcher starts a command on a host. With SMALL set, the last host has a disk of that size for temporary files.
const launcher = `host=$1; command=$2
case "$host" in
*-2) if [ "$SMALL" ]; then
    command="mount -t tmpfs -o size=$SMALL none $SMALL_AT && TMPDIR=$SMALL_AT && export TMPDIR && $command"
fi ;;
esac
exec ip netns exec "$host" sh -c "$command"
`

// TestNamespacesFaults checks for each fault of a host or the network that the run ends, that the host or edge is
// named, and that no process is left on either host.
func TestNamespacesFaults(t *testing.T) {
	testkit.Long(t, "TCP takes its time to give a connection up")
	for _, f := range networkFaults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			l := lab(t, 2, f.cable)
			app, arch, maps := labFiles(t, l, `, bandwidth="10MB/s"`, "top.sum, top.half, top.store")
			dir := t.TempDir()
			testkit.Write(t, filepath.Join(dir, "launch"), launcher)
			run := xoptCommand(t, "deploy", app, arch, maps[0], "--elements", "100000000000", "--sink",
				filepath.Join(dir, "out"), "--launch", "sh "+filepath.Join(dir, "launch")+" {host} {command}")
			small := filepath.Join(dir, "small")
			if err := os.Mkdir(small, 0o755); err != nil {
				t.Fatal(err)
			}
			run.Env = append(append(os.Environ(), "SMALL_AT="+small), f.env...)
			var output strings.Builder
			run.Stdout, run.Stderr = &output, &output
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			if len(f.env) == 0 && !testkit.Eventually(func() bool { return goingOn(t, l) }) {
				t.Error("the run does not begin")
			}
			first := time.Now()
			f.do(t, l, run)
			err := run.Wait()
			t.Logf("ended after %v", time.Since(first).Round(time.Millisecond))
			for i := range l.Hosts() {
				if !testkit.Eventually(func() bool {
					pids, err := l.Processes(t.Context(), i)
					return err == nil && len(pids) == 0
				}) {
					t.Errorf("processes are left on host %d", i+1)
				}
			}
			names := func(text string) bool { return strings.Contains(output.String(), text) }
			if err == nil || f.text != nil && (!names(l.Hosts()[1]) && !names("kernel top.store") ||
				!slices.ContainsFunc(f.text, names)) {
				t.Errorf("%v\n%s", err, output.String())
			}
		})
	}
}

// goingOn reports whether both hosts run more processes than their parts, and waits until they may have sent
// something.
func goingOn(t *testing.T, l *networks.Lab) bool {
	for i := range l.Hosts() {
		// Its part, its kernels, and the process that carries edges.
		if pids, err := l.Processes(t.Context(), i); err != nil || len(pids) < 3 {
			return false
		}
	}
	time.Sleep(500 * time.Millisecond)
	return true
}

// TestDeploySSH runs a mapping over two hosts through a real ssh server. Its output equals that of one host. If the
// part of a host is killed, the run ends and reports it.
func TestDeploySSH(t *testing.T) {
	testkit.Long(t, "a server of ssh; the script hosts does the same without")
	t.Parallel()
	dir := t.TempDir()
	launch := sshServer(t, dir)
	app, err := filepath.Abs("../../bench/apps/test1/app.x")
	if err != nil {
		t.Fatal(err)
	}
	one, two := filepath.Join(dir, "one.x"), filepath.Join(dir, "two.x")
	testkit.Write(t, one, "#include \"std.x\"\nresource proc is C;\nmap { top } to proc;\n")
	testkit.Write(t, two, `#include "std.x"
resource proc[2] is C (host=["a", "b"], address=["127.0.0.1", "127.0.0.2"]);
resource net is network ({ proc }, bandwidth="100MB/s");
map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store } to proc[2];
`)
	outputs := make([]string, 2)
	for i, machine := range []string{one, two} {
		path := filepath.Join(dir, fmt.Sprintf("out%d", i))
		args := []string{"deploy", app, machine, "--elements", "3000", "--sink", path}
		if i == 1 {
			args = append(args, "--launch", launch)
		}
		if output, err := xoptCommand(t, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		outputs[i] = string(text)
	}
	if outputs[0] != outputs[1] || outputs[0] == "" {
		t.Errorf("the outputs differ: %d bytes on one host, %d on two", len(outputs[0]), len(outputs[1]))
	}
	run := xoptCommand(t, "deploy", app, two, "--elements", "100000000000", "--launch", launch)
	var output strings.Builder
	run.Stdout, run.Stderr = &output, &output
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	var part int
	if !testkit.Eventually(func() bool { part = partOn("b"); return part > 1 }) {
		t.Fatalf("no part of host b was found\n%s", output.String())
	}
	time.Sleep(time.Second)
	if out, err := exec.Command("kill", "-9", fmt.Sprint(part)).CombinedOutput(); err != nil {
		t.Errorf("kill: %v: %s", err, out)
	}
	if err := run.Wait(); err == nil || !strings.Contains(output.String(), "host b") {
		t.Errorf("%v\n%s", err, output.String())
	}
	for _, host := range []string{"a", "b"} {
		if !testkit.Eventually(func() bool { return partOn(host) == 0 }) {
			t.Errorf("the part of host %s is left", host)
		}
	}
}

// partOn returns the process of a run's part on a host of sshServer; 0 for none.
func partOn(host string) int {
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, e := range entries {
		environment, err := os.ReadFile(e)
		command, cerr := os.ReadFile(filepath.Join(filepath.Dir(e), "cmdline"))
		pid, perr := strconv.Atoi(filepath.Base(filepath.Dir(e)))
		if errors.Join(err, cerr, perr) == nil && strings.HasSuffix(string(command), "/xopt\x00part\x00") &&
			strings.Contains("\x00"+string(environment), "\x00AT="+host+"\x00") {
			return pid
		}
	}
	return 0
}

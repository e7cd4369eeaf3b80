package run

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/wire"
	"xopt/flow/design"
	"xopt/internal/testkit"
)

// partWord is the argument by which the program of these tests is a part of a run over hosts.
const partWord = "be-a-part"

// TestMain lets runs over hosts start their parts.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == partWord {
		if err := Part(context.Background(), os.Stdin, os.Stdout, os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// overHosts returns limits for a run whose hosts are this machine.
func overHosts(t *testing.T) Options {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Parts: &Parts{Command: []string{self, partWord, "v"}, Version: "v"}, Stall: 20 * time.Second}
}

// threeHosts is an architecture of three hosts on the loopback interface. The first one has two cores.
const threeHosts = `
resource a[2] is C (host="localhost", address="127.0.0.1");
resource b is C (host="127.0.0.2");
resource c is C (host="127.0.0.3");
resource mem is memory ({ a }, bandwidth="10GB/s");
resource net is network ({ a, b, c }, bandwidth="1GB/s");
`

// TestHostsAgree: for all assignments of test1 to hosts, and with small buffers, the output equals that of a run
// without hosts, and every element is counted.
func TestHostsAgree(t *testing.T) {
	t.Parallel()
	const elements = 2000
	out := filepath.Join(t.TempDir(), "here")
	deploy(t, load(t, test1, "app.x arch.x", "map { top } to proc[1];"), program.Options{Elements: elements,
		Output: out},
		Options{Stall: 20 * time.Second})
	want, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for i, mapping := range []string{
		"map { top } to b;",
		"map { top.gen1, top.gen2 } to a[1]; map { top.sum, top.half, top.store } to b;",
		"map { top.gen1 } to a[1]; map { top.gen2, top.half } to b; map { top.sum } to c; map { top.store } to a[2];",
		"map { top.gen1, top.store } to a[1]; map { top.gen2 } to a[2]; map { top.sum } to b; map { top.half } to c; " +
			"buffer { top.e1, top.e2, top.e3, top.e4 } = 1;",
	} {
		for _, style := range []program.Style{program.PerCore, program.PerKernel} {
			out := filepath.Join(t.TempDir(), "out")
			d := load(t, test1, "app.x", threeHosts+mapping)
			m := deploy(t, d, program.Options{Elements: elements, Output: out, Style: style,
				Taps: allTaps(d)}, overHosts(t))
			if m.Failure != nil {
				t.Fatalf("mapping %d: %v", i, m.Failure)
			}
			got, err := os.ReadFile(out)
			if err != nil || sha256.Sum256(got) != sha256.Sum256(want) {
				t.Errorf("mapping %d, per %s: another output of %d bytes, %v", i, style, len(got), err)
			}
			for _, e := range m.Edges {
				if e.Elements != elements || e.Left != 0 || e.MaxOccupancy > uint64(e.Capacity) {
					t.Errorf("mapping %d: edge %s carried %+v", i, e.Edge, e)
				}
			}
			for j := range m.Taps {
				x := &m.Taps[j]
				// The offset of two hosts' clocks is known to half of the round-trip time of a message.
				if x.Kind == program.Latency && (x.Total.Samples == 0 || x.Total.Min < -.01 || x.Total.Max > 10) {
					t.Errorf("mapping %d: latency of edge %d is from %g to %g s in %d samples", i, x.Edge, x.Total.Min,
						x.Total.Max, x.Total.Samples)
				}
			}
		}
	}
}

// allTaps returns the taps that deploy builds in.
func allTaps(d *design.Design) []program.Tap {
	paths, _ := program.PathTaps(d.Program, 7)
	return append(program.StandardTaps(d.Program, 7), paths...)
}

// onHosts returns an application of testdata, without its machine and its mapping, on three hosts.
func onHosts(t *testing.T, dir, more string) *design.Design {
	t.Helper()
	to := t.TempDir()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no files: %v", dir, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if filepath.Base(name) == "app.x" {
			lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(line string) bool {
				return strings.HasPrefix(line, "resource ") || strings.HasPrefix(line, "map ")
			})
			text = []byte(strings.Join(lines, "") + threeHosts + more)
		}
		if err := errors.Join(err, os.WriteFile(filepath.Join(to, filepath.Base(name)), text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return load(t, to, "app.x", "")
}

// separateMapping maps the three kernels of an application of testdata to one host each.
const separateMapping = "map { top.g } to a[1]; map { top.f } to b; map { top.s } to c;"

// TestHostsBroadcast: edges of one port that lead to several hosts.
func TestHostsBroadcast(t *testing.T) {
	t.Parallel()
	d := load(t, "../../bench/apps/broadcast", "app.x", threeHosts+"map { top.source, top.scale } to a[1]; "+
		"map { top.sum } to b; map { top.peak } to c; map { top.store } to a[2]; buffer { top.topeak } = 3;")
	m := deploy(t, d, program.Options{Elements: 2000}, overHosts(t))
	for _, e := range m.Edges {
		if m.Failure != nil || e.Elements != 2000 || e.Left != 0 {
			t.Errorf("edge %s carried %+v (%v)", e.Edge, e, m.Failure)
		}
	}
}

// TestHostsRefused: options that are impossible over hosts are refused before anything is built.
func TestHostsRefused(t *testing.T) {
	d := load(t, "../../bench/apps/agc", "app.x", `resource a is C (host="localhost");
resource b is C (host="127.0.0.2"); resource net is network ({ a, b }, bandwidth="1GB/s");
map { top } to a;`)
	for k := range d.Mapping.Place {
		d.Mapping.Place[k] = k % 2
	}
	_, err := program.Describe(d, program.Options{})
	if err == nil || !strings.Contains(err.Error(), "map all kernels of the loop to one host") {
		t.Errorf("error %v", err)
	}
}

// TestStaysOnHost: an edge between two cores of a host that the mapping sends over the network is carried in memory,
// with a note.
func TestStaysOnHost(t *testing.T) {
	for _, c := range []struct {
		more  string
		notes int
	}{{"", 0}, {"map { top.e1 } to net;", 1}} {
		half := strings.Replace(threeHosts, `bandwidth="1GB/s"`, `bandwidth="1GB/s", duplex="half"`, 1)
		d := load(t, test1, "app.x", half+"map { top.gen1, top.gen2 } to a[1]; "+
			"map { top.sum, top.half, top.store } to a[2];"+c.more)
		described, err := program.Describe(d, program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, note := range described.Notes {
			if note.ID == faults.EdgeStaysOnHost && strings.Contains(note.Text, "edge top.e1 ") {
				found++
			}
		}
		if found != c.notes {
			t.Errorf("%q: notes %q, want %d", c.more, described.Notes, c.notes)
		}
	}
}

// faultsOverHosts returns the application of injected faults, its kernels on three hosts.
func faultsOverHosts(t *testing.T) *program.Program {
	t.Helper()
	// smaller than the data sent
	d := onHosts(t, "testdata/faults", separateMapping+` buffer { top.e1, top.e2 } = "64KiB";`)
	prog, err := program.New(t.Context(), d, program.Options{Elements: 100000}, filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// TestHostsFaults: a fault of a kernel is reported as on one host, and nothing is left on any of them.
func TestHostsFaults(t *testing.T) {
	prog := faultsOverHosts(t)
	cases := injectedFaults()
	if testing.Short() {
		cases = ofEachKind(cases)
	}
	temp := t.TempDir()
	t.Run("all", func(t *testing.T) {
		for _, c := range cases {
			if strings.Contains(c.fault, ":stop") {
				continue // as a host that is silent
			}
			t.Run(c.fault, func(t *testing.T) {
				t.Parallel()
				limits := overHosts(t)
				limits.Env = []string{"FAULT=" + c.fault, "TMPDIR=" + temp}
				if c.kind == "hang" || c.kind == "deadlock" {
					limits.Stall = 3 * time.Second
				}
				m, err := Once(t.Context(), prog, limits)
				if err != nil {
					t.Fatal(err)
				}
				checkNoFault(t, c.fault)
				c.check(t, m.Failure)
			})
		}
	})
}

// endless runs the application of faults without an end, and calls a function once it is going.
func endless(t *testing.T, limits Options, then func()) (*Measurement, time.Duration, error) {
	t.Helper()
	d := onHosts(t, "testdata/pipeline", separateMapping)
	prog, err := program.New(t.Context(), d, program.Options{Elements: 1 << 50}, filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan time.Time, 1)
	limits.Frame = 100 * time.Millisecond
	limits.OnFrame = func(f *FrameData) {
		if f.Frame == 2 {
			begun <- time.Now()
			then()
		}
	}
	m, err := Once(t.Context(), prog, limits)
	elapsed := time.Duration(0)
	select {
	case at := <-begun:
		elapsed = time.Since(at)
	default:
		t.Error("the run did not go")
	}
	return m, elapsed, err
}

// marked finds the processes of this test: those with a variable in their environment.
func marked(mark string) []int {
	var found []int
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, e := range entries {
		text, err := os.ReadFile(e)
		if id, nerr := strconv.Atoi(filepath.Base(filepath.Dir(e))); err == nil && nerr == nil && id != os.Getpid() &&
			slices.Contains(strings.Split(string(text), "\x00"), mark) {
			found = append(found, id)
		}
	}
	return found
}

// TestHostDies: a part that is killed, and one that goes silent, end the run; their host is named, and nothing is
// left running.
func TestHostDies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		text   string
	}{
		{"killed", syscall.SIGKILL, "host 127.0.0.2: xopt's process ended"},
		{"silent", syscall.SIGSTOP, "host 127.0.0.2 has been silent for"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			limits := overHosts(t)
			mark := "XOPT_TEST_HOST=" + t.Name()
			limits.Parts.Launch = func(host string, command []string) ([]string, error) {
				return append([]string{"env", mark, mark + host}, command...), nil
			}
			m, elapsed, err := endless(t, limits, func() {
				for _, id := range marked(mark + "127.0.0.2") {
					name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", id))
					if strings.Contains(string(name), partWord) {
						_ = syscall.Kill(id, c.signal)
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if m.Failure == nil || m.Failure.Kind != "host" || !strings.Contains(m.Failure.Text, c.text) {
				t.Errorf("failure %v, want %q in it", m.Failure, c.text)
			}
			t.Logf("ended after %v", elapsed)
			if !testkit.Eventually(func() bool { return len(marked(mark)) == 0 }) {
				t.Errorf("processes %v are left", marked(mark))
			}
		})
	}
}

// TestControlDies: when the control of a run is gone, or stops, parts end by themselves, with all that they started.
func TestControlDies(t *testing.T) {
	t.Parallel()
	limits := overHosts(t)
	mark := "XOPT_TEST_HOST=" + t.Name()
	limits.Parts.Launch = func(_ string, command []string) ([]string, error) {
		return append([]string{"env", mark}, command...), nil
	}
	var parts []*exec.Cmd
	var pipes []io.Closer
	for range 2 { // a part whose control connection is silent, and one whose control connection closes
		command, _ := limits.Parts.Launch("", limits.Parts.Command)
		cmd := exec.Command(command[0], command[1:]...)
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		parts, pipes = append(parts, cmd), append(pipes, in)
	}
	_ = pipes[1].Close()
	for i, p := range parts {
		if err := p.Wait(); err == nil {
			t.Errorf("part %d ended as if nothing had happened", i)
		}
	}
	if left := marked(mark); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}

// TestInterruptedOverHosts: a run that is interrupted ends everywhere.
func TestInterruptedOverHosts(t *testing.T) {
	t.Parallel()
	limits := overHosts(t)
	mark := "XOPT_TEST_HOST=" + t.Name()
	limits.Parts.Launch = func(_ string, command []string) ([]string, error) {
		return append([]string{"env", mark}, command...), nil
	}
	limits.Time = 500 * time.Millisecond
	m, _, err := endless(t, limits, func() {})
	if err != nil || m.Failure == nil || m.Failure.Kind != "stopped" || m.Throughput == 0 {
		t.Errorf("ended with %v (%v)", m, err)
	}
	if !testkit.Eventually(func() bool { return len(marked(mark)) == 0 }) {
		t.Errorf("processes %v are left", marked(mark))
	}
}

// TestPartsThatAreNone: an answer from something else than a part is an error.
func TestPartsThatAreNone(t *testing.T) {
	t.Parallel()
	prog := faultsOverHosts(t)
	own := overHosts(t).Parts.Command
	for _, c := range []struct {
		name    string
		command []string
		text    string
	}{
		{"another program", []string{"echo", "Welcome to node1"}, `does not come from xopt part: "Welcome to node1"`},
		{"nothing", []string{"false"}, "host localhost: starting xopt with false: EOF"},
		{"not there", []string{"/nowhere/xopt"}, "no such file"},
		{"another version", append(slices.Clone(own[:2]), "w"), "the xopt versions differ"},
		{"dies at once", []string{"sh", "-c", `echo "xopt part 1 v linux/` + runtime.GOARCH +
			`"; echo out of luck >&2`}, "out of luck"},
	} {
		limits := overHosts(t)
		limits.Parts.Command = c.command
		if _, err := Once(t.Context(), prog, limits); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.text)
		}
	}
}

// TestStrangers: unknown programs that connect to a host are rejected and reported. The peer is accepted after them,
// whatever their number and duration.
func TestStrangers(t *testing.T) {
	t.Parallel()
	prog := faultsOverHosts(t).Description()
	secret, other := make([]byte, wire.SecretBytes), make([]byte, wire.SecretBytes)
	other[0] = 1
	for _, c := range []struct {
		name  string
		calls int
		call  func(c net.Conn)
	}{
		{"garbage", 3, func(c net.Conn) { _, _ = c.Write([]byte(strings.Repeat("GET / HTTP/1.1\r\n", 20))) }},
		{"another secret", 2, func(c net.Conn) {
			if err := wire.Offer(c, other, 0); !errors.Is(err, wire.ErrStranger) {
				t.Errorf("the stranger was told %v", err)
			}
		}},
		{"gone at once", 5, func(net.Conn) {}},
		{"silence", 3 * maxCallers, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPeers(&greeting{Program: *prog, Host: 1, Secret: secret})
			p.out = nil
			address, err := p.listen()
			if err != nil {
				t.Fatal(err)
			}
			defer p.close()
			go func() {
				for range c.calls {
					conn, err := net.Dial("tcp", address)
					if err != nil {
						t.Error(err)
						return
					}
					if c.call == nil { // it stays
						t.Cleanup(func() { _ = conn.Close() })
						continue
					}
					c.call(conn)
					_ = conn.Close()
				}
				for _, e := range p.in {
					conn, err := net.Dial("tcp", address)
					if err == nil {
						err = wire.Offer(conn, secret, e)
						t.Cleanup(func() { _ = conn.Close() })
					}
					if err != nil {
						t.Errorf("the peer was refused: %v", err)
					}
				}
			}()
			conns, refused, err := p.connect(t.Context(), nil)
			if err != nil || len(conns) != len(p.in) {
				t.Fatalf("%d of %d connections, error %v", len(conns), len(p.in), err)
			}
			for _, conn := range conns {
				_ = conn.Close()
			}
			text := strangersText(&refused)
			if refused.Count == 0 || !strings.Contains(text, "from 127.0.0.1:") || len(refused.From) > maxNamed {
				t.Errorf("reported: %+v, %s", refused, text)
			}
		})
	}
}

// TestPeerLost: a peer that offers an edge that does not lead here ends the run. So does a missing peer; the error
// then names the unknown connections.
func TestPeerLost(t *testing.T) {
	t.Parallel()
	prog := faultsOverHosts(t).Description()
	secret := make([]byte, wire.SecretBytes)
	for _, c := range []struct {
		name, text string
		call       func(c net.Conn)
	}{
		{"an edge that leads elsewhere", "offers edge 1, but this edge does not lead to this host",
			func(c net.Conn) { _ = wire.Offer(c, secret, 1) }},
		{"a stranger alone", "1 connection from 127.0.0.1:",
			func(c net.Conn) { _, _ = c.Write([]byte(strings.Repeat("GET / HTTP/1.1\r\n", 20))) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPeers(&greeting{Program: *prog, Host: 1, Secret: secret})
			p.out, p.patience = nil, 2*time.Second
			address, err := p.listen()
			if err != nil {
				t.Fatal(err)
			}
			defer p.close()
			go func() {
				if conn, err := net.Dial("tcp", address); err == nil {
					defer conn.Close()
					c.call(conn)
				}
			}()
			if _, _, err = p.connect(t.Context(), nil); err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want %q in it", err, c.text)
			}
		})
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"xopt/cmd/internal/checkpoint"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
	"xopt/internal/testkit"
	"xopt/mapper"
	mapperfaults "xopt/mapper/faults"
	"xopt/mapper/result"
)

// manyKernels is a chain of 300 kernels on 12 cores, which no search exhausts during a test.
const manyKernels = `
#include "std.x"
block G { output UNSIGNED8 y; };
block F { input UNSIGNED8 x; output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top {
    G g; F f[300]; S s;
    g -> f[1].x;
    f[1..299].y -> f[2..300].x;
    f[300].y -> s.x;
};
resource proc[12] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
impl G on C (mu="1GB/s");
impl F on C (mu="100MB/s", gain=1);
impl S on C (mu="1GB/s");
`

// TestInterrupt sends signals to a running search. The best mapping so far must be printed and saved, and the exit
// code must show the interruption.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "many.x"), []byte(manyKernels), 0o644); err != nil {
				t.Fatal(err)
			}
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			// If the test runs under nohup, the search must not inherit that.
			handled := make(chan os.Signal, 1)
			signal.Notify(handled, sig)
			defer signal.Stop(handled)
			var stdout, stderr bytes.Buffer
			cmd := exec.Command(self)
			cmd.Args = []string{"xopt", "search", "many.x", "--time", "10m"} // see TestMain
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if !testkit.Eventually(func() bool { return busy(cmd.Process.Pid) }) {
				t.Error("the search does not begin")
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			err = cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
				t.Fatalf("ended with %v, want exit code %d\n%s", err, exitInterrupted, stderr.String())
			}
			if !strings.Contains(stdout.String(), "interrupted") || !strings.Contains(stdout.String(), "Best  ") {
				t.Errorf("the best so far is not printed:\n%.300s", stdout.String())
			}
			if n := strings.Count(stdout.String()+stderr.String(), "--resume"); n != 1 {
				t.Errorf("the command to continue is printed %d times:\n%s%s", n, stdout.String(), stderr.String())
			}
			for _, name := range []string{"many.result.json", "many.1.map.x", "many.checkpoint.json"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			}
			left, err := filepath.Glob(filepath.Join(dir, ".*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// TestKilledSearch kills a search and resumes it from its checkpoint. The result must not be worse than the
// checkpoint's best.
func TestKilledSearch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "many.x"), []byte(manyKernels), 0o644); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = []string{"xopt", "search", "many.x", "--time", "10m", "--checkpoint", "100ms"} // see TestMain
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "many.checkpoint.json")
	var kept struct{ Done *mapper.State }
	if !testkit.Eventually(func() bool {
		data, err := os.ReadFile(path)
		return err == nil && json.Unmarshal(data, &kept) == nil && kept.Done != nil &&
			len(kept.Done.Chains[0].Board) > 0
	}) {
		t.Error("no checkpoint is written")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &kept); err != nil {
		t.Fatalf("the checkpoint is damaged: %v", err)
	}
	d := manyDesign(t, filepath.Join(dir, "many.x"))
	best := kept.Done.Found[kept.Done.Chains[0].Board[0]]
	scorer, err := flow.NewScorer(d.Problem, &flow.Mapping{Place: best.Place, Route: best.Route})
	if err != nil {
		t.Fatal(err)
	}
	again := exec.Command(self)
	again.Args = []string{"xopt", "search", "many.x", "--evals", fmt.Sprint(kept.Done.Evals + 1000), "--resume"}
	again.Dir = dir
	out, err := again.CombinedOutput()
	if err != nil {
		t.Fatalf("resuming: %v\n%s", err, out)
	}
	if !strings.Contains(string(out), "resumed from many.checkpoint.json") || !strings.Contains(string(out), "2 runs") {
		t.Errorf("it does not say that it was resumed:\n%.600s", out)
	}
	f, err := os.Open(filepath.Join(dir, "many.result.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := result.Decode("many.result.json", f)
	if err != nil {
		t.Fatal(err)
	}
	if got, had := float64(r.Candidates[0].Throughput), scorer.Throughput(); got < had*(1-1e-9) {
		t.Errorf("the resumed search has %g B/s, the checkpoint had %g", got, had)
	}
}

// manyDesign loads one X file.
func manyDesign(t *testing.T, path string) *design.Design {
	t.Helper()
	a := app{stdout: safetext.NewWriter(io.Discard), stderr: safetext.NewWriter(io.Discard)}
	d, err := a.design(t.Context(), []string{path}, design.ForSearch)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// busy reports whether a process has used a third of a second of processor time, and so is in its search.
func busy(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// Field 14 is user time in ticks of 10 ms; field 2 ends with a bracket.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const userTime = 14 - 3
	if len(fields) <= userTime {
		return false
	}
	ticks, err := strconv.Atoi(fields[userTime])
	return err == nil && ticks > 33
}

// TestKilled kills a running deployment. Its processes must end with it.
func TestKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join("..", "..", "bench", "apps", "test1")
	temp := t.TempDir()
	cmd := exec.Command(self)
	cmd.Args = []string{"xopt", "deploy", "app.x", "arch.x", "map.x", "--elements", "1000000000000"} // see TestMain
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+temp)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !testkit.Eventually(func() bool { return running(temp) == 2 }) {
		t.Errorf("%d processes of the application, want 2", running(temp))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if !testkit.Eventually(func() bool { return running(temp) == 0 }) {
		t.Errorf("%d processes outlive xopt", running(temp))
	}
}

// running counts the processes whose program is in a folder.
func running(folder string) int {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return -1
	}
	n := 0
	for _, l := range links {
		if target, err := os.Readlink(l); err == nil && strings.HasPrefix(target, folder) {
			n++
		}
	}
	return n
}

// TestKilledLeftovers kills a calibration. The next command that builds something must remove its temporary files,
// also those next to its outputs.
func TestKilledLeftovers(t *testing.T) {
	testkit.Tool(t, "cc", "gcc")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	app, err := filepath.Abs(filepath.Join("..", "..", "bench", "apps", "test1"))
	if err != nil {
		t.Fatal(err)
	}
	dir, temp := t.TempDir(), t.TempDir()
	start := func(args ...string) *exec.Cmd {
		t.Helper()
		cmd := exec.Command(self)
		// see TestMain
		cmd.Args = []string{"xopt", args[0], filepath.Join(app, "app.x"), filepath.Join(app, "arch.x"),
			filepath.Join(app, "map.x")}
		cmd.Args, cmd.Dir = append(cmd.Args, args[1:]...), dir
		cmd.Env = append(os.Environ(), "TMPDIR="+temp)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	left := func() []string {
		list, err := filepath.Glob(filepath.Join(temp, "xopt-*"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	cmd := start("calibrate", "-o", "p.profile.json")
	if !testkit.Eventually(func() bool { return len(left()) >= 2 }) { // of the calibration and of a build
		t.Errorf("only %q are made", left())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if len(left()) == 0 {
		t.Error("the calibration left nothing: this test shows nothing")
	}
	beside, err := output.CreateTemp(filepath.Join(dir, "r.json"))
	if err != nil {
		t.Fatal(err)
	}
	folder, name := filepath.Split(beside.Name()) // a number in the folder's name may contain that of this process
	own, killed := fmt.Sprintf("-%d-", os.Getpid()), fmt.Sprintf("-%d-", cmd.Process.Pid)
	stale := folder + strings.Replace(name, own, killed, 1)
	if err := errors.Join(beside.Close(), os.Rename(beside.Name(), stale)); err != nil {
		t.Fatal(err)
	}
	if err := start("deploy", "--elements", "5", "-o", "r.json").Wait(); err != nil {
		t.Error(err)
	}
	hidden, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(hidden)+len(left()) > 0 {
		t.Errorf("left behind: %q %q, %v", left(), hidden, err)
	}
}

// TestInterruptedWhileReading runs commands whose context ends before they have read their files: they end without an
// answer.
func TestInterruptedWhileReading(t *testing.T) {
	paths, err := bigApp{Shape: bigChain, Kernels: 20, Arrays: true, Cores: 2}.Write().Save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, command := range []string{"check", "eval", "buffers"} {
		var stdout, stderr bytes.Buffer
		if code := run(ctx, append([]string{command}, paths...), &stdout, &stderr); code != exitInterrupted {
			t.Errorf("%s ends with exit code %d, want %d\n%s", command, code, exitInterrupted, stderr.String())
		}
		if stdout.Len() > 0 {
			t.Errorf("%s prints an answer: %s", command, stdout.String())
		}
	}
	if code := run(ctx, append([]string{"search"}, paths[:2]...), io.Discard, io.Discard); code != exitInterrupted {
		t.Errorf("search ends with exit code %d, want %d", code, exitInterrupted)
	}
}

// TestInterruptedBuffers checks that an evaluation that is interrupted while it simulates the buffers keeps its
// prediction, with a warning.
func TestInterruptedBuffers(t *testing.T) {
	a := newApp(io.Discard, io.Discard)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, err := a.withBuffers(ctx, nil, &result.Candidate{Throughput: 5})
	if err != nil || a.code != exitInterrupted {
		t.Fatalf("exit code %d, want %d; %v", a.code, exitInterrupted, err)
	}
	if c.Throughput != 5 || len(c.Warnings) != 1 || c.Warnings[0].ID != mapperfaults.BuffersNotSimulated {
		t.Errorf("got %+v", c)
	}
}

// TestInterruptedReport checks that a cancelled report writes no file and ends with the code of an interruption.
func TestInterruptedReport(t *testing.T) {
	folder := t.TempDir()
	path, page := filepath.Join(folder, "a.result.json"), filepath.Join(folder, "a.html")
	if err := os.WriteFile(path, []byte(`{"schema": 1, "tool": "xopt", "application": "top"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for want := range map[int]bool{0: true, exitInterrupted: true} {
		_ = os.Remove(page)
		use := t.Context()
		if want != 0 {
			use = ctx
			cancel()
		}
		var stderr bytes.Buffer
		code := run(use, []string{"report", path, "-o", page}, io.Discard, &stderr)
		if _, err := os.Stat(page); code != want || (err == nil) != (want == 0) {
			t.Errorf("exit code %d, want %d; page: %v\n%s", code, want, err, stderr.String())
		}
	}
}

// TestInterruptedCompiler interrupts a validation while a compiler runs that never ends. The command must end with
// all processes of the compiler.
func TestInterruptedCompiler(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	for name, text := range map[string]string{
		"cc": "#!/bin/sh\ncase \"$*\" in *--version*) echo slow 1; exit;; esac\nsleep 300 & echo $! > '" + started +
			".new'; mv '" + started + ".new' '" + started + "'; wait\n",
		"f.c": "\n",
		"app.x": `#include "std.x"
block G { output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top { G g; S s; g.y -> s.x; };
platform C { impl G (src="f.c"); impl S (src="f.c"); };
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
impl G on C (mu="1GB/s");
impl S on C (mu="1GB/s");
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(self)
	cmd.Args = []string{"xopt", "validate", "app.x", "--cache", filepath.Join(dir, "cache")} // see TestMain
	cmd.Dir, cmd.Stderr, cmd.Env = dir, &stderr, append(os.Environ(), "CC="+filepath.Join(dir, "cc"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var id int
	if !testkit.Eventually(func() bool {
		text, err := os.ReadFile(started)
		if err == nil {
			id, err = strconv.Atoi(strings.TrimSpace(string(text)))
		}
		return err == nil
	}) {
		t.Errorf("the compiler does not start: %v", cmd.Process.Kill())
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d\n%s", err, exitInterrupted, stderr.String())
	}
	if id > 0 && !testkit.Eventually(func() bool { return syscall.Kill(id, 0) != nil || zombie(id) }) {
		t.Error("a process of the compiler goes on")
	}
}

// zombie reports whether a process has ended and was not waited for.
func zombie(id int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	return err != nil || strings.Contains(string(text), ") Z ")
}

// TestInterruptedSearchIsKept checks that even a short interrupted search leaves a checkpoint and shows the command
// to resume it. If it cannot be resumed or was complete, a note says so.
func TestInterruptedSearchIsKept(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("many.x", []byte(manyKernels), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		status mapper.Status
		state  *mapper.State
		kept   bool
		note   string
	}{
		{"interrupted", ctx, mapper.Interrupted, &mapper.State{}, true, ""},
		{"interrupted at once", ctx, mapper.Interrupted, nil, false, "[not-resumable]"},
		{"complete", ctx, mapper.Optimal, &mapper.State{}, false, "nothing to resume"},
		{"short", t.Context(), mapper.TimeLimit, &mapper.State{}, false, ""},
	} {
		var notes bytes.Buffer
		a := &app{notes: safetext.NewWriter(&notes), begun: time.Now()}
		s := &searching{found: &mapper.Result{Status: c.status}, state: c.state,
			keep: checkpoint.New("many.checkpoint.json", "search", nil, nil, 30*time.Hour)}
		a.keepSearch(c.ctx, s)
		if _, err := os.Stat(s.keep.Path); (err == nil) != c.kept || s.keep.Left() != c.kept {
			t.Errorf("%s: a checkpoint is left: %v, want %v", c.name, err == nil, c.kept)
		}
		if c.note == "" && notes.Len() > 0 || !strings.Contains(notes.String(), c.note) {
			t.Errorf("%s: %q, want %q", c.name, notes.String(), c.note)
		}
		if found := a.foundBy(s); (found.Checkpoint != "") != c.kept {
			t.Errorf("%s: the result has the checkpoint %q", c.name, found.Checkpoint)
		}
		if err := s.keep.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

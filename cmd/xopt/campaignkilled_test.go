package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"xopt/cmd/internal/campaign"
	"xopt/configs"
	"xopt/internal/testkit"
)

// TestCampaignKilled kills all or one of a campaign's processes at random times. Each restart continues with the
// missing points. In the end every point was written once, and collect prints the same as sweep.
func TestCampaignKilled(t *testing.T) {
	t.Parallel()
	kills := 50
	if testing.Short() {
		kills = 10
	}
	killedCampaign(t, kills)
}

func killedCampaign(t *testing.T, kills int) {
	home := t.TempDir()
	if err := os.CopyFS(home, configs.ExampleFiles()); err != nil {
		t.Fatal(err)
	}
	home = filepath.Join(home, "gayen-veritas")
	run := filepath.Join(t.TempDir(), "run")
	sweep := []string{"sweep", "pipes1.x", "arch_slow.x", "--vary", "PCIX.bandwidth=2MB/s..640MB/s", "--points",
		strconv.Itoa(4 * kills)}
	random := rand.New(rand.NewPCG(22, uint64(kills)))
	args := append(sweep, "--campaign", run)
	for range kills {
		cmd := asXopt(t, home, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+random.IntN(160)) * time.Millisecond)
		if child := childOf(cmd.Process.Pid); random.IntN(3) == 0 && child > 0 {
			_ = syscall.Kill(child, syscall.SIGKILL) // it may have ended
			time.Sleep(time.Duration(random.IntN(50)) * time.Millisecond)
		}
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if _, err := os.Stat(filepath.Join(run, "campaign.json")); err == nil {
			args = []string{"campaign", "resume", run}
		}
	}
	for _, last := range [][]string{args, {"campaign", "status", run}} {
		if out, err := asXopt(t, home, last...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", last, err, out)
		}
	}
	collected, err := asXopt(t, home, "campaign", "collect", run).Output()
	if err != nil {
		t.Fatal(err)
	}
	want, err := asXopt(t, home, sweep...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(collected, want) {
		t.Errorf("collect printed\n%s\nsweep prints\n%s", collected, want)
	}
	for n, times := range written(t, run) {
		if times != 1 {
			t.Errorf("point %d was written %d times", n, times)
		}
	}
	if left := asXoptLeft(run); left > 0 {
		t.Errorf("%d processes are left", left)
	}
}

// TestCampaignInterrupted checks that an interrupt keeps completed points, shows how to continue, and leaves no
// process.
func TestCampaignInterrupted(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.CopyFS(home, configs.ExampleFiles()); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(t.TempDir(), "run")
	var stderr bytes.Buffer
	cmd := asXopt(t, filepath.Join(home, "gayen-veritas"), "sweep", "pipes2.x", "arch_slow.x", "--vary",
		"PCIX.bandwidth=2MB/s..640MB/s", "--points", "9999", "--campaign", run)
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	began := testkit.Eventually(func() bool {
		files, err := filepath.Glob(filepath.Join(run, "results", "*.jsonl"))
		return err == nil && len(files) > 0
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil || !began {
		t.Errorf("it began: %v; interrupting it: %v", began, err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d", err, exitInterrupted)
	}
	want := " of 9999 points done; to continue: xopt campaign resume " + run
	if !strings.Contains(strings.Join(strings.Fields(stderr.String()), " "), want) {
		t.Errorf("it does not say %q:\n%s", want, &stderr)
	}
	if n := len(written(t, run)); n == 0 || n == 9999 {
		t.Errorf("%d points were kept", n)
	}
	if left := asXoptLeft(run); left > 0 {
		t.Errorf("%d processes are left", left)
	}
}

// TestCampaignCancelled checks that a command that waits for a campaign reports its cancellation by another, also by
// its exit code, and that status shows why Slurm refused workers.
func TestCampaignCancelled(t *testing.T) {
	t.Parallel()
	k := newCampaignTest(t, nil)
	k.write("long.yaml", 2, 4999, "")
	var stderr bytes.Buffer
	cmd := k.command("campaign", "submit", "long.yaml", "--dir", "run")
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	k.eventually("a point", func() bool { return k.begun("run") && k.count("run") > 0 })
	k.run("campaign", "cancel", "run")
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted ||
		!strings.Contains(stderr.String(), "cancelled with ") {
		t.Errorf("ended with %v, want exit code %d: %s", err, exitInterrupted, &stderr)
	}
	f, err := campaign.Open(filepath.Join(k.home, "run"))
	if err == nil {
		err = f.NoteRefused("sbatch failed: invalid partition specified: nosuch")
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := k.command("campaign", "status", "run").CombinedOutput()
	if want := "Slurm refused to start workers: sbatch failed: invalid partition"; err != nil ||
		!strings.Contains(string(out), want) {
		t.Errorf("error %v, status prints\n%s\nwant %q in it", err, out, want)
	}
	var p campaign.Progress
	if err := json.Unmarshal([]byte(k.run("campaign", "status", "run", "--json")), &p); err != nil ||
		p.State != "cancelled" || p.Refused == "" || p.Points != 9998 || p.Points != p.Done+p.Failed+p.SetAside+
		p.InHand+p.Waiting || !(p.SecondsComputed > 0) {
		t.Errorf("error %v, progress %+v", err, p)
	}
}

// asXopt returns a command that runs this program as xopt in a folder.
func asXopt(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &exec.Cmd{Path: self, Args: append([]string{"xopt"}, args...), Dir: dir} // see TestMain
}

// childOf returns a child of a process; 0 for none.
func childOf(pid int) int {
	lists, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "children"))
	if err != nil {
		return 0
	}
	for _, l := range lists {
		text, err := os.ReadFile(l)
		if err != nil {
			continue
		}
		for _, word := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(word); err == nil {
				return n
			}
		}
	}
	return 0
}

// asXoptLeft counts the processes whose command line names a folder.
func asXoptLeft(folder string) int {
	left := 0
	testkit.Eventually(func() bool {
		lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
		left = 0
		for _, l := range lines {
			if text, e := os.ReadFile(l); e == nil && bytes.Contains(text, []byte(folder)) {
				left++
			}
		}
		return err == nil && left == 0
	})
	return left
}

// written returns the number of results of each point of a campaign.
func written(t *testing.T, run string) map[int]int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(run, "results", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("results %v, error %v", files, err)
	}
	times := make(map[int]int)
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(f).ReadBytes('\n')
		var head struct{ Done []struct{ N int } }
		if err == nil {
			err = json.Unmarshal(line, &head)
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close() // it was read
		for _, d := range head.Done {
			times[d.N]++
		}
	}
	return times
}

// begun reports whether a campaign has a folder.
func (k *campaignTest) begun(dir string) bool {
	_, err := os.Stat(filepath.Join(k.home, dir, "campaign.json"))
	return err == nil
}

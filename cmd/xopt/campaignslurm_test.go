package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"xopt/internal/campaign"
	"xopt/internal/cluster"
	"xopt/internal/testkit"
)

// slurmTest is a cluster and a folder with a sweep of 200 points.
type slurmTest struct {
	*testing.T
	cluster    *cluster.Cluster
	xopt, home string
}

// newSlurmTest starts a cluster of four nodes.
func newSlurmTest(t *testing.T) *slurmTest {
	t.Helper()
	k := &slurmTest{T: t, cluster: cluster.ForTest(t, 4), home: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k.xopt = filepath.Join(k.home, "xopt") // see TestMain
	if err := os.Link(self, k.xopt); err != nil {
		if err = exec.Command("cp", self, k.xopt).Run(); err != nil {
			t.Fatal(err)
		}
	}
	k.run("examples", "gayen-veritas")
	return k
}

// write writes a campaign file of twice so many points of an application of so many pipes.
func (k *slurmTest) write(name string, pipes, points int, more string) string {
	k.Helper()
	text := fmt.Sprintf("kind: sweep\nfiles: [gayen-veritas/pipes%d.x, gayen-veritas/arch_slow.x]\n"+
		"vary: [PCIX.bandwidth=2MB/s..640MB/s, \"fpga=1,2\"]\npoints: %d\nchunk-time: 2s\nstale: 20s\n%s",
		pipes, points, more)
	path := filepath.Join(k.home, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		k.Fatal(err)
	}
	return path
}

// command is xopt with arguments.
func (k *slurmTest) command(args ...string) *exec.Cmd {
	cmd := exec.Command(k.xopt, args...)
	cmd.Dir = k.home
	return cmd
}

// run runs xopt, which must succeed, and returns what it printed.
func (k *slurmTest) run(args ...string) string {
	k.Helper()
	var out, said bytes.Buffer
	cmd := k.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		k.Fatalf("xopt %s: %v\n%s%s%s", strings.Join(args, " "), err, &out, &said, k.logs())
	}
	return out.String()
}

// logs are what workers have printed.
func (k *slurmTest) logs() string {
	var b strings.Builder
	paths, _ := filepath.Glob(filepath.Join(k.home, "*", "logs", "*.log"))
	for _, p := range paths {
		text, _ := os.ReadFile(p)
		fmt.Fprintf(&b, "%s:\n%s", p, text)
	}
	return b.String()
}

// done is how often each point is in a file of results.
func (k *slurmTest) done(dir string) []int {
	k.Helper()
	times := make([]int, 200)
	paths, err := filepath.Glob(filepath.Join(k.home, dir, "results", "*.jsonl"))
	if err != nil {
		k.Fatal(err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			k.Fatal(err)
		}
		var head struct{ Done []struct{ N int } }
		line, _ := bufio.NewReader(bytes.NewReader(text)).ReadBytes('\n')
		if err := json.Unmarshal(line, &head); err != nil {
			k.Fatalf("%s: %v", p, err)
		}
		for _, d := range head.Done {
			times[d.N]++
		}
	}
	return times
}

// count is how many points are done.
func (k *slurmTest) count(dir string) int {
	n := 0
	for _, times := range k.done(dir) {
		if times > 0 {
			n++
		}
	}
	return n
}

// workers are those that have not said that they ended.
func (k *slurmTest) workers(dir string) []campaign.Beat {
	var list []campaign.Beat
	paths, _ := filepath.Glob(filepath.Join(k.home, dir, "workers", "*.json"))
	for _, p := range paths {
		var b campaign.Beat
		text, err := os.ReadFile(p)
		if err == nil && json.Unmarshal(text, &b) == nil && !b.Ended {
			list = append(list, b)
		}
	}
	return list
}

// eventually waits for something.
func (k *slurmTest) eventually(what string, f func() bool) {
	k.Helper()
	if !testkit.Eventually(f) {
		k.Fatalf("not within minutes: %s\n%s", what, k.logs())
	}
}

// finish waits for all points, has dead workers replaced, and checks that each is done once and that the answer is that
// of another campaign.
func (k *slurmTest) finish(dir, like string) {
	k.Helper()
	end := time.Now().Add(8 * time.Minute)
	for tries := 0; k.count(dir) < 200; tries++ {
		if time.Now().After(end) {
			out, _ := k.cluster.Command(context.Background(), "squeue").CombinedOutput()
			k.Fatalf("%d of 200 points are done\n%s%s", k.count(dir), out, k.logs())
		}
		if tries%50 == 49 { // who watches
			if out, err := k.command("campaign", "resume", dir).CombinedOutput(); err != nil {
				k.Logf("resume: %v: %s", err, out) // Slurm may be away
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	for n, times := range k.done(dir) {
		if times != 1 {
			k.Errorf("point %d was written %d times", n, times)
		}
	}
	k.same(dir, like)
}

// same checks that two campaigns have the same answer.
func (k *slurmTest) same(dir, like string) {
	k.Helper()
	if got, want := k.run("campaign", "collect", dir), k.run("campaign", "collect", like); got != want {
		k.Errorf("%s gives\n%s\nwant\n%s", dir, got, want)
	}
}

// TestCampaignSlurm computes a campaign on four nodes of Slurm: its result is that of one machine. Submitted twice, it
// is computed once. Another is cancelled, and only that.
func TestCampaignSlurm(t *testing.T) {
	k := newSlurmTest(t)
	const lines = "engine: slurm\nworkers: 4\nslurm: |\n  #SBATCH --time=30\n  #SBATCH --nodes=1\n"
	k.write("slow.yaml", 3, 500, "engine: slurm\nworkers: 2\n")
	k.run("campaign", "submit", "slow.yaml", "--dir", "slow")
	k.run("campaign", "submit", k.write("fast.yaml", 1, 100, lines), "--dir", "slurm")
	first := k.command("campaign", "submit", "fast.yaml", "--dir", "slurm") // by mistake
	if out, err := first.CombinedOutput(); err != nil || !strings.Contains(string(out), "holds this campaign already") {
		t.Errorf("submitted again: %v: %s", err, out)
	}
	k.run("campaign", "submit", "fast.yaml", "--dir", "local", "--engine", "local", "--workers", "1")
	k.eventually("a point of the slow campaign's workers", func() bool { return len(k.workers("slow")) == 2 })
	k.run("campaign", "cancel", "slow")
	k.eventually("the end of the cancelled campaign", func() bool {
		out, err := k.cluster.Command(t.Context(), "squeue", "--noheader", "--format=%j",
			"--name=xopt-"+k.runOf("slow")).Output()
		return err == nil && len(out) == 0
	})
	k.finish("slurm", "local")
	if status := k.run("campaign", "status", "slurm"); !strings.Contains(status, "200 of 200 points") {
		t.Errorf("status: %s", status)
	}
	if logs := k.logs(); strings.Contains(logs, "warning") || strings.Count(logs, "all 200 points are done") != 4 {
		t.Errorf("the workers say:\n%s", logs)
	}
}

// runOf is the id of a campaign's run.
func (k *slurmTest) runOf(dir string) string {
	k.Helper()
	f, err := campaign.Open(filepath.Join(k.home, dir))
	if err != nil {
		k.Fatal(err)
	}
	return f.Run
}

// TestCampaignFaults computes a campaign through each fault of a cluster: nothing is lost, and nothing is written
// twice.
func TestCampaignFaults(t *testing.T) {
	testkit.Long(t, "eight campaigns on four nodes of Slurm, of a minute each")
	k := newSlurmTest(t)
	k.write("local.yaml", 2, 100, "")
	k.run("campaign", "submit", "local.yaml", "--dir", "local")
	ctx := t.Context()
	slurm := func(t *testing.T, program string, args ...string) {
		if out, err := k.cluster.Command(ctx, program, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", program, err, out)
		}
	}
	for _, fault := range []struct {
		name, more string
		do         func(t *testing.T, dir string)
	}{
		{"worker killed", "", func(t *testing.T, dir string) {
			for _, w := range k.workers(dir) {
				if err := syscall.Kill(w.By.PID, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
					t.Fatal(err)
				}
			}
		}},
		{"slurmd killed", "", func(t *testing.T, _ string) {
			if err := k.cluster.Kill("n1"); err != nil {
				t.Fatal(err)
			}
			k.eventually("node n1 down", func() bool {
				out, _ := k.cluster.Command(ctx, "sinfo", "-h", "-n", "n1", "-o", "%T").Output()
				return strings.HasPrefix(string(out), "down")
			})
			if err := k.cluster.StartNode(ctx, "n1"); err != nil {
				t.Fatal(err)
			}
		}},
		{"node set down", "", func(t *testing.T, _ string) {
			slurm(t, "scontrol", "update", "nodename=n2", "state=down", "reason=test")
			slurm(t, "scontrol", "update", "nodename=n2", "state=resume")
		}},
		{"slurmctld killed", "", func(t *testing.T, _ string) {
			if err := k.cluster.Kill("slurmctld"); err != nil {
				t.Fatal(err)
			}
			if err := k.cluster.StartController(ctx); err != nil {
				t.Fatal(err)
			}
		}},
		{"jobs requeued", "", func(t *testing.T, dir string) {
			for _, w := range k.workers(dir) {
				slurm(t, "scontrol", "requeue", w.Job)
			}
		}},
		{"time over", "slurm: |\n  #SBATCH --time=1\n  #SBATCH --signal=B:USR1@30\n", func(t *testing.T, dir string) {
			for _, w := range k.workers(dir) { // not to wait for it: Slurm says the same at its time
				slurm(t, "scancel", "--batch", "--signal=USR1", w.Job)
			}
		}},
		{"submitted twice", "", func(t *testing.T, dir string) {
			again := k.command("campaign", "submit", filepath.Base(dir)+".yaml", "--dir", dir, "--workers", "8")
			if out, err := again.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}},
	} {
		t.Run(fault.name, func(t *testing.T) {
			k := *k
			k.T = t
			dir := strings.ReplaceAll(fault.name, " ", "-")
			k.write(dir+".yaml", 2, 100, "engine: slurm\nworkers: 4\n"+fault.more)
			k.run("campaign", "submit", dir+".yaml", "--dir", dir)
			k.eventually("the first points", func() bool { return k.count(dir) >= 10 })
			fault.do(t, dir)
			k.finish(dir, "local")
			k.run("campaign", "cancel", dir)
		})
	}
}

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

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/testcluster"
	"xopt/internal/testkit"
)

// campaignTest is a cluster and a folder with a sweep of 200 points.
type campaignTest struct {
	*testing.T
	cluster    *testcluster.Cluster
	xopt, home string
}

// newSlurmTest starts a cluster of four nodes.
func newSlurmTest(t *testing.T) *campaignTest {
	t.Helper()
	return newCampaignTest(t, testcluster.ForTest(t, 4))
}

// newCampaignTest creates a folder for campaigns, and the program; c may be nil.
func newCampaignTest(t *testing.T, c *testcluster.Cluster) *campaignTest {
	t.Helper()
	k := &campaignTest{T: t, cluster: c, home: t.TempDir()}
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

// write writes a campaign file with twice the given number of points, for an application with the given number of
// pipes. All nodes are one machine here, so ended workers are noticed at once. Silence counts late, because a busy
// machine may silence a live worker.
func (k *campaignTest) write(name string, pipes, points int, more string) string {
	k.Helper()
	text := fmt.Sprintf("kind: sweep\nfiles: [gayen-veritas/pipes%d.x, gayen-veritas/arch_slow.x]\n"+
		"vary: [PCIX.bandwidth=2MB/s..640MB/s, \"fpga=1,2\"]\npoints: %d\nchunk-time: 2s\nstale: 5m\n%s",
		pipes, points, more)
	path := filepath.Join(k.home, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		k.Fatal(err)
	}
	return path
}

// command returns the command xopt with arguments.
func (k *campaignTest) command(args ...string) *exec.Cmd {
	cmd := exec.Command(k.xopt, args...)
	cmd.Dir = k.home
	if k.cluster != nil {
		cmd.Env = k.cluster.Env()
	}
	return cmd
}

// run runs xopt, which must succeed, and returns its output.
func (k *campaignTest) run(args ...string) string {
	k.Helper()
	var out, output bytes.Buffer
	cmd := k.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &output
	if err := cmd.Run(); err != nil {
		k.Fatalf("xopt %s: %v\n%s%s%s", strings.Join(args, " "), err, &out, &output, k.logs())
	}
	return out.String()
}

// logs returns the output of the workers.
func (k *campaignTest) logs() string {
	var b strings.Builder
	paths, _ := filepath.Glob(filepath.Join(k.home, "*", "logs", "*.log"))
	for _, p := range paths {
		text, _ := os.ReadFile(p)
		fmt.Fprintf(&b, "%s:\n%s", p, text)
	}
	return b.String()
}

// done returns the number of results of each point in a file.
func (k *campaignTest) done(dir string) []int {
	k.Helper()
	times := make([]int, k.all(dir))
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

// all returns the number of points of a campaign.
func (k *campaignTest) all(dir string) int {
	k.Helper()
	f, err := campaign.Open(filepath.Join(k.home, dir))
	if err != nil {
		k.Fatal(err)
	}
	return len(f.Points)
}

// count returns the number of completed points.
func (k *campaignTest) count(dir string) int {
	n := 0
	for _, times := range k.done(dir) {
		if times > 0 {
			n++
		}
	}
	return n
}

// workers returns the workers that have not reported their end.
func (k *campaignTest) workers(dir string) []campaign.Beat {
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

// eventually waits for a condition.
func (k *campaignTest) eventually(what string, f func() bool) {
	k.Helper()
	if !testkit.Eventually(f) {
		k.Fatalf("not within minutes: %s\n%s", what, k.logs())
	}
}

// finish waits for all points and lets dead workers be replaced. It checks that each point is done once, and that the
// answer equals that of the campaign like, unless that is "".
func (k *campaignTest) finish(dir, like string) {
	k.Helper()
	deadline := time.Now().Add(8 * time.Minute)
	for tries := 0; k.count(dir) < k.all(dir); tries++ {
		if time.Now().After(deadline) {
			out, _ := k.cluster.Command(context.Background(), "squeue").CombinedOutput()
			k.Fatalf("%d points are done\n%s%s", k.count(dir), out, k.logs())
		}
		if tries%10 == 9 { // who watches
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
	if like != "" {
		k.same(dir, like)
	}
}

// same checks that two campaigns have the same answer.
func (k *campaignTest) same(dir, like string) {
	k.Helper()
	if got, want := k.run("campaign", "collect", dir), k.run("campaign", "collect", like); got != want {
		k.Errorf("%s gives\n%s\nwant\n%s", dir, got, want)
	}
}

// TestCampaignSlurm computes a campaign on four nodes of Slurm. Its result equals that of one machine. A second
// submission computes nothing, and cancelling another campaign does not affect it.
func TestCampaignSlurm(t *testing.T) {
	t.Parallel()
	k := newSlurmTest(t)
	const lines = "engine: slurm\nworkers: 4\nslurm: |\n  #SBATCH --time=30\n  #SBATCH --nodes=1\n"
	k.refused()
	k.write("slow.yaml", 3, 500, "engine: slurm\nworkers: 2\n")
	k.run("campaign", "submit", "slow.yaml", "--dir", "slow")
	k.run("campaign", "submit", k.write("fast.yaml", 1, 30, lines), "--dir", "slurm")
	first := k.command("campaign", "submit", "fast.yaml", "--dir", "slurm") // by mistake
	if out, err := first.CombinedOutput(); err != nil || !strings.Contains(string(out),
		"already contains this campaign") {
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
	if status := k.run("campaign", "status", "slurm"); !strings.Contains(status, "60 of 60 points") {
		t.Errorf("status: %s", status)
	}
	k.eventually("the end of all four workers", func() bool {
		return strings.Count(k.logs(), "all 60 points are done") == 4
	})
	if logs := k.logs(); strings.Contains(logs, "warning") {
		t.Errorf("the workers say:\n%s", logs)
	}
}

// refused makes Slurm refuse the workers of a campaign, and checks that nothing is left of it.
func (k *campaignTest) refused() {
	k.Helper()
	k.write("refused.yaml", 1, 10, "engine: slurm\nworkers: 2\nslurm: |\n  #SBATCH --partition=nosuch\n")
	out, err := k.command("campaign", "submit", "refused.yaml", "--dir", "refused").CombinedOutput()
	for _, want := range []string{"sbatch failed: ", "The campaign folder was removed"} {
		if err == nil || !strings.Contains(string(out), want) {
			k.Errorf("error %v: %s\nwant %q in it", err, out, want)
		}
	}
	if _, err := os.Stat(filepath.Join(k.home, "refused")); !os.IsNotExist(err) {
		k.Errorf("the folder of a refused campaign: %v", err)
	}
}

// runOf returns the id of a campaign's run.
func (k *campaignTest) runOf(dir string) string {
	k.Helper()
	f, err := campaign.Open(filepath.Join(k.home, dir))
	if err != nil {
		k.Fatal(err)
	}
	return f.Run
}

// failure is a fault during a campaign.
type failure struct {
	name string
	do   func(k *campaignTest, dir string)
}

// failures returns the failures of a cluster.
func failures() []failure {
	return []failure{
		{"worker killed", func(k *campaignTest, dir string) {
			for _, w := range k.workers(dir) {
				if err := syscall.Kill(w.By.PID, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
					k.Fatal(err)
				}
			}
			k.eventually("workers that status reports as lost, by their nodes", func() bool {
				return k.lost(dir) > 0 || k.count(dir) == k.all(dir)
			})
		}},
		{"slurmd killed", func(k *campaignTest, _ string) {
			k.must(k.cluster.Kill(k.Context(), "n1"))
			k.eventually("node n1 down", func() bool {
				out, _ := k.cluster.Command(k.Context(), "sinfo", "-h", "-n", "n1", "-o", "%T").Output()
				return strings.HasPrefix(string(out), "down")
			})
			k.must(k.cluster.Start(k.Context(), "n1"))
		}},
		{"node set down", func(k *campaignTest, _ string) { k.downAndUp("n2") }},
		{"slurmctld killed", func(k *campaignTest, _ string) {
			k.must(k.cluster.Kill(k.Context(), "slurmctld"))
			k.must(k.cluster.Start(k.Context(), "slurmctld"))
		}},
		{"jobs requeued", func(k *campaignTest, dir string) {
			k.eventually("a job that is requeued, or the end", func() bool {
				requeued := k.count(dir) == k.all(dir)
				for _, w := range k.workers(dir) { // each may end, or be requeued, before Slurm is queried
					requeued = k.slurm("scontrol", "requeue", w.Job) || requeued
				}
				return requeued
			})
		}},
		{"folder full", func(k *campaignTest, dir string) { k.fill(dir) }},
		{"time nearly over", func(k *campaignTest, dir string) { // by Slurm's signal, at once
			for _, w := range k.workers(dir) {
				k.slurm("scancel", "--batch", "--signal=USR1", w.Job) // it may have ended
			}
			k.eventually("a worker that starts again, or the end", func() bool {
				return k.isStopped(dir) || k.count(dir) == k.all(dir)
			})
		}},
		{"clock an hour off", func(k *campaignTest, _ string) { // Slurm may refuse such a node
			if testcluster.FakeTime() == "" {
				k.Skip("libfaketime is not installed (make setup installs it)")
			}
			k.must(k.cluster.Kill(k.Context(), "n3"))
			k.must(k.cluster.StartAt(k.Context(), "n3", "+1h"))
			k.Cleanup(func() {
				_ = k.cluster.Kill(context.Background(), "n3") // it may have ended
				k.must(k.cluster.Start(context.Background(), "n3"))
			})
		}},
		{"submitted twice", func(k *campaignTest, dir string) {
			k.run("campaign", "submit", dir+".yaml", "--dir", dir, "--workers", "8")
		}},
	}
}

// lost returns the number of workers that campaign status reports as lost, each with its node and job.
func (k *campaignTest) lost(dir string) int {
	k.Helper()
	var p campaign.Progress
	if err := json.Unmarshal([]byte(k.run("campaign", "status", dir, "--json")), &p); err != nil {
		k.Fatal(err)
	}
	for _, w := range p.Lost {
		if !strings.HasPrefix(w.Node, "n") || w.Job == "" {
			k.Errorf("a lost worker is %+v", w)
		}
	}
	return len(p.Lost)
}

// isStopped reports whether a worker of a campaign has requeued itself.
func (k *campaignTest) isStopped(dir string) bool {
	paths, _ := filepath.Glob(filepath.Join(k.home, dir, "logs", "*.log"))
	for _, p := range paths {
		text, _ := os.ReadFile(p)
		if strings.Contains(string(text), "points are done; Slurm restarts this job") {
			return true
		}
	}
	return false
}

// must fails the test on an error.
func (k *campaignTest) must(err error) {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
}

// slurm runs one of Slurm's programs, and reports whether it succeeded. Slurm refuses requests that have become
// impossible in the meantime.
func (k *campaignTest) slurm(program string, args ...string) bool {
	k.Helper()
	out, err := k.cluster.Command(k.Context(), program, args...).CombinedOutput()
	if err != nil {
		k.Logf("%s %s: %v: %s", program, strings.Join(args, " "), err, out)
	}
	return err == nil
}

// downAndUp sets a node down, which ends its jobs, and up again. The node may come up by itself in between, because
// its slurmd reports that it is well (ReturnToService). Slurm then refuses to set it up.
func (k *campaignTest) downAndUp(node string) {
	k.Helper()
	update := func(state string, more ...string) bool {
		return k.slurm("scontrol", append([]string{"update", "nodename=" + node, "state=" + state}, more...)...)
	}
	k.eventually(node+" set down", func() bool { return update("down", "reason=test") })
	k.eventually(node+" up again", func() bool {
		out, err := k.cluster.Command(k.Context(), "sinfo", "-h", "-n", node, "-o", "%T").Output()
		if state := strings.TrimSpace(string(out)); err == nil && state != "" && !strings.HasPrefix(state, "d") {
			return true // neither down nor drained nor draining
		}
		_ = update("resume") // it is looked at
		time.Sleep(200 * time.Millisecond)
		return false
	})
}

// TestCampaignFaults computes a campaign through each failure of a cluster: nothing is lost, and nothing is written
// twice.
func TestCampaignFaults(t *testing.T) {
	testkit.Long(t, "nine campaigns on four nodes of Slurm, most of 10 to 20 s")
	t.Parallel()
	all := newSlurmTest(t)
	all.run("campaign", "submit", all.write("short.yaml", 2, 50, ""), "--dir", "local-short")
	for _, failure := range failures() {
		t.Run(failure.name, func(t *testing.T) {
			k := *all
			k.T = t
			dir := strings.ReplaceAll(failure.name, " ", "-")
			if failure.name == "folder full" {
				k.mount(dir)
			}
			k.fails(dir, 50, "", func() { failure.do(&k, dir) })
			k.same(dir, "local-short")
		})
	}
}

// TestCampaignTimeOver lets the workers' time limit expire. It needs a minute, and is therefore not one of the
// sequential failures.
func TestCampaignTimeOver(t *testing.T) {
	testkit.Long(t, "Slurm's shortest time is a minute")
	t.Parallel()
	k := newSlurmTest(t)
	const dir = "time-over"
	k.fails(dir, 200, "slurm: |\n  #SBATCH --time=1\n", func() {
		k.eventually("a worker notified of its time limit, or a machine too fast for that", func() bool {
			return k.isStopped(dir) || k.count(dir) == k.all(dir)
		})
	})
}

// fails computes a campaign with twice the given number of points on four nodes, during a fault. Each point must be
// done once.
func (k *campaignTest) fails(dir string, points int, more string, happens func()) {
	k.Helper()
	k.write(dir+".yaml", 2, points, "engine: slurm\nworkers: 4\n"+more)
	k.run("campaign", "submit", dir+".yaml", "--dir", dir)
	k.eventually("the first points", func() bool { return k.count(dir) >= 10 })
	happens()
	k.finish(dir, "")
	k.run("campaign", "cancel", dir)
}

// mount mounts a small memory file system for a campaign.
func (k *campaignTest) mount(dir string) {
	path := filepath.Join(k.home, dir)
	if err := os.Mkdir(path, 0o755); err != nil {
		k.Fatal(err)
	}
	if err := syscall.Mount("xopt", path, "tmpfs", 0, "size=8m"); err != nil {
		k.Skipf("a file system can be mounted by root alone: %v", err)
	}
	k.Cleanup(func() { // after the workers have ended with the campaign
		if !testkit.Eventually(func() bool { return syscall.Unmount(path, 0) == nil }) {
			k.Errorf("%s stays mounted", path)
		}
	})
}

// fill fills the folder of a campaign until its workers report that, and frees it.
func (k *campaignTest) fill(dir string) {
	path := filepath.Join(k.home, dir, "unfinished", "filler")
	full := make([]byte, 1<<20)
	f, err := os.Create(path)
	if err != nil {
		k.Fatal(err)
	}
	k.eventually("workers that say that the folder is full", func() bool {
		_, _ = f.Write(full) // until there is no room
		logs := ""
		paths, _ := filepath.Glob(filepath.Join(k.home, dir, "logs", "*.log"))
		for _, p := range paths {
			text, _ := os.ReadFile(p)
			logs += string(text)
		}
		return strings.Contains(logs, "no space left on device") || k.full(dir)
	})
	time.Sleep(8 * time.Second) // some beats of the workers are lost
	if err := f.Close(); err != nil {
		k.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		k.Fatal(err)
	}
}

// full reports whether the file system of a campaign is full.
func (k *campaignTest) full(dir string) bool {
	var s syscall.Statfs_t
	return syscall.Statfs(filepath.Join(k.home, dir), &s) == nil && s.Bavail == 0
}

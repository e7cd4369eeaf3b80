package slurm

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"xopt/cmd/internal/campaign/testcluster"
	"xopt/internal/testkit"
)

// TestMain also serves as a worker, which ends on a signal and requeues itself.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "worker" {
		worker(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

func worker(run string) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGTERM)
	self, ok := Self(run, os.Getenv)
	fmt.Printf("began %v %s restarts %s\n", ok, self, os.Getenv("SLURM_RESTART_COUNT"))
	sig := <-signals
	again, err := self.Again(context.Background())
	fmt.Printf("ended by %s, again %v, error %v\n", sig, again, err)
}

// TestSlurm checks that workers start, are distinguished from other jobs with their numbers, restart on request, and
// can be cancelled.
func TestSlurm(t *testing.T) {
	c := testcluster.ForTest(t, 2)
	t.Setenv("SLURM_CONF", filepath.Join(c.Dir, "slurm.conf"))
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "it's 100% $HOME %j") // % means something to Slurm
	if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	submit := func(run string) string {
		job, err := Submit(t.Context(), &Array{Run: run, Folder: dir, Logs: "logs", Workers: 1,
			Lines: "#SBATCH --time=10\n", Command: []string{me, "worker", run}})
		if err != nil {
			t.Fatal(err)
		}
		return job
	}
	log := func(job string) string {
		text, _ := os.ReadFile(filepath.Join(dir, "logs", "slurm-"+job+"_0.log"))
		return string(text)
	}
	set := func(job, what string) {
		t.Helper()
		if !testkit.Eventually(func() bool { return strings.Contains(log(job), what) }) {
			t.Fatalf("job %s printed %q, want %q in it", job, log(job), what)
		}
	}
	states := func(run string) []string {
		jobs, err := Queue(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		var states []string
		for _, j := range jobs {
			states = append(states, j.ID+" "+j.State)
		}
		return states
	}
	one, other := submit("aaaaaaaaaa"), submit("bbbbbbbbbb")
	set(one, "began true "+one+"_0 restarts \n")
	set(other, "began true")
	if got := states("aaaaaaaaaa"); !slices.Equal(got, []string{one + "_0 RUNNING"}) {
		t.Errorf("jobs of the first run: %q", got)
	}
	// Near the end of its time, it asks to be requeued.
	if out, err := c.Command(t.Context(), "scancel", "--batch", "--signal=USR1",
		one+"_0").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	set(one, "ended by user defined signal 1, again true, error <nil>")
	// The other is cancelled and does not ask. This one is requeued, which takes Slurm seconds.
	if err := Cancel(t.Context(), "bbbbbbbbbb"); err != nil {
		t.Fatal(err)
	}
	set(other, "ended by terminated, again false, error <nil>")
	if !testkit.Eventually(func() bool { return len(states("bbbbbbbbbb")) == 0 }) {
		t.Errorf("jobs of the cancelled run are left: %q", states("bbbbbbbbbb"))
	}
	if got := states("aaaaaaaaaa"); len(got) != 1 || !strings.HasPrefix(got[0], one+"_0 ") {
		t.Errorf("jobs of the first run: %q", got)
	}
	if testing.Short() {
		return
	}
	set(one, "restarts 1")
	if got := states("bbbbbbbbbb"); len(got) > 0 { // a wrongly requeued job would show by now
		t.Errorf("jobs of the cancelled run are back: %q", got)
	}
}

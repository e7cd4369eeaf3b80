package testcluster

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"xopt/internal/testkit"
)

// TestCluster checks that a cluster runs jobs on all nodes, keeps them across a restart of its controller, and leaves
// no processes or files.
func TestCluster(t *testing.T) {
	testkit.Long(t, "a cluster; the tests of campaigns use one as well")
	c := ForTest(t, 4)
	out, err := c.Command(t.Context(), "sbatch", "--parsable", "--array=1-4", "--output=/dev/null",
		"--wrap=echo $SLURMD_NODENAME; exec sleep 1000").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	on := func() string {
		output, _ := c.Command(t.Context(), "squeue", "--noheader", "--states=RUNNING", "--format=%N",
			"--sort=N").Output()
		return strings.Join(strings.Fields(string(output)), " ")
	}
	if !testkit.Eventually(func() bool { return on() == "n1 n2 n3 n4" }) {
		t.Errorf("jobs run on %q, want n1 to n4", on())
	}
	if err := c.Kill(t.Context(), "slurmctld"); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(t.Context(), "slurmctld"); err != nil {
		t.Fatal(err)
	}
	if !testkit.Eventually(func() bool { return on() == "n1 n2 n3 n4" }) {
		t.Errorf("jobs run on %q after the controller started again, want n1 to n4", on())
	}
	if err := c.Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, err := exec.Command("sh", "-c", "grep -lzxF XOPT_CLUSTER="+c.Dir+" /proc/[0-9]*/environ").Output()
	if err == nil || len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
	if _, err := os.Stat(c.Dir); !os.IsNotExist(err) {
		t.Errorf("the folder is left behind: %v", err)
	}
}

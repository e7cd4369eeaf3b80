package cluster

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// guardian ends the cluster in a folder when there is nothing more to read, because the process of the tests has
// ended, however it did. Nothing of it is left if the test ended it already.
const guardian = `cat
for p in /proc/[0-9]*; do
	if grep -qzx "XOPT_CLUSTER=$0/c" $p/environ ||
		{ grep -qzx "SLURM_CONF=$0/c/slurm.conf" $p/environ && grep -qz '^SLURM_JOB_ID=' $p/environ; }
	then kill -9 ${p#/proc/}; fi
done 2>/dev/null
rm -rf "$0"`

// guard has a cluster ended when the process of the tests is killed, or ends because its time is over.
func guard(t *testing.T, home string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", guardian, home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("ending what is left of the cluster: %v", err)
		}
	})
}

// ForTest is a cluster for a test, which ends with it. The test is left out where Slurm
// is not installed.
func ForTest(t *testing.T, nodes int) *Cluster {
	t.Helper()
	if missing := Missing(); len(missing) > 0 {
		t.Skipf("Slurm is not installed: %v are missing (make setup installs it)", missing)
	}
	home, err := os.MkdirTemp("", "xopt-cluster") // short, for the socket's sake
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(home, 0o711); err != nil { // munged wants its socket in reach of all
		t.Fatal(err)
	}
	guard(t, home)
	c, err := Up(t.Context(), filepath.Join(home, "c"), nodes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Down(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

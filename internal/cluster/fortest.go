package cluster

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// ForTest is a cluster for a test, which is this process's Slurm until the test ends. The test is left out where Slurm
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
	c, err := Up(t.Context(), filepath.Join(home, "c"), nodes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Down(context.Background()); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("SLURM_CONF", c.file("slurm.conf"))
	return c
}

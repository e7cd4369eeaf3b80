// Package testcluster runs a private Slurm cluster on this machine, to test campaigns. Like make slurm-up, it uses
// slurm.sh. It runs munged, slurmctld and several slurmd in one folder on free ports, and does not change the system.
package testcluster

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

//go:embed slurm.sh
var script string

// Cluster is a private Slurm cluster with single-processor nodes n1, n2, ….
type Cluster struct {
	Dir string // folder of all its files, including slurm.conf
}

// programs lists the required programs from Debian's packages slurmctld, slurmd, slurm-client and munge.
func programs() []string {
	return []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo"}
}

// missing lists the programs that are not installed. It also searches folders outside a user's PATH, where daemons
// often are.
func missing() []string {
	var list []string
	for _, p := range programs() {
		there := false
		for _, at := range []string{p, "/usr/sbin/" + p, "/usr/local/sbin/" + p, "/sbin/" + p} {
			_, err := exec.LookPath(at)
			there = there || err == nil
		}
		if !there {
			list = append(list, p)
		}
	}
	return list
}

// ForTest returns a cluster that stops when the test ends. It skips the test if Slurm is not installed.
func ForTest(t *testing.T, nodes int) *Cluster {
	t.Helper()
	if lacks := missing(); len(lacks) > 0 {
		t.Skipf("Slurm is not installed: %v are missing (make setup installs it)", lacks)
	}
	home, err := os.MkdirTemp("", "xopt-cluster") // short, because of the limit on socket paths
	if err == nil {
		err = os.Chmod(home, 0o711) // munged requires a socket path that is accessible to all
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{Dir: filepath.Join(home, "c")}
	// The guardian's input closes when the test process ends.
	guardian := exec.Command("bash", "-c", `cat; bash -c "$0" slurm.sh down "$1/c"; rm -rf "$1"`, script, home)
	guardian.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := guardian.StdinPipe()
	if err == nil {
		err = guardian.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := guardian.Wait(); err != nil {
			t.Errorf("ending the cluster: %v", err)
		}
	})
	if err := c.script(t.Context(), nil, "up", strconv.Itoa(nodes)); err != nil {
		t.Fatal(err)
	}
	return c
}

// script runs slurm.sh with additional environment variables.
func (c *Cluster) script(ctx context.Context, env []string, do string, args ...string) error {
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-c", script, "slurm.sh", do, c.Dir}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("slurm.sh %s: %w: %s", do, err, out)
	}
	return nil
}

// Start starts slurmctld, or the slurmd of a node by the node's name.
func (c *Cluster) Start(ctx context.Context, daemon string) error {
	return c.script(ctx, nil, "start", daemon)
}

// StartAt starts the slurmd of a node with its clock shifted, for example by +1h.
func (c *Cluster) StartAt(ctx context.Context, node, off string) error {
	return c.script(ctx, []string{"LD_PRELOAD=" + FakeTime(), "FAKETIME=" + off}, "start", node)
}

// Kill kills munged or the slurmd of a node, as a machine fault would. It ends slurmctld with SIGTERM, so that
// slurmctld saves its jobs. Kill returns when the daemon has ended. Running jobs continue.
func (c *Cluster) Kill(ctx context.Context, daemon string) error {
	return c.script(ctx, nil, "kill", daemon)
}

// Down stops the cluster and its jobs, and removes its folder.
func (c *Cluster) Down(ctx context.Context) error { return c.script(ctx, nil, "down") }

// FakeTime returns the library that simulates another time (Debian's libfaketime); "" if it is missing.
func FakeTime() string {
	paths, _ := filepath.Glob("/usr/lib/*/faketime/libfaketime.so.1")
	if len(paths) == 0 {
		return ""
	}
	return paths[0]
}

// Command returns a command that runs one of Slurm's programs in this cluster.
func (c *Cluster) Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = c.Env()
	return cmd
}

// Env returns the environment of this process, with Slurm's variables replaced by one that names this cluster.
func (c *Cluster) Env() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "SLURM_") {
			env = append(env, e)
		}
	}
	return append(env, "SLURM_CONF="+filepath.Join(c.Dir, "slurm.conf"))
}

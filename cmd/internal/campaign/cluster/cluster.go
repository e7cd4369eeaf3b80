package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Cluster is a Slurm of one's own.
type Cluster struct {
	Dir   string // all that it writes, with slurm.conf
	Nodes []string
}

// mark names the cluster in the environment of its daemons, so that they are found again.
const mark = "XOPT_CLUSTER"

// How long a cluster may take to come up or to end; it takes seconds, but machines may be busy.
const patience = 3 * time.Minute

// Up starts a cluster of so many nodes of one processor in a folder, which it makes, and returns when the nodes
// take jobs. What it starts outlives this process, until Down.
func Up(ctx context.Context, dir string, nodes int) (*Cluster, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the folder of a cluster: %w", err)
	}
	if len(dir) > 80 { // with the socket's name below the 108 of sockaddr_un
		return nil, fmt.Errorf("the path %s is too long for a socket: name a folder of at most 80 characters", dir)
	}
	if err := os.Mkdir(dir, 0o711); err != nil { // munged wants its socket in reach of all
		return nil, fmt.Errorf("making the folder of a cluster: %w", err)
	}
	c := &Cluster{Dir: dir}
	for i := range nodes {
		c.Nodes = append(c.Nodes, fmt.Sprintf("n%d", i+1))
	}
	if err := c.start(ctx, nodes); err != nil {
		return nil, errors.Join(err, c.Down(context.WithoutCancel(ctx)))
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, nodes int) error {
	if err := configure(c.Dir, nodes); err != nil {
		return err
	}
	key := make([]byte, 128)
	_, _ = rand.Read(key) // never fails
	if err := os.WriteFile(filepath.Join(c.Dir, "munge.key"), key, 0o600); err != nil {
		return fmt.Errorf("writing the key of a cluster: %w", err)
	}
	if err := c.daemon(ctx, "munged", "--num-threads=4", "--socket="+c.file("munge.sock"),
		"--key-file="+c.file("munge.key"), "--pid-file="+c.file("munged.pid"),
		"--log-file="+c.file("log", "munged.log"), "--seed-file="+c.file("munged.seed")); err != nil {
		return err
	}
	if err := c.StartController(ctx); err != nil {
		return err
	}
	for _, n := range c.Nodes {
		if err := c.StartNode(ctx, n); err != nil {
			return err
		}
	}
	return c.ready(ctx)
}

// ready waits until all nodes take jobs.
func (c *Cluster) ready(ctx context.Context) error {
	var said string
	for end := time.Now().Add(patience); time.Now().Before(end); {
		out, err := c.Command(ctx, "sinfo", "--noheader", "--Node", "--format=%T").Output()
		said = string(out)
		if err == nil && strings.Count(said, "idle") == len(c.Nodes) {
			return nil
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("the nodes of the cluster in %s did not come up in %s: %q; see %s", c.Dir, patience, said,
		c.file("log"))
}

// StartController starts slurmctld.
func (c *Cluster) StartController(ctx context.Context) error {
	return c.daemon(ctx, "slurmctld", "-f", c.file("slurm.conf"))
}

// StartNode starts slurmd of a node.
func (c *Cluster) StartNode(ctx context.Context, node string) error {
	return c.daemon(ctx, "slurmd", "-f", c.file("slurm.conf"), "-N", node)
}

// FakeTime is the library that has a program see another time (Debian's libfaketime); "" where it is not installed.
func FakeTime() string {
	paths, _ := filepath.Glob("/usr/lib/*/faketime/libfaketime.so.1")
	if len(paths) == 0 {
		return ""
	}
	return paths[0]
}

// StartNodeAt starts slurmd of a node whose clock is off, such as by +1h.
func (c *Cluster) StartNodeAt(ctx context.Context, node, off string) error {
	return c.daemonWith(ctx, []string{"LD_PRELOAD=" + FakeTime(), "FAKETIME=" + off}, "slurmd", "-f",
		c.file("slurm.conf"), "-N", node)
}

// daemon starts a program that goes to the background by itself.
func (c *Cluster) daemon(ctx context.Context, program string, args ...string) error {
	return c.daemonWith(ctx, nil, program, args...)
}

func (c *Cluster) daemonWith(ctx context.Context, env []string, program string, args ...string) error {
	path, err := find(program)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(append(c.Env(), mark+"="+c.Dir), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	log, err := os.OpenFile(c.file("log", "start.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("starting %s: %w", program, err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log // not a pipe: the daemon would keep it open
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(log.Name()) // the folder is removed where it cannot start
		return fmt.Errorf("starting %s: %w\n%s", program, err, said)
	}
	return nil
}

// Kill ends slurmctld, munged or the slurmd of a node at once, as a fault of its machine does, and returns when it has
// ended: its port is free then. What it had started goes on.
func (c *Cluster) Kill(daemon string) error {
	running := func() (ids []int) {
		for _, p := range processes() {
			if p.has(mark+"="+c.Dir) && p.is(daemon) {
				ids = append(ids, p.id)
			}
		}
		return ids
	}
	ids := running()
	if len(ids) == 0 {
		return fmt.Errorf("the cluster in %s has no daemon %s", c.Dir, daemon)
	}
	for end := time.Now().Add(patience); len(ids) > 0; ids = running() {
		if time.Now().After(end) {
			return fmt.Errorf("daemon %s of the cluster in %s does not end", daemon, c.Dir)
		}
		for _, id := range ids {
			if err := kill(id, syscall.SIGKILL); err != nil {
				return err
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

// Command is one of Slurm's programs, for this cluster.
func (c *Cluster) Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = c.Env()
	return cmd
}

// Env is this process's environment, but with this cluster and no other.
func (c *Cluster) Env() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "SLURM_") {
			env = append(env, e)
		}
	}
	return append(env, "SLURM_CONF="+c.file("slurm.conf"))
}

func (c *Cluster) file(names ...string) string {
	return filepath.Join(append([]string{c.Dir}, names...)...)
}

// pause waits, unless it is told to stop.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// In is the cluster that was started in a folder.
func In(dir string) (*Cluster, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the folder of a cluster: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "munge.key")); err != nil {
		return nil, fmt.Errorf("there is no cluster in %s: %w", dir, err)
	}
	return &Cluster{Dir: dir}, nil
}

// Down ends the daemons of a cluster, its jobs and whatever else it started, at once, and removes its folder.
func (c *Cluster) Down(ctx context.Context) error {
	for end := time.Now().Add(patience); ; {
		left := c.own()
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			return fmt.Errorf("processes of the cluster in %s do not end: %v", c.Dir, left)
		}
		for _, p := range left {
			if err := kill(p.id, syscall.SIGKILL); err != nil {
				return err
			}
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(c.Dir); err != nil {
		return fmt.Errorf("removing the folder of a cluster: %w", err)
	}
	return nil
}

// own are the processes of a cluster: its daemons, what they started, and its jobs. A user's shell may name the
// cluster in SLURM_CONF, but only a job has an id as well.
func (c *Cluster) own() []process {
	var own []process
	for _, p := range processes() {
		job := p.has("SLURM_CONF="+c.file("slurm.conf")) && p.hasAny("SLURM_JOB_ID=")
		if p.id != os.Getpid() && (job || p.has(mark+"="+c.Dir)) {
			own = append(own, p)
		}
	}
	return own
}

// process is a process with its command line and its environment.
type process struct {
	id        int
	args, env []string
}

func (p process) String() string { return fmt.Sprintf("%d (%s)", p.id, strings.Join(p.args, " ")) }

// processes are all processes whose environment this user may read, without those that have ended.
func processes() []process {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	var all []process
	for _, dir := range folders {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || len(env) == 0 {
			continue
		}
		args, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil {
			continue
		}
		id, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		all = append(all, process{id: id, args: strings.Split(strings.TrimRight(string(args), "\x00"), "\x00"),
			env: strings.Split(string(env), "\x00")})
	}
	return all
}

func (p process) has(setting string) bool {
	for _, e := range p.env {
		if e == setting {
			return true
		}
	}
	return false
}

func (p process) hasAny(prefix string) bool {
	for _, e := range p.env {
		if strings.HasPrefix(e, prefix) {
			return true
		}
	}
	return false
}

// is reports whether a process is a daemon: slurmctld, munged, or slurmd of a node by the node's name.
func (p process) is(daemon string) bool {
	if filepath.Base(p.args[0]) == daemon {
		return true
	}
	return filepath.Base(p.args[0]) == "slurmd" && p.args[len(p.args)-1] == daemon
}

// kill sends a signal to a process, which may have ended.
func kill(id int, sig syscall.Signal) error {
	if err := syscall.Kill(id, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("ending process %d: %w", id, err)
	}
	return nil
}

package cluster

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
)

// programs are what a cluster needs, by what Debian's packages slurmctld, slurmd, slurm-client and munge call them.
func programs() []string {
	return []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo"}
}

// Missing are the programs of Slurm that are not installed.
func Missing() []string {
	var missing []string
	for _, p := range programs() {
		if _, err := find(p); err != nil {
			missing = append(missing, p)
		}
	}
	return missing
}

// find is where a program is. Daemons are often in folders that a user's PATH does not name.
func find(program string) (string, error) {
	if p, err := exec.LookPath(program); err == nil {
		return p, nil
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin", "/sbin"} {
		if p, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("program %s is not installed; install Debian's slurmctld, slurmd, slurm-client, "+
		"slurm-wlm-basic-plugins and munge", program)
}

// The times of the configuration are short, so that faults show within seconds: KillWait is between SIGTERM and
// SIGKILL, SlurmdTimeout until a silent node is down, cred_expire until a job that was requeued may start again.
const configuration = `ClusterName=xopt
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=%[2]s
SlurmdUser=%[2]s
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=%[3]s/munge.sock,cred_expire=6
StateSaveLocation=%[3]s/state
SlurmdSpoolDir=%[3]s/spool/%%n
SlurmctldPidFile=%[3]s/slurmctld.pid
SlurmdPidFile=%[3]s/%%n.pid
SlurmctldLogFile=%[3]s/log/slurmctld.log
SlurmdLogFile=%[3]s/log/%%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
ReturnToService=2
SlurmctldPort=%[4]d
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,sched_min_interval=100000,bf_interval=2
KillWait=5
SlurmdTimeout=10
MessageTimeout=20
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
`

// configure writes the configuration of a cluster of so many nodes of one processor, n1, n2 and so on.
func configure(dir string, nodes int) error {
	ports, err := freePorts(nodes + 1)
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("finding this machine's name: %w", err)
	}
	me, err := user.Current()
	if err != nil {
		return fmt.Errorf("finding this user's name: %w", err)
	}
	host, _, _ = strings.Cut(host, ".")
	var b strings.Builder
	fmt.Fprintf(&b, configuration, host, me.Username, dir, ports[0])
	for i := range nodes {
		fmt.Fprintf(&b, "NodeName=n%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=1 State=UNKNOWN\n",
			i+1, host, ports[i+1])
	}
	b.WriteString("PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n")
	for _, sub := range []string{"state", "log", "spool"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			return fmt.Errorf("making the folder of a cluster: %w", err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "slurm.conf"), []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("writing the configuration of a cluster: %w", err)
	}
	return nil
}

// freePorts are ports of TCP that nothing listens on at this moment.
func freePorts(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("looking for a free port: %w", err)
		}
		defer l.Close() // only when all are found, so that no port comes twice
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}

package campaign

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"xopt/internal/proc"
)

// Beat is the heartbeat file of a worker. Its count increases while the worker is alive.
type Beat struct {
	Worker string  `json:"worker"`
	By     Process `json:"by"`
	Count  int     `json:"count"`
	Slots  int     `json:"slots"` // number of points computed concurrently
	Used   int     `json:"used"`  // cores
	Given  int     `json:"given"` // number of cores in the affinity of the process
	Ended  bool    `json:"ended,omitempty"`
	Node   string  `json:"node,omitempty"` // name of the worker's machine in the campaign or in the scheduler
	Job    string  `json:"job,omitempty"`  // job ID in the scheduler
	Clock  string  `json:"clock"`          // time on the worker's machine, for readers only
}

// At returns the name of a worker's machine.
func (b *Beat) At() string { return cmp.Or(b.Node, b.By.Host) }

// heard is an observer's record of a worker.
type heard struct {
	beat Beat
	at   time.Time // time of the last change of the count, by the observer's clock
}

// writeBeat writes the heartbeat of a worker.
func (f *Folder) writeBeat(b *Beat) error {
	b.Count++
	b.Clock = time.Now().UTC().Format(time.RFC3339)
	return f.putJSON(filepath.Join(workersFolder, b.Worker+".json"), b)
}

// Process identifies a process on one boot of one machine.
type Process struct {
	Host  string `json:"host"`
	Node  string `json:"node"` // the boot and container; "" if unknown
	PID   int    `json:"pid"`
	Start string `json:"start"` // start time, in ticks of that machine
}

// thisProcess returns the current process.
func thisProcess() Process {
	p := Process{PID: os.Getpid()}
	p.Host, _ = os.Hostname()
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, err2 := os.Readlink("/proc/self/ns/pid")
	if err == nil && err2 == nil {
		p.Node = fmt.Sprintf("%s %s %s", p.Host, bytes.TrimSpace(boot), space)
	}
	p.Start = started(p.PID)
	return p
}

// started returns the start time of a process in ticks since boot; "" if the process has ended.
func started(pid int) string {
	s, ok := proc.Read(pid)
	if !ok || s.Ended() {
		return ""
	}
	return strconv.FormatInt(s.Started, 10)
}

// gone reports whether this machine can determine that a process has ended.
func (p *Process) gone(here *Process) bool {
	return p.Node != "" && p.Node == here.Node && p.Start != "" && started(p.PID) != p.Start
}

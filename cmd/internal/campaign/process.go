package campaign

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Process is a process, and the machine since its start that it runs on.
type Process struct {
	Host  string `json:"host"`
	Node  string `json:"node"` // the machine since it was started, and the container; "" where that is not known
	PID   int    `json:"pid"`
	Start string `json:"start"` // when it began, in ticks of that machine
}

// thisProcess is the one that runs.
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

// started is when a process began, in ticks since the machine was started; "" where it is gone.
func started(pid int) string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return ""
	}
	const after = 19 // fields after the name, which may hold blanks and brackets: proc(5), starttime
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) <= after || fields[0] == "Z" {
		return ""
	}
	return fields[after]
}

// gone reports whether a process has ended, as far as this machine can know it.
func (p *Process) gone(here *Process) bool {
	return p.Node != "" && p.Node == here.Node && p.Start != "" && started(p.PID) != p.Start
}

// Package proc reads the processes of Linux from /proc; see proc(5).
package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Tick is the unit of times in /proc, the same in all Linux kernels.
const Tick = 10 * time.Millisecond

// Stat is the content of /proc/N/stat.
type Stat struct {
	Name    string // name of the program, with any characters; kernel threads change their names
	State   string // a letter, as in ps(1)
	Parent  int
	Group   int
	Threads int
	Used    time.Duration // processor time, including the time of ended children
	Started int64         // ticks since the start of the machine; identifies a process together with the id
}

// Ended reports whether a process has ended, but still has an entry because its parent has not waited for it.
func (s Stat) Ended() bool { return s.State == "Z" || s.State == "X" }

// Read reads a process; ok is false if it cannot be read.
func Read(pid int) (s Stat, ok bool) { return read(filepath.Join("/proc", strconv.Itoa(pid))) }

// Processes reads all processes in a /proc folder by id. It ignores processes that end during the call.
func Processes(dir string) map[int]Stat {
	entries, _ := os.ReadDir(dir) // without /proc, there are no processes
	list := make(map[int]Stat, len(entries))
	for _, entry := range entries {
		id, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if s, ok := read(filepath.Join(dir, entry.Name())); ok {
			list[id] = s
		}
	}
	return list
}

// read reads the process from its folder in /proc.
func read(dir string) (s Stat, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return s, false
	}
	start, stop := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if start < 0 || stop < start {
		return s, false
	}
	const parent, group, user, childrenSystem, threads, started = 1, 2, 11, 14, 17, 19 // field numbers after the name
	fields := bytes.Fields(text[stop+1:])
	if len(fields) <= started {
		return s, false
	}
	number := make([]int64, started+1) // the state is not a number
	for i := parent; i <= started; i++ {
		if number[i], err = strconv.ParseInt(string(fields[i]), 10, 64); err != nil {
			return s, false
		}
	}
	s = Stat{Name: string(text[start+1 : stop]), State: string(fields[0]), Parent: int(number[parent]),
		Group: int(number[group]), Threads: int(number[threads]), Started: number[started]}
	for _, n := range number[user : childrenSystem+1] {
		s.Used += time.Duration(n) * Tick
	}
	return s, true
}

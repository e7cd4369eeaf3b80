package run

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"xopt/internal/proc"
)

// maxTasks is the maximum number of processes and threads that a run may start in addition to its own processes.
// Otherwise a kernel that forks endlessly would fill the machine's process table, and no other program could start.
const maxTasks = 1000

// countPeriod is the maximum time between two counts. A count takes 1 to 5 ms of a core.
const countPeriod = 5 * time.Second

// tasks limits the number of processes and threads of a run. The machine's total is cheap to read. look counts the
// tasks of the run when this total has risen far enough for the run to exceed its limit. It also counts them once per
// countPeriod, because the total does not rise if as many other tasks end.
type tasks struct {
	r       *run
	load    *os.File  // nil if unknown
	max     int       // maximum number of tasks that the run may start
	own     int       // tasks of the run at the last count
	count   int       // total of the machine that triggers the next count
	counted time.Time // time of the last count; zero before the first count
}

// newTasks returns the tasks of a run. The caller closes the load file.
func newTasks(r *run) *tasks {
	t := &tasks{r: r, max: maxTasks}
	if r.limits.tasks > 0 {
		t.max = r.limits.tasks
	}
	if r.parts != nil {
		return t // each part watches its own tasks
	}
	if f, err := os.Open("/proc/loadavg"); err == nil {
		t.load = f
	}
	return t
}

func (t *tasks) close() {
	if t.load != nil {
		_ = t.load.Close() // it was only read
	}
}

// look returns a failure when a run has started too many tasks.
func (t *tasks) look(now time.Time) *Failure {
	all := t.onMachine()
	if all == 0 {
		return nil
	}
	// If tasks outside the run have ended, the run may have started the same number of tasks.
	if t.count = min(t.count, all+t.max-t.own); all < t.count && now.Sub(t.counted) < countPeriod {
		return nil
	}
	t.counted = now
	list := proc.Processes("/proc")
	started, process := t.ofRun(list)
	if t.own, t.count = started, all+t.max-started; started <= t.max {
		return nil
	}
	t.killStrays()
	who, where := "", "the process of "+t.r.prog.Processes[process].Name
	if k := t.r.kernelIn(process); k >= 0 {
		who, where = t.r.prog.Kernels[k].Name, t.r.sourceText(k)
	}
	return &Failure{Kind: "processes", Kernel: who, Text: fmt.Sprintf("%s keeps starting processes or threads: the "+
		"run has %d additional processes and threads, and the limit is %d", where, started, t.max)}
}

// killRounds is the maximum number of scans for processes of a run that have left their groups.
const killRounds = 20

// killStrays stops all processes of the run. It then kills the processes that would survive their parents because they
// have left their groups. While all processes are stopped, no new process starts, and the parents of all processes are
// known.
func (t *tasks) killStrays() {
	strays := make(map[int]bool)
	for range killRounds {
		before := len(strays)
		t.r.mu.Lock()
		for _, p := range t.r.running {
			_ = unix.Kill(-p.Pid, unix.SIGSTOP) // it may have ended
		}
		t.r.mu.Unlock()
		list := proc.Processes("/proc")
		for id, x := range list {
			if p, in := t.owner(list, id); in && x.Group != t.pid(p) && !strays[id] {
				strays[id] = true
				_ = unix.Kill(id, unix.SIGSTOP) // it may have ended
			}
		}
		if len(strays) == before {
			break
		}
	}
	for id := range strays {
		_ = unix.Kill(id, unix.SIGKILL) // it may have ended
	}
}

// onMachine returns the number of processes and threads on the machine, or 0 if unknown.
func (t *tasks) onMachine() int {
	if t.load == nil {
		return 0
	}
	var text [128]byte
	n, _ := t.load.ReadAt(text[:], 0) // the file is shorter
	fields := bytes.Fields(text[:n])
	if len(fields) < 4 {
		return 0
	}
	_, all, _ := bytes.Cut(fields[3], []byte("/"))
	count, err := strconv.Atoi(string(all))
	if err != nil {
		return 0
	}
	return count
}

// ofRun counts the processes and threads of a run, and returns the process that started the largest number of them.
func (t *tasks) ofRun(list map[int]proc.Stat) (all, process int) {
	of := make([]int, len(t.r.prog.Processes))
	for id, x := range list {
		p, in := t.owner(list, id)
		if !in {
			continue
		}
		n := x.Threads
		if id == t.pid(p) {
			n-- // no kernel started it
		}
		of[p] += n
		if all += n; of[p] > of[process] {
			process = p
		}
	}
	return all, process
}

// owner returns the process of the run that started another process; false for none. The owner is in the same process
// group, or among the parents.
func (t *tasks) owner(list map[int]proc.Stat, id int) (process int, in bool) {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	for range len(list) { // parents may change during the scan
		x, isKnown := list[id]
		if !isKnown {
			return 0, false
		}
		for p, own := range t.r.running {
			if own.Pid == x.Group || own.Pid == id {
				return p, true
			}
		}
		id = x.Parent
	}
	return 0, false
}

// pid returns the Linux id of a process of the run; 0 if it has ended.
func (t *tasks) pid(process int) int {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	if p := t.r.running[process]; p != nil {
		return p.Pid
	}
	return 0
}

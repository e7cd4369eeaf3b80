package profile

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// tick is what Linux counts processor time in, in /proc/stat.
const tick = 10 * time.Millisecond

// fields are what /proc/stat says of a processor, or of all ("cpu"), in ticks.
type fields struct{ user, nice, system, idle, wait, irq, soft, steal uint64 }

// processorTime reads one line of /proc/stat; ok is false where there is none.
func processorTime(name string) (f fields, ok bool) {
	file, err := os.Open("/proc/stat")
	if err != nil {
		return f, false
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		rest, found := strings.CutPrefix(lines.Text(), name+" ")
		if !found {
			continue
		}
		n, _ := fmt.Sscan(rest, &f.user, &f.nice, &f.system, &f.idle, &f.wait, &f.irq, &f.soft, &f.steal)
		return f, n == 8
	}
	return f, false
}

// Watch measures the processors that other programs use on this machine.
type Watch struct {
	begin     time.Time
	all       fields
	own       time.Duration
	processes map[int]process
	ok        bool
}

// NewWatch begins to watch.
func NewWatch() Watch {
	w := Watch{processes: readProcesses("/proc"), begin: time.Now(), own: ownTime()}
	w.all, w.ok = processorTime("cpu")
	return w
}

// Others is how many processors something else than this process and its children has
// used since, on average; 0 where Linux does not say.
func (w Watch) Others() float64 {
	now, ok := processorTime("cpu")
	elapsed := time.Since(w.begin)
	if !ok || !w.ok || elapsed <= 0 {
		return 0
	}
	busy := time.Duration(now.user+now.nice+now.system-w.all.user-w.all.nice-w.all.system) * tick
	return max(0, (busy-(ownTime()-w.own)).Seconds()/elapsed.Seconds())
}

// Taken is how many processors the host of this virtual machine and interrupts have taken since, on
// average; 0 where Linux does not say.
func (w Watch) Taken() float64 {
	now, ok := processorTime("cpu")
	elapsed := time.Since(w.begin)
	if !ok || !w.ok || elapsed <= 0 {
		return 0
	}
	lost := time.Duration(now.irq+now.soft+now.steal-w.all.irq-w.all.soft-w.all.steal) * tick
	return max(0, lost.Seconds()/elapsed.Seconds())
}

// ownTime is the processor time of this process and of those of its children that have
// ended.
func ownTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if unix.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// Stolen is how long a processor has been taken by the host of this virtual machine, by
// interrupts, or by what else Linux counts so, in ticks of 10 ms; 0 where Linux does not say.
func Stolen(cpu int) uint64 {
	f, _ := processorTime(fmt.Sprintf("cpu%d", cpu))
	return f.irq + f.soft + f.steal
}

// muchOthers is how many processors others may use before what was measured meanwhile
// is taken to be disturbed.
const muchOthers = 0.05

// BusyOthers is the number of processors from which on other programs disturb a measurement. Below it, leaving out the
// windows in which another process had the processor is enough: it costs time, and no figure changes.
const BusyOthers = 0.25

// Busy describes what else uses the processors, where it is enough to disturb a calibration; "" if it is not.
func (w Watch) Busy() string {
	var list []string
	cores := ThisMachine().Cores
	if others := w.Others(); others >= BusyOthers {
		text := fmt.Sprintf("other programs use %.1f of %d processors", others, cores)
		if names := NamePrograms(w.Programs()); names != "" {
			text += " (" + names + ")"
		}
		list = append(list, text)
	}
	if taken := w.Taken(); taken >= BusyOthers {
		list = append(list, fmt.Sprintf("the host of this virtual machine and interrupts take %.1f of %d processors",
			taken, cores))
	}
	return strings.Join(list, ", and ")
}

// Disturbed describes the processors that other programs used, with the names of the busiest; "" if the machine was
// left alone.
func (w Watch) Disturbed() string {
	_, text := w.Disturbance()
	return text
}

// Disturbance returns the processors that other programs used on average, and Disturbed's text about them; 0 and "" if
// the machine was left alone.
func (w Watch) Disturbance() (others float64, text string) {
	const fewest = 50 * time.Millisecond // of processor time: Linux counts it in ticks
	others = w.Others()
	if others <= muchOthers || others*time.Since(w.begin).Seconds() <= fewest.Seconds() {
		return 0, ""
	}
	text = fmt.Sprintf("other processes used %.2f processors meanwhile", others)
	if names := NamePrograms(w.Programs()); names != "" {
		text += " (" + names + ")"
	}
	return others, text
}

// Crowded returns the processors that other programs used since, and a text about them, where they are enough to
// disturb a run: at least BusyOthers. Every command that runs kernels judges by it.
func (w Watch) Crowded() (others float64, text string) {
	if others, text = w.Disturbance(); others < BusyOthers {
		return 0, ""
	}
	return others, text
}

package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"xopt/internal/proc"
)

// fields contains the times in ticks of a processor, or of all processors ("cpu"), in /proc/stat.
type fields struct{ user, nice, system, idle, wait, irq, soft, steal uint64 }

// processorTimes reads the times of the processors from a /proc/stat file; "cpu" is their sum.
func processorTimes(dir string) map[string]fields {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return nil
	}
	all := make(map[string]fields)
	for line := range strings.Lines(string(text)) {
		var f fields
		name, rest, _ := strings.Cut(line, " ")
		n, _ := fmt.Sscan(rest, &f.user, &f.nice, &f.system, &f.idle, &f.wait, &f.irq, &f.soft, &f.steal)
		if strings.HasPrefix(name, "cpu") && n == 8 {
			all[name] = f
		}
	}
	return all
}

// processorTime reads the sum over all processors; ok is false if the file contains no sum.
func processorTime(dir string) (f fields, ok bool) {
	f, ok = processorTimes(dir)["cpu"]
	return f, ok
}

// CountedTime returns the time in seconds that Linux has counted on each processor, busy or idle. This time does not
// advance while the host of a virtual machine does not run the processor.
func CountedTime() map[string]float64 {
	counted := make(map[string]float64)
	for name, f := range processorTimes("/proc") {
		if name != "cpu" {
			ticks := f.user + f.nice + f.system + f.idle + f.wait + f.irq + f.soft
			counted[name] = (time.Duration(ticks) * proc.Tick).Seconds()
		}
	}
	return counted
}

// Watch measures the number of processors that other programs use on this machine. Every command that measures or runs
// kernels uses [Watch.Foreign] to detect foreign load.
type Watch struct {
	dir       string // path of /proc
	now       func() time.Time
	start     time.Time
	all       fields
	own       time.Duration
	processes map[int]proc.Stat
	ok        bool
}

// NewWatch starts a watch of this machine.
func NewWatch() Watch { return WatchIn("/proc", time.Now) }

// WatchIn starts a watch of the machine that a /proc folder describes, with the given clock.
func WatchIn(dir string, now func() time.Time) Watch {
	w := Watch{dir: dir, now: now, processes: proc.Processes(dir), start: now(), own: ownTime()}
	w.all, w.ok = processorTime(dir)
	return w
}

// Foreign is the mean load of other programs during a watch, in processors.
type Foreign struct {
	Others float64 // processors that programs other than this process and its children used
	Stolen float64 // processors that other virtual machines of the host used
	Lost   float64 // Stolen plus the processors that interrupts used
	Text   string  // description of the load and the busiest programs; "" if the load is not measurable
}

// Processors returns the mean number of processors that this program could not use.
func (f *Foreign) Processors() float64 { return f.Others + f.Stolen }

// Disturbance returns the description of a load that disturbs a measurement; "" for a smaller load.
func (f *Foreign) Disturbance() string {
	if !IsCrowded(f.Processors()) {
		return ""
	}
	return f.Text
}

// crowded is the minimum number of processors that other programs must use to disturb a measurement. For fewer
// processors, it is sufficient to omit the windows in which another process used the processor. The omitted windows
// cost time, but do not change figures.
const crowded = 0.25

// IsCrowded reports whether other programs that use this many processors disturb a measurement.
func IsCrowded(processors float64) bool { return processors >= crowded }

// Foreign returns the load of other programs since the start of the watch; zero if Linux does not report the load.
func (w Watch) Foreign() Foreign {
	now, ok := processorTime(w.dir)
	elapsed := w.now().Sub(w.start)
	if !ok || !w.ok || elapsed <= 0 {
		return Foreign{}
	}
	processors := func(d time.Duration) float64 { return max(0, d.Seconds()/elapsed.Seconds()) }
	busy := time.Duration(now.user+now.nice+now.system-w.all.user-w.all.nice-w.all.system) * proc.Tick
	f := Foreign{Others: processors(busy - (ownTime() - w.own)),
		Stolen: processors(time.Duration(now.steal-w.all.steal) * proc.Tick)}
	f.Lost = f.Stolen + processors(time.Duration(now.irq+now.soft-w.all.irq-w.all.soft)*proc.Tick)
	const minimum = 50 * time.Millisecond // minimum processor time, which Linux counts in ticks
	if f.Processors()*elapsed.Seconds() <= minimum.Seconds() {
		return f
	}
	f.Text = fmt.Sprintf("other programs used %.2f of %d processors", f.Others, ThisMachine().Cores)
	if names := NamePrograms(w.programs(elapsed, f.Others)); names != "" {
		f.Text += " (" + names + ")"
	}
	if f.Stolen >= 0.01 {
		f.Text += fmt.Sprintf(", and the host of this virtual machine used %.2f processors", f.Stolen)
	}
	return f
}

// ownTime returns the processor time of this process and of its terminated children.
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

// spinRounds is the number of rounds of the reference spin, which lasts some milliseconds.
const spinRounds = 1_000_000

// ReferenceSpin executes a fixed piece of work and returns its time in seconds. If spins alternate with other work,
// their times show changes of the processor's frequency, and other users of the core. Only the spins detect users
// outside this virtual machine. A spin keeps several units of a core busy, so that another program on the core slows it
// in the same way as other code.
func ReferenceSpin() float64 {
	start := time.Now()
	a := uint64(start.UnixNano()) | 1
	b, c, d := a+2, a+4, a+6
	for range spinRounds {
		a = (a ^ a>>27) * 0x2545f4914f6cdd1d
		b = (b ^ b>>27) * 0x2545f4914f6cdd1d
		c = (c ^ c>>27) * 0x2545f4914f6cdd1d
		d = (d ^ d>>27) * 0x2545f4914f6cdd1d
	}
	elapsed := time.Since(start).Seconds()
	if a^b^c^d == 0 { // prevents the compiler from removing the loop
		return elapsed + 1e-12
	}
	return elapsed
}

// Steadiness compares the current speed of the machine with its usual speed, by reference spins.
type Steadiness struct{ spins []float64 }

// slowSpin is the maximum time of a spin in an undisturbed measurement, relative to the lower quartile of all spins.
// With fewer than fewSpins spins, no spin counts as slow.
const (
	slowSpin = 1.05
	fewSpins = 8
)

// Slow adds the time of a spin in s. It reports whether the spin was slow compared to all added spins.
func (s *Steadiness) Slow(spin float64) bool {
	s.spins = append(s.spins, spin)
	if len(s.spins) < fewSpins {
		return false
	}
	sorted := slices.Sorted(slices.Values(s.spins))
	return spin > slowSpin*sorted[len(sorted)/4]
}

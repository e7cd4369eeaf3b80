package profile

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Surroundings describes the other load of the machine during a measurement.
type Surroundings struct {
	Began, Ended time.Time
	Cores        int
	Others       float64    // mean number of processors that other programs used
	Taken        float64    // mean number of processors that the host of a virtual machine and interrupts used
	Load         [2]float64 // Linux's load average over a minute, at the start and at the end; 0 if unknown
	Nice         int        // priority of this program: -20 is the highest priority, 0 the usual priority
	Spins        [2]Median  // times in s of a fixed piece of work, before and after
}

// referenceSpins is the number of reference spins both before and after a measurement.
const referenceSpins = 9

// Observation observes the load of the machine between [Observe] and [Observation.Stop].
type Observation struct {
	watch Watch
	load  float64
	spins []float64
}

// Observe starts an observation of the machine.
func Observe() *Observation {
	o := &Observation{load: loadAverage(), spins: spins()}
	o.watch = NewWatch()
	return o
}

// Stop ends the observation and returns the load of the machine during the observation.
func (o *Observation) Stop() Surroundings {
	f := o.watch.Foreign()
	c := Surroundings{Began: o.watch.start, Cores: ThisMachine().Cores, Others: f.Others, Taken: f.Lost,
		Load: [2]float64{o.load, loadAverage()}}
	c.Ended = time.Now()
	if raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil {
		c.Nice = 20 - raw // the raw system call returns a nonnegative value
	}
	c.Spins = [2]Median{MedianOf(o.spins), MedianOf(spins())}
	return c
}

func spins() []float64 {
	list := make([]float64, referenceSpins)
	for i := range list {
		list[i] = ReferenceSpin()
	}
	return list
}

// loadAverage returns the mean number of running and waiting processes over the last minute; 0 if Linux does not report
// it.
func loadAverage() float64 {
	var load float64
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Sscan(string(text), &load)
	}
	return load
}

// Quiet reports whether the machine had no other load, and the same speed before and after the measurement.
func (c *Surroundings) Quiet() bool {
	low, high := c.Spins[0].Value, c.Spins[1].Value
	return !IsCrowded(c.Others) && !IsCrowded(c.Taken) && max(low, high) <= slowSpin*min(low, high)
}

// ThisMachine describes the machine that runs this program, from /proc and /sys.
func ThisMachine() Machine {
	m := Machine{CPU: "unknown", Cores: runtime.NumCPU(), Kernel: "unknown", Caches: ThisCaches()}
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if name, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(name) == "model name" {
				m.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	var u unix.Utsname
	if err := unix.Uname(&u); err == nil {
		m.Kernel = unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:])
	}
	return m
}

// ThisCaches returns the caches of a core of this machine, such as "L1 48K Data, L1 32K Instruction, L2 2048K Unified".
// It returns "" if Linux does not report them, as in some virtual machines.
func ThisCaches() string { return cachesIn("/sys/devices/system/cpu/cpu0/cache") }

func cachesIn(folder string) string {
	levels, err := filepath.Glob(filepath.Join(folder, "index*"))
	if err != nil {
		return ""
	}
	slices.Sort(levels)
	var list []string
	for _, dir := range levels {
		var words []string
		for _, name := range []string{"level", "size", "type"} {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
				words = append(words, strings.TrimSpace(string(text)))
			}
		}
		list = append(list, "L"+strings.Join(words, " "))
	}
	return strings.Join(list, ", ")
}

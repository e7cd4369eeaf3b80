package program

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"xopt/deploy/faults"
)

// processors lists at most n of the processors that this process may use; all of them if n is 0.
func processors(n int) []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return []int{-1} // without affinity no process is pinned
	}
	var list []int
	for i := 0; len(list) < set.Count(); i++ {
		if set.IsSet(i) {
			list = append(list, i)
		}
	}
	if n > 0 && n < len(list) {
		list = list[:n]
	}
	return list
}

// hasSteadyTSC reports whether the time stamp counter has a constant rate in all processor states and the same value on
// all cores. The processor reports the constant rate. Linux compares the counters of the cores and reports equal
// values.
func hasSteadyTSC() bool {
	sources, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/available_clocksource")
	if err != nil || !slices.Contains(strings.Fields(string(sources)), "tsc") {
		return false
	}
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(name) == "flags" {
			flags := strings.Fields(value)
			return slices.Contains(flags, "constant_tsc") && slices.Contains(flags, "nonstop_tsc")
		}
	}
	return false
}

// freeMemory returns the available memory in bytes; 0 if Linux does not report it.
func freeMemory() uint64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			if kib, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10,
				64); err == nil {
				return kib << 10
			}
		}
	}
	return 0
}

// checkMemory rejects buffers that exceed the free memory, because Linux would later kill a process.
func checkMemory(bytes uint64) error {
	if free := freeMemory(); free > 0 && bytes > free {
		return faults.SharedMemory.Errorf("the buffers need %d MiB of shared memory, but %d MiB are free: make "+
			"buffers smaller (buffer { … } = …;)", bytes>>20, free>>20)
	}
	return nil
}

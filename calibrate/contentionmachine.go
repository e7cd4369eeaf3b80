package calibrate

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"xopt/flow/profile"
)

// The working set of the highest pressure level in bytes: assumedCache if Linux does not report the caches, otherwise
// between minPressure and maxPressure.
const (
	assumedCache = 32 << 20
	minPressure  = 8 << 20
	maxPressure  = 256 << 20
)

// sharedMemory returns the caches and the memory that two processors share according to Linux. If sysfs contains no
// caches, as in some virtual machines, it assumes that the processors share only main memory.
func sharedMemory(cpus [2]int) *profile.Memory {
	return sharedIn("/sys/devices/system/cpu", cpus)
}

func sharedIn(sys string, cpus [2]int) *profile.Memory {
	m := &profile.Memory{Processors: cpus, Shared: "memory", Assumed: true}
	largest, level := int64(0), 0
	entries, err := filepath.Glob(filepath.Join(sys, fmt.Sprintf("cpu%d", cpus[0]), "cache", "index*"))
	if err != nil {
		entries = nil
	}
	for _, dir := range entries {
		text := func(name string) string {
			content, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(content))
		}
		size := cacheSize(text("size"))
		l, err := strconv.Atoi(text("level"))
		if err != nil || size == 0 || text("type") == "Instruction" {
			continue
		}
		m.Assumed = false
		largest = max(largest, size)
		if l > level && inList(text("shared_cpu_list"), cpus[1]) {
			level = l
			m.Shared = fmt.Sprintf("L%d cache of %d KiB and memory", l, size>>10)
		}
	}
	if largest == 0 {
		largest = assumedCache
	}
	m.Bytes = min(max(2*largest, minPressure), maxPressure)
	return m
}

// cacheSize parses a size from sysfs, such as 1024K, in bytes; 0 if the text is not a size.
func cacheSize(text string) int64 {
	unit := int64(1)
	switch {
	case strings.HasSuffix(text, "K"):
		unit = 1 << 10
	case strings.HasSuffix(text, "M"):
		unit = 1 << 20
	}
	n, err := strconv.ParseInt(strings.TrimRight(text, "KM"), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n * unit
}

// inList reports whether a list of processors, such as 0-3,8, contains a processor.
func inList(list string, cpu int) bool {
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		a, err := strconv.Atoi(from)
		if err != nil {
			continue
		}
		b := a
		if isRange {
			if b, err = strconv.Atoi(to); err != nil {
				continue
			}
		}
		if a <= cpu && cpu <= b {
			return true
		}
	}
	return false
}

package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ThisCaches are the caches of a core of this machine, such as "L1 48K Data, L1 32K Instruction, L2 2048K Unified"; ""
// where Linux does not tell them, as in some virtual machines.
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

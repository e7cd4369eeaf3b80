package harness

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// stolen is how long a processor has been taken by the host of this virtual machine,
// by interrupts, or by what else Linux counts so, in clock ticks of 10 ms; 0 where
// Linux does not say.
func stolen(cpu int) uint64 {
	f, err := os.Open("/proc/stat")
	if err != nil {
		return 0
	}
	defer f.Close()
	prefix := fmt.Sprintf("cpu%d ", cpu)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), prefix)
		if !ok {
			continue
		}
		var user, nice, system, idle, wait, irq, soft, steal uint64
		if n, _ := fmt.Sscan(rest, &user, &nice, &system, &idle, &wait, &irq, &soft, &steal); n == 8 {
			return irq + soft + steal
		}
	}
	return 0
}

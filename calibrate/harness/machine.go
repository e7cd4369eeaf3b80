package harness

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"
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

// spinRounds is the length of the reference spin.
const spinRounds = 2_000_000

// referenceSpin is how long a fixed piece of work takes now, in seconds: it tells a
// change of the processor's frequency, or that somebody else has part of it.
func referenceSpin() float64 {
	begin := time.Now()
	x := uint64(time.Now().UnixNano()) | 1
	for range spinRounds {
		x ^= x >> 27
		x *= 0x2545f4914f6cdd1d
	}
	took := time.Since(begin).Seconds()
	if x == 0 { // never, but the compiler does not know that
		return 0
	}
	return took
}

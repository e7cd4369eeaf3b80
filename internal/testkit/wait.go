package testkit

import (
	"syscall"
	"testing"
	"time"
)

// Eventually waits until something is true, and reports whether it became so. The limit only ends what never does:
// no machine is so busy that it decides.
func Eventually(f func() bool) bool {
	const limit, step = 5 * time.Minute, 10 * time.Millisecond
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(step) {
		if f() {
			return true
		}
	}
	return f()
}

// CPUTime is the processor time that this process has used: it is the same however busy the machine is.
func CPUTime(t testing.TB) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

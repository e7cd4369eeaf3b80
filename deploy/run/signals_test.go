package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"xopt/deploy/program"
)

// processesOf lists the processes of a program.
func processesOf(t *testing.T, path string) []int {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for _, e := range entries {
		if target, err := os.Readlink(e); err == nil && target == path {
			if pid, err := strconv.Atoi(strings.Split(e, "/")[2]); err == nil {
				list = append(list, pid)
			}
		}
	}
	return list
}

// TestSignalsFromOutside kills or stops each process of a running deployment in
// turn.
func TestSignalsFromOutside(t *testing.T) {
	t.Parallel()
	d := load(t, test1, "app.x arch.x", "map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store "+
		"} to proc[2];")
	for _, style := range []program.Style{program.PerCore, program.PerKernel} {
		if testing.Short() && style == program.PerCore {
			continue
		}
		prog, err := program.New(t.Context(), d, program.Options{CPUs: 2, Style: style, Elements: 1 << 60},
			filepath.Join(t.TempDir(), "kept"))
		if err != nil {
			t.Fatal(err)
		}
		processes := map[program.Style]int{program.PerCore: 2, program.PerKernel: 5}[style]
		for victim := range processes {
			for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
				if sig == syscall.SIGSTOP && victim > 1 {
					continue
				}
				name := fmt.Sprintf("per %s, process %d, %v", style, victim, sig)
				m := strike(t, prog, processes, victim, sig)
				switch {
				case m == nil || m.Failure == nil:
					t.Errorf("%s: got %+v", name, m)
				case sig == syscall.SIGKILL && (m.Failure.Kind != "crash" || !strings.Contains(m.Failure.Text,
					"signal 9 (killed)")):
					t.Errorf("%s: got %v", name, m.Failure)
				case sig == syscall.SIGSTOP && m.Failure.Kind != "hang" && m.Failure.Kind != "deadlock":
					t.Errorf("%s: got %v", name, m.Failure)
				}
			}
		}
	}
}

// strike sends a signal to one of the processes of a run once all of them exist.
func strike(t *testing.T, prog *program.Program, processes, victim int, sig syscall.Signal) *Measurement {
	t.Helper()
	done := make(chan *Measurement, 1)
	go func() {
		m, err := Once(t.Context(), prog, Options{Stall: stall})
		if err != nil {
			t.Error(err)
		}
		done <- m
	}()
	path := prog.Command(0)[0]
	for len(processesOf(t, path)) < processes {
		select {
		case m := <-done: // it has ended before
			return m
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(20 * time.Millisecond)
	if all := processesOf(t, path); victim < len(all) {
		if err := syscall.Kill(all[victim], sig); err != nil {
			t.Error(err)
		}
	}
	m := <-done
	checkNoProcess(t, path)
	return m
}

package run

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"xopt/deploy/abi"
	"xopt/flow/profile"
	"xopt/internal/proc"
	"xopt/internal/units"
)

// scheduled is the content of /proc/N/schedstat for the main thread of a process, which runs its kernels. It contains
// the running time and the waiting time for a processor in seconds, and the number of time slices.
type scheduled struct {
	ran, waited float64
	turns       uint64
}

// readScheduled reads a schedstat file. ok is false if the file does not contain three counts.
func readScheduled(f *os.File) (x scheduled, ok bool) {
	var text [96]byte
	n, _ := f.ReadAt(text[:], 0) // the file is shorter
	var counts [3]uint64
	fields := bytes.Fields(text[:n])
	for i := range counts {
		if i == len(fields) {
			return x, false
		}
		count, err := strconv.ParseUint(string(fields[i]), 10, 64)
		if err != nil {
			return x, false
		}
		counts[i] = count
	}
	return scheduled{1e-9 * float64(counts[0]), 1e-9 * float64(counts[1]), counts[2]}, true
}

// scheduling reads the scheduling statistics of the processes of a run on this machine.
type scheduling struct {
	files map[int]*os.File // /proc/N/schedstat of each process
	last  map[int]scheduled
}

// look returns the current state by process. An ended process keeps its last state.
func (s *scheduling) look(r *run) map[int]scheduled {
	if s.files == nil {
		s.files, s.last = make(map[int]*os.File), make(map[int]scheduled)
		for i, pid := range r.pids() {
			if f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/schedstat"); err == nil {
				s.files[i] = f
			}
		}
	}
	for i, f := range s.files {
		if x, ok := readScheduled(f); ok {
			s.last[i] = x
		}
	}
	return s.last
}

// waited returns the total time for which the processes waited for a processor, in seconds; 0 if Linux does not report
// it.
func (s *scheduling) waited(r *run) (sum float64) {
	for _, x := range s.look(r) {
		sum += x.waited
	}
	return sum
}

func (s *scheduling) close() {
	for _, f := range s.files {
		_ = f.Close() // it was only read
	}
}

// pids returns the Linux ids of the processes that run on this machine.
func (r *run) pids() map[int]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make(map[int]int)
	for i, p := range r.running {
		list[i] = p.Pid
	}
	return list
}

// processorUse contains the processor time of a run and of this machine.
type processorUse struct {
	at    time.Time
	of    map[int]scheduled
	ready map[int]bool // processes that run or wait for a processor
	// counted is the time in seconds that Linux has counted on each processor, for any use. It does not advance while
	// the host suspends the processor of a virtual machine.
	counted map[string]float64
}

// processorUse reads the current processor use.
func (r *run) processorUse(now time.Time) processorUse {
	u := processorUse{at: now, of: maps.Clone(r.collector.scheduling.look(r)), ready: make(map[int]bool),
		counted: profile.CountedTime()}
	for i, pid := range r.pids() {
		x, _ := proc.Read(pid) // it may have ended
		u.ready[i] = x.State == "R"
	}
	return u
}

// keptFrom returns the time between two readings for which a process could not run. It is the longest time for which a
// process waited for a processor, or for which a processor was suspended. process is -1 if a processor was suspended
// for the longest time.
func (r *run) keptFrom(before, now *processorUse) (kept time.Duration, process int) {
	span := now.at.Sub(before.at).Seconds()
	maximum, process := 0.0, -1
	for cpu, counted := range now.counted {
		if b, ok := before.counted[cpu]; ok {
			maximum = max(maximum, span-(counted-b))
		}
	}
	for i, n := range now.of {
		b, ok := before.of[i]
		if !ok || r.done(i) {
			continue
		}
		waited := n.waited - b.waited
		switch turns := n.turns - b.turns; {
		case turns == 0 && n.ran == b.ran && now.ready[i]: // it still waits, and Linux counts a wait at its end
			waited = span
		case turns > 0 && r.kernelIn(i) < 0: // in each time slice it looked for work and found none
			waited /= float64(turns)
		}
		if waited > maximum {
			maximum, process = waited, i
		}
	}
	return time.Duration(min(maximum, span) * float64(time.Second)), process
}

// keptStill returns the failure of a run that made no progress because a process could not run.
func (r *run) keptStill(still, kept time.Duration, process int) *Failure {
	why := "a processor of this machine was stopped"
	if process >= 0 {
		why = r.processText(process) + " waited for a processor"
	}
	return &Failure{Kind: "busy", Text: fmt.Sprintf("no element has moved for %s, and for %s of this time, %s. The "+
		"machine may be too busy (raise --stall)", units.Time(still.Seconds()), units.Time(kept.Seconds()), why),
		State: r.state()}
}

// state describes each process, to find the cause of a stall. The text contains its Linux state, its processor time,
// its X kernel, and the function of the Linux kernel in which it waits. A virtual run adds texts about the virtual time
// and its FPGAs.
func (r *run) state() (list []string) {
	pids, of := r.pids(), r.collector.scheduling.look(r)
	for _, i := range slices.Sorted(maps.Keys(pids)) {
		at := fmt.Sprintf("/proc/%d/", pids[i])
		x, _ := proc.Read(pids[i])            // it may have ended
		where, _ := os.ReadFile(at + "wchan") // some users may not read it
		call, _ := os.ReadFile(at + "syscall")
		in := "in no kernel"
		if k := r.kernelIn(i); k >= 0 {
			in = fmt.Sprintf("in %s after %d calls", r.kernelText(k), r.calls(k))
		}
		number, _, _ := strings.Cut(strings.TrimSpace(string(call)), " ")
		list = append(list, fmt.Sprintf("process of %s: %s, Linux state %s, wchan %q, system call %q, ran %s, waited "+
			"%s for a processor, %d time slices", r.prog.Processes[i].Name, in, x.State, where, number,
			units.Time(of[i].ran), units.Time(of[i].waited), of[i].turns))
	}
	if !r.virtual() {
		return list
	}
	list = append(list, fmt.Sprintf("virtual time %d ps, settled %d ps, frame %d of %d ended", r.load64(abi.RunNow),
		r.load64(abi.RunSettled), r.load32(abi.RunFrame), r.load32(abi.RunEnded)))
	for i := range r.prog.FPGAs {
		at := r.prog.FPGAs[i].Control
		list = append(list, fmt.Sprintf("FPGA %s: cycle %d of %d, sleeps %d, awaited %d, stop %d", r.prog.FPGAs[i].Name,
			r.load64(at+abi.FederateDone), r.load64(at+abi.FederateUntil), r.load32(at+abi.FederateWaits),
			r.load32(at+abi.FederateAwaited), r.load32(at+abi.FederateStop)))
	}
	return list
}

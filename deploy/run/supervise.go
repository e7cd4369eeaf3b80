package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"

	"xopt/deploy/abi"
	"xopt/deploy/wire"
)

// Failure is the reason why a run did not end normally.
type Failure struct {
	// Kind is "crash", "failed", "exit", "overrun", "overwritten", "hang", "deadlock", "busy", "memory", "processes",
	// "host" or "stopped".
	Kind   string
	Kernel string // kernel at fault, if known
	Text   string
	State  []string // state of each process, if nothing moved

	// host is the host of the failed part in a run over hosts. why is Text without this host.
	host, why string
}

// trouble converts the failure to the message that a part sends to the controller.
func (f *Failure) trouble() wire.Trouble {
	return wire.Trouble{Kind: f.Kind, Kernel: f.Kernel, Text: f.Text}
}

// Error returns the text of the failure.
func (f *Failure) Error() string { return f.Text }

const (
	readyPeriod = time.Millisecond      // interval between checks whether all processes are ready
	watchPeriod = 10 * time.Millisecond // interval between samples, which cost about 20 us of a core each
	// conditionPeriod is the sampling interval if there are conditions. Its shorter interval gives a more precise
	// fraction of the time for which a condition is true.
	conditionPeriod = 2500 * time.Microsecond
)

// supervise releases the processes when all of them are ready, and watches them until the end of the run.
func (r *run) supervise(ctx context.Context) *Failure {
	tick := time.NewTicker(readyPeriod)
	defer tick.Stop()
	r.started = time.Now()
	r.ended = r.started
	going, left := false, len(r.prog.Processes)
	usual := time.Duration(0) // sampling interval
	tasks := newTasks(r)
	defer tasks.close()
	still := stillness{r: r, since: r.started, calls: make([]uint64, len(r.prog.Kernels)), use: r.processorUse}
	endless := runaway{r: r}
	for {
		select {
		case <-ctx.Done():
			r.ended = time.Now()
			return &Failure{Kind: "stopped", Text: "interrupted"}
		case e := <-r.exits:
			f := r.judge(e)
			if f != nil && r.parts != nil && r.prog.Processes[e.process].Carries {
				f = r.parts.explain(f, e.process)
			}
			if left--; f != nil || left == 0 { // the process and its clock run until here
				r.ended = time.Now()
				return f
			}
		case f := <-r.parts.trouble():
			r.ended = time.Now()
			return f
		case now := <-tick.C:
			if !going && r.allReady() {
				going = true
				period := watchPeriod
				if len(r.prog.Conditions) > 0 {
					period = conditionPeriod
				}
				if f := r.limits.Frame; f > 0 && f/2 < period {
					period = f / 2
				}
				if l := r.limits.Look; l > 0 && l < period {
					period = l
				}
				usual, r.period = period, period
				tick.Reset(r.grower.period(usual))
				r.started, now = time.Now(), time.Now()
				r.watch.start()
				r.collector.start()
				r.listener.start()
				r.store32(abi.RunStart, 1)
				still.since = now
			}
			r.parts.sendMemory()
			if r.watch.look(now) != nil {
				r.ended = now
				return r.watch.overwritten(-1)
			}
			if going {
				r.collector.look(now)
				before := r.grower.period(usual)
				if f := r.grower.look(now); f != nil {
					r.ended = now
					return f
				}
				if period := r.grower.period(usual); period != before {
					tick.Reset(period)
				}
			}
			stall := r.limits.Stall
			if f := cmp.Or(tasks.look(now), still.look(now, stall), endless.look(now, stall)); f != nil {
				r.ended = now
				return f
			}
			if going && r.limitReached(now) {
				r.ended = now
				r.unreturned = still.unreturned(now)
				return cmp.Or(endless.atLimit(now, stall), &Failure{Kind: "stopped",
					Text: fmt.Sprintf("stopped after %v, as requested", r.limits.Time)})
			}
		}
	}
}

// limitReached reports whether a run has reached its limit.
func (r *run) limitReached(now time.Time) bool {
	if r.virtual() {
		return r.load32(abi.RunFinished) != 0
	}
	return r.limits.Time > 0 && now.Sub(r.started) > r.limits.Time
}

// inspect checks shared memory after the processes have ended, whether the run failed or not.
func (r *run) inspect(f *Failure) *Failure {
	damaged := r.watch.look(r.ended) != nil
	r.watch.restore()
	switch {
	case f != nil && (f.Kind == "overrun" || f.Kind == "overwritten"):
		return f
	case damaged:
		return r.watch.overwritten(-1)
	}
	if r.parts != nil { // each part searches its own memory
		return f
	}
	if broken := r.brokenFence(); broken != nil {
		return broken
	}
	return f
}

// judge returns the failure that the end of a process indicates; nil for none.
func (r *run) judge(e exit) *Failure {
	kernel := r.kernelIn(e.process)
	who, own := "", "the process of "+r.prog.Processes[e.process].Name
	where := own
	if kernel >= 0 {
		who = r.prog.Kernels[kernel].Name
		own, where = r.kernelText(kernel), r.sourceText(kernel)
	}
	output := r.words[e.process].String()
	if output != "" {
		output = "; it printed: " + output
	}
	status := e.status
	// If counters were overwritten, a process is not at fault for failures that it finds in its own buffers.
	if r.watch.look(time.Now()) != nil {
		return r.watch.overwritten(kernel)
	}
	overrun := status.Exited() && status.ExitStatus() == abi.ExitOverrun && kernel >= 0
	if overrun && r.message(e.process) != "" {
		return &Failure{Kind: "overrun", Kernel: who, Text: fmt.Sprintf("%s %s", where, r.message(e.process))}
	}
	switch {
	case status.Signaled():
		hint := ""
		if status.Signal() == syscall.SIGKILL { // killed by another process: the kernel is not the cause
			hint = " (Linux kills a process when memory runs out, or at a limit on processor time)"
			where = r.processText(e.process)
		}
		if kernel >= 0 && slices.Contains(ownFault, status.Signal()) && !found.MatchString(output) {
			output = "; " + findLine + output
		}
		return &Failure{Kind: "crash", Kernel: who, Text: fmt.Sprintf("%s was killed by signal %d (%v)%s, after %s%s",
			where, status.Signal(), status.Signal(), hint, r.progressIn(e.process, kernel), output)}
	case status.Stopped(): // Linux reports this only for a traced process
		return &Failure{Kind: "crash", Kernel: who, Text: fmt.Sprintf("%s was stopped by signal %d (%v), because it "+
			"is traced, after %s%s", where, status.StopSignal(), status.StopSignal(), r.progressIn(e.process, kernel),
			output)}
	case status.ExitStatus() == abi.ExitFailed && r.message(e.process) != "":
		return &Failure{Kind: "failed", Kernel: who, Text: fmt.Sprintf("%s: %s", own,
			r.message(e.process))}
	case !r.done(e.process):
		return &Failure{Kind: "exit", Kernel: who, Text: fmt.Sprintf("%s ended its process with exit code %d, "+
			"after %s%s", where, status.ExitStatus(), r.progressIn(e.process, kernel), output)}
	}
	return nil
}

// processText names a process and its kernels.
func (r *run) processText(process int) string {
	var names []string
	for _, k := range r.prog.KernelsOf(process) {
		names = append(names, r.prog.Kernels[k].Name)
	}
	return fmt.Sprintf("the process of %s, which runs %s,", r.prog.Processes[process].Name, listed(names, ", "))
}

// owner returns the first kernel of a process; -1 if it has none.
func (r *run) owner(process int) int {
	if in := r.prog.KernelsOf(process); len(in) > 0 {
		return in[0]
	}
	return -1
}

// ownFault lists the signals that indicate a fault of the kernel.
var ownFault = []syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGABRT, syscall.SIGFPE, syscall.SIGILL}

// findLine is the hint for the failure of an unguarded run. A guarded run prints the line itself.
const findLine = "a run with --guard (deploy or calibrate) shows the line"

// sourceText names a kernel and its source file, for failures that the kernel causes.
func (r *run) sourceText(k int) string {
	x := &r.prog.Kernels[k]
	if x.Source == "" {
		return r.kernelText(k)
	}
	return fmt.Sprintf("kernel %s (block %s, source %s)", x.Name, x.Block, x.Source)
}

func (r *run) kernelText(k int) string {
	return "kernel " + r.prog.Kernels[k].Name + " (block " + r.prog.Kernels[k].Block + ")"
}

// Package run starts the processes of a program, watches them, and reads the traffic of every edge.
//
// The commands calibrate, measure and validate use the package. Kernels are users' code and may crash, hang or emit
// nothing. Every run ends, and leaves no process or memory behind. Failures name the kernel at fault. The processes end
// with the supervisor. The shared memory has no name, and disappears with the last process.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/trace"
	"xopt/internal/fault"
)

// Options contains the limits of a run, the length of its frames, and the receivers of its data.
type Options struct {
	Time  time.Duration // time limit; 0 for none
	Stall time.Duration // timeout without any progress; 0 means 10 s
	// Frame is the length of a time frame (Lancaster 2011 §3.3), at least MinFrame; 0 makes the run one frame.
	Frame time.Duration
	// Look is the sampling interval of the run if it is below 10 ms; 0 for the default.
	Look time.Duration
	// OnFrame, if set, receives each frame during the run, soon after the end of the frame. It must not store the
	// frame.
	OnFrame func(*FrameData)
	// Events, if set, receives the events of the run if the program records them (program.Options.Events). The caller
	// finishes the trace with the header Measurement.Events.
	Events trace.Writer
	// Printed, if set, receives the output of the kernels. Each line starts with the name of the kernel. xopt cleans
	// and limits the output.
	Printed io.Writer
	grow    func(*grower) // for tests: enlarges buffers at each sample
	tasks   int           // for tests: limit of the run's tasks instead of maxTasks
	// Env contains lines NAME=value to add to the environment of the processes.
	Env []string
	// Parts configures the start of a run over hosts; nil for the value of [WithParts].
	Parts *Parts
}

// MinFrame is the shortest time frame that the supervisor can collect reliably.
const MinFrame = 2 * time.Millisecond

// defaultStall is the time without progress after which a run counts as hung.
const defaultStall = 10 * time.Second

// Once runs a program once. A run ends when its kernels have ended, at a limit, on a failure, or when ctx is cancelled.
// Once returns after all processes have ended. If the run fails, Once returns the measurement until the failure, with
// the failure in Measurement.Failure. It returns an error if the run cannot start.
func Once(ctx context.Context, built *program.Program, limits Options) (*Measurement, error) {
	p := built.Description()
	if limits.Stall <= 0 {
		limits.Stall = defaultStall
	}
	if limits.Frame != 0 && limits.Frame < MinFrame {
		return nil, faults.FrameTooShort.Errorf("a frame of %v is too short, expected at least %v", limits.Frame,
			MinFrame)
	}
	file, mem, err := shareMemory(p.Bytes)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := newRun(p, mem, limits)
	r.grower.shared = file
	r.limitVirtual()
	r.fill()
	r.writeTimes()
	for i := range p.Processes {
		r.store32(r.processAt(i)+abi.ProcessKernel, ^uint32(0)) // no kernel runs yet
	}
	defer func() { _ = unix.Munmap(mem) }() // mapped above
	if len(p.Hosts) > 0 {
		r.parts = newParts(r, cmp.Or(limits.Parts, partsOf(ctx), &Parts{}))
		err = r.parts.start(ctx, built)
	} else {
		err = r.start(built, file)
	}
	if err != nil {
		r.listener.stop()
		return nil, err
	}
	failure := r.supervise(ctx)
	r.stop()
	r.printer.finish()
	r.listener.stop()
	if r.parts != nil {
		failure = cmp.Or(failure, r.parts.failure())
	}
	failure = r.inspect(failure)
	if failure == nil {
		failure = r.starved()
	}
	if failure == nil {
		r.noteSilent()
		r.noteLeft()
	}
	r.collector.finish()
	m := r.measure(failure)
	if r.watch.damage != nil && (failure == nil || failure.Kind != "overwritten" && failure.Kind != "overrun") {
		m.Failure = r.watch.overwritten(-1) // found while reading the figures
	}
	if r.listener != nil {
		m.Events, m.EventsError = r.listener.header(), r.listener.err
	}
	m.Compiler = built.CompilerVersion()
	return m, nil
}

// shareMemory creates memory to share with the processes. The memory is sealed against shrinking. If a process shrank
// the memory, a signal would end xopt.
func shareMemory(size uint64) (*os.File, []byte, error) {
	fd, err := unix.MemfdCreate("xopt", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, nil, fmt.Errorf("creating shared memory: %w", err)
	}
	file := os.NewFile(uintptr(fd), "xopt shared memory")
	if err := file.Truncate(int64(size)); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("creating %d bytes of shared memory: %w", size, err), file.Close())
	}
	if _, err := unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS,
		unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("sealing shared memory: %w", err), file.Close())
	}
	mem, err := unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("mapping %d bytes of shared memory: %w", size, err), file.Close())
	}
	return file, mem, nil
}

// Well is like Once, but also returns an error if ctx is cancelled or a kernel fails. A run that reaches a limit
// succeeds, and Measurement.Failure records the limit.
func Well(ctx context.Context, built *program.Program, limits Options) (*Measurement, error) {
	m, err := Once(ctx, built, limits)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if f := m.Failure; f != nil && f.Kind != "stopped" {
		return nil, f
	}
	return m, nil
}

// run is a run in progress.
type run struct {
	prog       *program.Description
	unreturned []string // Measurement.Unreturned
	notes      []fault.Note
	mem        []byte
	limits     Options
	collector  *collector
	listener   *listener // nil if no events are recorded
	watch      *watcher
	grower     *grower
	// capacities contains the current size of each edge's buffer in elements.
	capacities []uint64
	period     time.Duration // sampling interval
	started    time.Time
	ended      time.Time

	mu       sync.Mutex
	running  map[int]*os.Process
	exits    chan exit
	words    []words
	printer  *printer
	finished sync.WaitGroup
	parts    *parts // set for a run over hosts
	// hears returns the receiver of a process's output, for a part of a run over hosts.
	hears func(process int) hearer
	cpu   []time.Duration // processor time of each ended process
}

func newRun(prog *program.Description, mem []byte, limits Options) *run {
	r := &run{prog: prog, notes: slices.Clone(prog.Notes), mem: mem, limits: limits,
		exits: make(chan exit, len(prog.Processes)), cpu: make([]time.Duration, len(prog.Processes))}
	for e := range prog.Edges {
		r.capacities = append(r.capacities, uint64(prog.Edges[e].Capacity))
	}
	r.collector, r.watch, r.grower, r.listener = newCollector(r), newWatcher(r), newGrower(r), newListener(r)
	return r
}

// exit describes the end of a process.
type exit struct {
	process int
	status  syscall.WaitStatus
	cpu     time.Duration // processor time of the process
}

// start starts every process. Processes die with the thread that started them, so the thread stays until all processes
// have ended.
func (r *run) start(built *program.Program, shared *os.File) error {
	r.listen()
	return r.startWith(func() error {
		for i := range r.prog.Processes {
			if err := r.startOne(i, built.Command(i), "", []*os.File{shared}); err != nil {
				return err
			}
		}
		return nil
	})
}

// listen creates the readers of the processes' output.
func (r *run) listen() {
	r.words, r.printer = make([]words, len(r.prog.Processes)), newPrinter(r.limits.Printed)
	for i := range r.words {
		r.words[i] = words{out: r.printer, kernel: -1, name: r.speaker(i)}
	}
}

// startWith starts processes in a thread that stays until all of them have ended.
func (r *run) startWith(startAll func() error) error {
	r.running = make(map[int]*os.Process)
	started := make(chan error)
	release := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		started <- startAll()
		<-release
	}()
	err := <-started
	go func() {
		r.finished.Wait()
		close(release)
	}()
	if err != nil {
		r.stop()
		return err
	}
	return nil
}

// startOne starts a process in a folder ("" for the current folder) with inherited files.
func (r *run) startOne(i int, command []string, dir string, inherited []*os.File) error {
	output, writer, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("starting the process of %s: %w", r.prog.Processes[i].Name, err)
	}
	events := (*os.File)(nil)
	if r.listener != nil {
		if events, err = r.listener.pipe(i); err != nil {
			return errors.Join(err, output.Close(), writer.Close())
		}
		inherited = append(slices.Clone(inherited), events)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), r.limits.Env...)
	cmd.Dir = dir
	cmd.ExtraFiles = inherited
	cmd.Stdout, cmd.Stderr = writer, writer
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	err = cmd.Start()
	_ = writer.Close() // the process has its own copy
	if events != nil {
		_ = events.Close() // the process has its own copy
	}
	if err != nil {
		_ = output.Close() // nothing was written
		return fmt.Errorf("starting the process of %s: %w", r.prog.Processes[i].Name, err)
	}
	r.mu.Lock()
	r.running[i] = cmd.Process
	r.mu.Unlock()
	r.finished.Add(1)
	go r.await(i, cmd, output)
	return nil
}

// speaker returns a function that names the printing kernel of a process. If the kernel is unknown, the function names
// the process.
func (r *run) speaker(process int) func(kernel int) string {
	return func(k int) string {
		if k >= 0 && k < len(r.prog.Order) && r.prog.Kernels[r.prog.Order[k]].Process == process {
			return r.prog.Kernels[r.prog.Order[k]].Name
		}
		if in := r.prog.KernelsOf(process); len(in) == 1 {
			return r.prog.Kernels[in[0]].Name
		}
		return r.prog.Processes[process].Name
	}
}

// tailGrace is the timeout for the remaining output of a process.
const tailGrace = time.Second

// await waits for the end of one process and of its output.
func (r *run) await(i int, cmd *exec.Cmd, output *os.File) {
	defer r.finished.Done()
	copied := make(chan struct{})
	hears := hearer(&r.words[i])
	if r.hears != nil {
		hears = r.hears(i)
	}
	go func() {
		_, _ = io.Copy(hears, output) // ends with the pipe
		close(copied)
	}()
	_ = cmd.Wait() // the process state contains the result
	// Kill any remaining processes in the group of the process.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	select {
	case <-copied:
	case <-time.After(tailGrace): // a process has left the group and keeps the pipe open
	}
	_ = output.Close()
	hears.finish()
	r.mu.Lock()
	delete(r.running, i)
	r.mu.Unlock()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.mu.Lock()
	r.cpu[i] = cpu
	r.mu.Unlock()
	r.exits <- exit{i, status, cpu}
}

// stop kills the running processes and their children, and waits for them.
func (r *run) stop() {
	if r.parts != nil {
		r.parts.stop()
		return
	}
	r.mu.Lock()
	for _, p := range r.running {
		_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // it may have ended by now
	}
	r.mu.Unlock()
	r.finished.Wait()
}

// virtual reports whether the run is in virtual time.
func (r *run) virtual() bool { return r.prog.Virtual }

// elapsed returns the real or virtual time of the run in seconds.
func (r *run) elapsed(now time.Time) float64 {
	if r.virtual() {
		return 1e-12 * float64(r.load64(abi.RunNow))
	}
	return now.Sub(r.started).Seconds()
}

// limitVirtual stores the limits of a virtual run in shared memory.
func (r *run) limitVirtual() {
	if r.virtual() {
		r.store64(abi.RunLimit, uint64(r.limits.Time.Nanoseconds())*1000)
		r.store64(abi.RunFrameLength, uint64(r.limits.Frame.Nanoseconds())*1000)
	}
}

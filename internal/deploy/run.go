package deploy

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"xopt/internal/design"
)

// Limits end a run that does not end by itself.
type Limits struct {
	Time  time.Duration // of the whole run; 0 for none
	Stall time.Duration // without any progress; 0 means 10 s
}

// defaultStall is how long nothing may move before a run is taken to hang.
const defaultStall = 10 * time.Second

// Build generates and compiles the program of a design with a mapping. dir is
// where to keep it; "" builds in a temporary folder that Remove deletes.
func Build(ctx context.Context, d *design.Design, o Options, dir string) (*Program, error) {
	p, err := newPlan(d, o)
	if err != nil {
		return nil, err
	}
	return p.build(ctx, dir)
}

// Run runs a built program once. Every run ends: when the kernels have, at a
// limit, on a failure, or when ctx is cancelled; all its processes are gone then.
// What was measured until then is returned together with the failure, in
// Measurement.Failure; the error is for runs that could not be started.
func (prog *Program) Run(ctx context.Context, limits Limits) (*Measurement, error) {
	p := prog.plan
	if limits.Stall <= 0 {
		limits.Stall = defaultStall
	}
	fd, err := unix.MemfdCreate("xopt", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("making shared memory: %w", err)
	}
	file := os.NewFile(uintptr(fd), "xopt shared memory")
	defer file.Close()
	if err := file.Truncate(int64(p.layout.size)); err != nil {
		return nil, fmt.Errorf("making %d bytes of shared memory: %w", p.layout.size, err)
	}
	mem, err := unix.Mmap(fd, 0, int(p.layout.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes of shared memory: %w", p.layout.size, err)
	}
	r := &run{plan: p, mem: mem, watch: newWatch(p), exits: make(chan exit, len(p.names))}
	defer func() { _ = unix.Munmap(mem) }() // it was mapped above
	if err := r.start(prog.path, file); err != nil {
		return nil, err
	}
	failure := r.supervise(ctx, limits)
	r.stop()
	m := r.measure(failure)
	m.Notes = p.notes()
	return m, nil
}

// run is one run in progress.
type run struct {
	*plan
	mem   []byte
	watch *watch
	begin time.Time
	end   time.Time

	mu      sync.Mutex
	running map[int]*os.Process
	exits   chan exit
	stderr  []tail
	over    sync.WaitGroup
}

// exit tells that a process has ended.
type exit struct {
	process int
	state   *os.ProcessState
}

// tail keeps the end of what a process writes to its standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail is how much of it is kept.
const maxTail = 2000

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if n := len(t.text); n > maxTail {
		t.text = append([]byte(nil), t.text[n-maxTail:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}

// start starts every process. They die with the thread that started them, which
// therefore stays until all have ended.
func (r *run) start(path string, shared *os.File) error {
	r.running = make(map[int]*os.Process)
	r.stderr = make([]tail, len(r.names))
	started := make(chan error)
	release := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		started <- r.startAll(path, shared)
		<-release
	}()
	err := <-started
	go func() {
		r.over.Wait()
		close(release)
	}()
	if err != nil {
		r.stop()
		return err
	}
	return nil
}

func (r *run) startAll(path string, shared *os.File) error {
	for i := range r.names {
		said, says, err := os.Pipe()
		if err != nil {
			return fmt.Errorf("starting the process of %s: %w", r.names[i], err)
		}
		cmd := exec.Command(path, fmt.Sprint(i), fmt.Sprint(r.cpu[i]))
		cmd.ExtraFiles = []*os.File{shared}
		cmd.Stderr = says
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		err = cmd.Start()
		_ = says.Close() // the process has its own
		if err != nil {
			_ = said.Close() // nothing was written
			return fmt.Errorf("starting the process of %s: %w", r.names[i], err)
		}
		r.mu.Lock()
		r.running[i] = cmd.Process
		r.mu.Unlock()
		r.over.Add(1)
		go r.await(i, cmd, said)
	}
	return nil
}

// tailGrace is how long the last words of a process are waited for.
const tailGrace = time.Second

// await waits for one process to end, and for what it said.
func (r *run) await(i int, cmd *exec.Cmd, said *os.File) {
	defer r.over.Done()
	copied := make(chan struct{})
	go func() {
		_, _ = io.Copy(&r.stderr[i], said) // it ends with the pipe
		close(copied)
	}()
	_ = cmd.Wait() // the state tells
	// What the process has left running is in its group; none is the usual case.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	select {
	case <-copied:
	case <-time.After(tailGrace): // something has left the group and holds the pipe
	}
	_ = said.Close()
	r.mu.Lock()
	delete(r.running, i)
	r.mu.Unlock()
	r.exits <- exit{i, cmd.ProcessState}
}

// stop kills what still runs, with its children, and waits for it.
func (r *run) stop() {
	r.mu.Lock()
	for _, p := range r.running {
		_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // it may have ended meanwhile
	}
	r.mu.Unlock()
	r.over.Wait()
}

// Failure says why a run did not end by itself.
type Failure struct {
	Kind   string // "crash", "failed", "exit", "hang", "deadlock", "stopped"
	Kernel string // whose fault it is, where that is known
	Text   string
}

// Error is the text.
func (f *Failure) Error() string { return f.Text }

// supervisePeriod is how often the run is looked at and queues are sampled.
const supervisePeriod = time.Millisecond

// supervise lets the processes go when all are ready, and watches them until the
// run is over.
func (r *run) supervise(ctx context.Context, limits Limits) *Failure {
	tick := time.NewTicker(supervisePeriod)
	defer tick.Stop()
	r.begin = time.Now()
	r.end = r.begin
	going, left := false, len(r.names)
	last, lastMoved := uint64(0), time.Now()
	calls := make([]uint64, len(r.program.Kernels)) // half a stall limit after the last move
	counted := false
	for {
		select {
		case <-ctx.Done():
			r.end = time.Now()
			return &Failure{Kind: "stopped", Text: "interrupted"}
		case e := <-r.exits:
			r.end = time.Now()
			if f := r.judge(e); f != nil {
				return f
			}
			if left--; left == 0 {
				return nil
			}
		case now := <-tick.C:
			if !going && r.allReady() {
				going = true
				r.begin = time.Now()
				r.store32(0, 1)
			}
			if going {
				r.watch.sample(r)
			}
			if p := r.progress(); p != last {
				last, lastMoved, counted = p, now, false
			} else if now.Sub(lastMoved) > limits.Stall {
				r.end = now
				return r.stalled(limits.Stall, calls)
			} else if !counted && now.Sub(lastMoved) > limits.Stall/2 {
				counted = true
				for k := range calls {
					calls[k] = r.calls(k)
				}
			}
			if going && limits.Time > 0 && now.Sub(r.begin) > limits.Time {
				r.end = now
				return &Failure{Kind: "stopped", Text: fmt.Sprintf("stopped after %v, as asked", limits.Time)}
			}
		}
	}
}

// judge looks at how a process ended.
func (r *run) judge(e exit) *Failure {
	kernel := r.kernelIn(e.process)
	who, where := "", ""
	if kernel >= 0 {
		who = r.program.Kernels[kernel].Name
		where = "kernel " + who + " (block " + r.program.Kernels[kernel].Block + ")"
	} else {
		where = "the process of " + r.names[e.process]
	}
	said := r.stderr[e.process].String()
	if said != "" {
		said = "; it said: " + said
	}
	status, _ := e.state.Sys().(syscall.WaitStatus)
	switch {
	case status.Signaled():
		return &Failure{"crash", who, fmt.Sprintf("%s was ended by signal %d (%v), after %s%s", where, status.Signal(), status.Signal(), r.lastProgress(kernel), said)}
	case status.ExitStatus() == 3 && r.message(e.process) != "":
		return &Failure{"failed", who, fmt.Sprintf("%s: %s", where, r.message(e.process))}
	case !r.done(e.process):
		return &Failure{"exit", who, fmt.Sprintf("%s ended its process with exit code %d, after %s%s", where, status.ExitStatus(), r.lastProgress(kernel), said)}
	}
	return nil
}

// stalled tells a kernel that does not return, because its calls are still those
// that were counted before, from a deadlock.
func (r *run) stalled(stall time.Duration, calls []uint64) *Failure {
	var hung []string
	var who string
	for i := range r.names {
		if k := r.kernelIn(i); k >= 0 && !r.waiting(i) && r.calls(k) == calls[k] {
			who = r.program.Kernels[k].Name
			hung = append(hung, fmt.Sprintf("kernel %s (block %s) has not returned, after %s", who, r.program.Kernels[k].Block, r.lastProgress(k)))
		}
	}
	if len(hung) > 0 {
		return &Failure{"hang", who, fmt.Sprintf("nothing has moved for %v: %s", stall, strings.Join(hung, "; "))}
	}
	return &Failure{"deadlock", "", fmt.Sprintf("nothing has moved for %v, and every kernel waits: %s", stall, r.fullAndEmpty())}
}

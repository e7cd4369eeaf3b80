package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/internal/safetext"
)

// startLocal computes the points with a worker in a child process on this machine. If the worker is killed, startLocal
// starts another worker. It gives up after fruitlessJobs workers in a row that complete no point.
func (r *Run) startLocal(ctx context.Context) (code int, err error) {
	line, err := r.workLine()
	if err != nil {
		return 0, err
	}
	options := []string{"--workers=" + strconv.Itoa(r.Folder.Engine.Workers)}
	if r.Quiet {
		options = append(options, "--quiet")
	}
	args := append([]string{"xopt"}, line[1:3]...)
	args = append(append(args, options...), line[3:]...)
	before, err := r.Look()
	if err != nil {
		return 0, err
	}
	done := before.Done
	for fruitless := 0; ; {
		err := r.runWorker(ctx, line[0], args)
		var exit *exec.ExitError
		switch {
		case err == nil:
			return Done, nil
		case !errors.As(err, &exit):
			return 0, fmt.Errorf("starting a worker: %w", err)
		case exit.Exited(): // the worker has reported the reason
			return exit.ExitCode(), nil
		}
		state, err := r.Look()
		if err != nil {
			return 0, err
		}
		if fruitless++; state.Done > done {
			fruitless, done = 0, state.Done
		}
		if ctx.Err() != nil || state.IsOver() || state.Cancelled {
			return r.worked(ctx, state)
		}
		if fruitless == fruitlessJobs {
			return 0, faults.WorkerEnded.Errorf("the worker ended with %s %d times without completing a point; "+
				"%d of %d points are done; to continue: xopt campaign resume %s", exit, fruitless, state.Done,
				state.All, safetext.ShellWord(r.Folder.Dir))
		}
		r.Note("warning: the worker ended with %s; starting another worker", exit)
	}
}

// runWorker runs a worker until it ends. It interrupts the worker when ctx ends.
func (r *Run) runWorker(ctx context.Context, program string, args []string) error {
	runtime.LockOSThread() // Linux kills the worker when this thread ends
	defer runtime.UnlockOSThread()
	cmd := &exec.Cmd{Path: program, Args: args, Stdout: r.Stdout, Stderr: r.Stderr,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(os.Interrupt) })() // the worker may have ended
	return cmd.Wait()
}

// work computes points of a campaign on this machine.
func (r *Run) work(ctx context.Context) (code int, err error) {
	bar := r.StartBar()
	defer bar.Stop()
	state, err := r.workHere(ctx, campaign.WorkOptions{Slots: r.Folder.Engine.Workers, Node: ThisNode(),
		Progress: bar.Step, Full: func(full bool) { bar.Stall(full, "waiting for disk space in "+r.Folder.Dir) }})
	bar.Stop()
	if err != nil {
		return 0, err
	}
	return r.worked(ctx, state)
}

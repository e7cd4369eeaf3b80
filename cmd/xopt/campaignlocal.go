package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"xopt/cmd/internal/campaign"
)

// startLocal has a worker on this machine compute the points, in a process of its own: when something kills it,
// another one goes on, unless no point is done any more.
func (a *app) startLocal(ctx context.Context, f *campaign.Folder) error {
	line, err := a.workLine(f)
	if err != nil {
		return err
	}
	options := []string{"--workers=" + strconv.Itoa(f.Engine.Workers)}
	if a.settings.Quiet {
		options = append(options, "--quiet")
	}
	args := append([]string{"xopt"}, line[1:3]...)
	args = append(append(args, options...), line[3:]...)
	a.flush()
	done := -1
	for fruitless := 0; ; {
		err := a.runWorker(ctx, line[0], args)
		var exit *exec.ExitError
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &exit):
			return fmt.Errorf("starting a worker: %w", err)
		case exit.Exited(): // it has said why
			a.code = exit.ExitCode()
			return nil
		}
		state, err := a.look(f)
		if err != nil {
			return err
		}
		if fruitless++; state.Done > done {
			fruitless, done = 0, state.Done
		}
		if ctx.Err() != nil || state.Over() || state.Cancelled {
			return a.worked(ctx, f, state)
		}
		if fruitless == fruitlessJobs {
			return fmt.Errorf("the worker ended with %s, %d times without a point done in between; %d of %d points "+
				"are done; xopt campaign resume %s goes on", exit, fruitless, state.Done, state.All, shellWord(f.Dir))
		}
		a.note("warning: the worker ended with %s; another one goes on", exit)
		a.flush()
	}
}

// runWorker runs a worker until its end. When ctx ends, it is interrupted.
func (a *app) runWorker(ctx context.Context, program string, args []string) error {
	runtime.LockOSThread() // the worker is killed when this thread ends
	defer runtime.UnlockOSThread()
	cmd := &exec.Cmd{Path: program, Args: args, Stdout: a.stdout.Under(), Stderr: a.stderr.Under(),
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(os.Interrupt) })() // it may have ended
	return cmd.Wait()
}

// runUntil runs this program once more until its end, and takes over its exit code. When ctx ends, it is interrupted.
func (a *app) runUntil(ctx context.Context, cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(os.Interrupt) })() // it may have ended
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	switch status, ok := exit.Sys().(syscall.WaitStatus); {
	case exit.Exited(): // it has said why
		a.code = exit.ExitCode()
	case ok && status.Signal() == syscall.SIGPIPE: // nobody reads what it prints
		a.code = exitFailed
	default:
		return err
	}
	return nil
}

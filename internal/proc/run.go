package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// RunUntil runs a command and returns its exit code. When ctx ends, RunUntil interrupts the command. It returns 1 if
// the command ended because the reader of its output has ended (SIGPIPE), and an error if another signal ended the
// command.
func RunUntil(ctx context.Context, cmd *exec.Cmd) (code int, err error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(os.Interrupt) })() // the command may have ended
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0, err
	}
	switch status, ok := exit.Sys().(syscall.WaitStatus); {
	case exit.Exited(): // the command has reported the reason
		return exit.ExitCode(), nil
	case ok && status.Signal() == syscall.SIGPIPE:
		return 1, nil
	}
	return 0, err
}

// Package hosts starts the workers of a campaign on a list of hosts, by ssh or another launch command. It reports hosts
// whose worker ended early. A worker stops when its standard input closes, because its parent ended or the connection
// broke.
package hosts

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Patience is the time that workers have to write their results after a request to stop.
const Patience = 30 * time.Second

// Options define the commands and hosts.
type Options struct {
	Launch  string // command that starts a program on a host; "" for Usual
	Hosts   []string
	Command func(host string) []string // returns the command of the worker
	Output  func(host, line string)    // receives the output of workers
	Ended   func(host string, _ error) // called after each worker, never concurrently
}

// Run runs a worker on each host and waits until all have ended. When ctx ends, it asks the workers to stop.
func Run(ctx context.Context, o Options) error {
	if o.Launch == "" {
		o.Launch = Usual
	}
	lines := make([][]string, len(o.Hosts))
	if err := CheckHosts(o.Hosts); err != nil {
		return err
	}
	for i, h := range o.Hosts {
		var err error
		if lines[i], err = Line(o.Launch, h, o.Command(h)); err != nil {
			return err
		}
	}
	var all sync.WaitGroup
	var one sync.Mutex
	for i, h := range o.Hosts {
		all.Go(func() {
			err := run(ctx, lines[i], func(line string) {
				one.Lock()
				defer one.Unlock()
				o.Output(h, line)
			})
			one.Lock()
			defer one.Unlock()
			o.Ended(h, err)
		})
	}
	all.Wait()
	return nil
}

// run runs one worker. It closes the worker's standard input to stop the worker.
func run(ctx context.Context, line []string, write func(string)) error {
	cmd := exec.Command(line[0], line[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C does not interrupt the worker; ctx does
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	output, into := io.Pipe()
	cmd.Stdout, cmd.Stderr = into, into
	cmd.WaitDelay = time.Second // other processes may keep its output open
	if err := cmd.Start(); err != nil {
		return err
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for lines := bufio.NewReader(output); ; {
			text, err := lines.ReadString('\n')
			if text != "" {
				write(strings.TrimRight(text, "\r\n"))
			}
			if err != nil {
				return
			}
		}
	})
	finished := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() { signalHost(ctx, cmd, stdin, finished) })
	err = cmd.Wait()
	close(finished)
	telling.Wait()
	err = errors.Join(err, into.Close())
	reading.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// signalHost closes a worker's input when ctx ends, and kills the worker if it does not stop.
func signalHost(ctx context.Context, cmd *exec.Cmd, stdin io.Closer, finished <-chan struct{}) {
	select {
	case <-finished:
		return
	case <-ctx.Done():
	}
	_ = stdin.Close()
	select {
	case <-finished:
	case <-time.After(Patience):
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}

// Why describes how a worker ended.
func Why(err error) string {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "ended"
	case errors.As(err, &exit) && exit.ExitCode() == 255:
		return "could not be reached, or its connection was lost (exit status 255)"
	case errors.As(err, &exit) && exit.ExitCode() < 0:
		return fmt.Sprintf("was stopped (%s)", exit)
	case errors.As(err, &exit):
		return fmt.Sprintf("ended with %s", exit)
	}
	return fmt.Sprintf("did not start: %v", err)
}

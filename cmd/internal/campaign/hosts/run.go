// Package hosts starts the workers of a campaign on a list of hosts, by ssh or whatever else starts a program on a
// host, and says which hosts ended before the work did. A worker lives as long as what it reads from: when the program
// that started it ends, or the connection, the worker ends as well.
package hosts

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Patience is how long workers may take to write what they have, when they are told to end.
const Patience = 30 * time.Second

// Options say what is run where.
type Options struct {
	Launch  string // how something is started on a host; "" for Usual
	Hosts   []string
	Command func(host string) []string // the worker
	Say     func(host, line string)    // what a worker prints
	Ended   func(host string, _ error) // when a worker has ended; calls come one at a time
}

// Run runs a worker on each host, until all have ended. When ctx ends, they are told to.
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
				o.Say(h, line)
			})
			one.Lock()
			defer one.Unlock()
			o.Ended(h, err)
		})
	}
	all.Wait()
	return nil
}

// run runs one worker. It is told to end by the end of what it reads.
func run(ctx context.Context, line []string, say func(string)) error {
	cmd := exec.Command(line[0], line[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is not for it: ctx says when to end
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	said, into := io.Pipe()
	cmd.Stdout, cmd.Stderr = into, into
	cmd.WaitDelay = time.Second // for what holds its output after it has ended
	if err := cmd.Start(); err != nil {
		return err
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for lines := bufio.NewReader(said); ; {
			text, err := lines.ReadString('\n')
			if text != "" {
				say(trimEnd(text))
			}
			if err != nil {
				return
			}
		}
	})
	over := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() { tell(ctx, cmd, stdin, over) })
	err = cmd.Wait()
	close(over)
	telling.Wait()
	err = errors.Join(err, into.Close())
	reading.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// tell tells a worker to end when ctx ends, and ends it when it does not.
func tell(ctx context.Context, cmd *exec.Cmd, stdin io.Closer, over <-chan struct{}) {
	select {
	case <-over:
		return
	case <-ctx.Done():
	}
	_ = stdin.Close()
	select {
	case <-over:
	case <-time.After(Patience):
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}

// trimEnd is a line without its end.
func trimEnd(line string) string {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return line
}

// Why says of a worker how it ended.
func Why(err error) string {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "ended"
	case errors.As(err, &exit) && exit.ExitCode() == 255:
		return "could not be reached, or its connection was lost (exit status 255)"
	case errors.As(err, &exit) && exit.ExitCode() < 0:
		return fmt.Sprintf("was ended (%s)", exit)
	case errors.As(err, &exit):
		return fmt.Sprintf("ended with %s", exit)
	}
	return fmt.Sprintf("did not start: %v", err)
}

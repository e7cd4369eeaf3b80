package campaign

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// request asks a process for a point.
type request struct {
	Point  int           `json:"point"`
	Worker string        `json:"worker"` // that asks
	Every  time.Duration `json:"every"`  // how often a point that takes long should keep where it is
}

// reply is what a process answers for a point.
type reply struct {
	Point  int             `json:"point"`
	Answer json.RawMessage `json:"answer,omitempty"`
	Error  string          `json:"error,omitempty"`
	Kept   bool            `json:"kept,omitempty"` // it has kept where it was
}

// child is a process that computes points, one after the other. It is started when it is needed:
// a point that crashes it, or that is killed, takes nothing else along.
type child struct {
	command func() *exec.Cmd
	cmd     *exec.Cmd
	in      io.WriteCloser
	replies chan reply
	said    *tail
}

// answersAt is the file descriptor on which a process answers.
const answersAt = 3

// waitForPipes is how long what a dead process has started may keep its output open.
const waitForPipes = 2 * time.Second

// start starts the process, if it does not run.
func (c *child) start() error {
	if c.cmd != nil {
		return nil
	}
	answers, theirs, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("starting a process for points: %w", err)
	}
	cmd := c.command()
	c.said = &tail{}
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Stdout, cmd.Stderr = c.said, c.said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = waitForPipes
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	_ = theirs.Close() // the process has its own
	if err != nil {
		_ = answers.Close() // nothing was written
		return fmt.Errorf("starting a process for points: %w", err)
	}
	c.cmd, c.in, c.replies = cmd, in, make(chan reply, 1)
	go func(to chan<- reply) {
		defer close(to)
		defer answers.Close()
		for d := json.NewDecoder(bufio.NewReader(answers)); ; {
			var r reply
			if d.Decode(&r) != nil {
				return // it has ended
			}
			to <- r
		}
	}(c.replies)
	return nil
}

// diedError says how a process ended that computed a point.
type diedError struct{ how, output string }

func (e *diedError) Error() string { return e.how }

// ask has a point computed. A *diedError says that the process has ended instead.
func (c *child) ask(ctx context.Context, q *request) (*reply, error) {
	if err := c.start(); err != nil {
		return nil, err
	}
	c.said.clear()
	_ = json.NewEncoder(c.in).Encode(q) // where it has ended, there is no reply
	select {
	case r, ok := <-c.replies:
		if ok && r.Point == q.Point {
			return &r, nil
		}
		return nil, c.died()
	case <-ctx.Done():
		c.kill()
		return nil, ctx.Err()
	}
}

// died takes leave of a process that has ended, or that answers what it was not asked.
func (c *child) died() error {
	_ = c.in.Close()
	ended := make(chan error, 1)
	go func() { ended <- c.cmd.Wait() }()
	var err error
	select {
	case err = <-ended:
	case <-time.After(waitForPipes):
	}
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // and what it has started
	if err == nil && c.cmd.ProcessState == nil {
		err = <-ended
	}
	how := "it ended without an answer"
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		how = err.Error()
	}
	c.cmd = nil
	return &diedError{how: how, output: c.said.String()}
}

// kill ends the process and all that it has started.
func (c *child) kill() {
	if c.cmd == nil {
		return
	}
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	for range c.replies { // until it is gone
	}
	_ = c.cmd.Wait()
	c.cmd = nil
}

// end lets the process end by itself.
func (c *child) end() {
	if c.cmd == nil {
		return
	}
	_ = c.in.Close()
	select {
	case <-c.replies: // closed
		_ = c.cmd.Wait()
		c.cmd = nil
	case <-time.After(waitForPipes):
		c.kill()
	}
}

// tail keeps the end of what is printed.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// tailBytes is how much it keeps.
const tailBytes = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - tailBytes; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text), "?")
}

func (t *tail) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = t.text[:0]
}

package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/wire"
	"xopt/internal/safetext"
)

// remote is the controller's view of one part.
type remote struct {
	all     *parts
	host    int
	name    string // name of the host
	cmd     *exec.Cmd
	in      io.Closer // input of the part
	conn    *wire.Conn
	output  *tail // output of the launcher and the part
	clock   wire.Clock
	heard   atomic.Int64 // time of the last message, ns
	own     *wire.Mirror // data that its host writes
	mirror  *wire.Mirror // data that the controller writes
	machine wire.Machine
	answers chan message
	done    chan struct{} // closed when the part sends no more messages
	reaped  chan struct{} // closed when the processes started on this machine have ended
	orderly atomic.Bool   // the part has announced its end
	into    *incoming
	refused wire.Strangers
}

// launch starts a part and checks its version.
func (p *remote) launch(ctx context.Context) error {
	command, err := p.all.how.Command, error(nil)
	if len(command) == 0 {
		return errors.New("cannot start a part of the run: no command is set (set Options.Parts.Command)")
	}
	if launch := p.all.how.Launch; launch != nil {
		if command, err = launch(p.name, command); err != nil {
			return err
		}
	}
	p.cmd = exec.Command(command[0], command[1:]...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that Ctrl-C reaches only the controller
	p.cmd.Stderr = p.output
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		p.cmd = nil
		return fmt.Errorf("starting xopt: %w", err)
	}
	p.in, p.conn = in, wire.NewConn(out, in)
	existing := make(chan error, 1)
	go func() { existing <- p.conn.Recognize(p.all.how.Version) }()
	select {
	case err = <-existing:
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(launchPatience):
		err = faults.HostSilent.Errorf("the host sent no message for %v (check that this command works in a shell)",
			launchPatience)
	}
	p.heard.Store(int64(monotonic()))
	if err != nil {
		p.reap()
		close(p.done)
		return fmt.Errorf("starting xopt with %s: %w%s", safetext.ShellLine(command), err, p.output)
	}
	go p.listen()
	return nil
}

// listen reads the messages of a part until it ends.
func (p *remote) listen() {
	err := p.receive()
	p.reap()
	if !p.orderly.Load() {
		p.all.fail(p.failure(": ", fmt.Sprintf("xopt's process ended (%v)%s", err, p.output)))
	}
	close(p.done)
}

// lastWords is the timeout for the remaining output of a part after its end.
const lastWords = 2 * time.Second

// reap waits for the end of the command that launch started on this machine, and for its remaining output. The wait
// continues in the background after lastWords.
func (p *remote) reap() {
	go func() {
		_ = p.cmd.Wait() // its end is reported elsewhere
		close(p.reaped)
	}()
	select {
	case <-p.reaped:
	case <-time.After(lastWords):
	}
}

// receive receives and handles messages.
func (p *remote) receive() error {
	r := p.all
	for {
		kind, payload, err := p.conn.Receive()
		if err != nil {
			return err
		}
		p.heard.Store(int64(monotonic()))
		switch kind {
		case wire.Pong:
			if n, err := wire.Numbers(payload, 2); err == nil {
				p.clock.Add(n[0], n[1], int64(monotonic()))
			}
		case wire.Memory:
			r.memory.Lock()
			err = p.own.Apply(payload)
			r.memory.Unlock()
		case wire.Printed:
			var output wire.Output
			if output, err = wire.Value[wire.Output](payload); err == nil && p.has(output.Process) {
				r.words[output.Process].hear(&output)
			}
		case wire.Exited:
			var x wire.Exit
			if x, err = wire.Value[wire.Exit](payload); err == nil && p.has(x.Process) {
				r.words[x.Process].finish()
				r.mu.Lock()
				r.cpu[x.Process] = time.Duration(x.CPU)
				r.mu.Unlock()
				r.exits <- exit{x.Process, syscall.WaitStatus(x.Status), time.Duration(x.CPU)}
			}
		case wire.Failed:
			var t wire.Trouble
			if t, err = wire.Value[wire.Trouble](payload); err == nil {
				if !p.runs(t.Kernel) {
					t.Kernel = ""
				}
				why := safetext.Line(t.Text)
				r.fail(&Failure{Kind: t.Kind, Kernel: t.Kernel,
					Text: "on host " + p.name + ": " + why, host: p.name, why: why})
			}
		case wire.File, wire.Bytes:
			err = p.receiveFile(kind, payload)
		case wire.Finished:
			p.orderly.Store(true)
			return nil
		default:
			select {
			case p.answers <- message{kind, payload}:
			default:
				return fmt.Errorf("received an unexpected message of kind %d", kind)
			}
		}
		if err != nil {
			return err
		}
	}
}

// runs reports whether the named kernel is on the host.
func (p *remote) runs(kernel string) bool {
	return slices.ContainsFunc(p.all.prog.Kernels, func(k program.Kernel) bool {
		return k.Name == kernel && p.has(k.Process)
	})
}

// has reports whether a process is on the host.
func (p *remote) has(process int) bool {
	return process >= 0 && process < len(p.all.prog.Processes) && p.all.prog.Processes[process].Host == p.host
}

// answer waits for a message of the given kind.
func (p *remote) answer(ctx context.Context, kind wire.Kind) ([]byte, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case f := <-p.all.failed:
		p.all.failed <- f // for the other parts
		if f.host != p.name {
			return nil, errOther
		}
		return nil, errors.New(f.why)
	case m := <-p.answers:
		if m.kind != kind {
			return nil, fmt.Errorf("received a message of kind %d, expected kind %d", m.kind, kind)
		}
		return m.payload, nil
	}
}

// prepare sends the program and its inputs to a part.
func (p *remote) prepare(ctx context.Context, built *program.Program, secret []byte) error {
	prog := p.all.prog
	in := inputs(prog, p.host)
	look := watchPeriod
	if f := p.all.limits.Frame; f > 0 {
		look = min(look, f/2)
	}
	if err := p.conn.SendValue(wire.Hello, greeting{*prog, p.host, secret, 1 + len(in), look,
		p.all.limits.Env}); err != nil {
		return p.whySent("the description of the run", err)
	}
	payload, err := p.answer(ctx, wire.Ready)
	if err != nil {
		return err
	}
	if p.machine, err = wire.Value[wire.Machine](payload); err != nil {
		return err
	}
	if err := sendFile(p.conn, built.Path(), programName, true); err != nil {
		return p.whySent("the program", err)
	}
	for _, f := range in {
		if err := sendFile(p.conn, f.Path, f.Name, false); err != nil {
			return p.whySent(f.Path, err)
		}
	}
	return nil
}

// failure returns the failure of a part, prefixed with the name of its host and a separator.
func (p *remote) failure(separator, why string) *Failure {
	return &Failure{Kind: "host", Text: "host " + p.name + separator + why, host: p.name, why: why}
}

// whySent returns the error of a failed send. It contains the report of the failed part, if there is one.
func (p *remote) whySent(what string, err error) error {
	select {
	case f := <-p.all.failed:
		p.all.failed <- f
		why := f.Text
		if f.host == p.name {
			why = f.why
		}
		return fmt.Errorf("sending %s: %s", what, why)
	case <-time.After(pingPeriod):
		return fmt.Errorf("sending %s: %w", what, err)
	}
}

// listens returns the address on which a part listens.
func (p *remote) listens(ctx context.Context) (string, error) {
	payload, err := p.answer(ctx, wire.Listens)
	if err != nil {
		return "", err
	}
	at, err := wire.Value[wire.Listening](payload)
	return at.Address, err
}

// connects makes a part connect to the other parts.
func (p *remote) connects(ctx context.Context, where wire.Connections) error {
	if err := p.conn.SendValue(wire.Connect, where); err != nil {
		return p.whySent("the addresses of the other hosts", err)
	}
	payload, err := p.answer(ctx, wire.Joined)
	if err != nil {
		return err
	}
	p.refused, err = wire.Value[wire.Strangers](payload)
	return err
}

// meet measures the offset of a part's clock, and sends it to the part.
func (p *remote) meet(ctx context.Context) error {
	for range setupPings {
		p.ping()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
	for range 100 {
		if offset, _, ok := p.clock.Offset(); ok {
			return p.conn.SendNumbers(wire.Offset, offset)
		}
		time.Sleep(launchPatience / 1000)
	}
	return errors.New("the host does not report its time")
}

// ping requests the time of a part, and sends it the offset of its clock.
func (p *remote) ping() {
	_ = p.conn.SendNumbers(wire.Ping, int64(monotonic())) // on failure, the reader of its connection detects the end
	if offset, _, ok := p.clock.Offset(); ok {
		_ = p.conn.SendNumbers(wire.Offset, offset)
	}
}

// stop requests the end of a part and waits until it has ended.
func (p *remote) stop() {
	if p.cmd == nil {
		return
	}
	go func() { _ = p.conn.Send(wire.Stop, nil) }() // it may block
	start := int64(monotonic())
	for stopped := false; !stopped; {
		select {
		case <-p.done:
			stopped = true
		case <-time.After(pingPeriod):
			if int64(monotonic())-max(start, p.heard.Load()) > stopPatience.Nanoseconds() {
				p.kill()
				stopped = true
			}
		}
	}
	if p.into != nil && isClosed(p.done) {
		p.all.fail(p.failure(" ", fmt.Sprintf("sent %s only partially", p.into.path)))
		_ = p.into.drop() // the missing file was reported
	}
	_ = p.in.Close() // a part ends when its input ends
	select {
	case <-p.reaped:
	case <-time.After(stopPatience):
		p.kill()
		<-p.reaped
	}
}

// isClosed reports whether a channel was closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// kill kills the command started on this machine for a part. A part on another machine detects the end of its
// connection.
func (p *remote) kill() {
	_ = p.in.Close()
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
}

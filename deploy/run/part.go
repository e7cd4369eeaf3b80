package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/wire"
	"xopt/internal/files/scratch"
)

// Part executes the part of a run on one host. The controller of the run starts a part on each host and exchanges
// messages with it. The part starts the processes of its host, watches them, and sends their counters. It ends on
// request, when the controller has ended or is silent, or when it cannot continue. Before the part ends, it stops its
// processes and removes its files. Part returns only errors that it cannot report to the controller.
func Part(ctx context.Context, r io.Reader, w io.Writer, version string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := &part{conn: wire.NewConn(r, w), messages: make(chan message, 16)}
	if err := p.conn.Announce(version); err != nil {
		return fmt.Errorf("answering the controller of the run: %w", err)
	}
	go p.listen(cancel)
	served := make(chan error, 1)
	go func() { served <- p.serve(ctx) }()
	select {
	case err := <-served:
		if cause := context.Cause(ctx); cause != nil && err != nil {
			return cause
		}
		return err
	case <-ctx.Done():
	}
	select {
	case <-served:
	case <-time.After(stopTimeout): // serve cannot even write to the controller
		p.clean()
	}
	return context.Cause(ctx)
}

// stopTimeout is the timeout for a part to stop after the controller has ended.
const stopTimeout = time.Second

// part is the state of the processes on one host during a run.
type part struct {
	*run
	conn     *wire.Conn
	messages chan message
	greeting greeting
	dir      string
	shared   *os.File
	bells    []*os.File
	sockets  map[int]*os.File // by edge that leads to or from another host
	own, its *wire.Mirror     // data that this host writes, and data that the controller writes
	heard    atomic.Int64     // time of the last message from the controller, ns
	offset   atomic.Pointer[int64]
}

// message is a message from the controller.
type message struct {
	kind    wire.Kind
	payload []byte
}

// errSilent means that the controller sends no messages.
var errSilent = faults.HostSilent.Errorf("the controller of the run has been silent for %v", silence)

// listen reads the messages of the controller, and answers pings. It returns when the connection ends.
func (p *part) listen(cancel context.CancelCauseFunc) {
	p.heard.Store(int64(monotonic()))
	go func() {
		for range time.Tick(pingPeriod) {
			if int64(monotonic())-p.heard.Load() > silence.Nanoseconds() {
				cancel(errSilent)
				return
			}
		}
	}()
	for {
		kind, payload, err := p.conn.Receive()
		if err != nil {
			cancel(fmt.Errorf("the connection to the controller of the run is lost: %w", err))
			return
		}
		p.heard.Store(int64(monotonic()))
		switch kind {
		case wire.Ping:
			if n, err := wire.Numbers(payload, 1); err == nil {
				_ = p.conn.SendNumbers(wire.Pong, n[0], int64(monotonic())) // if it fails, the controller has ended
			}
		case wire.Offset:
			if n, err := wire.Numbers(payload, 1); err == nil {
				p.offset.Store(&n[0])
			}
		default:
			p.messages <- message{kind, payload}
		}
	}
}

// expect waits for a message of the given kind.
func (p *part) expect(ctx context.Context, kind wire.Kind) ([]byte, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case m := <-p.messages:
		if m.kind == wire.Stop {
			return nil, errStopped
		}
		if m.kind != kind {
			return nil, fmt.Errorf("received a message of kind %d, expected kind %d", m.kind, kind)
		}
		return m.payload, nil
	}
}

// errStopped means that the controller has ended the run before its start.
var errStopped = errors.New("stopped")

// serve executes the part from the greeting to the end.
func (p *part) serve(ctx context.Context) error {
	defer p.clean()
	err := p.prepare(ctx)
	if err == nil {
		err = p.work(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errStopped):
	case err != nil:
		if err := p.conn.SendValue(wire.Failed, wire.Trouble{Kind: "host", Text: err.Error()}); err != nil {
			return err
		}
		for { // until the controller stops this part
			if _, err := p.expect(ctx, wire.Memory); errors.Is(err, errStopped) || ctx.Err() != nil {
				break
			}
		}
	}
	return p.conn.Send(wire.Finished, nil)
}

// clean ends the processes and removes the files.
func (p *part) clean() {
	if p.run != nil {
		p.run.stop()
		_ = unix.Munmap(p.mem) // prepare mapped it
	}
	for _, f := range p.inherited() {
		_ = f.Close()
	}
	if p.dir != "" {
		_ = os.RemoveAll(p.dir) // the next run removes leftovers (scratch)
	}
}

// inherited returns the open files that a process inherits.
func (p *part) inherited() []*os.File {
	files := p.bells
	if p.shared != nil {
		files = append([]*os.File{p.shared}, files...)
	}
	for _, f := range p.sockets {
		files = append(files, f)
	}
	return files
}

// prepare prepares the start of the processes.
func (p *part) prepare(ctx context.Context) error {
	payload, err := p.expect(ctx, wire.Hello)
	if err != nil {
		return err
	}
	if p.greeting, err = wire.Value[greeting](payload); err != nil {
		return err
	}
	g := &p.greeting
	if g.Host < 0 || g.Host >= len(g.Program.Hosts) || len(g.Secret) != wire.SecretBytes {
		return errors.New("the controller of the run sent an invalid message")
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // "" if there is none
	if err := p.conn.SendValue(wire.Ready, wire.Machine{Boot: strings.TrimSpace(string(boot)),
		Processors: program.UsableProcessors(0)}); err != nil {
		return err
	}
	if p.dir, err = scratch.Dir("", scratch.Deploy); err != nil {
		return fmt.Errorf("creating a folder for the program: %w", err)
	}
	for range g.Files {
		if err := p.receiveFile(ctx); err != nil {
			return err
		}
	}
	if p.shared, err = p.memory(); err != nil {
		return err
	}
	return p.connect(ctx)
}

// receiveFile writes a file from the controller into the folder of the part.
func (p *part) receiveFile(ctx context.Context) (err error) {
	payload, err := p.expect(ctx, wire.File)
	if err != nil {
		return err
	}
	head, err := wire.Value[wire.FileHead](payload)
	if err != nil {
		return err
	}
	if head.Name == "" || filepath.Base(head.Name) != head.Name {
		return fmt.Errorf("the controller sent an invalid file name, %q", head.Name)
	}
	mode := os.FileMode(0o600)
	if head.Executable {
		mode = 0o700
	}
	f, err := os.OpenFile(filepath.Join(p.dir, head.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("writing %s: %w", head.Name, cerr)
		}
	}()
	for left := head.Size; ; {
		chunk, err := p.expect(ctx, wire.Bytes)
		if err != nil {
			return err
		}
		if len(chunk) == 0 {
			return nil
		}
		if left -= int64(len(chunk)); left < 0 {
			return fmt.Errorf("file %s is longer than the controller announced", head.Name)
		}
		if _, err := f.Write(chunk); err != nil {
			return fmt.Errorf("writing %s: %w", head.Name, err)
		}
	}
}

// memory creates the shared memory of this host, and an eventfd (bell) for each process that carries its edges to other
// hosts.
func (p *part) memory() (*os.File, error) {
	prog := &p.greeting.Program
	file, mem, err := shareMemory(prog.Bytes)
	if err != nil {
		return nil, err
	}
	p.run = newRun(prog, mem, Options{Env: p.greeting.Env})
	p.grower.shared, p.watch.host = file, p.greeting.Host
	p.fill()
	for i := range prog.Processes {
		p.store32(p.processAt(i)+abi.ProcessKernel, ^uint32(0)) // no kernel runs yet
	}
	p.own, p.its = wire.NewMirror(mem, ownRanges(prog, p.greeting.Host)), wire.NewMirror(mem, controlRanges(prog))
	for range prog.Bells(p.greeting.Host) {
		fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
		if err != nil {
			return file, fmt.Errorf("creating a doorbell: %w", err)
		}
		p.bells = append(p.bells, os.NewFile(uintptr(fd), "bell"))
	}
	return file, nil
}

// connect makes the connections of the edges that lead to or from this host.
func (p *part) connect(ctx context.Context) error {
	e := newPeers(&p.greeting)
	defer e.close()
	address, err := e.listen()
	if err != nil {
		return err
	}
	if err := p.conn.SendValue(wire.Listens, wire.Listening{Address: address}); err != nil {
		return err
	}
	payload, err := p.expect(ctx, wire.Connect)
	if err != nil {
		return err
	}
	where, err := wire.Value[wire.Connections](payload)
	if err != nil {
		return err
	}
	conns, refused, err := e.connect(ctx, where.Addresses)
	if err != nil {
		return err
	}
	p.sockets = make(map[int]*os.File)
	for edge, c := range conns {
		f, err := c.(*net.TCPConn).File()
		_ = c.Close() // f duplicates its descriptor
		if err != nil {
			return fmt.Errorf("preparing the connection of edge %s: %w", p.prog.Edges[edge].Name, err)
		}
		p.sockets[edge] = f
	}
	return p.conn.SendValue(wire.Joined, refused)
}

// work starts the processes and watches them until the controller ends the run.
func (p *part) work(ctx context.Context) error {
	payload, err := p.expect(ctx, wire.Start)
	if err != nil {
		return err
	}
	on, err := wire.Value[wire.Processors](payload)
	if err != nil {
		return err
	}
	if len(on.Of) != len(p.prog.Processes) {
		return errors.New("the controller of the run expects a different number of processes")
	}
	p.listenTo()
	if err := p.startWith(func() error { return p.startAll(on.Of) }); err != nil {
		return err
	}
	p.started = time.Now()
	tasks := newTasks(p.run)
	defer tasks.close()
	tick := time.NewTicker(max(p.greeting.Look, time.Millisecond))
	defer tick.Stop()
	for troubled := false; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m := <-p.messages:
			switch m.kind {
			case wire.Stop:
				return p.finish()
			case wire.Memory:
				if err := p.its.Apply(m.payload); err != nil {
					return err
				}
				p.follow()
			default:
				return fmt.Errorf("received an unexpected message of kind %d during the run", m.kind)
			}
		case x := <-p.exits:
			if err := errors.Join(p.show(), p.exited(x)); err != nil {
				return err
			}
		case now := <-tick.C:
			f := tasks.look(now)
			if f == nil && p.watch.look(now) != nil {
				f = p.watch.overwritten(-1)
			}
			if f != nil && !troubled {
				troubled = true
				if err := p.conn.SendValue(wire.Failed, f.trouble()); err != nil {
					return err
				}
			}
			if err := p.show(); err != nil {
				return err
			}
		}
	}
}

// listenTo sends the output of processes to the controller, up to a limit.
func (p *part) listenTo() {
	p.run.listen()
	p.hears = func(process int) hearer { return newTeller(p.conn, process) }
}

// startAll starts the processes of this host on the processors that the controller has selected.
func (p *part) startAll(processors []int) error {
	program := filepath.Join(p.dir, programName)
	for i := range p.prog.Processes {
		x := &p.prog.Processes[i]
		if x.Host != p.greeting.Host {
			continue
		}
		files := append([]*os.File{p.shared}, p.bells...)
		for e := range p.prog.Edges {
			if w := &p.prog.Edges[e].Way; w.OutCarrier == i || w.InCarrier == i {
				files = append(files, p.sockets[e])
			}
		}
		if err := p.startOne(i, []string{program, fmt.Sprint(i), fmt.Sprint(processors[i])}, p.dir, files); err != nil {
			return err
		}
	}
	for _, f := range p.sockets { // otherwise the connections of a dead carrier would stay open
		_ = f.Close()
	}
	p.sockets = nil
	return nil
}

// programName is the file name of the program in the folder of a part.
const programName = "app"

// follow updates the collector from the values that the controller has written to shared memory.
func (p *part) follow() {
	if !p.collector.going && p.load32(abi.RunStart) != 0 {
		p.collector.going, p.started = true, time.Now()
		p.watch.start()
	}
	p.collector.frame = uint64(p.load32(abi.RunFrame))
	for i := range p.prog.Taps {
		p.collector.drained[i] = p.load64(p.prog.Taps[i].At + abi.TapDrained)
	}
}

// show sends the controller the changes in the memory that the processes of this host write, unless a kernel overwrote
// this memory.
func (p *part) show() error {
	if p.watch.damage != nil {
		return nil
	}
	if offset := p.offset.Load(); offset != nil {
		p.store64(abi.RunClockOffset, uint64(*offset))
	}
	changes := p.own.AppendChanges(nil)
	if len(changes) == 0 {
		return nil
	}
	return p.conn.Send(wire.Memory, changes)
}

// exited reports the end of a process to the controller.
func (p *part) exited(x exit) error {
	return p.conn.SendValue(wire.Exited, wire.Exit{Process: x.process, Status: uint32(x.status), CPU: int64(x.cpu)})
}

// finish ends the processes and sends the remaining data: their last counts, a broken fence, and their output files.
func (p *part) finish() error {
	p.run.stop()
	reported := p.watch.damage != nil
	if f := p.watch.look(time.Now()); f != nil && !reported {
		if err := p.conn.SendValue(wire.Failed, p.watch.overwritten(-1).trouble()); err != nil {
			return err
		}
	}
	if err := p.show(); err != nil {
		return err
	}
	for more := true; more; {
		select {
		case x := <-p.exits:
			if err := p.exited(x); err != nil {
				return err
			}
		default:
			more = false
		}
	}
	if f := p.brokenFence(); f != nil && p.watch.damage == nil {
		if err := p.conn.SendValue(wire.Failed, f.trouble()); err != nil {
			return err
		}
	}
	for _, x := range outputs(p.prog, p.greeting.Host) {
		if err := sendFile(p.conn, filepath.Join(p.dir, x.Name), x.Name, false); err != nil {
			if errors.Is(err, os.ErrNotExist) {
				continue // the kernel has not written it
			}
			return err
		}
	}
	return nil
}

// sendFile sends a file under the given name.
func sendFile(conn *wire.Conn, path, name string, executable bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	head := wire.FileHead{Name: name, Size: info.Size(), Executable: executable}
	if err := conn.SendValue(wire.File, head); err != nil {
		return err
	}
	chunk := make([]byte, wire.ChunkBytes)
	for {
		n, err := io.ReadFull(f, chunk)
		if n > 0 {
			if err := conn.Send(wire.Bytes, chunk[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return conn.Send(wire.Bytes, nil)
		}
		if err != nil {
			return err
		}
	}
}

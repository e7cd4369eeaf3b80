package run

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/wire"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
)

// Parts say how the parts of a run over hosts are started.
type Parts struct {
	// Command is that of a program which calls [Part].
	Command []string
	// Launch, if set, says how a command is started on a host; else all hosts are this machine.
	Launch func(host string, command []string) ([]string, error)
	// Version is that of the program: parts must have the same.
	Version string
}

type partsKey struct{}

// WithParts has all runs over hosts that get the context started so.
func WithParts(ctx context.Context, p *Parts) context.Context {
	return context.WithValue(ctx, partsKey{}, p)
}

// partsOf is what WithParts said; nil without.
func partsOf(ctx context.Context) *Parts {
	p, _ := ctx.Value(partsKey{}).(*Parts)
	return p
}

// parts are the parts of a run over hosts, as its control has them: a part on each host starts the processes there,
// and tells what they show of themselves in the memory of that host. The control holds a copy, in memory of the same
// layout, which the rest of this package reads as if all processes were here.
type parts struct {
	*run
	how    *Parts
	list   []*remote
	failed chan *Failure
	on     []int       // which processor of its host each process is on; -1 for any
	ending atomic.Bool // what ends from now on is meant to
	memory sync.Mutex  // held while a message of a host is written to the copy
}

// freeze keeps the copy of the hosts' memory as it is until the returned function is called. It may be called for no
// parts.
func (a *parts) freeze() (release func()) {
	if a == nil {
		return func() {}
	}
	a.memory.Lock()
	return a.memory.Unlock
}

// remote is one part, as the control sees it.
type remote struct {
	all     *parts
	host    int
	name    string // of the host
	cmd     *exec.Cmd
	in      io.Closer // what the part reads
	conn    *wire.Conn
	says    *tail // what the launcher and the part print
	clock   wire.Clock
	heard   atomic.Int64 // ns
	own     *wire.Mirror // what its host writes
	told    *wire.Mirror // what the control does
	machine wire.Machine
	answers chan message
	over    chan struct{} // closed when nothing more comes
	reaped  chan struct{} // closed when what was started here has ended
	orderly atomic.Bool   // it has said that nothing follows
	into    *incoming
	refused wire.Strangers
}

func newParts(r *run, how *Parts) *parts {
	a := &parts{run: r, how: how, failed: make(chan *Failure, 4*len(r.prog.Hosts)+4)}
	r.listen()
	own := controlRanges(r.prog)
	for h := range r.prog.Hosts {
		a.list = append(a.list, &remote{all: a, host: h, name: r.prog.Hosts[h].Name, says: &tail{},
			own: wire.NewMirror(r.mem, ownRanges(r.prog, h)), told: wire.NewMirror(r.mem, own),
			answers: make(chan message, 4), over: make(chan struct{}), reaped: make(chan struct{})})
	}
	return a
}

// trouble tells of parts that cannot go on; it may be asked of no parts.
func (a *parts) trouble() <-chan *Failure {
	if a == nil {
		return nil
	}
	return a.failed
}

// failure is trouble that nobody has been told of; nil for none.
func (a *parts) failure() *Failure {
	select {
	case f := <-a.failed:
		return f
	default:
		return nil
	}
}

// explain waits a moment for the reason why a process that carries edges has ended: that a host is gone shows there
// first. It names the hosts that the edges join.
func (a *parts) explain(f *Failure, carrier int) *Failure {
	var joined []string
	for e := range a.prog.Edges {
		if w := &a.prog.Edges[e].Way; w.Crosses() && (w.OutCarrier == carrier || w.InCarrier == carrier) {
			text := fmt.Sprintf("%s leads from host %s to host %s", a.prog.Edges[e].Name,
				a.list[a.prog.Processes[w.OutCarrier].Host].name, a.list[a.prog.Processes[w.InCarrier].Host].name)
			joined = append(joined, text)
		}
	}
	f = &Failure{Kind: f.Kind, Kernel: f.Kernel, Text: f.Text + " (" + listed(joined, ", ") + ")"}
	for _, p := range a.list {
		if heard := time.Duration(int64(monotonic()) - p.heard.Load()); heard > 3*pingPeriod {
			return &Failure{Kind: "host", Text: fmt.Sprintf("host %s has been silent for %.1f s; %s", p.name,
				heard.Seconds(), f.Text)}
		}
	}
	select {
	case g := <-a.failed:
		return g
	case <-time.After(2 * pingPeriod):
		return f
	}
}

// fail tells that a part cannot go on.
func (a *parts) fail(f *Failure) {
	if a.ending.Load() && f.Kind == "host" {
		return
	}
	select {
	case a.failed <- f:
	default: // that there is trouble is known
	}
}

// start starts the parts, sends them what they need, and has them start the processes.
func (a *parts) start(ctx context.Context, built *program.Program) (err error) {
	defer func() {
		if err != nil {
			a.stop()
		}
	}()
	secret := make([]byte, wire.SecretBytes)
	if _, err := rand.Read(secret); err != nil {
		return fmt.Errorf("making up the secret of the run: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := a.each(func(p *remote) error { return p.launch(ctx) }); err != nil {
		return err
	}
	go a.watchParts()
	if err := a.each(func(p *remote) error { return p.prepare(ctx, built, secret) }); err != nil {
		return err
	}
	where := wire.Connections{Addresses: make([]string, len(a.list))}
	if err := a.each(func(p *remote) (err error) {
		where.Addresses[p.host], err = p.listens(ctx)
		return err
	}); err != nil {
		return err
	}
	if err := a.each(func(p *remote) error { return p.connects(ctx, where) }); err != nil {
		return err
	}
	for _, p := range a.list {
		if p.refused.Count > 0 {
			a.notes = append(a.notes, fmt.Sprintf("host %s: %s", p.name, strangersText(&p.refused)))
		}
	}
	if err := a.each(func(p *remote) error { return p.meet(ctx) }); err != nil {
		return err
	}
	if a.on, err = a.processors(); err != nil {
		return err
	}
	return a.each(func(p *remote) error { return p.conn.SendValue(wire.Start, wire.Processors{Of: a.on}) })
}

// each does something with all parts at once.
func (a *parts) each(do func(p *remote) error) error {
	errs := make([]error, len(a.list))
	var all sync.WaitGroup
	for i, p := range a.list {
		all.Go(func() {
			if err := do(p); err != nil {
				errs[i] = fmt.Errorf("host %s: %w", p.name, err)
			}
		})
	}
	all.Wait()
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool {
		return errors.Is(err, errOther) // the other's own says more
	})...)
}

// errOther is that a part ended because another has.
var errOther = errors.New("ended")

// processors gives each process a processor of its host. Parts that are on one machine share its processors out.
func (a *parts) processors() ([]int, error) {
	on := make([]int, len(a.prog.Processes))
	used := make(map[string]int)   // by machine
	given := make(map[[2]int]int)  // host, number of the core there -> processor
	short := make(map[string]bool) // machines with fewer processors than cores
	named := make(map[string][]string)
	for i := range a.prog.Processes {
		x := &a.prog.Processes[i]
		p := a.list[x.Host]
		machine := cmp.Or(p.machine.Boot, p.name)
		if !slices.Contains(named[machine], p.name) {
			named[machine] = append(named[machine], p.name)
		}
		key := [2]int{x.Host, x.Processor}
		cpu, ok := given[key]
		switch {
		case x.Named && !slices.Contains(p.machine.Processors, x.Processor):
			return nil, fmt.Errorf("host %s: cpu of the core of %s is %d, but the processors there are %v", p.name,
				x.Name, x.Processor, p.machine.Processors)
		case x.Named:
			cpu = x.Processor
		case !ok:
			cpu = -1
			if n := len(p.machine.Processors); n > 0 {
				cpu = p.machine.Processors[used[machine]%n]
				short[machine] = short[machine] || used[machine] >= n
			}
			used[machine]++
			given[key] = cpu
		}
		on[i] = cpu
	}
	for machine := range short {
		if short[machine] {
			a.notes = append(a.notes, fmt.Sprintf("the cores of %s share the processors of one machine, which has "+
				"fewer", strings.Join(named[machine], " and ")))
		}
	}
	slices.Sort(a.notes)
	return on, nil
}

// watchParts asks parts for their clocks, and gives up those that are silent.
func (a *parts) watchParts() {
	for range time.Tick(pingPeriod) {
		any := false
		for _, p := range a.list {
			select {
			case <-p.over:
				continue
			default:
			}
			any = true
			if quiet := time.Duration(int64(monotonic()) - p.heard.Load()); quiet > silence {
				a.fail(&Failure{Kind: "host", Text: fmt.Sprintf("host %s has been silent for %.0f s: it or its "+
					"network is gone%s", p.name, quiet.Seconds(), p.says)})
				p.kill()
				continue
			}
			go p.ping() // whose connection may be stuck
		}
		if !any {
			return
		}
	}
}

// tell sends what the control has written to shared memory.
func (a *parts) tell() {
	if a == nil {
		return
	}
	for _, p := range a.list {
		if changes := p.told.AppendChanges(nil); len(changes) > 0 {
			_ = p.conn.Send(wire.Memory, changes) // a part that is gone is noticed by who reads from it
		}
	}
}

// starts are what the clocks of the hosts show now.
func (a *parts) starts() []uint64 {
	var list []uint64
	for _, p := range a.list {
		offset, _, _ := p.clock.Offset()
		list = append(list, uint64(int64(monotonic())-offset))
	}
	return list
}

// stopPatience is how long a part may take to end its processes, and how long it may then be silent while it sends
// what they have written.
const stopPatience = 5 * time.Second

// stop ends all parts, and waits for them.
func (a *parts) stop() {
	a.ending.Store(true)
	var all sync.WaitGroup
	for _, p := range a.list {
		all.Go(p.stop)
	}
	all.Wait()
}

// launch starts a part and recognizes it.
func (p *remote) launch(ctx context.Context) error {
	command, err := p.all.how.Command, error(nil)
	if len(command) == 0 {
		return errors.New("it is not known how to start a part of a run (Options.Parts)")
	}
	if launch := p.all.how.Launch; launch != nil {
		if command, err = launch(p.name, command); err != nil {
			return err
		}
	}
	p.cmd = exec.Command(command[0], command[1:]...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for the control
	p.cmd.Stderr = p.says
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
		return fmt.Errorf("starting its part: %w", err)
	}
	p.in, p.conn = in, wire.NewConn(out, in)
	known := make(chan error, 1)
	go func() { known <- p.conn.Recognize(p.all.how.Version) }()
	select {
	case err = <-known:
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(launchPatience):
		err = fmt.Errorf("it has said nothing for %v", launchPatience)
	}
	p.heard.Store(int64(monotonic()))
	if err != nil {
		p.reap()
		close(p.over)
		return fmt.Errorf("starting its part with %s: %w%s", safetext.ShellLine(command), err, p.says)
	}
	go p.listen()
	return nil
}

// listen takes in what a part says, until it ends.
func (p *remote) listen() {
	err := p.take()
	p.reap()
	if !p.orderly.Load() {
		p.all.fail(&Failure{Kind: "host", Text: fmt.Sprintf("host %s: its part has ended (%v)%s", p.name, err, p.says)})
	}
	close(p.over)
}

// lastWords is how long what a part has printed to the end is waited for.
const lastWords = 2 * time.Second

// reap waits, from now on, for the end of what was started here, and a moment for what it has printed.
func (p *remote) reap() {
	go func() {
		_ = p.cmd.Wait() // how it ended is told otherwise
		close(p.reaped)
	}()
	select {
	case <-p.reaped:
	case <-time.After(lastWords):
	}
}

// take takes in messages.
func (p *remote) take() error {
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
			var said wire.Said
			if said, err = wire.Value[wire.Said](payload); err == nil && p.has(said.Process) {
				r.words[said.Process].hear(&said)
			}
		case wire.Exited:
			var x wire.Exit
			if x, err = wire.Value[wire.Exit](payload); err == nil && p.has(x.Process) {
				r.words[x.Process].end()
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
				r.fail(&Failure{t.Kind, t.Kernel, "on host " + p.name + ": " + safetext.Line(t.Text)})
			}
		case wire.File, wire.Bytes:
			err = p.receiveFile(kind, payload)
		case wire.Over:
			p.orderly.Store(true)
			return nil
		default:
			select {
			case p.answers <- message{kind, payload}:
			default:
				return fmt.Errorf("message %d came unasked", kind)
			}
		}
		if err != nil {
			return err
		}
	}
}

// runs reports whether a kernel of a name is on the host.
func (p *remote) runs(kernel string) bool {
	return slices.ContainsFunc(p.all.prog.Kernels, func(k program.Kernel) bool {
		return k.Name == kernel && p.has(k.Process)
	})
}

// has reports whether a process is one of the host.
func (p *remote) has(process int) bool {
	return process >= 0 && process < len(p.all.prog.Processes) && p.all.prog.Processes[process].Host == p.host
}

// answer waits for a message of a kind.
func (p *remote) answer(ctx context.Context, kind wire.Kind) ([]byte, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case f := <-p.all.failed:
		p.all.failed <- f // for the others
		if !strings.Contains(f.Text, "host "+p.name+":") {
			return nil, errOther
		}
		return nil, errors.New(p.without(f))
	case m := <-p.answers:
		if m.kind != kind {
			return nil, fmt.Errorf("it says %d where %d is due", m.kind, kind)
		}
		return m.payload, nil
	}
}

// prepare sends a part the program and its inputs.
func (p *remote) prepare(ctx context.Context, built *program.Program, secret []byte) error {
	prog := p.all.prog
	in := inputs(prog, p.host)
	look := watchPeriod
	if f := p.all.limits.Frame; f > 0 {
		look = min(look, f/2)
	}
	if err := p.conn.SendValue(wire.Hello, greeting{*prog, p.host, secret, 1 + len(in), look,
		p.all.limits.Env}); err != nil {
		return p.whySent("what is to be run", err)
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

// without is what a failure says behind the name of the host.
func (p *remote) without(f *Failure) string {
	return strings.TrimPrefix(strings.TrimPrefix(f.Text, "on "), "host "+p.name+": ")
}

// whySent is why something could not be sent: what the part has said of it, where it has.
func (p *remote) whySent(what string, err error) error {
	select {
	case f := <-p.all.failed:
		p.all.failed <- f
		return fmt.Errorf("sending %s: %s", what, p.without(f))
	case <-time.After(pingPeriod):
		return fmt.Errorf("sending %s: %w", what, err)
	}
}

// listens learns where a part listens.
func (p *remote) listens(ctx context.Context) (string, error) {
	payload, err := p.answer(ctx, wire.Listens)
	if err != nil {
		return "", err
	}
	at, err := wire.Value[wire.Listening](payload)
	return at.Address, err
}

// connects has a part connect to the others.
func (p *remote) connects(ctx context.Context, where wire.Connections) error {
	if err := p.conn.SendValue(wire.Connect, where); err != nil {
		return p.whySent("where the others are", err)
	}
	payload, err := p.answer(ctx, wire.Joined)
	if err != nil {
		return err
	}
	p.refused, err = wire.Value[wire.Strangers](payload)
	return err
}

// meet learns how far the clock of a part is from the one here, and tells it.
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
	return errors.New("it does not tell its time")
}

// ping asks a part for its time, and tells it how far its clock is from the one here.
func (p *remote) ping() {
	_ = p.conn.SendNumbers(wire.Ping, int64(monotonic())) // a part that is gone is noticed by who reads from it
	if offset, _, ok := p.clock.Offset(); ok {
		_ = p.conn.SendNumbers(wire.Offset, offset)
	}
}

// stop tells a part that the run is over, and waits until it has ended.
func (p *remote) stop() {
	if p.cmd == nil {
		return
	}
	go func() { _ = p.conn.Send(wire.Stop, nil) }() // it may be stuck
	begin := int64(monotonic())
	for stopped := false; !stopped; {
		select {
		case <-p.over:
			stopped = true
		case <-time.After(pingPeriod):
			if int64(monotonic())-max(begin, p.heard.Load()) > stopPatience.Nanoseconds() {
				p.kill()
				stopped = true
			}
		}
	}
	if p.into != nil && isClosed(p.over) {
		p.all.fail(&Failure{Kind: "host", Text: fmt.Sprintf("host %s sent %s only in part", p.name, p.into.path)})
		_ = p.into.drop() // that it is missing was said
	}
	_ = p.in.Close() // a part that reads its end ends
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

// kill ends what was started for a part here; a part that is elsewhere sees the end of its connection.
func (p *remote) kill() {
	_ = p.in.Close()
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
}

// incoming is a file that a part sends back.
type incoming struct {
	file *os.File
	path string
	left int64
}

// receiveFile takes in a file that kernels of the host have written: only those that they may write.
func (p *remote) receiveFile(kind wire.Kind, payload []byte) error {
	if kind == wire.File {
		head, err := wire.Value[wire.FileHead](payload)
		if err != nil {
			return err
		}
		for _, x := range outputs(p.all.prog, p.host) {
			if x.Name == head.Name && p.into == nil {
				f, err := output.CreateTemp(x.Path)
				if err != nil {
					return fmt.Errorf("writing %s: %w", x.Path, err)
				}
				p.into = &incoming{f, x.Path, head.Size}
				return nil
			}
		}
		return fmt.Errorf("it sends a file that was not asked for: %q", safetext.Line(head.Name))
	}
	x := p.into
	if x == nil {
		return errors.New("it sends bytes of no file")
	}
	if x.left -= int64(len(payload)); x.left < 0 {
		return errors.Join(fmt.Errorf("%s is longer than it said", x.path), x.drop())
	}
	if len(payload) > 0 {
		if _, err := x.file.Write(payload); err != nil {
			return errors.Join(fmt.Errorf("writing %s: %w", x.path, err), x.drop())
		}
		return nil
	}
	p.into = nil
	if err := errors.Join(x.file.Chmod(0o644), x.file.Sync(), x.file.Close(),
		os.Rename(x.file.Name(), x.path)); err != nil {
		return fmt.Errorf("writing %s: %w", x.path, err)
	}
	return nil
}

// drop removes what has come of a file.
func (x *incoming) drop() error { return errors.Join(x.file.Close(), os.Remove(x.file.Name())) }

// tail keeps the end of what a program prints.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.text = append(t.text, b...); len(t.text) > maxTail {
		t.text = bytes.Clone(t.text[len(t.text)-maxTail:])
	}
	return len(b), nil
}

// String is what follows a message: what was printed, if anything was.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := strings.TrimSpace(safetext.Clean(string(t.text))); text != "" {
		return "; it said: " + text
	}
	return ""
}

package run

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/wire"
	"xopt/internal/fault"
)

// Parts configures how the parts of a run over hosts start.
type Parts struct {
	// Command is the command line of a program that calls [Part].
	Command []string
	// Launch, if set, returns the command that starts a command on a host. If Launch is nil, all hosts are this
	// machine.
	Launch func(host string, command []string) ([]string, error)
	// Version is the version of the program. All parts must have the same version.
	Version string
}

type partsKey struct{}

// WithParts returns a context that contains the parts for all runs over hosts.
func WithParts(ctx context.Context, p *Parts) context.Context {
	return context.WithValue(ctx, partsKey{}, p)
}

// partsOf returns the Parts that WithParts stored in a context; nil if there are none.
func partsOf(ctx context.Context) *Parts {
	p, _ := ctx.Value(partsKey{}).(*Parts)
	return p
}

// parts contains the parts of a run over hosts, from the controller's view. A part on each host starts the processes
// there and sends the data in their shared memory. The controller has a copy of these data in memory with the same
// layout. Other code in this package reads the copy as if all processes were on this machine.
type parts struct {
	*run
	how    *Parts
	list   []*remote
	failed chan *Failure
	on     []int       // processor on its host, by process; -1 for any
	ending atomic.Bool // set before parts are ended intentionally
	memory sync.Mutex  // locked while a host's message is written to the copy
}

// freeze keeps the copy of the hosts' memory unchanged until the caller calls the returned function. It does nothing
// for a run on one host.
func (a *parts) freeze() (release func()) {
	if a == nil {
		return func() {}
	}
	a.memory.Lock()
	return a.memory.Unlock
}

func newParts(r *run, how *Parts) *parts {
	a := &parts{run: r, how: how, failed: make(chan *Failure, 4*len(r.prog.Hosts)+4)}
	r.listen()
	own := controlRanges(r.prog)
	for h := range r.prog.Hosts {
		a.list = append(a.list, &remote{all: a, host: h, name: r.prog.Hosts[h].Name, output: &tail{},
			own: wire.NewMirror(r.mem, ownRanges(r.prog, h)), mirror: wire.NewMirror(r.mem, own),
			answers: make(chan message, 4), done: make(chan struct{}), reaped: make(chan struct{})})
	}
	return a
}

// trouble returns the channel on which parts report that they cannot continue. The channel is nil for a run on one
// host.
func (a *parts) trouble() <-chan *Failure {
	if a == nil {
		return nil
	}
	return a.failed
}

// failure returns an unreported failure; nil for none.
func (a *parts) failure() *Failure {
	select {
	case f := <-a.failed:
		return f
	default:
		return nil
	}
}

// explain completes the failure of a process that carries edges between hosts. It adds the hosts that the edges
// connect. The loss of a host ends such a process first, so explain waits briefly for a report about the loss.
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

// fail reports that a part cannot continue.
func (a *parts) fail(f *Failure) {
	if a.ending.Load() && f.Kind == "host" {
		return
	}
	select {
	case a.failed <- f:
	default: // trouble is already reported
	}
}

// start starts the parts, sends their input, and requests the start of the processes.
func (a *parts) start(ctx context.Context, built *program.Program) (err error) {
	defer func() {
		if err != nil {
			a.stop()
		}
	}()
	secret := make([]byte, wire.SecretBytes)
	if _, err := rand.Read(secret); err != nil {
		return fmt.Errorf("generating the secret of the run: %w", err)
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
			a.notes = append(a.notes, faults.StrangersRefused.Notef("host %s: %s", p.name, strangersText(&p.refused)))
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

// each calls a function for all parts concurrently.
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
		return errors.Is(err, errOther) // the other part's own failure is more specific
	})...)
}

// errOther means that a part ended because another part ended.
var errOther = errors.New("ended")

// processors assigns a processor of its host to each process. Parts on the same machine share its processors.
func (a *parts) processors() ([]int, error) {
	on := make([]int, len(a.prog.Processes))
	used := make(map[string]int)   // number of processors used, by machine
	given := make(map[[2]int]int)  // processor by host and index of the core on it
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
			return nil, faults.WrongCPU.Errorf("host %s: the core of %s has cpu=%d, but the host has the processors "+
				"%v (correct cpu)",
				p.name, x.Name, x.Processor, p.machine.Processors)
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
			a.notes = append(a.notes, faults.ProcessorsShared.Notef("the cores of %s are on one machine, which has "+
				"fewer processors than the mapping uses cores (map to fewer cores)",
				strings.Join(named[machine], " and ")))
		}
	}
	slices.SortFunc(a.notes, func(x, y fault.Note) int { return strings.Compare(x.Text, y.Text) })
	return on, nil
}

// watchParts requests the clocks of all parts, and ends parts that do not answer.
func (a *parts) watchParts() {
	for range time.Tick(pingPeriod) {
		any := false
		for _, p := range a.list {
			select {
			case <-p.done:
				continue
			default:
			}
			any = true
			if quiet := time.Duration(int64(monotonic()) - p.heard.Load()); quiet > silence {
				a.fail(p.failure(" ", fmt.Sprintf("has been silent for %.0f s: the host or its network is down%s",
					quiet.Seconds(), p.output)))
				p.kill()
				continue
			}
			go p.ping() // its connection may block
		}
		if !any {
			return
		}
	}
}

// sendMemory sends the controller's writes to shared memory.
func (a *parts) sendMemory() {
	if a == nil {
		return
	}
	for _, p := range a.list {
		if changes := p.mirror.AppendChanges(nil); len(changes) > 0 {
			_ = p.conn.Send(wire.Memory, changes) // if the part has ended, the reader of its connection detects its end
		}
	}
}

// starts returns the current values of the hosts' clocks.
func (a *parts) starts() []uint64 {
	var list []uint64
	for _, p := range a.list {
		offset, _, _ := p.clock.Offset()
		list = append(list, uint64(int64(monotonic())-offset))
	}
	return list
}

// stopPatience is the timeout for a part to end its processes. It also limits the silence of the part while it sends
// the files of these processes.
const stopPatience = 5 * time.Second

// stop ends all parts and waits for them.
func (a *parts) stop() {
	a.ending.Store(true)
	var all sync.WaitGroup
	for _, p := range a.list {
		all.Go(p.stop)
	}
	all.Wait()
}

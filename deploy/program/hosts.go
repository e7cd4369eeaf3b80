package program

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// Host is a machine on which processes of a run execute.
type Host struct {
	Name    string // name for connections to it
	Address string // address on which it accepts edges from other hosts
}

// HostFile is a file that a kernel reads or writes in a run over hosts. Name is the name under which the kernel opens
// the file, in the folder of the program on the host. Path is its path on this machine.
type HostFile struct {
	Host       int
	Name, Path string
	Output     bool // the kernel writes the file
}

// Way contains the processes that carry an edge between two hosts, and the file descriptors of their connections. All
// fields are 0 for an edge within one host.
type Way struct {
	OutCarrier, OutFD int // on the writer's host
	InCarrier, InFD   int // on the reader's host
}

// Crosses reports whether the edge leads from one host to another.
func (w *Way) Crosses() bool { return w.OutCarrier > 0 }

// hostsOf lists the hosts that a placement uses, in the order of the architecture; nil if the architecture names no
// host.
func hostsOf(prog *xlang.Program, place []int) []Host {
	var hosts []Host
	named := false
	for r := range prog.Resources {
		name, address := design.HostOf(prog, r)
		named = named || name != ""
		if slices.Contains(place, r) && !slices.ContainsFunc(hosts, func(h Host) bool { return h.Name == name }) {
			hosts = append(hosts, Host{name, address})
		}
	}
	if !named {
		return nil
	}
	return hosts
}

// hostOf returns the index of a resource's host; 0 if there are no hosts.
func (p *plan) hostOf(r int) int {
	name, _ := design.HostOf(p.program, r)
	return max(slices.IndexFunc(p.hosts, func(h Host) bool { return h.Name == name }), 0)
}

// carry adds the processes that carry edges between hosts. Each process with edges to other hosts has such a carrier on
// the same processor, because sending and receiving are work of this core.
func (p *plan) carry(problem func(id fault.ID, format string, args ...any)) {
	p.ways = make([]Way, len(p.program.Edges))
	if p.hosts == nil {
		return
	}
	p.tsc = false // time stamp counters of different machines are unrelated
	p.options.Reference = false
	p.options.Growth = Growth{}
	carrier := make(map[int]int) // carrier of each process
	carrierOf := func(process int) int {
		if c, ok := carrier[process]; ok {
			return c
		}
		x := p.processes[process]
		x.Name, x.Carries = "carrier of "+x.Name, true
		p.processes = append(p.processes, x)
		carrier[process] = len(p.processes) - 1
		return carrier[process]
	}
	for e := range p.program.Edges {
		edge := &p.program.Edges[e]
		from, to := p.process[edge.From], p.process[edge.To]
		if p.processes[from].Host == p.processes[to].Host {
			continue
		}
		if edge.Initial > 0 || p.loopOf(e) >= 0 {
			problem(faults.LoopAcrossHosts, "edge %s is in a loop and leads from host %s to host %s: map all kernels "+
				"of the loop to one host", edge.Name,
				p.hosts[p.processes[from].Host].Name, p.hosts[p.processes[to].Host].Name)
		}
		p.ways[e].OutCarrier, p.ways[e].InCarrier = carrierOf(from), carrierOf(to)
	}
	p.number()
	if p.options.Events {
		problem(faults.EventsAcrossHosts, "cannot record events: xopt records events only on this machine, but the "+
			"mapping runs on host %s", p.hosts[0].Name)
	}
	for i, t := range p.options.Taps {
		if host, ok := p.tapHost(&t); ok && !p.seenOn(host, t.When) {
			problem(faults.ConditionAcrossHosts, "the condition of tap %d (%s) refers to a host other than %s, where "+
				"the tap is", i+1, t.Kind, p.hosts[host].Name)
		}
	}
}

// staysIn adds notes for edges that a mapping assigns to a link between hosts although they stay on one host.
func (p *plan) staysIn(d *design.Design) {
	if p.hosts == nil {
		return
	}
	arch := &d.Problem.Architecture
	for e, route := range d.Mapping.Route {
		edge := &p.program.Edges[e]
		host := p.processes[p.process[edge.From]].Host
		if host != p.processes[p.process[edge.To]].Host {
			continue
		}
		if i := slices.IndexFunc(route, arch.JoinsHosts); i >= 0 {
			p.notes = append(p.notes, faults.EdgeStaysOnHost.Notef("edge %s stays on host %s and uses the "+
				"memory there, but the prediction uses %s. Declare the memory that connects the cores of the host "+
				"(resource mem is memory ({ … })), or remove the edge from the map statement", edge.Name,
				p.hosts[host].Name, arch.Links[route[i]].DeclaredName()))
		}
	}
}

// tapHost returns the host of a tap; false if the tap's object does not exist, which planTaps reports.
func (p *plan) tapHost(t *Tap) (int, bool) {
	placed := PlacedTap{Tap: *t}
	d := Description{}
	for e := range p.program.Edges {
		d.Edges = append(d.Edges, Edge{From: p.program.Edges[e].From, To: p.program.Edges[e].To})
	}
	for _, e := range t.Edges() {
		if t.Kind != Service && (e < 0 || e >= len(d.Edges)) {
			return 0, false
		}
	}
	k := placed.Owner(&d)
	if k < 0 || k >= len(p.process) {
		return 0, false
	}
	return p.processes[p.process[k]].Host, true
}

// seenOn reports whether all inputs of a condition are on a host.
func (p *plan) seenOn(host int, c Condition) bool {
	on := func(k int) bool {
		return k < 0 || k >= len(p.process) || p.processes[p.process[k]].Host == host
	}
	for _, s := range c {
		switch s.Op {
		case Queued, Waiting:
			if s.Object >= 0 && s.Object < len(p.program.Edges) &&
				!(on(p.program.Edges[s.Object].From) && on(p.program.Edges[s.Object].To)) {
				return false
			}
		case Running:
			if !on(s.Object) {
				return false
			}
		case Latest:
			if s.Object >= 0 && s.Object < len(p.options.Taps) {
				if other, ok := p.tapHost(&p.options.Taps[s.Object]); ok && other != host {
					return false
				}
			}
		}
	}
	return true
}

// number assigns file descriptors. A bell is the eventfd that wakes a carrier. The bells of a host's carriers follow
// the shared memory. The sockets of a carrier follow the bells.
func (p *plan) number() {
	bells := make([]int, len(p.hosts))
	for i := range p.processes {
		if x := &p.processes[i]; x.Carries {
			x.Bell = abi.SharedFD + 1 + bells[x.Host]
			bells[x.Host]++
		}
	}
	sockets := make([]int, len(p.processes))
	next := func(carrier int) int {
		fd := abi.SharedFD + 1 + bells[p.processes[carrier].Host] + sockets[carrier]
		sockets[carrier]++
		return fd
	}
	for e := range p.ways {
		if w := &p.ways[e]; w.Crosses() {
			w.OutFD, w.InFD = next(w.OutCarrier), next(w.InCarrier)
		}
	}
}

// way returns the carriers and connections of an edge.
func (p *plan) way(e int) Way {
	if p.ways == nil { // in virtual time
		return Way{}
	}
	return p.ways[e]
}

// hostFile returns the name under which a kernel opens a file. A run over hosts uses the name in the folder of the
// kernel's host. If the path exists but is not a regular file, or if an input file is missing, the host uses the path
// unchanged.
func (p *plan) hostFile(k int, path string, output bool) string {
	if p.hosts == nil || path == "" {
		return path
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if info, err := os.Stat(full); err == nil && !info.Mode().IsRegular() || err != nil && !output {
		return path
	}
	x := HostFile{Host: p.processes[p.process[k]].Host, Name: fmt.Sprintf("input-%d", k), Path: full, Output: output}
	if output {
		x.Name = fmt.Sprintf("output-%d", k)
	}
	if !slices.Contains(p.files, x) {
		p.files = append(p.files, x)
	}
	return x.Name
}

// Bells returns the carriers of a host, in the order of their bells.
func (d *Description) Bells(host int) []int {
	var list []int
	for i := range d.Processes {
		if d.Processes[i].Carries && d.Processes[i].Host == host {
			list = append(list, i)
		}
	}
	return list
}

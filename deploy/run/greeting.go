package run

import (
	"slices"
	"time"

	"xopt/deploy/abi"
	"xopt/deploy/program"
	"xopt/deploy/wire"
)

// greeting is the first message that the controller of a run over hosts sends to a part.
type greeting struct {
	Program program.Description
	Host    int    // the part's host, in Program.Hosts
	Secret  []byte // the run's secret, which is never on a command line or in an environment
	Files   int    // number of files that follow
	Look    time.Duration
	Env     []string
}

// The timing of a run over hosts.
const (
	pingPeriod = 500 * time.Millisecond
	// silence is the timeout for a host that sends no message. Several replies to pings are then missing.
	silence = 4 * time.Second
	// launchPatience is the timeout for the start of a part.
	launchPatience = 30 * time.Second
	// connectPatience is the timeout for the connections between hosts.
	connectPatience = 10 * time.Second
	// setupPings is the number of pings before the start. They measure the clock offsets.
	setupPings = 8
)

// ownRanges returns the ranges of shared memory that processes of a host write and the supervisor reads.
func ownRanges(p *program.Description, host int) []wire.Range {
	var own []wire.Range
	hostOf := func(kernel int) int { return p.Processes[p.Kernels[kernel].Process].Host }
	add := func(from, bytes uint64) { own = append(own, wire.Range{From: from, To: from + bytes}) }
	for i := range p.Processes {
		if p.Processes[i].Host == host {
			add(p.Processes[i].Control, abi.ProcessBytes)
		}
	}
	for k := range p.Kernels {
		if hostOf(k) == host {
			add(p.Kernels[k].Control, abi.KernelBytes)
		}
	}
	for e := range p.Edges {
		x := &p.Edges[e]
		if hostOf(x.To) == host { // before the writer's counts, which may be ahead
			add(x.Reader, abi.EndBytes)
			add(x.Control+abi.RingTail, abi.RingBytes-abi.RingTail)
		}
		if hostOf(x.From) == host {
			add(x.Writer, abi.EndBytes)
			add(x.Control, abi.RingTail)
		}
	}
	for i := range p.Taps {
		t := &p.Taps[i]
		if hostOf(t.Owner(p)) != host {
			continue
		}
		bytes := abi.TapWith(uint64(t.Slots), uint64(t.Bins.N), uint64(t.Trace))
		add(t.At, abi.TapDrained) // the controller writes TapDrained
		add(t.At+abi.TapDrained+8, bytes-abi.TapDrained-8)
	}
	return own
}

// controlRanges returns the ranges that the controller of a run writes.
func controlRanges(p *program.Description) []wire.Range {
	own := []wire.Range{{From: abi.RunStart, To: abi.RunStart + 8}, {From: abi.RunFrame, To: abi.RunFrame + 8}}
	for i := range p.Taps {
		at := p.Taps[i].At + abi.TapDrained
		own = append(own, wire.Range{From: at, To: at + 8})
	}
	return own
}

// inputs returns the files to send to a host, in addition to the program.
func inputs(p *program.Description, host int) []program.HostFile {
	return slices.DeleteFunc(slices.Clone(p.Files), func(f program.HostFile) bool { return f.Output || f.Host != host })
}

// outputs returns the output files that a host sends back.
func outputs(p *program.Description, host int) []program.HostFile {
	return slices.DeleteFunc(slices.Clone(p.Files), func(f program.HostFile) bool {
		return !f.Output ||
			f.Host != host
	})
}

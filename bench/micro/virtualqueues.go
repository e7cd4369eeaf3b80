package micro

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"xopt/bench/apps"
	"xopt/calibrate"
	"xopt/deploy/measure"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/xlang"
)

// VirtualQueueCase is a queue between a source with random gaps and a server, on cores and an FPGA (Lancaster 2011
// §5.2). It compares the estimates of agents at both ends with the true values in the simulation.
type VirtualQueueCase struct {
	Way        string // "cores", "FPGA", "core to FPGA", "FPGA to core"
	Server     string // service times: "random" or "constant"
	Correlated bool   // the gaps of the source are correlated
	Load       float64
	*measure.Estimate
}

// VirtualQueuesOptions configures [VirtualQueues]. Ways selects the paths of elements; nil for all.
type VirtualQueuesOptions struct {
	Elements uint64
	Bulks    []int
	Ways     []string
	Seed     uint64
	Progress func(done, all int)
}

// The paths of elements, and the parameters of the queues.
const (
	OnCores   = "cores"
	OnFPGA    = "FPGA"
	ToFPGA    = "core to FPGA"
	ToCore    = "FPGA to core"
	softLoad  = 0.9 // utilization of a server on a core
	hardLoad  = 0.8 // utilization of a server on an FPGA
	cycle     = 10e-9
	serving   = 20   // cycles per element
	phase     = 200  // tokens per phase of a correlated source
	roomy     = 8192 // size of the queue, larger than any occupancy
	tight     = 120  // size of the queue on an FPGA, where taps have 128 bins
	exchanged = 1    // cycles between exchanges of data between FPGA and cores
)

// VirtualQueues runs all cases in virtual time, and estimates their queues.
func VirtualQueues(ctx context.Context, o VirtualQueuesOptions) (_ []VirtualQueueCase, err error) {
	dir, err := apps.Unpack("queue")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var list []virtualCase
	for _, way := range o.ways() {
		bulks := o.Bulks
		if way == OnCores || way == OnFPGA {
			bulks = []int{0}
		}
		for _, constant := range []bool{false, true} {
			for _, bulk := range bulks {
				list = append(list, virtualCase{way: way, bulk: bulk, constant: constant})
			}
		}
		if bulks[0] > 0 {
			list = append(list, virtualCase{way: way, bulk: bulks[len(bulks)/2], correlated: true})
		}
	}
	var cases []VirtualQueueCase
	for i := range list {
		if o.Progress != nil {
			o.Progress(i, len(list))
		}
		e, err := list[i].run(ctx, dir, &o)
		if err != nil {
			return nil, fmt.Errorf("the queue %s with bulks of %d: %w", list[i].way, list[i].bulk, err)
		}
		c := VirtualQueueCase{Way: list[i].way, Server: "random", Correlated: list[i].correlated, Load: list[i].load(),
			Estimate: e}
		if list[i].constant {
			c.Server = "constant"
		}
		cases = append(cases, c)
	}
	return cases, nil
}

func (o *VirtualQueuesOptions) ways() []string {
	if o.Ways != nil {
		return o.Ways
	}
	return []string{OnCores, OnFPGA, ToFPGA, ToCore}
}

// virtualCase contains the parameters that distinguish the cases.
type virtualCase struct {
	way                  string
	bulk                 int
	constant, correlated bool
}

func (c *virtualCase) serverOnFPGA() bool { return c.way == OnFPGA || c.way == ToFPGA }
func (c *virtualCase) sourceOnFPGA() bool { return c.way == OnFPGA || c.way == ToCore }

// load returns the utilization of the server.
func (c *virtualCase) load() float64 {
	if c.serverOnFPGA() {
		return hardLoad
	}
	return softLoad
}

// design reads the application with the mapping and times of the case.
func (c *virtualCase) design(dir string) (*design.Design, error) {
	place := func(hardware bool, core int) string {
		if hardware {
			return "fpga"
		}
		return fmt.Sprintf("core[%d]", core)
	}
	room, excess := roomy, "map { top.queue } to bus;"
	switch c.way {
	case OnCores:
		excess = "map { top.queue } to side;"
	case OnFPGA:
		room, excess = tight, ""
	}
	text := fmt.Sprintf("map { top.feed } to core[1]; map { top.arrivals } to %s; map { top.server } to %s;\n"+
		"map { top.record } to core[4]; map { top.tokens, top.done } to side; %s\nbuffer { top.queue } = %d;\n",
		place(c.sourceOnFPGA(), 2), place(c.serverOnFPGA(), 3), excess, room)
	if err := os.WriteFile(filepath.Join(dir, "case.x"), []byte(text), 0o644); err != nil {
		return nil, fmt.Errorf("writing the mapping: %w", err)
	}
	set := map[string]string{"top.service": fmt.Sprint(serving), "bus.bulk": fmt.Sprintf("%dB", 8*max(c.bulk, 1))}
	scv, arrival, service := "1", serving/c.load(), float64(serving)
	if c.sourceOnFPGA() { // an integer number of cycles, which determines the service time
		set["top.arrival"] = fmt.Sprintf("%.0f", arrival)
	}
	if c.way == ToCore {
		arrival = 22
		set["top.arrival"] = "22"
		service = arrival * c.load()
	}
	if c.constant {
		set["top.constant"], scv = "1", "0"
	}
	if c.correlated {
		set["top.phase"] = fmt.Sprint(phase)
	}
	ns := func(cycles float64) string { return fmt.Sprintf("%.6gns", cycles*cycle*1e9) }
	return calibrate.Load(inFolder(dir, "app.x", "hybrid.x", "case.x"), set, design.Options{
		Purpose: design.ForMapping, Overrides: []design.Override{
			{Target: "Arrivals", Attrs: [][2]string{{"time", ns(arrival)}}},
			{Target: "Server", Attrs: [][2]string{{"time", ns(service)}, {"scv", scv}}}}})
}

// run runs the case and estimates its queue.
func (c *virtualCase) run(ctx context.Context, dir string, o *VirtualQueuesOptions) (_ *measure.Estimate, err error) {
	d, err := c.design(dir)
	if err != nil {
		return nil, err
	}
	edge := slices.IndexFunc(d.Program.Edges, func(e xlang.Edge) bool { return e.Name == "top.queue" })
	crossings, err := measure.Crossings(d)
	if err != nil {
		return nil, err
	}
	crossing := measure.Crossing{Link: "none", ReaderOnFPGA: c.serverOnFPGA(), WriterOnFPGA: c.sourceOnFPGA()}
	if x := crossings(edge); x != nil {
		crossing = *x
	}
	taps := measure.EndTaps(edge, crossing.Bulk)
	prog, _, err := xsim.Build(ctx, d, program.Options{CPUs: 2, Elements: o.Elements, Taps: taps[:]},
		xsim.Options{FromProfile: true, Seed: o.Seed, Quantum: exchanged}, "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, prog.Remove()) }()
	var seen measure.Seen
	places := [5]int{0, 1, 2, 3, 4}
	m, err := run.Well(ctx, prog, run.Options{OnFrame: func(f *run.FrameData) { seen.AddFrame(edge, f, places) }})
	if err != nil {
		return nil, err
	}
	seen.Scales(m, places)
	crossing.Exchange = prog.Description().Exchange
	return measure.EstimateQueue(ctx, crossing, &seen, o.Seed)
}

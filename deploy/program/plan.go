package program

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"xopt/deploy/faults"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// Style is the assignment of kernels to processes.
type Style string

// The styles.
const (
	PerCore   Style = "core"   // one process for each core, which schedules its kernels (Gayen 2008 §2.2.1)
	PerKernel Style = "kernel" // one process for each kernel, scheduled by the operating system (Beard 2013 §5.1)
)

// Wait is the behaviour of a process while none of its kernels can run.
type Wait string

// The ways to wait. Waking a process on another core takes about 75 us on the machine of the measurement, and a round
// trip by spinning 0.3 us. But a spinning process takes its core from others.
const (
	WaitAuto      Wait = "auto"       // spin-block where a process has a processor for itself, else block
	WaitBlock     Wait = "block"      // sleep until woken
	WaitSpinBlock Wait = "spin-block" // spin for 500 us, then sleep
	WaitSpin      Wait = "spin"       // never sleep
	WaitYield     Wait = "yield"      // let others run, never sleep
)

// Scheduler is the policy by which Linux schedules a process.
type Scheduler string

// The policies; see sched(7).
const (
	SchedulerOther Scheduler = "other"
	SchedulerBatch Scheduler = "batch"
	SchedulerRR    Scheduler = "rr" // needs CAP_SYS_NICE
)

// Options configure a deployment. The zero value follows the configs of the cores in the architecture, and measures
// only quantities that the rings count anyway.
type Options struct {
	// Style, Wait and Scheduler override the configs processes, wait and
	// scheduler of every core.
	Style     Style
	Wait      Wait
	Scheduler Scheduler
	// Schedule and Batch override the configs schedule and batch of every core. They are the order of the kernels of a
	// process, and the number of bytes that pass through them before the next, such as 16KiB. An empty Batch follows
	// the first cache.
	Schedule Schedule
	Batch    string
	// CPUs is the number of processors of this machine to use; 0 means all that this process may use. Further cores of
	// the mapping share them.
	CPUs int
	// Input, Output and Elements are given to the kernels that declare configs
	// of these names: input and elements to sources, output to sinks.
	Input, Output string
	Elements      uint64
	// Taps are the measurements to build in.
	Taps []Tap
	// Conditions are evaluated from outside every few milliseconds, to measure the part of the time in which they are
	// true.
	Conditions []Condition
	// Exact shows and releases every element at once, not in batches. In a call, a kernel sees one firing: one element
	// of each input of a join, or of one input outside joins, if that suffices. It is slower, and occupancies count no
	// released element.
	Exact bool
	// Guard detects every write beyond the elements that a kernel has requested space for, and compiles kernels
	// with the compiler's sanitizers. It slows the run.
	Guard bool
	// Reference makes fixed pieces of work alternate with the kernels on their processors, once in every time frame.
	// Their times measure the present speed of a processor.
	Reference bool
	// Events records every event of edges and testpoints (package trace). EventsMost limits the events of each of them;
	// 0 means all.
	Events     bool
	EventsMost uint64
	// Virtual, if set, makes the run one in virtual time.
	Virtual *Virtual
	// Buffers are sizes in elements, by edge; they override the sizes of the X files. Other edges have 256 KiB, or 1
	// MiB between hosts, and at least the elements of a firing.
	Buffers map[int]int
	// Growth configures the growth of buffers while the program runs.
	Growth Growth
	// Unordered disables the restoring of order: the output of a kernel's copies is read as it arrives.
	Unordered bool
}

// Sized returns a design with the sizes of o in it.
func (o *Options) Sized(d *design.Design) *design.Design {
	if len(o.Buffers) == 0 {
		return d
	}
	sized := *d
	sized.Buffers = maps.Clone(d.Buffers)
	if sized.Buffers == nil {
		sized.Buffers = make(map[int]int)
	}
	maps.Copy(sized.Buffers, o.Buffers)
	return &sized
}

// minBufferElements is the least that an edge buffers.
const minBufferElements = 4

// plan contains everything to generate and run.
type plan struct {
	program   *xlang.Program
	options   Options
	order     []int // kernels, sources first
	rank      []int // of each kernel in order
	process   []int // of each kernel
	processes []Process
	element   []uint64               // of each edge, bytes
	capacity  []int                  // of each edge, in elements
	ring      []uint64               // of each edge, bytes of its data area
	impl      map[string]*xlang.Impl // by block
	in, out   [][][]int              // kernel, port: edges
	copies    []bool                 // by edge: it shares the elements of an earlier edge of its port
	isSource  []bool
	sentOnce  [][]bool // of each input of each kernel
	points    [][]int  // of each kernel: its testpoints, as numbers among all
	loops     []Loop
	inLoop    []int    // of each kernel: the loop that it is in, -1 for none
	values    [][]byte // of each edge: its initial elements, nil for zeros or none
	first     []int    // by edge: offset of its elements in its data area, in elements
	taps      []tap
	hops      []hop
	// packetTaps are the edges and links of all taps of packets.
	packetTaps []packetTap
	tsc        bool
	layout     layout
	grows      bool   // buffers may
	hosts      []Host // of a run over hosts
	ways       []Way  // of each edge, in such a run
	files      []HostFile
	notes      []fault.Note // notes to the user about the mapping on this machine
}

// InputError is a design or an option that cannot be deployed on any machine, or not on this one. The input is wrong,
// not its processing.
type InputError struct{ err error }

// NewInputError returns an InputError for errors found by a caller.
func NewInputError(err error) *InputError { return &InputError{err} }

// Error returns the reasons.
func (e *InputError) Error() string { return e.err.Error() }

// Unwrap returns them.
func (e *InputError) Unwrap() error { return e.err }

// notHere is the error for a kernel on a resource that no run has. Its arguments are the kernel, the resource, the
// platform and the block.
const notHere = `kernel %s is mapped to %s (%s), which is neither a processor core nor an FPGA, and cannot run ` +
	`here. xopt eval predicts this mapping. To simulate it by times, give a stand-in in C with the same ` +
	`output, platform %[3]s : C { config STRING xsim = "true"; impl %s (src="….c"); };, and --from profile ` +
	`(docs/traces.md)`

// onlyCores is the error for a kernel on an FPGA where only cores run. Its arguments are the kernel and the FPGA.
const onlyCores = "kernel %s is mapped to %s, an FPGA, but only kernels on cores run here: omit the file with the " +
	"mapping, or give a mapping onto cores"

// elsewhere returns the reason why a kernel cannot run on a resource here; nil for a core.
func elsewhere(p *xlang.Program, kernel, resource int) error {
	k, r := &p.Kernels[kernel], &p.Resources[resource]
	switch {
	case design.IsFPGA(p, resource):
		return faults.NotBuiltHere.Errorf(onlyCores, k.Name, r.Name)
	case !design.IsCore(p, resource):
		return faults.NotBuiltHere.Errorf(notHere, k.Name, r.Name, r.Platform, k.Block)
	}
	return nil
}

// newPlan checks that a design can be deployed on this machine; the error joins
// every reason why not.
func newPlan(d *design.Design, o Options) (*plan, error) {
	if d.Mapping == nil {
		return nil, &InputError{errors.New(strings.Join(d.Unmapped, "\n"))}
	}
	d = o.Sized(d)
	p := &plan{program: d.Program, options: o, impl: make(map[string]*xlang.Impl), tsc: hasSteadyTSC()}
	var errs []error
	fail := func(id fault.ID, format string, args ...any) { errs = append(errs, id.Errorf(format, args...)) }
	var err error
	if p.order, err = flow.Order(&d.Problem.Application); err != nil {
		return nil, fmt.Errorf("ordering the kernels: %w", err)
	}
	p.rank = make([]int, len(p.order))
	for i, k := range p.order {
		p.rank[k] = i
	}
	p.connect()
	for k := range p.program.Kernels {
		kernel := &p.program.Kernels[k]
		res := &p.program.Resources[d.Mapping.Place[k]]
		chain := p.program.Ancestors(res.Platform)
		if p.onFPGA(k) {
			continue
		}
		if err := elsewhere(p.program, k, d.Mapping.Place[k]); err != nil {
			errs = append(errs, err)
			continue
		}
		impl := p.program.Implementation(kernel.Block, chain)
		switch old := p.impl[kernel.Block]; {
		case impl == nil:
			fail(faults.NoSource, `block %s has no source for %s: platform C { impl %s (src="….c"); };`,
				kernel.Block, res.Platform, kernel.Block)
		case old != nil && old != impl:
			fail(faults.SeveralSources, "block %s has different sources for the platforms that it is mapped to; a run "+
				"can have only one", kernel.Block)
		default:
			p.impl[kernel.Block] = impl
		}
		for i, port := range p.out[k] {
			if len(port) == 0 {
				fail(fault.PortUnconnected, "output port %s of %s has no edge", kernel.Outputs[i].Name, kernel.Name)
			}
		}
		for i, port := range p.in[k] {
			if len(port) == 0 {
				fail(fault.PortUnconnected, "input port %[1]s of %[2]s has no edge", kernel.Inputs[i].Name, kernel.Name)
			}
		}
	}
	for _, f := range NameFaults(p.program, p.impl) {
		fail(faults.WrongFunctionName, "%s; %s", f.Text, f.Hint)
	}
	if o.Virtual != nil {
		p.assignVirtual()
	} else {
		p.assign(d, fail)
		p.carry(fail)
		p.staysIn(d)
	}
	p.checkCopies(fail)
	if err := errors.Join(errs...); err != nil {
		return nil, &InputError{errors.Join(err, p.size(d))}
	}
	if err := p.size(d); err != nil {
		return nil, err
	}
	if err := p.readInitial(); err != nil {
		return nil, err
	}
	if err := p.planTaps(); err != nil {
		return nil, err
	}
	if err := p.lay(); err != nil {
		return nil, err
	}
	return p, nil
}

// connect lists the edges of every port.
func (p *plan) connect() {
	p.isSource, p.sentOnce = make([]bool, len(p.program.Kernels)), p.program.SentOnce()
	p.copies = make([]bool, len(p.program.Edges))
	p.points = make([][]int, len(p.program.Kernels))
	points := 0
	for k := range p.program.Kernels {
		for range p.program.Kernels[k].Testpoints {
			p.points[k] = append(p.points[k], points)
			points++
		}
	}
	p.loops, p.inLoop = loopsOf(p.program)
	for k := range p.program.Kernels {
		p.in = append(p.in, make([][]int, len(p.program.Kernels[k].Inputs)))
		p.out = append(p.out, make([][]int, len(p.program.Kernels[k].Outputs)))
		p.isSource[k] = len(p.program.Kernels[k].Inputs) == 0
	}
	for e, edge := range p.program.Edges {
		p.copies[e] = len(p.out[edge.From][edge.FromPort]) > 0
		p.out[edge.From][edge.FromPort] = append(p.out[edge.From][edge.FromPort], e)
		p.in[edge.To][edge.ToPort] = append(p.in[edge.To][edge.ToPort], e)
	}
}

// SizesOrigin returns the origin of a run's buffer sizes: the X files where they apply, and the value of --buffers
// for the others.
func (o *Options) SizesOrigin(d *design.Design, which string) string {
	files, edges := 0, len(d.Program.Edges)
	for e := range d.Buffers {
		if _, ok := o.Buffers[e]; !ok {
			files++
		}
	}
	switch files {
	case 0:
		return which
	case edges:
		return "of the X files"
	}
	return fmt.Sprintf("of the X files for %d of %d edges, %s for the others", files, edges, which)
}

package program

import (
	"errors"
	"fmt"
	"maps"
	"slices"
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
	PerCore   Style = "core"   // one process per core, which schedules its kernels (Gayen 2008 §2.2.1)
	PerKernel Style = "kernel" // one process per kernel, scheduled by the operating system (Beard 2013 §5.1)
)

// Wait is the behavior of a process while none of its kernels can run.
type Wait string

// The ways to wait. Waking a process on another core takes about 75 us on the measured machine. A round trip by
// spinning takes 0.3 us, but a spinning process occupies its core.
const (
	WaitAuto      Wait = "auto"       // spin-block if a process has a processor to itself, otherwise block
	WaitBlock     Wait = "block"      // sleep until woken
	WaitSpinBlock Wait = "spin-block" // spin for 500 us, then sleep
	WaitSpin      Wait = "spin"       // never sleep
	WaitYield     Wait = "yield"      // yield to other processes, never sleep
)

// Scheduler is the policy by which Linux schedules a process.
type Scheduler string

// The policies of sched(7).
const (
	SchedulerOther Scheduler = "other"
	SchedulerBatch Scheduler = "batch"
	SchedulerRR    Scheduler = "rr" // needs CAP_SYS_NICE
)

// Options configure a deployment. The zero value uses the configs of the cores in the architecture, and measures only
// the quantities that the rings always count.
type Options struct {
	// Style, Wait and Scheduler override the configs processes, wait and
	// scheduler of every core.
	Style     Style
	Wait      Wait
	Scheduler Scheduler
	// Schedule and Batch override the configs schedule and batch of every core. Schedule is the order of a process's
	// kernels. Batch is the number of bytes that pass through these kernels in one pass, such as 16KiB. An empty Batch
	// depends on the size of the first-level cache.
	Schedule Schedule
	Batch    string
	// CPUs is the number of processors of this machine to use; 0 means all processors that this process may use. If the
	// mapping has more cores, the cores share processors.
	CPUs int
	// Input, Output and Elements set the configs with these names: input and elements of sources, and output of sinks.
	Input, Output string
	Elements      uint64
	// Taps are the measurements to build into the program.
	Taps []Tap
	// The supervisor evaluates Conditions every few milliseconds to measure the fraction of the time for which each
	// condition is true.
	Conditions []Condition
	// Exact publishes and releases elements one by one instead of in batches. If possible, each call of a kernel
	// processes one firing. Exact runs are slower than other runs, but their occupancies do not include released
	// elements.
	Exact bool
	// Guard detects every write beyond the elements for which a kernel has requested space. It also compiles kernels
	// with the compiler's sanitizers. It slows the run.
	Guard bool
	// Reference runs fixed pieces of work on the kernels' processors, alternating with the kernels once in every time
	// frame. The times of this work measure the current speed of a processor.
	Reference bool
	// Events records every event of edges and testpoints (package trace). EventsMost limits the number of events of
	// each edge and testpoint; 0 means no limit.
	Events     bool
	EventsMost uint64
	// Virtual, if set, makes the run a run in virtual time.
	Virtual *Virtual
	// Buffers are sizes in elements by edge, which override the sizes of the X files. The default is 256 KiB, or 1 MiB
	// between hosts, and at least the elements of a firing.
	Buffers map[int]int
	// Flow is the predicted flow of each edge in bytes/s, which reduces default sizes if buffers may grow; nil if
	// unknown.
	Flow []float64
	// Growth configures the growth of buffers while the program runs.
	Growth Growth
	// Unordered disables the restoration of the order of elements. Readers consume the output of a kernel's copies as
	// it arrives.
	Unordered bool
	// InTurn makes copies process batches in turn, as planned. Otherwise a free copy claims the next batch.
	InTurn bool
}

// Sized returns a design that contains the buffer sizes of o.
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

// minBufferElements is the minimum size of an edge's buffer in elements.
const minBufferElements = 4

// plan contains everything needed to generate and run a program.
type plan struct {
	program   *xlang.Program
	options   Options
	order     []int // kernels, sources first
	rank      []int // position of each kernel in order
	process   []int // process of each kernel
	processes []Process
	element   []uint64               // bytes of an element, by edge
	capacity  []int                  // elements, by edge
	ring      []uint64               // bytes of the data area, by edge
	impl      map[string]*xlang.Impl // by block
	in, out   [][][]int              // kernel, port: edges
	copies    []bool                 // by edge: it shares the elements of an earlier edge of its port
	isSource  []bool
	joined    []bool   // by kernel: see findJoined
	bridges   []bool   // by edge: see bridges
	sentOnce  [][]bool // by kernel and input
	points    [][]int  // testpoints of each kernel, as indices among all testpoints
	loops     []Loop
	inLoop    []int    // index of each kernel's loop, -1 for none
	values    [][]byte // initial elements by edge; nil for zeros or none
	first     []int    // by edge: offset of its initial elements in its data area, in elements
	taps      []tap
	hops      []hop
	// packetTaps are the pairs of edge and link of all packet taps.
	packetTaps []packetTap
	tsc        bool
	layout     layout
	grows      bool   // buffers may grow
	hosts      []Host // set for a run over hosts
	ways       []Way  // by edge, in a run over hosts
	files      []HostFile
	notes      []fault.Note // notes to the user about the mapping on this machine
}

// InputError reports that a design or an option cannot be deployed, on any machine or on this one. The cause is the
// input, not a failure of the build.
type InputError struct{ err error }

// NewInputError returns an InputError for errors found by a caller.
func NewInputError(err error) *InputError { return &InputError{err} }

// Error returns the reasons.
func (e *InputError) Error() string { return e.err.Error() }

// Unwrap returns the wrapped error.
func (e *InputError) Unwrap() error { return e.err }

// notHere is the format of the error for a kernel on a resource that cannot run kernels. Its arguments are the kernel,
// the resource, the platform and the block.
const notHere = `kernel %s is mapped to %s (%s), which is neither a processor core nor an FPGA, and cannot run ` +
	`here. xopt eval predicts this mapping. To simulate it with given times, add a stand-in in C with ` +
	`the same output, platform %[3]s : C { config STRING xsim = "true"; impl %s (src="….c"); };, and use ` +
	`--from profile (docs/traces.md)`

// onlyCores is the format of the error for a kernel on an FPGA in a run that supports only cores. Its arguments are the
// kernel and the FPGA.
const onlyCores = "kernel %s is mapped to %s, an FPGA, but only kernels on cores run here: omit the file with the " +
	"mapping, or use a mapping onto cores"

// elsewhere returns an error if a resource is not a core, with the reason why a kernel cannot run on the resource.
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

// addOnce appends an error unless the list contains its text. Kernels of one block have the same errors.
func addOnce(errs []error, err error) []error {
	if slices.ContainsFunc(errs, func(x error) bool { return x.Error() == err.Error() }) {
		return errs
	}
	return append(errs, err)
}

// newPlan plans the deployment of a design on this machine. If the deployment is impossible, the error contains all
// reasons.
func newPlan(d *design.Design, o Options) (*plan, error) {
	if d.Mapping == nil {
		return nil, &InputError{errors.New(strings.Join(d.Unmapped, "\n"))}
	}
	d = o.Sized(d)
	p := &plan{program: d.Program, options: o, impl: make(map[string]*xlang.Impl), tsc: hasSteadyTSC()}
	var errs []error
	fail := func(id fault.ID, format string, args ...any) { errs = addOnce(errs, id.Errorf(format, args...)) }
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
			fail(faults.NoSource, `block %s has no source for %s: add platform C { impl %s (src="….c"); };`,
				kernel.Block, res.Platform, kernel.Block)
		case old != nil && old != impl:
			fail(faults.SeveralSources, "block %s has different sources for the platforms that it is mapped to: map "+
				"its kernels to platforms with the same source", kernel.Block)
		default:
			p.impl[kernel.Block] = impl
		}
		for i, port := range p.out[k] {
			if len(port) == 0 {
				fail(fault.PortUnconnected, "output port %s of %s has no edge: connect the port",
					kernel.Outputs[i].Name, kernel.Name)
			}
		}
		for i, port := range p.in[k] {
			if len(port) == 0 {
				fail(fault.PortUnconnected, "input port %[1]s of %[2]s has no edge: connect the port",
					kernel.Inputs[i].Name, kernel.Name)
			}
		}
	}
	for _, f := range NameFaults(p.program, p.impl) {
		fail(faults.WrongFunctionName, "%s (%s)", f.Text, f.Hint)
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
	if err := p.layOut(); err != nil {
		return nil, err
	}
	return p, nil
}

// connect determines the edges of every port, and the properties of the application that depend on its edges.
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
	p.findJoined()
	p.bridges = bridges(p.program)
}

// SizesOrigin describes the origin of a run's buffer sizes. which is the origin for edges without a size in the X
// files.
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
		return "from the X files"
	}
	return fmt.Sprintf("from the X files for %d of %d edges, %s for the other edges", files, edges, which)
}

package deploy

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/xlang"
)

// Style says how kernels become processes.
type Style string

// The styles.
const (
	PerCore   Style = "core"   // one process for each core, which schedules its kernels (Gayen 2008 §2.2.1)
	PerKernel Style = "kernel" // one process for each kernel, scheduled by the operating system (Beard 2013 §5.1)
)

// Options say how to deploy. The zero value of Style is PerCore.
type Options struct {
	Style Style
	// CPUs is how many processors of this machine to use; cores of the mapping
	// beyond that share them.
	CPUs int
	// Input, Output and Elements are given to the kernels that declare configs
	// of these names: input and elements to sources, output to sinks.
	Input, Output string
	Elements      int64
}

// defaultBufferBytes is the buffer of an edge that the X files do not size: large
// enough that waking a sleeper is rare, small enough for a cache.
const defaultBufferBytes = 256 << 10

// minBufferElements is the least that an edge buffers.
const minBufferElements = 4

// plan is what is to be generated and run.
type plan struct {
	program  *xlang.Program
	options  Options
	order    []int                  // kernels, sources first
	process  []int                  // of each kernel
	names    []string               // of each process
	cpu      []int                  // of each process
	capacity []int                  // of each edge, in elements
	ring     []uint64               // of each edge, bytes of its data area
	impl     map[string]*xlang.Impl // by block
	in, out  [][][]int              // kernel, port: edges
	isSource []bool
	layout   layout
}

// layout is where things lie in shared memory.
type layout struct {
	processes, kernels, size uint64
	control, data            []uint64 // of each edge
}

// newPlan checks that a design can be deployed on this machine; the error joins
// every reason why not.
func newPlan(d *design.Design, o Options) (*plan, error) {
	if o.Style == "" {
		o.Style = PerCore
	}
	if d.Mapping == nil {
		return nil, fmt.Errorf("the mapping is incomplete: %s", strings.Join(d.Unmapped, "; "))
	}
	p := &plan{program: d.Program, options: o, impl: make(map[string]*xlang.Impl)}
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if o.Style != PerCore && o.Style != PerKernel {
		fail("style is %q, want %s or %s", o.Style, PerCore, PerKernel)
	}
	flows, err := flow.NewFlows(&d.Problem.Application, math.Inf(1))
	if err != nil {
		return nil, err
	}
	p.order = flows.Order
	p.connect()
	for k := range p.program.Kernels {
		kernel := &p.program.Kernels[k]
		res := &p.program.Resources[d.Mapping.Place[k]]
		chain := p.platforms(res.Platform)
		if !slices.Contains(chain, "C") {
			fail("kernel %s is mapped to %s (%s): this version deploys to processor cores only", kernel.Name, res.Name, res.Platform)
			continue
		}
		impl := p.implementation(kernel.Block, chain)
		switch old := p.impl[kernel.Block]; {
		case impl == nil:
			fail(`block %s has no source for %s: platform C { impl %s (src="….c"); };`, kernel.Block, res.Platform, kernel.Block)
		case old != nil && old != impl:
			fail("block %s has different sources for the platforms that it is mapped to; one run holds one", kernel.Block)
		default:
			p.impl[kernel.Block] = impl
		}
		for i, port := range p.out[k] {
			if len(port) > 1 {
				fail("output port %s of %s feeds %d edges: make it an array of ports, so that the kernel says what goes where", kernel.Outputs[i].Name, kernel.Name, len(port))
			}
		}
		for name := range kernel.Config {
			if slices.Contains(cKeywords(), name) {
				fail("config %s of block %s is a word of C; rename it", name, kernel.Block)
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	p.assign(d)
	p.size(d)
	return p, nil
}

// connect lists the edges of every port.
func (p *plan) connect() {
	p.isSource = make([]bool, len(p.program.Kernels))
	for k := range p.program.Kernels {
		p.in = append(p.in, make([][]int, len(p.program.Kernels[k].Inputs)))
		p.out = append(p.out, make([][]int, len(p.program.Kernels[k].Outputs)))
		p.isSource[k] = len(p.program.Kernels[k].Inputs) == 0
	}
	for e, edge := range p.program.Edges {
		p.out[edge.From][edge.FromPort] = append(p.out[edge.From][edge.FromPort], e)
		p.in[edge.To][edge.ToPort] = append(p.in[edge.To][edge.ToPort], e)
	}
}

// platforms returns a platform and its bases, nearest first.
func (p *plan) platforms(name string) []string {
	var chain []string
	for name != "" {
		chain = append(chain, name)
		base := ""
		for _, t := range p.program.Platforms {
			if t.Name == name {
				base = t.Base
			}
		}
		name = base
	}
	return chain
}

func (p *plan) implementation(block string, chain []string) *xlang.Impl {
	for _, platform := range chain {
		for i := range p.program.Impls {
			if impl := &p.program.Impls[i]; impl.Block == block && impl.Platform == platform && impl.Attrs["src"].Text != "" {
				return impl
			}
		}
	}
	return nil
}

// source is the path of an implementation's source file.
func source(impl *xlang.Impl) string {
	src := filepath.FromSlash(impl.Attrs["src"].Text)
	if filepath.IsAbs(src) {
		return src
	}
	return filepath.Join(impl.Dir, src)
}

// assign makes processes and pins them: the cores in use in the order of the
// architecture, over the processors that there are.
func (p *plan) assign(d *design.Design) {
	p.process = make([]int, len(p.program.Kernels))
	cpus := max(1, p.options.CPUs)
	core := make(map[int]int)
	for r := range p.program.Resources {
		if slices.Contains(d.Mapping.Place, r) {
			core[r] = len(core)
		}
	}
	of := make(map[int]int) // resource -> process
	for k := range p.program.Kernels {
		r := d.Mapping.Place[k]
		n, ok := of[r]
		if !ok || p.options.Style == PerKernel {
			n = len(p.names)
			of[r] = n
			name := p.program.Resources[r].Name
			if p.options.Style == PerKernel {
				name = p.program.Kernels[k].Name
			}
			p.names = append(p.names, name)
			p.cpu = append(p.cpu, core[r]%cpus)
		}
		p.process[k] = n
	}
}

// size lays shared memory out.
func (p *plan) size(d *design.Design) {
	const page = 4096
	at := uint64(page)
	take := func(n uint64) uint64 {
		start := at
		at += (n + page - 1) / page * page
		return start
	}
	p.layout.processes = take(uint64(len(p.names)) * processControlBytes)
	p.layout.kernels = take(uint64(len(p.program.Kernels)) * kernelControlBytes)
	for e, edge := range p.program.Edges {
		element := uint64(p.program.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes)
		capacity := max(minBufferElements, defaultBufferBytes/int(min(element, defaultBufferBytes)))
		if given, ok := d.Buffers[e]; ok {
			capacity = given
		}
		ring := uint64(page)
		for ring < uint64(capacity)*element {
			ring *= 2
		}
		p.capacity = append(p.capacity, capacity)
		p.ring = append(p.ring, ring)
		p.layout.control = append(p.layout.control, take(ringControlBytes))
		p.layout.data = append(p.layout.data, take(ring))
	}
	p.layout.size = at
}

// notes are what the user should know of how the mapping fits this machine.
func (p *plan) notes() []string {
	var notes []string
	used := make(map[int]bool)
	for _, c := range p.cpu {
		used[c] = true
	}
	if cores := slices.Max(p.cpu) + 1; p.options.Style == PerCore && len(p.names) > cores {
		notes = append(notes, fmt.Sprintf("%d cores of the mapping share %d processors here", len(p.names), len(used)))
	}
	return notes
}

// cKeywords are the words that cannot name a member of a C or C++ structure.
func cKeywords() []string {
	return strings.Fields(`auto break case char const continue default do double else enum extern float for goto if inline int long
		register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
		bool catch class delete false friend mutable namespace new operator private protected public template this throw true try
		typename using virtual`)
}

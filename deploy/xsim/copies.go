package xsim

import (
	"context"
	"errors"
	"fmt"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
	"xopt/internal/fault"
)

// CopyPorts returns the number of elements that a firing of a kernel transfers on each port, if copies of the kernel
// can alternate on an FPGA. It returns nil if the block is not declared stateless, if a key selects its copies, or if
// its output per firing is unknown.
func CopyPorts(p *xlang.Program, k int) []rtl.CopyPort {
	kernel := &p.Kernels[k]
	if kernel.Stateless == nil || kernel.Stateless.Key >= 0 || len(kernel.Outputs) > 0 && kernel.Emits == nil {
		return nil
	}
	once := p.SentOnce()[k]
	var ports []rtl.CopyPort
	for i, port := range kernel.Inputs {
		x := rtl.CopyPort{Port: port.Name, Input: true, Element: int(port.ElementBytes), Elements: 1, Once: once[i]}
		if !x.Once {
			x.Elements = kernel.Consumes(i)
		}
		ports = append(ports, x)
	}
	for i, port := range kernel.Outputs {
		if kernel.Emits[i].Elements == 0 {
			return nil
		}
		ports = append(ports, rtl.CopyPort{Port: port.Name, Element: int(port.ElementBytes),
			Elements: kernel.Emits[i].Elements})
	}
	return ports
}

// checkCopies rejects mappings with copies that FPGAs cannot run.
func checkCopies(d *design.Design) error {
	var errs []error
	reported := make(map[string]bool)
	fail := func(id fault.ID, of, format string, args ...any) {
		if !reported[of] {
			errs = append(errs, id.Errorf(format, args...))
		}
		reported[of] = true
	}
	onFPGA := func(k int) bool { return design.IsFPGA(d.Program, d.Mapping.Place[k]) }
	for k := range d.Program.Kernels {
		if x := d.Program.Kernels[k].Replica; x != nil && onFPGA(k) {
			fail(fault.CopiesUnsupported, x.Of, "cannot run the copies of kernel %s: one copy is on an FPGA (map "+
				"all copies to one FPGA, or all to cores; xopt eval predicts this mapping)", x.Of)
		}
	}
	for e := range d.Program.Edges {
		edge := &d.Program.Edges[e]
		from, to := &d.Program.Kernels[edge.From], &d.Program.Kernels[edge.To]
		if from.Replica != nil && !onFPGA(edge.From) && onFPGA(edge.To) {
			fail(fault.CopiesUnsupported, to.Name, "kernel %[1]s is on an FPGA and consumes the output of copies of "+
				"%[2]s, but only a kernel on a core can restore its order: map %[1]s to a core, or all copies to the "+
				"FPGA",
				to.Name, from.Declared())
		}
	}
	if len(errs) > 0 {
		return program.NewInputError(errors.Join(errs...))
	}
	return nil
}

// addCopies adds the copies of a kernel. Only the first copy keeps its state machines.
func (p *partition) addCopies(ctx context.Context, cache *rtl.Cache, k int, m *rtl.Module) (*rtl.Module, []rtl.Machine,
	error) {
	var machines []rtl.Machine
	if !p.unwatched {
		var err error
		if machines, err = cache.Machines(ctx, m); err != nil {
			return nil, nil, err
		}
	}
	n := p.d.Program.Kernels[k].Instances
	if n < 2 {
		return m, machines, nil
	}
	copies, err := m.Copies(n, CopyPorts(p.d.Program, k))
	if err != nil {
		return nil, nil, fmt.Errorf("creating %d copies: %w", n, err)
	}
	return copies, rtl.OfCopies(machines), nil
}

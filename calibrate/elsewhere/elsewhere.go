// Package elsewhere computes figures of kernels that this machine cannot run, such as kernels on a GPU, a vendor's FPGA
// or another host. It computes them from a trace of such a machine and rules that relate the events of the trace
// (X-Eval; Gayen 2008, ch. 4).
//
// The service rate of a kernel is the number of input bytes (for a source: output bytes) per run of its rule, divided
// by the mean execution time. Gain and routing follow from the bytes that the runs consume and send. The variation of
// service times is the variation of the execution times.
//
// In contrast, package calibrate measures kernels on this machine. Both packages write profiles.
package elsewhere

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"xopt/calibrate/faults"
	"xopt/deploy/trace"
	"xopt/deploy/xeval"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// Options configures [Kernels] and [FromTrace].
type Options struct {
	// File is the name of the trace that the figures cite.
	File string
	// On lists the resources or platforms to which the figures apply; empty if the trace names a resource for each
	// kernel.
	On []Place
	// Name is the displayed name of On, such as the name of an array.
	Name string
	// Implied reports that the rules are implied by the application, not given. A kernel whose implied rule does not
	// match the trace is omitted. A given rule that does not match is an error.
	Implied bool
}

// Figures contains the profile entry of a kernel, and wait times from the trace, which a profile does not store.
type Figures struct {
	profile.Kernel
	On            string  // Options.Name; "" if the entry names the resource or platform
	Also          []Place // other resources of an array with the same figures
	Rule          string  // text of the rule
	Runs          uint64
	Wait, Service xeval.Statistics
}

// Kernels creates a profile entry for each kernel of the application that has rules in the result. The notes list rule
// blocks that cover several kernels, and blocks with too few rules. A block whose name matches no kernel is an error.
func Kernels(p *xlang.Program, t trace.Table, rules *xeval.File, r *xeval.Result, o Options) (list []Figures,
	notes []fault.Note, err error) {
	m := &matching{program: p, header: t.Header(), options: o}
	var errs []error
	for i := range rules.Blocks {
		b := &rules.Blocks[i]
		k, why, err := m.kernel(b)
		if err != nil {
			errs = append(errs, fmt.Errorf("%sblock %s of the rules: %w", placeOf(b), b.Name, err))
			continue
		}
		if why != "" {
			notes = append(notes, faults.RulesNotUsed.Notef("block %s of the rules: %s", b.Name, why))
			continue
		}
		if err := unfit(&r.Blocks[i]); err != nil && o.Implied {
			notes = append(notes, faults.KernelLeftOut.Notef("kernel %s is omitted: %v", p.Kernels[k].Name, err))
			continue
		} else if err != nil {
			errs = append(errs, fmt.Errorf("kernel %s: %w", p.Kernels[k].Name, err))
			continue
		}
		f, err := m.figures(k, b, &r.Blocks[i])
		if err != nil {
			errs = append(errs, fmt.Errorf("kernel %s: %w", p.Kernels[k].Name, err))
			continue
		}
		if f.ServiceRate == nil {
			notes = append(notes, faults.NoServiceTime.Notef("kernel %s: its rule has no outputs, so its service "+
				"time is unknown. xopt reports only its waits", p.Kernels[k].Name))
		}
		list = append(list, *f)
	}
	return list, append(notes, notMeasured(list)...), errors.Join(errs...)
}

// notMeasured returns notes about figures that are based on simulated, published or assumed times.
func notMeasured(list []Figures) (notes []fault.Note) {
	names := make(map[string][]string) // by origin
	for i := range list {
		if of := list[i].Elsewhere; list[i].ServiceRate != nil && trace.OriginWord(of) != "measured" {
			names[of] = append(names[of], list[i].Instance)
		}
	}
	for _, of := range slices.Sorted(maps.Keys(names)) {
		notes = append(notes, fault.TimesNotMeasured.Notef("the times of %s are not measured: predictions mark "+
			"them as %s", strings.Join(names[of], ", "), of))
	}
	return notes
}

// unfit returns an error if a rule of a block does not match the trace.
func unfit(b *xeval.BlockResult) error {
	for i := range b.Rules {
		x := &b.Rules[i]
		switch {
		case x.Unfit != "":
			return fault.RulesDoNotFit.Errorf("%s (%s) does not fit the trace: %s", x.Name, x.Text, x.Unfit)
		case x.WaitUnfit != "":
			return fault.RulesDoNotFit.Errorf("%s (%s) does not fit the trace: %s", x.Name, x.Text, x.WaitUnfit)
		}
	}
	return nil
}

// matching finds the kernels and ports of an application to which rules refer.
type matching struct {
	program *xlang.Program
	header  *trace.Header
	options Options
}

// alike reports whether a name in rules refers to a kernel. The name may omit the enclosing blocks, and may contain _
// in place of dots and brackets, as in file names.
func alike(kernel, name string) bool {
	flat := strings.Map(func(r rune) rune {
		if r == '.' || r == '[' || r == ']' {
			return '_'
		}
		return r
	}, kernel)
	return kernel == name || flat == name || strings.HasSuffix(kernel, "."+name) || strings.HasSuffix(flat, "_"+name)
}

// placeOf returns the position of a block of rules as a prefix for messages.
func placeOf(b *xeval.Block) string {
	if b.Pos.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d: ", b.Pos.File, b.Pos.Line, b.Pos.Column)
}

// kernel returns the kernel to which all ports of a block belong, or the reason why there is none.
func (m *matching) kernel(b *xeval.Block) (k int, why string, err error) {
	name := ""
	for i := range b.Ports {
		of, _ := cut(b.Ports[i].Name)
		if name != "" && of != name {
			return -1, fmt.Sprintf("the block has ports of %s and %s, but figures apply to a single kernel", name, of),
				nil
		}
		name = of
	}
	if name == "" {
		return -1, "it has no ports", nil
	}
	if k, err = m.named(name); err != nil {
		return -1, "", fmt.Errorf("its ports name kernel %s, but %w", name, err)
	}
	if full := m.program.Kernels[k].Name; !alike(full, b.Name) {
		return -1, "", fmt.Errorf("its ports belong to kernel %s, but figures apply to blocks: rename the block of "+
			"the rules to %s",
			full, name)
	}
	return k, "", nil
}

// named returns the kernel with the given name.
func (m *matching) named(name string) (int, error) {
	found := -1
	var names []string
	for i := range m.program.Kernels {
		full := m.program.Kernels[i].Name
		if full == name {
			return i, nil
		}
		names = append(names, full, full[strings.LastIndexByte(full, '.')+1:])
		if !alike(full, name) {
			continue
		}
		if found >= 0 {
			return -1, fmt.Errorf("%s is ambiguous (%s or %s): use its full name", name,
				m.program.Kernels[found].Name, full)
		}
		found = i
	}
	if found < 0 {
		text := "the application has no kernel " + name
		if meant := xlang.Nearest(name, names); meant != "" {
			text += "; did you mean " + meant + "?"
		}
		return -1, errors.New(text)
	}
	return found, nil
}

// cut divides the name of a port in rules into the name of its block and its own name.
func cut(name string) (block, port string) {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return "", name
	}
	return name[:dot], name[dot+1:]
}

// port returns the kernel's port to which a port of the rules refers; nil for a testpoint.
func (m *matching) port(k int, p *xeval.Port) *xlang.Port {
	_, name := cut(p.Name)
	kernel := &m.program.Kernels[k]
	list := kernel.Outputs
	if p.Input {
		list = kernel.Inputs
	}
	for i := range list {
		if alike(list[i].Name, name) {
			return &list[i]
		}
	}
	return nil
}

// sized returns an error if the element size of a port differs between the trace and the application.
func (m *matching) sized(k int, p *xeval.Port, port *xlang.Port) error {
	for _, e := range p.Events {
		streams, err := m.header.Find(e.File)
		if err != nil {
			continue // the evaluation has already reported this
		}
		for _, s := range streams {
			x := &m.header.Series[s.Series]
			bytes, at := x.Bytes, x.BytesAt
			if float64(bytes) == port.ElementBytes && x.OtherBytes > 0 {
				bytes, at = x.OtherBytes, x.OtherBytesAt
			}
			if bytes == 0 || float64(bytes) == port.ElementBytes {
				continue
			}
			if at != "" {
				at += ": "
			}
			return fmt.Errorf("%san element of %s has %d bytes in the trace, but %g in the application, where port "+
				"%s of block %s is %s: correct the type or the trace", at, p.Name, bytes, port.ElementBytes, port.Name,
				m.program.Kernels[k].Block, port.Type)
		}
	}
	return nil
}

// isPoint reports whether a port of rules is a testpoint of the trace, or of the kernel.
func (m *matching) isPoint(k int, p *xeval.Port) bool {
	_, name := cut(p.Name)
	for _, x := range m.program.Kernels[k].Testpoints {
		if x.Name == name {
			return true
		}
	}
	for i := range m.header.Series {
		if s := &m.header.Series[i]; s.IsPoint() && alike(s.Point.String(), p.Name) {
			return true
		}
	}
	for _, e := range p.Events {
		if strings.HasSuffix(e.File, "_tpt.ts") {
			return true
		}
	}
	return false
}

// moved contains the bytes that the runs of all rules of a block consumed and sent.
type moved struct {
	in, out, busy, squares float64
	runs                   uint64
	port                   map[string]float64
}

// side calls add with the bytes of each port on one side of a rule. counts contains the number of runs that matched
// each conjunction.
func (m *matching) side(k int, b *xeval.Block, d xeval.Disjunction, counts []uint64,
	add func(port string, bytes float64)) error {
	for i, c := range d {
		for _, x := range c {
			p := &b.Ports[x.Port]
			port := m.port(k, p)
			if port == nil {
				if !m.isPoint(k, p) {
					return fmt.Errorf("the kernel has no port %s: correct its rule", p.Name)
				}
				continue
			}
			if err := m.sized(k, p, port); err != nil {
				return err
			}
			add(port.Name, float64(x.N)*port.ElementBytes*float64(counts[i]))
		}
	}
	return nil
}

// elsewhere returns a text with the origin (measured, simulated, published or assumed) and the file of a kernel's
// times.
func (m *matching) elsewhere(k int) string {
	what := "measured"
	of := m.header.Origin
	for _, x := range m.header.Origins {
		if alike(m.program.Kernels[k].Name, x.Kernel) {
			of = x.Origin
		}
	}
	switch word := trace.OriginWord(of); word {
	case "simulated", "published", "assumed":
		what = word
	}
	text := what + " elsewhere: " + m.options.File
	if _, more, ok := strings.Cut(of, ", "); ok && what != "measured" {
		text += ", " + more
	}
	return text
}

// figures computes the figures of a kernel from the results of a block's rules.
func (m *matching) figures(k int, b *xeval.Block, r *xeval.BlockResult) (*Figures, error) {
	kernel := &m.program.Kernels[k]
	f := &Figures{Kernel: profile.Kernel{Block: kernel.Block, Instance: kernel.Name, Elsewhere: m.elsewhere(k)}}
	if err := m.place(f); err != nil {
		return nil, err
	}
	v := moved{port: make(map[string]float64)}
	low, high := 0.0, 0.0
	ends := false
	for i := range b.Rules {
		rule, x := &b.Rules[i], &r.Rules[i]
		if f.Rule == "" {
			f.Rule, f.Runs, f.Wait, f.Service = x.Text, x.Runs(), x.Wait, x.Execution
		} else {
			f.Rule += "; " + x.Text
			f.Runs += x.Runs()
		}
		in := func(_ string, bytes float64) { v.in += bytes }
		out := func(port string, bytes float64) {
			v.out += bytes
			v.port[port] += bytes
		}
		if err := errors.Join(m.side(k, b, rule.Inputs, x.Inputs, in),
			m.side(k, b, rule.Outputs, x.Outputs, out)); err != nil {
			return nil, err
		}
		if n := float64(x.Execution.N); n > 0 && len(rule.Outputs) > 0 {
			ends = true
			v.runs += x.Execution.N
			v.busy += n * x.Execution.Mean
			v.squares += (n-1)*x.Execution.Deviation*x.Execution.Deviation + n*x.Execution.Mean*x.Execution.Mean
			low += n * x.Execution.Low
			high += n * x.Execution.High
		}
	}
	if !ends {
		return f, nil
	}
	return f, v.fill(f, len(kernel.Inputs) == 0, len(kernel.Outputs), low, high)
}

// fill computes figures from the bytes and times of all runs. low and high are the ends of the interval of the total
// time, in s.
func (v *moved) fill(f *Figures, source bool, outputs int, low, high float64) error {
	work := v.in
	if source {
		work = v.out
	}
	n := float64(v.runs)
	switch {
	case v.runs == 0:
		return errors.New("the trace contains no run of its rule")
	case !(v.busy > 0):
		return errors.New("its runs have no duration in the trace: check that in and out events use the same " +
			"clock, and that out events are later than in events")
	case !(work > 0):
		return errors.New("no port of its rule defines the bytes of a run: add a port to the testpoints of the rule")
	}
	figure := func(value float64) *profile.Figure { return &profile.Figure{Value: value, N: int(v.runs)} }
	f.ServiceRate = figure(work / v.busy)
	if low > 0 && high >= v.busy && low <= v.busy && v.runs >= profile.FewestWindows {
		f.ServiceRate.CI95 = [2]float64{work / high, work / low}
	}
	mean := v.busy / n
	f.ServiceSCV = figure(max((v.squares-n*mean*mean)/max(n-1, 1), 0) / (mean * mean))
	f.FiringBytes = figure(work / n)
	if !source && outputs > 0 && v.in > 0 {
		f.Gain = figure(v.out / v.in)
	}
	if len(v.port) > 1 && v.out > 0 {
		f.Routing = make(map[string]profile.Figure)
		for port, bytes := range v.port {
			f.Routing[port] = *figure(min(bytes/v.out, 1))
		}
	}
	if math.IsInf(f.ServiceRate.Value, 0) {
		return errors.New("its runs are too short to compute its rate")
	}
	return nil
}

package xeval

import (
	"fmt"
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/deploy/trace"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// Derive returns the rules that an application implies for its trace, with a block for each kernel. Joined inputs
// trigger a kernel together; elements of other inputs trigger it separately. Outputs follow emit statements or the
// numbers of events. If the number of elements of each output is a multiple of the number of triggers, a run sends on
// all outputs. If all outputs together have as many elements as there are triggers, a run sends one element on one of
// the outputs. A source starts at its testpoint "src". A sink ends at "sink", or at its only testpoint. If the end of
// runs is unknown, a rule has no outputs, and only waits are known. Kernels without a rule are omitted. The notes
// contain the reasons.
func Derive(p *xlang.Program, t trace.Table) (f *File, notes []fault.Note) {
	d := &deriving{program: p, table: t, once: p.SentOnce()}
	f = &File{Name: "the application"}
	for k := range p.Kernels {
		b, why := d.block(k)
		what := "xopt reports only its waits"
		if b == nil {
			what = "it has no rule"
		}
		if why != "" {
			notes = append(notes, faults.RuleNotDerived.Notef("kernel %s: %s: %s", p.Kernels[k].Name, what, why))
		}
		if b != nil {
			f.Blocks = append(f.Blocks, *b)
		}
	}
	return f, notes
}

type deriving struct {
	program *xlang.Program
	table   trace.Table
	once    [][]bool
}

// count returns the number of events of a port, including events that are missing in the trace. any is false if the
// trace has no such port.
func (d *deriving) count(p trace.Port, k trace.Kind) (n uint64, any bool) {
	streams, err := d.table.Header().Find(trace.FileName(p, k))
	if err != nil {
		return 0, false
	}
	for _, s := range streams {
		n += d.table.Count(s)
		for _, l := range d.table.Header().Left {
			if l.Stream == s {
				n += l.Events
			}
		}
	}
	return n, len(streams) > 0
}

// block returns the rule of a kernel. If the rule has no outputs, block also returns the reason. If there is no rule,
// it returns nil and the reason.
func (d *deriving) block(k int) (*Block, string) {
	kernel := &d.program.Kernels[k]
	b := &Block{Name: kernel.Name, Rules: []Rule{{}}, Pos: kernel.Pos}
	r := &b.Rules[0]
	triggers, why := d.inputs(b, kernel, d.once[k])
	if why != "" {
		return nil, why
	}
	if len(r.Inputs) == 0 {
		point, n, ok := d.point(kernel, "src")
		if !ok {
			return nil, "it is a source without a testpoint at its start (testpoint \"src\";)"
		}
		r.Inputs, triggers = Disjunction{{{N: 1, Port: b.add(point, trace.Point, true)}}}, n
	}
	if r.Outputs, why = d.outputs(b, kernel, triggers); why != "" {
		return b, why
	}
	if len(r.Outputs) == 0 {
		point, _, ok := d.point(kernel, "sink")
		if !ok {
			return b, "it is a sink without a testpoint at its end (testpoint \"sink\";)"
		}
		r.Outputs = Disjunction{{{N: 1, Port: b.add(point, trace.Point, false)}}}
	}
	return b, ""
}

// add declares a port with its events, and returns its index.
func (b *Block) add(p trace.Port, k trace.Kind, input bool) int {
	x := Port{Name: p.String(), Input: input}
	switch {
	case !input:
		x.Events = []Event{{File: trace.FileName(p, k), Kind: Out}}
	case k == trace.Point:
		x.Events = []Event{{File: trace.FileName(p, k), Kind: Available}, {File: trace.FileName(p, k), Kind: In}}
	default:
		x.Events = []Event{{File: trace.FileName(p, trace.Available), Kind: Available},
			{File: trace.FileName(p, trace.In), Kind: In}}
	}
	b.Ports = append(b.Ports, x)
	return len(b.Ports) - 1
}

// inputs creates the input side of a rule, and counts the triggers in the trace.
func (d *deriving) inputs(b *Block, kernel *xlang.Kernel, once []bool) (triggers uint64, why string) {
	r := &b.Rules[0]
	joined := make(map[int]bool)
	consumed := func(ports []int, counts []float64) string {
		var c Conjunction
		minimum := uint64(0)
		for i, port := range ports {
			joined[port] = true
			if once != nil && once[port] {
				continue
			}
			p := trace.Port{Kernel: kernel.Name, Name: kernel.Inputs[port].Name}
			n, any := d.count(p, trace.In)
			if available, has := d.count(p, trace.Available); !any || !has || available < n {
				return fmt.Sprintf("the trace does not record when elements became available at %s and when the "+
					"kernel consumed them", p)
			}
			m := max(1, int(counts[i]))
			if rounds := n / uint64(m); len(c) == 0 || rounds < minimum {
				minimum = rounds
			}
			c = append(c, Multiple{N: m, Port: b.add(p, trace.In, true)})
		}
		if len(c) > 0 {
			r.Inputs = append(r.Inputs, c)
			triggers += minimum
		}
		return ""
	}
	for _, j := range kernel.Joins {
		if why := consumed(j.Ports, j.Counts); why != "" {
			return 0, why
		}
	}
	for port := range kernel.Inputs {
		if !joined[port] {
			if why := consumed([]int{port}, []float64{1}); why != "" {
				return 0, why
			}
		}
	}
	return triggers, ""
}

// point returns the kernel's testpoint with the given name, or its only testpoint in the trace, with the number of its
// passes; false for none.
func (d *deriving) point(kernel *xlang.Kernel, name string) (trace.Port, uint64, bool) {
	var list []trace.Port
	for i := range d.table.Header().Series {
		if s := &d.table.Header().Series[i]; s.IsPoint() && plain(s.Point.Kernel) == plain(kernel.Name) {
			list = append(list, s.Point)
		}
	}
	at := slices.IndexFunc(list, func(p trace.Port) bool { return p.Name == name })
	if at < 0 && len(list) == 1 {
		at = 0
	}
	if at < 0 {
		return trace.Port{}, 0, false
	}
	n, _ := d.count(list[at], trace.Point)
	return list[at], n, true
}

// outputs creates the output side of a rule. The text is the reason if the trace does not imply one.
func (d *deriving) outputs(b *Block, kernel *xlang.Kernel, triggers uint64) (Disjunction, string) {
	var together Conjunction
	var separate Disjunction
	var each []uint64
	total := uint64(0)
	static, before := kernel.Emits != nil, len(b.Ports)
	for i, port := range kernel.Outputs {
		p := trace.Port{Kernel: kernel.Name, Name: port.Name}
		n, any := d.count(p, trace.Out)
		if !any {
			continue // no kernel reads the output
		}
		if static {
			if emits := kernel.Emits[i].Elements; emits > 0 {
				together = append(together, Multiple{N: emits, Port: b.add(p, trace.Out, false)})
			}
			continue
		}
		at := b.add(p, trace.Out, false)
		m := multipleOf(n, triggers)
		together = append(together, Multiple{N: m, Port: at})
		separate = append(separate, Conjunction{{N: 1, Port: at}})
		each = append(each, n)
		total += n
	}
	switch {
	case static && len(together) > 0:
		return Disjunction{together}, ""
	case len(each) == 0:
		return nil, ""
	case !slices.ContainsFunc(together, func(m Multiple) bool { return m.N == 0 }):
		return Disjunction{together}, ""
	case len(each) > 1 && multipleOf(total, triggers) == 1:
		return separate, ""
	}
	b.Ports = b.Ports[:before]
	return nil, fmt.Sprintf("it sent %s for %s: neither these numbers nor the emit statements imply a rule (add a "+
		"testpoint at the end of its firings: rule … -> %s.done)", elementsOf(each),
		units.Counted(int(triggers), "trigger", "triggers"), kernel.Name)
}

// elementsOf describes the numbers of elements that some outputs sent.
func elementsOf(each []uint64) string {
	if len(each) == 1 {
		return units.Elements(each[0])
	}
	var counts []string
	for _, n := range each {
		counts = append(counts, fmt.Sprint(n))
	}
	last := len(counts) - 1
	return strings.Join(counts[:last], ", ") + " and " + counts[last] + " elements on its outputs"
}

// multipleOf returns the number of elements per trigger if it is equal for all triggers, except triggers still running
// at the end; otherwise 0.
func multipleOf(elements, triggers uint64) int {
	if triggers == 0 || elements == 0 {
		return 0
	}
	m := (elements + triggers/2) / triggers
	if m == 0 || m > maxMultiple {
		return 0
	}
	if want := m * triggers; elements > want || want-elements > 2*m {
		return 0
	}
	return int(m)
}

package rtl

import (
	"fmt"
	"slices"
	"strings"

	"xopt/flow/xlang"
	"xopt/hdl/faults"
	"xopt/hdl/signals"
	"xopt/internal/fault"
)

// Probe is an expression over signals of a partition's parts. The partition evaluates it in every cycle.
type Probe struct {
	Value, When, After string // Verilog expressions; When and After default to 1'b1
	Width              int    // bits of the value
	Signed             bool
}

// SeenPart contains the observable signals and state machines of a part.
type SeenPart struct {
	Kernel   string // name of the kernel, for messages
	Signals  []Signal
	Machines []Machine
	// Show returns the name of a signal in the hardware. It is nil for simulations, which access the inside of the
	// part.
	Show func(*Signal) (string, error)
}

// NewProbe resolves the names in a probe. part returns the index and the contents of a kernel's part, or false if the
// kernel is not on this FPGA. Errors are of type xlang.Diagnostics.
func NewProbe(p *signals.Probe, part func(kernel int) (int, *SeenPart, bool)) (Probe, error) {
	out := Probe{When: "1'b1", After: "1'b1"}
	var faults xlang.Diagnostics
	for _, s := range p.Signals() {
		n, seen, ok := part(s.Kernel)
		if !ok {
			faults = append(faults, xlang.Diagnostic{Pos: s.Expr.Pos, Message: fmt.Sprintf("%s is not on the FPGA "+
				"of %s", s.Text, p.Value.Text), Hint: "use signals of kernels on the same FPGA"})
			continue
		}
		x, err := s.Expr.Verilog(func(e *signals.Expr) (signals.Leaf, error) { return seen.leaf(n, e) })
		if fault, ok := err.(*nameFault); ok {
			faults = append(faults, fault.Diagnostic)
			continue
		}
		if err != nil {
			return out, err
		}
		switch s {
		case &p.Value:
			out.Value, out.Width, out.Signed = x.Text, x.Width, x.Signed
			if p.Used {
				out.Value, out.Width, out.Signed = "("+x.Text+" != 0)", 1, false
			}
		case p.When:
			out.When = "(" + x.Text + " != 0)"
		case p.After:
			out.After = "(" + x.Text + " != 0)"
		}
	}
	if len(faults) > 0 {
		return out, faults
	}
	return out, nil
}

// nameFault is the error for a name that does not refer to an observable signal or state.
type nameFault struct{ xlang.Diagnostic }

func (f *nameFault) Error() string { return f.Message }

// leaf resolves a name in an expression to a signal or a state.
func (s *SeenPart) leaf(part int, e *signals.Expr) (signals.Leaf, error) {
	wrong := func(id fault.ID, hint, format string, args ...any) (signals.Leaf, error) {
		return signals.Leaf{}, &nameFault{xlang.Diagnostic{ID: id, Pos: e.Pos, Message: fmt.Sprintf(format, args...),
			Hint: hint}}
	}
	path, bit := e.Path, -1
	x := s.find(path)
	if x == nil { // the last index may be a bit
		if at := strings.LastIndexByte(path, '['); at > 0 && strings.HasSuffix(path, "]") {
			if x = s.find(path[:at]); x != nil {
				fmt.Sscan(path[at+1:len(path)-1], &bit) //nolint:errcheck // it is a number: the grammar ensures it
			}
		}
	}
	if x == nil {
		if code, ok := s.state(path); ok && !e.Part {
			return (&signals.Expr{Op: signals.Number, Value: code}).Verilog(nil)
		}
		hint := "xopt check --signals lists the signals"
		if n := xlang.Nearest(path, s.names()); n != "" {
			hint = "did you mean " + n + "?"
		}
		return wrong(faults.WrongSignal, hint, "%s has no signal %s", s.Kernel, path)
	}
	text := fmt.Sprintf("part%d.%s", part, x.Path)
	if s.Show != nil && x.Width > 0 {
		var err error
		if text, err = s.Show(x); err != nil {
			return wrong(faults.WrongSignal, "trace another signal of this kernel, or measure it without --export",
				"%s of %s: %v", path, s.Kernel, err)
		}
	}
	high, low := e.High, e.Low
	switch {
	case x.Width == 0:
		return wrong(faults.WrongSignal, "use a bit or a vector of bits", "%s of %s is a memory or structure, "+
			"which cannot be measured", path, s.Kernel)
	case bit >= 0:
		high, low = bit, bit
	case !e.Part && x.Width > 64:
		return wrong(faults.WrongSignal, fmt.Sprintf("select up to 64 bits, such as %s[63:0]", path),
			"%s of %s has %d bits, but a measurement uses at most 64 bits", path, s.Kernel, x.Width)
	case !e.Part:
		return signals.Leaf{Text: text, Width: x.Width, Signed: x.Signed}, nil
	}
	minimum, maximum := min(x.Left, x.Right), max(x.Left, x.Right)
	if low < minimum || high > maximum || high-low >= 64 {
		return wrong(faults.WrongSignal, fmt.Sprintf("select up to 64 of the bits %d to %d",
			x.Left, x.Right), "%s of %s has no bits %d to %d", x.Path, s.Kernel, high, low)
	}
	if high, low = high-minimum, low-minimum; x.Left < x.Right { // the first bit has the lowest number
		high, low = maximum-minimum-low, maximum-minimum-high
	}
	// The shift is necessary because a range does not have to end at 0 or count downwards.
	return signals.Leaf{Text: fmt.Sprintf("((%s >> %d) & %d'h%x)", text, low, max(x.Width, 64),
		uint64(1)<<(high-low+1)-1), Width: high - low + 1}, nil
}

func (s *SeenPart) find(path string) *Signal {
	i := slices.IndexFunc(s.Signals, func(x Signal) bool { return x.Path == path })
	if i < 0 {
		return nil
	}
	return &s.Signals[i]
}

// state returns the code of a state, if it is the same in all state machines that have a state with this name.
func (s *SeenPart) state(name string) (code uint64, ok bool) {
	for i := range s.Machines {
		for _, x := range s.Machines[i].States {
			if x.Name == name && ok && x.Code != code {
				return 0, false
			}
			if x.Name == name {
				code, ok = x.Code, true
			}
		}
	}
	return code, ok
}

// names returns all names that expressions may use.
func (s *SeenPart) names() []string {
	var names []string
	for i := range s.Signals {
		names = append(names, s.Signals[i].Path)
	}
	for i := range s.Machines {
		for _, x := range s.Machines[i].States {
			names = append(names, x.Name)
		}
	}
	return names
}

// probeText is a probe in the template of a partition.
type probeText struct {
	Index, High        int
	Value, When, After string
}

func (w *partitionWriter) probes() {
	for i, x := range w.p.Probes {
		w.text.Probes = append(w.text.Probes, probeText{i, x.Width - 1, x.Value, x.When, x.After})
	}
}

// probeLooks returns the C++ table of the probes.
func (p *Partition) probeLooks() string {
	var b strings.Builder
	b.WriteString("static std::vector<ProbeLook> probe_looks(Vk *k) {\n    (void)k;\n    return {\n")
	for i, x := range p.Probes {
		fmt.Fprintf(&b, "        {&k->probe%[1]d_value, sizeof k->probe%[1]d_value, &k->probe%[1]d_when, "+
			"&k->probe%[1]d_after, %[2]d, %[3]t},\n", i, x.Width, x.Signed)
	}
	b.WriteString("    };\n}\n")
	return b.String()
}

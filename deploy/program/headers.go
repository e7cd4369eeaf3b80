package program

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"xopt/deploy"
	"xopt/flow/xlang"
	"xopt/internal/files/generated"
	"xopt/internal/release"
)

// generate fills one of the templates in deploy/templates. The output is deterministic.
func generate(name string, data any) (string, error) {
	return generated.Text(deploy.Templates, "templates/"+name, template.FuncMap{
		"text": cString, "real": real64, "list": list, "inc": func(n int) int { return n + 1 },
		"wait": cWait, "scheduler": cScheduler, "op": cOp, "tap": cTap,
	}, data)
}

// real64 formats a number with all of its digits.
func real64(x float64) string { return fmt.Sprintf("%.17g", x) }

// list formats numbers as the elements of a C array.
func list(numbers []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(numbers)), ", "), "[]")
}

// portGroup is a port, or an array of ports, of a block.
type portGroup struct {
	Way     string // "in" or "out"
	Name    string
	First   int // index of its first port
	Count   int
	IsArray bool
	Element string // C type
}

// portGroups groups the ports of a kernel by name, inputs first.
func portGroups(k *xlang.Kernel) []portGroup {
	var groups []portGroup
	collect := func(way string, ports []xlang.Port) {
		for i, p := range ports {
			base, _, isArray := strings.Cut(p.Name, "[")
			if n := len(groups); n > 0 && groups[n-1].Name == base && groups[n-1].Way == way {
				groups[n-1].Count++
				continue
			}
			groups = append(groups, portGroup{way, base, i, 1, isArray, cType(p.Type)})
		}
	}
	collect("in", k.Inputs)
	collect("out", k.Outputs)
	return groups
}

// block contains the values of a block for block.h.tmpl and for the adapters in main.c.tmpl.
type block struct {
	Version  string
	Name     string
	IsSource bool
	Config   []member
	Ports    []portGroup
	Points   []pointRow
}

// pointRow is a testpoint of a block, with its constant in C.
type pointRow struct{ Name, Constant string }

// member is a config of a block, with its C type or value.
type member struct{ Name, Type, Value string }

// blockOf returns the block with the given name.
func blockOf(p *xlang.Program, name string) block {
	k := kernelOf(p, name)
	b := block{Version: release.Version, Name: name, IsSource: len(k.Inputs) == 0, Ports: portGroups(k)}
	for _, c := range slices.Sorted(maps.Keys(k.Config)) {
		b.Config = append(b.Config, member{Name: c, Type: configType(k.Config[c])})
	}
	for i := range k.Testpoints {
		b.Points = append(b.Points, pointRow{k.Testpoints[i].Name, "X_" + name + "_" + k.Testpoints[i].Constant()})
	}
	return b
}

// Header returns X_<BLOCK>.h, which declares the typed functions of a block's ports.
func Header(p *xlang.Program, name string) (string, error) {
	return generate("block.h.tmpl", blockOf(p, name))
}

// option is a line of choices.h.
type option struct {
	Name, Comment string
	On            bool
}

// choicesH returns choices.h, which selects the parts of the runtime to compile.
func (p *plan) choicesH(s sanitizers) (string, error) {
	return generate("choices.h.tmpl", struct {
		Version string
		Choices []option
	}{release.Version, []option{
		{"XRT_TSC", "the time stamp counter is steady", p.tsc},
		{"XRT_TAPS", "the run has taps", len(p.taps) > 0},
		{"XRT_EVENTS", "events are recorded", p.options.Events},
		{"XRT_EXACT", "every element is published at once", p.options.Exact},
		{"XRT_VIRTUAL", "time is virtual", p.options.Virtual != nil},
		{"XRT_REFERENCE", "the reference load alternates with the kernels", p.options.Reference},
		{"XRT_GUARD", "every element is guarded", p.options.Guard},
		{"XRT_ASAN", "kernels are compiled with -fsanitize=address", s.address},
		{"XRT_UBSAN", "kernels are compiled with -fsanitize=undefined", s.undefined},
	}})
}

// blocks lists the used blocks in the order of their first kernels.
func (p *plan) blocks() []string {
	var out []string
	seen := make(map[string]bool)
	for i := range p.program.Kernels {
		if b := p.program.Kernels[i].Block; !seen[b] && !p.onFPGA(i) {
			seen[b] = true
			out = append(out, b)
		}
	}
	return out
}

// firing returns the number of elements that a firing of a kernel consumes from an input port; 0 if the port's elements
// do not count firings.
func (p *plan) firing(k, port int) int {
	return p.program.Kernels[k].FiringElements(port, p.sentOnce[k])
}

// configValue returns the C value of a config. Values from the command line replace the values of sources and sinks.
func (p *plan) configValue(k int, name string) string {
	v := p.program.Kernels[k].Config[name]
	isSink := len(p.program.Kernels[k].Outputs) == 0
	switch {
	case name == "input" && p.isSource[k]:
		v.Text = p.hostFile(k, cmp.Or(p.options.Input, v.Text), false)
	case name == "output" && isSink:
		v.Text = p.hostFile(k, cmp.Or(p.options.Output, v.Text), true)
	case name == "elements" && p.isSource[k] && p.options.Elements > 0:
		return fmt.Sprint(p.options.Elements)
	}
	return ConfigValue(v)
}

package xsim

import (
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
)

// chosen moves the monitors that the user names to the front, and removes the excluded monitors (Koehler 2007, §4.1,
// step 2: "the user overrides each"). left contains the names of impossible monitors, which it accepts, too.
func (p *partition) chosen(list []rtl.StateMonitor, left []string) ([]rtl.StateMonitor, error) {
	var first []rtl.StateMonitor
	for _, name := range p.choice {
		entry, without := strings.CutPrefix(name, "-")
		var named, others []rtl.StateMonitor
		for i := range list {
			if p.isNamed(entry, p.monitorName(&list[i])) {
				named = append(named, list[i])
			} else {
				others = append(others, list[i])
			}
		}
		isKnown := len(named) > 0 || slices.ContainsFunc(first, func(m rtl.StateMonitor) bool {
			return p.isNamed(entry, p.monitorName(&m))
		}) || slices.ContainsFunc(left, func(text string) bool {
			of, _, _ := strings.Cut(text, " ")
			return p.isNamed(entry, of)
		})
		if !isKnown && !p.elsewhere(entry) {
			return nil, p.unknownMonitor(entry, list)
		}
		if list = others; !without {
			first = append(first, named...)
		}
	}
	return append(first, list...), nil
}

// isNamed reports whether an entry of the choice names a monitor: by its kernel, or by kernel and register. The name
// of the application is optional.
func (p *partition) isNamed(entry, monitor string) bool {
	kernel, _, _ := strings.Cut(monitor, ":")
	for _, name := range []string{monitor, kernel} {
		if name == entry || name == p.d.Program.Top+"."+entry {
			return true
		}
	}
	return false
}

// elsewhere reports whether an entry names a kernel on another FPGA. The other FPGA resolves the register of the entry.
func (p *partition) elsewhere(entry string) bool {
	for k, r := range p.d.Mapping.Place {
		if r != p.fpga.Resource && design.IsFPGA(p.d.Program, r) {
			kernel, _, _ := strings.Cut(entry, ":")
			if p.isNamed(kernel, p.d.Program.Kernels[k].Name) {
				return true
			}
		}
	}
	return false
}

// unknownMonitor returns the error for an entry that names no monitor.
func (p *partition) unknownMonitor(entry string, list []rtl.StateMonitor) error {
	var names []string
	for i := range list {
		name := p.monitorName(&list[i])
		kernel, _, _ := strings.Cut(name, ":")
		for _, x := range []string{name, kernel} {
			names = append(names, x, strings.TrimPrefix(x, p.d.Program.Top+"."))
		}
	}
	hint := "expected a kernel on an FPGA, or KERNEL:REGISTER; xopt check --signals lists the registers of state " +
		"machines"
	if near := xlang.Nearest(entry, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return program.NewInputError(faults.NoMonitor.Errorf("--monitors names %s, which has no monitor: %s", entry, hint))
}

package design

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// Missing lists the unknown figures of one kernel or one link.
type Missing struct {
	Kernel, Block string
	// Implementation is true if no resource has an implementation of the kernel.
	Implementation bool
	// Rates lists the resources that may run the kernel, but for which the service rate is unknown.
	Rates []string
	Gain  bool     // the gain is unknown
	Ports []string // output ports with an unknown routing fraction

	Link string // a link with an unknown bandwidth; all other fields are then empty
}

// String describes the missing figures of the kernel or link.
func (m *Missing) String() string {
	if m.Link != "" {
		return "link " + m.Link + ": no bandwidth"
	}
	return fmt.Sprintf("kernel %s (block %s): %s", m.Kernel, m.Block, m.what())
}

func (m *Missing) what() string {
	if m.Implementation {
		return "no implementation for any resource"
	}
	var parts []string
	if len(m.Rates) > 0 {
		parts = append(parts, "no service rate (mu or time) on "+units.Some(Ranges(m.Rates), 6))
	}
	if m.Gain {
		parts = append(parts, "no gain")
	}
	if len(m.Ports) > 0 {
		parts = append(parts, "no routing fraction for "+units.Some(Ranges(m.Ports), 6))
	}
	return strings.Join(parts, ", and ")
}

// missing finds the unknown figures. An unknown figure that the purpose needs is an error, except for ForCheck, ForRun
// and ForDeploy. If an unknown rate is not needed, missing makes the kernel unavailable on the resource, so that
// nothing uses the rate.
func (b *builder) missing() {
	for k := range b.prog.Kernels {
		m := &b.lacking[k]
		m.Kernel, m.Block = b.prog.Kernels[k].Name, b.prog.Kernels[k].Block
		for r := range b.prog.Resources {
			fig := &b.p.Figures[k][r]
			if !fig.Available || fig.ServiceRate > 0 {
				continue
			}
			if b.needed(k, r) {
				m.Rates = append(m.Rates, b.prog.Resources[r].Name)
			} else {
				fig.Available = false
			}
		}
	}
	if b.opt.Purpose != ForRun && b.opt.Purpose != ForDeploy {
		b.warnOfArea()
	}
	if b.opt.Purpose >= ForCheck {
		for _, m := range append(slices.Clone(b.lacking), b.lackLinks...) {
			if m.Link != "" || m.what() != "" {
				b.d.Missing = append(b.d.Missing, m)
			}
		}
		return
	}
	b.reportMissing()
}

// needed reports whether a kernel's rate on a resource is required.
func (b *builder) needed(k, r int) bool {
	if b.opt.Purpose == ForMapping && b.d.Place[k] >= 0 {
		return b.d.Place[k] == r
	}
	return b.allowed[k][r]
}

// reportMissing reports missing figures. Kernels of one block that lack the same figures share a report. The first
// report includes the command that measures the figures.
func (b *builder) reportMissing() {
	type group struct {
		first   int
		kernels []string
	}
	groups := make(map[string]*group)
	var order []*group
	for k := range b.lacking {
		m := &b.lacking[k]
		what := m.what()
		if what == "" {
			continue
		}
		key := m.Block + "\x00" + what
		if groups[key] == nil {
			groups[key] = &group{first: k}
			order = append(order, groups[key])
		}
		groups[key].kernels = append(groups[key].kernels, m.Kernel)
	}
	measurable := -1 // the first fault that a measurement corrects
	for _, g := range order {
		m := &b.lacking[g.first]
		noun := "kernel"
		if len(g.kernels) > 1 {
			noun = "kernels"
		}
		subject := noun + " " + units.Some(Ranges(g.kernels), 4)
		d := b.diag.errorf(faults.NoFigure, b.prog.Kernels[g.first].Pos, "%s (block %s): %s", subject, m.Block,
			m.what())
		d.Subject = subject
		if m.Implementation {
			d.Hint = b.implementationHint(g.first)
		} else if measurable < 0 {
			measurable = len(b.diag.faults) - 1
		}
	}
	kernels := measurable >= 0
	for _, m := range b.lackLinks {
		i := slices.IndexFunc(b.prog.Links, func(l xlang.Link) bool { return l.Name == m.Link })
		d := b.diag.errorf(faults.NoBandwidth, b.prog.Links[i].Pos, "link %s: no bandwidth", m.Link)
		d.Subject, d.Hint = "link "+m.Link, `state bandwidth="640MB/s", or freq and width`
		if measurable < 0 {
			measurable = len(b.diag.faults) - 1
		}
	}
	if measurable >= 0 {
		d := &b.diag.faults[measurable]
		measure := "measure the figures on this machine's cores: " + b.calibrate("", 0, "")
		if b.opt.Profile != nil {
			measure = "measure the missing figures of the profile: " + b.calibrate("", 0, b.opt.Profile.name)
		}
		if kernels {
			measure += `; or state the figures: impl BLOCK on RESOURCE (mu="40MB/s", gain=1, from="assumed")`
		} else if b.opt.Profile != nil {
			measure += " --budget " + b.ampleBudget().String()
		}
		if d.Hint != "" {
			measure = d.Hint + "; or " + measure
		}
		d.Hint = measure
	}
}

// ampleBudget returns a time budget that is sufficient to measure all kernels and links on most machines.
func (b *builder) ampleBudget() time.Duration {
	const machine, kernel = time.Minute, 10 * time.Second
	return machine + time.Duration(len(b.prog.Kernels))*kernel
}

// implementationHint returns the hint for a kernel without an implementation. If a profile has figures of the kernel on
// a resource, the hint is a statement that permits the kernel to run on this resource.
func (b *builder) implementationHint(k int) string {
	kernel := &b.prog.Kernels[k]
	for r := range b.prog.Resources {
		if res := &b.prog.Resources[r]; b.measured(k, r, b.prog.Ancestors(res.Platform)) != nil {
			return fmt.Sprintf("the profile contains figures of the kernel on %s; to use them, declare an "+
				"implementation: platform %s { impl %s; };", res.Name, res.Platform, kernel.Block)
		}
	}
	return fmt.Sprintf(`add an implementation: platform C { impl %[1]s (src="…"); }; or figures: impl %[1]s on C `+
		`(mu="…", gain=…). A kernel that runs elsewhere, such as on a GPU, needs no source: declare platform GPU `+
		`{ impl %[1]s; }; and import figures from a trace (xopt calibrate --trace)`,
		kernel.Block)
}

// CalibrationFiles returns the files for the command that calibrates kernels. If the mapping uses an FPGA,
// CalibrationFiles omits the files that contain only the mapping, because a recorded run needs all kernels on cores.
func CalibrationFiles(p *xlang.Program, m *flow.Mapping, files []string) []string {
	if m == nil || !slices.ContainsFunc(m.Place, func(r int) bool { return IsFPGA(p, r) }) {
		return files
	}
	mapped, declares := make(map[string]bool), make(map[string]bool)
	for i := range p.Maps {
		mapped[p.Maps[i].Pos.File] = true
	}
	for i := range p.Kernels {
		declares[p.Kernels[i].Pos.File] = true
	}
	for i := range p.Resources {
		declares[p.Resources[i].Pos.File] = true
	}
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return mapped[f] && !declares[f] })
}

// calibrate returns a calibration command with the files that calibrate accepts.
func (b *builder) calibrate(data string, elements uint64, out string) string {
	opt := b.opt
	opt.Files = CalibrationFiles(b.prog, b.d.Mapping, opt.Files)
	return calibrateCommand(opt, data, elements, out)
}

// calibrateCommand returns a calibration command. The command contains the files or placeholders, the configs that were
// set on the command line, the data set if there is one, and the profile.
func calibrateCommand(opt Options, data string, elements uint64, out string) string {
	line := "xopt calibrate APP ARCH"
	if len(opt.Files) > 0 {
		line = "xopt calibrate " + strings.Join(opt.Files, " ")
	}
	for _, set := range opt.Set {
		line += " --set " + set
	}
	if data != "" {
		line += " --input " + data
	}
	if elements > 0 {
		line += fmt.Sprint(" --elements ", elements)
	}
	if out != "" {
		line += " -o " + out
	}
	return line
}

// warnOfArea warns about kernels whose area is assumed to be 0.
func (b *builder) warnOfArea() {
	byResource := make(map[int][]string)
	for _, p := range b.noArea {
		if b.p.Figures[p.kernel][p.resource].Available {
			byResource[p.resource] = append(byResource[p.resource], b.prog.Kernels[p.kernel].Name)
		}
	}
	for r := range b.prog.Resources {
		if names := byResource[r]; len(names) > 0 {
			b.warnf(faults.NoArea, "the area (lut, ff, bram, dsp) on %s is unknown for %s, so xopt assumes 0 (state "+
				"the area, or synthesize the kernels with xopt calibrate)", b.prog.Resources[r].Name,
				units.Some(names, 4))
		}
	}
}

// Ranges combines adjacent elements of an array, as in X: proc[1..3].
func Ranges(names []string) []string {
	var out []string
	for i := 0; i < len(names); {
		array, first, ok := element(names[i])
		n := 1
		for ok && i+n < len(names) {
			a, index, ok := element(names[i+n])
			if !ok || a != array || index != first+n {
				break
			}
			n++
		}
		if n > 1 {
			out = append(out, fmt.Sprintf("%s[%d..%d]", array, first, first+n-1))
		} else {
			out = append(out, names[i])
		}
		i += n
	}
	return out
}

// element splits the name of an array element, such as proc[2], into array and index.
func element(name string) (array string, index int, ok bool) {
	array, rest, ok := strings.Cut(name, "[")
	if !ok || !strings.HasSuffix(rest, "]") {
		return "", 0, false
	}
	index, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	return array, index, err == nil
}

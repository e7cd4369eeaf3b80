package xsim

import (
	"errors"
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/deploy/xeval"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// drawnTimes is the number of times drawn for a kernel whose times are random.
const drawnTimes = 1 << 16

// FromRules returns the times of kernels' firings from X-Eval rules, for Options.Times. The block of a rule is the
// kernel with its name. Its times are in the files that X-Eval wrote into a folder (Gayen 2008 §5.2.1), or are drawn if
// their header requests it (§5.2.2). A run of the rule consists of the firings for the elements that it consumes
// together or, for a source, that it sends. The time of the run belongs to the first of these firings. A kernel without
// a block uses its actual time on this machine. The notes name these kernels.
func FromRules(p *xlang.Program, f *xeval.File, dir string, seed uint64) (times [][]uint64, notes []fault.Note,
	err error) {
	times = make([][]uint64, len(p.Kernels))
	var errs []error
	var others []string
	for i := range f.Blocks {
		b := &f.Blocks[i]
		k := kernelNamed(p, b.Name)
		if k < 0 || len(b.Rules) != 1 {
			others = append(others, b.Name)
			continue
		}
		list, err := ruleTimes(p, k, b, dir, seed+uint64(k))
		if err != nil {
			errs = append(errs, err)
		}
		times[k] = list
	}
	if len(others) == len(f.Blocks) {
		errs = append(errs, fault.NoRule.Errorf("%s contains no block to replay: a block needs the name of a kernel "+
			"and exactly one rule", f.Name))
	} else if len(others) > 0 {
		notes = append(notes, faults.RulesNotReplayed.Notef("%s: xopt does not replay the blocks %s (a block needs "+
			"the name of a kernel and exactly one rule)", f.Name, strings.Join(others, ", ")))
	}
	if here := untimed(p, times); len(here) > 0 {
		them := "these kernels"
		if len(here) == 1 {
			them = "this kernel"
		}
		notes = append(notes, faults.TimesOfHere.Notef("%s: %s has no times of %s", ownTimesNote(here), f.Name, them))
	}
	return times, notes, errors.Join(errs...)
}

// untimed returns the names of the kernels without times.
func untimed(p *xlang.Program, times [][]uint64) (names []string) {
	for k := range times {
		if len(times[k]) == 0 {
			names = append(names, p.Kernels[k].Name)
		}
	}
	return names
}

// ownTimesNote returns the note about kernels that do not use times of another run.
func ownTimesNote(kernels []string) string {
	if len(kernels) == 1 {
		return kernels[0] + " uses its time on this machine"
	}
	return strings.Join(kernels, ", ") + " use their times on this machine"
}

// kernelNamed returns the kernel with a full name, or the only kernel whose name ends with it; -1 for none.
func kernelNamed(p *xlang.Program, name string) int {
	found := -1
	for k := range p.Kernels {
		full := p.Kernels[k].Name
		if full == name {
			return k
		}
		if strings.HasSuffix(full, "."+name) {
			if found >= 0 {
				return -1
			}
			found = k
		}
	}
	return found
}

// ruleTimes returns the times in the files of the only rule of a block.
func ruleTimes(p *xlang.Program, k int, b *xeval.Block, dir string, seed uint64) (list []uint64, err error) {
	r := &b.Rules[0]
	t, err := xeval.OpenTimes(dir, b.Name, 0, len(r.Outputs), seed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	n := t.Size()
	if t.Drawn() {
		n = drawnTimes
	}
	once := p.SentOnce()[k]
	for range n {
		elapsed, output, err := t.Next()
		if err != nil {
			return nil, err
		}
		fired, err := firingsOf(&p.Kernels[k], once, b, r.Inputs[0], r.Outputs[output])
		if err != nil {
			return nil, err
		}
		if len(list)+fired > MaxRecorded {
			break
		}
		list = append(list, uint64(elapsed))
		list = append(list, make([]uint64, fired-1)...)
	}
	return list, nil
}

// firingsOf returns the number of a kernel's firings in a run of its rule, as the runtime counts them.
func firingsOf(kernel *xlang.Kernel, once []bool, b *xeval.Block, in, out xeval.Conjunction) (int, error) {
	ports, moved, verb := kernel.Inputs, in, "consumes"
	elements := func(port int) int { return kernel.FiringElements(port, once) }
	if len(kernel.Inputs) == 0 {
		ports, moved, verb, elements = kernel.Outputs, out, "sends", kernel.SourceElements
	}
	n := 0
	for _, m := range moved {
		port := portOf(ports, b.Ports[m.Port].Name)
		if port < 0 {
			continue // the port is a testpoint
		}
		if x := elements(port); x > 0 {
			if m.N%x != 0 {
				return 0, faults.RuleDiffers.Errorf("block %s: a run of its rule %[2]s %[3]d elements of %[4]s, but a "+
					"firing of the kernel %[2]s %[5]d elements (correct the multiple in the rule)", b.Name, verb, m.N,
					b.Ports[m.Port].Name, x)
			}
			n += m.N / x
		}
	}
	return max(n, 1), nil
}

// portOf returns the port with which a name such as sum.x0 ends; -1 for none.
func portOf(ports []xlang.Port, name string) int {
	short := name[strings.LastIndexByte(name, '.')+1:]
	return slices.IndexFunc(ports, func(p xlang.Port) bool { return p.Name == short })
}

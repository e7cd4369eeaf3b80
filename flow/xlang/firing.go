package xlang

import (
	"math"
	"slices"
)

// SourceElements returns how many elements a firing of a source sends on an output port, for the port whose
// elements count firings: the first whose number emit says, or, without emit, the only port. It
// returns 0 for all others, and where several ports have no emit: then each call in which a source
// sends something is a firing.
func (k *Kernel) SourceElements(port int) int {
	if len(k.Inputs) > 0 {
		return 0
	}
	counted := slices.IndexFunc(k.Emits, func(e Emit) bool { return e.Elements > 0 })
	switch {
	case counted >= 0 && counted == port:
		return k.Emits[port].Elements
	case counted < 0 && len(k.Outputs) == 1:
		return 1
	}
	return 0
}

// FiringElements returns how many elements of an input port one firing takes, for the ports
// whose elements count firings: the number that a join takes of its first port, and 1 for a
// port in no join. It returns 0 for the other ports of a join, which follow the first, and
// for what is sent once, which is not part of any firing; a port of a join that is sent once
// does not count, and the next port stands for it. once tells of each input port whether it
// is sent once, as [Program.SentOnce] does; nil means that none is.
func (k *Kernel) FiringElements(port int, once []bool) int {
	sentOnce := func(p int) bool { return once != nil && once[p] }
	if sentOnce(port) {
		return 0
	}
	for _, j := range k.Joins {
		for i, p := range j.Ports {
			if p == port {
				return int(max(1, math.Round(j.Counts[i])))
			}
			if !sentOnce(p) && slices.Contains(j.Ports, port) {
				return 0
			}
		}
	}
	return 1
}

package xlang

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"xopt/flow/faults"
)

// maxPerFiring is the maximum number of elements that a firing sends or consumes on a port. It equals the maximum size
// of a buffer.
const maxPerFiring = math.MaxInt32

// perFiring parses the number of elements that a firing sends or consumes.
func perFiring(text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 1 && n <= maxPerFiring) || n != math.Trunc(n) {
		return 0, fmt.Errorf("expected a whole number of elements from 1 to %d", maxPerFiring)
	}
	return n, nil
}

// addEmit reads the number of elements that each firing of a kernel sends on its outputs.
func (e *elaborator) addEmit(k *Kernel, in *instance, s *emitStmt, config Values) {
	if k.Emits == nil {
		k.Emits = make([]Emit, len(k.Outputs))
	}
	for i := range s.Items {
		item := &s.Items[i]
		pos := position(item.Pos)
		count := 1
		if item.Count != nil {
			n, err := perFiring(*item.Count)
			if err != nil {
				e.fail(&mistake{faults.WrongCount, pos, "wrong number in emit " + *item.Count + " " +
					item.Port.Name, err.Error() + "; omit a port on which some firings send nothing"})
				continue
			}
			count = int(n)
		}
		for _, port := range e.listedPorts(in, &item.Port, false, config) {
			if k.Emits[port].Elements > 0 {
				e.fail(&mistake{faults.GivenTwice, pos, "port " + quote(item.Port.Name) + " is listed twice in " +
					"emit", "keep one count"})
				continue
			}
			k.Emits[port] = Emit{Elements: count, Pos: pos}
		}
	}
}

// SourceElements returns the number of elements that a firing of a source sends on an output port, if the elements on
// this port determine the number of firings. Such a port is the first port with an emit statement or, without emit
// statements, the only port. SourceElements returns 0 for all other ports. If a source has several ports and no emit
// statement, each call that sends elements is a firing, and the result is 0 for all ports.
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

// FiringElements returns the number of elements that one firing consumes from an input port, if the elements on this
// port determine the number of firings. The result is the count for the first port of a join, and 1 for a port outside
// joins. It is 0 for the other ports of a join, and for ports that receive data once, because such data do not belong
// to a firing. If the first port of a join receives once, the next port replaces it. once is the result of
// [Program.SentOnce] for the kernel; nil means that no port receives once.
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

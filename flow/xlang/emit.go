package xlang

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// maxPerFiring is the most elements that a firing sends on a port, or takes from one: as many as a
// buffer holds.
const maxPerFiring = math.MaxInt32

// perFiring reads how many elements a firing sends or takes.
func perFiring(text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 1 && n <= maxPerFiring) || n != math.Trunc(n) {
		return 0, fmt.Errorf("want a whole number of elements from 1 to %d", maxPerFiring)
	}
	return n, nil
}

// addEmit reads what each firing of a kernel sends on its outputs.
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
				e.failOnce(&mistake{pos, "emit " + *item.Count + " " + item.Port.Name, err.Error() +
					"; leave out a port on which some firings send nothing"})
				continue
			}
			count = int(n)
		}
		at := slices.IndexFunc(in.ports, func(p instancePort) bool { return p.name == item.Port.Name && !p.input })
		if at < 0 {
			if !e.unread[item.Port.Name] {
				e.failOnce(&mistake{position(item.Port.Pos), "block " + in.block.name + " has no output port " +
					quote(item.Port.Name), didYouMean(item.Port.Name, in.portNames(false))})
			}
			continue
		}
		slots, err := e.choose(item.Port.Index, len(in.ports[at].slots), in.ports[at].isArray, item.Port.Name,
			position(item.Port.Pos), config, true)
		if err != nil {
			e.failOnce(err)
			continue
		}
		for _, slot := range slots {
			port := in.ports[at].slots[slot][0].port
			if k.Emits[port].Elements > 0 {
				e.failOnce(&mistake{pos, "port " + quote(item.Port.Name) + " is listed twice in emit",
					"keep one count"})
				continue
			}
			k.Emits[port] = Emit{Elements: count, Pos: pos}
		}
	}
}

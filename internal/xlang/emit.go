package xlang

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// maxEmit is the most elements that a firing sends on a port: as many as a buffer holds.
const maxEmit = math.MaxInt32

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
			n, err := strconv.ParseFloat(*item.Count, 64)
			if err != nil || !(n >= 1 && n <= maxEmit) || n != math.Trunc(n) {
				e.failOnce(&mistake{pos, "emit " + *item.Count + " " + item.Port.Name,
					fmt.Sprintf("want a whole number of elements from 1 to %d; a port that firings send nothing on, "+
						"or not always, stands in no emit", maxEmit)})
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
				e.failOnce(&mistake{pos, "port " + quote(item.Port.Name) + " is emitted twice", "keep one count"})
				continue
			}
			k.Emits[port] = Emit{Elements: count, Pos: pos}
		}
	}
}

package flow

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Variations computes the throughput of a network with changed service rates of some stations. Routing is fixed, so a
// station's rate changes the load of one limit only. With one free source, the result follows from the largest load of
// the changed limits and of the other limits, which are sorted. With several free sources, it is the value of a linear
// program, of which only a few rows change. Neither case requires a new network. A Variations is not safe for
// concurrent use.
type Variations struct {
	network *Network
	touched []int     // limits that the current change affects
	altered []bool    // by limit: whether the current change affects the limit
	cycles  []int     // limits of cycles
	circles []*circle // circle of each limit in cycles
	load    []float64 // limit × F: load, with the current change

	order  []int   // with one free source: limits in descending order of load
	lp     packing // with several free sources
	solved map[string]float64
}

// NewVariations prepares the variations of a network. The network must have a solution.
func NewVariations(n *Network) *Variations {
	v := &Variations{
		network: n, altered: make([]bool, len(n.Limits)), load: make([]float64, 0, len(n.Limits)*n.Flows.Free),
	}
	for i := range n.Limits {
		if n.Limits[i].Cycle != nil {
			v.cycles, v.circles = append(v.cycles, i), append(v.circles, n.Limits[i].Cycle.circle)
		}
		v.load = append(v.load, n.Limits[i].load...)
	}
	if n.Flows.Free > 1 {
		n.fill(&v.lp, nil, -1)
		v.solved = make(map[string]float64)
		return v
	}
	v.order = make([]int, len(n.Limits))
	for i := range v.order {
		v.order[i] = i
	}
	slices.SortStableFunc(v.order, func(a, b int) int { return cmp.Compare(v.load[b], v.load[a]) })
	return v
}

// Throughput returns Γ in bytes/s if the rate of each of the given stations is multiplied by times(station). The costs
// per byte of switching, transfers, receiving and sending stay the same.
func (v *Variations) Throughput(stations []int, times func(station int) float64) (float64, error) {
	defer v.restore()
	free := v.network.Flows.Free
	for _, s := range stations {
		st := &v.network.Stations[s]
		if math.IsInf(st.ServiceRate, 1) {
			continue
		}
		i := st.limit
		if !v.altered[i] {
			v.altered[i] = true
			v.touched = append(v.touched, i)
		}
		l := &v.network.Limits[i]
		change := l.Weight[st.member] * (1/times(s) - 1)
		row := v.load[i*free : (i+1)*free]
		for f, a := range st.arrival {
			row[f] += a * change
		}
	}
	v.turnCycles(stations, times)
	if free > 1 {
		return v.optimum()
	}
	maximum := 0.0
	for _, i := range v.touched {
		maximum = max(maximum, v.load[i])
	}
	for _, i := range v.order {
		if !v.altered[i] {
			maximum = max(maximum, v.load[i])
			break
		}
	}
	if maximum == 0 {
		return 0, v.network.unbounded()
	}
	return v.network.Flows.objective[0] * (v.network.Problem.maxUtilization() / maximum), nil
}

// turnCycles recomputes the limits of the application's cycles, because other cycles may now bind.
func (v *Variations) turnCycles(stations []int, times func(station int) float64) {
	if len(v.cycles) == 0 {
		return
	}
	free := v.network.Flows.Free
	changed := func(s int) float64 {
		if slices.Contains(stations, s) {
			return times(s)
		}
		return 1
	}
	for at, i := range v.cycles {
		if limit, stuck := v.network.cycleLimit(v.circles[at], changed); stuck == "" {
			copy(v.load[i*free:(i+1)*free], limit.load)
		}
		v.altered[i] = true
		v.touched = append(v.touched, i)
	}
}

// MoreInitial returns Γ in bytes/s with additional initial elements on an edge.
func (v *Variations) MoreInitial(edge, more int) (float64, error) {
	given := slices.Clone(v.circles)
	defer func() { v.circles = given }()
	for i, c := range v.circles {
		at := c.waitOf(edge)
		if at < 0 {
			continue
		}
		with := *c
		with.waits = slices.Clone(c.waits)
		with.waits[at].initial += float64(more)
		if c.crowd != nil {
			with.crowd = &crowd{worth: c.crowd.worth, passes: c.crowd.passes, bytes: c.crowd.bytes}
		}
		with.fill()
		v.circles = slices.Clone(v.circles)
		v.circles[i] = &with
	}
	return v.Throughput(nil, nil)
}

// optimum solves the linear program with the altered rows. Instances of one block on one resource often alter a row in
// the same way, so equal programs are solved only once.
func (v *Variations) optimum() (float64, error) {
	free := v.network.Flows.Free
	var key []byte
	for _, i := range v.touched {
		row := v.load[i*free : (i+1)*free]
		copy(v.lp.a[i*free:], row)
		if len(v.touched) == 1 {
			key = binary.LittleEndian.AppendUint32(key, uint32(i))
			for _, x := range row {
				key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
			}
		}
	}
	if existing, ok := v.solved[string(key)]; ok && key != nil {
		return existing, nil
	}
	v.lp.solve(v.network.Flows.objective)
	switch v.lp.status {
	case packingUnbounded:
		return 0, v.network.unbounded()
	case packingStalled:
		return 0, fmt.Errorf("solving %d limits for %d free sources: %w", v.lp.rows, v.lp.cols, errStalled)
	}
	if key != nil {
		v.solved[string(key)] = v.lp.value()
	}
	return v.lp.value(), nil
}

// restore reverts the current change.
func (v *Variations) restore() {
	free := v.network.Flows.Free
	for _, i := range v.touched {
		copy(v.load[i*free:], v.network.Limits[i].load)
		if free > 1 {
			copy(v.lp.a[i*free:], v.network.Limits[i].load)
		}
		v.altered[i] = false
	}
	v.touched = v.touched[:0]
}

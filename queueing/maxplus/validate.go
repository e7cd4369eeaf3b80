package maxplus

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Validate returns an error that lists all invalid references and counts of a network, or nil.
func (n *Network) Validate() error {
	var faults []error
	add := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	ins, outs := make([][]int, len(n.Stations)), make([]int, len(n.Stations))
	for c := range n.Channels {
		ch := &n.Channels[c]
		if ch.From < 0 || ch.From >= len(n.Stations) || ch.To < 0 || ch.To >= len(n.Stations) {
			add("channel %d (%s) connects the stations with indices %d and %d, expected 0 to %d", c, ch.Name, ch.From,
				ch.To, len(n.Stations)-1)
			continue
		}
		ins[ch.To] = append(ins[ch.To], c)
		outs[ch.From]++
		if x := ch.Sends.PerFiring; !(x >= 0 && x < maxCount) || ch.Consumes < 0 || ch.Consumes >= maxCount ||
			ch.Initial < 0 || slices.Min(ch.groups()) < 0 {
			add("channel %d (%s) has groups %d, sends %g, consumes %d and initially contains %d elements; each number "+
				"must be from 0 to %d", c, ch.Name, ch.groups(), x, ch.Consumes, ch.Initial, maxCount-1)
		}
		if x := ch.Sends; x.Rule == Exact && x.PerFiring != math.Trunc(x.PerFiring) {
			add("channel %d (%s) sends exactly %g elements in each firing, expected a whole number", c, ch.Name,
				x.PerFiring)
		}
		if !(ch.Latency >= 0) || math.IsInf(ch.Latency, 1) {
			add("channel %d (%s) has a latency of %g s, expected a finite value of at least 0", c, ch.Name, ch.Latency)
		}
		if !(ch.Jitter >= 0) || math.IsInf(ch.Jitter, 1) {
			add("channel %d (%s) has a jitter of %g s, expected a finite value of at least 0", c, ch.Name, ch.Jitter)
		}
	}
	for b := range n.Buffers {
		if r := n.Buffers[b].Return; !(r >= 0) || math.IsInf(r, 1) {
			add("buffer %d (%s) returns space after %g s, expected a finite value of at least 0", b, n.Buffers[b].Name,
				r)
		}
		if j := n.Buffers[b].Jitter; !(j >= 0) || math.IsInf(j, 1) {
			add("buffer %d (%s) returns space with a jitter of %g s, expected a finite value of at least 0", b,
				n.Buffers[b].Name, j)
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	for i := range n.Stations {
		if err := n.validateStation(i, ins[i], outs[i]); err != nil {
			add("station %d (%s): %w", i, n.Stations[i].Name, err)
		}
	}
	return errors.Join(append(faults, n.validateBuffers())...)
}

// maxCount is the maximum number of elements of one firing.
const maxCount = math.MaxInt32

func (n *Network) validateStation(i int, ins []int, outs int) error {
	st := &n.Stations[i]
	if st.Server >= len(n.Servers) {
		return fmt.Errorf("the server has the index %d, expected at most %d", st.Server, len(n.Servers)-1)
	}
	if st.Service != nil {
		if m := st.Service.Mean(); !(m >= 0) || math.IsInf(m, 1) {
			return fmt.Errorf("the mean service time is %g s, expected a finite value of at least 0", m)
		}
	}
	if st.Bulk > 0 && (len(ins) != 1 || outs != 1 || !(st.PerElement >= 0) || !(st.Flush >= 0)) {
		return fmt.Errorf("a station that moves bulks has %d inputs and %d outputs, %g s per element and a flush time "+
			"of %g s, expected one input, one output and times of at least 0", len(ins), outs, st.PerElement, st.Flush)
	}
	if st.Bulk < 0 || st.Bulk >= maxCount || st.Burst < 0 {
		return fmt.Errorf("bulk of %d elements or burst of %d firings, expected at least 0 and a bulk below %d",
			st.Bulk, st.Burst, maxCount)
	}
	groups := 0
	for _, c := range ins {
		groups = max(groups, slices.Max(n.Channels[c].groups())+1)
	}
	used := make([]bool, groups)
	for _, c := range ins {
		for _, g := range n.Channels[c].groups() {
			used[g] = true
		}
	}
	for g, u := range used {
		if !u {
			return fmt.Errorf("group %d has no channel, expected one for each of %d groups", g, groups)
		}
	}
	if st.Scale != nil && len(st.Scale) != max(1, groups) {
		return fmt.Errorf("the station has %d scales, expected %d", len(st.Scale), max(1, groups))
	}
	return nil
}

func (n *Network) validateBuffers() error {
	first, last := make([]bool, len(n.Channels)), make([]bool, len(n.Channels))
	for b := range n.Buffers {
		buf := &n.Buffers[b]
		if len(buf.Channels) == 0 || buf.Size < 0 {
			return fmt.Errorf("buffer %d (%s) has %d channels and a size of %d, expected at least one channel and a "+
				"size of at least 0", b, buf.Name, len(buf.Channels), buf.Size)
		}
		initial := 0
		for k, c := range buf.Channels {
			if c < 0 || c >= len(n.Channels) {
				return fmt.Errorf("buffer %d (%s) contains channel %d, expected 0 to %d", b, buf.Name, c,
					len(n.Channels)-1)
			}
			initial += n.Channels[c].Initial
			if k == 0 {
				continue
			}
			middle := n.Channels[c].From
			if n.Channels[buf.Channels[k-1]].To != middle || n.Stations[middle].Bulk == 0 {
				return fmt.Errorf("buffer %d (%s): channel %s does not continue %s at a station that moves elements "+
					"unchanged", b, buf.Name, n.Channels[c].Name, n.Channels[buf.Channels[k-1]].Name)
			}
		}
		if buf.Size > 0 && initial > buf.Size {
			return fmt.Errorf("buffer %d (%s) has %d initial elements, but space for only %d", b, buf.Name, initial,
				buf.Size)
		}
		f, l := buf.Channels[0], buf.Channels[len(buf.Channels)-1]
		if first[f] || last[l] {
			return fmt.Errorf("buffer %d (%s) shares a channel with another buffer", b, buf.Name)
		}
		first[f], last[l] = true, true
	}
	return nil
}

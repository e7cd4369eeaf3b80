package maxplus

// deadlock returns a cycle of stations that wait for each other. It follows waiting stations until a station repeats.
// If no station repeats, the cycle is empty.
func (s *Simulator) deadlock() *Deadlock {
	d := new(Deadlock)
	seen := make([]int, len(s.stations))
	for start := range s.stations {
		clear(seen)
		var path []Wait
		for i := start; ; {
			if seen[i] > 0 {
				d.Cycle = path[seen[i]-1:]
				return d
			}
			w, next, ok := s.waits(i)
			if !ok {
				break
			}
			path = append(path, w)
			seen[i] = len(path)
			i = next
		}
	}
	return d
}

// waits returns the wait of station i, and the index of the station that can end the wait. It returns false if station
// i does not wait.
func (s *Simulator) waits(i int) (Wait, int, bool) {
	st := &s.stations[i]
	if len(st.groups) > 0 {
		for k := st.groups[0][0]; k < st.groups[0][1]; k++ {
			in := &s.ins[k]
			ch := &s.channels[in.channel]
			need := int64(in.need)
			if st.bulk > 0 {
				need = int64(st.bulk)
			}
			if ch.tokens < need && !s.has2(st) {
				return Wait{Station: i, Channel: int(in.channel), Buffer: int(in.buffer), Has: int(ch.tokens),
					Needs: int(need)}, s.net.Channels[in.channel].From, true
			}
		}
	}
	for k := st.outs[0]; k < st.outs[1]; k++ {
		o := &s.outs[k]
		if o.buffer >= 0 && s.buffers[o.buffer].free < int64(o.n) {
			list := s.net.Buffers[o.buffer].Channels
			return Wait{Station: i, Full: true, Channel: int(o.channel), Buffer: int(o.buffer),
				Has: int(s.buffers[o.buffer].free), Needs: int(o.n)}, s.net.Channels[list[len(list)-1]].To, true
		}
	}
	return Wait{}, 0, false
}

// has2 reports whether any group of a station contains the elements for a firing.
func (s *Simulator) has2(st *station) bool {
	for _, g := range st.groups {
		if st.bulk == 0 && s.has(g) {
			return true
		}
	}
	return false
}

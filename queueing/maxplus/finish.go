package maxplus

import "math"

// finishOn ends the current firing of a server.
func (s *Simulator) finishOn(v int32) {
	sv := &s.servers[v]
	var i int32
	if sv.discipline == Turns {
		i = sv.active
		sv.active = -1
		s.clock.set(v, math.Inf(1))
	} else {
		i = s.finishShared(v)
	}
	st := &s.stations[i]
	st.busy = false
	st.fired++
	r := &s.run
	if s.run.options.Latency {
		s.stampFinish(st)
	}
	s.releaseInputs(st)
	s.send(st)
	s.candidate(st)
	if r.options.Departure != nil {
		r.options.Departure(int(i), r.now)
	}
	if r.events++; r.events == r.next {
		s.mark()
	}
}

// releaseInputs returns the space of a firing's inputs.
func (s *Simulator) releaseInputs(st *station) {
	if len(st.groups) > 0 {
		group := st.groups[st.group]
		for k := group[0]; k < group[1]; k++ {
			in := &s.ins[k]
			if in.buffer >= 0 {
				n := int64(in.need)
				if st.bulk > 0 {
					n = int64(st.moves)
				}
				b := &s.buffers[in.buffer]
				s.account(b)
				b.held -= n
				if b.entity >= 0 {
					at := b.back.after(s.run.now)
					if b.returned.empty() {
						s.clock.set(b.entity, at)
					}
					b.returned.push(at, n)
					continue
				}
				b.free += n
				s.candidate(&s.stations[in.writer])
			}
		}
	}
}

func (s *Simulator) send(st *station) {
	now := s.run.now
	for k := st.outs[0]; k < st.outs[1]; k++ {
		o := &s.outs[k]
		n := int64(o.flight)
		if n == 0 {
			continue
		}
		if o.buffer >= 0 {
			b := &s.buffers[o.buffer]
			s.account(b)
			b.held += n
			if b.held > b.max {
				b.max = b.held
			}
		}
		ch := &s.channels[o.channel]
		if o.pipe {
			at := ch.way.after(now)
			if ch.pipe.empty() {
				s.clock.set(ch.entity, at)
			}
			ch.pipe.push(at, n)
			continue
		}
		s.arrive(ch, n)
	}
}

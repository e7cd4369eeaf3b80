package maxplus

import "math"

// In the recursion, two kinds of servers choose their next firing from the available elements. One is a server that
// several stations share. The other is the server of a station with several groups of input channels. Such a server
// advances as long as the available elements are known. A missing element or space can arrive only after the time up to
// which the departures of its sender are known (Chandy, Misra 1979, Distributed simulation). If all servers wait for
// each other, the earliest known firing is next. Every firing takes time, so no other firing can precede this firing.

// moment is the time at which elements or space are available, or a lower bound on this time if it is unknown.
type moment struct {
	time    float64
	unknown bool
	lack    lack // the reason if the time is unknown
}

// lack is a set of missing elements: n elements on a channel, or space for n. from is the station that sends or returns
// them. The zero value means that nothing is missing.
type lack struct {
	n, from int32
	channel int32 // -1 for space
	buffer  int32
}

// still reports whether a server that lacks elements or space cannot advance further than at its last visit.
func (s *Simulator) still(sv *server) bool {
	return s.lacks(&sv.lack) && s.bound(sv.lack.from) <= sv.until
}

// visitServer executes the firings of a server as long as its choices are determined.
func (s *Simulator) visitServer(sv *server) {
	if s.still(sv) {
		return
	}
	fired := int64(0)
	for sv.lack.n = 0; fired < s.run.visit && !sv.passed; {
		if sv.time > s.run.ahead {
			s.run.held = min(s.run.held, sv.time)
			break
		}
		place, ok := s.choose(sv)
		if !ok {
			break
		}
		if place >= 0 {
			fired += s.turn(sv, sv.order[place])
		}
	}
	s.run.events += fired
}

// choose returns the place of the station that fires at the server's time. If no station can fire, it returns -1, and
// advances the server to the next time at which a station may fire. It returns false if the choice is not determined
// yet.
func (s *Simulator) choose(sv *server) (int32, bool) {
	now := sv.time
	if sv.left > 0 {
		m := s.when(&s.stations[sv.order[sv.at]], now)
		if m.unknown && m.time < now {
			sv.lack, sv.until = m.lack, before(now)
			return 0, false
		}
		if !m.unknown && m.time <= now {
			sv.left--
			return sv.at, true
		}
	}
	existing, unknown := never, never
	sv.lack.n = 0
	n := int32(len(sv.order))
	place := sv.at
	for range n {
		if place++; place >= n {
			place = 0
		}
		st := &s.stations[sv.order[place]]
		switch m := s.when(st, now); {
		case m.unknown && m.time < now:
			sv.lack, sv.until = m.lack, before(now)
			return 0, false
		case m.unknown && m.time < unknown:
			unknown = m.time
			sv.lack, sv.until = m.lack, m.time
		case m.unknown:
		case m.time <= now:
			sv.at, sv.left, sv.lack.n = place, st.burst-1, 0
			return place, true
		default:
			existing = min(existing, m.time)
		}
	}
	sv.at, sv.left = n-1, 0
	if existing <= unknown {
		sv.lack.n = 0
	}
	next := min(existing, unknown)
	if next > now && next < never {
		sv.time = next
		s.run.moved = true
	}
	return -1, existing <= unknown && existing < never
}

// when returns the earliest time at which a station can fire. The time is exact if it is at most now. when also chooses
// the group of input channels.
func (s *Simulator) when(st *station, now float64) moment {
	if len(st.groups) > 0 {
		if m := s.inputsReady(st, now); m.unknown || m.time > now {
			return m
		}
	}
	for k := st.outs[0]; k < st.outs[1]; k++ {
		o := &s.outs[k]
		if o.n == 0 {
			continue
		}
		if o.buffer >= 0 {
			if m := s.spaceTime(st, o, now); m.unknown || m.time > now {
				if st.blocked < 0 && m.time >= now {
					st.blocked, st.blockedSince = o.buffer, now
				}
				return m
			}
		}
		if ch := &s.channels[o.channel]; ch.tokens+int64(o.n) > ch.max {
			return moment{time: math.Inf(-1), unknown: true} // wait until its reader has advanced
		}
	}
	return moment{time: now}
}

// inputsReady returns the time at which the inputs of a firing are available.
func (s *Simulator) inputsReady(st *station, now float64) moment {
	best := moment{time: never}
	g := st.nextGroup
	for range st.groups {
		m := s.arrival(st, st.groups[g], now)
		if !m.unknown && m.time <= now {
			st.group = g
			return m
		}
		if m.unknown && m.time < now {
			return m
		}
		if m.time < best.time || m.time == best.time && !m.unknown {
			best = m
		}
		if g++; int(g) == len(st.groups) {
			g = 0
		}
	}
	return best
}

// arrival returns the time at which all elements that a firing consumes from a group are available.
func (s *Simulator) arrival(st *station, group [2]int32, now float64) moment {
	for k := group[0]; k < group[1]; k++ {
		in := &s.ins[k]
		ch := &s.channels[in.channel]
		if ch.tokens < int64(in.need) {
			from := int32(s.net.Channels[in.channel].From)
			return s.after(st, lack{in.need, from, in.channel, -1})
		}
		if t := ch.pipe.peek(int64(in.need)); t > now {
			return moment{time: t}
		}
	}
	return moment{time: now}
}

// spaceTime returns the time at which there is space for the outputs of a firing.
func (s *Simulator) spaceTime(st *station, o *output, now float64) moment {
	b := &s.buffers[o.buffer]
	switch {
	case b.free < int64(o.n):
		return s.after(st, lack{o.n, s.givers[o.buffer], -1, o.buffer})
	case b.size == unlimited:
		return moment{time: now}
	}
	return moment{time: max(now, b.returned.peek(int64(o.n)))}
}

// after returns the earliest time at which the missing elements can arrive. If the station's own server sends these
// elements, they arrive only after the next firing.
func (s *Simulator) after(st *station, l lack) moment {
	if s.stations[l.from].server == st.server {
		return moment{time: never}
	}
	return moment{s.bound(l.from), true, l}
}

// turn executes the chosen firing of a server, and those firings of its turn that certainly follow immediately. It
// returns the number of firings.
func (s *Simulator) turn(sv *server, i int32) int64 {
	st := &s.stations[i]
	if st.blocked >= 0 {
		if s.run.warm >= 0 {
			s.buffers[st.blocked].blocked += max(0, sv.time-max(st.blockedSince, s.run.warm))
		}
		st.blocked = -1
	}
	var ins []input
	if len(st.groups) > 0 {
		group := st.groups[st.group]
		ins = s.ins[group[0]:group[1]]
		if st.nextGroup = st.group + 1; int(st.nextGroup) == len(st.groups) {
			st.nextGroup = 0
		}
	}
	scale := 1.0
	if st.scale != nil {
		scale = st.scale[st.group]
	}
	outs := s.outs[st.outs[0]:st.outs[1]]
	departure := s.run.options.Departure
	more := int64(0)
	if len(st.groups) <= 1 {
		more = int64(sv.left)
	}
	fired, start := int64(0), sv.time
	for {
		for k := range ins {
			s.channels[ins[k].channel].get(int64(ins[k].need))
		}
		for k := range outs {
			if o := &outs[k]; o.buffer >= 0 {
				s.buffers[o.buffer].claim(int64(o.n))
			}
		}
		service := scale * s.drawn(st, i)
		stop := start + service
		if stop > st.horizon {
			s.pass(i, start, stop)
			if sv.passed = int(st.mark) == len(s.run.marks); sv.passed {
				more = 0
			}
		}
		st.fired++
		st.work += service
		s.deliver(st, ins, outs, stop)
		if departure != nil {
			departure(int(i), stop)
		}
		start = stop
		if fired++; fired > more || stop > s.run.ahead || !s.goesOn(ins, outs, stop) {
			break
		}
	}
	sv.left -= int32(fired - 1)
	sv.time, st.finish = start, start
	return fired
}

// goesOn reports whether all elements and space that a firing needs are certainly available.
func (s *Simulator) goesOn(ins []input, outs []output, now float64) bool {
	for k := range ins {
		in := &ins[k]
		if ch := &s.channels[in.channel]; ch.tokens < int64(in.need) || ch.pipe.peek(int64(in.need)) > now {
			return false
		}
	}
	for k := range outs {
		o := &outs[k]
		n := int64(o.n)
		if n == 0 {
			continue
		}
		if o.buffer >= 0 {
			if b := &s.buffers[o.buffer]; b.free < n || b.size != unlimited && b.returned.peek(n) > now {
				return false
			}
		}
		if ch := &s.channels[o.channel]; ch.tokens+n > ch.max {
			return false
		}
	}
	return true
}

// claim reserves available space.
func (b *buffer) claim(n int64) {
	b.free -= n
	if b.size != unlimited && n > 0 {
		b.returned.last(n)
	}
}

// deliver returns the space of a firing's inputs, sends its outputs, and plans the next firing.
func (s *Simulator) deliver(st *station, ins []input, outs []output, finish float64) {
	for k := range ins {
		if in := &ins[k]; in.buffer >= 0 {
			s.buffers[in.buffer].put(s.buffers[in.buffer].back.after(finish), int64(in.need))
		}
	}
	for k := range outs {
		if o := &outs[k]; o.n > 0 {
			ch := &s.channels[o.channel]
			ch.put(ch.way.after(finish), int64(o.n))
		}
	}
	if st.plans {
		st.plan(outs)
	}
}

// raiseFloor advances the floor to the first known firing if all servers wait for each other. It reports whether there
// is a known firing before the end of the run.
func (s *Simulator) raiseFloor() bool {
	r := &s.run
	if !r.choices {
		return false
	}
	first := never
	for v := range s.servers {
		sv := &s.servers[v]
		if !sv.chooses {
			continue
		}
		for _, i := range sv.order {
			first = min(first, max(sv.time, s.earliestFiring(&s.stations[i])))
		}
	}
	if first <= r.floor || first > r.held || first == never || first > r.lastMark && s.isOver() {
		return false
	}
	r.floor = first
	return true
}

// earliestFiring returns the time at which a station can fire with the known elements and space.
func (s *Simulator) earliestFiring(st *station) float64 {
	first := 0.0
	if len(st.groups) > 0 {
		first = never
		for _, g := range st.groups {
			at := 0.0
			for k := g[0]; k < g[1]; k++ {
				in := &s.ins[k]
				if ch := &s.channels[in.channel]; ch.tokens >= int64(in.need) {
					at = max(at, ch.pipe.peek(int64(in.need)))
				} else {
					at = never
				}
			}
			first = min(first, at)
		}
	}
	for k := st.outs[0]; k < st.outs[1]; k++ {
		o := &s.outs[k]
		if o.buffer < 0 || o.n == 0 {
			continue
		}
		if s.buffers[o.buffer].free < int64(o.n) {
			return never
		}
		first = max(first, s.spaceTime(st, o, 0).time)
	}
	return first
}

// peek returns the time of the last of n available elements.
func (r *ring) peek(n int64) float64 {
	for k := r.head; ; k++ {
		f := &r.records[k&(len(r.records)-1)]
		if n -= f.n; n <= 0 {
			return f.time
		}
	}
}

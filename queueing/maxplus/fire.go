package maxplus

import (
	"math"
)

func (s *Simulator) ready(i int32) bool {
	st := &s.stations[i]
	if st.busy {
		return false
	}
	if st.bulk > 0 {
		if !s.readyBulk(st) {
			return false
		}
	} else if groups := int32(len(st.groups)); groups > 0 {
		g := st.nextGroup
		for tries := int32(0); !s.has(st.groups[g]); {
			if tries++; tries == groups {
				return false
			}
			if g++; g == groups {
				g = 0
			}
		}
		st.group = g
	}
	for k := st.outs[0]; k < st.outs[1]; k++ {
		o := &s.outs[k]
		if o.buffer < 0 || s.buffers[o.buffer].free >= int64(o.n) {
			continue
		}
		if st.blocked < 0 {
			st.blocked, st.blockedSince = o.buffer, s.run.now
		}
		return false
	}
	return true
}

func (s *Simulator) has(group [2]int32) bool {
	for k := group[0]; k < group[1]; k++ {
		if in := &s.ins[k]; s.channels[in.channel].tokens < int64(in.need) {
			return false
		}
	}
	return true
}

// readyBulk reports whether a transfer can start, and sets the number of elements of the transfer.
func (s *Simulator) readyBulk(st *station) bool {
	tokens := s.channels[s.ins[st.groups[0][0]].channel].tokens
	switch {
	case tokens >= int64(st.bulk):
		tokens = int64(st.bulk)
	case tokens == 0 || st.flush > 0 && !st.overdue:
		return false
	}
	st.moves = int32(tokens)
	s.outs[st.outs[0]].n = st.moves
	return true
}

// start starts a firing of a station that is ready.
func (s *Simulator) start(i int32) {
	st := &s.stations[i]
	now := s.run.now
	st.busy = true
	if st.blocked >= 0 {
		if s.run.warm >= 0 {
			s.buffers[st.blocked].blocked += now - max(st.blockedSince, s.run.warm)
		}
		st.blocked = -1
	}
	service := s.drawn(st, i)
	if st.bulk > 0 {
		service += st.perElement * float64(st.moves)
		s.consumeBulk(st)
	} else if len(st.groups) > 0 {
		if st.scale != nil {
			service *= st.scale[st.group]
		}
		s.consume(st)
	} else {
		st.origin = now + service
	}
	outs := s.outs[st.outs[0]:st.outs[1]]
	for k := range outs {
		o := &outs[k]
		o.flight = o.n
		if o.buffer >= 0 {
			s.buffers[o.buffer].free -= int64(o.n)
		}
	}
	if st.plans {
		st.plan(outs)
	}
	st.work += service
	sv := &s.servers[st.server]
	if sv.discipline == Sharing {
		s.startShared(st.server, i, service)
		return
	}
	sv.active = i
	s.clock.set(st.server, now+service)
}

// consume removes the elements of a firing from the channels of its group.
func (s *Simulator) consume(st *station) {
	if s.run.options.Latency {
		s.stampConsumed(st)
	}
	group := st.groups[st.group]
	for k := group[0]; k < group[1]; k++ {
		in := &s.ins[k]
		s.channels[in.channel].tokens -= int64(in.need)
	}
	if st.nextGroup = st.group + 1; st.nextGroup == int32(len(st.groups)) {
		st.nextGroup = 0
	}
}

// consumeBulk removes the elements of a transfer.
func (s *Simulator) consumeBulk(st *station) {
	if s.run.options.Latency {
		s.stampConsumed(st)
	}
	ch := &s.channels[s.ins[st.groups[0][0]].channel]
	ch.tokens -= int64(st.moves)
	if st.overdue = false; st.timer >= 0 {
		next := math.Inf(1)
		if ch.tokens > 0 {
			next = s.run.now + st.flush
		}
		s.clock.set(st.timer, next)
	}
}

// drawn returns the random service time of the next firing in s.
func (s *Simulator) drawn(st *station, i int32) float64 {
	if st.service == nil {
		return 0
	}
	at := int(i)*drawBlock + int(st.draw)
	elapsed := s.draws[at]
	if !st.constant {
		if st.draw++; st.draw == drawBlock {
			st.draw = 0
			st.service.Fill(s.draws[at+1-drawBlock : at+1])
		}
	}
	return elapsed
}

// emitter draws the numbers of elements that a station sends, if they vary.
type emitter struct {
	r *Draws
}

// plan sets the number of elements that the next firing sends on each output.
func (st *station) plan(outs []output) {
	u := 0.0
	if st.exclusive {
		u = st.emit.r.Float64()
	}
	base := st.outs[0]
	for k := range outs {
		o := &outs[k]
		if o.like >= 0 {
			o.n = outs[o.like-base].n
			continue
		}
		o.n = o.integer
		if o.part == 0 {
			continue
		}
		switch {
		case o.rule == InTurns:
			o.sum += o.part
			if o.sum >= 1-integerRounding {
				o.sum--
				o.n++
			}
		case st.exclusive:
			if u >= o.from && u < o.from+o.part {
				o.n++
			}
		case st.emit.r.Float64() < o.part:
			o.n++
		}
	}
}

// beginPlan sets the initial sums of counts in turns. If a firing sends on only one port, the initial sums make the
// ports alternate.
func (st *station) beginPlan(outs []output) {
	for k := range outs {
		o := &outs[k]
		o.sum = 0
		if st.exclusive {
			o.sum = max(0, 1-o.from-o.part)
		}
		o.n = o.integer
	}
}

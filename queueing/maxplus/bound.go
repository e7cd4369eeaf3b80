package maxplus

import "math"

// takesTime reports whether every firing of a station takes time.
func takesTime(spec *Station) bool {
	return spec.Bulk > 0 && spec.PerElement > 0 || positive(spec.Service)
}

// positive reports whether a service never draws 0 s, except by rounding.
func positive(service Service) bool {
	switch d := service.(type) {
	case Constant:
		return d > 0
	case Exponential:
		return d > 0
	case Gamma:
		return d.Time > 0
	case Scaled:
		return d.Plus > 0 || d.Factor > 0 && positive(d.Of)
	case *Bins:
		for _, t := range d.time {
			if !(t > 0) {
				return false
			}
		}
		return true
	case interface{ positive() bool }: // distributions of tests
		return d.positive()
	}
	return false
}

// bound returns the time up to which all departures of a station are known.
func (s *Simulator) bound(i int32) float64 {
	st := &s.stations[i]
	b := st.bound
	if sv := &s.servers[st.server]; sv.chooses {
		b = sv.time
	}
	return max(b, s.run.floor)
}

// before returns the largest float64 below t, for t > 0.
func before(t float64) float64 { return math.Float64frombits(math.Float64bits(t) - 1) }

// setBound sets the bound of a station with its own server. The bound is at least the lower bound on the arrival of the
// missing elements or space.
func (s *Simulator) setBound(st *station) {
	b := max(st.bound, st.finish)
	st.lack.n = 0
	if len(st.groups) > 0 {
		for k := st.groups[0][0]; k < st.groups[0][1]; k++ {
			in := &s.ins[k]
			if n := max(in.need, st.bulk); s.channels[in.channel].tokens < int64(n) {
				st.lack = lack{n, int32(s.net.Channels[in.channel].From), in.channel, -1}
				b = max(b, s.bound(st.lack.from))
			}
		}
	}
	for k := st.outs[0]; k < st.outs[1]; k++ {
		if o := &s.outs[k]; o.buffer >= 0 && s.buffers[o.buffer].free < int64(o.n) {
			st.lack = lack{o.n, s.givers[o.buffer], -1, o.buffer}
			b = max(b, s.bound(st.lack.from))
		}
	}
	if r := &s.run; st.lack.n == 0 && (r.marks == nil || int(st.mark) < len(r.marks)) {
		r.held = min(r.held, st.finish)
	}
	s.raise(st, b)
}

func (s *Simulator) raise(st *station, b float64) {
	if b > st.bound {
		st.bound = b
		s.run.moved = true
	}
}

// visitAlone advances a station that has its own server.
func (s *Simulator) visitAlone(i int32) {
	st := &s.stations[i]
	if s.lacks(&st.lack) {
		s.raise(st, s.bound(st.lack.from))
		return
	}
	s.visit(i)
	s.setBound(st)
}

// lacks reports whether the missing elements or space are still missing.
func (s *Simulator) lacks(l *lack) bool {
	switch {
	case l.n == 0:
		return false
	case l.channel >= 0:
		return s.channels[l.channel].tokens < int64(l.n)
	}
	return s.buffers[l.buffer].free < int64(l.n)
}

// aheadPart limits the lead of stations and servers over the slowest station, as a fraction of the events of the
// simulation. minAhead is the minimum of this limit in events.
const aheadPart, minAhead = 1. / 100, 256

// setAhead lets all stations advance until one window after the time of the slowest station.
func (s *Simulator) setAhead() {
	r := &s.run
	if !r.choices || r.events == 0 {
		return
	}
	minimum := never
	for i := range s.stations {
		minimum = min(minimum, s.bound(int32(i)))
	}
	if minimum < never {
		r.window = minimum / float64(r.events) * max(minAhead, aheadPart*float64(r.options.Events))
		r.ahead = max(r.ahead, minimum+r.window)
	}
}

// goFurther raises the limit so that stations that stopped at the limit can continue. It reports whether there are such
// stations.
func (s *Simulator) goFurther() bool {
	r := &s.run
	if r.held <= r.ahead || r.held == never {
		return false
	}
	r.ahead = max(r.ahead, r.held+r.window)
	return true
}

package maxplus

import (
	"context"
	"math"
)

// The departure times do not depend on the order in which firings are computed (Kahn 1974), under two conditions. No
// server is shared (turns.go handles shared servers), and nothing depends on which of two elements arrives first. Then
// the simulator needs no clock. Each station advances as far as its known elements and space permit, by a recursion
// over their times. The result equals the result of a simulation in time order.

// recursive reports whether the recursion can compute the requested outputs.
func (s *Simulator) recursive() bool {
	if s.run.options.Occupancy || s.run.options.Latency {
		return false
	}
	choices := false
	for v := range s.servers {
		sv := &s.servers[v]
		sv.chooses = len(sv.order) > 1 || len(sv.order) == 1 && len(s.stations[sv.order[0]].groups) > 1
		if choices = choices || sv.chooses; sv.chooses && sv.discipline == Sharing {
			return false
		}
	}
	for i := range s.stations {
		st := &s.stations[i]
		if st.bulk > 0 && (!math.IsInf(st.flush, 1) || s.servers[st.server].chooses) {
			return false
		}
		if choices && !takesTime(&s.net.Stations[i]) {
			return false
		}
	}
	s.run.choices = choices
	return true
}

// visitFirings is the number of firings of a station before other stations follow. visitTokens is the number of
// elements on a channel at which its writer stops and its reader continues. The simulator raises this limit if it stops
// all stations.
const (
	visitFirings = 512
	visitTokens  = 2048
)

// recur runs the recursion to its end.
func (s *Simulator) recur(ctx context.Context) error {
	r := &s.run
	for b := range s.buffers {
		buf := &s.buffers[b]
		buf.returned.reset()
		if buf.free > 0 {
			buf.returned.push(0, buf.free)
		}
	}
	for c := range s.channels {
		ch := &s.channels[c]
		ch.max = visitTokens
		ch.pipe.reset()
		if ch.tokens > 0 {
			ch.pipe.push(0, ch.tokens)
		}
	}
	r.visit = min(visitFirings, 1+r.options.Events/int64(8*len(s.stations)))
	r.lastMark, r.ahead = never, never
	if r.choices {
		r.ahead = 0
	}
	for v := range s.servers {
		sv := &s.servers[v]
		sv.time, sv.at, sv.left, sv.passed, sv.lack = 0, int32(max(0, len(sv.order)-1)), 0, false, lack{}
	}
	for i := range s.stations {
		st := &s.stations[i]
		st.finish, st.mark, st.horizon, st.bound, st.lack = 0, 0, math.Inf(1), 0, lack{}
		for k := range s.outs[st.outs[0]:st.outs[1]] {
			o := &s.outs[int(st.outs[0])+k]
			if st.bulk > 0 {
				o.n = st.bulk
			}
			// Permit at least two firings, so that a channel without space for a firing is at least half full.
			ch := &s.channels[o.channel]
			ch.max = max(ch.max, 2*int64(o.n), 2*int64(math.Ceil(s.net.Channels[o.channel].Sends.PerFiring)))
		}
	}
	for looked := int64(0); ; {
		before := r.events
		r.moved, r.held = false, never
		s.setAhead()
		s.visitAll()
		if r.events == before && !r.moved && !s.raiseFloor() && !s.loosen() && !s.goFurther() {
			r.stopped = !s.beyond()
			break
		}
		if r.marks == nil && r.events >= r.options.Warmup {
			s.setHorizon()
		}
		if s.passed() == len(r.marks)-1 || r.events > hardLimit*r.options.Events {
			break
		}
		if r.events-looked > checkEvery {
			looked = r.events
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	s.closeMarks()
	return nil
}

// hardLimit is the maximum ratio of executed to requested firings. It ends runs in which the rate of the warm-up is
// misleading.
const hardLimit = 3

// loosen raises the limits on waiting elements that may have stopped all stations, and reports whether it raised any.
func (s *Simulator) loosen() bool {
	any := false
	for c := range s.channels {
		ch := &s.channels[c]
		if 2*ch.tokens > ch.max && ch.max < unlimited {
			ch.max *= 2
			any = true
		}
	}
	return any
}

// setHorizon ends the warm-up at the latest known departure. It sets the times of the marks so that approximately as
// many firings as requested precede the last mark.
func (s *Simulator) setHorizon() {
	r := &s.run
	warm := 0.0
	for i := range s.stations {
		warm = max(warm, s.stations[i].finish)
	}
	step := float64(r.options.Events-r.options.Warmup) * warm / float64(r.events) / marksPerRun
	if !(step > 0) {
		step = 1
	}
	r.marks = make([]Mark, marksPerRun+1)
	n := len(s.stations)
	counts, works := make([]int64, len(r.marks)*n), make([]float64, len(r.marks)*n)
	for m := range r.marks {
		r.marks[m] = Mark{Time: warm + float64(m)*step, Firings: counts[m*n : (m+1)*n], Work: works[m*n : (m+1)*n]}
	}
	r.warm, r.lastMark = warm, r.marks[marksPerRun].Time
	for i := range s.stations {
		s.stations[i].horizon = warm
	}
}

// passed returns the index of the last mark that all stations have passed, or a negative value if there is none.
func (s *Simulator) passed() int {
	minimum := math.MaxInt
	for i := range s.stations {
		minimum = min(minimum, int(s.stations[i].mark))
	}
	if s.run.marks == nil {
		return -2
	}
	return minimum - 1
}

// beyond reports whether a station has passed the last mark. Stations that wait for it then also fire after that mark.
func (s *Simulator) beyond() bool {
	any := s.isOver()
	for i := range s.stations {
		if any {
			s.pass(int32(i), math.Inf(1), math.Inf(1))
		}
	}
	return any
}

// isOver reports whether a station has passed the last mark.
func (s *Simulator) isOver() bool {
	for i := range s.stations {
		if s.run.marks != nil && int(s.stations[i].mark) == len(s.run.marks) {
			return true
		}
	}
	return false
}

// closeMarks drops the marks that not all stations have passed.
func (s *Simulator) closeMarks() {
	r := &s.run
	last := s.passed()
	if last < 0 { // the run deadlocked, or some stations have executed too many firings
		r.marks = nil
		r.now = s.reached()
		return
	}
	r.marks = r.marks[:last+1]
	r.now = r.marks[last].Time
}

// reached returns the time that all stations have reached or, if nothing can fire, the time of the last firing.
func (s *Simulator) reached() float64 {
	minimum, maximum := math.Inf(1), 0.0
	for i := range s.stations {
		st := &s.stations[i]
		maximum = max(maximum, st.finish)
		minimum = min(minimum, st.finish)
	}
	if s.run.stopped {
		return maximum
	}
	return minimum
}

// pass records the firings and the work of a station up to each mark that its current firing passes.
func (s *Simulator) pass(i int32, start, departure float64) {
	st := &s.stations[i]
	marks := s.run.marks
	for int(st.mark) < len(marks) && departure > marks[st.mark].Time {
		marks[st.mark].Firings[i] = st.fired
		marks[st.mark].Work[i] = st.work + max(0, marks[st.mark].Time-start)
		st.mark++
	}
	if st.horizon = math.Inf(1); int(st.mark) < len(marks) {
		st.horizon = marks[st.mark].Time
	}
}

// enabled reports whether all elements and space for a station's next firing are known.
func (s *Simulator) enabled(ins []input, outs []output, bulk int32) bool {
	for k := range ins {
		in := &ins[k]
		if s.channels[in.channel].tokens < int64(max(in.need, bulk)) {
			return false
		}
	}
	for k := range outs {
		o := &outs[k]
		ch := &s.channels[o.channel]
		if o.buffer >= 0 && s.buffers[o.buffer].free < int64(o.n) || ch.tokens+int64(o.n) > ch.max {
			return false
		}
	}
	return true
}

// visitAll advances every station with its own server, and every server that chooses its next firing.
func (s *Simulator) visitAll() {
	for i := range s.stations {
		st := &s.stations[i]
		sv := &s.servers[st.server]
		if !s.run.choices {
			s.visit(int32(i))
		} else if !sv.chooses {
			s.visitAlone(int32(i))
		} else if st.place == 0 {
			s.visitServer(sv)
		}
	}
}

// visit fires a station as often as it can.
func (s *Simulator) visit(i int32) {
	st := &s.stations[i]
	var ins []input
	if len(st.groups) > 0 {
		ins = s.ins[st.groups[0][0]:st.groups[0][1]]
	}
	outs := s.outs[st.outs[0]:st.outs[1]]
	scale := 1.0
	if st.scale != nil {
		scale = st.scale[0]
	}
	departure := s.run.options.Departure
	fired := int64(0)
	for ; fired < s.run.visit && s.enabled(ins, outs, st.bulk); fired++ {
		if s.run.marks != nil && int(st.mark) == len(s.run.marks) {
			break
		}
		if st.finish > s.run.ahead {
			break
		}
		start := st.finish
		for k := range ins {
			start = max(start, s.channels[ins[k].channel].get(int64(max(ins[k].need, st.bulk))))
		}
		if st.waitsForSpace {
			start = s.claim(outs, start)
		}
		service := scale * s.drawn(st, i)
		if st.bulk > 0 {
			service += st.perElement * float64(st.bulk)
		}
		stop := start + service
		st.finish = stop
		if stop > st.horizon {
			s.pass(i, start, stop)
		}
		st.fired++
		st.work += service
		for k := range ins {
			if in := &ins[k]; in.buffer >= 0 {
				s.buffers[in.buffer].put(s.buffers[in.buffer].back.after(stop), int64(max(in.need, st.bulk)))
			}
		}
		for k := range outs {
			if o := &outs[k]; o.n > 0 {
				ch := &s.channels[o.channel]
				ch.put(ch.way.after(stop), int64(o.n))
			}
		}
		if st.plans {
			st.plan(outs)
		}
		if departure != nil {
			departure(int(i), stop)
		}
	}
	s.run.events += fired
}

// claim reserves the space for a firing, and returns the time at which all this space is available.
func (s *Simulator) claim(outs []output, start float64) float64 {
	last, at := int32(-1), start
	for k := range outs {
		o := &outs[k]
		if o.buffer < 0 || o.n == 0 {
			continue
		}
		b := &s.buffers[o.buffer]
		b.free -= int64(o.n)
		if b.size == unlimited {
			continue
		}
		if t := b.returned.last(int64(o.n)); t > at {
			at, last = t, o.buffer
		}
	}
	if last >= 0 && s.run.warm >= 0 {
		s.buffers[last].blocked += max(0, at-max(start, s.run.warm))
	}
	return at
}

func (ch *channel) get(n int64) float64 {
	ch.tokens -= n
	return ch.pipe.last(n)
}

func (ch *channel) put(time float64, n int64) {
	ch.tokens += n
	ch.pipe.push(time, n)
}

func (b *buffer) put(time float64, n int64) {
	b.free += n
	if b.size != unlimited {
		b.returned.push(time, n)
	}
}

// last removes n elements, and returns the time of the last removed element.
func (r *ring) last(n int64) float64 {
	for {
		f := &r.records[r.head&(len(r.records)-1)]
		if f.n > n {
			f.n -= n
			return f.time
		}
		n -= f.n
		r.head++
		if n == 0 {
			return f.time
		}
	}
}

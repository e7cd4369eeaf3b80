package maxplus

import (
	"context"
	"math"
	"math/bits"
)

// runState is the state of one simulation, except the states of stations, channels and buffers.
type runState struct {
	options  Options
	now      float64
	events   int64
	touched  []int32 // servers that may start a firing
	next     int64   // number of events at the next mark
	interval int64
	warm     float64 // end of the warm-up; negative before it
	marks    []Mark
	latency  latencies
	visit    int64   // number of firings of a station before other stations follow, in the recursion
	stopped  bool    // no station can fire any more
	choices  bool    // some servers choose their next firing, in the recursion
	moved    bool    // a bound has advanced since the last check
	ahead    float64 // time up to which stations and servers may advance before other stations and servers follow
	window   float64 // limit on the lead over the slowest station, in s
	held     float64 // earliest time of the stations that stopped at ahead
	floor    float64 // all departures up to this time are known
	lastMark float64 // time of the last mark
}

// marksPerRun is the number of parts with equal numbers of events for the confidence intervals of a simulation's rates.
const marksPerRun = 30

// checkEvery is the number of events between two checks of the context.
const checkEvery = 1 << 16

// Run simulates the network from its initial state. It ends after the requested number of events, or when no station
// can fire.
func (s *Simulator) Run(ctx context.Context, o Options) (*Result, error) {
	s.reset(o)
	r := &s.run
	if s.recursive() {
		if err := s.recur(ctx); err != nil {
			return nil, err
		}
		return s.result(), nil
	}
	s.startAll()
	for r.events < r.options.Events {
		entity, t := s.clock.next()
		if math.IsInf(t, 1) {
			r.stopped = true
			break
		}
		r.now = t
		before := r.events
		s.happen(entity)
		for s.clock.min[1] == t {
			entity, _ = s.clock.next()
			s.happen(entity)
		}
		s.beginTouched()
		if before/checkEvery != r.events/checkEvery && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return s.result(), ctx.Err()
}

// reset resets the simulation to its initial state.
func (s *Simulator) reset(o Options) {
	if o.Events <= 0 {
		o.Events = DefaultEvents
	}
	if o.Warmup <= 0 {
		o.Warmup = o.Events / 10
	}
	o.Warmup = min(o.Warmup, o.Events-1)
	s.run = runState{options: o, next: o.Warmup, interval: max(1, (o.Events-o.Warmup)/marksPerRun), warm: -1,
		touched: s.run.touched[:0]}
	s.clock.reset()
	for b := range s.buffers {
		old := &s.buffers[b]
		s.buffers[b] = buffer{size: old.size, free: old.size, histogram: old.histogram[:0], returned: old.returned,
			back: old.back, entity: old.entity, writer: old.writer}
		s.buffers[b].returned.reset()
		s.buffers[b].back.reset(s, len(s.stations)+len(s.channels)+b)
	}
	for i := range s.stations {
		s.beginStation(i)
	}
	for c := range s.channels {
		ch := &s.channels[c]
		ch.tokens = int64(s.net.Channels[c].Initial)
		ch.pipe.reset()
		ch.stamps.reset()
		ch.way.reset(s, len(s.stations)+c)
		if o.Latency && ch.tokens > 0 {
			ch.stamps.push(0, ch.tokens)
		}
	}
	for b := range s.net.Buffers {
		for _, c := range s.net.Buffers[b].Channels {
			s.buffers[b].held += s.channels[c].tokens
		}
		s.buffers[b].free -= s.buffers[b].held
		s.buffers[b].max = s.buffers[b].held
	}
}

func (s *Simulator) startAll() {
	for v := range s.servers {
		sv := &s.servers[v]
		sv.at, sv.left, sv.active, sv.touched = int32(max(0, len(sv.order)-1)), 0, -1, false
		sv.virtual, sv.since, sv.firing = 0, 0, sv.firing[:0]
		s.touch(int32(v))
	}
	for i := range s.stations {
		s.candidate(&s.stations[i])
	}
	if s.run.options.Warmup == 0 {
		s.mark()
	}
	s.beginTouched()
}

func (s *Simulator) beginStation(i int) {
	st, spec := &s.stations[i], &s.net.Stations[i]
	st.work, st.fired, st.busy, st.overdue, st.blocked, st.nextGroup = 0, 0, false, false, -1, 0
	st.service = nil
	if spec.Service != nil {
		block := s.draws[i*drawBlock : (i+1)*drawBlock]
		st.service = spec.Service.Stream(newDraws(s.tables, s.run.options.Seed, uint64(2*i)))
		st.service.Fill(block)
		st.draw = 0
		if _, ok := spec.Service.(Constant); ok {
			st.constant = true
		}
	}
	outs := s.outs[st.outs[0]:st.outs[1]]
	st.beginPlan(outs)
	if st.plans {
		st.emit = &emitter{newDraws(s.tables, s.run.options.Seed, uint64(2*i+1))}
		st.plan(outs)
	}
	for g := range st.groups {
		if s.timed(st) && s.net.Channels[s.ins[st.groups[g][0]].channel].Initial > 0 {
			s.clock.set(st.timer, st.flush)
		}
	}
}

func (s *Simulator) timed(st *station) bool { return st.timer >= 0 }

func (s *Simulator) happen(entity int32) {
	kind := s.kinds[entity]
	switch kind.kind {
	case serverEntity:
		s.finishOn(entity)
	case pipeEntity:
		ch := &s.channels[kind.index]
		f := ch.pipe.front()
		n := f.n
		ch.pipe.head++
		next := math.Inf(1)
		if !ch.pipe.empty() {
			next = ch.pipe.front().time
		}
		s.clock.set(entity, next)
		s.arrive(ch, n)
	case spaceEntity:
		b := &s.buffers[kind.index]
		b.free += b.returned.front().n
		b.returned.head++
		next := math.Inf(1)
		if !b.returned.empty() {
			next = b.returned.front().time
		}
		s.clock.set(entity, next)
		s.candidate(&s.stations[b.writer])
	case timerEntity:
		st := &s.stations[kind.index]
		st.overdue = true
		s.clock.set(entity, math.Inf(1))
		s.candidate(st)
	}
}

// candidate marks a station as possibly able to fire.
func (s *Simulator) candidate(st *station) {
	sv := &s.servers[st.server]
	sv.candidates[st.place>>6] |= 1 << (st.place & 63)
	if !sv.touched && (sv.active < 0 || sv.discipline == Sharing) {
		sv.touched = true
		s.run.touched = append(s.run.touched, st.server)
	}
}

func (s *Simulator) touch(v int32) {
	sv := &s.servers[v]
	if !sv.touched {
		sv.touched = true
		s.run.touched = append(s.run.touched, v)
	}
}

// arrive adds elements at the end of a channel.
func (s *Simulator) arrive(ch *channel, n int64) {
	before := ch.tokens
	ch.tokens += n
	st := &s.stations[ch.reader]
	if before == 0 && st.timer >= 0 && n > 0 {
		s.clock.set(st.timer, s.run.now+st.flush)
	}
	s.candidate(st)
}

// beginTouched starts firings on the servers whose state has changed.
func (s *Simulator) beginTouched() {
	r := &s.run
	for k := 0; k < len(r.touched); k++ {
		v := r.touched[k]
		sv := &s.servers[v]
		sv.touched = false
		if sv.discipline == Sharing {
			s.beginShared(v)
			continue
		}
		if sv.active >= 0 {
			continue
		}
		if len(sv.order) == 1 {
			if sv.candidates[0] != 0 {
				sv.candidates[0] = 0
				if i := sv.order[0]; s.ready(i) {
					s.start(i)
				}
			}
			continue
		}
		s.beginTurn(v)
	}
	r.touched = r.touched[:0]
}

// beginTurn starts the turn of the next station that can fire on a free server. If no station can fire, the next turn
// starts with the first station.
func (s *Simulator) beginTurn(v int32) {
	sv := &s.servers[v]
	if sv.left > 0 {
		if s.try(sv, sv.at) {
			sv.left--
			return
		}
	}
	from, finish := sv.at+1, int32(len(sv.order))
	if finish > 0 && !s.nextTurn(sv, from, finish) && !s.nextTurn(sv, 0, from) {
		sv.at, sv.left = finish-1, 0
	}
}

// nextTurn fires the first station that can fire between two places. It reports whether there is such a station. It
// checks 64 candidates at a time.
func (s *Simulator) nextTurn(sv *server, from, finish int32) bool {
	for w := from >> 6; w<<6 < finish; w++ {
		some := sv.candidates[w]
		if w == from>>6 {
			some &^= uint64(1)<<(from&63) - 1
		}
		for ; some != 0; some &= some - 1 {
			place := w<<6 + int32(bits.TrailingZeros64(some))
			if place >= finish {
				return false
			}
			i := sv.order[place]
			if !s.ready(i) {
				sv.candidates[w] &^= some & -some
				continue
			}
			sv.at, sv.left = place, s.stations[i].burst-1
			s.start(i)
			return true
		}
	}
	return false
}

// try fires the station at a place of a server, if the station can fire.
func (s *Simulator) try(sv *server, place int32) bool {
	word, bit := &sv.candidates[place>>6], uint64(1)<<(place&63)
	if *word&bit == 0 {
		return false
	}
	i := sv.order[place]
	if !s.ready(i) {
		*word &^= bit
		return false
	}
	s.start(i)
	return true
}

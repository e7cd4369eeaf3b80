package maxplus

import (
	"context"
	"math"
	"math/rand/v2"
)

// runState is what one simulation changes beside the stations, channels and buffers.
type runState struct {
	options  Options
	now      float64
	events   int64
	touched  []int32 // servers that may begin something
	next     int64   // events at the next mark
	interval int64
	warm     float64 // when the warm-up ended; negative before
	marks    []Mark
	latency  latencies
}

// marksPerRun is into how many parts of equally many events a simulation is divided, for the
// confidence interval of its rates.
const marksPerRun = 30

// checkEvery is how many events go by between two looks at whether the caller still waits.
const checkEvery = 1 << 16

// Run simulates the network from its initial state. It ends after as many events as the options
// ask for, when all stations with a limit have reached it, or when nothing can fire any more.
func (s *Simulator) Run(ctx context.Context, o Options) (*Result, error) {
	s.begin(o)
	r := &s.run
	for r.events < r.options.Events {
		entity, t := s.clock.next()
		if math.IsInf(t, 1) {
			if !s.drain() {
				break
			}
			continue
		}
		r.now = t
		before := r.events
		s.happen(entity)
		for s.clock.least[1] == t {
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

// begin puts everything into its initial state and starts what can fire at time 0.
func (s *Simulator) begin(o Options) {
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
		size := s.buffers[b].size
		s.buffers[b] = buffer{size: size, free: size, histogram: s.buffers[b].histogram[:0]}
	}
	for i := range s.stations {
		s.beginStation(i)
	}
	for c := range s.channels {
		ch := &s.channels[c]
		ch.tokens = int64(s.net.Channels[c].Initial)
		ch.pipe.reset()
		ch.stamps.reset()
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
	for v := range s.servers {
		sv := &s.servers[v]
		sv.at, sv.left, sv.active, sv.touched = 0, 0, -1, false
		sv.virtual, sv.since, sv.firing = 0, 0, sv.firing[:0]
		s.touch(int32(v))
	}
	for i := range s.stations {
		s.candidate(&s.stations[i])
	}
	if o.Warmup == 0 {
		s.mark()
	}
	s.beginTouched()
}

func (s *Simulator) beginStation(i int) {
	st, spec := &s.stations[i], &s.net.Stations[i]
	st.fired, st.busy, st.overdue, st.blocked, st.nextGroup = 0, false, false, -1, 0
	st.service = nil
	if spec.Service != nil {
		block := s.draws[i*drawBlock : (i+1)*drawBlock]
		st.service = spec.Service.Stream(rand.New(rand.NewPCG(s.run.options.Seed, uint64(2*i))))
		st.service.Fill(block)
		st.draw = 0
		if _, ok := spec.Service.(Constant); ok {
			st.constant = true
		}
	}
	outs := s.outs[st.outs[0]:st.outs[1]]
	st.beginPlan(outs)
	if st.plans {
		st.emit = &emitter{rand.New(rand.NewPCG(s.run.options.Seed, uint64(2*i+1)))}
		st.plan(outs)
	}
	for g := range st.groups {
		if s.timed(st) && s.net.Channels[s.ins[st.groups[g][0]].channel].Initial > 0 {
			s.clock.set(st.timer, st.flush)
		}
	}
}

func (s *Simulator) timed(st *station) bool { return st.timer >= 0 }

// happen carries out one event.
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
	case timerEntity:
		st := &s.stations[kind.index]
		st.overdue = true
		s.clock.set(entity, math.Inf(1))
		s.candidate(st)
	}
}

// candidate notes that a station may be able to fire.
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

// arrive puts elements at the end of a channel.
func (s *Simulator) arrive(ch *channel, n int64) {
	before := ch.tokens
	ch.tokens += n
	st := &s.stations[ch.reader]
	if before == 0 && st.timer >= 0 && n > 0 {
		s.clock.set(st.timer, s.run.now+st.flush)
	}
	s.candidate(st)
}

// finishOn ends the firing of a server that is due.
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
				b.free += n
				b.held -= n
				s.candidate(&s.stations[in.writer])
			}
		}
	}
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
			if ch.pipe.empty() {
				s.clock.set(ch.entity, r.now+ch.latency)
			}
			ch.pipe.push(r.now+ch.latency, n)
			continue
		}
		s.arrive(ch, n)
	}
	s.candidate(st)
	if r.options.Departure != nil {
		r.options.Departure(int(i), r.now)
	}
	if r.events++; r.events == r.next {
		s.mark()
	}
}

// beginTouched starts what can fire on the servers where something has changed.
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

// beginTurn gives a free server to the next of its stations that can fire.
func (s *Simulator) beginTurn(v int32) {
	sv := &s.servers[v]
	if sv.left > 0 {
		if s.try(sv, sv.at) {
			sv.left--
			return
		}
	}
	n := int32(len(sv.order))
	place := sv.at
	for range n {
		if place++; place >= n {
			place = 0
		}
		if s.try(sv, place) {
			sv.at = place
			sv.left = s.stations[sv.order[place]].burst - 1
			return
		}
	}
	sv.left = 0
}

// try fires the station at a place of a server, if it can.
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

// ready reports whether a station can fire, and chooses the group of channels that it takes from.
func (s *Simulator) ready(i int32) bool {
	st := &s.stations[i]
	if st.busy || st.fired >= st.limit {
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

// readyBulk reports whether a transfer may begin, and sets how many elements it moves.
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

// start begins a firing of a station that is ready.
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
	took := 0.0
	if st.service != nil {
		took = s.draws[int(i)*drawBlock+int(st.draw)]
		if !st.constant {
			if st.draw++; st.draw == drawBlock {
				st.draw = 0
				st.service.Fill(s.draws[int(i)*drawBlock : (int(i)+1)*drawBlock])
			}
		}
	}
	if st.bulk > 0 {
		took += st.perElement * float64(st.moves)
		s.takeBulk(st)
	} else if len(st.groups) > 0 {
		if st.scale != nil {
			took *= st.scale[st.group]
		}
		s.take(st)
	} else {
		st.origin = now + took
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
	sv := &s.servers[st.server]
	if sv.discipline == Sharing {
		s.startShared(st.server, i, took)
		return
	}
	sv.active = i
	s.clock.set(st.server, now+took)
}

// take takes what a firing needs from the channels of its group.
func (s *Simulator) take(st *station) {
	if s.run.options.Latency {
		s.stampTake(st)
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

// takeBulk takes the elements of a transfer.
func (s *Simulator) takeBulk(st *station) {
	if s.run.options.Latency {
		s.stampTake(st)
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

// drain lets bulks go that wait to be full when all else has ended, and reports whether any does.
func (s *Simulator) drain() bool {
	if !s.ended() {
		return false
	}
	for i := range s.stations {
		st := &s.stations[i]
		if st.bulk > 0 && !st.busy && s.channels[s.ins[st.groups[0][0]].channel].tokens > 0 {
			st.overdue = true
			s.candidate(st)
		}
	}
	before := s.clock.least[1]
	s.beginTouched()
	return s.clock.least[1] != before
}

// ended reports whether there are stations with a limit, and all of them have reached it.
func (s *Simulator) ended() bool {
	any := false
	for i := range s.stations {
		if s.net.Stations[i].Limit > 0 {
			any = true
			if s.stations[i].fired < s.stations[i].limit {
				return false
			}
		}
	}
	return any
}

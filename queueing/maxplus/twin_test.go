package maxplus

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
)

// The twin simulates the same networks with a heap of events, and with counts that it sums whenever it needs them. It
// is slow, and easy to compare with the definitions in network.go.

// departure is the end of a firing.
type departure struct {
	station int
	time    float64
}

// happening is an event of exactly one kind.
type happening struct {
	time    float64
	finish  int // a station whose firing ends, -1
	channel int // channel on which elements arrive, -1
	n       int
	flush   int // station whose flush time ends, -1
	version int // number of the flush timer
	room    int // buffer whose writer has room again, counted from 1; 0 for none
}

type happenings []happening

func (h happenings) Len() int           { return len(h) }
func (h happenings) Less(i, j int) bool { return h[i].time < h[j].time }
func (h happenings) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *happenings) Push(x any)        { *h = append(*h, x.(happening)) }
func (h *happenings) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

type twinStation struct {
	service  Stream
	emit     *rand.Rand
	sums     map[int]float64 // of ports, for counts in turns
	next     map[int]int     // elements of the next firing, by channel
	flight   map[int]int     // of the current firing
	consumed map[int]int     // by channel, of the current firing
	busy     bool
	group    int
	version  int
	overdue  bool
	left     float64 // work left, on a shared server
}

type twin struct {
	net         *Network
	now         float64
	events      happenings
	stations    []twinStation
	there       []int // elements that have arrived and are not consumed
	sent, freed []int // of each buffer: claimed by writers, returned by readers
	at, left    []int // of servers
	departures  []departure
	late        []*lateness // of channels, and after them of buffers
}

// lateness is the state of a delay with jitter.
type lateness struct {
	draws *Draws
	last  float64
}

// arrives returns the arrival time of a transfer that starts now on the given way.
func (t *twin) arrives(way int, fixed, jitter float64) float64 {
	x := t.late[way]
	at := t.now + fixed
	if jitter > 0 {
		at += jitter * x.draws.Float64()
	}
	x.last = max(x.last, at)
	return x.last
}

// imitate returns the departures until the requested number, or until nothing can fire any more.
func imitate(net *Network, seed uint64, events int) []departure {
	t := &twin{net: net, stations: make([]twinStation, len(net.Stations)), there: make([]int, len(net.Channels)),
		sent: make([]int, len(net.Buffers)), freed: make([]int, len(net.Buffers)), at: make([]int, len(net.Servers)),
		left: make([]int, len(net.Servers))}
	for c := range net.Channels {
		t.there[c] = net.Channels[c].Initial
	}
	for b := range net.Buffers {
		for _, c := range net.Buffers[b].Channels {
			t.sent[b] += net.Channels[c].Initial
		}
	}
	for v := range t.at { // before the first in its order
		t.at[v] = -1
	}
	for i := range t.stations {
		st := &t.stations[i]
		st.sums, st.group = map[int]float64{}, 0
		if s := net.Stations[i].Service; s != nil {
			st.service = s.Stream(newDraws(newZiggurat(), seed, uint64(2*i)))
		}
		st.emit = rand.New(rand.NewPCG(seed, uint64(2*i+1)))
		t.beginSums(i)
		t.plan(i)
		if c := t.inputs(i, 0); net.Stations[i].Bulk > 0 && t.there[c[0]] > 0 {
			t.patience(i)
		}
	}
	for way := range len(net.Channels) + len(net.Buffers) {
		t.late = append(t.late, &lateness{draws: newDraws(newZiggurat(), seed, uint64(2*(len(net.Stations)+way)))})
	}
	t.startAll()
	for len(t.departures) < events {
		if !t.step() {
			break
		}
	}
	return t.departures
}

// inputs returns the channels of a group of a station.
func (t *twin) inputs(i, group int) []int {
	var list []int
	for c, ch := range t.net.Channels {
		if ch.To == i && ch.in(group) {
			list = append(list, c)
		}
	}
	return list
}

func (t *twin) outputs(i int) []int {
	var list []int
	for c, ch := range t.net.Channels {
		if ch.From == i {
			list = append(list, c)
		}
	}
	return list
}

// split returns the integer part of a count and the fraction.
func split(x float64) (int, float64) {
	complete := math.Floor(x + 1e-9)
	if rest := x - complete; rest >= 1e-9 {
		return int(complete), rest
	}
	return int(complete), 0
}

// ports calls f with the first channel of each port, the fraction of its count, and the sum of the fractions of earlier
// ports in [0, 1).
func (t *twin) ports(i int, f func(c, complete int, part, from float64)) {
	seen := map[int]bool{}
	from := 0.0
	for _, c := range t.outputs(i) {
		if port := t.net.Channels[c].Sends.Port; !seen[port] {
			seen[port] = true
			complete, part := split(t.net.Channels[c].Sends.PerFiring)
			f(c, complete, part, from)
			from += part
		}
	}
}

func (t *twin) beginSums(i int) {
	if t.net.Stations[i].Exclusive {
		t.ports(i, func(c, _ int, part, from float64) {
			t.stations[i].sums[t.net.Channels[c].Sends.Port] = max(0, 1-from-part)
		})
	}
}

// plan draws the outputs of the next firing.
func (t *twin) plan(i int) {
	st, spec := &t.stations[i], &t.net.Stations[i]
	varies := false
	t.ports(i, func(_, _ int, part, _ float64) { varies = varies || part > 0 })
	u := 0.0
	if spec.Exclusive && varies {
		u = st.emit.Float64()
	}
	byPort := map[int]int{}
	t.ports(i, func(c, complete int, part, from float64) {
		port := t.net.Channels[c].Sends.Port
		n := complete
		switch {
		case part == 0:
		case t.net.Channels[c].Sends.Rule == InTurns:
			st.sums[port] += part
			if st.sums[port] >= 1-1e-9 {
				st.sums[port]--
				n++
			}
		case spec.Exclusive:
			if u >= from && u < from+part {
				n++
			}
		case st.emit.Float64() < part:
			n++
		}
		byPort[port] = n
	})
	st.next = map[int]int{}
	for _, c := range t.outputs(i) {
		st.next[c] = byPort[t.net.Channels[c].Sends.Port]
	}
}

// patience starts the flush timer of a transfer.
func (t *twin) patience(i int) {
	t.stations[i].version++
	if f := t.net.Stations[i].Flush; f > 0 && !math.IsInf(f, 1) {
		heap.Push(&t.events, happening{time: t.now + f, finish: -1, channel: -1, flush: i,
			version: t.stations[i].version})
	}
}

// sharing returns the firing stations of a processor-sharing server.
func (t *twin) sharing(v int) []int {
	var list []int
	for i := range t.stations {
		if t.net.Stations[i].Server == v && t.stations[i].busy {
			list = append(list, i)
		}
	}
	return list
}

// step advances the time to the next event and executes all events at that time.
func (t *twin) step() bool {
	next := math.Inf(1)
	if len(t.events) > 0 {
		next = t.events[0].time
	}
	shared := -1 // the station that ends first, on a shared server
	for v := range t.net.Servers {
		if t.net.Servers[v].Discipline != Sharing {
			continue
		}
		list := t.sharing(v)
		for _, i := range list {
			if stop := t.now + t.stations[i].left*float64(len(list)); stop < next {
				next, shared = stop, i
			}
		}
	}
	if math.IsInf(next, 1) {
		return false
	}
	for v := range t.net.Servers {
		if t.net.Servers[v].Discipline == Sharing {
			list := t.sharing(v)
			for _, i := range list {
				t.stations[i].left = max(0, t.stations[i].left-(next-t.now)/float64(len(list)))
			}
		}
	}
	t.now = next
	if shared >= 0 {
		t.finish(shared)
	} else {
		for len(t.events) > 0 && t.events[0].time == t.now {
			t.carryOut(heap.Pop(&t.events).(happening))
		}
	}
	t.startAll()
	return true
}

func (t *twin) carryOut(h happening) {
	switch {
	case h.finish >= 0:
		t.finish(h.finish)
	case h.channel >= 0:
		t.arrive(h.channel, h.n)
	case h.room > 0:
		t.freed[h.room-1] += h.n
	case t.stations[h.flush].version == h.version:
		t.stations[h.flush].overdue = true
	}
}

func (t *twin) arrive(c, n int) {
	if t.there[c] == 0 && t.net.Stations[t.net.Channels[c].To].Bulk > 0 {
		t.patience(t.net.Channels[c].To)
	}
	t.there[c] += n
}

func (t *twin) finish(i int) {
	st := &t.stations[i]
	st.busy = false
	t.departures = append(t.departures, departure{i, t.now})
	for b := range t.net.Buffers {
		list := t.net.Buffers[b].Channels
		n := st.consumed[list[len(list)-1]]
		if x := &t.net.Buffers[b]; (x.Return > 0 || x.Jitter > 0) && n > 0 {
			heap.Push(&t.events, happening{time: t.arrives(len(t.net.Channels)+b, x.Return, x.Jitter), finish: -1,
				channel: -1, flush: -1, room: b + 1, n: n})
			continue
		}
		t.freed[b] += n
	}
	for _, c := range t.outputs(i) {
		if n := st.flight[c]; n == 0 {
			continue
		}
		if x := &t.net.Channels[c]; x.Latency > 0 || x.Jitter > 0 {
			heap.Push(&t.events, happening{time: t.arrives(c, x.Latency, x.Jitter), finish: -1, channel: c,
				n: st.flight[c], flush: -1})
		} else {
			t.arrive(c, st.flight[c])
		}
	}
}

// room returns the number of elements for which the buffer of a channel has room.
func (t *twin) room(c int) int {
	for b := range t.net.Buffers {
		if x := &t.net.Buffers[b]; x.Channels[0] == c && x.Size > 0 {
			return x.Size - t.sent[b] + t.freed[b]
		}
	}
	return math.MaxInt
}

// can reports whether a station can fire, and with which group.
func (t *twin) can(i int) (int, bool) {
	st, spec := &t.stations[i], &t.net.Stations[i]
	if st.busy {
		return 0, false
	}
	if spec.Bulk > 0 {
		n := min(spec.Bulk, t.there[t.inputs(i, 0)[0]])
		if n == 0 || n < spec.Bulk && spec.Flush > 0 && !st.overdue {
			return 0, false
		}
		out := t.outputs(i)[0]
		st.next[out] = n
		return 0, t.room(out) >= n
	}
	groups := 0
	for _, ch := range t.net.Channels {
		if ch.To == i {
			groups = max(groups, slices.Max(ch.groups())+1)
		}
	}
	group, found := 0, groups == 0
	for k := range groups {
		g := (st.group + k) % groups
		full := true
		for _, c := range t.inputs(i, g) {
			full = full && t.there[c] >= max(1, t.net.Channels[c].Consumes)
		}
		if full {
			group, found = g, true
			break
		}
	}
	for _, c := range t.outputs(i) {
		found = found && t.room(c) >= st.next[c]
	}
	return group, found
}

func (t *twin) start(i, group int) {
	st, spec := &t.stations[i], &t.net.Stations[i]
	elapsed, time := 0.0, [1]float64{}
	if st.service != nil {
		st.service.Fill(time[:])
		elapsed = time[0]
	}
	st.busy, st.consumed, st.flight = true, map[int]int{}, st.next
	for _, c := range t.inputs(i, group) {
		n := max(1, t.net.Channels[c].Consumes)
		if spec.Bulk > 0 {
			n = st.next[t.outputs(i)[0]]
			elapsed += spec.PerElement * float64(n)
		}
		st.consumed[c] = n
		t.there[c] -= n
		if spec.Bulk > 0 {
			st.overdue = false
			st.version++
			if t.there[c] > 0 {
				t.patience(i)
			}
		}
	}
	if spec.Scale != nil {
		elapsed *= spec.Scale[group]
	}
	for b := range t.net.Buffers {
		t.sent[b] += st.flight[t.net.Buffers[b].Channels[0]]
	}
	st.group = group + 1
	t.plan(i)
	if spec.Server >= 0 && t.net.Servers[spec.Server].Discipline == Sharing {
		st.left = elapsed
		return
	}
	heap.Push(&t.events, happening{time: t.now + elapsed, finish: i, channel: -1, flush: -1})
}

// startAll starts the next firing of every free server.
func (t *twin) startAll() {
	for i := range t.stations {
		spec := &t.net.Stations[i]
		if spec.Server < 0 || t.net.Servers[spec.Server].Discipline == Sharing {
			if g, ok := t.can(i); ok {
				t.start(i, g)
			}
		}
	}
	for v := range t.net.Servers {
		if t.net.Servers[v].Discipline == Turns {
			t.turn(v)
		}
	}
}

func (t *twin) turn(v int) {
	order := t.net.members(v)
	slices.Reverse(order)
	for _, i := range order {
		if t.stations[i].busy {
			return
		}
	}
	for k := range len(order) + 1 {
		if k == 0 && t.left[v] == 0 {
			continue // the turn is over
		}
		place := (t.at[v] + k + len(order)) % len(order)
		g, ok := t.can(order[place])
		if !ok {
			continue
		}
		if k == 0 {
			t.left[v]--
		} else {
			t.at[v], t.left[v] = place, max(1, t.net.Stations[order[place]].Burst)-1
		}
		t.start(order[place], g)
		return
	}
	t.at[v], t.left[v] = len(order)-1, 0
}

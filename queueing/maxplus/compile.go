package maxplus

import (
	"math"
)

// Simulator is a network made ready: many simulations of it, with other sizes of its buffers,
// allocate little.
type Simulator struct {
	net      Network
	stations []station
	ins      []input  // of all stations, by group
	outs     []output // of all stations
	servers  []server
	channels []channel
	buffers  []buffer
	draws    []float64 // drawBlock of each station
	givers   []int32   // of each buffer: the station that makes room
	clock    clock
	kinds    []entity // what the entities of the clock are
	tables   *ziggurat

	run runState
}

const drawBlock = 64

type station struct {
	server, place  int32 // place is its place in the order of the server
	groups         [][2]int32
	outs           [2]int32
	scale          []float64
	limit, fired   int64
	bulk, moves    int32 // moves is how many elements a bulk firing that is under way moves
	group          int32 // of the firing under way
	nextGroup      int32
	blocked        int32 // the buffer it waits for, -1
	draw           int32 // next in its block
	timer          int32 // entity of the flush timer, -1
	burst          int32
	plans          bool // what it sends differs from firing to firing
	constant       bool
	exclusive      bool
	busy, overdue  bool
	service        Stream
	blockedSince   float64
	work           float64 // s of service of all firings that have begun
	perElement     float64
	flush          float64
	origin, finish float64 // of the firing under way; in the virtual time of a shared server
	emit           *emitter
	// Of the recursion: the next mark, and its time; whether a firing waits for room at all.
	mark         int32
	horizon      float64
	lack         lack // what it waits for
	waitsForRoom bool
	bound        float64 // no departure is still unknown that comes until then
}

type input struct {
	channel, buffer int32 // the buffer that the firing gives room back to, -1
	writer          int32 // who waits for that room
	need            int32
}

type output struct {
	channel, buffer int32 // the buffer that it needs room of, -1
	reader          int32
	n, flight       int32 // elements of the next firing, and of the one under way
	like            int32 // an earlier output of the same port, -1
	whole           int32
	part, from      float64 // the rest of a count that is not whole, and where it begins in [0, 1)
	sum             float64 // of the parts, for counts in turns
	rule            Rule
	pipe            bool
}

type server struct {
	discipline Discipline
	order      []int32
	candidates []uint64 // places whose station may be able to fire
	at, left   int32    // the place that has its turn, and how many firings more it has
	active     int32    // Turns: the station that fires, -1
	touched    bool
	// Sharing: the virtual time, which goes on at 1/n, and when it was reached.
	virtual, since float64
	firing         []int32
	// Of the recursion: whether it has to choose what comes next, and until when it has done so.
	lack    lack    // what it waits for, where it could not choose at its last visit
	until   float64 // and until when that was known not to come
	chooses bool
	over    bool // it has passed the last mark
	time    float64
}

type channel struct {
	tokens int64
	reader int32
	entity int32 // of the pipe, -1
	way    delay // on it
	pipe   ring  // of what is under way
	stamps ring  // of origins
	most   int64 // of the recursion: tokens at which the writer lets the reader go on
}

type buffer struct {
	free, size int64
	held       int64
	max        int64
	blocked    float64
	since      float64 // of held
	area       float64
	histogram  []float64
	// returned is room, and from when on its writer has it: of the recursion all, of events what is on its way.
	returned ring
	back     delay // on its way
	entity   int32 // of that way, -1
	writer   int32
}

// entity is what has events.
type entity struct {
	kind  entityKind
	index int32
}

type entityKind uint8

const (
	serverEntity entityKind = iota
	pipeEntity
	roomEntity
	timerEntity
)

// noEnd is the room of a buffer without end.
const noEnd = math.MaxInt64 / 4

// New checks a network and makes it ready.
func New(n *Network) (*Simulator, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	s := &Simulator{net: *n}
	s.net.Servers = append([]Server(nil), n.Servers...)
	s.compileServers()
	s.compileChannels()
	s.compileStations()
	s.buffers = make([]buffer, len(n.Buffers))
	for b := range n.Buffers {
		s.Resize(b, n.Buffers[b].Size)
		x := &s.buffers[b]
		x.back = newDelay(n.Buffers[b].Return, n.Buffers[b].Jitter)
		x.writer, x.entity = int32(n.Channels[n.Buffers[b].Channels[0]].From), -1
		if !x.back.none() {
			x.entity = s.addEntity(roomEntity, b)
		}
	}
	s.clock = newClock(len(s.kinds))
	s.tables = newZiggurat()
	s.draws = make([]float64, drawBlock*len(s.stations))
	return s, nil
}

// Resize gives a buffer another size for the simulations that follow; 0 for no end.
func (s *Simulator) Resize(buffer, size int) {
	s.buffers[buffer].size = int64(size)
	if size == 0 {
		s.buffers[buffer].size = noEnd
	}
}

func (s *Simulator) addEntity(kind entityKind, index int) int32 {
	s.kinds = append(s.kinds, entity{kind, int32(index)})
	return int32(len(s.kinds) - 1)
}

// compileServers makes the servers, with one for each station that has its own. The first entities
// are the servers.
func (s *Simulator) compileServers() {
	n := &s.net
	s.stations = make([]station, len(n.Stations))
	of := make([][]int32, len(n.Servers))
	for i := len(n.Stations) - 1; i >= 0; i-- {
		if v := n.Stations[i].Server; v >= 0 {
			of[v] = append(of[v], int32(i))
		}
	}
	for v := range n.Servers {
		if order := n.Servers[v].Order; order != nil {
			for i, x := range order {
				of[v][i] = int32(x)
			}
		}
		s.servers = append(s.servers, server{discipline: n.Servers[v].Discipline, order: of[v]})
	}
	for i := range n.Stations {
		st := &s.stations[i]
		st.server = int32(n.Stations[i].Server)
		if st.server < 0 {
			st.server = int32(len(s.servers))
			s.servers = append(s.servers, server{order: []int32{int32(i)}})
		}
	}
	for v := range s.servers {
		sv := &s.servers[v]
		sv.candidates = make([]uint64, (len(sv.order)+63)/64)
		for p, i := range sv.order {
			s.stations[i].place = int32(p)
		}
		sv.firing = make([]int32, 0, len(sv.order))
		s.addEntity(serverEntity, v)
	}
}

func (s *Simulator) compileChannels() {
	s.channels = make([]channel, len(s.net.Channels))
	for c := range s.net.Channels {
		spec, ch := &s.net.Channels[c], &s.channels[c]
		ch.reader, ch.way, ch.entity = int32(spec.To), newDelay(spec.Latency, spec.Jitter), -1
		if !ch.way.none() {
			ch.entity = s.addEntity(pipeEntity, c)
		}
	}
}

// compileStations makes the inputs and outputs of all stations.
func (s *Simulator) compileStations() {
	n := &s.net
	first, last := make([]int32, len(n.Channels)), make([]int32, len(n.Channels))
	for c := range first {
		first[c], last[c] = -1, -1
	}
	writer := make([]int32, len(n.Buffers))
	s.givers = make([]int32, len(n.Buffers))
	for b := range n.Buffers {
		list := n.Buffers[b].Channels
		first[list[0]], last[list[len(list)-1]] = int32(b), int32(b)
		writer[b] = int32(n.Channels[list[0]].From)
		s.givers[b] = int32(n.Channels[list[len(list)-1]].To)
	}
	into, out := make([][]int, len(n.Stations)), make([][]int, len(n.Stations))
	for c := range n.Channels {
		into[n.Channels[c].To] = append(into[n.Channels[c].To], c)
		out[n.Channels[c].From] = append(out[n.Channels[c].From], c)
	}
	for i := range n.Stations {
		spec, st := &n.Stations[i], &s.stations[i]
		st.limit, st.scale, st.exclusive, st.timer = spec.Limit, spec.Scale, spec.Exclusive, -1
		if st.limit == 0 {
			st.limit = math.MaxInt64
		}
		st.burst = int32(max(1, spec.Burst))
		st.bulk, st.perElement, st.flush = int32(spec.Bulk), spec.PerElement, spec.Flush
		if spec.Bulk > 0 && spec.Flush > 0 && !math.IsInf(spec.Flush, 1) {
			st.timer = s.addEntity(timerEntity, i)
		}
		for g := 0; ; g++ {
			from := int32(len(s.ins))
			for _, c := range into[i] {
				if n.Channels[c].in(g) {
					in := input{channel: int32(c), buffer: last[c], need: int32(max(1, n.Channels[c].Takes))}
					if in.buffer >= 0 {
						in.writer = writer[in.buffer]
					}
					s.ins = append(s.ins, in)
				}
			}
			if int(from) == len(s.ins) {
				break
			}
			st.groups = append(st.groups, [2]int32{from, int32(len(s.ins))})
		}
		s.compileOutputs(i, out[i], first)
	}
}

func (s *Simulator) compileOutputs(i int, channels []int, first []int32) {
	n, st := &s.net, &s.stations[i]
	st.outs[0] = int32(len(s.outs))
	ports := make(map[int]int32)
	from := 0.0
	for _, c := range channels {
		spec := &n.Channels[c]
		o := output{channel: int32(c), buffer: first[c], reader: int32(spec.To), rule: spec.Sends.Rule, like: -1,
			pipe: !s.channels[c].way.none()}
		if earlier, ok := ports[spec.Sends.Port]; ok {
			o.like = earlier
		} else {
			ports[spec.Sends.Port] = int32(len(s.outs))
		}
		whole, part := math.Modf(spec.Sends.PerFiring)
		if part > 1-wholeRounding {
			whole, part = whole+1, 0
		} else if part < wholeRounding {
			part = 0
		}
		o.whole, o.part = int32(whole), part
		if part > 0 && o.like < 0 && st.exclusive {
			o.from = from
			from += part
		}
		st.plans = st.plans || part > 0
		st.waitsForRoom = st.waitsForRoom || o.buffer >= 0
		s.outs = append(s.outs, o)
	}
	st.outs[1] = int32(len(s.outs))
}

// wholeRounding forgives the rounding of counts that are products of gains and routing fractions.
const wholeRounding = 1e-9

package maxplus

import (
	"math"
)

// Simulator is a compiled network. Repeated simulations with different buffer sizes allocate little memory.
type Simulator struct {
	net      Network
	stations []station
	ins      []input  // inputs of all stations, by group
	outs     []output // outputs of all stations
	servers  []server
	channels []channel
	buffers  []buffer
	draws    []float64 // drawBlock times for each station
	givers   []int32   // by buffer: the station whose firings return its space
	clock    clock
	kinds    []entity // kind of each entity of the clock
	tables   *ziggurat

	run runState
}

const drawBlock = 64

type station struct {
	server, place  int32 // place is the station's index in the order of its server
	groups         [][2]int32
	outs           [2]int32
	scale          []float64
	fired          int64
	bulk, moves    int32 // moves is the number of elements of the current bulk firing
	group          int32 // group of the current firing
	nextGroup      int32
	blocked        int32 // buffer for whose space the station waits; -1 for none
	draw           int32 // index of the next time in its block
	timer          int32 // entity of the flush timer; -1 for none
	burst          int32
	plans          bool // the number of sent elements differs between firings
	constant       bool
	exclusive      bool
	busy, overdue  bool
	service        Stream
	blockedSince   float64
	work           float64 // service time in s of all started firings
	perElement     float64
	flush          float64
	origin, finish float64 // times of the current firing; finish is virtual time on a shared server
	emit           *emitter
	// The recursion uses the next mark and its time, and whether a firing ever waits for space.
	mark          int32
	horizon       float64
	lack          lack // missing elements or space
	waitsForSpace bool
	bound         float64 // all departures up to this time are known
}

type input struct {
	channel, buffer int32 // buffer in which the firing returns space; -1 for none
	writer          int32 // station that waits for this space
	need            int32
}

type output struct {
	channel, buffer int32 // buffer whose space the firing needs; -1 for none
	reader          int32
	n, flight       int32 // elements of the next firing, and of the current firing
	like            int32 // an earlier output of the same port; -1 for none
	integer         int32
	part, from      float64 // fractional part of a count, and its initial sum in [0, 1)
	sum             float64 // sum of fractional parts, for counts in turns
	rule            Rule
	pipe            bool
}

type server struct {
	discipline Discipline
	order      []int32
	candidates []uint64 // bit set of places whose station may be able to fire
	at, left   int32    // current place, and its remaining firings
	active     int32    // Turns: the station that fires; -1 for none
	touched    bool
	// Sharing uses the virtual time, which advances at the rate 1/n, and the time of its last update.
	virtual, since float64
	firing         []int32
	// The recursion uses whether the server chooses its next firing, and the time up to which it has chosen.
	lack    lack    // missing elements or space if the server could not choose at its last visit
	until   float64 // lower bound on the arrival time of the missing elements
	chooses bool
	passed  bool // the server has passed the last mark
	time    float64
}

type channel struct {
	tokens int64
	reader int32
	entity int32 // entity of the pipe; -1 for none
	way    delay // delay of the pipe
	pipe   ring  // times of elements in transfer
	stamps ring  // ring of origins
	max    int64 // number of tokens at which the writer stops for the reader, in the recursion
}

type buffer struct {
	free, size int64
	held       int64
	max        int64
	blocked    float64
	since      float64 // last change of held
	area       float64
	histogram  []float64
	// returned contains the returned space, and the time at which the writer can use it. The recursion records all
	// returned space, and the event simulation only the space in transfer.
	returned ring
	back     delay // delay of returned space
	entity   int32 // entity of the returned space; -1 for none
	writer   int32
}

// entity is a source of events.
type entity struct {
	kind  entityKind
	index int32
}

type entityKind uint8

const (
	serverEntity entityKind = iota
	pipeEntity
	spaceEntity
	timerEntity
)

// unlimited is the size of an unlimited buffer.
const unlimited = math.MaxInt64 / 4

// New validates a network and compiles it to a Simulator. It returns an error of [Network.Validate].
func New(n *Network) (*Simulator, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	s := &Simulator{net: *n}
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
			x.entity = s.addEntity(spaceEntity, b)
		}
	}
	s.clock = newClock(len(s.kinds))
	s.tables = newZiggurat()
	s.draws = make([]float64, drawBlock*len(s.stations))
	return s, nil
}

// Resize sets the size of a buffer in elements for later simulations; 0 for unlimited.
func (s *Simulator) Resize(buffer, size int) {
	s.buffers[buffer].size = int64(size)
	if size == 0 {
		s.buffers[buffer].size = unlimited
	}
}

func (s *Simulator) addEntity(kind entityKind, index int) int32 {
	s.kinds = append(s.kinds, entity{kind, int32(index)})
	return int32(len(s.kinds) - 1)
}

// compileServers creates the servers, including one for each station with its own server. The servers are the first
// entities.
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

// compileStations creates the inputs and outputs of all stations.
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
		st.scale, st.exclusive, st.timer = spec.Scale, spec.Exclusive, -1
		st.burst = int32(max(1, spec.Burst))
		st.bulk, st.perElement, st.flush = int32(spec.Bulk), spec.PerElement, spec.Flush
		if spec.Bulk > 0 && spec.Flush > 0 && !math.IsInf(spec.Flush, 1) {
			st.timer = s.addEntity(timerEntity, i)
		}
		for g := 0; ; g++ {
			from := int32(len(s.ins))
			for _, c := range into[i] {
				if n.Channels[c].in(g) {
					in := input{channel: int32(c), buffer: last[c], need: int32(max(1, n.Channels[c].Consumes))}
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
		complete, part := math.Modf(spec.Sends.PerFiring)
		if part > 1-integerRounding {
			complete, part = complete+1, 0
		} else if part < integerRounding {
			part = 0
		}
		o.integer, o.part = int32(complete), part
		if part > 0 && o.like < 0 && st.exclusive {
			o.from = from
			from += part
		}
		st.plans = st.plans || part > 0
		st.waitsForSpace = st.waitsForSpace || o.buffer >= 0
		s.outs = append(s.outs, o)
	}
	st.outs[1] = int32(len(s.outs))
}

// integerRounding is the tolerance within which a product of gains and routing fractions counts as an integer.
const integerRounding = 1e-9

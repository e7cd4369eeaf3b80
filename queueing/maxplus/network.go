package maxplus

import "slices"

// Network is the input of a simulation. Servers, stations, channels and buffers refer to each other by index.
type Network struct {
	Servers  []Server
	Stations []Station
	Channels []Channel
	Buffers  []Buffer
}

// Discipline is the rule by which stations share a server.
type Discipline uint8

// The disciplines.
const (
	// Turns: one firing at a time, to its end. The stations take turns in the order of Server.Order, each for at most
	// Burst firings. Stations that cannot fire are skipped. A server that was idle starts again with the first station.
	Turns Discipline = iota
	// Sharing: all firings proceed together, each at 1/n of the speed (processor sharing).
	Sharing
)

// Server is a resource that stations share, such as a core or a link.
type Server struct {
	Name       string
	Discipline Discipline
	// Order is the order of the turns; nil for that of the stations in reverse. If the stations are listed in stream
	// order, those nearest the end then go first.
	Order []int
}

// Station consumes elements from channels and sends elements over channels, in firings.
type Station struct {
	Name   string
	Server int // -1 for a server of its own
	// Service is the service time of a firing in s; nil for no time.
	Service Service
	// Scale multiplies the service of a firing, by its group; nil for 1.
	Scale []float64
	// Burst is the maximum number of firings in a turn on a shared server; 0 for 1.
	Burst int
	// Exclusive reports that a firing sends on only one of the station's ports (a split). The ports then send less than
	// one element in a firing on average.
	Exclusive bool
	// Limit is the number of firings after which the station ends; 0 for never.
	Limit int64

	// Bulk, if above 0, makes the station a mover of elements from its only input to its only output. A firing moves
	// all available elements, at most Bulk, and takes PerElement s for each in addition to Service. A firing with fewer
	// than Bulk elements waits for Flush s after the arrival of the first of them: 0 does not wait, +Inf waits for all.
	// When all other stations have ended, the remaining elements are moved.
	Bulk       int
	PerElement float64
	Flush      float64
}

// Rule is the rule for the number of elements that firings send.
type Rule uint8

// The rules.
const (
	Exact   Rule = iota // always the same integer
	InTurns             // on average, as evenly as integers allow
	Drawn               // on average, random: the integer part, plus one with the probability of the fraction
)

// Emission is the output of a firing on a channel.
type Emission struct {
	PerFiring float64 // elements
	Rule      Rule
	// Port: channels of one station with the same port carry the same elements (a broadcast).
	Port int
}

// Channel carries elements from one station to another, in order.
type Channel struct {
	Name     string
	From, To int // stations
	Sends    Emission
	Consumes int // elements that a firing of To takes; 0 for 1
	// Group is the channel's group: a firing consumes from all channels of one group together. A station with several
	// groups serves them in turns, as their elements become available. Also lists the other groups that contain the
	// channel.
	Group   int
	Also    []int
	Initial int     // elements at the start
	Latency float64 // s from the end of the firing that sends an element until it is there
	// Jitter is the maximum additional latency in s. It is drawn uniformly from 0 to Jitter for each firing, but
	// nothing arrives before anything sent earlier.
	Jitter float64
}

// groups returns the groups that contain the channel.
func (c *Channel) groups() []int { return append([]int{c.Group}, c.Also...) }

// in reports whether a group contains the channel.
func (c *Channel) in(group int) bool { return c.Group == group || slices.Contains(c.Also, group) }

// Buffer is memory for the elements on one channel, or on several in series. The writer of the first channel waits for
// room, and the reader of the last makes room. Channels without a buffer are unbounded.
type Buffer struct {
	Name     string
	Channels []int
	Size     int // elements, including those of a running firing; 0 for unbounded
	// Return is the time in s from the end of the firing that makes room until its writer can use the room. It is above
	// 0 if the room is reported over a network.
	Return float64
	Jitter float64 // maximum additional time, drawn as for channels, s
}

// Options are the length and the outputs of a simulation.
type Options struct {
	Events int64  // firings in all; 0 for DefaultEvents
	Warmup int64  // firings at the start that statistics leave out; 0 for a tenth of Events
	Seed   uint64 // of all draws
	// Occupancy requests the maximum, mean and histogram of buffers. Latency requests times from source to sink.
	Occupancy, Latency bool
	// Departure, if not nil, is called at the end of every firing.
	Departure func(station int, time float64)
}

// DefaultEvents determines the throughput to about one percent for a network of 20 stations.
const DefaultEvents = 200_000

// Result is the result of a simulation.
type Result struct {
	Events  int64
	Time    float64 // s that were simulated, warm-up included
	Firings []int64 // of each station, warm-up included
	// Marks are the counts at the end of the warm-up and then after equal numbers of events; see [Result.Rate].
	Marks   []Mark
	Buffers []BufferResult
	Latency *LatencyResult // nil if it was not requested, or nothing has reached a sink
	// Deadlock is the state in which no station could fire. It is nil if the simulation reached its end, or all
	// stations with a Limit have reached it.
	Deadlock *Deadlock
}

// Mark is the number of firings and the service time of each station until a time.
type Mark struct {
	Time    float64
	Firings []int64
	Work    []float64 // s of service
}

// BufferResult is the result for a buffer.
type BufferResult struct {
	Max     int     // maximum number of elements in it, if Occupancy was requested
	Blocked float64 // s that a station with all its inputs waited only for room here
	// Mean and Histogram are over time and without the warm-up. Histogram[n] is the fraction of time with n elements,
	// and the last bin includes all larger numbers. They are nil if Occupancy was not requested.
	Mean      float64
	Histogram []float64
}

// LatencyResult is the latency of elements: from the end of the source's firing that sends them to the end of the
// sink's firing that consumes them. A firing has the origin of the oldest element that it consumes from a channel, and
// of several channels the newest.
type LatencyResult struct {
	Mean           float64 // s
	P50, P99, P999 float64 // s; to 3 %
	Max            float64
	// Steady reports whether both halves of the run had about the same latency. Otherwise it still grows, for example
	// while large buffers fill.
	Steady bool
}

// Deadlock is a state in which no station can fire.
type Deadlock struct {
	// Cycle contains the stations that wait for each other: each for the next, the last for the first.
	Cycle []Wait
}

// Wait is a waiting station.
type Wait struct {
	Station int
	Full    bool // waits for room in Buffer, not for elements on Channel
	Channel int
	Buffer  int // -1 where the channel has none
	Has     int // elements there, or room
	Needs   int
}

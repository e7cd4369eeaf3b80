package maxplus

import "slices"

// Network is what is simulated. Servers, stations, channels and buffers refer to each other by
// their indices.
type Network struct {
	Servers  []Server
	Stations []Station
	Channels []Channel
	Buffers  []Buffer
}

// Discipline says how the stations of one server share it.
type Discipline uint8

// The disciplines.
const (
	// Turns: one firing at a time, to its end; the stations take turns in the order of
	// Server.Order, each for as many firings as its Burst says. Who has nothing to do is passed over. A server that
	// was idle begins with the first again.
	Turns Discipline = iota
	// Sharing: all firings go on together, each at 1/n of the speed (processor sharing).
	Sharing
)

// Server is what stations share, such as a core or a link.
type Server struct {
	Name       string
	Discipline Discipline
	// Order is the order of the turns; nil for that of the stations, the last one first: where
	// stations come in the order of the stream, those nearest its end go first.
	Order []int
}

// Station takes elements from channels and sends elements over channels, in firings.
type Station struct {
	Name   string
	Server int // -1 for a server of its own
	// Service is how long a firing takes, in s; nil for no time.
	Service Service
	// Scale multiplies the service of a firing by the group that it takes; nil for 1.
	Scale []float64
	// Burst is how many firings a turn on a shared server has at the most; 0 for 1.
	Burst int
	// Exclusive says of a station with several ports that send less than one element a firing that
	// one firing sends on one of them (a split).
	Exclusive bool
	// Limit is after how many firings the station ends; 0 for never.
	Limit int64

	// Bulk, where above 0, makes the station one that moves elements from its only input to its only
	// output as they are, as many as are there and at most Bulk in a firing, which takes PerElement
	// s for each on top of Service. A firing with fewer than Bulk elements waits for Flush s after
	// the first of them has come: 0 does not wait, +Inf waits for all of them. What is left when
	// everything else has ended goes, too.
	Bulk       int
	PerElement float64
	Flush      float64
}

// Rule says how many elements the firings of a station send.
type Rule uint8

// The rules.
const (
	Exact   Rule = iota // always the same whole number
	InTurns             // on average, as evenly as whole numbers allow
	Drawn               // on average, drawn: the whole part, and one more with the probability of the rest
)

// Emission is what a firing sends over a channel.
type Emission struct {
	PerFiring float64 // elements
	Rule      Rule
	// Port: channels of one station with the same port carry the same elements (a broadcast).
	Port int
}

// Channel leads elements from one station to another, in order.
type Channel struct {
	Name     string
	From, To int // stations
	Sends    Emission
	Takes    int // elements that a firing of To takes; 0 for 1
	// Group: a firing takes from all channels of one group together. A station with several groups
	// serves them in turns, as they have what they need. Also lists the other groups that contain the channel.
	Group   int
	Also    []int
	Initial int     // elements at the start
	Latency float64 // s from the end of the firing that sends an element until it is there
	// Jitter is how much longer that may take, in s: what a firing sends takes a time of its own that is drawn
	// evenly from 0 to Jitter, and is never there before what was sent earlier.
	Jitter float64
}

// groups returns the groups that contain the channel.
func (c *Channel) groups() []int { return append([]int{c.Group}, c.Also...) }

// in reports whether a group contains the channel.
func (c *Channel) in(group int) bool { return c.Group == group || slices.Contains(c.Also, group) }

// Buffer is memory for the elements on one channel, or on several in series: who sends over the
// first waits for room, who takes from the last makes room. Channels without a buffer have no end.
type Buffer struct {
	Name     string
	Channels []int
	Size     int // elements, with those that a firing has taken and not ended with; 0 for no end
	// Return is how long after the end of the firing that makes room its writer has it, in s: where that has to be
	// told over a network.
	Return float64
	Jitter float64 // how much longer that may take, drawn in the same way, s
}

// Options say how long a simulation is and what it records.
type Options struct {
	Events int64  // firings in all; 0 for DefaultEvents
	Warmup int64  // firings at the start that statistics leave out; 0 for a tenth of Events
	Seed   uint64 // of all draws
	// Occupancy asks for the most, the mean and the histogram of buffers, Latency for times from source to sink.
	Occupancy, Latency bool
	// Departure, where it is not nil, is told of the end of every firing.
	Departure func(station int, time float64)
}

// DefaultEvents gives a throughput to about one percent for a network of 20 stations.
const DefaultEvents = 200_000

// Result is what a simulation found.
type Result struct {
	Events  int64
	Time    float64 // s that were simulated, warm-up included
	Firings []int64 // of each station, warm-up included
	// Marks are the state of the count at the end of the warm-up and after each of equally many
	// events from there; see [Result.Rate].
	Marks   []Mark
	Buffers []BufferResult
	Latency *LatencyResult // nil where it was not asked for, or nothing has reached a sink
	// Deadlock says why nothing could fire any more; nil where the simulation reached its end, or
	// all stations with a Limit have reached it.
	Deadlock *Deadlock
}

// Mark is how often each station had fired until a time, and how long it had worked.
type Mark struct {
	Time    float64
	Firings []int64
	Work    []float64 // s of service
}

// BufferResult is what was seen at a buffer.
type BufferResult struct {
	Max     int     // most elements in it, where Occupancy was asked for
	Blocked float64 // s that a station waited with all that it takes, for room here alone
	// Mean and Histogram are over time and without the warm-up; Histogram[n] is the fraction of
	// time with n elements, the last bin that with more. Nil where they were not asked for.
	Mean      float64
	Histogram []float64
}

// LatencyResult is the time of elements from the end of the firing of a source that sent them to
// the end of that of a sink that takes them. A firing has the origin of the oldest element that it
// takes from a channel, and of several channels the newest.
type LatencyResult struct {
	Count          int64
	Mean           float64 // s
	P50, P99, P999 float64 // s; to 3 %
	Max            float64
	// Steady tells that both halves of the run had about the same latency; else it still grows, such as
	// while large buffers fill.
	Steady bool
}

// Deadlock is a state in which no station can fire.
type Deadlock struct {
	Time float64
	// Cycle are the stations that wait for each other, each for the next, the last for the first.
	Cycle []Wait
}

// Wait is a station that waits.
type Wait struct {
	Station int
	Full    bool // it waits for room in Buffer; else for elements on Channel
	Channel int
	Buffer  int // -1 where the channel has none
	Has     int // elements there, or room
	Needs   int
}

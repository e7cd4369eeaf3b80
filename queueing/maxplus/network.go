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

// These are the disciplines of a server.
const (
	// Turns executes one firing at a time, to its end. The stations take turns in reverse order of their indices, each
	// for at most Burst firings. If the stations are listed in stream order, the station nearest the end is the first.
	// The server skips stations that cannot fire. After an idle time, it starts with the first station.
	Turns Discipline = iota
	// Sharing executes all n firings together, each at 1/n of the speed (processor sharing).
	Sharing
)

// Server is a resource that stations share, such as a core or a link.
type Server struct{ Discipline Discipline }

// Station consumes elements from channels and sends elements over channels, in firings.
type Station struct {
	Name   string
	Server int // index of the server; -1 for its own server
	// Service is the distribution of a firing's service time in s; nil for no time.
	Service Service
	// Scale is the factor on the service time of a firing, by the group from which the firing consumes; nil for 1.
	Scale []float64
	// Burst is the maximum number of firings in a turn on a shared server; 0 for 1.
	Burst int
	// Exclusive is true if a firing sends on only one of the station's ports (a split). Each port then sends, on
	// average, less than one element per firing.
	Exclusive bool

	// Bulk is the maximum number of elements that a firing moves from the station's only input to its only output; 0
	// for a station that does not move elements. A firing moves all available elements up to Bulk. It needs PerElement
	// seconds for each element, in addition to Service. A firing with fewer than Bulk elements starts Flush seconds
	// after the arrival of the first element. A Flush of 0 means no wait, and +Inf means a wait for a full bulk.
	Bulk       int
	PerElement float64
	Flush      float64
}

// Rule is the rule for the number of elements that firings send.
type Rule uint8

// These are the rules for the number of elements.
const (
	Exact   Rule = iota // always the same integer
	InTurns             // integers with the given mean, spread as evenly as possible
	Drawn               // random with the given mean: the integer part, plus one with the probability of the fraction
)

// Emission is the output of a firing on a channel.
type Emission struct {
	PerFiring float64 // mean number of elements
	Rule      Rule
	// Port identifies a port. Channels of one station with the same port carry the same elements (a broadcast).
	Port int
}

// Channel carries elements from one station to another, in order.
type Channel struct {
	Name     string
	From, To int // indices of the stations
	Sends    Emission
	Consumes int // elements that a firing of To consumes; 0 for 1
	// Group is the channel's group: a firing consumes from all channels of one group together. A station with several
	// groups serves them in turns, as their elements become available. Also lists the other groups that contain the
	// channel.
	Group   int
	Also    []int
	Initial int     // initial elements
	Latency float64 // s from the end of the firing that sends an element to the element's arrival
	// Jitter is the maximum additional latency in s. The additional latency is uniform from 0 to Jitter for each
	// firing, but elements stay in order.
	Jitter float64
}

// groups returns the groups that contain the channel.
func (c *Channel) groups() []int { return append([]int{c.Group}, c.Also...) }

// in reports whether a group contains the channel.
func (c *Channel) in(group int) bool { return c.Group == group || slices.Contains(c.Also, group) }

// Buffer is memory for the elements on one channel, or on several channels in series. The writer of the first channel
// waits for space, and the reader of the last channel returns it. Channels without a buffer are unlimited.
type Buffer struct {
	Name     string
	Channels []int
	Size     int // elements, including the elements of a running firing; 0 for unlimited
	// Return is the time in s from the end of the firing that returns space until the writer can use this space. Return
	// is above 0 if a network transfers the acknowledgement.
	Return float64
	Jitter float64 // maximum additional time in s, distributed as for channels
}

// Options are the length and the outputs of a simulation.
type Options struct {
	Events int64  // total number of firings; 0 for DefaultEvents
	Warmup int64  // firings at the start that statistics exclude; 0 for a tenth of Events
	Seed   uint64 // seed of all draws
	// Occupancy requests the maximum, mean and histogram of buffers. Latency requests times from source to sink.
	Occupancy, Latency bool
	// Departure is a function that the simulation calls at the end of every firing; nil for none.
	Departure func(station int, time float64)
}

// DefaultEvents is sufficient for an error of about one percent in the throughput of a network of 20 stations.
const DefaultEvents = 200_000

// Result is the result of a simulation.
type Result struct {
	Events  int64
	Time    float64 // simulated time in s, including the warm-up
	Firings []int64 // number of firings of each station, including the warm-up
	// Marks contains the counts at the end of the warm-up, and then after equal numbers of events; see [Result.Rate].
	Marks   []Mark
	Buffers []BufferResult
	Latency *LatencyResult // nil if not requested, or if nothing has reached a sink
	// Deadlock is the state in which no station could fire; nil if the simulation reached its end.
	Deadlock *Deadlock
}

// Mark contains the number of firings and the total service time of each station up to a time.
type Mark struct {
	Time    float64
	Firings []int64
	Work    []float64 // service time, s
}

// BufferResult contains the results for a buffer.
type BufferResult struct {
	Max     int     // maximum number of elements, if Occupancy was requested
	Blocked float64 // time in s in which a station with all its inputs waited only for space in this buffer
	// Mean and Histogram describe the number of elements over time, without the warm-up. Histogram[n] is the fraction
	// of time with n elements; the last bin includes all larger numbers. Without Occupancy, Histogram is nil.
	Mean      float64
	Histogram []float64
}

// LatencyResult describes the latency of elements, from the end of the source's firing that sends an element to the end
// of the sink's firing that consumes the element. The origin of a firing is the origin of the oldest element that it
// consumes from a channel. With several channels, the origin is the newest of these origins.
type LatencyResult struct {
	Mean           float64 // mean latency, s
	P50, P99, P999 float64 // quantiles of the latency in s, with an error of at most 3 %
	Max            float64
	// Steady reports whether both halves of the run had approximately the same latency. If not, the latency still
	// grows, for example while large buffers fill.
	Steady bool
}

// Deadlock is a state in which no station can fire.
type Deadlock struct {
	// Cycle contains the stations that wait for each other. Each station waits for the next station, and the last
	// station waits for the first station.
	Cycle []Wait
}

// Wait is a waiting station.
type Wait struct {
	Station int
	Full    bool // the station waits for space in Buffer, not for elements on Channel
	Channel int
	Buffer  int // -1 if the channel has none
	Has     int // available elements or space
	Needs   int
}

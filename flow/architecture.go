package flow

import (
	"math"
	"slices"

	"xopt/queueing/times"
)

// Architecture is the machine: computational resources connected by links.
type Architecture struct {
	Name      string
	Resources []Resource
	Links     []Link
}

// Resource is a computational resource (CR): a processor core or an FPGA.
type Resource struct {
	Name     string // "proc[1]", "fpga"
	Platform string // most derived platform, "C_Pentium4"
	Class    string // resources of equal class are interchangeable, except for their links
	Sharing  Sharing

	// Area is the area that an area-shared resource offers to kernels, already multiplied by the usable fraction. An
	// element is +Inf for a kind of area without a limit.
	Area       Area
	AreaOrigin Origin

	// Host is the machine to which a core belongs, or "" if the X files name none. Data between two cores of a machine
	// use the links inside this machine, if such links exist ([NewRoutes]).
	Host string

	// Memory names a memory or cache. Cores with the same Memory share it, and their kernels slow each other down
	// ([Contention]). Memory is "" for a core that shares no memory.
	Memory string

	// Power is the power draw of the working resource in W. Idle is the draw in W while its kernels wait. Price is the
	// cost in $/h while the resource has kernels. A value that is not stated is 0.
	Power, Idle, Price float64
}

// Link is an interconnect resource (IR): a bus, switch or memory that connects resources.
type Link struct {
	Name      string
	Type      string // most derived linktype
	Endpoints []int  // indices into Architecture.Resources
	// From and To are the sources and destinations among Endpoints, for one direction of a full-duplex link. Both are
	// nil for a half-duplex link, which connects all its Endpoints in both directions.
	From, To []int
	// Nearest marks a link that may be nested in a larger Nearest link. If several Nearest links connect two resources,
	// only the links with the fewest Endpoints form routes.
	Nearest bool
	// Into contains the links, as indices into Architecture.Links, that follow this link directly, without a resource
	// in between. The ports of a switch are such links.
	Into []int
	// Declared is the declared name of a link that is split into directions; "" if it equals Name.
	Declared  string
	Bandwidth float64 // in bytes/s
	Low, High float64 // 95 % confidence interval of Bandwidth; 0 if unknown
	// Latency is the delay in seconds from the end of a transfer to the arrival of its data. The link carries other
	// transfers during this delay.
	Latency float64
	// Jitter is the maximum additional delay in seconds. The delay of each transfer is uniform from 0 to Jitter, but
	// transfers of an edge arrive in order.
	Jitter float64
	// Return is the delay in seconds from the release of an element to its acknowledgement at the writer's host. Return
	// is 0 within a host. Between hosts, the acknowledgement crosses the network.
	Return float64
	// ReturnJitter is the maximum additional delay of an acknowledgement in seconds, distributed like Jitter.
	ReturnJitter float64
	// Sends and Receives are the work of the cores at the ends of a route to send and receive the data on the link.
	// This work adds to the load of the cores.
	Sends, Receives Work
	// Flush is the timeout in seconds after which the link transfers a bulk (Sharing.TransferBytes) although it is not
	// full. The timeout starts at the arrival of the first element. If Flush is 0, the link transfers an incomplete
	// bulk only at the end of the stream.
	Flush    float64
	Unusable bool // Low and High are assumed, because the measured interval is too wide or includes 0
	Origin   Origin
	Note     string
	Sharing  Sharing
}

// Late returns the mean delay in seconds from the end of a transfer to the arrival of its data on an idle link. On a
// busy link, the mean may be larger, because the transfers of an edge arrive in order.
func (l *Link) Late() float64 { return l.Latency + l.Jitter/2 }

// Latest returns the maximum delay in seconds from the end of a transfer to the arrival of its data.
func (l *Link) Latest() float64 { return l.Latency + l.Jitter }

// AcknowledgementDelay returns the maximum delay in seconds from the release of an element to its acknowledgement at
// the writer's host.
func (l *Link) AcknowledgementDelay() float64 { return l.Return + l.ReturnJitter }

// JoinsHosts reports whether the link connects cores of several hosts.
func (a *Architecture) JoinsHosts(link int) bool {
	first := ""
	for _, r := range a.Links[link].Endpoints {
		switch host := a.Resources[r].Host; {
		case host == "" || host == first:
		case first == "":
			first = host
		default:
			return true
		}
	}
	return false
}

// AckParts is the number of parts into which acknowledgements divide a buffer with a writer on another host. The
// reader's host acknowledges each part after its release, so the writer can always use all parts except one.
const AckParts = 8

// Usable returns the number of elements of a buffer that a writer on another host can always use, at least one. The
// other elements may be free but not yet acknowledged.
func Usable(elements float64) float64 {
	return math.Min(elements, math.Max(1, math.Floor(elements*(AckParts-1)/AckParts)))
}

// Until returns the maximum delay in seconds from the transfer of an element over a route to the acknowledgement of the
// element at its writer. The delay is 0 if no link of the route connects hosts.
func (a *Architecture) Until(route []int) float64 {
	seconds, reported := 0.0, false
	for _, l := range route {
		link := &a.Links[l]
		seconds += link.Latest() + link.AcknowledgementDelay()
		reported = reported || link.AcknowledgementDelay() > 0
	}
	if !reported {
		return 0
	}
	return seconds
}

// DeclaredName returns the name of the link in its declaration.
func (l *Link) DeclaredName() string {
	if l.Declared != "" {
		return l.Declared
	}
	return l.Name
}

// accepts reports whether the link accepts data from a resource. brings reports whether the link delivers data to a
// resource.
func (l *Link) accepts(r int) bool { return slices.Contains(orAll(l.From, l.Endpoints), r) }
func (l *Link) brings(r int) bool  { return slices.Contains(orAll(l.To, l.Endpoints), r) }

func orAll(some, all []int) []int {
	if some == nil {
		return all
	}
	return some
}

// Area contains the area of an FPGA or a kernel, by kind.
type Area [NumAreaKinds]float64

// These are the kinds of area.
const (
	LUT = iota
	FF
	BRAM
	DSP
	NumAreaKinds
)

// AreaKind returns the name of an area kind in the X language.
func AreaKind(kind int) string { return [NumAreaKinds]string{"lut", "ff", "bram", "dsp"}[kind] }

// Figures contains the figures of a kernel on one resource.
type Figures struct {
	Available bool // whether an implementation exists for the resource

	// ServiceRate is μ: the bytes/s that a kernel consumes when it runs alone and never waits. For a source, it is the
	// bytes/s that the source produces. +Inf means that the kernel never limits the throughput.
	ServiceRate float64
	// Factors lists the factors applied to the measured or stated rate, in order of application.
	Factors []Factor
	// MaxClock is the kernel's f_max in Hz, for AreaOnly. ServiceRate is the rate at this clock. The clock of the
	// resource is the lowest f_max of its kernels, and the rate scales with the clock. MaxClock is 0 if the rate does
	// not depend on the clock.
	MaxClock float64
	// Low and High are the ends of the 95 % confidence interval of ServiceRate, in bytes/s; 0 if unknown.
	Low, High float64
	// Unusable reports whether Low and High are assumed because the measured interval is too wide or includes 0.
	Unusable bool
	// ServiceSCV is the squared coefficient of variation of the service time; negative if unknown.
	ServiceSCV float64
	// Times contains the measured service times in s of single firings, with the kernel alone on its core. For a
	// source, Times contains the times between consecutive sends. Times is nil without a measurement.
	Times *Times
	// CoLocationCost is the additional time in s/byte when other kernels use the same core, because these kernels evict
	// its data from caches and branch predictors. It is 0 if unknown.
	CoLocationCost float64
	// SwitchCost is the time that the process spends between turns on a core with other kernels, in s per byte of this
	// kernel's input. A known SwitchCost replaces [Sharing.SwitchCost], which is a cost per firing. A turn consists of
	// all firings of a batch.
	SwitchCost float64
	// SwitchKnown reports whether SwitchCost was measured. A measured cost may be 0. A cost above 0 is always known.
	SwitchKnown bool
	// ReceiveCost and SendCost are the additional costs in s/byte on a core for data from and to other resources. Such
	// data move between the caches of two cores. Both costs are 0 if unknown.
	ReceiveCost, SendCost float64
	// CoLocationInterval and the following fields are the 95 % confidence intervals of the four costs.
	CoLocationInterval, SwitchInterval, ReceiveInterval, SendInterval Interval
	// CostsAssumed lists the costs whose measured interval was too wide, so that one of its ends is assumed.
	CostsAssumed []Part
	// Contention describes how the kernel and kernels on other cores of the same memory slow each other down.
	// Contention is nil if there is no contention, or if the contention is unknown.
	Contention *Contention
	// ContentionEnds contains the contention at each [Bound] of its 95 % confidence intervals; nil if unknown.
	ContentionEnds [NumEnds]*Contention
	Area           Area

	Origin Origin
	Note   string // source of the figures, in words
}

// Factor is a factor that is applied to a service rate.
type Factor struct {
	// Name is "drift", "clock", "instances", "crossing", "copies", "width", "machine state" or "clock of the FPGA".
	Name  string
	Times float64
}

// OwnSwitchCost reports whether the switch cost of kernel k replaces the switch cost of resource r. This is the case if
// the kernel's cost is known and the kernels of the resource run in turns.
func (p *Problem) OwnSwitchCost(k, r int) bool {
	f := &p.Figures[k][r]
	return p.Architecture.Resources[r].Sharing.Rule != AreaOnly && (f.SwitchKnown || f.SwitchCost > 0)
}

// Problem is the common input of all mappings of one application to one architecture.
type Problem struct {
	Application  Application
	Architecture Architecture
	// Figures contains the figures of each kernel on each resource, indexed [kernel][resource].
	Figures [][]Figures
	// MaxUtilization is φ, the upper limit of every utilization (Beard 2013, Eq. 6), in (0, 1]. 0 means
	// DefaultMaxUtilization.
	MaxUtilization float64
	// JoinTolerance is the relative imbalance of a join's inputs that is attributed to measurement errors; 0 permits
	// only rounding errors.
	JoinTolerance float64
}

// DefaultMaxUtilization is the φ of Beard 2013 §3.1.
const DefaultMaxUtilization = 0.99998

// Mapping assigns a resource to each kernel, and a route of links to each edge.
type Mapping struct {
	// Place is the resource of each kernel.
	Place []int
	// Route contains the links that each edge crosses, in order. It is empty for an edge that stays inside one
	// resource. A nil entry for an edge that crosses resources means its default route: the first of [Routes.Between]
	// for its two resources.
	Route [][]int
}

// Resource returns the resource of a kernel.
func (m *Mapping) Resource(kernel int) int { return m.Place[kernel] }

// Times is the measured distribution of service times, in s.
type Times = times.Distribution

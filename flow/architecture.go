package flow

import (
	"math"
	"slices"

	"xopt/queueing/times"
)

// Architecture is the machine: computational resources joined by links.
type Architecture struct {
	Name      string
	Resources []Resource
	Links     []Link
}

// Resource is a computational resource (CR): a processor core or an FPGA.
type Resource struct {
	Name     string // "proc[1]", "fpga"
	Platform string // most derived platform, "C_Pentium4"
	Class    string // resources of equal class are interchangeable but for links
	Sharing  Sharing

	// Area is what an area-shared resource offers to kernels, after the usable
	// fraction has been applied; +Inf where a kind is not limited.
	Area       Area
	AreaOrigin Origin

	// Host is the machine that a core belongs to, "" where none is named. Between two cores of one, data take links
	// of that machine where there are any ([NewRoutes]).
	Host string

	// Memory names what cores share with those of the same name, so that kernels on them slow each
	// other down ([Contention]): a memory, or a cache; "" for nothing.
	Memory string

	// Power is what the resource draws while it works, and Idle what it draws while it
	// holds kernels and waits, in W; Price is what it costs while it holds kernels, in
	// $/h. 0 when not stated.
	Power, Idle, Price float64
}

// Link is an interconnect resource (IR): a bus, switch or memory that joins
// resources.
type Link struct {
	Name      string
	Type      string // most derived linktype
	Endpoints []int  // indices into Architecture.Resources
	// From and To are, for one direction of a full-duplex link, those of the Endpoints that
	// it takes data from and brings it to; nil for all, which a half-duplex link does.
	From, To []int
	// Nearest tells that the link may be inside another: of those that join two resources, only the ones with the
	// fewest Endpoints are routes between them.
	Nearest bool
	// Into are links that take on what this one brings although no resource is between them, as the ports of a
	// switch do: what goes out of one goes into another. Indices into Architecture.Links.
	Into []int
	// Declared is the name of the link that this is one direction of; "" for Name.
	Declared  string
	Bandwidth float64
	Low, High float64 // 95 % confidence interval of Bandwidth; 0 when not known
	// Latency is how much later than the end of its transfer data arrive, in s. It is
	// pipelined: the link carries others meanwhile.
	Latency float64
	// Jitter is how much later than that they may arrive, in s: each transfer by a time of its own that is uniform
	// from 0 to Jitter, but never before an earlier one of the same edge.
	Jitter float64
	// Return is how long after the release of an element its writer's host knows of it, in s: between hosts it has to
	// be told over the network.
	Return float64
	// ReturnJitter is how much longer that may take, as Jitter says, in s.
	ReturnJitter float64
	// Sends and Receives are what the cores at the ends of a route do, beside their kernels, for what crosses the link.
	Sends, Receives Work
	// Flush is how long the first element of a bulk (Sharing.TransferBytes) waits for the bulk
	// to be full, in s: then those that are there go. 0 waits without end, but for the end of
	// the stream.
	Flush    float64
	Unusable bool // the measured interval, which reaches to 0 or too far: Low and High are assumed
	Origin   Origin
	Note     string
	Sharing  Sharing
}

// Late is how long after the end of its transfer data arrive in the mean, in s, where no others are under way: those
// that are sent soon after others wait for them, too.
func (l *Link) Late() float64 { return l.Latency + l.Jitter/2 }

// Latest is how long after the end of its transfer data arrive at the latest, in s.
func (l *Link) Latest() float64 { return l.Latency + l.Jitter }

// Told is how long after the release of an element its writer's host knows of it at the latest, in s.
func (l *Link) Told() float64 { return l.Return + l.ReturnJitter }

// JoinsHosts reports whether the link joins cores of several hosts.
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

// ToldParts is in how many parts of the buffer a writer on another host is told of what was released: so many less
// one of them are what it can always use.
const ToldParts = 8

// Usable is how many elements of a buffer of so many a writer on another host can always use: those that it may not
// have been told of yet are left out. It is one at the least.
func Usable(elements float64) float64 {
	return math.Min(elements, math.Max(1, math.Floor(elements*(ToldParts-1)/ToldParts)))
}

// Until is how long after it was sent the room of an element is known of again at its writer at the latest, in s, over
// the links of a route; 0 where none of them joins hosts.
func (a *Architecture) Until(route []int) float64 {
	seconds, told := 0.0, false
	for _, l := range route {
		link := &a.Links[l]
		seconds += link.Latest() + link.Told()
		told = told || link.Told() > 0
	}
	if !told {
		return 0
	}
	return seconds
}

// DeclaredName is what the link is called where it is declared.
func (l *Link) DeclaredName() string {
	if l.Declared != "" {
		return l.Declared
	}
	return l.Name
}

// takes reports whether the link takes data from a resource, brings whether it brings it there.
func (l *Link) takes(r int) bool  { return slices.Contains(orAll(l.From, l.Endpoints), r) }
func (l *Link) brings(r int) bool { return slices.Contains(orAll(l.To, l.Endpoints), r) }

func orAll(some, all []int) []int {
	if some == nil {
		return all
	}
	return some
}

// Area is a vector of what an FPGA has or a kernel needs, by kind.
type Area [NumAreaKinds]float64

// The kinds of area.
const (
	LUT = iota
	FF
	BRAM
	DSP
	NumAreaKinds
)

// AreaKind returns the name of an area kind as the X language spells it.
func AreaKind(kind int) string { return [NumAreaKinds]string{"lut", "ff", "bram", "dsp"}[kind] }

// Figures are what is known of a kernel on one resource.
type Figures struct {
	Available bool // whether an implementation exists for the resource

	// ServiceRate is μ: bytes/s that the kernel ingests alone, never starved,
	// never blocked; for a source, bytes/s emitted. +Inf means that it is
	// never the limit.
	ServiceRate float64
	// Factors are what the measured or stated rate was multiplied by, in order.
	Factors []Factor
	// MaxClock is, for AreaOnly, the f_max of the kernel in Hz, at which ServiceRate holds:
	// the resource is clocked with the least of those placed there, and each is slower by
	// as much. 0 where its rate does not follow the clock of the others.
	MaxClock float64
	// Low and High are the 95 % confidence interval of ServiceRate, in bytes/s; 0 when not
	// known.
	Low, High float64
	// Unusable tells that the measured interval reaches to 0 or too far to be of use, so that
	// Low and High are assumed.
	Unusable bool
	// ServiceSCV is the squared coefficient of variation of the service time;
	// negative when it is not known.
	ServiceSCV float64
	// Times are the measured service times of single firings, of a source the times from send to
	// send, in s, alone on the core; nil where they were not measured.
	Times *Times
	// CoLocationCost is, on a core, how much longer each byte takes, in s/byte, when other
	// kernels use the core too: they leave caches and branch predictors to themselves. 0
	// when not known.
	CoLocationCost float64
	// SwitchCost is, on a core, what the process spends between the turns of kernels, in s for each byte that this one
	// takes, when other kernels use the core too. Where it is known it counts in place of the core's
	// [Sharing.SwitchCost] for each firing: a turn takes many firings, as many as fit into a batch.
	SwitchCost float64
	// SwitchKnown reports that SwitchCost was measured even if it is 0; a cost above 0 is always known.
	SwitchKnown bool
	// ReceiveCost and SendCost are, on a core, what each byte adds that the kernel takes from,
	// or sends over, an edge that leads to another resource, in s/byte: it has to come from,
	// or go to, another core's cache. 0 when not known.
	ReceiveCost, SendCost float64
	// The intervals of these costs.
	CoLocationInterval, SwitchInterval, ReceiveInterval, SendInterval Interval
	// CostAssumed tells that one of them reaches too far to be of use, so that a nearer end is assumed.
	CostAssumed bool
	// Contention is, on a core, how the kernel and kernels on other cores of the same memory slow
	// each other down; nil where they do not, or when that is not known.
	Contention *Contention
	// ContentionEnds is Contention at the [End] of its 95 % confidence intervals; nil when not known.
	ContentionEnds [NumEnds]*Contention
	Area           Area

	Origin Origin
	Note   string // where the figures come from, in words
}

// Factor is one of the factors of a service rate.
type Factor struct {
	// Name is "drift", "clock", "instances", "crossing", "copies", "width", "machine state" or "clock of the FPGA".
	Name  string
	Times float64
}

// OwnSwitchCost reports whether the kernel's own switch cost counts in place of that of its core: where kernels take
// turns, whatever the rule.
func (p *Problem) OwnSwitchCost(k, r int) bool {
	f := &p.Figures[k][r]
	return p.Architecture.Resources[r].Sharing.Rule != AreaOnly && (f.SwitchKnown || f.SwitchCost > 0)
}

// Problem is what every mapping of one application to one architecture shares.
type Problem struct {
	Application  Application
	Architecture Architecture
	// Figures is indexed [kernel][resource].
	Figures [][]Figures
	// MaxUtilization is φ, the bound on every utilization (Beard 2013, Eq. 6),
	// in (0, 1]. 0 means DefaultMaxUtilization.
	MaxUtilization float64
	// JoinTolerance is the relative imbalance of a join's inputs that is taken
	// for measurement error; 0 allows rounding only.
	JoinTolerance float64
}

// DefaultMaxUtilization is the φ of Beard 2013 §3.1.
const DefaultMaxUtilization = 0.99998

// Mapping says where each kernel runs and over which links each edge goes.
type Mapping struct {
	// Place is the resource of each kernel.
	Place []int
	// Route is the route of each edge: the links it crosses, in order. It is
	// empty for an edge that stays inside one resource. A nil entry for an edge
	// that crosses resources stands for its default route: the first of
	// [Routes.Between] for its two resources.
	Route [][]int
}

// Times is the measured distribution of service times, in s.
type Times = times.Distribution

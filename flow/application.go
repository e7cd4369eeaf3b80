package flow

// Origin is the source of a figure. Every printed figure shows its origin.
type Origin uint8

// These are the origins, weakest first. A figure computed from several figures has the weakest of their origins.
const (
	Assumed   Origin = iota // stated without a measurement, by the user or by xopt as a default
	Published               // taken from the literature or a data sheet
	Simulated               // from a simulation of the hardware
	Measured                // measured on the machine named in the profile
	Derived                 // computed from the graph, neither stated nor measured
)

// String returns "assumed", "published", "simulated", "measured" or "derived".
func (o Origin) String() string {
	switch o {
	case Assumed:
		return "assumed"
	case Published:
		return "published"
	case Simulated:
		return "simulated"
	case Measured:
		return "measured"
	case Derived:
		return "derived"
	}
	return "unknown"
}

// Application is a directed graph of kernels (Beard 2013 §3.1, G_A). Every cycle contains initial elements; without
// them, no kernel of the cycle could fire.
type Application struct {
	Name    string
	Kernels []Kernel
	Edges   []Edge
}

// Kernel is a block instance of the application, a vertex V_i.
//
// Gain and routing belong to the kernel, not to a resource, because a kernel processes data in the same way on every
// resource.
type Kernel struct {
	Name  string // dotted instance name, "top.gen1"
	Block string // block type, "GENERATE"

	// Gain is γ, bytes out per byte in, ≥ 0. Gain is 1 for a source, and has no effect for a sink.
	Gain       float64
	GainOrigin Origin
	GainNote   string // source of the gain, in words; may be empty

	// Joins lists the groups of input ports that the kernel consumes together. The kernel consumes from each other port
	// independently.
	Joins []Join

	// Preload marks a source that sends its data once at the start, such as tables for other kernels. Its steady-state
	// flow is 0.
	Preload bool

	// Turns is the number of batches that a copy of a source sends in each round. The outputs of the copies are
	// proportional to their turns. First is the first of these copies. Turns is 0 for other kernels.
	Turns float64
	First int // index into Application.Kernels
}

// Join is a group of input ports whose elements a kernel consumes together. One firing consumes Bytes from each port.
type Join struct {
	Ports []JoinPort
}

// JoinPort is one input port of a join: the edges that end in it, and the total bytes that one firing consumes from
// them.
type JoinPort struct {
	Name  string
	Edges []int   // indices into Application.Edges
	Bytes float64 // > 0
}

// Edge is a stream between two ports.
type Edge struct {
	Name             string // dotted label, "top.e1"
	From, To         int    // indices into Application.Kernels
	FromPort, ToPort string
	ElementBytes     float64 // size of one element, > 0

	// Routing is R, the fraction of the From kernel's output that this edge carries, in [0, 1]. The fractions of a
	// kernel's output ports sum to 1. Each edge of a port carries the port's complete output (a broadcast), so only one
	// edge of each port counts in the sum.
	Routing       float64
	RoutingOrigin Origin
	RoutingNote   string
	// Emits is the number of elements that every firing of From sends on the edge. It is 0 if the number is unknown or
	// varies.
	Emits int
	// Copy marks an edge that carries the same data as an earlier edge of the same port.
	Copy bool

	// Shared marks an edge to one of several copies of a kernel. Routing then includes the fraction of the port's
	// stream that this copy receives. For an edge to or from copies, Round is the minimum buffer size, in elements,
	// with which all copies can work at the same time. Round is 0 for other edges.
	Shared bool
	Round  int

	// Initial is the number of elements on the edge before the run starts. Every cycle needs initial elements.
	Initial int
}

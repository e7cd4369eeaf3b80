package randomapp

// App is an application with a machine and a mapping.
type App struct {
	Seed    uint64
	Kernels []Kernel
	Edges   []Edge
	Cores   []int // of each kernel, from 1
	Links   []Link
}

// Kernel is one kernel. A firing takes what Takes says of every input; one without any takes an element
// of whichever input has one. It sends what Sends says of every output.
type Kernel struct {
	Name  string
	Time  float64 // of a firing, us
	SCV   float64
	Takes []int // of each input; nil to take from whichever has some
	Sends []int // of each output
	// Filter is what part of the firings send anything, drawn of the data; 0 for all. Choose sends each
	// time on one output only, the first with this probability; 0 for all of them.
	Filter, Choose float64
	Inputs         int
	// Times says how often a source fires for each time that is asked for; 0 for once: those that a join
	// joins end together.
	Times int
}

// Edge leads from an output to an input. Several edges of one output are a broadcast.
type Edge struct {
	From, Output int
	To, Input    int
	Bytes        int // of an element
	Initial      int
	Link         bool // over the link, where there is a memory, too
}

// Link joins all cores from one of the two halves of the machine to the other; memory joins those of a half.
type Link struct {
	Bulk      int     // bytes; 0 for none
	Flush     float64 // us; 0 for never
	Latency   float64 // us
	Bandwidth float64 // MB/s
}

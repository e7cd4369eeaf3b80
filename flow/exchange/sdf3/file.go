package sdf3

// File contains an application graph, an architecture, or both.
type File struct {
	Name  string // name of the application graph
	Graph *Graph
	Tiles []Tile
	// Connections lead from one tile to another.
	Connections []Connection
	// Throughput is the throughput that the file requires, in iterations per unit of time; 0 without a requirement.
	Throughput float64
}

// Graph is a static dataflow graph.
type Graph struct {
	Actors   []Actor
	Channels []Channel
}

// Actor is a node of a [Graph].
type Actor struct {
	Name       string
	Ports      []Port
	Processors []Processor // processors that can run the actor
	Line       int         // line of the actor in the file
}

// Port is one end of a channel.
type Port struct {
	Name string
	Out  bool
	Rate int64 // tokens per firing
}

// Processor is a type of processor that can run an actor.
type Processor struct {
	Type    string
	Default bool
	Time    int64 // time of one firing, in the file's unnamed unit
}

// Channel is an edge of a [Graph]. FromPort and ToPort are indices into the ports of its actors.
type Channel struct {
	Name             string
	From, To         int
	FromPort, ToPort int
	Initial          int64 // tokens at the start
	TokenBits        int64 // token size in bits; 0 if the file states none
	Buffer           int64 // capacity in tokens; 0 if the file states none
	Line             int   // line of the channel in the file
}

// Tile is a processor of an architecture.
type Tile struct {
	Name      string
	Processor string // name of the processor; "" for none
	Type      string
}

// Connection connects two tiles, given as indices into File.Tiles.
type Connection struct {
	Name     string
	From, To int
	Delay    int64 // delay in units of time
}

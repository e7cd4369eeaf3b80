package gnuradio

// record is the output file of runner.py.
type record struct {
	Error    *runError `json:"error"`
	GNURadio string    `json:"gnuradio"`
	Python   string    `json:"python"`
	CPUs     []int     `json:"cpus"`
	Blocks   []Block   `json:"blocks"`
	Edges    []Edge    `json:"edges"`
	Messages []string  `json:"messages"`
	Windows  []Window  `json:"windows"`
	Replaced []string  `json:"replaced"`
	Seconds  float64   `json:"seconds"`
}

// markOnly sets Only in each block that is the only flattened block of its block in the .grc file.
func markOnly(blocks []Block) {
	n := make(map[string]int)
	for i := range blocks {
		n[blocks[i].Name]++
	}
	for i := range blocks {
		blocks[i].Only = n[blocks[i].Name] == 1
	}
}

// runError is an error that runner.py reports.
type runError struct {
	Kind  string   `json:"kind"`
	Text  string   `json:"text"`
	Line  string   `json:"line"`  // line of the generated module with the error
	Heads []string `json:"heads"` // classes of blocks that end a graph
}

// Block is a block of the flattened graph, in which hierarchical blocks are replaced by their inner blocks.
type Block struct {
	UID      string  `json:"uid"`   // GNU Radio's alias: the class and a number
	Class    string  `json:"class"` // C++ class
	Name     string  `json:"grc"`   // block of the .grc file; "" if unknown
	Inner    bool    `json:"inner"` // the block is inside the hierarchical block Name
	Only     bool    `json:"only"`  // the only block of Name
	Inputs   []int   `json:"inputs"`
	Outputs  []int   `json:"outputs"` // sizes of items in bytes, by port
	InPorts  []int   `json:"in_ports"`
	OutPorts []int   `json:"out_ports"`
	Thread   bool    `json:"thread"`   // the thread is identified, so that its processor time is measured
	Counters bool    `json:"counters"` // the block has performance counters
	Throttle float64 `json:"throttle"` // items/s that a throttle permits; 0 for other blocks
}

// Label names a block for users: its name in the .grc file. If Name is a hierarchical block with several inner blocks,
// the UID follows.
func (b *Block) Label() string {
	switch {
	case b.Name == "":
		return b.UID
	case b.Inner && !b.Only:
		return b.Name + "/" + b.UID
	}
	return b.Name
}

// Group returns the name of the block in the .grc file whose settings apply to the block; the UID if there is none.
func (b *Block) Group() string {
	if b.Name == "" {
		return b.UID
	}
	return b.Name
}

// Edge is a stream connection.
type Edge struct {
	From string `json:"from"`
	Out  int    `json:"out"`
	To   string `json:"to"`
	In   int    `json:"in"`
}

// Window contains the counters of one window of a run.
type Window struct {
	Variant int             `json:"variant"`
	Seconds float64         `json:"seconds"`
	Others  float64         `json:"others"`           // processor time of other programs in s
	Own     float64         `json:"own"`              // processor time of the process of the graph in s
	Slowed  float64         `json:"slowed,omitempty"` // added processor work in s
	Blocks  map[string]Used `json:"blocks"`
}

// Used contains the counters of one block in a window. Times are in seconds.
type Used struct {
	Read    []float64 `json:"read"`    // items, by input; -1 if unknown
	Written []float64 `json:"written"` // items, by output
	CPU     float64   `json:"cpu"`     // processor time of the thread
	Queued  float64   `json:"queued"`  // time in which the thread waited for a processor

	Work    float64   `json:"work,omitempty"`    // time inside of work calls
	Call    float64   `json:"call,omitempty"`    // mean time of a work call
	InFull  []float64 `json:"in_full,omitempty"` // mean fill of the input buffers, 0 to 1
	OutFull []float64 `json:"out_full,omitempty"`
}

// variant is one setting of a running graph.
type variant struct {
	Affinity map[string][]int   `json:"affinity,omitempty"` // processors by block
	Slow     map[string]float64 `json:"slow,omitempty"`     // added work by block, in s/s
}

// plan is the input of runner.py.
type plan struct {
	Out        string         `json:"out"`
	Module     string         `json:"module"`
	Class      string         `json:"class"`
	Counters   bool           `json:"counters"`
	Warmup     float64        `json:"warmup"` // s
	Window     float64        `json:"window"` // s
	Rounds     int            `json:"rounds"` // windows of each variant
	Variants   []variant      `json:"variants"`
	MaxNouts   int            `json:"max_nouts"`
	Qt         bool           `json:"qt"`
	Headless   bool           `json:"headless"`
	Unthrottle bool           `json:"unthrottle"`
	MinOutBuf  int            `json:"minoutbuf"` // bytes; 0 for the settings of the flow graph
	Audio      map[string]int `json:"audio"`
}

package rtl

import (
	"embed"

	"xopt/internal/files/generated"
)

// partitionText is the input of partition.v.tmpl. Streams are named by their nets: NAME_data, NAME_valid and
// NAME_ready.
type partitionText struct {
	Version                string
	Ports                  []boundaryText
	Nets                   []streamText
	PartsHigh, WiresHigh   int // highest bit of signals with one bit per part or wire
	Forks                  []forkText
	Links                  []linkText
	Steps                  []stepText
	Parts                  []partText
	Points                 int // number of observed testpoints
	Wires                  []wireText
	Agent                  *agentText
	Activities, QueueTaps  []streamTapText
	Counters               []counterText
	Occupancies, Latencies []elementTapText
	Octaves                []octaveText
	Gaps                   []gapText
	Histograms             []histogramText
	Probes                 []probeText
	Monitors               []monitorText
	Traces                 []traceText
}

// boundaryText is a stream of the partition and the net that connects to it.
type boundaryText struct {
	streamText
	Net string
}

// forkText is a module that sends the words of one net to several nets. It lists the signals of these nets in reverse
// order.
type forkText struct {
	Name              string
	High, Width, Ways int
	Branches          []string
	Valid, Ready      string
}

// linkText is the connection of two nets, or of a net and a port of the partition.
type linkText struct{ From, To string }

// stepText is a converter or a queue between two nets.
type stepText struct {
	Module, Parameters, From, To string
	IsQueue                      bool
}

// partText is the instance of a kernel, with the expressions for its activity.
type partText struct {
	Index                        int
	Top, Parameters              string
	Drains                       bool
	Clocked                      bool // the module has its own clock and provides the signals of its activity
	Ports                        []portText
	Points                       []pointText
	Active, HasInput, NotBlocked string
	SeenHigh                     int    // highest bit of SeenValid and SeenReady
	SeenValid, SeenReady         string // signals of the streams, last stream first
	States                       []stateText
	Exposed                      []exposedText
}

// pointText is the connection of a kernel's testpoint to an output. Has reports whether the kernel has the testpoint.
type pointText struct {
	Name string
	Bit  int
	Has  bool
}

// portText is the connection of a kernel's port to a net, as template data.
type portText struct {
	Port, Net string
	Input     bool
}

// stateText is the register of a state machine.
type stateText struct {
	Name     string // output that shows the register
	High     int
	Register string
}

// wireText contains the nets at both ends of a wire.
type wireText struct {
	Index    int
	From, To string // nets at the ends
}

// chainText is the position of a tap in the chain of all taps: its first input bit and its first output bit.
type chainText struct{ In, Out int }

// streamTapText is a tap of a net, or of a queue between two nets.
type streamTapText struct {
	Chain   chainText
	Net, To string
}

// counterText is a module that detects the last word of each element on a net.
type counterText struct {
	Name, Net  string
	Words, Log int
}

// elementTapText is a tap of the elements of a wire.
type elementTapText struct {
	Chain    chainText
	Wire     string
	LogDepth int // binary logarithm of the number of time stamps
}

// octaveText is a module that computes the histogram bins of latencies.
type octaveText struct {
	Wire    string
	BinHigh int
}

// gapText is a tap of the times between elements.
type gapText struct {
	Chain        chainText
	Name, Broken string
	BinHigh      int
}

// histogramText is a module that counts samples by bin. Bits is the index of its first count among the counts of all
// histograms.
type histogramText struct {
	Name, Frame, Sample, Bin string
	BinBits, Slot, Bits      int
}

// agentText is the agent of all taps.
type agentText struct {
	Words, Histograms, BinBits, LogBuffer int
	ChainHigh, ChainEnd                   int
	SlotsHigh, BinHigh, CountsHigh        int
}

//go:embed templates
var templates embed.FS

// fill fills one of the Verilog templates.
func fill(name string, data any) (string, error) {
	return generated.Text(templates, "templates/"+name, nil, data)
}

// streamText is a stream, or its signals, in a template.
type streamText struct {
	Name  string
	Input bool
	High  int // highest bit of a word
}

// Side returns the prefix of the signals of a port.
func (s streamText) Side() string {
	if s.Input {
		return "s_axis"
	}
	return "m_axis"
}

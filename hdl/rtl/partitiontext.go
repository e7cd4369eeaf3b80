package rtl

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

// partitionText is the data of partition.v.tmpl. Streams are named by their nets: NAME_data, NAME_valid and NAME_ready.
type partitionText struct {
	Version                string
	Ports                  []boundaryText
	Nets                   []streamText
	PartsHigh, WiresHigh   int // the highest bits of signals with a bit for each
	Forks                  []forkText
	Links                  []linkText
	Steps                  []stepText
	Parts                  []partText
	Points                 int // testpoints that are seen
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

// boundaryText is a stream of the partition and the net connected to it.
type boundaryText struct {
	streamText
	Net string
}

// forkText sends the words of one net to several others. Their signals are listed in reverse order.
type forkText struct {
	Name              string
	High, Width, Ways int
	Branches          []string
	Valid, Ready      string
}

// linkText connects two nets, or a net and a port of the partition.
type linkText struct{ From, To string }

// stepText is a converter or a queue between two nets.
type stepText struct {
	Module, Parameters, From, To string
	IsQueue                      bool
}

// partText is the instance of a kernel and the expressions of its activity.
type partText struct {
	Index                        int
	Top, Parameters              string
	Drains                       bool
	Clocked                      bool // the module has its own clock and provides the signals of its activity
	Ports                        []portText
	Points                       []pointText
	Active, HasInput, NotBlocked string
	SeenHigh                     int    // the highest bit of SeenValid and SeenReady
	SeenValid, SeenReady         string // of its streams, the last first
	States                       []stateText
	Exposed                      []exposedText
}

// pointText connects a testpoint of a kernel to an output. Has reports whether the kernel has that testpoint.
type pointText struct {
	Name string
	Bit  int
	Has  bool
}

// portText connects a port of a kernel to a net.
type portText struct {
	Port, Net string
	Input     bool
}

// stateText is the register of a state machine.
type stateText struct {
	Name     string // of the output that shows it
	High     int
	Register string
}

// wireText is the pair of nets at the ends of a wire.
type wireText struct {
	Index    int
	From, To string // nets
}

// chainText is the position of a tap on the chain of all taps: its first input bit and its first output bit.
type chainText struct{ In, Out int }

// streamTapText is a tap of a net, or of a queue between two.
type streamTapText struct {
	Chain   chainText
	Net, To string
}

// counterText finds the last word of each element on a net.
type counterText struct {
	Name, Net  string
	Words, Log int
}

// elementTapText is a tap of the elements of a wire.
type elementTapText struct {
	Chain    chainText
	Wire     string
	LogDepth int // of time stamps
}

// octaveText finds the histogram bins of latencies.
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

// histogramText counts samples by bin. Bits is the position of its first count among the counts of all histograms.
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

// fill executes one of the Verilog templates.
func fill(name string, data any) (string, error) {
	t, err := template.ParseFS(templates, "templates/"+name)
	if err != nil {
		return "", fmt.Errorf("reading the template %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("filling the template %s: %w", name, err)
	}
	return b.String(), nil
}

// streamText is a stream, or its signals, in a template.
type streamText struct {
	Name  string
	Input bool
	High  int // the highest bit of a word
}

// Side returns the prefix of the signals of a port.
func (s streamText) Side() string {
	if s.Input {
		return "s_axis"
	}
	return "m_axis"
}

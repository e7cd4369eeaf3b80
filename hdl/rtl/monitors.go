package rtl

import (
	"context"
	"fmt"
	"math/bits"
	"strings"
)

// StateMonitor is an xopt_states module in the hardware. It counts the cycles of a part by a code. The code contains
// the state of one of the part's state machines, the activity of the part, or both. All state machines and ports are
// profiled, as in step 2 of Koehler 2007, §4.1.
//
// The activity is defined as in simulation (harness/cycles.h), with one exception: an input may be ready only if
// another input has a word, or an output has space. Hardware counts such hidden waiting as work.
type StateMonitor struct {
	Part    int
	Machine int  // index in Part.Machines; -1 for none
	Does    bool // the lower bits of the code contain the part's activity
	// Slot is the index of the monitor's histogram in a record. Join sets it.
	Slot int
}

// Codes of a part's activity. doesWait plus the index of a stream means that the part waits at that stream.
const (
	doesWork = 0
	doesMove = 1
	doesWait = 2
)

// maxMonitorBits is the maximum number of bits of a code: 2^7 counts in two banks fill a block RAM of 4 kbit.
const maxMonitorBits = binBits

// countWidth is the number of bits of a count. No frame has more cycles than a count can represent.
const countWidth = 16

// doesBits returns the number of bits of the activity code of a part with the given number of streams.
func doesBits(streams int) int { return bits.Len(uint(doesWait + streams - 1)) }

// stateBits returns the number of bits n of a machine's state in a code. States are numbered in order, starting from
// others. If the register can have other values, others is 1, and the number 0 represents these values.
func stateBits(m *Machine) (n, others int) {
	if m.Width >= 63 || len(m.States) < 1<<m.Width {
		others = 1
	}
	return max(bits.Len(uint(len(m.States)-1+others)), 1), others
}

// Bits returns the number of bits of the code for a part with the given streams and machines.
func (s *StateMonitor) Bits(streams int, machines []Machine) int {
	n := 0
	if s.Does {
		n = doesBits(streams)
	}
	if s.Machine >= 0 {
		b, _ := stateBits(&machines[s.Machine])
		n += b
	}
	return n
}

// Counted contains the cycle counts of a monitor by state and by activity.
type Counted struct {
	Cycles uint64
	States []uint64 // in the order of StateCycles.Cycles; nil without a machine
	Does   []uint64 // counts of working, moving words, and waiting at each stream; nil without activity
}

// Count sums the counts of a monitor by state and by activity. A monitor has one count for each code, and a code
// represents one state and one activity.
func (s *StateMonitor) Count(counts []uint64, streams int, machines []Machine) Counted {
	var c Counted
	if s.Machine >= 0 {
		c.States = make([]uint64, len(machines[s.Machine].States)+1)
	}
	if s.Does {
		c.Does = make([]uint64, 1<<doesBits(streams))
	}
	for code, n := range counts {
		c.Cycles += n
		if s.Does {
			c.Does[code&(len(c.Does)-1)] += n
			code >>= doesBits(streams)
		}
		if s.Machine >= 0 {
			c.States[stateOf(&machines[s.Machine], code)] += n
		}
	}
	if s.Does {
		c.Does = c.Does[:doesWait+streams] // higher codes do not occur
	}
	return c
}

// stateOf returns the index of the state that a code represents, or the number of states for all other codes.
func stateOf(m *Machine, code int) int {
	_, others := stateBits(m)
	if code < others || code-others >= len(m.States) {
		return len(m.States)
	}
	return code - others
}

// StateMonitors returns the monitors that profile a part. The first monitor counts both the activity and the first
// machine if they fit one code. Every other machine has a monitor of its own. left lists the paths of machines with too
// many states for a monitor.
func StateMonitors(part int, x *Part) (list []StateMonitor, left []string) {
	streams := len(x.Module.Streams)
	does := streams <= maxClassified && doesBits(streams) <= maxMonitorBits
	for i := range x.Machines {
		n, _ := stateBits(&x.Machines[i])
		switch {
		case n > maxMonitorBits:
			left = append(left, x.Machines[i].Path)
		case does && n+doesBits(streams) <= maxMonitorBits:
			list, does = append(list, StateMonitor{Part: part, Machine: i, Does: true}), false
		default:
			list = append(list, StateMonitor{Part: part, Machine: i})
		}
	}
	if does {
		list = append(list, StateMonitor{Part: part, Machine: -1, Does: true})
	}
	return list, left
}

// MonitorArea returns the area of a monitor with codes of the given number of bits, synthesized separately.
func (c *Cache) MonitorArea(ctx context.Context, bits int, family string) (*Area, error) {
	f, err := library("tap/xopt_states.v")
	if err != nil {
		return nil, err
	}
	return c.Synthesize(ctx, &Module{Top: "xopt_states", verilog: []file{f},
		given: []Parameter{{Name: "BITS", Value: fmt.Sprint(bits)}}}, family)
}

// AgentArea returns the area of an agent for the given number of monitors with codes of the given number of bits.
func (c *Cache) AgentArea(ctx context.Context, monitors, bits int, family string) (*Area, error) {
	m := &Module{Top: "xopt_agent", given: []Parameter{{Name: "WORDS", Value: "0"},
		{Name: "HISTOGRAMS", Value: fmt.Sprint(monitors)}, {Name: "BIN_BITS", Value: fmt.Sprint(bits)},
		{Name: "LOG_BUFFER", Value: fmt.Sprint(agentBuffer(0, monitors<<bits))}}}
	for _, name := range []string{"agent/xopt_agent.v", "stream/xopt_fifo.v", "tap/xopt_count.v"} {
		f, err := library(name)
		if err != nil {
			return nil, err
		}
		m.verilog = append(m.verilog, f)
	}
	return c.Synthesize(ctx, m, family)
}

// monitorText is a StateMonitor in the template of a partition.
type monitorText struct {
	Index, Bits, Slot, At int // At is the index of its first count among the counts of all monitors
	CountWidth            int
	Code                  string
}

func (w *partitionWriter) monitors() {
	for i := range w.p.Monitors {
		s := &w.p.Monitors[i]
		s.Slot = w.p.tapHistograms() + i
		x := &w.p.Parts[s.Part]
		var code []string
		if s.Machine >= 0 {
			code = append(code, stateCode(w.p.register(s.Part, s.Machine), &x.Machines[s.Machine]))
		}
		if s.Does {
			code = append(code, doesCode(s.Part, x))
		}
		w.text.Monitors = append(w.text.Monitors, monitorText{i, w.p.bitsOf(s), s.Slot, 32 * s.Slot, countWidth,
			"{" + strings.Join(code, ", ") + "}"})
	}
}

// stateCode returns the Verilog expression of a state's number. The expression only compares the register with the
// codes of states, so that synthesis tools may still re-encode the states. Each bit is a disjunction of such
// comparisons.
func stateCode(register string, m *Machine) string {
	n, others := stateBits(m)
	list := make([]string, 0, n)
	for bit := n - 1; bit >= 0; bit-- {
		var in []string
		for i := range m.States {
			if (i+others)>>bit&1 == 1 {
				in = append(in, fmt.Sprintf("%s == %s", register, m.Text(&m.States[i])))
			}
		}
		list = append(list, or(in, "1'b0"))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// doesCode returns the Verilog expression of a part's activity code.
func doesCode(part int, x *Part) string {
	n := doesBits(len(x.Module.Streams))
	var moves []string
	var waits strings.Builder
	for _, input := range []bool{false, true} { // waiting for space precedes waiting for words
		for i, s := range x.Module.Streams {
			at := net(part, s)
			if s.Input != input {
				continue
			}
			moves = append(moves, fmt.Sprintf("(%s_valid && %s_ready)", at, at))
			test := fmt.Sprintf("%s_valid", at)
			if input {
				test = fmt.Sprintf("!%s_valid && %s_ready", at, at)
			}
			fmt.Fprintf(&waits, "%s ? %d'd%d : ", test, n, doesWait+i)
		}
	}
	return fmt.Sprintf("(%s ? %d'd%d : %s%d'd%d)", or(moves, "1'b0"), n, doesMove, waits.String(), n, doesWork)
}

// bitsOf returns the number of bits of a monitor's code.
func (p *Partition) bitsOf(s *StateMonitor) int {
	x := &p.Parts[s.Part]
	return s.Bits(len(x.Module.Streams), x.Machines)
}

// states returns a C++ table with the histogram index of each monitor.
func (p *Partition) states() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#define TAP_STATES %d\n", len(p.Monitors))
	b.WriteString("static const unsigned tap_states[] = {")
	for _, s := range p.Monitors {
		fmt.Fprintf(&b, "%d, ", s.Slot)
	}
	b.WriteString("0};\n")
	return b.String()
}

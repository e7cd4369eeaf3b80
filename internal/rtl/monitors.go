package rtl

import (
	"context"
	"fmt"
	"math/bits"
	"strings"
)

// StateMonitor is an xopt_states in the hardware: it counts the cycles of a part by a code, which is the state of one
// of its state machines, or what the part does in the cycle, or both (Koehler 2007, §4.1, step 2: all state machines
// and ports are profiled).
//
// What a part does is as in simulation (harness/cycles.h), but for what can only be asked there: a part that waits at
// a stream, and shows that only when the word or the room is there, counts as working.
type StateMonitor struct {
	Part    int
	Machine int  // of Part.Machines; -1 for none
	Does    bool // what the part does is in the lower bits of the code
	// Slot is the number of its counts among the histograms of a record, once the hardware is put together.
	Slot int
}

// Codes of what a part does; from doesWait on, the stream at which it waits.
const (
	doesWork = 0
	doesMove = 1
	doesWait = 2
)

// mostMonitorBits is how many bits a code may have: 2^7 counts in two banks fill a block RAM of 4 kbit.
const mostMonitorBits = binBits

// countWidth is how many bits a count of a StateMonitor has: frames have fewer cycles than it can count.
const countWidth = 16

// doesBits is how many bits what a part does has.
func (x *Part) doesBits() int { return bits.Len(uint(doesWait + len(x.Module.Streams) - 1)) }

// stateBits is how many bits of a code the state of a machine has; raw that they are those of its register.
func stateBits(m *Machine) (n int, raw bool) {
	if m.Width <= mostMonitorBits-1 && m.Width <= bits.Len(uint(len(m.States)))+1 {
		return m.Width, true
	}
	return bits.Len(uint(len(m.States))), false // the last number is of other values
}

// Bits is how many bits the code has.
func (s *StateMonitor) Bits(parts []Part) int {
	x, n := &parts[s.Part], 0
	if s.Does {
		n = x.doesBits()
	}
	if s.Machine >= 0 {
		b, _ := stateBits(&x.Machines[s.Machine])
		n += b
	}
	return n
}

// Code is the code of a state and of what the part does; -1 for all that a monitor does not tell apart.
type Code struct{ State, Does int }

// Of says what a code stands for: the number of the state among those of its machine, as many as there are for other
// values, and what the part does.
func (s *StateMonitor) Of(parts []Part, code int) Code {
	x := &parts[s.Part]
	out := Code{-1, -1}
	if s.Does {
		out.Does = code & (1<<x.doesBits() - 1)
		code >>= x.doesBits()
	}
	if s.Machine < 0 {
		return out
	}
	m := &x.Machines[s.Machine]
	out.State = len(m.States)
	if _, raw := stateBits(m); !raw {
		out.State = min(code, len(m.States))
		return out
	}
	for i := range m.States {
		if m.States[i].Code == uint64(code) {
			out.State = i
		}
	}
	return out
}

// StateMonitors are those that profile a part: of what it does together with its first state machine, where a code has
// room for both, and of each of its other machines. left are the machines with too many states for one.
func StateMonitors(part int, x *Part) (list []StateMonitor, left []string) {
	does := len(x.Module.Streams) <= maxTold && x.doesBits() <= mostMonitorBits
	for i := range x.Machines {
		n, _ := stateBits(&x.Machines[i])
		switch {
		case n > mostMonitorBits:
			left = append(left, x.Machines[i].Path)
		case does && n+x.doesBits() <= mostMonitorBits:
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

// MonitorArea is what a monitor with codes of so many bits takes, synthesized alone.
func (c *Cache) MonitorArea(ctx context.Context, bits int, family string) (*Area, error) {
	f, err := library("tap/xopt_states.v")
	if err != nil {
		return nil, err
	}
	return c.Synthesize(ctx, &Module{Top: "xopt_states", verilog: []file{f},
		given: []Parameter{{Name: "BITS", Value: fmt.Sprint(bits)}}}, family)
}

// AgentArea is what the agent takes that collects so many monitors with codes of so many bits.
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
	Index, Bits, Slot, At int // At is where its counts begin among those of all
	CountWidth            int
	Code                  string
}

// monitors puts in those that profile the parts.
func (w *partitionWriter) monitors() {
	for i := range w.p.Monitors {
		s := &w.p.Monitors[i]
		s.Slot = w.p.tapHistograms() + i
		x := &w.p.Parts[s.Part]
		var code []string
		if s.Machine >= 0 {
			code = append(code, stateCode(fmt.Sprintf("part%d.%s", s.Part, x.Machines[s.Machine].Path),
				&x.Machines[s.Machine]))
		}
		if s.Does {
			code = append(code, doesCode(s.Part, x))
		}
		w.text.Monitors = append(w.text.Monitors, monitorText{i, s.Bits(w.p.Parts), s.Slot, 32 * s.Slot, countWidth,
			"{" + strings.Join(code, ", ") + "}"})
	}
}

// stateCode is the number of a state in Verilog.
func stateCode(register string, m *Machine) string {
	n, raw := stateBits(m)
	if raw {
		return register
	}
	var b strings.Builder
	for i := range m.States {
		fmt.Fprintf(&b, "%s == %s ? %d'd%d : ", register, m.Text(&m.States[i]), n, i)
	}
	return fmt.Sprintf("(%s%d'd%d)", b.String(), n, len(m.States))
}

// doesCode is what a part does in Verilog.
func doesCode(part int, x *Part) string {
	n := x.doesBits()
	var moves []string
	var waits strings.Builder
	for _, input := range []bool{false, true} { // room comes before words
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

// states tells the simulation in C++ of the monitors: which histogram of a record each is.
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

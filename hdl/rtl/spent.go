package rtl

import (
	"encoding/json"
	"fmt"
	"strings"

	"xopt/flow/profile"
)

// Spent contains the cycle counts of a kernel by activity. Each cycle counts once, in Moving, Working or Waiting
// (harness/cycles.h).
type Spent struct {
	Moving  uint64 // cycles in which words moved at one or more streams
	Working uint64 // cycles in which no word moved and the kernel did not wait
	// Waiting contains, for each stream, the number of cycles in which its input lacked a word or its output lacked
	// space.
	Waiting []uint64
	Moved   []uint64 // number of words by stream
	// States contains the counts of each watched state machine.
	States []StateCycles

	counts []uint64
}

// StateCycles counts the cycles of a state machine in each state, in the order of Machine.States. The last count is for
// all other values.
type StateCycles struct {
	Cycles  []uint64
	Working []uint64 // number of these cycles in which the kernel worked
}

// UnmarshalJSON stores the raw counts. NewSpent assigns them to streams and states.
func (s *Spent) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &s.counts) }

// SpentCounts returns the number of counts of a kernel with the given streams and machines.
func SpentCounts(streams int, machines []Machine) int {
	n := 2 + 2*streams
	for i := range machines {
		n += 2 * (len(machines[i].States) + 1)
	}
	return n
}

// NewSpent assigns the counts of a simulation to streams and states. It returns false if the number of counts is wrong.
func NewSpent(counts []uint64, streams int, machines []Machine) (s Spent, ok bool) {
	if len(counts) != SpentCounts(streams, machines) {
		return Spent{}, false
	}
	at := 2 + 2*streams
	s = Spent{Moving: counts[0], Working: counts[1], Waiting: counts[2 : 2+streams], Moved: counts[2+streams : at]}
	for i := range machines {
		n := len(machines[i].States) + 1
		s.States = append(s.States, StateCycles{Cycles: counts[at : at+n], Working: counts[at+n : at+2*n]})
		at += 2 * n
	}
	return s, true
}

func (s *Spent) setCounts(streams []Stream, machines []Machine) bool {
	x, ok := NewSpent(s.counts, len(streams), machines)
	*s = x
	return ok
}

// Total returns the number of counted cycles.
func (s *Spent) Total() uint64 {
	n := s.Moving + s.Working
	for _, w := range s.Waiting {
		n += w
	}
	return n
}

// Since returns the counts since an earlier Spent of the same kernel. If before is empty, it returns all counts.
func (s *Spent) Since(before *Spent) Spent {
	minus := func(now, before []uint64) []uint64 {
		out := make([]uint64, len(now))
		for i := range now {
			out[i] = now[i]
			if i < len(before) {
				out[i] -= before[i]
			}
		}
		return out
	}
	x := Spent{Moving: s.Moving - before.Moving, Working: s.Working - before.Working,
		Waiting: minus(s.Waiting, before.Waiting), Moved: minus(s.Moved, before.Moved)}
	for i := range s.States {
		var b StateCycles
		if i < len(before.States) {
			b = before.States[i]
		}
		x.States = append(x.States, StateCycles{minus(s.States[i].Cycles, b.Cycles), minus(s.States[i].Working,
			b.Working)})
	}
	return x
}

// Named returns the counts by the names of ports and states, as profiles and results store them. It returns nil if
// nothing was counted. port returns the name of a stream's port.
func (s *Spent) Named(streams []Stream, machines []Machine, port func(Stream) string) *profile.Cycles {
	c := &profile.Cycles{Total: s.Total(), Moving: s.Moving, Working: s.Working}
	if c.Total == 0 {
		return nil
	}
	for i, x := range streams {
		c.Ports = append(c.Ports, profile.PortCycles{Port: port(x), Input: x.Input, Moved: s.Moved[i],
			Waiting: s.Waiting[i]})
	}
	for i := range machines {
		m, counts := &machines[i], &s.States[i]
		x := profile.MachineCycles{Register: m.Path, File: m.File, Line: m.Line}
		for j := range m.States {
			x.States = append(x.States, profile.StateCycles{State: m.Label(&m.States[j]), Code: m.Text(&m.States[j]),
				Cycles: counts.Cycles[j], Working: counts.Working[j]})
		}
		if n := len(m.States); counts.Cycles[n] > 0 {
			x.States = append(x.States, profile.StateCycles{State: "other values", Cycles: counts.Cycles[n],
				Working: counts.Working[n]})
		}
		c.Machines = append(c.Machines, x)
	}
	return c
}

// maxClassified is the maximum number of streams of a kernel whose cycles are classified: the number of bits of a word.
const maxClassified = 64

// cycles returns a C++ expression of type Cycles for a module. prefix, followed by a number, names the signals of the
// model k that contain the registers of the machines.
func (m *Module) cycles(machines []Machine, prefix string) string {
	inputs := uint64(0)
	for i, s := range m.Streams {
		if s.Input && i < maxClassified {
			inputs |= 1 << i
		}
	}
	var list []string
	for i := range machines {
		var codes []string
		for _, s := range machines[i].States {
			codes = append(codes, fmt.Sprintf("%du", s.Code))
		}
		list = append(list, fmt.Sprintf("Machine{&k->%[1]s%[2]d, sizeof k->%[1]s%[2]d, {%[3]s}}", prefix, i,
			strings.Join(codes, ", ")))
	}
	return fmt.Sprintf("Cycles(%du, %du, {%s})", len(m.Streams), inputs, strings.Join(list, ", "))
}

// partLooks returns the C++ table of the signals that classify the cycles of each part.
func (p *Partition) partLooks() string {
	var b strings.Builder
	b.WriteString("static std::vector<PartLook> part_looks(Vk *k) {\n    std::vector<PartLook> list;\n")
	for i, x := range p.Parts {
		fmt.Fprintf(&b, "    list.push_back({&k->seen%[1]d_valid, &k->seen%[1]d_ready, sizeof k->seen%[1]d_valid, "+
			"&k->seen%[1]d_ask, %[2]s});\n", i, x.Module.cycles(x.Machines, fmt.Sprintf("seen%d_state", i)))
	}
	b.WriteString("    return list;\n}\n")
	return b.String()
}

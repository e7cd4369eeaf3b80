package rtl

import "fmt"

// Machine is a state machine of a module: a register that only ever holds a few codes, and on which what it becomes
// next depends.
type Machine struct {
	Path string // of the register below the module: "core.state"
	File string // of the source
	Line int
	// Width is its bits, 64 at most.
	Width  int
	States []State // by their codes, ascending
}

// State is a code that a state machine may hold.
type State struct {
	Code uint64
	Name string // as the source has it; "" where it has none
}

// Text is the code as Verilog has it.
func (m *Machine) Text(s *State) string { return fmt.Sprintf("%d'd%d", m.Width, s.Code) }

// Label is the name of a state, or its code.
func (m *Machine) Label(s *State) string {
	if s.Name != "" {
		return s.Name
	}
	return m.Text(s)
}

package profile

import (
	"fmt"
	"slices"
)

// Cycles classifies the cycles of a kernel on an FPGA, counted in RTL simulation. Each cycle counts once: in Moving, in
// Working, or in the Waiting of one port.
type Cycles struct {
	Total   uint64 `json:"total"`
	Moving  uint64 `json:"moving"`  // words moved, at one or more ports
	Working uint64 `json:"working"` // no word moved, and the kernel did not wait
	// Ports are in the order of the module.
	Ports []PortCycles `json:"ports"`
	// Machines are the monitored state machines of the kernel.
	Machines []MachineCycles `json:"machines,omitempty"`
}

// PortCycles contains the numbers of cycles of a port.
type PortCycles struct {
	Port    string `json:"port"`
	Input   bool   `json:"input,omitempty"`
	Moved   uint64 `json:"moved"`   // a word moved
	Waiting uint64 `json:"waiting"` // the kernel waited: at an input for a word, at an output for space
}

// MachineCycles contains the numbers of cycles of a state machine.
type MachineCycles struct {
	Register string        `json:"register"` // "core.state", relative to the kernel's module
	File     string        `json:"file,omitempty"`
	Line     int           `json:"line,omitempty"`
	States   []StateCycles `json:"states"`
}

// StateCycles contains the number of cycles in a state, and the number of these cycles in which the kernel worked. Each
// cycle counts in one state of a machine. The last state may have no code; it contains the cycles in which the register
// has an invalid value.
type StateCycles struct {
	State   string `json:"state"`          // its name in the source, or else its code
	Code    string `json:"code,omitempty"` // "3'd2"
	Cycles  uint64 `json:"cycles"`
	Working uint64 `json:"working"`
}

// Busiest returns the fraction of cycles with moved words at the busiest port; 0 if no cycles were counted.
func (c *Cycles) Busiest() float64 {
	if c == nil || c.Total == 0 {
		return 0
	}
	maximum := uint64(0)
	for _, p := range c.Ports {
		maximum = max(maximum, p.Moved)
	}
	return float64(maximum) / float64(c.Total)
}

// boundByPort is the fraction of cycles with moved words above which a port counts as the bottleneck of a kernel.
const boundByPort = 0.95

// Reason describes the limit of a kernel's rate, as shown by its cycles; "" without cycles.
func (c *Cycles) Reason() string {
	if c == nil || c.Total == 0 {
		return ""
	}
	part := func(n uint64) float64 { return 100 * float64(n) / float64(c.Total) }
	moves, waits := PortCycles{}, PortCycles{}
	for _, p := range c.Ports {
		if p.Moved > moves.Moved {
			moves = p
		}
		if p.Waiting > waits.Waiting {
			waits = p
		}
	}
	if part(moves.Moved) >= 100*boundByPort {
		return fmt.Sprintf("port %s moves a word in %.3g %% of the cycles, so its width limits the kernel", moves.Port,
			part(moves.Moved))
	}
	switch {
	case waits.Waiting > c.Working && waits.Input:
		return fmt.Sprintf("the kernel waits for words at port %s in %.3g %% of the cycles", waits.Port,
			part(waits.Waiting))
	case waits.Waiting > c.Working:
		return fmt.Sprintf("the kernel waits for space at port %s in %.3g %% of the cycles", waits.Port,
			part(waits.Waiting))
	}
	text := fmt.Sprintf("the kernel works in %.3g %% of the cycles without moving a word", part(c.Working))
	if state, of, cycles := c.busiest(); cycles > 0 {
		text += fmt.Sprintf(", mainly in state %s of %s (%.3g %% of the cycles)", state, of, part(cycles))
	}
	return text
}

// busiest returns the state in which a kernel works for the largest number of cycles, its machine, and this number.
func (c *Cycles) busiest() (state, of string, cycles uint64) {
	for _, m := range c.Machines {
		for _, s := range m.States {
			if s.Working > cycles {
				state, of, cycles = s.State, m.Register, s.Working
			}
		}
	}
	return state, of, cycles
}

// validate returns an error for each inconsistency of the cycles.
func (c *Cycles) validate(path string) []error {
	if c == nil {
		return nil
	}
	var errs []error
	sum := c.Moving + c.Working
	for _, p := range c.Ports {
		sum += p.Waiting
	}
	if sum != c.Total {
		errs = append(errs, fmt.Errorf("%s.total is %d, but the cycles of the activities add up to %d", path, c.Total,
			sum))
	}
	for i := range c.Machines {
		m := &c.Machines[i]
		sum := uint64(0)
		for _, s := range m.States {
			sum += s.Cycles
		}
		if sum != c.Total {
			errs = append(errs, fmt.Errorf("%s.total is %d, but the cycles of the states of %s add up to %d", path,
				c.Total, m.Register, sum))
		}
	}
	return slices.Clip(errs)
}

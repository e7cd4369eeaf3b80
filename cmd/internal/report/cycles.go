package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"xopt/deploy/timetrial"
	"xopt/flow/profile"
	"xopt/mapper/result"
)

// largestShares is the Ranking of tables of cycles.
const largestShares = "largest shares"

// cycleTable returns the table of kernel cycles on FPGAs, with one row per activity.
func cycleTable(id, title string) *Table {
	return &Table{ID: id, Title: title, Ranking: largestShares, Columns: []Column{
		name("kernel"), name("activity"), name("port"),
		number("cycles").detail(), percents("share of cycles").about("each cycle is counted once: the rows of a " +
			"kernel add up to 100 %")}}
}

// cycles adds the rows of a kernel.
func (t *Table) cycles(kernel string, c *profile.Cycles) {
	if c == nil || c.Total == 0 {
		return
	}
	row := func(activity, port string, n uint64) {
		part := float64(n) / float64(c.Total)
		t.add(text(kernel), text(activity), text(port), integer(n), share(part).bar()).Load = part
	}
	row("moves words", "", c.Moving)
	row("works", "", c.Working)
	for _, p := range c.Ports {
		activity := "waits for space"
		if p.Input {
			activity = "waits for words"
		}
		if p.Waiting > 0 {
			row(activity, p.Port, p.Waiting)
		}
	}
}

// stateTable returns the table of states of kernels' state machines.
func stateTable(id, title string) *Table {
	return &Table{ID: id, Title: title, Ranking: largestShares, Columns: []Column{
		name("kernel"), name("state machine"), name("state"),
		name("code").spare(2), number("cycles").detail(), percents("share of cycles"),
		percents("working").about("share of all cycles in which the kernel is in this state, moves no word and " +
			"waits for nothing").spare(1)}}
}

// states adds a row for each state of a kernel.
func (t *Table) states(kernel string, c *profile.Cycles) {
	if c == nil || c.Total == 0 {
		return
	}
	for _, m := range c.Machines {
		machine := m.Register
		if m.File != "" {
			machine += fmt.Sprintf(" (%s:%d)", filepath.Base(m.File), m.Line)
		}
		for _, s := range m.States {
			part := float64(s.Cycles) / float64(c.Total)
			t.add(text(kernel), text(machine), text(s.State), text(s.Code), integer(s.Cycles), share(part).bar(),
				share(float64(s.Working)/float64(c.Total))).Load = part
		}
	}
}

// cyclesAlone shows the cycles of kernels that were measured alone, and the resulting limits of the rates.
func cyclesAlone(p *profile.Profile) []Part {
	t := cycleTable("profile-cycles", "Cycles of kernels in hardware: counted in RTL simulation, each kernel alone, "+
		"with input always available and output always consumed")
	s := stateTable("profile-states", "States of kernels in hardware: counted in RTL simulation, each kernel alone")
	var parts []Part
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if k.Cycles == nil {
			continue
		}
		t.cycles(k.Instance, k.Cycles)
		s.states(k.Instance, k.Cycles)
		parts = append(parts, Part{Text: k.Instance + ": " + k.Cycles.Reason()})
	}
	return append(tableParts(t, s), parts...)
}

// runCycles and runStates show the cycles and states of a run.
func runCycles(m *result.Measured) *Table {
	t := cycleTable("run-cycles", "Cycles of kernels on FPGAs: counted in RTL simulation, from the start of the "+
		"run to the end of their streams")
	for i := range m.Kernels {
		t.cycles(m.Kernels[i].Kernel, m.Kernels[i].Cycles)
	}
	return t
}

func runStates(m *result.Measured) *Table {
	t := stateTable("run-states", "States of kernels on FPGAs: counted in RTL simulation, from the start of the run "+
		"to the end of their streams")
	for i := range m.Kernels {
		t.states(m.Kernels[i].Kernel, m.Kernels[i].Cycles)
	}
	return t
}

// runMonitors lists the cycle monitors in FPGAs.
func runMonitors(m *result.Measured) *Table {
	t := &Table{ID: "run-monitors", Title: "Cycle monitors in FPGAs: area of each, synthesized alone, and " +
		"deviation of its shares from the simulation", Columns: []Column{name("kernel"), name("monitored"),
		number("LUT"), number("FF"), number("block RAMs"), number("cycles"), percents("deviation").about("largest " +
			"difference between the monitor and the simulation in the share of a state")}}
	for _, x := range m.Monitors {
		separate := dash()
		if x.MaxDifference != nil {
			separate = share(*x.MaxDifference)
		}
		t.add(text(x.Kernel), text(x.Of), compact(x.LUT), compact(x.FF), compact(x.BRAM), integer(x.Cycles), separate)
	}
	return t
}

// runCounted shows the counts of monitors on a board, where kernels are not simulated.
func runCounted(m *result.Measured) *Table {
	t := &Table{ID: "run-counted", Title: "Cycles counted by monitors in the FPGA, by state and activity of the kernel",
		Ranking: largestShares, Columns: []Column{name("kernel"), name("monitored"), name("state or activity"),
			number("cycles"), percents("share of cycles")}}
	for _, x := range m.Monitors {
		if slices.ContainsFunc(m.Kernels, func(k result.MeasuredKernel) bool {
			return k.Kernel == x.Kernel && k.Cycles != nil
		}) {
			continue
		}
		for _, c := range x.Counts {
			part := 0.0
			if x.Cycles > 0 {
				part = float64(c.Cycles) / float64(x.Cycles)
			}
			t.add(text(x.Kernel), text(x.Of), text(c.What), integer(c.Cycles), share(part).bar()).Load = part
		}
	}
	return t
}

// queryStates shows the states that a measure statement recorded, in the complete run and by frame.
func queryStates(i int, q *result.Query) *Table {
	if q.Type != timetrial.States.String() {
		return nil
	}
	t := &Table{ID: fmt.Sprintf("states-%d", i+1), Title: q.Name + ": states counted in RTL simulation, with the " +
		"minimum, median and maximum share in a frame", Ranking: largestShares, Columns: []Column{name("state machine"),
		name("state"), number("cycles"), percents("share of cycles"), percents("working").spare(1),
		percents("minimum").spare(2),
		percents("median").spare(2), percents("maximum").spare(2)}}
	if q.Cycles == nil || len(q.Cycles.Machines) == 0 {
		t.Note = "(no state machine found in the kernel; xopt check --signals lists the state machines)"
		t.add(text("none"), text(""), dash(), dash(), dash(), dash(), dash(), dash())
		return t
	}
	for _, m := range q.Cycles.Machines {
		for _, s := range m.States {
			part := float64(s.Cycles) / float64(q.Cycles.Total)
			minimum, median, maximum := dash(), dash(), dash()
			if parts := stateFrames(q, m.Register, s.State); len(parts) > 0 {
				minimum, median, maximum = share(parts[0]), share(parts[len(parts)/2]), share(parts[len(parts)-1])
			}
			t.add(text(m.Register), text(s.State), integer(s.Cycles), share(part).bar(),
				share(float64(s.Working)/float64(q.Cycles.Total)), minimum, median, maximum).Load = part
		}
	}
	return t
}

// stateFrames returns a state's fraction of the cycles in each frame, in ascending order.
func stateFrames(q *result.Query, register, state string) (parts []float64) {
	for _, f := range q.CycleFrames {
		if f.Cycles == nil {
			continue
		}
		part := 0.0
		for _, m := range f.Cycles.Machines {
			for _, s := range m.States {
				if m.Register == register && s.State == state {
					part = float64(s.Cycles) / float64(f.Cycles.Total)
				}
			}
		}
		parts = append(parts, part)
	}
	slices.SortFunc(parts, cmp.Compare)
	return parts
}

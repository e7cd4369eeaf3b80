package report

import (
	"fmt"
	"strings"

	"xopt/flow/machine"
	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

const besideTitle = "Predicted beside measured; error is (predicted - measured) / measured"

// runTime says how long a run was, and of what kind.
func (p *script) runTime(m *result.Measured) {
	length, here := units.Time(float64(m.Seconds)), units.Time(float64(m.WallSeconds))
	switch {
	case m.Board != "":
		p.lead("Run time", "%s by the board's clock, %s here", length, here)
		p.lead("Board", "%s", m.Board)
	case m.Simulated != "":
		p.lead("Run time", "%s of virtual time, simulated in %s here", length, here)
		p.lead("Simulation", "%s: kernels on cores run natively, those on FPGAs in RTL simulation, links as servers",
			m.Simulated)
	default:
		p.lead("Run time", "%s", length)
	}
}

// measured says what was measured in a run.
func (p *script) measured(r *result.Result) {
	m, predicted := r.Measured, r.Prediction
	partial, how := "", "measured"
	if m.Simulated != "" {
		how = "simulated"
	}
	if m.Partial != "" {
		partial = "; partial, because the run did not end by itself"
	}
	if m.FaultOf != "" {
		p.lead("Fault", "%s ended the run: %s; correct it, then run again", m.FaultOf, firstLine(m.Partial))
	}
	out, in, told := m.Rates()
	when := ""
	if told {
		when = steadyWords(m)
	} else {
		p.lead("Throughput", "%s: %s", untold(m), shortWords(m))
	}
	p.lead(map[bool]string{true: "Throughput", false: "Moved"}[told],
		"%s out of the sources, %s into the sinks (%s in one run%s%s)", units.Rate(float64(out)),
		units.Rate(float64(in)), how, when, partial)
	if m.Disturbed != "" {
		p.lead("Disturbed", "%s: run it again when the machine is quiet", m.Disturbed)
	}
	if predicted != nil {
		p.predicted(predicted, m)
	}
	if names, note := runBottleneck(m, predicted); names != "" {
		p.lead("Bottleneck", "%s, %s", names, note)
	}
	if value, note := asserted(m); value != "" {
		p.lead("Assertions", "%s: %s", value, note)
	}
	p.toDo(r)
	p.runTime(m)
	if b := m.Buffers; b != nil {
		value, note := buffersText(b)
		p.lead("Buffers", "%s %s", value, note)
		for i, s := range grownStatements(b) {
			if i == 0 {
				p.lead("", "for the next run, as they have grown:")
			}
			p.lead("", "%s", s)
		}
	}
	machine := fmt.Sprintf("%s, %d cores, %s", m.Machine.CPU, m.Machine.Cores, m.Machine.Kernel)
	if m.Machine.Compiler != "" {
		machine += ", " + m.Machine.Compiler
	}
	p.lead("Machine", "%s; times by %s", machine, clockName(&m.Clock))
	if len(m.Processes) > 0 {
		p.lead("Processes", "%s", processes(m))
	}
	if predicted != nil {
		p.show(runBesideOf(predicted, m))
	}
	p.parts = append(p.parts, runTables(m, predicted)...)
}

// processes names the first processes, and where they ran.
func processes(m *result.Measured) string {
	const most = 8
	var on []string
	for _, p := range m.Processes {
		where := "any processor"
		if p.Processor >= 0 {
			where = fmt.Sprintf("processor %d", p.Processor)
		}
		schedule := ""
		switch {
		case p.Batch > 0:
			schedule = fmt.Sprintf(", schedule %s in batches of %s", p.Schedule, machine.Size(int64(p.Batch)))
		case p.Schedule != "":
			schedule = ", schedule " + p.Schedule
		}
		on = append(on, fmt.Sprintf("%s on %s (wait %s, scheduler %s%s)", p.Name, where, p.Wait, p.Scheduler, schedule))
		if len(on) == most && len(m.Processes) > most+1 {
			on = append(on, fmt.Sprintf("and %d more", len(m.Processes)-most))
			break
		}
	}
	return strings.Join(on, ", ")
}

// clockName names the clock, with its frequency where that was measured or is by definition.
func clockName(c *result.Clock) string {
	if c.Hertz == 0 {
		return c.Name
	}
	return c.Name + " at " + units.Frequency(float64(c.Hertz))
}

// predicted says what was predicted beside what was measured.
func (p *script) predicted(c *result.Candidate, m *result.Measured) {
	list := predict.Compare(c, m)
	p.lead("Predicted", "%s, %s; %s", units.Rate(float64(c.Throughput)), rests(c), list[0].Off())
	if s := offBecause(c, m); s != "" {
		p.lead("", "%s", s)
	}
	if m.Filling > 0 && m.Steady == nil {
		p.lead("", "measured %s out of the first buffers; the run was cut off, so what still filled them is subtracted",
			units.Rate(float64(list[0].Measured)))
	}
}

package report

import (
	"fmt"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// tooShort stands where a run is too short to tell its throughput.
const tooShort = "too short to tell"

// untold is why a run tells no throughput, in a few words.
func untold(m *result.Measured) string {
	switch {
	case m.FaultOf != "":
		return "cannot be told"
	case m.Uneven():
		return "not steady enough to tell"
	}
	return tooShort
}

// RunThroughput is the throughput of a run in words.
func RunThroughput(m *result.Measured) string {
	out, _, told := m.Rates()
	if !told {
		return untold(m)
	}
	return units.Rate(float64(out))
}

// steadyWords say when a throughput was taken; "" where that is not known.
func steadyWords(m *result.Measured) string {
	s := m.Steady
	switch {
	case s == nil:
		return ""
	case s.StartUp == 0:
		return fmt.Sprintf(", %s of steady state and no start-up", units.Time(float64(s.Seconds)))
	}
	return fmt.Sprintf(", %s of steady state after %s of start-up", units.Time(float64(s.Seconds)),
		units.Time(float64(s.StartUp)))
}

// shortWords say why a run tells no throughput, and what to do.
func shortWords(m *result.Measured) string {
	do := "give the sources more --elements"
	if n := m.Steady.Enough; n > 0 {
		do += fmt.Sprintf(": --elements %d should do", n)
	}
	switch {
	case m.FaultOf != "":
		do = "correct " + m.FaultOf + ", which ended it"
	case m.Uneven() && m.Disturbed != "":
		do = "the machine was disturbed: run it again when it is quiet"
	case m.Uneven():
		do = "something changes while it runs: the kernels' work, or other processes"
	case m.Partial != "":
		do += ", or the run more --time"
	}
	return m.Steady.Short + "; " + do
}

// throughputFact is the throughput of a run, and how it was found.
func throughputFact(m *result.Measured, how string) Fact {
	_, _, told := m.Rates()
	if told {
		return Fact{"Throughput", RunThroughput(m), how + steadyWords(m) + ", out of the sources"}
	}
	return Fact{"Throughput", untold(m), fmt.Sprintf("%s; over all of it %s went out of the sources; %s", how,
		units.Rate(float64(m.Throughput)), shortWords(m))}
}

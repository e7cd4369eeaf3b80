package mapper

import (
	"math"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/internal/fault"
	"xopt/mapper/faults"
)

// Objective is a quantity that a search optimizes.
type Objective uint8

// The objectives. All except throughput are minimized.
const (
	Throughput Objective = iota // Γ, bytes/s
	Latency                     // largest mean latency of any path, s
	AreaUse                     // used area; 1 is one full FPGA
	Buffers                     // total size of all buffers, bytes
	Cores                       // resources in use
	Energy                      // energy of the resources in use, J/byte
	Cost                        // price of the resources in use, $/h
	objectives
)

// Objectives returns the names of the objectives, by number.
func Objectives() []string {
	return []string{"throughput", "latency", "area", "buffers", "cores", "energy", "cost"}
}

// String returns the objective's name.
func (o Objective) String() string { return Objectives()[min(o, objectives-1)] }

// ParseObjectives parses a list such as "throughput,cores".
func ParseObjectives(text string) ([]Objective, error) {
	var list []Objective
	for _, name := range strings.Split(text, ",") {
		i := slices.Index(Objectives(), strings.TrimSpace(name))
		if i < 0 {
			return nil, faults.WrongObjective.Errorf("unknown objective %q, expected one of %s, or several "+
				"separated by commas", name, strings.Join(Objectives(), ", "))
		}
		if slices.Contains(list, Objective(i)) {
			return nil, faults.WrongObjective.Errorf("objective %s is listed twice", name)
		}
		list = append(list, Objective(i))
	}
	return list, nil
}

// Goal contains the objectives and limits of a search. The zero value maximizes throughput without limits.
type Goal struct {
	// Objectives contains the objectives, throughput by default. If there are several, the search returns their Pareto
	// front.
	Objectives []Objective
	// MinThroughput is the required throughput in bytes/s, at which latency and energy are computed. If it is 0,
	// latency and energy are computed at the fraction OperatingLoad of the mapping's throughput.
	MinThroughput float64
	MaxLatency    float64 // maximum latency, s; 0 for no limit
	MaxBuffer     float64 // maximum size of a single buffer at full throughput, bytes; 0 for no limit
}

// OperatingLoad is the fraction of a mapping's throughput at which latency and energy are computed by default. At full
// throughput, queues would grow without bound.
const OperatingLoad = 0.9

// Several reports whether there is more than one objective.
func (g *Goal) Several() bool { return len(g.Objectives) > 1 }

// First returns the first objective, throughput by default.
func (g *Goal) First() Objective {
	if len(g.Objectives) == 0 {
		return Throughput
	}
	return g.Objectives[0]
}

// Plain reports whether the goal is to maximize throughput without limits.
func (g *Goal) Plain() bool {
	return g.Maximizes() && g.MinThroughput == 0 && g.MaxLatency == 0 && g.MaxBuffer == 0
}

// Maximizes reports whether the goal is to maximize throughput, with or without limits.
func (g *Goal) Maximizes() bool { return !g.Several() && g.First() == Throughput }

// Meets reports whether a candidate meets the limits of the goal. The candidate's measures must be for this goal.
func (g *Goal) Meets(c *Candidate) bool {
	return c.Throughput >= g.MinThroughput*(1-sameThroughput) &&
		!(g.MaxLatency > 0 && float64(c.Measures.Latency) > g.MaxLatency) &&
		!(g.MaxBuffer > 0 && float64(c.Measures.Buffer) > g.MaxBuffer)
}

// needs reports whether the goal contains an objective, so that it must be computed for every mapping.
func (g *Goal) needs(o Objective) bool { return slices.Contains(g.Objectives, o) }

// GoalError reports that a goal is invalid for a problem.
type GoalError struct{ Err error }

func (e *GoalError) Error() string { return e.Err.Error() }

func (e *GoalError) Unwrap() error { return e.Err }

func (e *GoalError) Is(target error) bool { return target == flow.ErrInvalid }

func goalErrorf(id fault.ID, format string, args ...any) error {
	return &GoalError{id.Errorf(format, args...)}
}

// Validate returns a *GoalError if the goal is invalid for the problem.
func (g *Goal) Validate(p *flow.Problem) error {
	for _, limit := range []struct {
		name  string
		value float64
	}{{"minimum throughput", g.MinThroughput}, {"maximum latency", g.MaxLatency}, {"maximum buffer size",
		g.MaxBuffer}} {
		if !(limit.value >= 0) || math.IsInf(limit.value, 0) {
			return goalErrorf(faults.WrongLimit, "%s is %g: expected a finite value of at least 0",
				limit.name, limit.value)
		}
	}
	for i, o := range g.Objectives {
		if o >= objectives || slices.Contains(g.Objectives[:i], o) {
			return goalErrorf(faults.WrongObjective, "objective number %d is unknown or repeated", i+1)
		}
	}
	for r := range p.Architecture.Resources {
		res := &p.Architecture.Resources[r]
		switch {
		case g.needs(Energy) && !(res.Power > 0):
			return goalErrorf(faults.NoPower, "energy is an objective, but %s has no power (set one, such as "+
				"power=\"15W\")", res.Name)
		case g.needs(Cost) && !(res.Price > 0):
			return goalErrorf(faults.NoPrice, "cost is an objective, but %s has no price (set one, such as "+
				"price=\"0.40$/h\")", res.Name)
		}
	}
	area := slices.ContainsFunc(p.Architecture.Resources, func(r flow.Resource) bool {
		return r.Sharing.Rule == flow.AreaOnly && slices.ContainsFunc(r.Area[:],
			func(a float64) bool { return !math.IsInf(a, 1) })
	})
	if g.needs(AreaUse) && !area {
		return goalErrorf(faults.NoAreaStated, "area is an objective, but no resource has a stated area (set "+
			"lut, ff, bram or dsp of an FPGA)")
	}
	return nil
}

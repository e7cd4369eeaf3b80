package mapper

import (
	"fmt"
	"math"
	"strings"

	"xopt/flow"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper/faults"
)

// nearest records how closely the evaluated mappings approach each limit of a goal, for the message if no mapping meets
// all limits. A value of 0 means that no mapping was recorded.
type nearest struct {
	fastest float64 // throughput, ignoring the other limits
	latency float64 // minimum latency of mappings with the required throughput, s
	buffer  float64 // minimum over these mappings of the largest buffer, bytes
}

// see records the latency and the largest buffer of a mapping.
func (n *nearest) see(m *Measures) {
	if latency := float64(m.Latency); n.latency == 0 || latency < n.latency {
		n.latency = latency
	}
	if buffer := float64(m.Buffer); n.buffer == 0 || buffer < n.buffer {
		n.buffer = buffer
	}
}

// merge combines n with the records of another chain.
func (n *nearest) merge(x nearest) {
	n.fastest = math.Max(n.fastest, x.fastest)
	if x.latency > 0 || x.buffer > 0 {
		n.see(&Measures{Latency: Number(x.latency), Buffer: Number(x.buffer)})
	}
}

// why returns the reason that no evaluated mapping meets all limits of a goal, with the best values found; "" if no
// mapping was evaluated.
func (n *nearest) why(g *Goal) string {
	if n.fastest == 0 {
		return ""
	}
	if n.fastest < g.MinThroughput {
		return fmt.Sprintf("the fastest scored mapping reaches %s, below the required %s (--min-throughput)",
			units.Rate(n.fastest), units.Rate(g.MinThroughput))
	}
	var missed, limits []string
	if g.MinThroughput > 0 {
		limits = append(limits, "--min-throughput")
	}
	if g.MaxLatency > 0 {
		limits = append(limits, "--max-latency")
		if n.latency > g.MaxLatency {
			missed = append(missed, fmt.Sprintf("the lowest latency of the scored mappings is %s, above the limit "+
				"of %s (--max-latency)", units.Time(n.latency), units.Time(g.MaxLatency)))
		}
	}
	if g.MaxBuffer > 0 {
		limits = append(limits, "--max-buffer")
		if n.buffer > g.MaxBuffer {
			missed = append(missed,
				fmt.Sprintf("each scored mapping needs a buffer of at least %s, above the limit of %s "+
					"(--max-buffer %.0fB suffices)", units.Size(n.buffer), units.Size(g.MaxBuffer),
					math.Ceil(n.buffer)))
		}
	}
	switch {
	case len(missed) > 0:
		return strings.Join(missed, "; ")
	case n.latency == 0 && n.buffer == 0:
		return "no scored mapping has bounded queues at the required throughput"
	case len(limits) == 1:
		return "no scored mapping meets " + limits[0]
	}
	return "scored mappings meet each limit alone, but no scored mapping meets all of " + strings.Join(limits, ", ")
}

// NoMappingError reports that a search found no mapping. Faults contains the reasons.
type NoMappingError struct {
	// Proven reports that no mapping exists. If it is false, a longer search may find one.
	Proven bool
	// Bound is an upper bound on the throughput of any mapping in bytes/s, if this bound is below the required
	// throughput; else 0.
	Bound float64
	// AloneBound is the bound on mappings without copies, if Bound includes copies; else 0.
	AloneBound float64
	Faults     []flow.Fault
}

// FaultID returns faults.Infeasible for a proof that no mapping exists, and faults.NoneFound for a search that found
// none.
func (e *NoMappingError) FaultID() fault.ID {
	if e.Proven {
		return faults.Infeasible
	}
	return faults.NoneFound
}

func (e *NoMappingError) Error() string {
	texts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		texts[i] = f.Text
	}
	head := "the search found no mapping that meets the constraints"
	if e.Proven {
		head = "no mapping can meet the constraints"
	}
	if len(texts) == 0 {
		return head
	}
	return head + ": " + strings.Join(texts, "; ")
}

func (e *NoMappingError) Is(target error) bool { return target == flow.ErrInfeasible }

package result

import "math"

// Sweep contains the best mapping at each point of a parameter sweep. Rates are in bytes/s.
type Sweep struct {
	Varied    []Varied     `json:"varied,omitempty"`
	Objective string       `json:"objective,omitempty"` // absent for throughput
	Buffers   string       `json:"buffers,omitempty"`   // "unlimited": all throughputs assume unlimited buffers
	Points    []SweptPoint `json:"points"`
	Mappings  []string     `json:"mappings"` // texts with the kernels on each resource
	// Places contains the placements and routes of Mappings, at the same indices.
	Places []SweptMapping `json:"places,omitempty"`
}

// SweptMapping is a mapping that is the best at one or more points.
type SweptMapping struct {
	Place  []Placement `json:"place"`
	Routes []Route     `json:"routes,omitempty"`
	// Turns contains the number of batches that each copy processes in one round; absent without copies. Units
	// contains, for each declared kernel with copies, the number of its unit.
	Turns map[string]int `json:"turns,omitempty"`
	Units map[string]int `json:"units,omitempty"`
}

// Varied is a config, or the size of a resource array, with its values.
type Varied struct {
	Name   string   `json:"name"`
	Unit   string   `json:"unit,omitempty"` // unit of the values; "" if the values include it or have none
	Values []string `json:"values"`
}

// NotComputed is the value of [SweptPoint.Proof] for a point that a campaign has not computed.
const NotComputed = "not computed"

// Better reports whether the mapping of p is better than the mapping of q, by objective and then by throughput.
func (s *Sweep) Better(p, q *SweptPoint) bool {
	if s.Objective != "" && differ(p.Value, q.Value) {
		return p.Value < q.Value
	}
	return p.Throughput > q.Throughput && differ(p.Throughput, q.Throughput)
}

// Best returns the index of the completed point with the best mapping or, if no point is complete, of the best point;
// -1 if no point has a mapping.
func (s *Sweep) Best() int {
	best := -1
	for i := range s.Points {
		p := &s.Points[i]
		if p.Mapping < 0 {
			continue
		}
		if best < 0 || p.Done() && !s.Points[best].Done() || p.Done() == s.Points[best].Done() &&
			s.Better(p, &s.Points[best]) {
			best = i
		}
	}
	return best
}

// differ reports whether two numbers differ by more than rounding errors.
func differ(x, y Number) bool {
	return math.Abs(float64(x-y)) > TieTolerance*max(math.Abs(float64(x)), math.Abs(float64(y)))
}

// Interrupted is the value of [SweptPoint.Proof] for a point whose search was interrupted.
const Interrupted = "interrupted"

// Done reports whether a point's search was complete.
func (p *SweptPoint) Done() bool { return p.Proof != NotComputed && p.Proof != Interrupted }

// Cut reports whether the search of a point ended early.
func (p *SweptPoint) Cut() bool { return p.Early || p.Proof == Interrupted }

// Computed returns the number of completed points, with or without a mapping, and the number of all points.
func (s *Sweep) Computed() (done, all int) {
	all = 1
	for i := range s.Varied {
		all *= len(s.Varied[i].Values)
	}
	for i := range s.Points {
		if s.Points[i].Done() {
			done++
		}
	}
	return done, max(all, len(s.Points))
}

// SweptPoint is the result of the search at one combination of values.
type SweptPoint struct {
	Values     []string `json:"values"`
	Throughput Number   `json:"throughput,omitempty"` // absent if no mapping was found or searched
	Objective  string   `json:"objective,omitempty"`  // the objective's value as text, if it is not throughput
	// Value is the objective's value as a number; lower is better.
	Value      Number `json:"value,omitempty"`
	Proof      string `json:"proof"`
	Bound      Number `json:"bound,omitempty"` // upper bound in bytes/s; absent if unknown
	Bottleneck string `json:"bottleneck"`
	// Possible names other possible bottlenecks, like [Step.Possible].
	Possible []string `json:"perhapsBottleneck,omitempty"`
	// Early reports that the search at the point was interrupted, or reached its time limit.
	Early   bool `json:"early,omitempty"`
	Mapping int  `json:"mapping"` // index into Mappings, in order of appearance; -1 for none
	Stale   int  `json:"stale"`   // number of stale figures that the prediction uses
	Sureness
}

// Sureness describes the certainty of a predicted throughput.
type Sureness struct {
	Figures   []OriginCount `json:"figures,omitempty"`
	Disturbed int           `json:"disturbed,omitempty"` // number of figures measured on a disturbed machine
	// Interval contains the throughputs with all figures at the bad ends, and with all figures at the good ends, of
	// their 95 % confidence intervals. It is nil if no figure has an interval. IntervalAssumed is the number of
	// intervals that were too wide and were replaced.
	Interval        *[2]Number `json:"interval,omitempty"`
	IntervalAssumed int        `json:"intervalAssumed,omitempty"`
}

// WhatIf contains the throughput of the first candidates for each value of one bandwidth or clock.
type WhatIf struct {
	Name string `json:"name"` // "bandwidth of PCIX", "clock of fpga"
	// Unit is the unit of Now and Values: "B/s", or "" for factors of the stated clock.
	Unit       string     `json:"unit"`
	Now        Number     `json:"now"`
	Origin     string     `json:"origin"` // origin of Now
	Values     []Number   `json:"values"`
	Throughput [][]Number `json:"throughput"` // throughput of each candidate, by value
}

package result

import "math"

// Sweep is the best mapping at each point of a range. Rates are in bytes/s.
type Sweep struct {
	Varied    []Varied     `json:"varied,omitempty"`
	Objective string       `json:"objective,omitempty"` // where it is not throughput
	Points    []SweptPoint `json:"points"`
	Mappings  []string     `json:"mappings"` // which kernels are on which resource
	// Places are the mappings, with the routes of their edges; as many as Mappings.
	Places []SweptMapping `json:"places,omitempty"`
}

// SweptMapping is a mapping that is the best somewhere.
type SweptMapping struct {
	Place  []Placement `json:"place"`
	Routes []Route     `json:"routes,omitempty"`
	// Turns is the number of batches that each copy of a kernel takes in a round; absent without copies.
	Turns map[string]int `json:"turns,omitempty"`
}

// Varied is a config, or the number of a resource, with the values that it takes.
type Varied struct {
	Name   string   `json:"name"`
	Unit   string   `json:"unit,omitempty"` // of the values; "" where they state their own or have none
	Values []string `json:"values"`
}

// NotComputed is the proof of a point of which a campaign has no answer.
const NotComputed = "not computed"

// Better reports whether a point has a better mapping than another by the objective; of equals, by throughput.
func (s *Sweep) Better(p, q *SweptPoint) bool {
	if s.Objective != "" && differ(p.Value, q.Value) {
		return p.Value < q.Value
	}
	return p.Throughput > q.Throughput && differ(p.Throughput, q.Throughput)
}

// Best returns the point with the best mapping, also of points whose search ended early; -1 without a mapping.
func (s *Sweep) Best() int {
	best := -1
	for i := range s.Points {
		if p := &s.Points[i]; p.Mapping >= 0 && (best < 0 || s.Better(p, &s.Points[best])) {
			best = i
		}
	}
	return best
}

// differ reports whether two figures differ by more than rounding.
func differ(x, y Number) bool {
	return math.Abs(float64(x-y)) > TieTolerance*max(math.Abs(float64(x)), math.Abs(float64(y)))
}

// Interrupted is the proof of a point whose search was interrupted.
const Interrupted = "interrupted"

// Done reports whether a point has a complete answer.
func (p *SweptPoint) Done() bool { return p.Proof != NotComputed && p.Proof != Interrupted }

// Cut reports whether the search of a point ended before it was complete.
func (p *SweptPoint) Cut() bool { return p.Early || p.Proof == Interrupted }

// Computed counts the points that have a complete answer, whether a mapping was found or not, and all points. It is
// smaller in a campaign that is not done, and after an interruption.
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

// SweptPoint is the answer at one combination of values.
type SweptPoint struct {
	Values     []string `json:"values"`
	Throughput Number   `json:"throughput,omitempty"` // absent where no mapping was found, or none was looked for
	Objective  string   `json:"objective,omitempty"`  // its figure, where that is not throughput
	// Value is that figure as a number, low being good.
	Value      Number `json:"value,omitempty"`
	Proof      string `json:"proof"`
	Bound      Number `json:"bound,omitempty"` // bytes/s, which no mapping exceeds here; absent where none is known
	Bottleneck string `json:"bottleneck"`
	// Perhaps names what could be the bottleneck in its place, as [Step.Perhaps].
	Perhaps []string `json:"perhapsBottleneck,omitempty"`
	// Early is that the search of the point was interrupted, or ended at its time limit before it was complete.
	Early   bool `json:"early,omitempty"`
	Mapping int  `json:"mapping"` // of the sweep, from 0 in order of appearance; -1 for none
	Stale   int  `json:"stale"`   // figures that it rests on and that are stale
	Sureness
}

// Sureness is what the throughput of a point rests on.
type Sureness struct {
	Figures   []OriginCount `json:"figures,omitempty"`
	Disturbed int           `json:"disturbed,omitempty"` // figures measured on a disturbed machine
	// Interval has the throughputs with all figures at the bad and the good ends of their 95 % intervals; nil if no
	// figure has one. IntervalAssumed counts intervals that were too wide and are assumed.
	Interval        *[2]Number `json:"interval,omitempty"`
	IntervalAssumed int        `json:"intervalAssumed,omitempty"`
}

// WhatIf is the throughput of the first candidates when one thing is other than it is.
type WhatIf struct {
	Name string `json:"name"` // "bandwidth of PCIX", "clock of fpga"
	// Unit is that of Now and Values: "B/s", or "" for times the present clock.
	Unit       string     `json:"unit"`
	Now        Number     `json:"now"`
	Origin     string     `json:"origin"` // of Now
	Values     []Number   `json:"values"`
	Throughput [][]Number `json:"throughput"` // of each candidate, by value
}

package report

import (
	"xopt/internal/design"
	"xopt/internal/validate"
)

// Validation compares what was predicted of mappings with runs of them.
type Validation struct {
	Simulated bool             `json:"simulated,omitempty"` // the runs were in virtual time
	Cases     []ValidatedCase  `json:"cases"`
	Summary   validate.Summary `json:"summary"`
}

// ValidatedCase is one mapping. Rates are in bytes/s.
type ValidatedCase struct {
	Name       string           `json:"name"`
	Candidate  int              `json:"candidate"` // of the result, with its prediction; -1 for none
	Predicted  Number           `json:"predicted"`
	Equal      Number           `json:"equal"` // predicted under equal sharing
	Measured   Number           `json:"measured"`
	Runs       []Number         `json:"runs"`
	Busiest    Number           `json:"busiest"` // utilization of the busiest resource, measured
	Bottleneck []string         `json:"bottleneck"`
	MostUsed   string           `json:"mostUsed,omitempty"`
	Holds      bool             `json:"holds"` // the bottleneck was predicted right
	Slow       string           `json:"slow,omitempty"`
	SlowRatio  Number           `json:"slowRatio,omitempty"` // its time over what its μ says
	Reason     string           `json:"reason,omitempty"`    // for a great error
	Fail       string           `json:"fail,omitempty"`
	Shares     *validate.Shares `json:"shares,omitempty"`
	Edges      []ValidatedEdge  `json:"edges"`
	Queues     []ValidatedQueue `json:"queues,omitempty"`
}

// ValidatedEdge is the flow on one edge.
type ValidatedEdge struct {
	Edge      string `json:"edge"`
	Predicted Number `json:"predicted"`
	Equal     Number `json:"equal"`
	Measured  Number `json:"measured"`
}

// ValidatedQueue is the queue before one kernel, in elements.
type ValidatedQueue struct {
	Kernel      string `json:"kernel"`
	Predicted   Number `json:"predicted"` // M/M/1 size, Beard 2013, Eq. 8; 0 for none
	Measured    Number `json:"measured"`  // the most that was seen
	Buffer      Number `json:"buffer"`
	Utilization Number `json:"utilization"` // predicted
}

// Error is (predicted - measured) / measured.
func (c *ValidatedCase) Error() float64 {
	return float64(c.Predicted-c.Measured) / float64(c.Measured)
}

// Validated puts together what validation found.
func Validated(d *design.Design, cases []validate.Case) *Validation {
	v := &Validation{Summary: validate.Summarize(cases)}
	for i := range cases {
		c := &cases[i]
		v.Simulated = v.Simulated || c.Shares != nil
		x := ValidatedCase{Name: c.Name, Candidate: -1, Predicted: Number(c.Predicted), Equal: Number(c.Equal),
			Fail: c.Fail, Bottleneck: c.Bottleneck}
		if c.Fail == "" {
			x.Measured, x.Busiest, x.MostUsed, x.Holds, x.Reason, x.Shares = Number(c.Measured), Number(c.Busy),
				c.MostUsed, c.BottleneckHolds, c.Reason, c.Shares
			x.Slow, x.SlowRatio = c.Slow, Number(c.SlowRatio)
			for _, r := range c.Runs {
				x.Runs = append(x.Runs, Number(r))
			}
			for _, e := range c.Edges {
				x.Edges = append(x.Edges, ValidatedEdge{d.Program.Edges[e.Edge].Name, Number(e.Predicted),
					Number(e.Equal), Number(e.Measured)})
			}
			for _, q := range c.Queues {
				x.Queues = append(x.Queues, ValidatedQueue{d.Program.Kernels[q.Kernel].Name, Number(q.Predicted),
					Number(q.Measured), Number(q.Buffer), Number(q.Utilization)})
			}
		}
		v.Cases = append(v.Cases, x)
	}
	return v
}

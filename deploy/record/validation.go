package record

import (
	"xopt/deploy/validate"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/mapper/result"
)

// Validation puts together what validation found.
func Validation(d *design.Design, cases []validate.Case) *result.Validation {
	v := &result.Validation{Summary: validate.Summarize(cases), Repeatability: validate.Repeatability(cases),
		NotRepeatable: validate.NotRepeatable(cases)}
	for i := range cases {
		c := &cases[i]
		d := c.Design(d)
		v.Simulated = v.Simulated || c.Virtual || c.Shares != nil
		x := result.ValidatedCase{Name: c.Name, Candidate: -1, Predicted: result.Number(c.Predicted),
			Equal: result.Number(c.Equal),
			Fail:  c.Fail, Bottleneck: c.Bottleneck, Perhaps: c.Perhaps, Disturbed: c.Disturbed,
			Disturbance: c.Disturbance}
		if c.Fail == "" {
			x.Measured, x.Busiest, x.MostUsed, x.Holds, x.Reason, x.Shares = result.Number(c.Measured),
				result.Number(c.Busy),
				c.MostUsed, c.BottleneckHolds, c.Reason, c.Shares
			x.GoodTime = result.Number(c.GoodTime)
			if len(c.Slowed) > 0 {
				x.Slowed = result.Number(profile.MedianOf(c.Slowed).Value)
			}
			x.BusyEstimated, x.Idle = c.BusyEstimated, c.Idle
			x.Significant, x.Unsteady = c.Significant(), c.Unsteady()
			if c.Repeated95 {
				n := result.Number(c.Repeats)
				x.Repeats = &n
			}
			for _, p := range c.Parts {
				x.Parts = append(x.Parts, result.ErrorPart{Kind: p.Kind, Of: p.Of, Part: p.Part, Text: p.Text})
			}
			x.InPlace = c.InPlace(d)
			x.Slow, x.SlowRatio = c.Slow, result.Number(c.SlowRatio)
			for _, r := range c.Runs {
				x.Runs = append(x.Runs, result.Number(r))
			}
			for _, e := range c.Edges {
				x.Edges = append(x.Edges, result.ValidatedEdge{Edge: d.Program.Edges[e.Edge].Name,
					Predicted: result.Number(e.Predicted), Equal: result.Number(e.Equal),
					Measured: result.Number(e.Measured)})
			}
			for _, q := range c.Queues {
				x.Queues = append(x.Queues, result.ValidatedQueue{Kernel: d.Program.Kernels[q.Kernel].Name,
					Predicted: result.Number(q.Predicted), Measured: result.Number(q.Measured),
					Buffer: result.Number(q.Buffer), Utilization: result.Number(q.Utilization)})
			}
			for _, q := range c.EdgeQueues {
				x.EdgeQueues = append(x.EdgeQueues, result.EdgeQueue{Edge: d.Program.Edges[q.Edge].Name,
					Predicted: result.Number(q.Predicted), Measured: result.Number(q.Measured),
					Buffer: result.Number(q.Buffer), Full: q.Full, Unknown: q.Unknown, Why: q.Why})
			}
			for _, s := range c.Sizes {
				x.Sizes = append(x.Sizes, result.ValidatedSize{Edge: d.Program.Edges[s.Edge].Name,
					Recommended: result.Number(s.Recommended), Level: s.Level,
					Measured: result.Number(s.Measured), Buffer: result.Number(s.Buffer)})
			}
		}
		v.Cases = append(v.Cases, x)
	}
	return v
}

package validate

import (
	"context"
	"fmt"
	"slices"

	"xopt/deploy/faults"
	"xopt/flow/design"
)

// Again recomputes the predictions of cases with the figures of another design for the same application and
// architecture.
func Again(ctx context.Context, d *design.Design, cases []Case) ([]Case, error) {
	out := slices.Clone(cases)
	for i := range out {
		c := &out[i]
		measured := c.Edges
		c.Edges, c.Bottleneck = nil, nil
		if err := c.predict(ctx, d); err != nil {
			return nil, fmt.Errorf("predicting mapping %s: %w", c.Name, err)
		}
		if cases[i].Left > 0 {
			c.scale(cases[i].Left)
		}
		if len(measured) != len(c.Edges) {
			return nil, faults.OtherApplication.Errorf("the design belongs to another application")
		}
		for e := range measured {
			c.Edges[e].Measured = measured[e].Measured
		}
		for k := range c.Queues {
			c.Queues[k].Measured, c.Queues[k].Buffer = cases[i].Queues[k].Measured, cases[i].Queues[k].Buffer
		}
		if err := c.sizesAgain(ctx, d); err != nil {
			return nil, fmt.Errorf("predicting mapping %s: %w", c.Name, err)
		}
		if c.Fail == "" {
			if err := c.explain(ctx, d); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

package predict

import (
	"context"
	"fmt"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/result"
	"xopt/internal/units"
	"xopt/mapper/buffers"
)

// Verify gives a candidate the recommended sizes by the full rule ([buffers.Verified]), in place of
// those of closed forms, with which a search compares mappings.
func Verify(ctx context.Context, d *design.Design, m *flow.Mapping, c *result.Candidate) error {
	n, err := flow.NewNetwork(d.Problem, m)
	if err != nil {
		return err
	}
	s, err := flow.Fast{}.Solve(ctx, n)
	if err != nil {
		return err
	}
	sizes, err := buffers.Verified(ctx, n, s)
	if err != nil {
		return fmt.Errorf("sizing buffers: %w", err)
	}
	of := make(map[string]*buffers.Size, len(sizes))
	for e := range sizes {
		of[d.Problem.Application.Edges[e].Name] = &sizes[e]
	}
	all, largest := result.Number(0), result.Number(0)
	for i := range c.Queues {
		q := &c.Queues[i]
		if x := of[q.Edge]; q.Recommended != nil && x != nil {
			q.Recommended = recommended(x, float64(q.ElementBytes))
			all, largest = all+q.Recommended.Bytes, max(largest, q.Recommended.Bytes)
		}
	}
	if c.Measures != nil {
		c.Measures.Buffers, c.Measures.Buffer = all, largest
	}
	return nil
}

// Above says which buffers of a candidate are larger than a search was to allow, by the full rule; ""
// where none is.
func Above(c *result.Candidate, limit float64) string {
	if c.Measures == nil || !(limit > 0) || float64(c.Measures.Buffer) <= limit {
		return ""
	}
	return fmt.Sprintf("the largest buffer, held against a simulation, is %s: more than the %s asked for; the search "+
		"compares closed forms", units.Size(float64(c.Measures.Buffer)), units.Size(limit))
}

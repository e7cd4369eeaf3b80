package predict

import (
	"context"
	"fmt"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// Sized is a mapping with its recommended sizes by the full rule ([buffers.Verified]), which takes
// simulations: they are made once, for all that is said of the mapping.
type Sized struct {
	design   *design.Design
	network  *flow.Network
	solution *flow.Solution
	sizes    []buffers.Size // by edge
}

// Size sizes the buffers of a mapping of a design.
func Size(ctx context.Context, d *design.Design, m *flow.Mapping) (*Sized, error) {
	n, s, sizes, err := buffers.VerifiedOf(ctx, d.Problem, m)
	if err != nil {
		return nil, err
	}
	return &Sized{design: d, network: n, solution: s, sizes: sizes}, nil
}

// Simulated reports whether the mapping is small enough for every search to simulate it.
func (z *Sized) Simulated() bool { return buffers.Verifiable(z.network) }

// Verified scores one mapping as [Mapping] does, with its recommended sizes by the full rule.
func Verified(ctx context.Context, d *design.Design, m *flow.Mapping, solver flow.Solver,
	name string) (*result.Candidate, error) {
	c, err := Mapping(ctx, d, m, solver, name)
	if err != nil {
		return nil, err
	}
	sized, err := Size(ctx, d, m)
	if err != nil {
		return nil, err
	}
	sized.Verify(c)
	return c, nil
}

// Verify gives a candidate the sizes by the full rule, in place of those of closed forms, with which a
// search compares mappings.
func (z *Sized) Verify(c *result.Candidate) {
	of := make(map[string]*buffers.Size, len(z.sizes))
	for e := range z.sizes {
		of[z.design.Problem.Application.Edges[e].Name] = &z.sizes[e]
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
}

// Above says which buffers of a candidate are larger than a search was to allow, by the full rule; ""
// where none is.
func Above(c *result.Candidate, limit float64) string {
	if c.Measures == nil || !(limit > 0) || float64(c.Measures.Buffer) <= limit {
		return ""
	}
	return fmt.Sprintf("the largest buffer, checked by a simulation, is %s: more than the limit of %s; the search "+
		"compares closed forms", units.Size(float64(c.Measures.Buffer)), units.Size(limit))
}

package validate

import (
	"context"
	"fmt"
	"maps"
	"math"

	"xopt/deploy/run"
	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// Sizes recommends the sizes of all edges of a mapping from the figures of the design, using the full rule
// ([buffers.Verified]).
func Sizes(ctx context.Context, d *design.Design, m *flow.Mapping) ([]result.ValidatedSize, error) {
	_, _, list, err := buffers.VerifiedOf(ctx, d.Problem, m)
	if err != nil {
		return nil, err
	}
	sizes := make([]result.ValidatedSize, len(list))
	for e := range list {
		x := &list[e]
		sizes[e] = result.ValidatedSize{Edge: d.Program.Edges[e].Name, Recommended: x.Elements,
			Level: x.Level.String(), Reason: x.Reason}
	}
	return sizes, nil
}

// predictAll predicts a case. If o.Sizes is set, it also recommends sizes, unless the context has ended.
func (c *Case) predictAll(ctx context.Context, d *design.Design, o Options) (err error) {
	if err := c.predict(context.WithoutCancel(ctx), d); err != nil || !o.Sizes || ctx.Err() != nil {
		return err
	}
	if c.Sizes, err = Sizes(ctx, d, c.Mapping); ctx.Err() != nil {
		return nil
	}
	return err
}

// recommended returns the given sizes and the recommended sizes of the other edges, in elements by edge. If the
// recommended sizes exceed bufferMemory, the other edges keep the default size.
func (c *Case) recommended(given map[int]int) map[int]int {
	sizes, bytes := maps.Clone(given), 0.0
	if sizes == nil {
		sizes = make(map[int]int)
	}
	for e := range c.Sizes {
		if _, ok := sizes[e]; !ok {
			sizes[e] = int(min(math.Ceil(c.Sizes[e].Recommended), math.MaxInt32))
			bytes += c.Sizes[e].Recommended * c.design.Problem.Application.Edges[e].ElementBytes
		}
	}
	if bytes > bufferMemory {
		return given
	}
	return sizes
}

// bufferMemory is the memory, in bytes, that the buffers of a run can grow to, as in a deployment without
// --max-buffer-memory.
const bufferMemory = 1 << 30

// limit predicts a case with the buffers of its runs.
func (c *Case) limit(ctx context.Context, o Options) error {
	if o.BufferSeed == 0 || len(c.Looked.Room) != len(c.Edges) {
		return nil
	}
	own := *c.design
	own.Mapping = c.Mapping
	sizes := make([]int, len(c.Looked.Room))
	for e, room := range c.Looked.Room {
		sizes[e] = int(room)
	}
	w, err := predict.Ran(ctx, &own, sizes, o.BufferSeed)
	if err != nil {
		return fmt.Errorf("predicting mapping %s with the buffers of its runs: %w", c.Name, err)
	}
	if w == nil || w.Stopped != "" {
		return nil
	}
	w.Sizes = c.sizesOrigin()
	c.buffered, c.Unlimited = w, false
	if w.Costs(result.Number(c.Predicted)) {
		c.scale(float64(w.Throughput) / c.Predicted)
	}
	return nil
}

// sizesOrigin returns the origin of the buffer sizes of the runs as in [result.WithBuffers].
func (c *Case) sizesOrigin() string {
	own := "recommended"
	switch {
	case c.Virtual:
		own = "simulated"
	case len(c.recommended(nil)) == 0:
		own = "default"
	}
	switch c.Given {
	case 0:
		return own
	case len(c.Edges):
		return "given"
	}
	return "given, else " + own
}

// LimitTo limits the prediction of the case's mapping to the throughput with the buffers of its runs, or records that
// they do not reduce it.
func (c *Case) LimitTo(p *result.Candidate) {
	if c.buffered != nil {
		p.Limit(c.buffered)
		p.OmitKept()
	}
}

// scale multiplies the prediction by the fraction of the flow bound that buffers leave.
func (c *Case) scale(left float64) {
	c.Left = left
	c.Predicted *= left
	c.Equal = min(c.Equal, c.Predicted)
	for e := range c.Edges {
		c.Edges[e].Predicted *= left
		c.Edges[e].Equal = min(c.Edges[e].Equal, c.Edges[e].Predicted)
	}
}

// addSizes adds the maximum queue of each edge in a run.
func (c *Case) addSizes(m *run.Measurement) {
	for i := range c.Sizes {
		x, of := &c.Sizes[i], &m.Edges[i]
		x.Measured, x.Buffer = max(x.Measured, float64(of.MaxOccupancy)), float64(of.Capacity)
	}
}

// sizesAgain recomputes the recommended sizes and keeps the measured maxima.
func (c *Case) sizesAgain(ctx context.Context, d *design.Design) error {
	if len(c.Sizes) == 0 {
		return nil
	}
	sizes, err := Sizes(ctx, d, c.Mapping)
	if err != nil {
		return err
	}
	for e := range min(len(sizes), len(c.Sizes)) {
		sizes[e].Measured, sizes[e].Buffer = c.Sizes[e].Measured, c.Sizes[e].Buffer
	}
	c.Sizes = sizes
	return nil
}

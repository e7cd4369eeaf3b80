package paper

import (
	"context"
	"errors"
	"math"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/validate"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/mapper/result"
)

// QueueBound is one queue of one mapping: what the M/M/1 model says that it needs, beside
// the most that was in it (Beard 2013 §5.3). The elements of all inputs of a kernel
// count together (Fig. 6).
type QueueBound struct {
	Mapping, Kernel string
	// Modelled is K of Eq. 8 for a probability of 1e-7; Measured is exact, of every
	// element that was sent.
	Modelled, Measured float64
	Samples            uint64
	Utilization        float64 // of what is left to the kernel, predicted
	// Batch is how many elements come at once, as measured of the kernel before it
	// alone; the model has them come one by one.
	Batch float64
	// Pause is the longest time, in s, that a firing of a kernel on the same core took:
	// when the host takes the core away, what arrives waits. Arrivals are predicted, in
	// elements/s.
	Pause, Arrivals float64
	// Picks tells that the kernel takes from its inputs as it needs: what it does not
	// take waits (assumption 3 of Beard 2013 §3.3).
	Picks bool
}

// Exceeds reports whether more was measured than modelled, and why: "" where nothing that
// was measured explains it.
func (q *QueueBound) Exceeds() (exceeds bool, why string) {
	switch {
	case q.Measured <= q.Modelled:
		return false, ""
	case q.Picks:
		return true, "takes its inputs one after the other"
	case q.Measured <= math.Ceil(q.Batch)*q.Modelled:
		return true, "elements come in batches"
	case q.Measured <= math.Ceil(q.Batch)*q.Modelled+q.Pause*q.Arrivals:
		return true, "a firing on its core took long"
	}
	return true, ""
}

// Error is (modelled - measured) / measured, as Figs. 18-20 count it; for a queue that
// was always empty, against one element.
func (q *QueueBound) Error() float64 {
	m := math.Max(q.Measured, 1)
	return (q.Modelled - m) / m
}

// SizedQueue is the recommended size of an edge of one mapping, beside the most that was in it, exactly.
type SizedQueue struct {
	Mapping string
	result.ValidatedSize
	Samples uint64
}

// queueBounds runs one mapping with every element shown by itself, as the model has it,
// and every queue tapped at every element.
func queueBounds(ctx context.Context, d *design.Design, measured *profile.Profile, c *validate.Case,
	o validate.Options) ([]QueueBound, []SizedQueue, error) {
	placed := *d
	placed.Mapping = c.Mapping
	m, err := runTapped(ctx, &placed, o.WarmUp+o.Window)
	if err != nil {
		return nil, nil, err
	}
	bounds := make([]QueueBound, len(d.Program.Kernels))
	for k := range bounds {
		bounds[k] = QueueBound{Mapping: c.Name, Kernel: d.Program.Kernels[k].Name, Modelled: c.Queues[k].Predicted,
			Utilization: c.Queues[k].Utilization}
	}
	pause := make(map[int]float64) // of each core
	for k := range d.Program.Kernels {
		if t := m.Taps[len(d.Program.Edges)+k].Total; t.Samples > 0 {
			pause[c.Mapping.Place[k]] = max(pause[c.Mapping.Place[k]], t.Max)
		}
	}
	for e, edge := range d.Program.Edges {
		if t := m.Taps[e].Total; t.Samples > 0 {
			b := &bounds[edge.To]
			b.Measured += t.Max + 1 // with the element that found it so
			b.Samples += t.Samples
			b.Batch = max(b.Batch, batchOf(measured, d, edge))
			b.Arrivals += c.Edges[e].Predicted / d.Problem.Application.Edges[e].ElementBytes
			b.Pause = pause[c.Mapping.Place[edge.To]]
			kernel := &d.Program.Kernels[edge.To]
			b.Picks = len(kernel.Inputs) > 1 && len(d.Problem.Application.Kernels[edge.To].Joins) == 0
		}
	}
	var found []QueueBound
	for _, b := range bounds {
		if b.Modelled > 0 && b.Samples > 0 {
			found = append(found, b)
		}
	}
	sized, err := sizedQueues(ctx, d, c, m)
	return found, sized, err
}

// sizedQueues recommends the sizes of a mapping that was run with every queue tapped.
func sizedQueues(ctx context.Context, d *design.Design, c *validate.Case, m *run.Measurement) (
	[]SizedQueue, error) {
	sizes, err := validate.Sizes(ctx, d, c.Mapping)
	if err != nil {
		return nil, err
	}
	var list []SizedQueue
	for e, x := range sizes {
		t := m.Taps[e].Total
		if t.Samples == 0 {
			continue
		}
		x.Measured, x.Buffer = t.Max+1, float64(m.Edges[e].Capacity) // with the element that found it so
		list = append(list, SizedQueue{Mapping: c.Name, ValidatedSize: x, Samples: t.Samples})
	}
	return list, nil
}

// batchOf is how many elements the kernel before an edge sends over it at once.
func batchOf(p *profile.Profile, d *design.Design, edge xlang.Edge) float64 {
	from := &d.Program.Kernels[edge.From]
	for i := range p.Kernels {
		if k := &p.Kernels[i]; k.Instance == from.Name {
			if f, ok := k.Batch[from.Outputs[edge.FromPort].Name]; ok {
				return f.Value
			}
		}
	}
	return 1
}

// runTapped runs a design with every element shown by itself and every queue and
// service tapped at every element; the taps of the kernels follow those of the edges.
func runTapped(ctx context.Context, d *design.Design, window time.Duration) (*run.Measurement, error) {
	var taps []program.Tap
	for e := range d.Program.Edges {
		taps = append(taps, program.Tap{Kind: program.Occupancy, Edge: e, Every: 1})
	}
	for k := range d.Program.Kernels {
		taps = append(taps, program.Tap{Kind: program.Service, Kernel: k, Every: 1})
	}
	return runDesign(ctx, d, window, program.Options{Elements: math.MaxInt64, Exact: true, Taps: taps})
}

func runDesign(ctx context.Context, d *design.Design, window time.Duration, o program.Options) (_ *run.Measurement,
	err error) {
	prog, err := program.New(ctx, d, o, "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, prog.Remove()) }()
	return run.Well(ctx, prog, run.Options{Time: window})
}

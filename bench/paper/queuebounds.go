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

// QueueBound compares the predicted M/M/1 size of a queue in one mapping with the maximum number of elements in this
// queue (Beard 2013 §5.3). The queue of a kernel includes the elements of all its inputs (Fig. 6).
type QueueBound struct {
	Mapping, Kernel string
	// Modelled is K of Eq. 8 for a probability of 1e-7. Measured is the exact maximum over all sent elements.
	Modelled, Measured float64
	Samples            uint64
	Utilization        float64 // predicted utilization of the part of the core that is available to the kernel
	// Batch is the number of elements that arrive together, from a separate measurement of the sending kernel. In the
	// model, they arrive individually.
	Batch float64
	// Pause is the longest service time, in s, of a kernel on the same core, including preemptions by the host.
	// Elements that arrive in this time wait. Arrivals is the predicted arrival rate in elements/s.
	Pause, Arrivals float64
	// Picks reports that the kernel chooses which input to read, so that elements at other inputs wait, contrary to
	// assumption 3 of Beard 2013 §3.3.
	Picks bool
}

// Exceeds reports whether the measured number of elements exceeds the model. why is the reason; "" if no measured value
// explains the excess.
func (q *QueueBound) Exceeds() (exceeds bool, why string) {
	switch {
	case q.Measured <= q.Modelled:
		return false, ""
	case q.Picks:
		return true, "the kernel reads its inputs one after another"
	case q.Measured <= math.Ceil(q.Batch)*q.Modelled:
		return true, "elements arrive in batches"
	case q.Measured <= math.Ceil(q.Batch)*q.Modelled+q.Pause*q.Arrivals:
		return true, "long firing of a kernel on the same core"
	}
	return true, ""
}

// Error returns (modeled - measured) / measured, as in Figs. 18-20. A queue that is always empty counts as one
// element.
func (q *QueueBound) Error() float64 {
	m := math.Max(q.Measured, 1)
	return (q.Modelled - m) / m
}

// SizedQueue compares the recommended size of an edge in one mapping with the exact maximum number of elements on the
// edge.
type SizedQueue struct {
	Mapping string
	result.ValidatedSize
	Samples uint64
}

// queueBounds runs one mapping and compares its queues with the model. As in the model, kernels send every element
// individually. Taps observe every queue at every element.
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
	pause := make(map[int]float64) // longest pause on each core
	for k := range d.Program.Kernels {
		if t := m.Taps[len(d.Program.Edges)+k].Total; t.Samples > 0 {
			pause[c.Mapping.Place[k]] = max(pause[c.Mapping.Place[k]], t.Max)
		}
	}
	for e, edge := range d.Program.Edges {
		if t := m.Taps[e].Total; t.Samples > 0 {
			b := &bounds[edge.To]
			b.Measured += t.Max + 1 // plus the element that found this number
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

// sizedQueues compares the recommended sizes of a mapping with the queues in a run with taps on all edges.
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
		x.Measured, x.Buffer = t.Max+1, float64(m.Edges[e].Capacity) // plus the element that found this number
		list = append(list, SizedQueue{Mapping: c.Name, ValidatedSize: x, Samples: t.Samples})
	}
	return list, nil
}

// batchOf returns the batch size of the writer of an edge, in elements.
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

// runTapped runs a design with taps that measure every queue and every service at every element. Kernels send every
// element individually. The taps of edges precede the taps of kernels.
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

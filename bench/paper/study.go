package paper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"xopt/calibrate"
	"xopt/calibrate/profile"
	"xopt/configs"
	"xopt/flow"
	"xopt/internal/deploy/build"
	"xopt/internal/deploy/run"
	"xopt/internal/design"
	"xopt/internal/validate"
	"xopt/internal/xlang"
	"xopt/mapper"
)

// subject is an application to be calibrated, predicted and run.
type subject struct {
	name     string
	dir      string            // of its files
	files    []string          // X files, the architecture with them
	set      map[string]string // configs
	elements uint64            // of the recorded run
	// precision of the service rates that its calibration goes for; 0 for 1 %.
	precision float64
	// queues tells how many of its mappings are run for their queues.
	queues int
	turns  int              // of every kernel, before the runs and after; 0 for 1
	core   *profile.Sharing // how kernels share a core; nil for the default
}

// Study is what came of one application.
type Study struct {
	Name           string
	Kernels, Edges int
	Profile        *profile.Profile `json:",omitempty"`
	Disturbed      bool             // while its kernels were measured
	Cases          []validate.Case
	Summary        validate.Summary
	Queues         []QueueBound
	Seconds        float64 // that all of it took
	Fail           string  // why it could not be done; "" when it could
}

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

// Exceeds tells whether more was measured than modelled, and why: "" where nothing that
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

// load reads an application, with all its kernels on the first core, or with the
// figures of a profile.
func (s *subject) load(p *profile.Profile) (*design.Design, error) {
	var paths []string
	for _, f := range s.files {
		paths = append(paths, filepath.Join(s.dir, f))
	}
	prog, _, err := xlang.Load(paths, xlang.Options{Library: configs.Library(), Set: s.set})
	if err != nil {
		return nil, err
	}
	o := design.Options{Purpose: design.ForCheck}
	if p != nil {
		o.Purpose, o.Profile = design.ForSearch, design.FromProfile("a profile made just before", p, nil)
		o.JoinTolerance = design.MeasuredJoinTolerance
	}
	d, err := design.New(prog, o)
	if err != nil {
		return nil, err
	}
	if p == nil {
		d.Mapping = &flow.Mapping{Place: make([]int, len(prog.Kernels)), Route: make([][]int, len(prog.Edges))}
	}
	return d, nil
}

// study calibrates an application, runs mappings of it, and calibrates it again, so that
// drift of the machine meets both alike; then it compares what is predicted with what was
// measured.
func (s *subject) study(ctx context.Context, choice mapper.Choice, o validate.Options) (_ *Study, err error) {
	begin := time.Now()
	d, err := s.load(nil)
	if err != nil {
		return nil, err
	}
	out := &Study{Name: s.name, Kernels: len(d.Program.Kernels), Edges: len(d.Program.Edges)}
	session, err := calibrate.Open(ctx, d, calibrate.Options{Elements: s.elements, Precision: s.precision})
	if err != nil {
		return nil, fmt.Errorf("calibrating %s: %w", s.name, err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	if err := s.rounds(ctx, session); err != nil {
		return nil, err
	}
	if _, d, err = s.predicted(ctx, session, out); err != nil {
		return nil, err
	}
	names, mappings, err := mapper.Choose(ctx, d.Problem, d.Constraints, choice)
	if err != nil {
		return nil, fmt.Errorf("choosing mappings of %s: %w", s.name, err)
	}
	if out.Cases, err = validate.Mappings(ctx, d, names, mappings, o); err != nil {
		return nil, fmt.Errorf("running %s: %w", s.name, err)
	}
	if err := s.rounds(ctx, session); err != nil {
		return nil, err
	}
	measured, d, err := s.predicted(ctx, session, out)
	if err != nil {
		return nil, err
	}
	if out.Cases, err = validate.Again(ctx, d, out.Cases); err != nil {
		return nil, fmt.Errorf("predicting %s: %w", s.name, err)
	}
	out.Summary = validate.Summarize(out.Cases)
	for i := range min(s.queues, len(out.Cases)) {
		at := len(out.Cases) - 1 - i // the random ones are last
		bounds, err := queueBounds(ctx, d, measured, &out.Cases[at], o)
		if err != nil {
			return nil, fmt.Errorf("measuring the queues of %s: %w", s.name, err)
		}
		out.Queues = append(out.Queues, bounds...)
	}
	out.Seconds = time.Since(begin).Seconds()
	return out, nil
}

// rounds measures every kernel some times.
func (s *subject) rounds(ctx context.Context, session *calibrate.Session) error {
	for range max(s.turns, 1) {
		if err := session.Round(ctx); err != nil {
			return fmt.Errorf("calibrating %s: %w", s.name, err)
		}
	}
	return nil
}

// predicted is the application with the figures that a session has measured so far.
func (s *subject) predicted(ctx context.Context, session *calibrate.Session, out *Study) (*profile.Profile,
	*design.Design, error) {
	measured, report, err := session.Profile(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("calibrating %s: %w", s.name, err)
	}
	if s.core != nil {
		measured.Sharing = []profile.Sharing{*s.core}
	}
	out.Profile, out.Disturbed = measured, report.Disturbed != ""
	d, err := s.load(measured)
	if err != nil {
		return nil, nil, fmt.Errorf("predicting %s: %w", s.name, err)
	}
	return measured, d, nil
}

// queueBounds runs one mapping with every element shown by itself, as the model has it,
// and every queue tapped at every element.
func queueBounds(ctx context.Context, d *design.Design, measured *profile.Profile, c *validate.Case,
	o validate.Options) ([]QueueBound, error) {
	placed := *d
	placed.Mapping = c.Mapping
	m, err := runTapped(ctx, &placed, o.WarmUp+o.Window)
	if err != nil {
		return nil, err
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
	return found, nil
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
	var taps []build.Tap
	for e := range d.Program.Edges {
		taps = append(taps, build.Tap{Kind: build.Occupancy, Edge: e, Every: 1})
	}
	for k := range d.Program.Kernels {
		taps = append(taps, build.Tap{Kind: build.Service, Kernel: k, Every: 1})
	}
	return runDesign(ctx, d, window, build.Options{Elements: math.MaxInt64, Exact: true, Taps: taps})
}

func runDesign(ctx context.Context, d *design.Design, window time.Duration, o build.Options) (_ *run.Measurement,
	err error) {
	prog, err := build.New(ctx, d, o, "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, prog.Remove()) }()
	return run.Well(ctx, prog, run.Options{Time: window})
}

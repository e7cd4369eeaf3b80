package calibrate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"xopt/configs"
	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// The number of rounds, and the durations of runs, for measuring copies. Each round has a short and a long run of every
// variant.
const (
	copiesRounds = 7
	copiesShort  = 40 * time.Millisecond
	copiesLong   = 160 * time.Millisecond
)

// CopiesTime is the approximate duration of [Copies], including the start of each run.
const CopiesTime = 3*copiesRounds*(copiesShort+copiesLong+200*time.Millisecond) + 4*time.Second

// Copies measures the cost, per batch, of dividing a stream among copies of a kernel and of collecting their output.
//
// A source, a kernel and a sink run on one core, so that the data stay in its cache. Runs of three variants alternate:
// one kernel, two copies with unordered output, and two copies with ordered output. For each round:
//
//   - The cost of dividing is the processor time per batch of the second variant minus that of the first variant. It
//     includes selecting the batches of a copy and skipping the batches of the other copy.
//   - The cost of collecting is the processor time per batch of the third variant minus that of the second variant. It
//     includes marking the ends of batches and restoring their order.
//
// The costs exclude transfers between cores, which are measured separately for all edges ([Links]).
func Copies(ctx context.Context, progress func(done, all int)) (_ *profile.Copies, err error) {
	dir, err := unpackKernels()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var programs [3]*program.Program
	batch := 0
	for way := range programs {
		if programs[way], batch, err = copiesProgram(ctx, dir, way); err != nil {
			return nil, fmt.Errorf("building copies of kernels: %w", err)
		}
		defer func() { err = errors.Join(err, programs[way].Remove()) }()
	}
	var divide, collect []float64
	for round := range copiesRounds {
		if progress != nil {
			progress(round, copiesRounds)
		}
		var times [3]float64 // s/batch
		for way := range Alternating(round, len(programs)) {
			each, err := timeOfElement(ctx, programs[way])
			if err != nil {
				return nil, err
			}
			times[way] = float64(batch) * each
		}
		divide, collect = append(divide, times[1]-times[0]), append(collect, times[2]-times[1])
	}
	return &profile.Copies{Batch: batch, Divide: costFigure(divide), Collect: costFigure(collect)}, nil
}

// timeOfElement returns the processor time in seconds per element of a program with one process. It computes this time
// from the difference between a long and a short run, to exclude the start of the process. On a busy machine, it
// extends the long run until it processes at least twice as many elements as the short run.
func timeOfElement(ctx context.Context, prog *program.Program) (float64, error) {
	before, few, err := ranSo(ctx, prog, copiesShort)
	if err != nil {
		return 0, err
	}
	const tries = 6
	window := copiesLong
	for range tries {
		cpu, elements, err := ranSo(ctx, prog, window)
		if err != nil {
			return 0, err
		}
		if few > 0 && elements >= 2*few && cpu > before {
			return (cpu - before) / (elements - few), nil
		}
		if few == 0 {
			before, few = cpu, elements
		}
		window *= 2
	}
	return 0, fmt.Errorf("%w: a copied kernel processed almost no data", ErrTooBusy)
}

// ranSo runs a program for the given time. It returns the processor time in seconds and the number of elements that its
// sinks received.
func ranSo(ctx context.Context, prog *program.Program, window time.Duration) (cpu, elements float64, err error) {
	m, err := ranFor(ctx, prog, window, nil)
	if err != nil {
		return 0, 0, err
	}
	for p := range m.Processes {
		cpu += m.Processes[p].CPU
	}
	return cpu, sunk(prog.Description(), m), nil
}

// costFigure returns the median of windows with its interval. Negative values become 0.
func costFigure(windows []float64) profile.Figure {
	f := figure(windows, nil)
	f.Value, f.CI95[0], f.CI95[1] = max(f.Value, 0), max(f.CI95[0], 0), max(f.CI95[1], 0)
	return f
}

// copiesProgram builds one of three variants on one core, and returns the number of firings in a batch. Variant 0 is
// one kernel, 1 is two copies with unordered output, and 2 is two copies with ordered output.
func copiesProgram(ctx context.Context, dir string, way int) (*program.Program, int, error) {
	p, _, err := xlang.Load([]string{filepath.Join(dir, "copies.x")}, xlang.Options{Library: configs.Library()})
	if err != nil {
		return nil, 0, err
	}
	batch := 0
	if way > 0 {
		for i := range p.Maps {
			if m := &p.Maps[i]; m.Kernel >= 0 && p.Kernels[m.Kernel].Block == "Work" {
				m.Copies = []xlang.Copy{{Resource: m.Resource, Turns: 1}, {Resource: m.Resource, Turns: 1}}
				m.Unit = 1
			}
		}
		if p, err = p.Replicate(); err != nil {
			return nil, 0, err
		}
	}
	for k := range p.Kernels {
		if x := p.Kernels[k].Replica; x != nil {
			batch = x.Batch
		}
	}
	d, err := design.New(p, design.Options{Purpose: design.ForCheck})
	if err != nil {
		return nil, 0, err
	}
	prog, err := program.New(ctx, d, program.Options{CPUs: 1, Elements: 1 << 60, Unordered: way == 1}, "")
	return prog, batch, err
}

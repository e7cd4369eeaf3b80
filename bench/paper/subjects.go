package paper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"xopt/bench/apps"
	"xopt/bench/draw/taskgraph"
	"xopt/deploy/validate"
	"xopt/flow/profile"
	"xopt/internal/files/scratch"
	"xopt/mapper"
)

// syntheticBuffer is the buffer size of an edge in a synthetic application, in elements. It is large enough for the
// variation of kernel times, and small enough for the application to reach its steady state quickly.
const syntheticBuffer = 64

// studySynthetic generates and studies synthetic application number i.
func studySynthetic(ctx context.Context, i int, core *profile.Sharing, o Options) (s *Study, err error) {
	seed := o.Seed + uint64(i)
	g := taskgraph.Draw(seed, 0)
	for again := seed; o.MaxTasks > 0 && len(g.Times) > o.MaxTasks; {
		again += 1_000_003
		g = taskgraph.Draw(again, 0)
	}
	name := fmt.Sprintf("synthetic %d", i+1)
	o.Note(fmt.Sprintf("%s of %d: %d tasks", name, o.Apps, len(g.Times)))
	dir, err := scratch.Dir("", scratch.Bench)
	if err != nil {
		return nil, fmt.Errorf("creating a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := g.Write(dir, taskgraph.Options{Buffer: syntheticBuffer, Speed: apps.WorkSpeed(), Cores: 2}); err != nil {
		return nil, err
	}
	// The errors of kernels are independent. For a precision of 0.4 % of their sum, the figures of each kernel must be
	// more precise if there are fewer kernels.
	precision := math.Sqrt(float64(len(g.Times)) / 125_000)
	subject := &subject{name: name, dir: dir, files: []string{"app.x", "arch.x"}, elements: 500, precision: precision,
		core: core}
	if i%8 == 0 {
		subject.queues = 1
	}
	if o.Short {
		subject.precision = 0.05
	}
	// Warm up until buffers are full: after the slowest core has processed several hundred elements.
	total := 0.0
	for _, t := range g.Times {
		total += t
	}
	vo := validate.Options{Runs: o.Runs, Window: o.Window, WarmUp: max(o.Window/2,
		time.Duration(4*syntheticBuffer*total*float64(time.Second)))}
	if s, err = subject.study(ctx, mapper.Choice{Random: o.Mappings, Seed: seed}, vo); err != nil {
		return nil, err
	}
	s.Profile = nil // omit the profile of up to 80 kernels, which the seed reproduces
	return s, nil
}

// realApplication is one of the applications of bench/apps.
type realApplication struct {
	experiment, folder string
	elements           uint64
}

func realApplications() []realApplication {
	return []realApplication{
		{experiment: "16", folder: "jpeg", elements: 20},
		{experiment: "17", folder: "des", elements: 200_000},
		{experiment: "others", folder: "laplace", elements: 20_000},
		{experiment: "others", folder: "veritas", elements: 500},
		{experiment: "others", folder: "blastn", elements: 60_000},
	}
}

func studyReal(ctx context.Context, app realApplication, core *profile.Sharing, o Options) (_ *Study,
	err error) {
	dir, err := apps.Unpack(app.folder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	subject := &subject{name: app.folder, dir: dir, files: []string{"app.x", "arch.x"}, elements: app.elements,
		turns: 4, core: core, queues: 3}
	choice := mapper.Choice{Best: 3, Random: 8, Search: 2 * time.Second, Seed: o.Seed}
	if o.Short {
		choice.Best, choice.Random, subject.precision = 1, 1, 0.05
		subject.turns = 1
	}
	return subject.study(ctx, choice, validate.Options{Runs: o.Runs, Window: o.Window})
}

package paper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"xopt/bench/apps"
	"xopt/bench/taskgraph"

	"xopt/calibrate"
	"xopt/calibrate/profile"
	"xopt/internal/deploy/build"
	"xopt/internal/design"
	"xopt/internal/scratch"
	"xopt/internal/validate"
	"xopt/mapper"
)

// Options say which of the papers' experiments to repeat, and at what length.
type Options struct {
	// Only names experiments: "14", "15", "16", "17", "ch7", "others"; nil for all.
	Only     []string
	Apps     int // synthetic applications
	Mappings int // random ones of each
	// MaxTasks bounds the tasks of a synthetic application; 0 for 80.
	MaxTasks int
	Seed     uint64
	Runs     int           // of each mapping, in turns
	Window   time.Duration // of each run
	Short    bool          // fewer processes, mappings and kernels, for a look
	// Earlier holds experiments that are kept where Only does not name them.
	Earlier *Results
	// Note, if set, is told what is done.
	Note func(text string)
	// Done, if set, is given what there is after each part.
	Done func(*Results) error
}

// Results is what came of the papers' experiments on this machine.
type Results struct {
	Machine profile.Machine
	// Parts are the experiments in the order of Experiments; those that were kept from an
	// earlier call keep what they were made with.
	Parts []Part
	// Core is how kernels share a core, with what switching between them costs: the
	// sharing model that the predictions rest on.
	Core      *profile.Sharing
	Sharing   []SchedulerCase `json:",omitempty"` // Beard 2013, Fig. 14
	Synthetic []*Study        `json:",omitempty"` // Figs. 15 and 18
	Real      []*Study        `json:",omitempty"` // Figs. 16, 17, 19, 20, and others
	Jackson   []JacksonCase   `json:",omitempty"` // Lancaster 2011, ch. 7
}

// Part is when, with what options and on what machine one of the experiments was
// made.
type Part struct {
	Experiment string
	Began      time.Time
	Settings   Settings
	Spin       []float64 // reference spins throughout, s
}

// Settings are those of the options that figures depend on.
type Settings struct {
	Apps, Mappings, Runs int
	Seed                 uint64
	Window               string
	Short                bool
}

// Experiments lists the names of the experiments.
func Experiments() []string { return []string{"14", "15", "16", "17", "others", "ch7"} }

func (o *Options) wants(name string) bool {
	return o.Only == nil || slices.Contains(o.Only, name)
}

// Run repeats the papers' experiments. What there is is returned with an error too.
func Run(ctx context.Context, o Options) (*Results, error) {
	p := &Results{Machine: profile.ThisMachine()}
	if e := o.Earlier; e != nil {
		if e.Machine.CPU != p.Machine.CPU || e.Machine.Cores != p.Machine.Cores {
			return p, fmt.Errorf("the experiments that would be kept were made on %s with %d cores, not on this "+
				"machine; write to another folder", e.Machine.CPU, e.Machine.Cores)
		}
		p.Parts = e.Parts
		p.Core, p.Sharing, p.Synthetic, p.Jackson = e.Core, e.Sharing, e.Synthetic, e.Jackson
		for _, s := range e.Real {
			if !slices.ContainsFunc(realApplications(), func(r realApplication) bool {
				return r.folder == s.Name &&
					o.wants(r.experiment)
			}) {
				p.Real = append(p.Real, s)
			}
		}
		if o.wants("15") {
			p.Synthetic = nil
		}
	}
	// done notes that another piece of an experiment has been made.
	done := func(experiment string) error {
		p.part(experiment, o).Spin = append(p.part(experiment, o).Spin, profile.ReferenceSpin())
		if o.Done == nil {
			return nil
		}
		return o.Done(p)
	}
	p.Parts = slices.DeleteFunc(p.Parts, func(x Part) bool { return o.wants(x.Experiment) })
	if o.wants("14") {
		p.part("14", o)
		cases, err := Schedulers(ctx, SchedulersOptions{Short: o.Short, Note: o.Note})
		p.Sharing = cases
		if err := errors.Join(err, done("14")); err != nil {
			return p, fmt.Errorf("repeating Fig. 14: %w", err)
		}
	}
	if o.wants("15") || slices.ContainsFunc(realApplications(),
		func(r realApplication) bool { return o.wants(r.experiment) }) {
		o.Note("how kernels share a core")
		core, err := calibrate.RecommendSharing(ctx, design.CorePlatform, build.PerCore, build.WaitAuto, build.SchedulerOther, nil)
		if err != nil {
			return p, fmt.Errorf("measuring how kernels share a core: %w", err)
		}
		p.Core = core
	}
	for _, name := range realApplications() {
		if !o.wants(name.experiment) {
			continue
		}
		p.part(name.experiment, o)
		o.Note("application " + name.folder)
		s, err := studyReal(ctx, name, p.Core, o)
		if err != nil && ctx.Err() == nil {
			s, err = &Study{Name: name.folder, Fail: err.Error()}, nil
			o.Note(s.Fail)
		}
		if err == nil {
			p.Real = append(p.Real, s)
		}
		if err := errors.Join(err, done(name.experiment)); err != nil {
			return p, err
		}
	}
	if o.wants("15") {
		p.part("15", o)
		for i := range o.Apps {
			s, err := studySynthetic(ctx, i, p.Core, o)
			if err != nil && ctx.Err() == nil { // the others can go on
				s, err = &Study{Name: fmt.Sprintf("synthetic %d", i+1), Fail: err.Error()}, nil
				o.Note(s.Fail)
			}
			if err == nil {
				p.Synthetic = append(p.Synthetic, s)
			}
			if err := errors.Join(err, done("15")); err != nil {
				return p, fmt.Errorf("repeating Fig. 15: %w", err)
			}
		}
	}
	if o.wants("ch7") {
		p.part("ch7", o)
		o.Note("the Jacksonian model")
		cases, err := Jackson(ctx, o)
		p.Jackson = cases
		if err := errors.Join(err, done("ch7")); err != nil {
			return p, fmt.Errorf("repeating Lancaster 2011, ch. 7: %w", err)
		}
	}
	return p, nil
}

// part is what is known of an experiment, which begins now if it has not.
func (p *Results) part(experiment string, o Options) *Part {
	is := func(x Part) bool { return x.Experiment == experiment }
	if !slices.ContainsFunc(p.Parts, is) {
		p.Parts = append(p.Parts, Part{Experiment: experiment, Began: time.Now(),
			Spin: []float64{profile.ReferenceSpin()},
			Settings: Settings{Apps: o.Apps, Mappings: o.Mappings, Runs: o.Runs, Seed: o.Seed,
				Window: o.Window.String(), Short: o.Short}})
		order := Experiments()
		slices.SortStableFunc(p.Parts, func(a, b Part) int {
			return slices.Index(order, a.Experiment) - slices.Index(order, b.Experiment)
		})
	}
	return &p.Parts[slices.IndexFunc(p.Parts, is)]
}

// syntheticBuffer is what an edge of a synthetic application buffers, in elements: more
// than its kernels' times vary, and little enough to be in equilibrium soon.
const syntheticBuffer = 64

// studySynthetic makes the i-th synthetic application and studies it.
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
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := g.Write(dir, taskgraph.Options{Buffer: syntheticBuffer, Speed: apps.WorkSpeed(), Cores: 2}); err != nil {
		return nil, err
	}
	// The kernels of a core vary independently of each other: fewer of them need
	// surer figures for the same sum, 0.4 % here.
	precision := math.Sqrt(float64(len(g.Times)) / 125_000)
	subject := &subject{name: name, dir: dir, files: []string{"app.x", "arch.x"}, elements: 500, precision: precision,
		core: core}
	if i%8 == 0 {
		subject.queues = 1
	}
	if o.Short {
		subject.precision = 0.05
	}
	// Buffers are full when the slowest core has seen some hundred elements.
	total := 0.0
	for _, t := range g.Times {
		total += t
	}
	vo := validate.Options{Runs: o.Runs, Window: o.Window, WarmUp: max(o.Window/2,
		time.Duration(4*syntheticBuffer*total*float64(time.Second)))}
	if s, err = subject.study(ctx, mapper.Choice{Random: o.Mappings, Seed: seed}, vo); err != nil {
		return nil, err
	}
	s.Profile = nil // of 80 kernels; it can be made again from the seed
	return s, nil
}

// realApplication is one of the applications of this package.
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

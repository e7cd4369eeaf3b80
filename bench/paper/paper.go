// Package paper owns the papers' experiments, repeated on this machine, ours beside theirs: Beard 2013 §5 (how
// processes share a core, flows and queues of synthetic and of real applications), Lancaster 2011, ch. 7 (BLASTN
// as a Jacksonian network), and Gayen 2008, Tables 6.1 and 6.2 (a hybrid application over the bandwidth of its
// bus).
//
// It stands above calibrate, which measures kernels alone, and validate, which runs mappings; only cmd imports it.
package paper

import (
	"slices"
	"time"

	"xopt/flow/profile"
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

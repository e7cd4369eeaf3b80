// Package paper repeats experiments of the papers on this machine, and compares the results with the published results:
//
//   - Beard 2013 §5: the sharing of a core by processes, and the flows and queues of synthetic and real applications
//   - Lancaster 2011, ch. 7: BLASTN as a Jackson network
//   - Gayen 2008, Tables 6.1 and 6.2: a hybrid application at several bandwidths of its bus
package paper

import (
	"slices"
	"time"

	"xopt/flow/profile"
)

// Options selects the experiments for [Run] and configures them.
type Options struct {
	// Only lists the names of experiments: "14", "15", "16", "17", "ch7", "others"; nil for all.
	Only     []string
	Apps     int // number of synthetic applications
	Mappings int // number of random mappings of each application
	// MaxTasks is the maximum number of tasks of a synthetic application; 0 for 80.
	MaxTasks int
	Seed     uint64
	Runs     int           // number of runs of each mapping, which alternate
	Window   time.Duration // duration of each run
	Short    bool          // fewer processes, mappings and kernels, for a quick test
	// Earlier contains earlier results. Run keeps the results of experiments that are not in Only.
	Earlier *Results
	// Note, if not nil, receives progress messages.
	Note func(text string)
	// Done, if not nil, is called with the results after each part.
	Done func(*Results) error
}

// Results contains the results of the papers' experiments on this machine.
type Results struct {
	Machine profile.Machine
	// Parts contains the experiments in the order of Experiments. Parts from an earlier call keep their settings.
	Parts []Part
	// Core is the sharing model of cores for the predictions: the sharing rule and the switch cost.
	Core      *profile.Sharing
	Sharing   []SchedulerCase `json:",omitempty"` // Beard 2013, Fig. 14
	Synthetic []*Study        `json:",omitempty"` // Figs. 15 and 18
	Real      []*Study        `json:",omitempty"` // Figs. 16, 17, 19, 20, and other applications
	Jackson   []JacksonCase   `json:",omitempty"` // Lancaster 2011, ch. 7
}

// Part contains the date, the settings and the reference times of one experiment.
type Part struct {
	Experiment string
	Began      time.Time
	Settings   Settings
	Spin       []float64 // times of profile.ReferenceSpin during the experiment, s
}

// Settings contains the options on which the results depend.
type Settings struct {
	Apps, Mappings, Runs int
	Seed                 uint64
	Window               string
	Short                bool
}

// Experiments returns the names of the experiments.
func Experiments() []string { return []string{"14", "15", "16", "17", "others", "ch7"} }

func (o *Options) wants(name string) bool {
	return o.Only == nil || slices.Contains(o.Only, name)
}

// part returns the Part of an experiment. If there is none, it adds a Part that starts now.
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

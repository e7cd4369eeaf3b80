package unseen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"xopt/calibrate"
	"xopt/flow"
	"xopt/flow/profile"
	"xopt/internal/files/scratch"
	"xopt/mapper"
	"xopt/mapper/predict"
)

// RepeatOptions configures [Repeat].
type RepeatOptions struct {
	Files    []string // X files; none for the random application of Seed
	Seed     uint64   // seed of the random application and of the mappings
	Times    int      // number of calibrations
	Mappings int      // number of random mappings to predict with each calibration
	Budget   time.Duration
	// Progress, if set, is called with the current step, the elapsed time, and the estimated total time.
	Progress func(what string, done, all time.Duration)
}

// Repeated contains the figures and the predictions of several successive calibrations.
type Repeated struct {
	Costs       []RepeatedCost       `json:"figures"`
	Predictions []RepeatedPrediction `json:"predictions"`
	Disturbed   []string             `json:"disturbed,omitempty"` // description of the disturbance of each calibration
	// Agree is the number of pairs of figures whose 95 % intervals overlap, out of all pairs.
	Agree Share `json:"agree"`
	// Change is the spread, over the mappings, of the largest relative difference between predictions.
	Change Spread `json:"change"`
}

// RepeatedCost is one figure of a kernel in each calibration.
type RepeatedCost struct {
	Kernel  string           `json:"kernel"`
	What    string           `json:"what"` // "service rate", "send cost"
	Figures []profile.Figure `json:"figures"`
	Agree   bool             `json:"agree"` // all intervals overlap
}

// RepeatedPrediction contains the predicted throughput of a mapping in bytes/s, with each calibration.
type RepeatedPrediction struct {
	Name       string    `json:"name"`
	Throughput []float64 `json:"throughput"`
}

// Change returns the largest prediction divided by the smallest, minus 1.
func (p *RepeatedPrediction) Change() float64 {
	return slices.Max(p.Throughput)/slices.Min(p.Throughput) - 1
}

// Repeat calibrates one application several times, and predicts the same mappings with each calibration. It measures
// the machine only once.
func Repeat(ctx context.Context, o RepeatOptions) (_ *Repeated, err error) {
	a, paths := Draw(o.Seed), o.Files
	if len(paths) > 0 {
		d, err := calibrate.LoadMeasured(paths, nil, nil)
		if err != nil {
			return nil, err
		}
		a = &App{Seed: o.Seed, Kernels: make([]Kernel, len(d.Program.Kernels))}
	} else {
		dir, err := scratch.Dir("", scratch.Bench)
		if err != nil {
			return nil, fmt.Errorf("creating a folder: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		if err := a.Write(dir, profile.ThisMachine().Cores); err != nil {
			return nil, err
		}
		paths = pathsIn(dir)
	}
	b := &bench{Options: Options{Budget: o.Budget, Progress: o.Progress}}
	b.all = linksTime + sharingTime + time.Duration(o.Times)*b.calibration(a)
	var profiles []*profile.Profile
	out := &Repeated{}
	for range o.Times {
		p, disturbed, err := b.calibrate(ctx, a, paths)
		if err != nil {
			return nil, fmt.Errorf("calibrating: %w", err)
		}
		profiles, out.Disturbed = append(profiles, p), append(out.Disturbed, disturbed)
	}
	out.compare(profiles)
	return out, out.predict(ctx, paths, profiles, o)
}

// compare compares each figure of the first profile with the same figure in the other profiles.
func (r *Repeated) compare(profiles []*profile.Profile) {
	for i, p := range profiles[1:] {
		for _, d := range profile.Compare(profiles[0], p) {
			if d.Rules != [2]string{} {
				continue
			}
			at := slices.IndexFunc(r.Costs, func(c RepeatedCost) bool {
				return c.Kernel == d.Kernel && c.What == d.What
			})
			if at < 0 {
				at = len(r.Costs)
				r.Costs = append(r.Costs, RepeatedCost{d.Kernel, d.What, []profile.Figure{d.A}, true})
			}
			c := &r.Costs[at]
			c.Figures, c.Agree = append(c.Figures, d.B), c.Agree && d.Agree
			if r.Agree.Of++; d.Agree {
				r.Agree.Are++
			}
			if len(c.Figures) != i+2 {
				c.Agree = false // an earlier calibration lacks the figure
			}
		}
	}
}

// predict predicts the same random mappings with each profile.
func (r *Repeated) predict(ctx context.Context, paths []string, profiles []*profile.Profile, o RepeatOptions) error {
	var mappings []*flow.Mapping
	for i, p := range profiles {
		d, err := calibrate.LoadMeasured(paths, nil, p)
		if err != nil {
			return err
		}
		if i == 0 {
			var names []string
			if names, mappings, err = mapper.Choose(ctx, d.Problem, d.Constraints, mapper.Choice{Random: o.Mappings,
				Seed: o.Seed}); err != nil {
				return err
			}
			for _, n := range names {
				r.Predictions = append(r.Predictions, RepeatedPrediction{Name: n})
			}
		}
		for j, m := range mappings {
			x, err := predict.Mapping(ctx, d, m, flow.Fast{}, r.Predictions[j].Name)
			if err != nil {
				return fmt.Errorf("predicting %s: %w", r.Predictions[j].Name, err)
			}
			r.Predictions[j].Throughput = append(r.Predictions[j].Throughput, float64(x.Throughput))
		}
	}
	var changes []float64
	for i := range r.Predictions {
		changes = append(changes, r.Predictions[i].Change())
	}
	if len(changes) > 0 {
		r.Change = spreadOf(changes)
	}
	return nil
}

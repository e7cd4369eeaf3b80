package paper

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"xopt/calibrate"
	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/profile"
)

// Run repeats the papers' experiments. On an error, it also returns the partial results.
func Run(ctx context.Context, o Options) (*Results, error) {
	r := &repetition{Options: o, p: &Results{Machine: profile.ThisMachine()}}
	for _, step := range []func(context.Context) error{r.keep, r.schedulers, r.core, r.real, r.synthetic, r.jackson} {
		if err := step(ctx); err != nil {
			return r.p, err
		}
	}
	return r.p, nil
}

// repetition is the state of a call of Run.
type repetition struct {
	Options
	p *Results
}

// keep copies the results of Earlier for experiments that this call does not repeat.
func (r *repetition) keep(context.Context) error {
	p, e := r.p, r.Earlier
	if e == nil {
		return nil
	}
	if e.Machine.CPU != p.Machine.CPU || e.Machine.Cores != p.Machine.Cores {
		return fmt.Errorf("the existing experiments were measured on another machine (%s, %d cores): "+
			"choose another folder with -o", e.Machine.CPU, e.Machine.Cores)
	}
	p.Core, p.Sharing, p.Synthetic, p.Jackson = e.Core, e.Sharing, e.Synthetic, e.Jackson
	for _, x := range e.Parts {
		if !r.wants(x.Experiment) {
			p.Parts = append(p.Parts, x)
		}
	}
	for _, s := range e.Real {
		if !slices.ContainsFunc(r.applications(), func(x realApplication) bool { return x.folder == s.Name }) {
			p.Real = append(p.Real, s)
		}
	}
	if r.wants("15") {
		p.Synthetic = nil
	}
	return nil
}

// applications returns the applications with real kernels for the requested experiments.
func (r *repetition) applications() []realApplication {
	return slices.DeleteFunc(realApplications(), func(x realApplication) bool { return !r.wants(x.experiment) })
}

// start records the start of an experiment.
func (r *repetition) start(experiment string) { r.p.part(experiment, r.Options) }

func (r *repetition) done(experiment string) error {
	part := r.p.part(experiment, r.Options)
	part.Spin = append(part.Spin, profile.ReferenceSpin())
	if r.Done == nil {
		return nil
	}
	return r.Done(r.p)
}

func (r *repetition) schedulers(ctx context.Context) (err error) {
	if !r.wants("14") {
		return nil
	}
	r.start("14")
	r.p.Sharing, err = Schedulers(ctx, SchedulersOptions{Short: r.Short, Note: r.Note})
	if err := errors.Join(err, r.done("14")); err != nil {
		return fmt.Errorf("repeating Fig. 14: %w", err)
	}
	return nil
}

// core measures the sharing model of cores, if an experiment with applications is requested.
func (r *repetition) core(ctx context.Context) error {
	if !r.wants("15") && len(r.applications()) == 0 {
		return nil
	}
	r.Note("measuring kernels that share a core")
	core, err := calibrate.RecommendSharing(ctx, design.CorePlatform, calibrate.SharingCase{Style: program.PerCore,
		Wait: program.WaitAuto, Scheduler: program.SchedulerOther}, nil)
	if err != nil {
		return fmt.Errorf("measuring kernels that share a core: %w", err)
	}
	r.p.Core = core
	return nil
}

func (r *repetition) real(ctx context.Context) error {
	for _, app := range r.applications() {
		r.start(app.experiment)
		r.Note("studying application " + app.folder)
		s, err := studyReal(ctx, app, r.p.Core, r.Options)
		if s, err = r.settle(ctx, app.folder, s, err); err == nil {
			r.p.Real = append(r.p.Real, s)
		}
		if err := errors.Join(err, r.done(app.experiment)); err != nil {
			return err
		}
	}
	return nil
}

func (r *repetition) synthetic(ctx context.Context) error {
	if !r.wants("15") {
		return nil
	}
	r.start("15")
	for i := range r.Apps {
		s, err := studySynthetic(ctx, i, r.p.Core, r.Options)
		if s, err = r.settle(ctx, fmt.Sprintf("synthetic %d", i+1), s, err); err == nil {
			r.p.Synthetic = append(r.p.Synthetic, s)
		}
		if err := errors.Join(err, r.done("15")); err != nil {
			return fmt.Errorf("repeating Fig. 15: %w", err)
		}
	}
	return nil
}

// settle replaces the error of an application by a study with the reason, so that Run continues with the other
// applications. If ctx is done, it returns the error.
func (r *repetition) settle(ctx context.Context, name string, s *Study, err error) (*Study, error) {
	if err == nil || ctx.Err() != nil {
		return s, err
	}
	r.Note(err.Error())
	return &Study{Name: name, Fail: err.Error()}, nil
}

func (r *repetition) jackson(ctx context.Context) (err error) {
	if !r.wants("ch7") {
		return nil
	}
	r.start("ch7")
	r.Note("measuring the Jackson network")
	r.p.Jackson, err = Jackson(ctx, r.Options)
	if err := errors.Join(err, r.done("ch7")); err != nil {
		return fmt.Errorf("repeating Lancaster 2011, ch. 7: %w", err)
	}
	return nil
}

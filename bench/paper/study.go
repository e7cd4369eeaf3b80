package paper

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"xopt/calibrate"
	"xopt/deploy/validate"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/mapper"
	"xopt/mapper/result"
)

// subject is an application to study.
type subject struct {
	name     string
	dir      string            // folder of the files
	files    []string          // X files, including the architecture
	set      map[string]string // configs
	elements uint64            // number of elements in the recorded run
	// precision is the requested precision of service rates in the calibration; 0 for 1 %.
	precision float64
	// queues is the number of mappings to run with tapped queues.
	queues int
	turns  int              // number of measurements of every kernel before the runs, and after them; 0 means 1
	core   *profile.Sharing // sharing model of a core; nil for the default
}

// Study contains the results for one application.
type Study struct {
	Name           string
	Kernels, Edges int
	Profile        *profile.Profile `json:",omitempty"`
	Disturbed      bool             // the machine was disturbed while kernels were measured
	Cases          []validate.Case
	Summary        result.Summary
	Queues         []QueueBound
	Sizes          []SizedQueue `json:",omitempty"`
	Seconds        float64      // duration
	Fail           string       // reason why the study failed; "" if it did not
}

// load reads the application with the figures of a profile. If p is nil, all kernels are on the first core.
func (s *subject) load(p *profile.Profile) (*design.Design, error) {
	var paths []string
	for _, f := range s.files {
		paths = append(paths, filepath.Join(s.dir, f))
	}
	return calibrate.LoadMeasured(paths, s.set, p)
}

// study calibrates an application, runs mappings of the application, and calibrates it again, so that a drift of the
// machine affects the figures and the runs equally. It then compares predictions and measurements.
func (s *subject) study(ctx context.Context, choice mapper.Choice, o validate.Options) (_ *Study, err error) {
	start := time.Now()
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
		return nil, fmt.Errorf("searching mappings of %s: %w", s.name, err)
	}
	if out.Cases, err = validate.Mappings(ctx, d, validate.Choices(names, mappings), o); err != nil {
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
	if err := s.tapped(ctx, d, measured, out, o); err != nil {
		return nil, fmt.Errorf("measuring the queues of %s: %w", s.name, err)
	}
	out.Seconds = time.Since(start).Seconds()
	return out, nil
}

// tapped runs some of the mappings with tapped queues.
func (s *subject) tapped(ctx context.Context, d *design.Design, measured *profile.Profile, out *Study,
	o validate.Options) error {
	for i := range min(s.queues, len(out.Cases)) {
		at := len(out.Cases) - 1 - i // the random mappings are last
		bounds, sizes, err := queueBounds(ctx, d, measured, &out.Cases[at], o)
		if err != nil {
			return err
		}
		out.Queues, out.Sizes = append(out.Queues, bounds...), append(out.Sizes, sizes...)
	}
	return nil
}

// rounds measures every kernel in the number of rounds that turns requests.
func (s *subject) rounds(ctx context.Context, session *calibrate.Session) error {
	for range max(s.turns, 1) {
		if err := session.Round(ctx); err != nil {
			return fmt.Errorf("calibrating %s: %w", s.name, err)
		}
	}
	return nil
}

// predicted returns the profile of a session, and the application with its figures.
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

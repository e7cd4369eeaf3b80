package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/campaign"
	"xopt/deploy/validate"
	"xopt/flow"
	"xopt/flow/design"
)

// settleValidation refuses what a campaign of validations cannot do.
func (a *app) settleValidation() error {
	if a.settings.validate.refine != "" {
		return wrongUse("--refine is not of a campaign: refine a profile by a validation on one machine")
	}
	return nil
}

// planValidated checks what a campaign of validations will write.
func (a *app) planValidated(files []string) error {
	_, err := a.planValidation(files, &a.settings.validate)
	return err
}

// runMapping is a mapping that a point of a campaign runs.
type runMapping struct {
	Name    string        `json:"name"`
	Mapping *flow.Mapping `json:"mapping"`
	Buffers map[int]int   `json:"buffers,omitempty"`
}

// validationPoints chooses the mappings to run, each a point, as validate does.
func (a *app) validationPoints(c *cobra.Command, files []string) ([]campaign.Point, error) {
	if _, err := a.planValidation(files, &a.settings.validate); err != nil {
		return nil, err
	}
	x, err := a.choose(c, files, &a.settings.validate)
	if err != nil {
		return nil, err
	}
	points := make([]campaign.Point, len(x.mappings))
	for i, m := range x.mappings {
		if x.designs[i] != nil {
			return nil, wrongUse("%s runs kernels in copies, which a campaign does not run; validate it here",
				x.names[i])
		}
		text, err := json.Marshal(runMapping{Name: x.names[i], Mapping: m, Buffers: x.buffers[i]})
		if err != nil {
			return nil, fmt.Errorf("keeping mapping %s: %w", x.names[i], err)
		}
		points[i] = campaign.Point{Label: "mapping " + x.names[i], Args: []string{string(text)}}
	}
	return points, nil
}

// chosenBy are the mappings of points.
func (a *app) chosenBy(ctx context.Context, files []string, points []campaign.Point) (*chosen, error) {
	p, source, err := a.programs(ctx, files, true)
	if err != nil {
		return nil, err
	}
	x := &chosen{purpose: design.ForCheck}
	if x.design, err = a.lower(ctx, only(p, ""), source, files, x.purpose); err != nil {
		return nil, err
	}
	for i := range points {
		var m runMapping
		if len(points[i].Args) != 1 {
			return nil, fmt.Errorf("point %d has no mapping", i+1)
		}
		if err := json.Unmarshal([]byte(points[i].Args[0]), &m); err != nil {
			return nil, fmt.Errorf("reading the mapping of point %d: %w", i+1, err)
		}
		if m.Mapping == nil || len(m.Mapping.Place) != len(x.design.Program.Kernels) ||
			len(m.Mapping.Route) != len(x.design.Program.Edges) || !holds(x.design, m.Mapping) {
			return nil, fmt.Errorf("the mapping of point %d is not one of these files", i+1)
		}
		if m.Buffers == nil {
			m.Buffers = make(map[int]int) // none
		}
		x.names, x.mappings, x.buffers = append(x.names, m.Name), append(x.mappings, m.Mapping),
			append(x.buffers, m.Buffers)
	}
	return x, nil
}

// validationOptions say how mappings are run.
func (a *app) validationOptions(f *validateFlags) (o validate.Options, err error) {
	o = validate.Options{Runs: f.runs, Window: f.window, FromProfile: a.settings.From == fromProfile,
		Elements: a.settings.Elements, Seed: a.settings.Seed}
	if a.settings.Input != "" {
		o.Input, err = filepath.Abs(a.settings.Input)
	}
	return o, err
}

// validationComputer runs the mapping of a point.
func (a *app) validationComputer(_ *cobra.Command, files []string) (computer, error) {
	return func(ctx context.Context, p *campaign.Task) (any, error) {
		x, err := a.chosenBy(ctx, files, []campaign.Point{*p.Point})
		if err != nil {
			return nil, err
		}
		o, err := a.validationOptions(&a.settings.validate)
		if err != nil {
			return nil, err
		}
		var kept []byte
		var saved error
		o.Buffers, o.Sizes = x.buffers, true
		o.Save = func(d *validate.Done) {
			text, err := json.Marshal(d)
			kept, saved = text, errors.Join(saved, err)
		}
		cases, err := validate.Mappings(ctx, x.design, x.names, x.mappings, o)
		switch {
		case err != nil:
			return nil, fmt.Errorf("validating: %w", err)
		case saved != nil:
			return nil, fmt.Errorf("keeping what was run: %w", saved)
		case kept == nil: // it could not be run, and says why
			return validate.Done{Cases: cases, Flows: [][][]float64{make([][]float64, len(x.design.Program.Edges))}},
				nil
		}
		return json.RawMessage(kept), nil
	}, nil
}

// answered are the mappings that a campaign has run, with what was measured.
func (a *app) answered(c *cobra.Command, files []string, _ *validateFlags) (*chosen, error) {
	x, err := a.chosenBy(c.Context(), files, a.points)
	if err != nil {
		return nil, err
	}
	list, err := answersAs[validate.Done](a)
	if err != nil {
		return nil, err
	}
	x.earlier = &validate.Done{}
	for i := range list {
		d := &list[i]
		if len(d.Cases) != 1 || len(d.Flows) != 1 || len(d.Flows[0]) != len(x.design.Program.Edges) {
			return nil, fmt.Errorf("the answer of point %d is not of this application", i+1)
		}
		x.earlier.Cases, x.earlier.Flows = append(x.earlier.Cases, d.Cases[0]), append(x.earlier.Flows, d.Flows[0])
	}
	return x, nil
}

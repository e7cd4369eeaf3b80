package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/deploy/validate"
	"xopt/internal/fault"
	"xopt/mapper/result"
)

// prepareValidationCampaign rejects options that a campaign of validations does not support.
func (a *app) prepareValidationCampaign(files []string) error {
	if a.settings.Validate.Refine != "" {
		return faults.NotInCampaign.Usagef("--refine does not apply to a campaign; refine on one machine")
	}
	_, err := a.planValidation(files, &a.settings.Validate)
	return err
}

// mappingPoints selects mappings as validate does. It returns one point per mapping, which validates the last file on
// its command line.
func (a *app) mappingPoints(c *cobra.Command, s *submission) ([]campaign.Point, error) {
	x, err := a.choose(c, s.files, &a.settings.Validate)
	if err != nil {
		return nil, err
	}
	points := make([]campaign.Point, len(x.list))
	all := s.files
	for i := range x.list {
		p, m := &points[i], &x.list[i]
		p.Label = "mapping " + m.Name
		if m.Design != nil {
			return nil, fault.CopiesUnsupported.Usagef("%s has copies of kernels, which a campaign does not "+
				"support; run xopt validate on this machine", m.Name)
		}
		if file := m.File; file != "" {
			s.files = append(slices.DeleteFunc(slices.Clone(all), func(f string) bool { return f == file }), file)
		} else {
			name := m.Name + ".x"
			var text bytes.Buffer
			if err := x.design.WriteMapping(&text, m.Mapping, nil, ""); err != nil {
				return nil, err
			}
			p.Files = map[string]string{name: text.String()}
			s.files = append(slices.Clone(all), filepath.Join(campaign.OwnFolder, name))
		}
		p.Args = s.line([]string{"best", "random", "search-time"}, "--checkpoint", "0s")
	}
	s.files = all
	return points, nil
}

// recordRuns adds data to the result of a point. validate combines the answers of a campaign from these data.
func (a *app) recordRuns(r *result.Result, x *chosen, cases []validate.Case) error {
	if !a.role.Point {
		return nil
	}
	if r.Validation.Runs = x.saved; x.saved == nil { // the mapping could not run, and the result contains the reason
		var err error
		flows := [][][]float64{make([][]float64, len(x.design.Program.Edges))}
		r.Validation.Runs, err = json.Marshal(validate.Done{Cases: cases, Flows: flows})
		return err
	}
	return nil
}

// runsOf combines the runs of a campaign's points.
func (a *app) runsOf(x *chosen) (*validate.Done, error) {
	all := new(validate.Done)
	for i, answer := range a.answers {
		var r struct{ Validation struct{ Runs validate.Done } }
		if err := json.Unmarshal(answer.JSON, &r); err != nil {
			return nil, fmt.Errorf("reading the result of point %d: %w", i+1, err)
		}
		d := &r.Validation.Runs
		if len(d.Cases) != 1 || len(d.Flows) != 1 || len(d.Flows[0]) != len(x.design.Program.Edges) {
			return nil, faults.DamagedCampaign.Errorf("the result of point %d belongs to another application; "+
				"submit the campaign to a new folder", i+1)
		}
		all.Cases, all.Flows = append(all.Cases, d.Cases[0]), append(all.Flows, d.Flows[0])
	}
	return all, nil
}

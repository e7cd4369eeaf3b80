package main

import (
	"strings"

	"github.com/spf13/cobra"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// deployed reads the design to run, and what its figures predict of it: nil where not all
// of them are known.
func (a *app) deployed(c *cobra.Command, files []string) (*design.Design, *result.Candidate, error) {
	ctx := c.Context()
	given := a.settings.Profile != "" && !a.usualProfile
	d, err := a.design(ctx, files, design.ForDeploy)
	if err != nil && a.usualProfile { // a run needs no figures
		reason, path := err, a.settings.Profile
		a.leaveProfile()
		if d, err = a.design(ctx, files, design.ForDeploy); err == nil {
			a.note("note: no prediction from %s: %v", path, reason)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if err := d.Refuse(d.Mapping); err != nil {
		return nil, nil, &usageError{err}
	}
	full, err := a.design(ctx, files, design.ForMapping)
	if err == nil {
		var p *result.Candidate
		if p, err = predict.Verified(ctx, full, full.Mapping, flow.Fast{}, "predicted"); err == nil {
			return d, p, nil
		}
	}
	if given {
		a.note("note: nothing is predicted: %v", err)
		first, _, _ := strings.Cut(err.Error(), "\n")
		a.unpredicted = []string{"nothing is predicted: " + first}
		if a.told == nil {
			a.told = make(map[string]bool)
		}
		a.told[a.toldAs("note: "+a.unpredicted[0])] = true // the terminal has it in full
	}
	return d, nil, nil
}

package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/safetext"
	"xopt/mapper"
	"xopt/mapper/copies"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// deployed reads the design to run and predicts it. The prediction is nil if figures are missing. deployed stores the
// design of the prediction.
func (f *deployCommand) deployed(c *cobra.Command, files []string) (*design.Design, *result.Candidate, error) {
	ctx := c.Context()
	given := f.settings.Profile != "" && f.profileOf == ""
	d, err := f.design(ctx, files, design.ForDeploy)
	if err != nil && f.profileOf != "" { // a run requires no figures
		reason, path := err, f.settings.Profile
		f.leaveProfile()
		if d, err = f.design(ctx, files, design.ForDeploy); err == nil {
			f.noteID(faults.NoPrediction, "note: no prediction with %s: %v", path, reason)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if err := d.Refuse(d.Mapping); err != nil {
		return nil, nil, fault.Usage(err)
	}
	full, err := f.design(ctx, files, design.ForMapping)
	if err == nil {
		var p *result.Candidate
		if p, err = predict.Verified(ctx, full, full.Mapping, flow.Fast{}, "predicted"); err == nil {
			f.predicted = full
			p.Copies, _ = copies.Advise(ctx, full, full.Mapping, p, f.copyPolicy(mapper.Goal{}, files).Lower)
			return d, p, nil
		}
	}
	if lack := lacking(err); lack != "" && f.settings.Profile != "" {
		note := faults.NoPrediction.Notef("no prediction: %s has no figures of %s; measure them with: xopt "+
			"calibrate %s",
			f.settings.Profile, lack, safetext.ShellLine(design.CalibrationFiles(d.Program, d.Mapping, files)))
		f.unpredicted = []fault.Note{note}
		f.remarked.New([]string{"note: " + note.String()})
		f.noteID(faults.NoPrediction, "note: %s", note.Text)
	} else if given {
		f.noteID(faults.NoPrediction, "note: no prediction: %v", err)
		first, _, _ := strings.Cut(err.Error(), "\n")
		f.unpredicted = []fault.Note{faults.NoPrediction.Notef("no prediction: %s", first)}
		f.remarked.New([]string{"note: " + f.unpredicted[0].String()}) // the terminal has shown the complete text
	}
	return d, nil, nil
}

// lacking names the kernels and links whose missing figures prevent a prediction; "" for other errors.
func lacking(err error) string {
	var input *inputError
	if !errors.As(err, &input) {
		return ""
	}
	var names []string
	for _, x := range input.list {
		if x.Subject == "" {
			return ""
		}
		names = append(names, x.Subject)
	}
	return strings.Join(names, ", ")
}

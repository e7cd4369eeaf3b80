package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/safetext"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// deployed reads the design to run, and predicts it: nil if figures are missing. It stores the design of the
// prediction.
func (f *deployCommand) deployed(c *cobra.Command, files []string) (*design.Design, *result.Candidate, error) {
	ctx := c.Context()
	given := f.settings.Profile != "" && !f.usualProfile
	d, err := f.design(ctx, files, design.ForDeploy)
	if err != nil && f.usualProfile { // a run needs no figures
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
			return d, p, nil
		}
	}
	if lack := lacking(err); lack != "" && f.settings.Profile != "" {
		note := faults.NoPrediction.Notef("no prediction: %s has no figures of %s; measure them with: xopt "+
			"calibrate %s",
			f.settings.Profile, lack, safetext.ShellLine(measurable(d, files)))
		f.unpredicted = []fault.Note{note}
		f.remarked.New([]string{"note: " + note.String()})
		f.noteID(faults.NoPrediction, "note: %s", note.Text)
	} else if given {
		f.noteID(faults.NoPrediction, "note: no prediction: %v", err)
		first, _, _ := strings.Cut(err.Error(), "\n")
		f.unpredicted = []fault.Note{faults.NoPrediction.Notef("no prediction: %s", first)}
		f.remarked.New([]string{"note: " + f.unpredicted[0].String()}) // the terminal has the complete text
	}
	return d, nil, nil
}

// measurable returns the files from which calibrate measures kernels: if a kernel is mapped to an FPGA, without those
// that contain only the mapping, because a recorded run needs all kernels on cores.
func measurable(d *design.Design, files []string) []string {
	p := d.Program
	if d.Mapping == nil || !slices.ContainsFunc(d.Mapping.Place, func(r int) bool { return design.IsFPGA(p, r) }) {
		return files
	}
	mapped, declares := make(map[string]bool), make(map[string]bool)
	for i := range p.Maps {
		mapped[p.Maps[i].Pos.File] = true
	}
	for i := range p.Kernels {
		declares[p.Kernels[i].Pos.File] = true
	}
	for i := range p.Resources {
		declares[p.Resources[i].Pos.File] = true
	}
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return mapped[f] && !declares[f] })
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

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"xopt/calibrate/fresh"
	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/engine"
	"xopt/cmd/internal/campaign/file"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/settings"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// submitFile submits the campaign that a file describes.
func (a *app) submitFile(c *cobra.Command, path string) error {
	x, err := file.Read(path, a.table, fileKinds())
	if err != nil {
		return fault.Usage(err)
	}
	dir := a.settings.Campaign.Dir
	switch {
	case dir == "" && a.given("dir"):
		return faults.EmptyOption.Usagef("--dir is empty; expected the name of a folder")
	case dir == "":
		base := filepath.Base(path)
		for _, ending := range []string{".yaml", ".yml", ".campaign"} {
			base = strings.TrimSuffix(base, ending)
		}
		dir = base + ".campaign"
	}
	if c.Flags().Changed("engine") {
		x.Engine.Name = ""
	}
	e := a.settings.Campaign.Override(x.Engine)
	if err := errors.Join(x.CheckEngine(e.Name), a.otherEngine(e.Name)); err != nil {
		return fault.Usage(err)
	}
	line := append([]string{"xopt", x.Kind}, x.Options...)
	line = append(append(line, "--"+file.CampaignOption, dir), a.table.GlobalFlags(a.inForce)...)
	return a.become(append(append(line, "--"), x.Files...), &campaign.Role{Engine: &e, File: path})
}

// become replaces this process by another command.
func (a *app) become(line []string, role *campaign.Role) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding the path of xopt: %w", err)
	}
	a.flush()
	if err := errors.Join(a.kept.Close(), syscall.Exec(self, line, append(os.Environ(), role.Variable()))); err != nil {
		return fmt.Errorf("starting xopt %s: %w", line[1], err)
	}
	return nil
}

// submit creates the campaign of the app's command and starts to compute it.
func (a *app) submit(c *cobra.Command, s *submission, dir string, e campaign.Engine) error {
	k := s.kind
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if other := campaign.Below(dir); other != "" {
		return faults.InsideCampaign.Usagef("%s is inside the campaign folder %s, which may contain only campaign "+
			"files; name another folder", dir, other)
	}
	if err := k.prepare(a, s.files); err != nil {
		return err
	}
	wanted, err := a.resultFlags(k)
	if err != nil {
		return err
	}
	if s.in, err = a.inputsOf(c.Context(), s.files); err != nil {
		return err
	}
	what := campaign.What{Kind: k.name, Version: version(), Cores: k.cores(a), Work: s.in.Work, Keep: k.keep,
		Options: a.frozen(s.in)}
	for _, path := range s.files {
		what.Files = append(what.Files, s.in.Seen(path))
	}
	s.files = what.Files
	f, there, err := campaign.Create(dir, campaign.Campaign{What: what, Engine: e}, s.in.Copied,
		func() ([]campaign.Point, error) { return a.checkedPoints(c, s, &e) })
	var other *campaign.OtherError
	var occupied *campaign.OccupiedError
	switch {
	case errors.As(err, &other) || errors.As(err, &occupied):
		return fault.Usage(err)
	case err != nil:
		return err
	case there:
		a.note("%s already contains this campaign; xopt computes the missing points", dir)
	}
	f.Engine = e
	if err := a.start(c.Context(), f); err != nil {
		if there {
			return err
		}
		return f.RemoveNew(err)
	}
	switch {
	case a.code != exitDone || len(wanted) == 0:
		return nil
	case e.Name == campaign.Slurm: // Slurm has accepted the jobs
		a.noteID(faults.CollectWrites, "note: xopt campaign collect writes the requested output when the campaign "+
			"is complete")
		return nil
	}
	return a.present(c.Context(), f, k, wanted, "")
}

// checkedPoints returns the points of a campaign after checking that the engine can compute them.
func (a *app) checkedPoints(c *cobra.Command, s *submission, e *campaign.Engine) ([]campaign.Point, error) {
	if !s.kind.has(ownNodes) { // any machine can compute the points: check before searching mappings
		if err := engine.Fits(e, nil); err != nil {
			return nil, err
		}
	}
	points, err := s.kind.points(a, c, s)
	if err != nil {
		return nil, err
	}
	var nodes []string
	for i := range points {
		if n := points[i].Node; n != "" && !slices.Contains(nodes, n) {
			nodes = append(nodes, n)
		}
	}
	return points, engine.Fits(e, nodes)
}

// frozen returns the options that the answers depend on, as flags. It omits global options, output options, --campaign
// and the options in without.
func (a *app) frozen(in *campaign.Inputs, without ...string) []string {
	var flags []string
	for _, o := range a.table {
		v := a.inForce[o.Name]
		if v == nil || v.Option != o || !a.given(o.Name) || o.Commands == nil || o.IsOutput() ||
			o.Name == file.CampaignOption || o.Name == "profile" && v.String() == settings.NoProfile ||
			slices.Contains(without, o.Name) {
			continue
		}
		if o.Kind != options.File && o.Kind != options.Files {
			flags = append(flags, v.Args()...)
			continue
		}
		for _, path := range v.Items() {
			flags = append(flags, "--"+o.Name, in.Seen(path))
		}
	}
	return flags
}

func (a *app) inputsOf(ctx context.Context, files []string) (*campaign.Inputs, error) {
	p := &xlang.Program{}
	if len(files) > 0 {
		var err error
		if p, _, err = a.programs(ctx, files, true); err != nil {
			return nil, err
		}
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	paths := append([]string{a.settings.Profile, a.settings.Input}, fresh.Files(p)...)
	paths = append(paths, a.settings.Calibrate.Inputs...)
	for _, f := range p.Files {
		paths = append(paths, f.Path)
	}
	for i := range p.Kernels {
		paths = append(paths, p.Kernels[i].Config["input"].Text)
	}
	return campaign.FindInputs(here, paths)
}

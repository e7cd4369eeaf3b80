package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/proc"
)

// collect prints and writes the result of a campaign as its command would.
func (a *app) collect(ctx context.Context, f *campaign.Folder, _ string) error {
	k, err := kindIn(f)
	if err != nil {
		return err
	}
	out, flags, err := a.collectFlags(k)
	if err != nil {
		return err
	}
	return a.present(ctx, f, k, flags, out)
}

// present prints and writes the result of a campaign as its command would with additional options. It runs the command
// as a child process in the folder of the command's files. If out is not empty, the output goes to that file.
func (a *app) present(ctx context.Context, f *campaign.Folder, k *campaignKind, flags []string, out string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding the path of xopt: %w", err)
	}
	line := slices.Concat([]string{"xopt", f.Kind}, f.Options, flags, []string{"--"}, f.Files)
	role := campaign.Role{Collect: f.Dir, Partial: a.settings.Campaign.Partial}
	a.flush()
	cmd := &exec.Cmd{Path: self, Args: line, Dir: f.WorkFolder(), Env: append(os.Environ(), role.Variable()),
		Stdout: a.stdout.Under(), Stderr: a.stderr.Under()}
	var text bytes.Buffer
	if out != "" {
		cmd.Stdout = &text
	}
	if a.code, err = proc.RunUntil(ctx, cmd); err != nil {
		return fmt.Errorf("collecting the campaign: %w", err)
	}
	incomplete := k.has(ownNodes) && a.code == exitFailed && text.Len() > 0 // the table lists the missing points
	if out == "" || a.code != exitDone && !incomplete {
		return nil
	}
	return a.written(out, output.WriteFile(out, func(w io.Writer) error { _, err := text.WriteTo(w); return err }))
}

// collectFlags returns the flags of the command that correspond to the options of collect, and the file for its JSON
// output, if any.
func (a *app) collectFlags(k *campaignKind) (file string, flags []string, err error) {
	out, page := a.settings.Campaign.Out, a.settings.Report
	if page != "" && !slices.Contains(k.writes, "report") {
		return "", nil, faults.NoPage.Usagef("--report: campaigns of kind %s have no page", k.name)
	}
	p, asJSON := a.plan(), a.settings.JSON
	for _, x := range []struct {
		flag string
		path *string
	}{{"-o", &out}, {"--report", &page}} {
		if *x.path == "" {
			continue
		}
		if err := campaign.Closed(*x.path); err != nil {
			return "", nil, fault.WrongOptionValue.Usagef("%s: %w", x.flag, err)
		}
		if *x.path, err = filepath.Abs(*x.path); err != nil {
			return "", nil, err
		}
	}
	named := slices.Contains(k.writes, "out")
	switch {
	case out == "":
	case strings.HasSuffix(out, report.CSVEnding):
		flags = append(flags, "--csv", out)
		kind := output.Tables()
		if k.has(needsVary) { // the file of a sweep contains a single table without a title
			kind = output.SweepTable()
		}
		p.File("-o", out, kind)
	case k.has(ownNodes) && strings.HasSuffix(out, settings.ProfileSuffix):
		flags = append(flags, "--out", out)
	case strings.HasSuffix(out, ".json"):
		file, asJSON = out, true
		p.File("-o", out, output.Result())
	case named:
		flags = append(flags, "--out", out)
	default:
		return "", nil, faults.WrongOutputName.Usagef("-o %s: expected a name that ends in .csv or .json",
			a.settings.Campaign.Out)
	}
	if err := p.Err(); err != nil {
		return "", nil, err
	}
	if page != "" {
		flags = append(flags, "--report", page)
	}
	for _, x := range []struct {
		name string
		on   bool
	}{{"--json", asJSON}, {"--force", a.settings.Force}, {"--quiet", a.settings.Quiet}} {
		if x.on {
			flags = append(flags, x.name)
		}
	}
	return file, flags, nil
}

// resultFlags returns the output options of the command as flags that are valid in any working folder. It rejects
// options that a campaign does not support. It prints a note about options that were set for all commands and do not
// apply.
func (a *app) resultFlags(k *campaignKind) ([]string, error) {
	var flags []string
	requested := false
	for _, o := range a.table {
		v := a.inForce[o.Name]
		if v == nil || v.Option != o || !a.given(o.Name) || o.Commands == nil || !o.IsOutput() || v.Off() {
			continue
		}
		if !slices.Contains(k.writes, o.Name) {
			if v.Origin == options.OriginFlag {
				return nil, faults.NotForKind.Usagef("--%s does not apply to a campaign of kind %s%s", o.Name,
					k.name, otherwise(o))
			}
			a.noteID(faults.NotInCampaign, "note: %s (%s) does not apply to a campaign and is ignored", o.Key(),
				v.Origin)
			continue
		}
		requested = requested || o.Name != "force" && o.Name != "full"
		if o.Kind == options.Switch {
			flags = append(flags, "--"+o.Name)
			continue
		}
		path, err := filepath.Abs(v.String())
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--"+o.Name, path)
	}
	if !requested {
		return nil, nil
	}
	if a.settings.Quiet {
		flags = append(flags, "--quiet")
	}
	return flags, nil
}

// otherwise describes what a campaign offers in place of an option; "" for nothing.
func otherwise(o *options.Option) string {
	switch {
	case o.Group == options.GroupResuming:
		return ": campaigns save their progress automatically; continue with xopt campaign resume DIR"
	case o.Name == "out" || o.Kind == options.File:
		return ""
	}
	return "; xopt campaign collect DIR prints and writes the result"
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/options"
	"xopt/internal/files/output"
)

// collect prints and writes the result of a campaign, as its command would.
func (a *app) collect(ctx context.Context, dir string) error {
	f, err := openCampaign(dir)
	if err != nil {
		return err
	}
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

// present prints and writes the result of a campaign as its command would with these options beside those of the
// campaign. A process of its own does so where the command's files are. What it prints goes to a file, if one is named.
func (a *app) present(ctx context.Context, f *campaign.Folder, k *campaignKind, flags []string, out string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding the program itself: %w", err)
	}
	args := []string{"xopt", "campaign", "show"}
	if a.settings.campaign.partial {
		args = append(args, "--"+partialOption)
	}
	if a.settings.Quiet {
		args = append(args, "--quiet")
	}
	a.flush()
	cmd := &exec.Cmd{Path: self, Args: append(append(args, "--", f.Dir), flags...), Dir: f.WorkFolder(),
		Stdout: a.stdout.Under(), Stderr: a.stderr.Under()}
	var text bytes.Buffer
	if out != "" {
		cmd.Stdout = &text
	}
	if err := a.runUntil(ctx, cmd); err != nil {
		return fmt.Errorf("collecting the campaign: %w", err)
	}
	incomplete := k.name == nodesKind && a.code == exitFailed && text.Len() > 0 // the table names what is missing
	if out == "" || a.code != exitDone && !incomplete {
		return nil
	}
	err = output.WriteFile(out, func(w io.Writer) error { _, err := text.WriteTo(w); return err })
	if err == nil {
		a.note("wrote %s", out)
	}
	return err
}

// showResult prints and writes the result of a campaign whose command works in this process's working folder.
func (a *app) showResult(ctx context.Context, f *campaign.Folder, flags []string) error {
	k, err := kindIn(f)
	if err != nil {
		return err
	}
	if err := f.CheckInputs(); err != nil { // what is shown is computed from them, and would not be of the answers
		return err
	}
	points, answers, err := a.answersOf(f, k)
	if err != nil {
		return err
	}
	what := &campaign.What{Files: f.Files, Options: append(slices.Clone(f.Options), flags...)}
	sub, c, err := a.optionsOf(ctx, k, what, true)
	if err != nil {
		return err
	}
	sub.points, sub.answers = points, answers
	if k.collect != nil {
		err = k.collect(sub, c, f.Files)
	} else {
		err = c.RunE(c, f.Files)
	}
	a.code = sub.code
	return err
}

// answersOf reads the answers of all points. Where some are missing it is an error, or they are left out: those of a
// kind that shows all of its points are nil then.
func (a *app) answersOf(f *campaign.Folder, k *campaignKind) ([]campaign.Point, []json.RawMessage, error) {
	list, damaged, differ, err := f.Answers()
	if err != nil {
		return nil, nil, err
	}
	for _, d := range damaged {
		a.note("warning: %v", d)
	}
	if len(differ) > 0 && k.exact {
		a.note("warning: point %d (%s) and %d more were computed twice, with different answers: something else than "+
			"the "+
			"files and options counts in them", differ[0]+1, f.Points[differ[0]].Label, len(differ)-1)
	}
	var points []campaign.Point
	answers := []json.RawMessage{} // nil would have the command compute
	done := 0
	for i, x := range list {
		var text json.RawMessage
		if x != nil {
			done++
			text = x.JSON
		}
		if x != nil || k.shows {
			points, answers = append(points, f.Points[i]), append(answers, text)
		}
	}
	missing := fmt.Sprintf("%d of %d points have no result; xopt campaign resume %s computes them", len(list)-done,
		len(list), shellWord(f.Dir))
	switch {
	case done == len(list):
	case !a.settings.campaign.partial:
		return nil, nil, fmt.Errorf("%s; --%s shows what is done", missing, partialOption)
	case done == 0:
		return nil, nil, errors.New(missing)
	default:
		a.note("warning: %s", missing)
	}
	return points, answers, nil
}

// answersAs reads the answers of a campaign.
func answersAs[T any](a *app) ([]T, error) {
	list := make([]T, len(a.answers))
	for i, text := range a.answers {
		if err := json.Unmarshal(text, &list[i]); err != nil {
			return nil, fmt.Errorf("reading the answer of point %d (%s): %w", a.points[i].N+1, a.points[i].Label, err)
		}
	}
	return list, nil
}

// collectFlags are the options of the command that what is asked of collect stands for, and the file that its JSON goes
// to, if any.
func (a *app) collectFlags(k *campaignKind) (file string, flags []string, err error) {
	out, report := a.settings.campaign.out, a.settings.Report
	if report != "" && !slices.Contains(k.writes, "report") {
		return "", nil, wrongUse("--report: the result of a campaign of kind %s has no page", k.name)
	}
	p, asJSON := a.plan(), a.settings.JSON
	for _, x := range []struct {
		flag string
		path *string
	}{{"-o", &out}, {"--report", &report}} {
		if *x.path == "" {
			continue
		}
		if err := notInCampaign(*x.path); err != nil {
			return "", nil, wrongUse("%s: %w", x.flag, err)
		}
		if *x.path, err = filepath.Abs(*x.path); err != nil {
			return "", nil, err
		}
	}
	named := slices.Contains(k.writes, "out")
	switch {
	case out == "":
	case strings.HasSuffix(out, csvEnding):
		flags = append(flags, "--csv", out)
		kind := output.Tables()
		if k.name == "sweep" { // its file has one table, and no line above it
			kind = output.SweepTable()
		}
		p.File("-o", out, kind)
	case k.name == nodesKind && strings.HasSuffix(out, profileSuffix):
		flags = append(flags, "--out", out)
	case strings.HasSuffix(out, ".json"):
		file, asJSON = out, true
		p.File("-o", out, output.Result())
	case named:
		flags = append(flags, "--out", out)
	default:
		return "", nil, wrongUse("-o %s: want a name that ends in .csv or .json", a.settings.campaign.out)
	}
	if err := planned(p); err != nil {
		return "", nil, err
	}
	if report != "" {
		flags = append(flags, "--report", report)
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

// notInCampaign is an error where a path leads into the folder of a campaign, which holds its own files alone.
func notInCampaign(path string) error {
	if dir := campaign.Around(path); dir != "" {
		return fmt.Errorf("%s is in the folder of a campaign, %s, which holds its own files alone: name another place",
			path, dir)
	}
	return nil
}

// resultFlags are the options of the command of a campaign that say what is printed and written of the result, as flags
// that hold wherever the command works. Nothing of that is dropped silently: what a campaign cannot do is refused, or
// told where it is set for all commands.
func (a *app) resultFlags(k *campaignKind) ([]string, error) {
	var flags []string
	asked := false
	for _, o := range a.table {
		v := a.inForce[o.Name]
		if v == nil || v.Option != o || !a.given(o.Name) || o.Commands == nil || !o.IsOutput() || v.Off() {
			continue
		}
		if !slices.Contains(k.writes, o.Name) {
			if v.Origin == options.OriginFlag {
				return nil, wrongUse("--%s is not of a campaign of kind %s%s", o.Name, k.name, otherwise(o))
			}
			a.note("note: %s (%s) is not of a campaign", o.Key(), v.Origin)
			continue
		}
		asked = asked || o.Name != "force" && o.Name != "full"
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
	if !asked {
		return nil, nil
	}
	if a.settings.Quiet {
		flags = append(flags, "--quiet")
	}
	return flags, nil
}

// otherwise says how a campaign does what an option stands for, where it does.
func otherwise(o *options.Option) string {
	switch {
	case o.Group == options.GroupResuming:
		return ": it keeps what is done by itself, and xopt campaign resume DIR goes on"
	case o.Name == "out" || o.Kind == options.File:
		return ""
	}
	return "; xopt campaign collect DIR prints and writes the result"
}

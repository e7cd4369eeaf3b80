package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"xopt/internal/campaign"
	"xopt/internal/output"
	"xopt/internal/safetext"
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
	points, answers, err := a.answersOf(f, k)
	if err != nil {
		return err
	}
	out, flags, err := a.collectFlags(k)
	if err != nil {
		return err
	}
	// The command works where its files are, as it has computed the points.
	here, err := os.Getwd()
	if err == nil {
		err = os.Chdir(f.WorkFolder())
	}
	if err != nil {
		return fmt.Errorf("collecting the campaign: %w", err)
	}
	var text bytes.Buffer
	a.code = a.as(ctx, k.line(f.Files, append(f.Options, flags...)), func(sub *app) {
		sub.sealed, sub.points, sub.answers = true, points, answers
		if out != "" {
			sub.stdout = safetext.NewWriter(&text)
		}
		if k.collect != nil {
			sub.instead = func(c *cobra.Command, files []string) error { return k.collect(sub, c, files) }
		}
	})
	if err := os.Chdir(here); err != nil {
		return fmt.Errorf("collecting the campaign: %w", err)
	}
	if out == "" || a.code != exitDone {
		return nil
	}
	err = output.WriteFile(out, func(w io.Writer) error { _, err := text.WriteTo(w); return err })
	if err == nil {
		a.note("wrote %s", out)
	}
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
	for _, path := range []*string{&out, &report} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return "", nil, err
		}
	}
	asJSON := a.settings.JSON
	switch {
	case out == "":
	case strings.HasSuffix(out, csvEnding):
		flags = append(flags, "--csv", out)
	case k.named && strings.HasSuffix(out, profileSuffix):
		flags = append(flags, "--out", out)
	case strings.HasSuffix(out, ".json"):
		file, asJSON = out, true
		p := a.plan()
		p.File("-o", out, output.Result())
		if err := planned(p); err != nil {
			return "", nil, err
		}
	case k.named:
		flags = append(flags, "--out", out)
	default:
		return "", nil, wrongUse("-o %s: want a name that ends in .csv or .json", a.settings.campaign.out)
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

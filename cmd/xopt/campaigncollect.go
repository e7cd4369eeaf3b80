package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"xopt/internal/campaign"
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
	answers, err := a.answersOf(f)
	if err != nil {
		return err
	}
	flags, err := a.collectFlags()
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
	a.code = a.as(ctx, k.line(f.Files, append(f.Options, flags...)), func(sub *app) {
		sub.sealed, sub.answers = true, answers
		if k.collect != nil {
			sub.instead = func(c *cobra.Command, files []string) error { return k.collect(sub, c, files) }
		}
	})
	return os.Chdir(here)
}

// answersOf reads the answers of all points. It is an error where one is missing.
func (a *app) answersOf(f *campaign.Folder) ([]json.RawMessage, error) {
	list, damaged, differ, err := f.Answers()
	if err != nil {
		return nil, err
	}
	for _, d := range damaged {
		a.note("warning: %v", d)
	}
	if len(differ) > 0 {
		a.note("warning: point %d (%s) and %d more were computed twice, with different answers: something else than "+
			"the "+
			"files and options counts in them", differ[0]+1, f.Points[differ[0]].Label, len(differ)-1)
	}
	answers := make([]json.RawMessage, len(list))
	missing := 0
	for i, x := range list {
		if x == nil {
			missing++
			continue
		}
		answers[i] = x.JSON
	}
	if missing > 0 {
		return nil, fmt.Errorf("%d of %d points have no result; xopt campaign resume %s computes them", missing,
			len(list), shellWord(f.Dir))
	}
	return answers, nil
}

// collectFlags are the options of the command that what is asked of collect stands for.
func (a *app) collectFlags() ([]string, error) {
	var flags []string
	out := a.settings.campaign.out
	switch {
	case out == "":
	case strings.HasSuffix(out, csvEnding):
		whole, err := filepath.Abs(out)
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--csv", whole)
	default:
		return nil, wrongUse("-o %s: want a name that ends in .csv", out)
	}
	if a.settings.Report != "" {
		whole, err := filepath.Abs(a.settings.Report)
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--report", whole)
	}
	for _, x := range []struct {
		name string
		on   bool
	}{{"--json", a.settings.JSON}, {"--force", a.settings.Force}, {"--quiet", a.settings.Quiet}} {
		if x.on {
			flags = append(flags, x.name)
		}
	}
	return flags, nil
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xopt/internal/campaign"
	"xopt/internal/result"
	"xopt/internal/view"
)

// searchedAnswer is what a search has found, as campaigns keep it: what it would have written.
type searchedAnswer struct {
	Result json.RawMessage   `json:"result"`
	Maps   map[string]string `json:"maps"` // map files, by name
}

// settleSearch has searches of a campaign use one thread, where nothing else is said: the answer depends on the
// number, which must not be that of whatever machine computes it.
func (a *app) settleSearch() error {
	if err := a.searchSettings(); err != nil {
		return err
	}
	if a.settings.Objective != "" {
		if g, err := a.settings.goal(); err == nil && g.Several() {
			return wrongUse("a campaign of searches is for one objective")
		}
	}
	if a.settings.Time > 0 {
		a.note("note: searches that end by time find more on faster machines; with evals the answer is the same " +
			"each time")
	}
	if a.settings.Threads > 0 {
		return nil
	}
	return a.force("threads", "1")
}

// searchComputer computes the points of a campaign of searches.
func (a *app) searchComputer(c *cobra.Command, files []string) (computer, error) {
	if err := a.searchSettings(); err != nil {
		return nil, err
	}
	a.settings.Checkpoint, a.settings.Force = 0, true // nothing is written
	delete(a.inForce, seedsOption)                    // each is a search of its own
	return func(ctx context.Context, p *campaign.Point) (any, error) {
		seed, err := seedOf(p)
		if err != nil {
			return nil, err
		}
		a.settings.Seed, a.begun = seed, time.Now()
		s, err := a.prepareSearch(ctx, files)
		if err != nil {
			return nil, err
		}
		if err := a.runSearch(ctx, s); err != nil {
			return nil, err
		}
		extras, cancel := a.extras(ctx)
		defer cancel()
		if err := a.rankRobustly(extras, s); err != nil {
			return nil, err
		}
		r, maps, err := a.searchResult(ctx, extras, ctx, s)
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		if err := r.Encode(&text); err != nil {
			return nil, err
		}
		x := searchedAnswer{Result: text.Bytes(), Maps: make(map[string]string)}
		for _, m := range maps {
			x.Maps[m.path] = string(m.text)
		}
		return x, nil
	}, nil
}

// collectSearch shows what each seed has found, and the best of it as search does.
func (a *app) collectSearch(c *cobra.Command, files []string) error {
	goal, err := a.settings.goal()
	if err != nil {
		return &usageError{err}
	}
	var results []*result.Result
	var answers []searchedAnswer
	for _, text := range a.answers {
		var x searchedAnswer
		if err := json.Unmarshal(text, &x); err != nil {
			return fmt.Errorf("reading the answer of a search: %w", err)
		}
		r, err := result.Decode("the answer of a search", bytes.NewReader(x.Result))
		if err != nil {
			return err
		}
		results, answers = append(results, r), append(answers, x)
	}
	objective := goal.First().String()
	best := view.BestSeed(results, objective)
	table := view.Part{Table: view.Seeds(results, objective)}
	if best < 0 {
		return errors.Join(a.show(table), errors.New("no search has found a mapping"))
	}
	r := results[best]
	if a.settings.Out != "" {
		err = a.writeSearched(r, &answers[best])
	}
	err = errors.Join(err, a.keepReport(baseName(files), r), a.saveTables([]*view.Table{table.Table}))
	if !a.settings.JSON {
		err = errors.Join(err, a.show(table))
		fmt.Fprintln(a.stdout)
	}
	return errors.Join(err, a.print(r))
}

// writeSearched writes the result and the map files of the best search.
func (a *app) writeSearched(r *result.Result, x *searchedAnswer) error {
	out, folder := outputs{a.settings.Out}, filepath.Dir(a.settings.Out)
	plan := a.plan()
	if err := out.plan(plan, len(r.Candidates)); err != nil {
		return err
	}
	if err := planned(plan); err != nil {
		return err
	}
	var maps []mapText
	for i := range r.Candidates {
		name := r.Candidates[i].File
		if text, ok := x.Maps[name]; ok {
			r.Candidates[i].File = out.mapping(i + 1)
			path := out.mapping(i + 1)
			maps = append(maps, mapText{path: path, text: []byte(strings.ReplaceAll(text, name, path))})
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	err := out.save(r, maps)
	if err == nil {
		a.wrote = append(a.wrote, out.result(), mapFiles(out, len(r.Candidates)))
		a.note("wrote %s and %s", out.result(), mapFiles(out, len(r.Candidates)))
	}
	return err
}

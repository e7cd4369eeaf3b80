package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/report"
	"xopt/flow/design"
	"xopt/internal/files/output"
	"xopt/mapper"
	"xopt/mapper/result"
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
	if a.settings.search.prove != "" {
		return wrongUse("--prove is not of a campaign: its searches have the bound of xopt alone")
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

// checkSearch is an error where the files or the options of a search are such that each of its points would fail.
func (a *app) checkSearch(c *cobra.Command, files []string) error {
	d, err := a.design(c.Context(), files, design.ForSearch)
	if err != nil {
		return err
	}
	s := &searching{files: files, design: d}
	if err := a.prepareGoal(s); err != nil {
		return err
	}
	return s.goal.Validate(d.Problem)
}

// planSearch checks what a search of a campaign will write.
func (a *app) planSearch(files []string) error {
	p := a.plan()
	if a.settings.Out != "" {
		if err := (outputs{a.settings.Out}).plan(p, a.settings.Top); err != nil {
			return err
		}
	}
	a.planReport(p, baseName(files))
	a.planTables(p, output.Tables())
	return planned(p)
}

// searchComputer computes the points of a campaign of searches.
func (a *app) searchComputer(c *cobra.Command, files []string) (computer, error) {
	if err := a.searchSettings(); err != nil {
		return nil, err
	}
	a.settings.Checkpoint, a.settings.Force = 0, true // nothing is written
	delete(a.inForce, seedsOption)                    // each is a search of its own
	limit := a.settings.Time
	return func(ctx context.Context, p *campaign.Task) (any, error) {
		seed, err := seedOf(p.Point)
		if err != nil {
			return nil, err
		}
		a.settings.Seed, a.settings.Time, a.begun = seed, limit, time.Now()
		s, err := a.prepareSearch(ctx, files)
		if err != nil {
			return nil, err
		}
		if s.from = stateOf(p); s.from != nil && limit > 0 {
			a.settings.Time = max(time.Millisecond, limit-s.from.Elapsed)
		}
		s.every, s.keep = p.Every, a.keeping(p)
		err = a.runSearch(ctx, s)
		var wrong *mapper.StateError
		if s.from != nil && errors.As(err, &wrong) { // what was kept cannot be used
			s.from, a.settings.Time = nil, limit
			err = a.runSearch(ctx, s)
		}
		if err != nil {
			return nil, err
		}
		s.found.Runs = 1 // how often it was ended and went on is of no consequence
		return a.searchedAnswer(ctx, s)
	}, nil
}

// stateOf is where an earlier process was with a search; nil for its beginning.
func stateOf(p *campaign.Task) *mapper.State {
	state := new(mapper.State)
	if len(p.Kept) == 0 || json.Unmarshal(p.Kept, state) != nil {
		return nil
	}
	return state
}

// keeping keeps where a point of a campaign is. What takes no longer than the time between is not worth it.
func (a *app) keeping(p *campaign.Task) func(*mapper.State) {
	begun := time.Now()
	return func(s *mapper.State) {
		if time.Since(begun) >= p.Every {
			a.keepTask(p, s)
		}
	}
}

// keepTask keeps where a point of a campaign is. That it cannot be kept does not end it.
func (a *app) keepTask(p *campaign.Task, state any) {
	text, err := json.Marshal(state)
	if err == nil {
		err = p.Keep(text)
	}
	if err != nil {
		a.note("warning: keeping where the search is: %v", err)
	}
}

// searchedAnswer is what a search that has ended has found.
func (a *app) searchedAnswer(ctx context.Context, s *searching) (*searchedAnswer, error) {
	extras, cancel := a.extras(ctx)
	defer cancel()
	if err := a.rankRobustly(extras, s); err != nil {
		return nil, err
	}
	if err := a.searchCopies(ctx, extras, s); err != nil {
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
	x := &searchedAnswer{Result: text.Bytes(), Maps: make(map[string]string)}
	for _, m := range maps {
		x.Maps[m.path] = string(m.text)
	}
	return x, nil
}

// collectSearch shows what each search has found, and the best of it as search does: with several objectives, the
// mappings of all of which no other is as good in every objective and better in one.
func (a *app) collectSearch(c *cobra.Command, files []string) error {
	goal, err := a.settings.goal()
	if err != nil {
		return &usageError{err}
	}
	answers, err := answersAs[searchedAnswer](a)
	if err != nil {
		return err
	}
	results := make([]*result.Result, len(answers))
	for i := range answers {
		results[i], err = result.Decode("the answer of a search", bytes.NewReader(answers[i].Result))
		if err != nil {
			return err
		}
	}
	objective := goal.First().String()
	best := report.BestSeed(results, objective)
	table := report.Part{Table: report.Seeds(results, objective)}
	if best < 0 {
		return errors.Join(a.show(table), errors.New("no search has found a mapping"))
	}
	r := results[best]
	of := slices.Repeat([]int{best}, len(r.Candidates)) // the search that found each candidate
	if goal.Several() {
		r, of = mergedFront(results, best, goal)
	}
	if a.settings.Out != "" {
		err = a.writeSearched(r, func(i int) *searchedAnswer { return &answers[of[i]] })
	} else {
		for i := range r.Candidates { // no map files are written
			r.Candidates[i].File = ""
		}
	}
	err = errors.Join(err, a.keepReport(baseName(files), r), a.saveTables([]*report.Table{table.Table}))
	if !a.settings.JSON {
		err = errors.Join(err, a.show(table))
		fmt.Fprintln(a.stdout)
	}
	return errors.Join(err, a.print(r))
}

// mergedFront returns the result of one of several searches with the front of all, and the search that found each of
// its candidates. It is proven where one search has proven its own front.
func mergedFront(results []*result.Result, best int, goal mapper.Goal) (*result.Result, []int) {
	var names []string
	for _, o := range goal.Objectives {
		names = append(names, o.String())
	}
	all, search := *results[best], *results[best].Search
	var of []int
	all.Candidates, of = report.Front(results, names)
	for i := range all.Candidates {
		all.Candidates[i].Name = fmt.Sprint(i + 1)
	}
	search.Evals = 0
	for _, x := range results {
		if x.Search == nil {
			continue
		}
		search.Evals += x.Search.Evals
		if x.Search.Optimal && !search.Optimal {
			search.Optimal, search.Status = true, x.Search.Status
		}
	}
	all.Search = &search
	return &all, of
}

// writeSearched writes a result and the map files of its candidates, each from the answer that holds it.
func (a *app) writeSearched(r *result.Result, answer func(candidate int) *searchedAnswer) error {
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
		if text, ok := answer(i).Maps[name]; ok {
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

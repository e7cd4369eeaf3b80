package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/mapper/result"
)

// prepareSearchCampaign rejects unsupported options and checks the output files. It sets --threads to 1 by default, so
// that the result does not depend on the cores of a node.
func (a *app) prepareSearchCampaign(files []string) error {
	if a.settings.Search.Prove != "" {
		return faults.NotInCampaign.Usagef("--prove does not apply to a campaign; prove a bound on one machine")
	}
	if a.settings.Search.Race > 0 {
		return faults.NotInCampaign.Usagef("--race does not apply to a campaign; search with --race on one machine")
	}
	if a.settings.Time > 0 {
		a.noteID(faults.TimeDependsOnMachine, "note: with a time limit, faster machines find better mappings; set "+
			"evals for a reproducible answer")
	}
	if a.settings.Threads == 0 {
		if err := a.force("threads", "1"); err != nil {
			return err
		}
	}
	p := a.plan()
	if a.settings.Out != "" {
		if err := (settings.SearchFiles{Name: a.settings.Out}).Plan(p, a.settings.Top); err != nil {
			return err
		}
	}
	a.planReport(p, baseName(files))
	a.planTables(p, output.Tables())
	return p.Err()
}

// seedPoints returns one point per seed for a campaign of searches. The folder of a point contains its checkpoints and
// map files.
func (a *app) seedPoints(c *cobra.Command, x *submission) ([]campaign.Point, error) {
	seeds := []uint64{a.settings.Seed}
	if list := a.settings.Campaign.Seeds; len(list) > 0 {
		if a.given("seed") {
			return nil, faults.OptionsConflict.Usagef("--seed and --%s exclude each other (leave out one of "+
				"these options)", settings.SeedsOption)
		}
		var err error
		if seeds, err = campaign.ParseSeeds(strings.Join(list, ",")); err != nil {
			return nil, err
		}
	}
	d, err := a.design(c.Context(), x.files, design.ForSearch)
	if err != nil {
		return nil, err
	}
	s := &searching{files: x.files, design: d}
	if err := a.prepareGoal(s); err != nil {
		return nil, err
	}
	points := make([]campaign.Point, len(seeds))
	for i, seed := range seeds {
		points[i] = campaign.Point{Label: fmt.Sprintf("seed %d", seed),
			Args: x.line([]string{"seed", settings.SeedsOption}, "--seed", strconv.FormatUint(seed, 10),
				"--out", filepath.Join(campaign.OwnFolder, baseName(x.files)), "--checkpoint", campaign.Every)}
	}
	return points, s.goal.Validate(d.Problem)
}

// goOn limits a resumed search to the time that its earlier processes did not use.
func (a *app) goOn(s *searching) {
	if a.role.Point && s.from != nil && a.settings.Time > 0 {
		a.settings.Time = max(time.Millisecond, a.settings.Time-s.from.Elapsed)
	}
}

// force sets an option as a flag would.
func (a *app) force(name, text string) error {
	v := a.inForce[name]
	if v == nil {
		return faults.UnknownOption.Errorf("unknown option --%s", name)
	}
	return v.Assign([]string{text}, options.OriginFlag)
}

// showSearches lists the result of each search. It shows the best result as search does or, with several objectives,
// the merged Pareto front.
func (a *app) showSearches(files []string) error {
	goal, err := a.settings.Goal()
	if err != nil {
		return fault.Usage(err)
	}
	results := make([]*result.Result, len(a.answers))
	for i, x := range a.answers {
		if results[i], err = result.Decode("the result of "+a.points[i].Label, bytes.NewReader(x.JSON)); err != nil {
			return err
		}
	}
	objective := goal.First().String()
	best := report.BestSeed(results, objective)
	table := report.Part{Table: report.Seeds(results, objective)}
	if best < 0 {
		return errors.Join(a.show(table), fault.NoMapping.Errorf("no search of the campaign found a mapping"))
	}
	r := results[best]
	of := slices.Repeat([]int{best}, len(r.Candidates)) // index of the search that found each candidate
	if goal.Several() {
		r, of = report.MergedFront(results, best, goal)
	}
	if a.settings.Out != "" {
		err = a.writeSearched(r, of)
	} else {
		for i := range r.Candidates { // the command writes no map files
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

// writeSearched writes a result and the map files of its candidates. of[i] is the index of the answer of candidate i.
func (a *app) writeSearched(r *result.Result, of []int) error {
	out, folder := settings.SearchFiles{Name: a.settings.Out}, filepath.Dir(a.settings.Out)
	plan := a.plan()
	if err := out.Plan(plan, len(r.Candidates)); err != nil {
		return err
	}
	if err := plan.Err(); err != nil {
		return err
	}
	var maps []settings.MapText
	for i := range r.Candidates {
		name := r.Candidates[i].File
		if text, ok := a.answers[of[i]].Files[filepath.Base(name)]; ok {
			r.Candidates[i].File = out.Mapping(i + 1)
			path := out.Mapping(i + 1)
			maps = append(maps, settings.MapText{Path: path, Text: []byte(strings.ReplaceAll(text, name, path))})
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	err := out.Save(r, maps)
	if err == nil {
		a.wrote = append(a.wrote, out.Result(), out.Mappings(len(r.Candidates)))
		a.note("wrote %s and %s", out.Result(), out.Mappings(len(r.Candidates)))
	}
	return err
}

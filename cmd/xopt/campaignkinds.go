package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/file"
	"xopt/cmd/internal/options"
	"xopt/cmd/internal/settings"
	"xopt/internal/fault"
	"xopt/internal/safetext"
)

// campaigns is the state of a command that runs as a campaign, or as one of its points.
type campaigns struct {
	role    campaign.Role
	points  []campaign.Point   // points whose answers the command shows; nil if it computes points
	answers []*campaign.Answer // answers of the points; nil for missing answers
}

// campaignKind is a kind of campaign: a command, and the way to divide it into points.
type campaignKind struct {
	name string // name of the kind and of its command
	// prepare rejects unsupported options and checks the output files. It fixes settings that would otherwise depend on
	// the machine.
	prepare func(a *app, files []string) error
	// points lists the points. It returns an error if every point would certainly fail.
	points func(a *app, c *cobra.Command, s *submission) ([]campaign.Point, error)
	// show prints and writes the answers. It is nil if the command itself prints and writes app.answers
	// instead of computing.
	show   func(a *app, files []string) error
	keep   []string // fields of a point's result that form its answer; empty for all
	traits kindTraits
	writes []string // options for the output of the result
}

// kindTraits is a set of properties that all points of a kind have.
type kindTraits uint8

const (
	sameEachTime kindTraits = 1 << iota // a point always has the same answer, which contains no times
	alone                               // a point measures and therefore requires a machine of its own
	everyRow                            // the output has a row for every point, including missing ones
	ownNodes                            // each point belongs to a node
	needsVary                           // the command requires --vary
)

func (k *campaignKind) has(t kindTraits) bool { return k.traits&t != 0 }

func campaignKinds() []campaignKind {
	return []campaignKind{
		{name: "sweep", prepare: (*app).prepareSweepCampaign, points: (*app).sweepPoints, keep: []string{"sweep"},
			traits: sameEachTime | everyRow | needsVary,
			writes: []string{"out", "json", "report", "csv", "plots", "force"}},
		{name: "search", prepare: (*app).prepareSearchCampaign, points: (*app).seedPoints, show: (*app).showSearches,
			writes: []string{"out", "json", "report", "csv", "full", "force"}},
		{name: "validate", prepare: (*app).prepareValidationCampaign, points: (*app).mappingPoints,
			keep: []string{"validation"}, traits: alone, writes: []string{"json", "report", "csv", "md", "force"}},
		{name: "calibrate", prepare: (*app).prepareNodeCampaign, points: (*app).nodePoints,
			show: (*app).showNodes, traits: alone | ownNodes, writes: []string{"out", "json", "csv", "force"}},
	}
}

// kindOf returns the kind with the given name; nil if there is none.
func kindOf(name string) *campaignKind {
	kinds := campaignKinds()
	i := slices.IndexFunc(kinds, func(k campaignKind) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// campaignCommands returns the commands that can run as campaigns.
func campaignCommands() []string {
	var names []string
	for _, k := range campaignKinds() {
		names = append(names, k.name)
	}
	return names
}

// fileKinds returns all kinds, as needed to read campaign files.
func fileKinds() []file.Kind {
	var list []file.Kind
	for _, k := range campaignKinds() {
		list = append(list, file.Kind{Name: k.name, NeedsVary: k.has(needsVary)})
	}
	return list
}

// cores returns the number of cores per point; 0 for a complete machine.
func (k *campaignKind) cores(a *app) int {
	if k.has(alone) {
		return 0
	}
	return max(1, a.settings.Threads)
}

// submission is a campaign that the app's command submits.
type submission struct {
	app   *app
	kind  *campaignKind
	files []string // paths of the copies that the points read
	in    *campaign.Inputs
}

// line returns the command line of a point: without some options of the campaign, and with additional arguments.
func (s *submission) line(without []string, more ...string) []string {
	args := append([]string{s.kind.name}, s.files...)
	return slices.Concat(args, s.app.frozen(s.in, without...), more, []string{"--json"})
}

// readAnswers reads the answers of a campaign for the command to show.
func (a *app) readAnswers(k *campaignKind) error {
	f, err := campaign.OpenGiven(a.role.Collect)
	if err != nil {
		return err
	}
	if err := f.CheckInputs(); err != nil { // the output depends on the inputs, which must match the answers
		return err
	}
	list, damaged, differ, err := f.Answers()
	if err != nil {
		return err
	}
	for _, d := range damaged {
		a.note("warning: %s", fault.Text(d))
	}
	if len(differ) > 0 && k.has(sameEachTime) {
		a.noteID(faults.AnswersDiffer, "warning: number of points with two different results: %d, such as "+
			"point %d (%s): the results depend on more than the files and options", len(differ),
			differ[0]+1, f.Points[differ[0]].Label)
	}
	done := 0
	for i, x := range list {
		if x != nil {
			done++
		}
		if x != nil || k.has(everyRow) {
			a.points, a.answers = append(a.points, f.Points[i]), append(a.answers, x)
		}
	}
	missing := fmt.Sprintf("%d of %d points have no result (xopt campaign resume %s computes them)", len(list)-done,
		len(list), safetext.ShellWord(f.Dir))
	switch {
	case done == len(list):
	case !a.role.Partial:
		return faults.CampaignUnfinished.Errorf("%s; --%s prints the partial result", missing, settings.PartialOption)
	case done == 0:
		return faults.CampaignUnfinished.Errorf("%s", missing)
	default:
		a.noteID(faults.CampaignUnfinished, "warning: %s", missing)
	}
	return nil
}

// orCampaign returns the function of a command that can run as a campaign. The function submits a campaign, shows its
// answers for collect, or calls run.
func (a *app) orCampaign(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, files []string) error {
		dir, k := a.settings.Campaign.Folder, kindOf(options.CommandOf(c))
		switch {
		case a.role.Point:
			return run(c, files)
		case a.role.Collect != "":
			if err := a.readAnswers(k); err != nil {
				return err
			}
			if k.show != nil {
				return k.show(a, files)
			}
			return run(c, files)
		case dir == "" && a.given(file.CampaignOption):
			return faults.EmptyOption.Usagef("--%s is empty; expected the name of a folder", file.CampaignOption)
		case dir == "":
			for _, name := range []string{settings.SeedsOption, settings.NodesOption} {
				if a.given(name) {
					return faults.OptionRequires.Usagef("--%s requires --%s DIR", name, file.CampaignOption)
				}
			}
			return run(c, files)
		}
		e := a.settings.Campaign.Override(campaign.Engine{})
		if a.role.Engine != nil {
			e = *a.role.Engine
		}
		return a.submit(c, &submission{app: a, kind: k, files: files}, dir, e)
	}
}
